//! Logs as stretches of time: who held keys, who asked for them, and from when to when.

use super::{Log, Report, Step, Violation};
use crate::contract::{Mode, Refused, Space, Span};
use std::collections::BTreeMap;

/// A transaction by its place, since its number is the manager's word: the worker, and which of its transactions.
pub(super) type Owner = (usize, usize);

/// A stretch in which a transaction held or wanted keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub owner: Owner,
    pub transaction: u64,
    pub space: Space,
    pub span: Span,
    pub mode: Mode,
    pub from: u64,
    /// Until it was about to release.
    pub to: u64,
    /// Until it surely had.
    pub gone: u64,
}

#[derive(Default)]
pub(super) struct Stretches {
    pub held: Vec<Stretch>,
    /// Requests, from the question to the answer.
    pub asked: Vec<Stretch>,
    /// Of those, waits that ended without a lock, by their deadline or cancelled.
    pub in_vain: Vec<Stretch>,
}

/// Reads all workers' logs, and holds their steps to their order.
pub(super) fn read(logs: &[Log], report: &mut Report) -> Stretches {
    let mut stretches = Stretches::default();
    let mut numbers = BTreeMap::new();
    for (worker, log) in logs.iter().enumerate() {
        read_one(worker, log, &mut stretches, &mut numbers, report);
    }
    stretches
}

fn read_one(
    worker: usize,
    log: &Log,
    stretches: &mut Stretches,
    numbers: &mut BTreeMap<u64, usize>,
    report: &mut Report,
) {
    let mut begun: Option<u64> = None;
    let mut asked: Option<Stretch> = None;
    let mut holds: Vec<Stretch> = Vec::new();
    let mut releasing: Option<u64> = None;
    let (mut last, mut nth) = (0, 0);
    for (at, &(stamp, step)) in log.steps.iter().enumerate() {
        let in_order = stamp >= last
            && match step {
                Step::Began(_) => begun.is_none(),
                Step::Asks(..) | Step::Releases => begun.is_some() && asked.is_none() && releasing.is_none(),
                Step::Granted | Step::Refused(_) => asked.is_some(),
                Step::Released => releasing.is_some(),
            };
        if !in_order {
            report.violations.push(Violation::Disorder { worker, step: at });
            return;
        }
        last = stamp;
        let transaction = begun.unwrap_or(0);
        match step {
            Step::Began(id) => {
                (begun, nth) = (Some(id), nth + 1);
                if let Some(&first) = numbers.get(&id) {
                    report.violations.push(Violation::SameNumber { transaction: id, workers: (first, worker) });
                } else {
                    numbers.insert(id, worker);
                }
            }
            Step::Asks(space, span, mode) => {
                let owner = (worker, nth);
                asked =
                    Some(Stretch { owner, transaction, space, span, mode, from: stamp, to: u64::MAX, gone: u64::MAX });
            }
            Step::Granted => {
                let Some(wanted) = asked.take() else { continue };
                report.granted += 1;
                stretches.asked.push(Stretch { to: stamp, gone: stamp, ..wanted });
                holds.push(Stretch { from: stamp, ..wanted });
            }
            Step::Refused(why) => {
                let Some(wanted) = asked.take() else { continue };
                report.refused += 1;
                let wanted = Stretch { to: stamp, gone: stamp, ..wanted };
                stretches.asked.push(wanted);
                if matches!(why, Refused::TimedOut | Refused::Cancelled) {
                    stretches.in_vain.push(wanted);
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
    let transaction = begun.unwrap_or(0);
    if let Some(wanted) = asked {
        stretches.asked.push(wanted);
        if !log.full {
            report.violations.push(Violation::Unanswered { worker, transaction });
        }
    } else if begun.is_some() && !log.full {
        report.violations.push(Violation::NeverEnded { worker, transaction });
    }
}
