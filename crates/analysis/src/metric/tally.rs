//! What the scheduler and the kernel themselves tell of operations.

use hitm_experiment::Manifest;
use hitm_experiment::manifest::{TallyForm, TallyInfo};
use hitm_experiment::record::{Record, WorkerRecord};

use super::{Absent, Better, Metric, Of, operations, tick_ns};

/// The shares of which quantiles are told, in per cent, with their names.
const QUANTILES: [(u8, &str); 3] = [(50, "p50"), (99, "p99"), (100, "max")];

/// The metrics of one tally: what happens or takes time by the operation, what is a maximum as it is, and of what is timed the median,
/// the 99th percentile and the longest.
pub fn of_tally(tally: &TallyInfo) -> Vec<Metric> {
    let better = if tally.more_is_better { Better::Higher } else { Better::Lower };
    let metric = |name: String, unit: &str, formula: String, of: Of| Metric {
        name: name.into(),
        unit: unit.to_owned().into(),
        formula: formula.into(),
        better,
        of,
    };
    let (name, meaning) = (&tally.name, &tally.meaning);
    let plain = || Of::Tally { name: name.clone(), form: tally.form };
    match tally.form {
        TallyForm::Count | TallyForm::Ticks => {
            let unit = if tally.form == TallyForm::Ticks { "ns" } else { name };
            vec![metric(
                format!("{name}_per_op"),
                unit,
                format!("{meaning}: Σ over the workers / Σ operations"),
                plain(),
            )]
        }
        TallyForm::Most => vec![metric(name.clone(), name, format!("{meaning}: the most of any worker"), plain())],
        TallyForm::Histogram => QUANTILES
            .iter()
            .map(|&(percent, suffix)| {
                let of = Of::Quantile { name: name.clone(), percent };
                metric(format!("{name}_{suffix}"), "ns", format!("{meaning}: {}", words(percent)), of)
            })
            .collect(),
    }
}

fn words(percent: u8) -> String {
    match percent {
        100 => "the longest, to 1 %".to_owned(),
        percent => format!("{percent} % of them take at most so long, to 1 %"),
    }
}

/// Nanoseconds of all workers by operation.
pub(super) fn scheduled(record: &Record, of: impl Fn(&WorkerRecord) -> Option<u64>) -> Result<f64, Absent> {
    let ns: Option<f64> = record.workers.iter().map(|worker| of(worker).map(|ns| ns as f64)).sum();
    Ok(ns.ok_or(Absent::NotTold)? / operations(record)?)
}

/// A tally of a trial.
pub(super) fn value(name: &str, form: TallyForm, record: &Record, manifest: &Manifest) -> Result<f64, Absent> {
    let told: Option<Vec<u64>> = record.workers.iter().map(|worker| worker.tallies.get(name).copied()).collect();
    let told = told.ok_or(Absent::NotTallied)?;
    let sum = told.iter().map(|&sum| sum as f64).sum::<f64>();
    match form {
        TallyForm::Most => told.iter().max().map(|&most| most as f64).ok_or(Absent::NoWorkers),
        TallyForm::Ticks => Ok(sum * tick_ns(manifest)? / operations(record)?),
        TallyForm::Count | TallyForm::Histogram => Ok(sum / operations(record)?),
    }
}

/// The least time within which so many per cent of a trial's spans lie, nanoseconds.
pub(super) fn quantile(name: &str, percent: u8, record: &Record, manifest: &Manifest) -> Result<f64, Absent> {
    let histogram = record.histograms.get(name).ok_or(Absent::NotTallied)?;
    let all: u128 = histogram.iter().map(|&[_, count]| u128::from(count)).sum();
    // The nearest-rank definition: the least value with at least that share at or below it.
    let rank = (all * u128::from(percent)).div_ceil(100).max(1);
    let mut seen = 0;
    let found = histogram.iter().find(|[_, count]| {
        seen += u128::from(*count);
        seen >= rank
    });
    Ok(found.ok_or(Absent::NeverHappened)?[0] as f64 * tick_ns(manifest)?)
}
