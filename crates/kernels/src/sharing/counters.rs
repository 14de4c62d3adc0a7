//! `sharing/counters`: every worker updates its own 8-byte counter in one array.
//!
//! Worker w's counter lies `base + w × stride` bytes from a line start (an address that 512 divides). No counter is
//! shared; lines are, where `stride` is less than the line size. So the line size, and where the hardware moves lines
//! in pairs that effect too, is read off the curve over `stride`; `base` shifts the counters against the lines. Without
//! `work` the line stays with one core for bursts and plain updates wait in the store buffer, which hides most of what
//! they cost a program that does something between them.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use hitm_experiment::Parameters;
use hitm_experiment::record::Verification;

use super::update::{Add, CompareExchange, FetchAdd, Store, Update, Updater};
use crate::contract::{Arena, Context, Kernel, Setting, Worker};
use crate::memory::Memory;
use crate::registry::{DefaultValue, Entry, Parameter, ParameterKind, Refusal, integer, text};
use crate::work;

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
    let [stride, base] = ["stride", "base"].map(|name| integer(parameters, name) as usize);
    let places = Places { stride, base, work: integer(parameters, "work") as u32 };
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
    work: u32,
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
        let (counter, work) = (self.counter(context.index), self.places.work);
        Box::new(Updater::<U>::new(counter, work))
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
