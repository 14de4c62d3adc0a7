//! Holds a history to the laws of locking.

use super::{Log, Step};
use crate::contract::{Mode, Refused, Space, Span};
use std::{collections::BTreeMap, fmt};

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
    /// A wait ended by its deadline, or never, though nobody was in its way for longer than the grace.
    LostWakeUp {
        /// Who waited.
        transaction: u64,
        /// Where.
        space: Space,
        /// For what.
        span: Span,
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

/// A stretch in which a transaction held or wanted keys.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    transaction: u64,
    space: Space,
    span: Span,
    mode: Mode,
    from: u64,
    /// Until it was about to release.
    to: u64,
    /// Until it surely had.
    gone: u64,
}

#[derive(Default)]
struct Stretches {
    held: Vec<Stretch>,
    /// Requests, from the question to the answer.
    asked: Vec<Stretch>,
    /// Of those, waits that ended by their deadline.
    timed_out: Vec<Stretch>,
}

impl Checker {
    /// Checks all workers' histories together.
    #[must_use]
    pub fn check(&self, logs: &[Log]) -> Report {
        let mut report = Report::default();
        let mut stretches = Stretches::default();
        for (worker, log) in logs.iter().enumerate() {
            read(worker, log, &mut stretches, &mut report);
        }
        // Beyond the end of a full log, holders are unknown.
        let horizon = logs.iter().filter(|log| log.full).filter_map(|log| log.steps.last()).map(|last| last.0).min();
        let horizon = horizon.unwrap_or(u64::MAX);
        stretches.held.retain(|held| held.from <= horizon);
        conflicts(stretches.held.clone(), &mut report.violations);
        if self.obstacles != Obstacles::Unknown {
            stretches.timed_out.retain(|wait| wait.gone <= horizon);
            self.lost(&stretches, &mut report.violations);
        }
        report
    }

    fn lost(&self, stretches: &Stretches, violations: &mut Vec<Violation>) {
        for wait in &stretches.timed_out {
            let Some(since) = wait.gone.checked_sub(self.grace).filter(|&since| since >= wait.from) else { continue };
            let in_the_way = |other: &Stretch| {
                other.transaction != wait.transaction
                    && other.space == wait.space
                    && other.span.overlaps(wait.span)
                    && (self.obstacles == Obstacles::Overlaps || other.mode.conflicts(wait.mode))
                    && other.from <= wait.gone
                    && other.gone >= since
            };
            if !stretches.held.iter().chain(&stretches.asked).any(in_the_way) {
                let Stretch { transaction, space, span, .. } = *wait;
                violations.push(Violation::LostWakeUp { transaction, space, span });
            }
        }
    }
}

/// Reads one log into stretches, and holds its steps to their order.
fn read(worker: usize, log: &Log, stretches: &mut Stretches, report: &mut Report) {
    let mut begun: Option<u64> = None;
    let mut asked: Option<(u64, Space, Span, Mode)> = None;
    let mut holds: Vec<Stretch> = Vec::new();
    let mut releasing: Option<u64> = None;
    let mut last = 0;
    for (at, &(stamp, step)) in log.steps.iter().enumerate() {
        let in_order = stamp >= last
            && match step {
                Step::Began(_) => begun.is_none(),
                Step::Asks(..) => begun.is_some() && asked.is_none() && releasing.is_none(),
                Step::Granted | Step::Refused(_) => asked.is_some(),
                Step::Releases => begun.is_some() && asked.is_none() && releasing.is_none(),
                Step::Released => releasing.is_some(),
            };
        if !in_order {
            report.violations.push(Violation::Disorder { worker, step: at });
            return;
        }
        last = stamp;
        let transaction = begun.unwrap_or(0);
        match step {
            Step::Began(id) => begun = Some(id),
            Step::Asks(space, span, mode) => asked = Some((stamp, space, span, mode)),
            Step::Granted | Step::Refused(_) => {
                let Some((from, space, span, mode)) = asked.take() else { continue };
                let wanted = Stretch { transaction, space, span, mode, from, to: stamp, gone: stamp };
                stretches.asked.push(wanted);
                match step {
                    Step::Granted => {
                        report.granted += 1;
                        holds.push(Stretch { from: stamp, to: u64::MAX, gone: u64::MAX, ..wanted });
                    }
                    Step::Refused(why) => {
                        report.refused += 1;
                        if why == Refused::TimedOut {
                            stretches.timed_out.push(wanted);
                        }
                    }
                    _ => {}
                }
            }
            Step::Releases => releasing = Some(stamp),
            Step::Released => {
                let to = releasing.take().unwrap_or(stamp);
                stretches.held.extend(holds.drain(..).map(|held| Stretch { to, gone: stamp, ..held }));
                begun = None;
                report.transactions += 1;
            }
        }
    }
    // A release under way ends no later than the log: its locks are nobody's to count on.
    let to = releasing.unwrap_or(u64::MAX);
    stretches.held.extend(holds.into_iter().map(|held| Stretch { to, ..held }));
    if let Some((from, space, span, mode)) = asked {
        let transaction = begun.unwrap_or(0);
        stretches.asked.push(Stretch { transaction, space, span, mode, from, to: u64::MAX, gone: u64::MAX });
        if !log.full {
            report.violations.push(Violation::Unanswered { worker, transaction });
        }
    } else if let Some(transaction) = begun.filter(|_| !log.full) {
        report.violations.push(Violation::NeverEnded { worker, transaction });
    }
}

/// Sweeps over the stretches in the order of their beginnings, with those that are not over yet.
fn conflicts(mut held: Vec<Stretch>, violations: &mut Vec<Violation>) {
    held.sort_by_key(|held| held.from);
    let mut spaces: BTreeMap<Space, Vec<Stretch>> = BTreeMap::new();
    for new in held {
        let running = spaces.entry(new.space).or_default();
        running.retain(|old| old.to > new.from);
        for old in running.iter() {
            if old.transaction != new.transaction && old.span.overlaps(new.span) && old.mode.conflicts(new.mode) {
                violations.push(Violation::Conflict {
                    space: new.space,
                    one: (old.transaction, old.span, old.mode),
                    other: (new.transaction, new.span, new.mode),
                });
            }
        }
        running.push(new);
    }
}
