//! Holds a history to the laws of locking.

use super::{
    Log,
    overlaps::Overlaps,
    stretches::{Stretch, Stretches, read},
};
use crate::contract::{Mode, Space, Span};
use std::fmt;

/// What may keep a request waiting, beyond a conflicting lock.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Obstacles {
    /// Conflicting locks, and conflicting requests that wait.
    #[default]
    Conflicts,
    /// Any lock or request of a common key, shared ones too.
    Overlaps,
    /// Not known, as where ranges are merged: lost wake-ups are not looked for.
    Unknown,
}

/// Checks histories.
#[derive(Clone, Copy, Debug, Default)]
pub struct Checker {
    /// How long, in stamps, keys may be free before a wait for them counts as never woken. Wide: a woken thread needs its turn.
    pub grace: u64,
    /// What may keep a request waiting.
    pub obstacles: Obstacles,
}

/// A law that a history breaks. Workers are named by their place among the logs, transactions by their numbers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Violation {
    /// Two transactions held a key at the same time, and not both shared it.
    Conflict {
        /// The space of the key.
        space: Space,
        /// One holder and what it held.
        one: (u64, Span, Mode),
        /// The other.
        other: (u64, Span, Mode),
    },
    /// A wait ended by its deadline, or was cancelled, though nobody was in its way for longer than the grace.
    LostWakeUp {
        /// Who waited.
        transaction: u64,
        /// Where.
        space: Space,
        /// For what.
        span: Span,
    },
    /// Two transactions were given the same number.
    SameNumber {
        /// The number.
        transaction: u64,
        /// Who began the first, and the other.
        workers: (usize, usize),
    },
    /// A request came to no end.
    Unanswered {
        /// The worker.
        worker: usize,
        /// Its transaction.
        transaction: u64,
    },
    /// A transaction was never released.
    NeverEnded {
        /// The worker.
        worker: usize,
        /// Its transaction.
        transaction: u64,
    },
    /// The log itself is not in order: steps or stamps that cannot follow each other.
    Disorder {
        /// The worker.
        worker: usize,
        /// The place in its log.
        step: usize,
    },
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Conflict { space, one, other } => write!(
                f,
                "transactions {} and {} both held keys of {} and {} in space {}, not both shared",
                one.0, other.0, one.1, other.1, space.0
            ),
            Violation::LostWakeUp { transaction, space, span } => {
                write!(
                    f,
                    "transaction {transaction} waited for {span} in space {} though nobody was in its way",
                    space.0
                )
            }
            Violation::SameNumber { transaction, workers: (one, other) } => {
                write!(f, "workers {one} and {other} both began a transaction {transaction}")
            }
            Violation::Unanswered { worker, transaction } => {
                write!(f, "a request of worker {worker}, transaction {transaction}, came to no end")
            }
            Violation::NeverEnded { worker, transaction } => {
                write!(f, "transaction {transaction} of worker {worker} was never released")
            }
            Violation::Disorder { worker, step } => {
                write!(f, "step {step} of worker {worker} cannot follow the one before")
            }
        }
    }
}

/// What a check saw.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Report {
    /// Transactions that ended.
    pub transactions: u64,
    /// Locks granted.
    pub granted: u64,
    /// Requests refused.
    pub refused: u64,
    /// Broken laws: none in a right history.
    pub violations: Vec<Violation>,
}

impl Checker {
    /// Checks all workers' histories together.
    #[must_use]
    pub fn check(&self, logs: &[Log]) -> Report {
        let mut report = Report::default();
        let mut stretches = read(logs, &mut report);
        // Beyond the end of a full log, holders are unknown.
        let last = |log: &Log| log.steps.last().map_or(0, |last| last.0);
        let horizon = logs.iter().filter(|log| log.full).map(last).min().unwrap_or(u64::MAX);
        stretches.held.retain(|held| held.from <= horizon);
        stretches.held.sort_by_key(|held| held.from);
        conflicts(&stretches.held, &mut report.violations);
        if self.obstacles != Obstacles::Unknown {
            stretches.in_vain.retain(|wait| wait.gone <= horizon);
            self.lost(stretches, &mut report.violations);
        }
        report
    }

    /// Goes over the waits in the order of their ends, with all stretches that may have been in their way until the grace before.
    fn lost(&self, stretches: Stretches, violations: &mut Vec<Violation>) {
        let Stretches { held, asked, in_vain: mut waits } = stretches;
        waits.sort_by_key(|wait| wait.gone);
        let mut others = held;
        others.extend(asked);
        others.sort_by_key(|other| other.from);
        let mut others = others.into_iter().peekable();
        let mut running = Overlaps::default();
        for wait in &waits {
            while let Some(other) = others.next_if(|other| other.from <= wait.gone) {
                running.add(other);
            }
            let Some(since) = wait.gone.checked_sub(self.grace).filter(|&since| since >= wait.from) else { continue };
            let in_the_way = |other: &Stretch| {
                other.owner != wait.owner && (self.obstacles == Obstacles::Overlaps || other.mode.conflicts(wait.mode))
            };
            if !running.any(wait.space, wait.span, |other| other.gone < since, in_the_way) {
                let Stretch { transaction, space, span, .. } = *wait;
                violations.push(Violation::LostWakeUp { transaction, space, span });
            }
        }
    }
}

/// Goes over what was held in the order of beginnings, with what is not over yet.
fn conflicts(held: &[Stretch], violations: &mut Vec<Violation>) {
    let mut running = Overlaps::default();
    for new in held {
        let conflict = |old: &Stretch| {
            if old.owner != new.owner && old.mode.conflicts(new.mode) {
                violations.push(Violation::Conflict {
                    space: new.space,
                    one: (old.transaction, old.span, old.mode),
                    other: (new.transaction, new.span, new.mode),
                });
            }
            false
        };
        running.any(new.space, new.span, |old| old.to <= new.from, conflict);
        running.add(*new);
    }
}
