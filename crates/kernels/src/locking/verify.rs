//! Holds what the workers did to the laws of locking, and tells what an observation saw.

use hitm_experiment::record::{Observation, Verification};
use hitm_locks::Counts;
use hitm_locks::history::{Checker, Log, Obstacles};

use super::manager::Tells;
use crate::keys::source::hottest;

/// What [`observe`] tells.
pub(super) const NAMES: [&str; 2] = ["hottest-key", "lock-conflicts"];

/// Stamps that may pass for each worker before a wait for what is free counts as never woken: a woken worker waits for a PU while
/// others go on.
const GRACE_A_WORKER: u64 = 20_000;

/// Broken laws that are told; the others are counted.
const TOLD: usize = 3;

/// What a worker did.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub(super) committed: u64,
    /// Values that it kept, where it was observed.
    pub(super) kept: Option<u64>,
    pub(super) counts: Counts,
    pub(super) history: Option<Log>,
    pub(super) failed: Option<String>,
}

/// Every operation is a transaction that committed, every request has an answer, nothing is held at the end, and where the history
/// was noted no two held what excludes each other and no wait was forgotten.
pub(super) fn verify(told: &[&Told], totals: &[u64], held: Option<usize>, obstacles: Obstacles) -> Verification {
    let mut wrong: Vec<String> = Vec::new();
    for (worker, (told, &total)) in told.iter().zip(totals).enumerate() {
        if let Some(why) = &told.failed {
            wrong.push(format!("worker {worker} had to stop: {why}"));
        }
        let done = told.kept.unwrap_or(told.committed);
        if done != total {
            wrong.push(format!("worker {worker} tells of {done} operations and did {total}"));
        }
        if !told.counts.adds_up() {
            wrong.push(format!("worker {worker} has requests without an answer, or with two: {:?}", told.counts));
        }
    }
    if let Some(held) = held.filter(|&held| held > 0) {
        wrong.push(format!("{held} locks are held after all transactions have ended"));
    }
    let histories: Vec<Log> = told.iter().filter_map(|told| told.history.clone()).collect();
    let report = Checker { grace: GRACE_A_WORKER * told.len() as u64, obstacles }.check(&histories);
    wrong.extend(report.violations.iter().take(TOLD).map(ToString::to_string));
    if report.violations.len() > TOLD {
        wrong.push(format!("and {} more laws broken", report.violations.len() - TOLD));
    }
    if wrong.is_empty() { Verification::Exact } else { Verification::Wrong { what: wrong.join("; ") } }
}

/// How hot the hottest key is, and where waits are told how many requests found another in their way.
pub(super) fn observe(samples: &[Vec<u64>], told: &[&Told], tells: Tells) -> Vec<Observation> {
    let mut keys = samples.concat();
    keys.sort_unstable();
    let mut counts = Counts::default();
    for told in told {
        counts.add(&told.counts);
    }
    let conflicts = counts.after_waiting + counts.timed_out + counts.deadlocks + counts.cancelled + counts.busy;
    let seen = [(hottest(&keys), keys.len() as u64), (conflicts, counts.requests)];
    let named = NAMES.iter().zip(seen).take(if tells >= Tells::Waits { 2 } else { 1 });
    named.map(|(name, (count, of))| Observation { name: (*name).to_owned(), count, of }).collect()
}
