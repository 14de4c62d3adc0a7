//! `sharing/counters`: every worker updates its own 8-byte counter in one array.
//!
//! Worker w's counter lies `base + w × stride` bytes from a line start (an address that 4096 divides). No counter is
//! shared; lines are, where `stride` is less than the line size. So the line size, and where the hardware moves lines
//! in pairs that effect too, is read off the curve over `stride`; `base` shifts the counters against the lines.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use hitm_experiment::Parameters;
use hitm_experiment::record::Verification;

use super::update::{Add, CompareExchange, FetchAdd, Store, Update};
use crate::contract::{Arena, Context, Done, Kernel, Setting, Worker};
use crate::memory::Memory;
use crate::registry::{DefaultValue, Entry, Parameter, ParameterKind, Refusal, integer, text};

/// How this kernel is asked for.
pub const ENTRY: Entry = Entry {
    name: "sharing/counters",
    summary: "Every worker updates its own 8-byte counter in one array; counters nearer than a line share it falsely",
    operation: "update",
    workers: 1..=crate::MAX_WORKERS,
    parameters: &[
        Parameter {
            name: "op",
            kind: ParameterKind::Choice(&["store", "add", "fetch-add", "compare-exchange"]),
            default: DefaultValue::Choice("fetch-add"),
            help: "How a counter is updated: a plain store, a plain load and store, or atomically",
        },
        Parameter {
            name: "stride",
            kind: ParameterKind::Integer { range: 8..=512, step: 8 },
            default: DefaultValue::Integer(64),
            help: "Bytes from one worker's counter to the next",
        },
        Parameter {
            name: "base",
            kind: ParameterKind::Integer { range: 0..=504, step: 8 },
            default: DefaultValue::Integer(0),
            help: "Bytes from a line start to the first worker's counter",
        },
    ],
    observes: false,
    build,
};

fn build(parameters: &Parameters) -> Result<Box<dyn Kernel>, Refusal> {
    let [stride, base] = ["stride", "base"].map(|name| integer(parameters, name) as usize);
    let places = Places { stride, base };
    Ok(match text(parameters, "op") {
        "store" => Box::new(Counters::<Store>(places, PhantomData)),
        "add" => Box::new(Counters::<Add>(places, PhantomData)),
        "fetch-add" => Box::new(Counters::<FetchAdd>(places, PhantomData)),
        _ => Box::new(Counters::<CompareExchange>(places, PhantomData)),
    })
}

#[derive(Clone, Copy)]
struct Places {
    stride: usize,
    base: usize,
}

struct Counters<U>(Places, PhantomData<U>);

impl<U: Update> Kernel for Counters<U> {
    fn lay_out(&self, setting: &Setting) -> Result<Box<dyn Arena>, String> {
        let Counters(places, _) = *self;
        let memory = Memory::zeroed(places.base + setting.workers * places.stride, setting.seed);
        Ok(Box::new(Array::<U> { memory, places, update: PhantomData }))
    }
}

struct Array<U> {
    memory: Memory<AtomicU64>,
    places: Places,
    update: PhantomData<U>,
}

impl<U> Array<U> {
    fn counter(&self, worker: usize) -> &AtomicU64 {
        self.memory.at(self.places.base + worker * self.places.stride)
    }
}

impl<U: Update> Arena for Array<U> {
    fn worker<'a>(&'a self, context: Context<'a>) -> Box<dyn Worker + 'a> {
        Box::new(Own::<U> { counter: self.counter(context.index), done: 0, update: PhantomData })
    }

    fn verify(&self, totals: &[u64]) -> Verification {
        let wrong: Vec<_> = totals
            .iter()
            .enumerate()
            .map(|(worker, &total)| (worker, total, self.counter(worker).load(Relaxed)))
            .filter(|(_, total, found)| total != found)
            .map(|(worker, total, found)| format!("worker {worker} made {total} updates and its counter holds {found}"))
            .collect();
        if wrong.is_empty() { Verification::Exact } else { Verification::Wrong { what: wrong.join("; ") } }
    }

    fn addresses(&self) -> Range<usize> {
        self.memory.addresses()
    }
}

// Aligned so that two workers' own fields never share a line.
#[repr(align(256))]
struct Own<'a, U> {
    counter: &'a AtomicU64,
    done: u64,
    update: PhantomData<U>,
}

impl<U: Update> Worker for Own<'_, U> {
    fn run(&mut self, operations: u64) -> Done {
        let counter = self.counter;
        let mut done = self.done;
        let mut value = done;
        for _ in 0..operations {
            value = U::once(counter, &mut done);
        }
        self.done = done;
        Done { operations, value }
    }
}
