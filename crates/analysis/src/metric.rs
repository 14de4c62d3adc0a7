//! The metrics: what each is, its unit, its formula, and which direction is better. One table.

use std::borrow::Cow;
use std::fmt;

use hitm_experiment::Manifest;
use hitm_experiment::manifest::TallyForm;
use hitm_experiment::record::Record;

use crate::explain::is_beside;
use crate::interval;
use crate::trial::Rates;

mod event;
mod tally;

pub use event::LEAST_RUNNING;
pub(crate) use event::ms;
pub use tally::of_tally;

/// Which direction of a metric is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
}

/// One metric.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Its name in definitions, JSON and tables.
    pub name: Cow<'static, str>,
    /// Its unit.
    pub unit: Cow<'static, str>,
    /// How it follows from a record, in words.
    pub formula: Cow<'static, str>,
    /// Which direction is better.
    pub better: Better,
    /// What it is made of.
    pub of: Of,
}

/// What a metric is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Of {
    /// The workers' rates: nanoseconds per worker and operation.
    Time,
    /// The workers' rates: operations per second of all together, shared out to the cores they run on.
    ThroughputPerCore,
    /// The workers' rates: operations per second of all together.
    Throughput,
    /// Time and the calibration loop.
    EstimatedCycles,
    /// The workers' rates: ticks of the run's clock per worker and operation.
    ReferenceTicks,
    /// The calibration loop.
    CoreClock,
    /// The workers' rates against each other.
    Fairness,
    /// The CPU time that the workers used.
    Cpu,
    /// The time that the workers could have run and had no PU.
    RunDelay,
    /// What the kernel tallied.
    Tally {
        /// Its name.
        name: String,
        /// What is told of it.
        form: TallyForm,
    },
    /// What took how long within the operations.
    Quantile {
        /// The tally's name.
        name: String,
        /// The share of all that took at most so long, in per cent; 100 for the longest.
        percent: u8,
    },
    /// A counted event.
    Event {
        /// Its name.
        name: String,
        /// Whether its count is scaled up from the share of the time that it ran.
        scaled: bool,
    },
    /// A counted event of the operating system, as a rate of time.
    Rate {
        /// Its name.
        name: String,
    },
}

/// Why a trial has no value of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Absent {
    /// It was not counted in this trial's pass.
    NotInPass,
    /// How many cores the workers run on is not known.
    NoCores,
    /// The record holds no worker.
    NoWorkers,
    /// A worker has no time between its start and its end.
    NoTime,
    /// No operation was done.
    NoOperation,
    /// The frequency of the run's clock is not a number above 0.
    NoClock,
    /// The calibration loop's time is missing.
    NoCalibration,
    /// How many cycles a step of the calibration loop takes is not known.
    UnknownCyclesPerStep,
    /// The number is too large to be written.
    TooLarge,
    /// The operating system does not tell.
    NotTold,
    /// The kernel does not tell.
    NotTallied,
    /// It never happened.
    NeverHappened,
    /// The event counted all the time, so nothing is scaled.
    NotScaled,
    /// The event shared a counter and ran only part of the time.
    Multiplexed,
    /// The event was enabled but never ran.
    NeverRan,
    /// It shared a counter and had it for less than [`LEAST_RUNNING`] of the time.
    RanTooLittle,
    /// A worker could not count the event; its record says why.
    NotCounted,
    /// The record's times of the event contradict each other: it ran longer than it was enabled, was enabled longer than the trial took,
    /// or counted without running.
    Contradicts,
    /// The event counted more than anything can in the time that it ran.
    TooFast,
}

impl fmt::Display for Absent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Absent::NotInPass => "no trial that counts had it in its counting pass",
            Absent::NoCores => "the manifest does not tell on how many cores its workers run",
            Absent::NoWorkers => "the record holds no worker",
            Absent::NoTime => "a worker has no time between its start and its end",
            Absent::NoOperation => "no operation was done",
            Absent::NoClock => "the frequency of the run's clock is not known",
            Absent::NoCalibration => "the calibration loop was not timed",
            Absent::UnknownCyclesPerStep => {
                "the cycles of a step of the calibration loop are not known on this machine"
            }
            Absent::NotTold => "the operating system keeps no such account of threads",
            Absent::NotTallied => "its kernel does not tell it",
            Absent::NeverHappened => "it never happened, so that it took no time",
            Absent::TooLarge => "the number is too large to be written",
            Absent::NotScaled => "the event counted all the time, so nothing is scaled",
            Absent::Multiplexed => {
                "it shared a counter and ran only part of the time, so there is only a scaled estimate"
            }
            Absent::NeverRan => "it was enabled but never ran",
            Absent::RanTooLittle => "it shared a counter and had it for less than 1 % of the time, too little to scale up",
            Absent::NotCounted => "a worker could not count it",
            Absent::Contradicts => {
                "its record contradicts itself: it ran longer than it was enabled, was enabled longer than the trial took, or counted \
                 without running"
            }
            Absent::TooFast => "its record says that it counted more than anything can in the time that it ran",
        })
    }
}

const fn fixed(name: &'static str, unit: &'static str, formula: &'static str, better: Better, of: Of) -> Metric {
    Metric { name: Cow::Borrowed(name), unit: Cow::Borrowed(unit), formula: Cow::Borrowed(formula), better, of }
}

/// The metrics that need no event. A worker's rate is its operations over its time in the joint stretches of the trial.
pub const TABLE: [Metric; 9] = [
    fixed("time_per_op", "ns", "workers / Σ rates, per worker and operation", Better::Lower, Of::Time),
    fixed("throughput", "op/s", "Σ rates of all workers", Better::Higher, Of::Throughput),
    fixed(
        "throughput_per_core",
        "op/s",
        "throughput / cores that the workers run on",
        Better::Higher,
        Of::ThroughputPerCore,
    ),
    fixed(
        "cycles_per_op_estimated",
        "cycles (estimated)",
        "time_per_op × core_clock",
        Better::Lower,
        Of::EstimatedCycles,
    ),
    fixed(
        "reference_ticks_per_op",
        "ticks",
        "time_per_op in ticks of the run's clock",
        Better::Lower,
        Of::ReferenceTicks,
    ),
    fixed(
        "core_clock",
        "GHz (estimated)",
        "cycles of the calibration loop / its time, the median over workers, before and after",
        Better::Higher,
        Of::CoreClock,
    ),
    fixed("cpu_time_per_op", "ns", "Σ CPU time of the workers / Σ operations, whole trial", Better::Lower, Of::Cpu),
    fixed(
        "run_delay_per_op",
        "ns",
        "Σ time ready to run but without a PU / Σ operations, whole trial",
        Better::Lower,
        Of::RunDelay,
    ),
    fixed("fairness", "of 1", "(Σ rates)² / (workers × Σ rates²), Jain's index", Better::Higher, Of::Fairness),
];

/// All metrics of a run: those of [`TABLE`], `cycles_per_op`, and for each event asked for `<event>_per_op` and, named as such,
/// `<event>_per_op (scaled estimate)`; of what software counts also `<event>_per_ms`.
pub fn all(manifest: &Manifest) -> Vec<Metric> {
    let mut metrics = TABLE.to_vec();
    // Manifests of versions that did not tell.
    if manifest.cells.iter().all(|cell| cell.placement.cores.is_none()) {
        metrics.retain(|metric| metric.of != Of::ThroughputPerCore);
    }
    metrics.extend(manifest.tallies.iter().flat_map(of_tally));
    if !manifest.events.iter().any(|event| event.name == "cycles") {
        metrics.push(of_event("cycles", "cycles", false));
    }
    for info in &manifest.events {
        let unit = if info.unit.is_empty() { &info.name } else { &info.unit };
        metrics.push(of_event(&info.name, unit, false));
        metrics.push(of_event(&info.name, unit, true));
        if is_beside(info) {
            metrics.push(rate(&info.name, unit));
        }
    }
    metrics
}

/// The metric of that name in a run.
pub fn named(manifest: &Manifest, name: &str) -> Option<Metric> {
    all(manifest).into_iter().find(|metric| metric.name == name)
}

fn of_event(name: &str, unit: &str, scaled: bool) -> Metric {
    let (suffix, formula) = if scaled {
        (" (scaled estimate)", "Σ count × enabled / running over the workers / Σ operations")
    } else {
        ("", "Σ count over the workers / Σ operations, whole trial")
    };
    Metric {
        name: format!("{name}_per_op{suffix}").into(),
        unit: format!("{unit}{suffix}").into(),
        formula: formula.into(),
        better: Better::Lower,
        of: Of::Event { name: name.to_owned(), scaled },
    }
}

fn rate(name: &str, unit: &str) -> Metric {
    Metric {
        name: format!("{name}_per_ms").into(),
        unit: format!("{unit}/ms").into(),
        formula: "Σ count over the workers / Σ of their time, whole trial".into(),
        better: Better::Lower,
        of: Of::Rate { name: name.to_owned() },
    }
}

impl Metric {
    /// Its value in one trial with these rates ([`crate::trial::rates`]). Always finite.
    ///
    /// # Errors
    /// [`Absent`]: why there is none.
    pub fn value(&self, record: &Record, rates: Result<Rates, Absent>, manifest: &Manifest) -> Result<f64, Absent> {
        let value = match &self.of {
            Of::Time => ticks_per_op(rates?)? * tick_ns(manifest)?,
            Of::Throughput => throughput(rates, manifest)?,
            Of::ThroughputPerCore => {
                let cell = manifest.cells.get(record.cell);
                let cores = cell.and_then(|cell| cell.placement.cores).filter(|cores| *cores > 0);
                throughput(rates, manifest)? / cores.ok_or(Absent::NoCores)? as f64
            }
            Of::EstimatedCycles => ticks_per_op(rates?)? * tick_ns(manifest)? * core_clock(record, manifest)?,
            Of::ReferenceTicks => ticks_per_op(rates?)?,
            Of::CoreClock => core_clock(record, manifest)?,
            Of::Fairness => {
                let rates = moving(rates?)?;
                rates.sum * rates.sum / (rates.workers as f64 * rates.squares)
            }
            Of::Cpu => tally::scheduled(record, |worker| worker.cpu_ns)?,
            Of::RunDelay => tally::scheduled(record, |worker| worker.run_delay_ns)?,
            Of::Tally { name, form } => tally::value(name, *form, record, manifest)?,
            Of::Quantile { name, percent } => tally::quantile(name, *percent, record, manifest)?,
            Of::Event { name, scaled } => event::per_op(name, *scaled, record, manifest)?,
            Of::Rate { name } => event::per_ms(name, record, manifest)?,
        };
        if value.is_finite() { Ok(value) } else { Err(Absent::TooLarge) }
    }
}

/// The operations of all workers of a trial, above 0.
fn operations(record: &Record) -> Result<f64, Absent> {
    let operations: f64 = record.workers.iter().map(|worker| worker.operations as f64).sum();
    if operations > 0.0 { Ok(operations) } else { Err(Absent::NoOperation) }
}

fn moving(rates: Rates) -> Result<Rates, Absent> {
    if rates.sum > 0.0 { Ok(rates) } else { Err(Absent::NoOperation) }
}

fn ticks_per_op(rates: Rates) -> Result<f64, Absent> {
    let rates = moving(rates)?;
    Ok(rates.workers as f64 / rates.sum)
}

pub(crate) fn tick_ns(manifest: &Manifest) -> Result<f64, Absent> {
    let ns = 1e9 / manifest.clock.hz;
    if ns.is_finite() && ns > 0.0 { Ok(ns) } else { Err(Absent::NoClock) }
}

/// Operations per second of all workers together; 0 where all waited to the end.
fn throughput(rates: Result<Rates, Absent>, manifest: &Manifest) -> Result<f64, Absent> {
    Ok(rates?.sum / tick_ns(manifest)? * 1e9)
}

/// The core clock that a trial had, GHz.
fn core_clock(record: &Record, manifest: &Manifest) -> Result<f64, Absent> {
    let per_step = manifest.calibration.cycles_per_step.ok_or(Absent::UnknownCyclesPerStep)?;
    let cycles = manifest.calibration.steps as f64 * per_step;
    let timings = record.workers.iter().flat_map(|w| [w.calibration_before_ticks, w.calibration_after_ticks]);
    let ticks = interval::median(timings.filter(|&ticks| ticks > 0).map(|ticks| ticks as f64).collect());
    let clock = cycles / (ticks.ok_or(Absent::NoCalibration)? * tick_ns(manifest)?);
    if clock.is_finite() && clock > 0.0 { Ok(clock) } else { Err(Absent::NoCalibration) }
}
