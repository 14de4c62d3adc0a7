//! What a run says: its cells in numbers with intervals, what they cost against their baselines, and how far to trust it.
//!
//! These types are also the JSON that `hitm show --json` prints (`docs/json.md`); every number in them is finite.

use std::collections::BTreeMap;

use hitm_experiment::Parameters;
use hitm_experiment::manifest::Stopped;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::explain::Explanation;

/// What a whole run says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The experiment's name.
    pub name: String,
    /// The question as asked.
    pub question: String,
    /// The answer in one or two sentences, from the comparisons; what is missing where there is none.
    pub answer: String,
    /// The cells, in the order of the manifest.
    pub cells: Vec<CellSummary>,
    /// Each cell against its baseline, in the order of the cells.
    pub comparisons: Vec<Comparison>,
    /// What share of a baseline's operation the part is that `compare.share_of` asks of; empty where it asks of none.
    pub shares: Vec<Share>,
    /// The transfer levels that held, fastest first; one where the ping-pong never changed, none where there was none.
    pub levels: Vec<Level>,
    /// The level that absolute numbers are quoted at: that of most trials. `None` where there is no ping-pong.
    pub level: Option<String>,
    /// The measured size of the unit that cores hand over; `None` where the run does not show it.
    pub granule: Option<Granule>,
    /// Which counted event explains the time lost; `None` where the run asks for no event.
    pub explanation: Option<Explanation>,
    /// Trials read, observation trials and re-runs included.
    pub trials: u64,
    /// Flags of the whole run.
    pub flags: Vec<Flag>,
    /// Why the last session stopped; `None` when it was killed.
    pub stopped: Option<Stopped>,
    /// The precision reached: the largest relative half width of those that decide when a run stops; `None` before there is one.
    pub precision: Option<f64>,
}

/// One cell.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CellSummary {
    /// The cell's id in the manifest.
    pub id: String,
    /// Its index there.
    pub index: usize,
    /// Its kernel's name.
    pub kernel: String,
    /// What it counts as one operation.
    pub operation: String,
    /// All its parameters.
    pub parameters: Parameters,
    /// Where its workers ran.
    pub placement: PlacementSummary,
    /// Its metrics by name, at the run's level.
    pub metrics: BTreeMap<String, Estimate>,
    /// The metrics that it has none of, each with the reason.
    pub absent: BTreeMap<String, String>,
    /// `time_per_op` at each transfer level that held while it ran.
    pub time_by_level: BTreeMap<String, Estimate>,
    /// Where its workers' time went, in parts that make up the whole; empty where its kernel does not part it.
    pub breakdown: Vec<TimePart>,
    /// What was seen in the values drawn, by name: the share, over its observation trials.
    pub observations: BTreeMap<String, Estimate>,
    /// Repetitions whose timing trial counts, at any level.
    pub repetitions: usize,
    /// Repetitions at the run's level.
    pub repetitions_at_level: usize,
    /// The share of the trials' time in which all workers ran undisturbed together: the median over its trials; `None` without trials.
    pub overlap: Option<f64>,
    /// The worst of its trials' verifications, in words; empty without trials.
    pub verification: String,
    /// One value of `time_per_op` a timing trial, re-runs included, for strips and timelines, in the order of the trials.
    pub trials: Vec<TrialPoint>,
    /// What to know before believing it.
    pub flags: Vec<Flag>,
}

/// A part of workers' time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimePart {
    /// The tally that tells it, or [`OTHER`](crate::breakdown::OTHER).
    pub name: String,
    /// Its share of the time of all workers of a trial.
    pub share: Estimate,
}

/// Where a cell's workers ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlacementSummary {
    /// The policy.
    pub policy: String,
    /// The PU of each worker, by OS index.
    pub pus: Vec<u32>,
}

/// One timing trial as a point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrialPoint {
    /// Whether its value counts: of the attempts at one repetition only the best does, and none whose verification is wrong.
    pub counted: bool,
    /// The trial's number.
    pub trial: u64,
    /// Its repetition.
    pub repetition: u32,
    /// `time_per_op` in nanoseconds; `None` where it did no operation.
    pub time_per_op: Option<f64>,
    /// The transfer level that held; `None` where unknown or changing.
    pub level: Option<String>,
    /// Whether something disturbed it.
    pub disturbed: bool,
}

/// A median with its interval. As JSON the interval's ends are null where there is none.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// The median.
    pub median: f64,
    /// The interval's lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// The unit of all three.
    pub unit: String,
    /// How many values it is the median of.
    pub n: usize,
    /// How many independent values they are worth, at most `n`: fewer where the machine drifted meanwhile. The interval is as wide as
    /// so many make it.
    pub independent: usize,
    /// The interval's coverage, such as 0.97: with few values it is less than the 0.95 aimed at. 0 where there is no interval; its ends
    /// are then the median.
    pub coverage: f64,
}

impl Serialize for Estimate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let end = |end: f64| (self.coverage > 0.0).then_some(end);
        let mut estimate = serializer.serialize_struct("Estimate", 7)?;
        estimate.serialize_field("median", &self.median)?;
        estimate.serialize_field("low", &end(self.low))?;
        estimate.serialize_field("high", &end(self.high))?;
        estimate.serialize_field("unit", &self.unit)?;
        estimate.serialize_field("n", &self.n)?;
        estimate.serialize_field("independent", &self.independent)?;
        estimate.serialize_field("coverage", &self.coverage)?;
        estimate.end()
    }
}

/// The measured size of the unit that cores hand over.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Granule {
    /// The smallest distance measured at which two counters do not share a unit, bytes: its size, if distances were measured close
    /// enough.
    pub bytes: u64,
    /// The largest distance measured at which they do, bytes.
    pub above: u64,
    /// What counters at that distance still cost more than far apart, where that is credible and gone at twice the distance: the
    /// adjacent-line prefetcher. `None` where nothing is left.
    pub adjacent: Option<Estimate>,
    /// The line size that the machine tells, bytes, or that was assumed where it tells none.
    pub told: u64,
    /// Where that is from.
    pub told_by: String,
    /// Whether the line size told lies where the measurement puts it.
    pub agrees: bool,
    /// The cell that shows it best: the smallest distance.
    pub cell: String,
}

/// A cell against its baseline, from pairs taken in one block at one transfer level.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The cell's id.
    pub cell: String,
    /// The baseline's id.
    pub baseline: String,
    /// The metric compared.
    pub metric: String,
    /// The cell's metric over its baseline's.
    pub ratio: Estimate,
    /// The cell's metric less its baseline's, in the metric's unit.
    pub difference: Estimate,
    /// The same difference at each level that held.
    pub difference_by_level: BTreeMap<String, Estimate>,
    /// Pairs used.
    pub pairs: usize,
    /// The transfer level of all these pairs; `None` where they are pooled over levels, or where there is no ping-pong.
    pub level: Option<String>,
    /// What the interval supports.
    pub verdict: Verdict,
}

/// What share of a cell's operation a part of it is, from pairs taken in one block at one transfer level.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Share {
    /// The cell's id.
    pub cell: String,
    /// The id of the cell in which the part stands alone: with the least value of `compare.share_of`, and all else the same.
    pub part: String,
    /// The part's time over the cell's, unit `share`.
    pub share: Estimate,
    /// Pairs used.
    pub pairs: usize,
    /// The transfer level of all these pairs; `None` where they are pooled over levels, or where there is no ping-pong.
    pub level: Option<String>,
}

/// What an interval supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The whole interval is on the better side.
    Faster,
    /// The whole interval is on the worse side.
    Slower,
    /// The interval holds one: nothing may be called a change.
    NoCredibleChange,
    /// The interval holds one and much else: it may be a change or none.
    NotKnown,
    /// There are too few pairs to say.
    TooFew,
}

/// One level of the witness pair's ping-pong.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Level {
    /// `near`, `middle`, `far`, or `one` where there is just one.
    pub name: String,
    /// The round trip, nanoseconds, over the witnesses at this level.
    pub round_trip: Estimate,
    /// The share of timing trials at this level.
    pub share: f64,
}

/// Something to know before believing a number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Flag {
    /// Its name, such as `disturbed` or `few-repetitions`.
    pub name: String,
    /// What it means here, with its numbers, one sentence.
    pub meaning: String,
}

impl Summary {
    /// Whether every number in it is finite, as it must be.
    pub fn is_finite(&self) -> bool {
        let of_cells = self.cells.iter().all(CellSummary::is_finite);
        let of_comparisons = self.comparisons.iter().all(|comparison| {
            let estimates = [&comparison.ratio, &comparison.difference].into_iter();
            estimates.chain(comparison.difference_by_level.values()).all(Estimate::is_finite)
        });
        let of_shares = self.shares.iter().all(|share| share.share.is_finite());
        let of_levels = self.levels.iter().all(|level| level.round_trip.is_finite() && level.share.is_finite());
        let explained = self.explanation.as_ref().is_none_or(Explanation::is_finite);
        of_cells && of_comparisons && of_shares && of_levels && explained && self.precision.is_none_or(f64::is_finite)
    }
}

impl CellSummary {
    fn is_finite(&self) -> bool {
        let estimates = self.metrics.values().chain(self.time_by_level.values()).chain(self.observations.values());
        let parts = self.breakdown.iter().map(|part| &part.share);
        let points = self.trials.iter().filter_map(|point| point.time_per_op);
        estimates.chain(parts).all(Estimate::is_finite) && points.chain(self.overlap).all(f64::is_finite)
    }
}

impl Estimate {
    pub(crate) fn is_finite(&self) -> bool {
        [self.median, self.low, self.high, self.coverage].into_iter().all(f64::is_finite)
    }
}
