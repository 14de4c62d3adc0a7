//! A kernel of your own, measured like the built-in ones: an add under a test-and-set spin lock, lock and counter on one line.
//!
//! Try `cargo run --release -p own-kernel -- run examples/own-kernel/spin-lock.toml --budget 20s`.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};

use hitm::kernels::{Arena, Context, DefaultValue, Done, Entry, Kernel, Parameter, ParameterKind, Setting, Worker};
use hitm::{Registry, Verification};

struct SpinLock {
    adds: i64,
}

impl Kernel for SpinLock {
    fn lay_out(&self, _: &Setting) -> Result<Box<dyn Arena>, String> {
        Ok(Box::new(Line { adds: self.adds as u64, locked: AtomicBool::new(false), count: AtomicU64::new(0) }))
    }
}

#[repr(align(256))]
struct Line {
    adds: u64,
    locked: AtomicBool,
    count: AtomicU64,
}

impl Arena for Line {
    fn worker<'a>(&'a self, _: Context<'a>) -> Box<dyn Worker + 'a> {
        Box::new(Adder(self))
    }

    fn verify(&self, totals: &[u64]) -> Verification {
        let (expected, found) = (totals.iter().sum::<u64>() * self.adds, self.count.load(Relaxed));
        if expected == found {
            Verification::Exact
        } else {
            Verification::Wrong { what: format!("{expected} adds were made, the counter says {found}") }
        }
    }
}

struct Adder<'a>(&'a Line);

impl Worker for Adder<'_> {
    fn run(&mut self, operations: u64) -> Done {
        let mut value = 0;
        for _ in 0..operations {
            while self.0.locked.swap(true, Acquire) {
                std::hint::spin_loop();
            }
            for _ in 0..self.0.adds {
                value = self.0.count.load(Relaxed) + 1;
                self.0.count.store(value, Relaxed);
            }
            self.0.locked.store(false, Release);
        }
        Done { operations, value }
    }
}

fn main() -> ExitCode {
    let mut registry = Registry::built_in();
    registry.add(Entry {
        name: "own/spin-lock",
        summary: "adds to a counter under a test-and-set lock",
        operation: "critical section",
        workers: 1..=4096,
        parameters: &[Parameter {
            name: "adds",
            kind: ParameterKind::Integer { range: 1..=1000, step: 1 },
            default: DefaultValue::Integer(1),
            help: "adds made while the lock is held",
        }],
        observes: false,
        build: |parameters| Ok(Box::new(SpinLock { adds: hitm::kernels::integer(parameters, "adds") })),
    });
    hitm::run(&registry, std::env::args_os())
}
