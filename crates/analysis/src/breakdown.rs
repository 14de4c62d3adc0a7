//! Where the time of a cell's workers went, for kernels that part it.
//!
//! The tallies of form ticks are parts of a worker's time that do not overlap. A part's share is its ticks over those between the
//! workers' first and last operation, of all workers of a trial together; what the parts leave is [`OTHER`]. Shares are of time and not of
//! operations, so they are there too where no operation ended.

use hitm_experiment::manifest::TallyForm;
use hitm_experiment::record::Record;

use crate::interval::estimate;
use crate::run::{Run, Trial};
use crate::summary::TimePart;

/// What no tally tells of.
pub const OTHER: &str = "other";

/// What [`OTHER`] is.
pub const OTHER_MEANING: &str = "what these leave: the loop around them, and being ready without a PU between them";

/// The parts of the workers' time in a cell's trials, in the order of the manifest and [`OTHER`] last; empty where none is told.
pub(crate) fn parts(run: &Run, trials: &[&Trial]) -> Vec<TimePart> {
    let names: Vec<&str> = run
        .manifest
        .tallies
        .iter()
        .filter(|tally| tally.form == TallyForm::Ticks)
        .map(|tally| tally.name.as_str())
        .collect();
    let shares: Vec<Vec<Option<f64>>> = trials.iter().filter_map(|trial| shares(trial.record, &names)).collect();
    let part = |(index, name): (usize, &str)| {
        let values: Vec<f64> = shares.iter().filter_map(|trial| trial[index]).collect();
        Some(TimePart { name: name.to_owned(), share: estimate(values, "share")? })
    };
    names.into_iter().chain([OTHER]).enumerate().filter_map(part).collect()
}

/// The share of each part in a trial, and of what they leave; `None` where no part is told.
fn shares(record: &Record, names: &[&str]) -> Option<Vec<Option<f64>>> {
    let workers = &record.workers;
    let whole: f64 = workers.iter().map(|worker| worker.end_ticks.saturating_sub(worker.start_ticks) as f64).sum();
    let share = |name: &&str| {
        let ticks: Option<f64> = workers.iter().map(|worker| worker.tallies.get(*name).map(|&t| t as f64)).sum();
        ticks.map(|ticks| ticks / whole).filter(|share| share.is_finite())
    };
    let mut shares: Vec<Option<f64>> = names.iter().map(share).collect();
    let told: Vec<f64> = shares.iter().flatten().copied().collect();
    if told.is_empty() {
        return None;
    }
    let sum: f64 = told.iter().sum();
    if sum > 1.0 {
        // Parts that end a little after the last operation are still parts of one whole.
        shares.iter_mut().flatten().for_each(|share| *share /= sum);
    }
    shares.push(Some((1.0 - sum).max(0.0)));
    Some(shares)
}
