//! What the workers of one trial did: integers as read, nothing derived. One JSON line a trial.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One trial: one kernel, one placement, one deadline, all workers together.
///
/// Ticks are those of the run's clock ([`crate::manifest::ClockInfo`]). `start_ticks`, `end_ticks` and all stretches count from
/// the trial's shared start, so that a worker's `start_ticks` is its skew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The trial's number in the run, from 0, in the order of ending.
    pub trial: u64,
    /// Index of the cell in [`crate::Manifest::cells`].
    pub cell: usize,
    /// The repetition, from 0: the block this trial belongs to.
    pub repetition: u32,
    /// 0 for the first try of this repetition, 1 for a re-run because the first was disturbed, and so on.
    pub attempt: u32,
    /// Whether this trial timed operations or only looked at the values they give.
    pub purpose: Purpose,
    /// Which counting pass of the run's events this trial made, from 0.
    pub pass: u32,
    /// How many trials of other cells ran at the same time, as the experiment asks.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub beside: u32,
    /// Wall-clock time at the trial's beginning, milliseconds since the Unix epoch.
    pub started_unix_ms: u64,
    /// Wall-clock time that the whole trial took of the budget, witnesses included, nanoseconds; its share of it for one that ran
    /// beside others.
    pub took_ns: u64,
    /// What was seen just before the trial.
    pub before: Witness,
    /// What was seen just after it.
    pub after: Witness,
    /// What each worker did; the index is the worker.
    pub workers: Vec<WorkerRecord>,
    /// The arena's state held to the work done.
    pub verification: Verification,
    /// What was seen in the values drawn; empty for trials that time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observations: Vec<Observation>,
    /// How long what the kernel times within its operations took, over all workers, by the tally's name
    /// ([`crate::manifest::TallyInfo`]).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub histograms: BTreeMap<String, Histogram>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// How often something took how long: `[ticks, count]`, the ticks rising. A count is of all that took at most its ticks and more than
/// those of the one before; its ticks are at most 1 % above the longest of them.
pub type Histogram = Vec<[u64; 2]>;

/// What a trial was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// It timed operations; its values are not kept.
    Timing,
    /// It kept the values that the workers drew together; its times are not to be used.
    Observation,
}

/// The machine around one trial, looked at from outside the timed stretch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Witness {
    /// Round trips between the run's witness pair; `None` where the machine offers no two PUs.
    pub ping_pong: Option<PingPong>,
    /// Time stolen by the hypervisor from the trial's PUs since boot, in clock ticks of the kernel (`/proc/stat`).
    pub steal_ticks: Option<u64>,
    /// Periods in which the process's cgroup was throttled since its making.
    pub throttled_periods: Option<u64>,
}

/// Timed round trips of one line between two PUs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PingPong {
    /// The two PUs, by OS index.
    pub pus: [u32; 2],
    /// Round trips in each chunk.
    pub round_trips: u64,
    /// Ticks that each chunk took.
    pub chunks: Vec<u64>,
}

/// What one worker did in one trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerRecord {
    /// The PU this worker was placed on, by OS index.
    pub pu: u32,
    /// Whether it was pinned there, read back from the kernel.
    pub pinned: bool,
    /// Why it was not; empty where it was.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unpinned: String,
    /// The PU it ran on when it started; `None` where the OS does not tell.
    pub pu_at_start: Option<u32>,
    /// The PU it ran on when it ended.
    pub pu_at_end: Option<u32>,
    /// Ticks from the shared start to this worker's first operation.
    pub start_ticks: u64,
    /// Ticks from the shared start to the end of its last batch.
    pub end_ticks: u64,
    /// Operations done in between.
    pub operations: u64,
    /// A value that depends on all its operations, as 16 hexadecimal digits.
    pub checksum: String,
    /// The stretches in which no worker of the trial was interrupted, in order; those of all workers of a trial have
    /// the same number and belong together by index. Empty when there are none.
    pub stretches: Vec<Stretch>,
    /// Batches of this worker that took so long that something else must have run meanwhile.
    pub interruptions: u64,
    /// Ticks that these batches took.
    pub interrupted_ticks: u64,
    /// Context switches this thread asked for (it blocked), from `getrusage`; `None` where the OS does not tell.
    pub voluntary_switches: Option<u64>,
    /// Context switches forced on it.
    pub involuntary_switches: Option<u64>,
    /// CPU time that this thread used in the timed stretch, nanoseconds (`CLOCK_THREAD_CPUTIME_ID`); `None` where the OS does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<u64>,
    /// Time in that stretch for which it could have run and had no PU, nanoseconds (the second number of its `schedstat`); `None` where
    /// the OS does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_delay_ns: Option<u64>,
    /// What the kernel tallied of its operations in the timed stretch, by name ([`crate::manifest::TallyInfo`]).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tallies: BTreeMap<String, u64>,
    /// Ticks that the calibration loop took just before the trial (the least of a few tries).
    pub calibration_before_ticks: u64,
    /// The same just after it.
    pub calibration_after_ticks: u64,
    /// The PMU of the core it was placed on, where the machine has cores of several kinds, whose counts may mean different things.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pmu: String,
    /// What was counted, by event name.
    #[serde(default)]
    pub events: BTreeMap<String, EventCount>,
    /// Events of this pass that could not be counted by this worker, each with its reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub absent: BTreeMap<String, String>,
}

/// A piece of a trial, between two looks at the clock, with the operations done in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[u64; 3]", into = "[u64; 3]")]
pub struct Stretch {
    /// Ticks from the shared start to its beginning.
    pub start_ticks: u64,
    /// Ticks from the shared start to its end.
    pub end_ticks: u64,
    /// Operations done in it.
    pub operations: u64,
}

impl From<[u64; 3]> for Stretch {
    fn from([start_ticks, end_ticks, operations]: [u64; 3]) -> Self {
        Stretch { start_ticks, end_ticks, operations }
    }
}

impl From<Stretch> for [u64; 3] {
    fn from(stretch: Stretch) -> Self {
        [stretch.start_ticks, stretch.end_ticks, stretch.operations]
    }
}

/// One event as the kernel gave it over one trial: never scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventCount {
    /// The count.
    pub value: u64,
    /// Nanoseconds for which the event was enabled.
    pub enabled_ns: u64,
    /// Nanoseconds for which it really counted; less than enabled when it shared a counter, 0 when it never ran.
    pub running_ns: u64,
}

/// What became of holding the arena's state to the operations done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case")]
pub enum Verification {
    /// The state is what the operations must leave.
    Exact,
    /// Racing workers lost updates, as this kernel's parameters allow.
    Lost {
        /// The updates made.
        expected: u64,
        /// The updates that the state still holds.
        found: u64,
    },
    /// The state is not what the operations must leave, and nothing permits that: the trial is not to be believed.
    Wrong {
        /// What was expected and what was found.
        what: String,
    },
    /// There is no state that could be held to the work, and why.
    Unverifiable {
        /// Why.
        why: String,
    },
}

impl Verification {
    /// Holds a count to what it must be, for a kernel that may lose nothing; `what` is counted, such as `updates`.
    pub fn of(what: &str, expected: u64, found: u64) -> Self {
        if expected == found {
            Verification::Exact
        } else {
            Verification::Wrong { what: format!("{expected} {what} were made, and the state holds {found}") }
        }
    }
}

/// Something counted in the values that the workers drew together: `count` out of `of`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// What was counted, such as `drawn-by-several-workers`.
    pub name: String,
    /// How many.
    pub count: u64,
    /// Out of how many.
    pub of: u64,
}
