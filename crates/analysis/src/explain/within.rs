//! How an event rises with the time from repetition to repetition, within cells: what tells the cells apart does not count.
//!
//! Pearson's is that of deviations from each cell's means, pooled (J. M. Bland, D. G. Altman, "Calculating correlation
//! coefficients with repeated observations: part 1, correlation within subjects", BMJ 310 (1995)). For Spearman's the deviations are of ranks within
//! each cell, over the cell's number of trials, so that no cell counts for more because it is slower.

use super::correlate::{Both, FEWEST_POINTS, Sums, ranks};
use super::losses::{Losses, at_level};
use crate::interval::median;
use crate::resample::Batches;
use crate::run::Run;

/// One trial's event rate and time, as deviations within its cell.
struct Deviation {
    repetition: u32,
    raw: (f64, f64),
    rank: (f64, f64),
}

/// Both coefficients over repetitions, with intervals from batches of repetitions drawn again. None below [`FEWEST_POINTS`] trials more than
/// there are cells.
pub(super) fn over_repetitions(run: &Run, losses: &Losses, events: &[f64], seed: u64) -> Both {
    let nothing = Both { spearman: None, pearson: None };
    let (mut deviations, mut cells, mut series) = (Vec::new(), 0, Vec::new());
    for cell in 0..run.manifest.cells.len() {
        let has = |i: &usize| events[*i].is_finite() && losses.times[*i].is_finite();
        let trials: Vec<usize> = at_level(run, cell).filter(has).collect();
        if trials.len() < 2 {
            continue;
        }
        cells += 1;
        of_cell(run, losses, events, &trials, &mut deviations);
        let usual = median(trials.iter().map(|&i| losses.times[i]).collect()).filter(|usual| *usual > 0.0);
        series.extend(
            usual.iter().flat_map(|usual| {
                trials.iter().map(move |&i| (run.trials[i].record.repetition, losses.times[i] / usual))
            }),
        );
    }
    if deviations.len() < cells + FEWEST_POINTS {
        return nothing;
    }
    let batches = Batches::of(&by_repetition(series));
    if batches.number == 0 {
        return nothing;
    }
    // Squares of the largest numbers there are would not be finite.
    let largest = |of: fn(&Deviation) -> f64| deviations.iter().map(|d| of(d).abs()).fold(f64::MIN_POSITIVE, f64::max);
    let (x, y) = (largest(|d| d.raw.0), largest(|d| d.raw.1));
    let (mut raw, mut rank) = (vec![Sums::default(); batches.number], vec![Sums::default(); batches.number]);
    for deviation in &deviations {
        let Some(batch) = batches.batch(deviation.repetition) else { continue };
        raw[batch] = raw[batch].with((deviation.raw.0 / x, deviation.raw.1 / y));
        rank[batch] = rank[batch].with(deviation.rank);
    }
    let of = |sums: &[Sums], times: &[u32]| {
        let sum = |all: Sums, (of, times): (&Sums, &u32)| all.plus(of, f64::from(*times));
        sums.iter().zip(times).fold(Sums::default(), sum).coefficient()
    };
    let [spearman, pearson] = batches.estimates(seed, 1, |times| [of(&rank, times), of(&raw, times)]);
    let n = deviations.len();
    Both { spearman: spearman.map(|s| s.estimate("", n)), pearson: pearson.map(|p| p.estimate("", n)) }
}

fn of_cell(run: &Run, losses: &Losses, events: &[f64], trials: &[usize], into: &mut Vec<Deviation>) {
    let n = trials.len() as f64;
    let column = |of: &[f64]| trials.iter().map(|&i| of[i]).collect::<Vec<f64>>();
    let (x, y) = (column(events), column(&losses.times));
    let mean = |of: &[f64]| of.iter().map(|value| value / n).sum::<f64>();
    let (x_mean, y_mean) = (mean(&x), mean(&y));
    // A mean of equal values may miss them by a rounding, which is no variation.
    let from = |value: f64, mean: f64| {
        let off = value - mean;
        if off.abs() <= mean.abs() * 1e-12 { 0.0 } else { off }
    };
    let middle = (n + 1.0) / 2.0;
    let (x_ranks, y_ranks) = (ranks(x.clone()), ranks(y.clone()));
    for (place, &i) in trials.iter().enumerate() {
        into.push(Deviation {
            repetition: run.trials[i].record.repetition,
            raw: (from(x[place], x_mean), from(y[place], y_mean)),
            rank: ((x_ranks[place] - middle) / n, (y_ranks[place] - middle) / n),
        });
    }
}

/// One value a repetition, in order: the median of its values.
pub(super) fn by_repetition(mut values: Vec<(u32, f64)>) -> Vec<(u32, f64)> {
    values.sort_by_key(|(repetition, _)| *repetition);
    let same = values.chunk_by(|a, b| a.0 == b.0);
    same.filter_map(|chunk| Some((chunk[0].0, median(chunk.iter().map(|(_, value)| *value).collect())?))).collect()
}
