//! `locking/simple`: every worker enters one critical section under a plain lock, works in it, leaves, and works outside.
//!
//! One operation is one passage. Inside, a counter beside the lock is read and written without an atomic instruction: what the lock is
//! for. Of a hundred passages `shared` only read; a lock that does not share lets them in alone all the same. A lock that spins lets
//! others run after `looks_before_yield` looks; with 0 it never does, which is for no more workers than PUs.
//!
//! # What is told besides
//!
//! How often a worker waited, where the lock tells; how many others were let in between its coming and its turn, over all passages and
//! in the worst: what `fairness` does not see of a lock that lets one worker in again and again.
//!
//! # What is verified
//!
//! The counter must hold every exclusive passage.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use hitm_experiment::Parameters;
use hitm_experiment::manifest::TallyForm;
use hitm_experiment::record::Verification;
use hitm_keys::rng::SplitMix64;
use hitm_locks::Mode;
use hitm_locks::simple::{Fairness, Mcs, Mutual, ReadWrite, SimpleLock, Spin, Ticket};

use crate::contract::{Arena, Context, Done, Kernel, Notes, Setting, Worker};
use crate::memory::Memory;
use crate::registry::{DefaultValue, Entry, Made, Parameter, ParameterKind, Tally, integer, text};
use crate::work::{self, work};

const fn tally(name: &'static str, form: TallyForm, meaning: &'static str) -> Tally {
    Tally { name, meaning, form, more_is_better: false }
}

/// How this kernel is asked for.
pub const ENTRY: Entry = Entry {
    name: "locking/simple",
    summary: "Every worker passes through one critical section under a mutex, reader-writer, ticket or MCS lock",
    operation: "passage",
    workers: 1..=crate::MAX_WORKERS,
    parameters: &[
        Parameter {
            name: "lock",
            kind: ParameterKind::Choice(&["mutex", "reader-writer", "ticket", "mcs"]),
            default: DefaultValue::Choice("mutex"),
            help: "The lock: two that sleep, of the standard library, and two that spin and keep the order of coming",
        },
        Parameter {
            name: "shared",
            kind: ParameterKind::Integer { range: 0..=100, step: 1 },
            default: DefaultValue::Integer(0),
            help: "Passages that only read, of a hundred; the reader-writer lock lets them in together",
        },
        Parameter {
            name: "inside",
            kind: ParameterKind::Integer { range: 0..=65_536, step: 1 },
            default: DefaultValue::Integer(0),
            help: "Units of work with the lock held, about 1 ns each",
        },
        work::parameter(64, "Units of local work after each passage, about 1 ns each"),
        Parameter {
            name: "looks_before_yield",
            kind: ParameterKind::Integer { range: 0..=1_000_000, step: 1 },
            default: DefaultValue::Integer(100),
            help: "After how many looks a lock that spins lets others run, again and again; 0 for never",
        },
    ],
    observations: &[],
    tallies: &[
        tally("waited", TallyForm::Count, "passages that found the lock held, where it tells (those that spin)"),
        tally("passed", TallyForm::Count, "others let in between a worker's coming and its turn"),
        tally("passed_most", TallyForm::Most, "the most of them in one wait"),
    ],
    build,
};

fn build(parameters: &Parameters) -> Made {
    let number = |name| integer(parameters, name) as u32;
    let looks = number("looks_before_yield");
    let spin = Spin { looks_before_yield: (looks > 0).then_some(looks) };
    let (shared, inside, work) = (u64::from(number("shared")), number("inside"), number("work"));
    let section = Section { shared, inside, work };
    Ok(match text(parameters, "lock") {
        "mutex" => section.kernel(Mutual::new),
        "reader-writer" => section.kernel(ReadWrite::new),
        "ticket" => section.kernel(move |workers| Ticket::new(workers, spin)),
        _ => section.kernel(move |workers| Mcs::new(workers, spin)),
    })
}

/// What a passage does.
#[derive(Clone, Copy)]
struct Section {
    shared: u64,
    inside: u32,
    work: u32,
}

impl Section {
    fn kernel<L: SimpleLock + 'static>(self, make: impl Fn(usize) -> L + Send + Sync + 'static) -> Box<dyn Kernel> {
        Box::new(move |setting: &Setting| {
            Ok(Box::new(Guarded {
                lock: make(setting.workers),
                counter: Memory::zeroed(8, setting.seed),
                exclusive: AtomicU64::new(0),
                section: self,
            }) as Box<dyn Arena>)
        })
    }
}

/// On lines of its own, so that the lock meets nothing of anybody else.
#[repr(align(256))]
struct Guarded<L> {
    lock: L,
    /// What the lock guards.
    counter: Memory<AtomicU64>,
    /// Exclusive passages, added by each worker when it is dropped.
    exclusive: AtomicU64,
    section: Section,
}

impl<L: SimpleLock> Arena for Guarded<L> {
    fn worker<'a>(&'a self, context: Context<'a>) -> Box<dyn Worker + 'a> {
        Box::new(Passer {
            arena: self,
            index: context.index,
            modes: SplitMix64::new(context.seed),
            exclusive: 0,
            value: 0,
            fairness: Fairness::default(),
        })
    }

    fn verify(&self, totals: &[u64]) -> Verification {
        let exclusive = self.exclusive.load(Relaxed);
        let all: u64 = totals.iter().sum();
        if exclusive > all || (self.section.shared == 0 && exclusive < all) {
            return Verification::Wrong { what: format!("{all} passages were made, {exclusive} of them exclusive") };
        }
        Verification::of("exclusive passages", exclusive, self.counter.at(0).load(Relaxed))
    }

    fn addresses(&self) -> Range<usize> {
        self.counter.addresses()
    }
}

#[repr(align(256))]
struct Passer<'a, L> {
    arena: &'a Guarded<L>,
    index: usize,
    modes: SplitMix64,
    exclusive: u64,
    value: u64,
    fairness: Fairness,
}

impl<L: SimpleLock> Worker for Passer<'_, L> {
    fn run(&mut self, operations: u64) -> Done {
        let Section { shared, inside, work: outside } = self.arena.section;
        let counter = self.arena.counter.at(0);
        let mut value = self.value;
        for _ in 0..operations {
            let reads = shared > 0 && self.modes.draw() % 100 < shared;
            let mode = if reads { Mode::Shared } else { Mode::Exclusive };
            let passage = self.arena.lock.with(self.index, mode, &mut || {
                let count = counter.load(Relaxed);
                value = work(value ^ count, inside);
                if !reads {
                    counter.store(count + 1, Relaxed);
                }
            });
            self.exclusive += u64::from(!reads);
            self.fairness.note(passage);
            value = work(value, outside);
        }
        self.value = value;
        Done { operations, value }
    }

    fn take_notes(&mut self) -> Notes {
        let Fairness { waited, passed, passed_most, .. } = std::mem::take(&mut self.fairness);
        Notes {
            tallies: vec![("waited", waited), ("passed", passed), ("passed_most", passed_most)],
            histograms: Vec::new(),
        }
    }
}

impl<L> Drop for Passer<'_, L> {
    fn drop(&mut self) {
        self.arena.exclusive.fetch_add(self.exclusive, Relaxed);
    }
}
