//! `keys/replay`: every worker takes the keys of a trace, one after the other, and does so much work as stands for using them.
//!
//! One operation is one key. The trace is a file that `hitm keys import` made ([`hitm_keys::trace`]); after a worker's last key
//! comes its first again.
//!
//! | `streams` | worker w of n takes |
//! | --- | --- |
//! | `thread` | the keys of the trace's threads w, w + n, …, as they came; copied into its own memory before it starts |
//! | `round-robin` | keys w, w + n, … of the whole trace; all workers read all its lines |
//! | `partition` | the w-th of n equal parts |
//!
//! The keys are only read: no line is written that another worker reads. What is observed in them is what the trace is like.
//!
//! # What is verified
//!
//! Each worker's place in its keys must be as many keys on as it did operations.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use hitm_experiment::Parameters;
use hitm_experiment::record::{Observation, Verification};
use hitm_keys::trace::Stream;

use super::recorded::{self, Recorded};
use crate::contract::{Arena, Context, Done, Kernel, Setting, Worker};
use crate::registry::{Entry, Made, integer};
use crate::rng::damage;
use crate::work;

/// How this kernel is asked for.
pub const ENTRY: Entry = Entry {
    name: "keys/replay",
    summary: "Every worker takes the keys of a trace, by its threads, in turns, or a part of its own",
    operation: "key",
    workers: 1..=crate::MAX_WORKERS,
    parameters: &[
        recorded::TRACE,
        recorded::STREAMS,
        work::parameter(0, "Units of local work after each key, about 1 ns each"),
    ],
    observations: &damage::NAMES,
    tallies: &[],
    build,
};

fn build(parameters: &Parameters) -> Made {
    Ok(Box::new(Replay { recorded: Recorded::read(parameters)?, work: integer(parameters, "work") as u32 }))
}

/// Where a worker stopped, and how many keys it has.
type End = (u64, u64);

struct Replay {
    recorded: Recorded,
    work: u32,
}

impl Kernel for Replay {
    fn lay_out(&self, setting: &Setting) -> Result<Box<dyn Arena>, String> {
        let Replay { recorded, work } = self;
        recorded.check(setting.workers)?;
        let ends = (0..setting.workers).map(|_| OnceLock::new()).collect();
        Ok(Box::new(Laid { recorded: recorded.clone(), work: *work, ends }))
    }

    fn inputs(&self) -> BTreeMap<String, String> {
        self.recorded.inputs()
    }
}

struct Laid {
    recorded: Recorded,
    work: u32,
    ends: Vec<OnceLock<End>>,
}

impl Arena for Laid {
    fn worker<'a>(&'a self, context: Context<'a>) -> Box<dyn Worker + 'a> {
        match self.recorded.stream(context.index, self.ends.len()) {
            Some(stream) => Box::new(Taker { stream, work: self.work, sum: 0, end: &self.ends[context.index] }),
            // The laying out has seen to it that there are keys for all.
            None => Box::new(|_| Done { operations: 0, value: 0 }),
        }
    }

    fn verify(&self, totals: &[u64]) -> Verification {
        let wrong = |(worker, (&total, end)): (usize, (&u64, &OnceLock<End>))| match end.get() {
            Some((place, keys)) if place % keys == total % keys => None,
            Some((place, keys)) => {
                Some(format!("worker {worker} took {total} keys and stands at key {place} of its {keys}"))
            }
            None if total == 0 => None,
            None => Some(format!("worker {worker} took {total} keys and does not tell where it stands")),
        };
        let wrong: Vec<String> = totals.iter().zip(&self.ends).enumerate().filter_map(wrong).collect();
        if wrong.is_empty() { Verification::Exact } else { Verification::Wrong { what: wrong.join("; ") } }
    }

    fn observe(&self, samples: &[Vec<u64>]) -> Vec<Observation> {
        damage::observe(samples)
    }
}

#[repr(align(256))]
struct Taker<'a> {
    stream: Stream,
    work: u32,
    sum: u64,
    end: &'a OnceLock<End>,
}

impl Worker for Taker<'_> {
    fn run(&mut self, operations: u64) -> Done {
        let (units, mut sum) = (self.work, self.sum);
        // Two loops, so that the one without work pays nothing for asking.
        if units == 0 {
            self.stream.each(operations, |key| sum ^= key);
        } else {
            self.stream.each(operations, |key| sum = work::work(sum ^ key, units));
        }
        self.sum = sum;
        Done { operations, value: sum }
    }

    fn sample(&mut self, values: &mut [u64]) -> usize {
        let (units, mut sum, count) = (self.work, self.sum, values.len());
        let mut places = values.iter_mut();
        self.stream.each(count as u64, |key| {
            if let Some(place) = places.next() {
                *place = key;
            }
            sum = work::work(sum ^ key, units);
        });
        self.sum = sum;
        count
    }
}

impl Drop for Taker<'_> {
    fn drop(&mut self) {
        // A second worker of the same index would be the runner's fault; where the first one stood stays.
        let _ = self.end.set((self.stream.place(), self.stream.len()));
    }
}
