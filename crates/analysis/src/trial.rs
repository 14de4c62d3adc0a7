//! One trial: how far its workers ran together, how fast, and what disturbed it.
//!
//! A trial's value rests on its joint stretches: the i-th stretch of every worker belong together, and in them no worker was
//! interrupted. Only where there are none, or hardly any, does the whole trial count, and then it says so.

use std::collections::HashMap;

use hitm_experiment::record::{Record, Verification, WorkerRecord};
use hitm_experiment::{Manifest, manifest::ClockInfo};

use crate::flag::{self, Definition};
use crate::level;
use crate::metric::Absent;
use crate::summary::Flag;
use crate::words::percent;

/// The least share of a trial that must be joint for its value to rest on the joint stretches.
pub const LEAST_JOINT: f64 = 0.05;

/// Two readings of one core's clock that differ by more than this share are different clocks.
pub const CLOCK_CHANGE: f64 = 0.03;

/// A reading of a PU's clock that is this share away from the run's median on that PU is far from it.
pub const CLOCK_FAR: f64 = 0.10;

/// The share of the trial's duration by which a worker may begin late.
pub const LATE: f64 = 0.01;

/// Voluntary context switches of a worker that does not block: thread start-up and the start line may cost one each.
pub const FEW_VOLUNTARY: u64 = 2;

/// The share of the trial's wall time in which all workers ran undisturbed together, 0 to 1. `None` without workers or time.
///
/// Joint time is the sum over the stretches of (earliest end − latest start); wall time goes from the first worker's start to the
/// last one's end. A worker alone is joint with itself.
pub fn overlap(record: &Record) -> Option<f64> {
    let first = record.workers.iter().map(|worker| worker.start_ticks).min()?;
    let last = record.workers.iter().map(|worker| worker.end_ticks).max()?;
    let wall = last.checked_sub(first).filter(|&wall| wall > 0)?;
    let Some(count) = joint_stretches(record) else { return Some(0.0) };
    let mut joint = 0.0;
    for i in 0..count {
        let start = record.workers.iter().map(|worker| worker.stretches[i].start_ticks).max()?;
        let end = record.workers.iter().map(|worker| worker.stretches[i].end_ticks).min()?;
        joint += end.saturating_sub(start) as f64;
    }
    Some((joint / wall as f64).min(1.0))
}

/// How many stretches the workers share; `None` where they have none, or (a record not of our making) not the same number.
fn joint_stretches(record: &Record) -> Option<usize> {
    let count = record.workers.first()?.stretches.len();
    (count > 0 && record.workers.iter().all(|worker| worker.stretches.len() == count)).then_some(count)
}

/// How fast the workers of a trial were, operations per tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// How many workers.
    pub workers: usize,
    /// The sum of their rates.
    pub sum: f64,
    /// The sum of the squares of their rates.
    pub squares: f64,
    /// Whether these are rates over the whole trial rather than over its joint stretches.
    pub whole: bool,
}

/// The workers' rates: operations over ticks, each summed over the joint stretches; or, where these are less than [`LEAST_JOINT`] of
/// the trial, operations over the time from the first start to the last end of the workers that did any.
///
/// # Errors
/// [`Absent`] where there is no worker, or one without any time.
pub fn rates(record: &Record) -> Result<Rates, Absent> {
    rates_of(record, overlap(record))
}

/// The rates of a trial whose [`overlap`] is known.
pub(crate) fn rates_of(record: &Record, overlap: Option<f64>) -> Result<Rates, Absent> {
    let stretched = |worker: &WorkerRecord| {
        worker.stretches.iter().fold((0.0, 0.0), |(operations, ticks), stretch| {
            let length = stretch.end_ticks.saturating_sub(stretch.start_ticks);
            (operations + stretch.operations as f64, ticks + length as f64)
        })
    };
    if overlap.is_some_and(|joint| joint >= LEAST_JOINT) {
        let joint = sum_rates(record, false, stretched);
        if joint.is_ok() {
            return joint;
        }
    }
    // Workers that share a PU take turns, and one whose turn came after the deadline did nothing: all are held against the time in
    // which any of them worked.
    let any = record.workers.iter().any(|worker| worker.operations > 0);
    let worked = || record.workers.iter().filter(|worker| !any || worker.operations > 0);
    let first = worked().map(|worker| worker.start_ticks).min().unwrap_or(0);
    let last = worked().map(|worker| worker.end_ticks).max().unwrap_or(0);
    let wall = last.saturating_sub(first) as f64;
    sum_rates(record, true, |worker| (worker.operations as f64, wall))
}

fn sum_rates(record: &Record, whole: bool, of: impl Fn(&WorkerRecord) -> (f64, f64)) -> Result<Rates, Absent> {
    if record.workers.is_empty() {
        return Err(Absent::NoWorkers);
    }
    let mut rates = Rates { workers: record.workers.len(), sum: 0.0, squares: 0.0, whole };
    for worker in &record.workers {
        let (operations, ticks) = of(worker);
        if ticks <= 0.0 {
            return Err(Absent::NoTime);
        }
        let rate = operations / ticks;
        rates.sum += rate;
        rates.squares += rate * rate;
    }
    Ok(rates)
}

/// What disturbed a trial, as far as it tells alone: its level against the run's and its clock against the run's median need the
/// run, and are in the flags of [`crate::summarize`].
pub fn flags(record: &Record, manifest: &Manifest) -> Vec<Flag> {
    let found = found(record, manifest, &Look::alone(record, &manifest.clock));
    let has = |definition: &&Definition| found & definition.bit() != 0;
    flag::TABLE.iter().filter(has).map(|definition| definition.flag(numbers(definition, record, manifest))).collect()
}

/// What the flags of a trial follow from besides its record.
pub(crate) struct Look<'a> {
    pub overlap: Option<f64>,
    /// Whether its rates are those of the whole trial.
    pub whole: bool,
    pub level_changed: bool,
    /// The median of the calibration loop's ticks in the run on each PU.
    pub calibration: Option<&'a HashMap<u32, f64>>,
}

impl Look<'_> {
    fn alone(record: &Record, clock: &ClockInfo) -> Self {
        let witnesses = level::witness_ns(&record.before, clock).zip(level::witness_ns(&record.after, clock));
        Look {
            overlap: overlap(record),
            whole: rates(record).is_ok_and(|rates| rates.whole),
            level_changed: witnesses.is_some_and(|(before, after)| level::apart(before, after)),
            calibration: None,
        }
    }
}

/// The flags of a trial as a set of [`Definition::bit`]s.
pub(crate) fn found(record: &Record, manifest: &Manifest, look: &Look) -> u64 {
    let mut set = 0;
    let mut raise = |when: bool, definition: &Definition| {
        if when {
            set |= definition.bit();
        }
    };
    let oversubscribed = manifest.cells.get(record.cell).is_some_and(|cell| cell.placement.oversubscribed);
    raise(oversubscribed, &flag::OVERSUBSCRIBED);
    let little = look.overlap.is_none_or(|overlap| overlap < manifest.measure.overlap);
    raise(!oversubscribed && little, &flag::LITTLE_OVERLAP);
    raise(look.whole, &flag::WHOLE_TRIAL);
    let any = |of: &dyn Fn(&WorkerRecord) -> bool| record.workers.iter().any(of);
    raise(any(&|worker| worker.interruptions > 0), &flag::INTERRUPTED);
    raise(any(&|worker| worker.involuntary_switches.unwrap_or(0) > 0), &flag::SWITCHED);
    raise(any(&moved), &flag::MOVED);
    raise(any(&|worker| !worker.pinned), &flag::UNPINNED);
    let (before, after) = (&record.before, &record.after);
    raise(grew(before.steal_ticks, after.steal_ticks) > 0, &flag::STOLEN);
    raise(grew(before.throttled_periods, after.throttled_periods) > 0, &flag::THROTTLED);
    raise(look.level_changed, &flag::LEVEL_CHANGED);
    raise(any(&|worker| clock_changed(worker, look.calibration)), &flag::CLOCK_CHANGED);
    raise(skew_share(record, manifest) > LATE, &flag::LATE_START);
    raise(matches!(record.verification, Verification::Wrong { .. }), &flag::WRONG);
    raise(any(&|worker| worker.voluntary_switches.unwrap_or(0) > FEW_VOLUNTARY), &flag::BLOCKED);
    raise(any(&multiplexed), &flag::MULTIPLEXED);
    let first = record.workers.first().map_or("", |worker| worker.pmu.as_str());
    raise(any(&|worker| worker.pmu != first), &flag::MIXED_PMUS);
    set
}

/// Whether an event of this worker had a counter for only part of the time.
fn multiplexed(worker: &WorkerRecord) -> bool {
    worker.events.values().any(|count| count.running_ns > 0 && count.running_ns < count.enabled_ns)
}

/// Whether a set of flags holds one that disturbs. More workers than PUs leave no joint stretch by their nature.
pub(crate) fn disturbed(set: u64) -> bool {
    let expected = if set & flag::OVERSUBSCRIBED.bit() == 0 { 0 } else { flag::WHOLE_TRIAL.bit() };
    flag::TABLE.iter().any(|definition| definition.disturbs && set & !expected & definition.bit() != 0)
}

fn grew(before: Option<u64>, after: Option<u64>) -> u64 {
    before.zip(after).map_or(0, |(before, after)| after.saturating_sub(before))
}

fn moved(worker: &WorkerRecord) -> bool {
    [worker.pu_at_start, worker.pu_at_end].into_iter().flatten().any(|pu| pu != worker.pu)
}

fn clock_changed(worker: &WorkerRecord, calibration: Option<&HashMap<u32, f64>>) -> bool {
    let readings = [worker.calibration_before_ticks as f64, worker.calibration_after_ticks as f64];
    if readings.contains(&0.0) {
        return false;
    }
    let off = |reading: f64, from: f64| (reading / from - 1.0).abs();
    let usual = calibration.and_then(|calibration| calibration.get(&worker.pu));
    off(readings[1], readings[0]) > CLOCK_CHANGE
        || usual.is_some_and(|&usual| readings.iter().any(|&reading| off(reading, usual) > CLOCK_FAR))
}

/// The latest worker's start as a share of the trial's duration.
fn skew_share(record: &Record, manifest: &Manifest) -> f64 {
    let latest = record.workers.iter().map(|worker| worker.start_ticks).max().unwrap_or(0);
    let share = latest as f64 * (1e9 / manifest.clock.hz) / manifest.measure.duration_ns as f64;
    if share.is_finite() { share } else { 0.0 }
}

/// A flag's numbers in one trial.
fn numbers(definition: &Definition, record: &Record, manifest: &Manifest) -> String {
    let clock = &manifest.clock;
    let sum = |of: fn(&WorkerRecord) -> u64| record.workers.iter().map(|worker| u128::from(of(worker))).sum::<u128>();
    let count = |of: fn(&WorkerRecord) -> bool| record.workers.iter().filter(|worker| of(worker)).count();
    let workers = record.workers.len();
    match definition.name {
        "little-overlap" => {
            let overlap = overlap(record).map_or("no time at all".to_owned(), percent);
            format!("{overlap}, {} asked", percent(manifest.measure.overlap))
        }
        "interrupted" => format!("{} times", sum(|worker| worker.interruptions)),
        "switched" => format!("{} times", sum(|worker| worker.involuntary_switches.unwrap_or(0))),
        "blocked" => format!("{} times", sum(|worker| worker.voluntary_switches.unwrap_or(0))),
        "moved" => format!("{} of {workers} workers", count(moved)),
        "unpinned" => format!("{} of {workers} workers", count(|worker| !worker.pinned)),
        "stolen" => format!("{} clock ticks", grew(record.before.steal_ticks, record.after.steal_ticks)),
        "throttled" => format!("{} periods", grew(record.before.throttled_periods, record.after.throttled_periods)),
        "level-changed" => {
            let of =
                |witness| level::witness_ns(witness, clock).map_or("unknown".to_owned(), |ns| format!("{ns:.0} ns"));
            format!("{} before, {} after", of(&record.before), of(&record.after))
        }
        "clock-changed" => {
            let worst = record.workers.iter().map(|worker| {
                let (before, after) = (worker.calibration_before_ticks, worker.calibration_after_ticks);
                if before == 0 { 0.0 } else { (after as f64 / before as f64 - 1.0).abs() }
            });
            percent(worst.fold(0.0, f64::max))
        }
        "multiplexed" => format!("{} of {workers} workers", count(multiplexed)),
        "late-start" => format!("{} of the duration", percent(skew_share(record, manifest))),
        "oversubscribed" => format!("{workers} workers"),
        "wrong" => match &record.verification {
            Verification::Wrong { what } => what.clone(),
            _ => String::new(),
        },
        _ => String::new(),
    }
}
