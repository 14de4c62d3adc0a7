//! Which counted event explains the time that cells lose against their baselines.
//!
//! Three looks at each event: how it rises with the time over cells, and within them over repetitions ([`correlate`]); what one
//! of it costs (`cost`); and how much of the losses that cost accounts for. The cost that is held against a comparison is
//! always that of the *others*: a line through one point explains it whatever it is. Intervals are those of repetitions drawn again
//! (`resample`); they hold what measuring leaves open, and not what other cells would show.
//!
//! What software counts is never an explanation of transfers: it is set beside, and says at most that workers were descheduled.

use serde::Serialize;

use crate::metric::Metric;
use crate::run::Run;
use crate::summary::{CellSummary, Estimate};

mod bound;
mod clock;
pub mod correlate;
mod cost;
mod event;
mod kind;
mod losses;
mod sentence;
mod verdict;
mod within;

use bound::Bound;
use losses::Losses;

pub use bound::MOST_TRANSFER_NS;
pub use cost::LEAST_SHARE;
pub use kind::is_beside;

/// The fewest comparisons that gained or lost time, each with an event rate of its own, that a share is worked out of.
pub const FEWEST_LOSSES: usize = 3;

/// Two event rates are different when the larger is at least so many times the smaller.
pub const DIFFERENT: f64 = 1.1;

/// An event explains the losses when its share is at least this, and the whole interval above zero.
pub const EXPLAINS: f64 = 0.5;

/// An event rises with another when Spearman's coefficient of the two over the cells is at least this.
pub const RISES_WITH: f64 = 0.8;

/// Which event explains the time lost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// In a sentence or two; empty where no event was counted that could explain anything, and nothing is shared that one could explain.
    pub sentence: String,
    /// The part of it that stands with the answer; empty where nothing was found that could explain it.
    pub short: String,
    /// What kind of answer that is.
    pub verdict: Explained,
    /// The event that explains it, or comes nearest; `None` where none can.
    pub event: Option<String>,
    /// Events that account for as much and rise with it: which of them costs the time is not told.
    pub rising_with_it: Vec<String>,
    /// Whether the run has no baseline, and its cells are held against the same with one worker.
    pub alone: bool,
    /// The cell that all others are held against where the run has neither a baseline nor cells with one worker: the fastest.
    pub fastest: Option<String>,
    /// Cells held against another.
    pub comparisons: usize,
    /// Those of them whose time credibly changed.
    pub changed: usize,
    /// Whether what is explained is time saved: with baselines that are the slow ones.
    pub saved: bool,
    /// The events asked for, in the order of the manifest.
    pub events: Vec<EventExplanation>,
}

/// What an explanation comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Explained {
    /// One event accounts for the most of it.
    Explained,
    /// Events were counted, and none accounts for half of it at a cost that can be.
    Unexplained,
    /// No cell is credibly slower than what it is held against.
    NothingLost,
    /// Too few cells or repetitions to tell.
    TooFew,
    /// No event was counted that could explain it.
    NothingCounted,
}

/// One event against the time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EventExplanation {
    /// Its name.
    pub name: String,
    /// Who counts it: `hardware`, `software`, `tracepoint` or `other`.
    pub kind: String,
    /// The part it plays, such as `transfer`; `unknown` of a code that nobody has described, empty where the manifest does not say.
    pub role: String,
    /// Whether it is a cause of lost time or only shows that time is lost.
    pub part: Part,
    /// Whether it can explain anything.
    pub standing: Standing,
    /// Why it cannot, why it was not counted, or why it has no share; empty where it has.
    pub why: String,
    /// Whether its counts are scaled estimates, since it shared a counter.
    pub scaled: bool,
    /// Spearman's coefficient of events per operation and time per operation over the cells' medians. Of what software counts it
    /// is events per time, here and below: what happens so often a second rises with the time whatever is the matter.
    pub over_cells: Option<Estimate>,
    /// Pearson's over the same points.
    pub over_cells_pearson: Option<Estimate>,
    /// Spearman's over repetitions: of ranks within each cell, so that what tells cells apart does not count.
    pub over_repetitions: Option<Estimate>,
    /// Pearson's over repetitions, of deviations from each cell's mean.
    pub over_repetitions_pearson: Option<Estimate>,
    /// What one event costs, nanoseconds of a worker's time.
    pub cost: Option<Estimate>,
    /// The same in `cycles` where they were counted, else in `cycles (estimated)`.
    pub cost_cycles: Option<Estimate>,
    /// Why its cost is more than one such event can cost; empty where it is not. Then it stands for something else that happens more
    /// often than it is counted.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub too_dear: String,
    /// The share of the loss that it accounts for, at most 1; below 0 where it misses.
    pub share: Option<Estimate>,
    /// What it leaves unexplained, nanoseconds per operation: the mean over the comparisons.
    pub residual: Option<Estimate>,
    /// Comparisons in which it was counted on both sides.
    pub comparisons: usize,
}

/// The part that an event plays where time is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// Something that takes time: a transfer, a conflict, a locked operation, an access to memory.
    Cause,
    /// What shows where time goes, and not why: stalled cycles, instructions.
    Symptom,
    /// Nobody has described it: a code as typed.
    Unknown,
    /// Time itself, the mode of a core, or what software counts.
    Neither,
}

/// Whether an event can explain a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// It may.
    Candidate,
    /// Software counts it: it says what the operating system did, and nothing of transfers.
    Beside,
    /// It is time by another name, counts like a clock, or tells the mode that a core was in.
    NoCause,
    /// It only ever read zero, and was never seen to move.
    UnverifiedZero,
    /// It only ever read zero, though it was seen to move when it was tried.
    Zero,
    /// It was not counted.
    Absent,
}

impl Explanation {
    /// Whether every number in it is finite.
    pub fn is_finite(&self) -> bool {
        self.events.iter().flat_map(EventExplanation::estimates).all(Estimate::is_finite)
    }

    /// The event of that name.
    pub fn of(&self, name: &str) -> Option<&EventExplanation> {
        self.events.iter().find(|event| event.name == name)
    }
}

impl EventExplanation {
    fn estimates(&self) -> impl Iterator<Item = &Estimate> {
        let correlations =
            [&self.over_cells, &self.over_cells_pearson, &self.over_repetitions, &self.over_repetitions_pearson];
        let others = [&self.cost, &self.cost_cycles, &self.share, &self.residual];
        correlations.into_iter().chain(others).flatten()
    }
}

/// Explains a run; `None` where it asks for no event.
pub(crate) fn explain(run: &Run, metrics: &[Metric], cells: &[CellSummary]) -> Option<Explanation> {
    if run.manifest.events.is_empty() {
        return None;
    }
    let losses = Losses::of(run, metrics);
    let bound = Bound::of(run, &losses, cells);
    let look = |info| event::look(run, &losses, metrics, cells, &bound, info);
    let events = run.manifest.events.iter().map(look).collect();
    Some(verdict::conclude(run, &losses, cells, events))
}
