//! One cell in numbers: its metrics with intervals, what is absent and why, and what to know before believing it.

use std::collections::{BTreeMap, BTreeSet};

use hitm_experiment::record::{Purpose, Record, Verification, WorkerRecord};

use crate::breakdown;
use crate::flag::{self, Definition};
use crate::interval::{self, estimate};
use crate::metric::{Absent, Metric, Of, ms, tick_ns};
use crate::run::{Run, Trial};
use crate::summary::{CellSummary, Estimate, Flag, PlacementSummary, TrialPoint};
use crate::trial;
use crate::words::{percent, quantity, share_of, significant};

/// Fewer repetitions than this give no interval of 95 %.
const FEW: usize = 6;

/// Sums up one cell. `moving` are the events seen other than zero anywhere in the run.
pub(crate) fn summarize(run: &Run, index: usize, metrics: &[Metric], moving: &BTreeSet<&str>) -> CellSummary {
    let cell = &run.manifest.cells[index];
    let counted: Vec<&Trial> = run.counted(index).collect();
    let here: Vec<&Trial> = counted.iter().copied().filter(|trial| run.at_level(trial)).collect();
    let (mut found, mut absent) = (BTreeMap::new(), BTreeMap::new());
    for metric in metrics {
        let mut why: Option<(Absent, &Record)> = None;
        let mut values = Vec::with_capacity(here.len());
        for trial in &here {
            match run.value(metric, trial) {
                Ok(value) => values.push(value),
                Err(reason) if why.is_none_or(|(known, _)| reason > known) => why = Some((reason, trial.record)),
                Err(_) => {}
            }
        }
        match estimate(values, &metric.unit) {
            Some(estimate) => {
                found.insert(metric.name.to_string(), estimate);
            }
            // That nothing was scaled needs no telling.
            None if matches!(metric.of, Of::Event { scaled: true, .. }) => {}
            None => {
                absent.insert(metric.name.to_string(), reason(run, index, metric, &counted, why));
            }
        }
    }
    let repetitions = |trials: &[&Trial]| trials.iter().map(|t| t.record.repetition).collect::<BTreeSet<_>>().len();
    let mut summary = CellSummary {
        id: cell.id.clone(),
        index,
        kernel: cell.kernel.clone(),
        operation: cell.operation.clone(),
        parameters: cell.parameters.clone(),
        placement: PlacementSummary { policy: cell.placement.policy.clone(), pus: cell.placement.pus.clone() },
        metrics: found,
        absent,
        time_by_level: time_by_level(run, &counted, &metrics[0]),
        breakdown: breakdown::parts(run, &here),
        observations: observations(run, index),
        repetitions: repetitions(&counted),
        repetitions_at_level: repetitions(&here),
        overlap: interval::median(counted.iter().filter_map(|trial| trial.overlap).collect()),
        verification: verification(run, index),
        trials: points(run, index, &metrics[0]),
        flags: Vec::new(),
    };
    let still = unverified_zeros(run, &summary, moving);
    summary.flags = flags(run, &summary, &counted, &still);
    for event in still {
        for metric in names_of(event) {
            if summary.metrics.remove(&metric).is_some() {
                summary.absent.insert(metric, UNVERIFIED_ZERO.to_owned());
            }
        }
    }
    summary
}

/// Why a metric of an event is absent of which 0 was counted, where nobody has seen it count anything.
pub const UNVERIFIED_ZERO: &str = "0 counted, and never seen to count here";

fn names_of(event: &str) -> [String; 3] {
    ["_per_op", "_per_op (scaled estimate)", "_per_ms"].map(|suffix| format!("{event}{suffix}"))
}

/// The events whose zeros here are not to be believed.
fn unverified_zeros<'r>(run: &'r Run, summary: &CellSummary, moving: &BTreeSet<&str>) -> Vec<&'r str> {
    let events = run.manifest.events.iter();
    let still = events.filter(|info| !moving.contains(info.name.as_str()) && info.moved != Some(true));
    let is_zero = |metric: &String| summary.metrics.get(metric).is_some_and(|metric| metric.median == 0.0);
    still.map(|info| info.name.as_str()).filter(|name| names_of(name).iter().any(is_zero)).collect()
}

/// Why a cell has no value of a metric.
fn reason(run: &Run, cell: usize, metric: &Metric, counted: &[&Trial], why: Option<(Absent, &Record)>) -> String {
    if let Of::Event { name, .. } | Of::Rate { name } = &metric.of {
        match run.manifest.events.iter().find(|info| info.name == *name) {
            None => return format!("the event `{name}` was not asked for"),
            Some(info) => {
                if let Some(unavailable) = &info.unavailable {
                    let cure = Some(&unavailable.cure).filter(|cure| !cure.is_empty());
                    return cure.map_or(unavailable.reason.clone(), |cure| format!("{}; {cure}", unavailable.reason));
                }
            }
        }
        if let Some((Absent::NotCounted, record)) = why {
            if let Some(text) = record.workers.iter().find_map(|worker| worker.absent.get(name)) {
                return text.clone();
            }
        }
    }
    let source = &run.manifest.calibration.source;
    match why {
        Some((Absent::UnknownCyclesPerStep, _)) if !source.is_empty() => {
            format!("{}: {source}", Absent::UnknownCyclesPerStep)
        }
        Some((reason, _)) => reason.to_string(),
        None => match (run.level, counted.len(), run.timing[cell].len()) {
            (_, 0, 0) => "it has no timing trial".to_owned(),
            (_, 0, trials) => format!("none of its {trials} timing trials counts"),
            (level, trials, _) => {
                let level = level.map_or("known", |level| run.levels.name(level));
                format!("none of its {trials} trials ran at level {level}")
            }
        },
    }
}

fn time_by_level(run: &Run, counted: &[&Trial], time: &Metric) -> BTreeMap<String, Estimate> {
    let at = |level| counted.iter().filter(move |trial| trial.level == Some(level));
    let estimate_at = |level| estimate(at(level).filter_map(|trial| run.value(time, trial).ok()).collect(), &time.unit);
    let levels = (0..run.levels.len()).filter_map(|level| Some((run.levels.name(level), estimate_at(level)?)));
    levels.map(|(name, estimate)| (name.to_owned(), estimate)).collect()
}

fn observations(run: &Run, cell: usize) -> BTreeMap<String, Estimate> {
    let mut shares: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for &i in &run.observing[cell] {
        for observation in run.trials[i].record.observations.iter().filter(|observation| observation.of > 0) {
            shares.entry(&observation.name).or_default().push(observation.count as f64 / observation.of as f64);
        }
    }
    let estimates = shares.into_iter().filter_map(|(name, shares)| Some((name, estimate(shares, "share")?)));
    estimates.map(|(name, estimate)| (name.to_owned(), estimate)).collect()
}

fn points(run: &Run, cell: usize, time: &Metric) -> Vec<TrialPoint> {
    let mut order = run.timing[cell].clone();
    order.sort_unstable_by_key(|&i| run.trials[i].record.trial);
    let point = |trial: &Trial| TrialPoint {
        counted: trial.counted,
        trial: trial.record.trial,
        repetition: trial.record.repetition,
        time_per_op: run.value(time, trial).ok(),
        level: trial.level.map(|level| run.levels.name(level).to_owned()),
        disturbed: trial::disturbed(trial.found),
    };
    order.into_iter().map(|i| point(&run.trials[i])).collect()
}

/// The worst of a cell's verifications, in words.
fn verification(run: &Run, cell: usize) -> String {
    let trials: Vec<&Trial> = best(run, cell).collect();
    let of = trials.len();
    let count = |is: fn(&Verification) -> bool| trials.iter().filter(|trial| is(&trial.record.verification)).count();
    let wrong = trials.iter().find_map(|trial| match &trial.record.verification {
        Verification::Wrong { what } => Some(what),
        _ => None,
    });
    let unverifiable = trials.iter().find_map(|trial| match &trial.record.verification {
        Verification::Unverifiable { why } => Some(why),
        _ => None,
    });
    if let Some(what) = wrong {
        let wrong = count(|verification| matches!(verification, Verification::Wrong { .. }));
        format!("wrong in {}: {what}", share_of(wrong, of, "trials"))
    } else if let Some((share, trials)) = lost(run, cell) {
        format!("lost {} of the updates, in {}", percent(share), share_of(trials, of, "trials"))
    } else if let Some(why) = unverifiable {
        format!("not verifiable: {why}")
    } else if of > 0 {
        format!("exact in all {of} trials")
    } else {
        String::new()
    }
}

/// The best attempts of a cell's timing trials, whether they count or are wrong.
fn best<'r, 'a>(run: &'r Run<'a>, cell: usize) -> impl Iterator<Item = &'r Trial<'a>> {
    run.timing[cell].iter().map(|&i| &run.trials[i]).filter(|trial| trial.best)
}

/// The share of updates lost, and in how many trials; `None` where no trial lost any.
fn lost(run: &Run, cell: usize) -> Option<(f64, usize)> {
    let (mut expected, mut missing, mut trials) = (0.0, 0.0, 0);
    for trial in best(run, cell).filter(|trial| trial.record.purpose == Purpose::Timing) {
        match &trial.record.verification {
            Verification::Lost { expected: all, found } => {
                expected += *all as f64;
                missing += all.saturating_sub(*found) as f64;
                trials += 1;
            }
            Verification::Exact => expected += trial.record.workers.iter().map(|w| w.operations as f64).sum::<f64>(),
            Verification::Wrong { .. } | Verification::Unverifiable { .. } => {}
        }
    }
    (trials > 0 && expected > 0.0).then_some((missing / expected, trials))
}

/// Cycles per operation below which the compiler is suspected: cores of today do a load, an add and a store to the same place in a
/// little less than one.
const TOO_FEW_CYCLES: f64 = 0.75;

/// The share of a cell's trials below which a flag of theirs says nothing about the cell: their median does not see it.
const RARE: f64 = 0.05;

fn flags(run: &Run, summary: &CellSummary, counted: &[&Trial], still: &[&str]) -> Vec<Flag> {
    let trials: Vec<&Trial> = best(run, summary.index).collect();
    let mut flags = Vec::new();
    let trial_flags = flag::TABLE.iter().take_while(|definition| definition.name != flag::FEW_REPETITIONS.name);
    for definition in trial_flags {
        let bit = definition.bit();
        let count = trials.iter().filter(|trial| trial.found & bit != 0).count();
        let grave = [flag::WRONG.name, flag::UNPINNED.name, flag::MOVED.name].contains(&definition.name);
        let least = if grave { 0.0 } else { RARE * trials.len() as f64 };
        if count > 0 && count as f64 >= least {
            flags.push(definition.flag(share(run, definition, count, &trials, summary)));
        }
    }
    if counted.is_empty() {
        flags.push(flag::NO_TRIALS.flag(format!("{} timing trials", summary.trials.len())));
        return flags;
    }
    let here = summary.repetitions_at_level;
    let asked = FEW.max(run.manifest.measure.min_repetitions as usize);
    if here == 0 {
        let level = run.level.map_or("one", |level| run.levels.name(level));
        flags.push(flag::NO_TRIAL_AT_LEVEL.flag(format!("0 of {} repetitions at {level}", summary.repetitions)));
    } else if here < asked {
        flags.push(flag::FEW_REPETITIONS.flag(format!("{here} repetitions, {asked} wanted")));
    }
    let idle = counted.iter().filter(|trial| trial.record.workers.iter().all(|worker| worker.operations == 0)).count();
    if idle > 0 {
        flags.push(flag::NOTHING_ENDED.flag(share_of(idle, counted.len(), "trials")));
    }
    if let Some((share, trials)) = lost(run, summary.index) {
        flags.push(flag::LOST_UPDATES.flag(format!("{} of the updates, in {trials} trials", percent(share))));
    }
    let cycles = ["cycles_per_op", "cycles_per_op_estimated"].iter().find_map(|name| summary.metrics.get(*name));
    if let Some(cycles) = cycles.filter(|cycles| cycles.median < TOO_FEW_CYCLES) {
        flags.push(flag::OPTIMISED_AWAY.flag(quantity(cycles)));
    }
    if !still.is_empty() {
        flags.push(
            flag::UNVERIFIED_ZERO.flag(still.iter().map(|event| format!("`{event}`")).collect::<Vec<_>>().join(", ")),
        );
    }
    flags
}

/// The share of a cell's trials that have a flag, with what more is worth telling.
fn share(run: &Run, definition: &Definition, count: usize, trials: &[&Trial], summary: &CellSummary) -> String {
    let share = share_of(count, trials.len(), "trials");
    let often = |of: fn(&WorkerRecord) -> u64| match often(run, trials, of) {
        Some(often) => format!("{share}, {often}"),
        None => share.clone(),
    };
    match (definition.name, summary.overlap) {
        (name, Some(overlap)) if name == flag::LITTLE_OVERLAP.name => {
            format!("{share}, the median overlap is {}", percent(overlap))
        }
        (name, _) if name == flag::UNPINNED.name => {
            let mut reasons =
                trials.iter().flat_map(|trial| &trial.record.workers).map(|worker| worker.unpinned.as_str());
            let why = reasons.find(|why| !why.is_empty()).unwrap_or_default();
            if why.is_empty() { share.clone() } else { format!("{share} ({})", why.replace(": ", ", ")) }
        }
        (name, _) if name == flag::INTERRUPTED.name => often(|worker| worker.interruptions),
        (name, _) if name == flag::SWITCHED.name => often(|worker| worker.involuntary_switches.unwrap_or(0)),
        (name, _) if name == flag::BLOCKED.name => often(|worker| worker.voluntary_switches.unwrap_or(0)),
        _ => share.clone(),
    }
}

/// How often something happened to a worker over a cell's trials, per millisecond; `None` where the clock tells no time.
fn often(run: &Run, trials: &[&Trial], of: fn(&WorkerRecord) -> u64) -> Option<String> {
    let tick_ns = tick_ns(run.manifest).ok()?;
    let times = trials.iter().flat_map(|trial| &trial.record.workers).map(|worker| of(worker) as f64).sum::<f64>();
    let rate = times / trials.iter().map(|trial| ms(trial.record, tick_ns)).sum::<f64>();
    rate.is_finite().then(|| format!("{} times a ms of a worker", significant(rate)))
}
