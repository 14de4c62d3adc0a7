//! A kernel of your own, measured like the built-in ones: adds to a counter under a test-and-set lock on the same line.
//!
//! Try `cargo run --release -p own-kernel -- run examples/own-kernel/spin-lock.toml`.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::*};

use hitm::kernels::memory::Memory;
use hitm::kernels::{Arena, Context, Done, Entry, Setting, Worker};
use hitm::{Registry, Verification};

#[derive(Default)]
#[repr(align(256))]
struct Line {
    locked: AtomicBool,
    count: AtomicU64,
}

/// Each trial's seed chooses another place in memory.
struct SpinLock(Memory<Line>);

impl Arena for SpinLock {
    fn worker<'a>(&'a self, _: Context<'a>) -> Box<dyn Worker + 'a> {
        let line = self.0.at(0);
        Box::new(move |operations| {
            for _ in 0..operations {
                while line.locked.swap(true, Acquire) {
                    std::hint::spin_loop();
                }
                line.count.store(line.count.load(Relaxed) + 1, Relaxed);
                line.locked.store(false, Release);
            }
            Done { operations, value: line.count.load(Relaxed) }
        })
    }

    fn verify(&self, totals: &[u64]) -> Verification {
        Verification::of("adds", totals.iter().sum(), self.0.at(0).count.load(Relaxed))
    }
}

fn main() -> ExitCode {
    let mut registry = Registry::built_in();
    registry.add(Entry {
        name: "own/spin-lock",
        summary: "Workers add to a counter under a test-and-set lock on the same line",
        operation: "critical section",
        workers: 1..=4096,
        parameters: &[],
        observations: &[],
        tallies: &[],
        build: |_| {
            Ok(Box::new(|setting: &Setting| Ok(Box::new(SpinLock(Memory::zeroed(1, setting.seed))) as Box<dyn Arena>)))
        },
    });
    hitm::run(&registry, std::env::args_os())
}
