//! `sharing/one-counter`: all workers update one counter: true sharing.
//!
//! With `work` 0 the line stays with one core for bursts, and the cost of a transfer is understated; with work
//! between the updates each update pays its own.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use hitm_experiment::Parameters;
use hitm_experiment::record::Verification;

use super::update::{Add, CompareExchange, FetchAdd, Update, Updater};
use crate::contract::{Arena, Context, Kernel, Setting, Worker};
use crate::memory::Memory;
use crate::registry::{DefaultValue, Entry, Parameter, ParameterKind, Refusal, integer, text};
use crate::work;

/// How this kernel is asked for.
pub const ENTRY: Entry = Entry {
    name: "sharing/one-counter",
    summary: "All workers update one 8-byte counter; a plain add loses updates, which is told",
    operation: "update",
    workers: 1..=crate::MAX_WORKERS,
    parameters: &[
        Parameter {
            name: "op",
            kind: ParameterKind::Choice(&["add", "fetch-add", "compare-exchange"]),
            default: DefaultValue::Choice("fetch-add"),
            help: "How the counter is updated: a plain load and store, which loses updates, or atomically",
        },
        work::parameter(
            0,
            "Units of local work after each update, about 1 ns each; without any, the line stays for bursts",
        ),
    ],
    observations: &[],
    tallies: &[],
    build,
};

fn build(parameters: &Parameters) -> Result<Box<dyn Kernel>, Refusal> {
    let work = integer(parameters, "work") as u32;
    Ok(match text(parameters, "op") {
        "add" => Box::new(OneCounter::<Add> { work, may_lose: true, update: PhantomData }),
        "fetch-add" => Box::new(OneCounter::<FetchAdd> { work, may_lose: false, update: PhantomData }),
        _ => Box::new(OneCounter::<CompareExchange> { work, may_lose: false, update: PhantomData }),
    })
}

struct OneCounter<U> {
    work: u32,
    may_lose: bool,
    update: PhantomData<U>,
}

impl<U: Update> Kernel for OneCounter<U> {
    fn lay_out(&self, setting: &Setting) -> Result<Box<dyn Arena>, String> {
        let OneCounter { work, may_lose, update } = *self;
        Ok(Box::new(Shared::<U> { memory: Memory::zeroed(8, setting.seed), work, may_lose, update }))
    }
}

struct Shared<U> {
    memory: Memory<AtomicU64>,
    work: u32,
    may_lose: bool,
    update: PhantomData<U>,
}

impl<U: Update> Arena for Shared<U> {
    fn worker<'a>(&'a self, _context: Context<'a>) -> Box<dyn Worker + 'a> {
        Box::new(Updater::<U>::new(self.memory.at(0), self.work))
    }

    fn verify(&self, totals: &[u64]) -> Verification {
        let expected = totals.iter().sum();
        let found = self.memory.at(0).load(Relaxed);
        if self.may_lose && found < expected {
            Verification::Lost { expected, found }
        } else {
            Verification::of("updates", expected, found)
        }
    }

    fn addresses(&self) -> Range<usize> {
        self.memory.addresses()
    }
}
