//! What the workers of `locking/transaction` tell of their transactions.

use hdrhistogram::Histogram as Hdr;
use hitm_experiment::manifest::TallyForm::{self, Count, Histogram, Most, Ticks};
use hitm_locks::Counts;

use super::manager::Tells;
use crate::contract::Notes;
use crate::registry::Tally;

const fn tally(name: &'static str, form: TallyForm, meaning: &'static str) -> Tally {
    Tally { name, meaning, form, more_is_better: false }
}

/// All of them. Those of form ticks part a worker's time among them; what they leave is the drawing of keys and the loop.
pub const TALLIES: &[Tally] = &[
    tally("working", Ticks, "own work and thinking of transactions that committed"),
    tally(
        "locking",
        Ticks,
        "calls of the lock manager that did not wait, of transactions that committed; all of its calls where it tells no waits",
    ),
    tally("waiting", Ticks, "calls that were granted after waiting, of transactions that committed"),
    tally("deadlocked", Ticks, "attempts that ended by a deadlock, all of their time"),
    tally("timed_out", Ticks, "attempts that ended by the lock-wait timeout, all of their time"),
    tally("cut_off", Ticks, "attempts that the trial's end cut off, all of their time"),
    tally("attempts", Count, "transactions begun"),
    tally("locks", Count, "calls of lock"),
    tally("waits_granted", Count, "locks granted after waiting"),
    tally("deadlocks", Count, "attempts that ended by a deadlock, found or assumed"),
    tally("timeouts", Count, "attempts that ended by the lock-wait timeout"),
    tally("cancelled", Count, "waits that the trial's end cut off"),
    tally("wake_ups", Count, "times that a waiting worker was woken"),
    tally("wake_ups_in_vain", Count, "wake-ups after which the lock could not be had"),
    tally("retries_for_others", Count, "attempts at locks for others that wait, while releasing"),
    tally("graph_steps", Count, "transactions looked at in search of a deadlock"),
    tally("overtaken_waits", Count, "waits that a later conflicting request was granted before"),
    tally("overtaken_most", Most, "how often the worst wait was overtaken"),
    tally("wait", Histogram, "each wait for a lock, however it ended"),
    tally("hold", Histogram, "from a transaction's first lock to its end"),
    tally("latency", Histogram, "from a transaction's first attempt to its commit"),
];

/// How a transaction's attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Committed,
    Deadlock,
    TimedOut,
    CutOff,
}

/// Ticks of one attempt.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spent {
    pub(super) working: u64,
    pub(super) locking: u64,
    pub(super) waiting: u64,
}

/// One worker's account.
pub(super) struct Account {
    ticks: [u64; 6],
    attempts: u64,
    deadlocks: u64,
    timeouts: u64,
    cancelled: u64,
    wait: Hdr<u64>,
    hold: Hdr<u64>,
    latency: Hdr<u64>,
}

/// A histogram to two significant digits, of any number of ticks.
fn histogram() -> Hdr<u64> {
    Hdr::new(2).expect("two digits are permitted")
}

/// Records ticks. The histogram grows with them; hdrhistogram's saturating kind of recording would cut them off at the size it has.
fn record(histogram: &mut Hdr<u64>, ticks: u64) {
    if histogram.record(ticks).is_err() {
        // There is no memory to grow by: the largest that has room stands for it.
        histogram.saturating_record(ticks);
    }
}

impl Account {
    pub(super) fn new() -> Self {
        Account {
            ticks: [0; 6],
            attempts: 0,
            deadlocks: 0,
            timeouts: 0,
            cancelled: 0,
            wait: histogram(),
            hold: histogram(),
            latency: histogram(),
        }
    }

    pub(super) fn attempt(&mut self, spent: Spent, end: End) {
        self.attempts += 1;
        let all = spent.working + spent.locking + spent.waiting;
        match end {
            End::Committed => {
                for (sum, ticks) in self.ticks.iter_mut().zip([spent.working, spent.locking, spent.waiting]) {
                    *sum += ticks;
                }
            }
            End::Deadlock => {
                self.deadlocks += 1;
                self.ticks[3] += all;
            }
            End::TimedOut => {
                self.timeouts += 1;
                self.ticks[4] += all;
            }
            End::CutOff => {
                self.cancelled += 1;
                self.ticks[5] += all;
            }
        }
    }

    pub(super) fn waited(&mut self, ticks: u64) {
        record(&mut self.wait, ticks);
    }

    pub(super) fn held(&mut self, ticks: u64) {
        record(&mut self.hold, ticks);
    }

    pub(super) fn committed_after(&mut self, ticks: u64) {
        record(&mut self.latency, ticks);
    }

    /// Tells all and begins anew; `counts` is what the manager counted meanwhile.
    pub(super) fn take(&mut self, counts: Counts, timed: bool, tells: Tells) -> Notes {
        let [working, locking, waiting, deadlocked, timed_out, cut_off] = self.ticks;
        let mut tallies = vec![
            ("attempts", self.attempts),
            ("locks", counts.requests),
            ("deadlocks", self.deadlocks),
            ("timeouts", self.timeouts),
            ("cancelled", self.cancelled),
        ];
        if tells >= Tells::Waits {
            tallies.extend([
                ("waits_granted", counts.after_waiting),
                ("wake_ups", counts.wake_ups),
                ("wake_ups_in_vain", counts.wake_ups_in_vain),
            ]);
        }
        if tells == Tells::All {
            tallies.extend([
                ("retries_for_others", counts.retries_for_others),
                ("graph_steps", counts.graph_steps),
                ("overtaken_waits", counts.overtaken_waits),
                ("overtaken_most", counts.overtaken_most),
            ]);
        }
        let mut histograms = Vec::new();
        if timed {
            tallies.extend([
                ("working", working),
                ("locking", locking),
                ("deadlocked", deadlocked),
                ("timed_out", timed_out),
                ("cut_off", cut_off),
            ]);
            let waits = tells >= Tells::Waits;
            tallies.extend(waits.then_some(("waiting", waiting)));
            let wait = waits.then_some(("wait", &self.wait));
            let named = wait.into_iter().chain([("hold", &self.hold), ("latency", &self.latency)]);
            histograms.extend(named.map(|(name, hdr)| {
                (
                    name,
                    hdr.iter_recorded()
                        .map(|step| [step.value_iterated_to(), step.count_since_last_iteration()])
                        .collect(),
                )
            }));
        }
        *self = Account::new();
        Notes { tallies, histograms }
    }
}
