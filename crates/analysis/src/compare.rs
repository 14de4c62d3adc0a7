//! Cells against their baselines, from pairs of trials of one block at one transfer level.
//!
//! A pair's two trials follow each other within a block, so that what drifts or flips more slowly than a block divides out of
//! their ratio.

use std::collections::BTreeMap;

use hitm_experiment::Manifest;
use hitm_experiment::compare::Baseline;
use statrs::distribution::{Binomial, DiscreteCDF};

use crate::flag;
use crate::interval::{self, CREDIBLE, estimate};
use crate::metric::{self, Better, Metric};
use crate::run::Run;
use crate::summary::{Comparison, Estimate, Flag, Verdict};
use crate::words::share_of;

/// The fewest pairs at the run's level that decide alone.
pub const ENOUGH_PAIRS: usize = 6;

/// The fewest pairs that a verdict may rest on.
pub const FEWEST_PAIRS: usize = 5;

/// An interval that holds one and reaches this far from it, as a factor, is too wide to say that nothing changed.
pub const WIDE: f64 = 1.25;

/// The metric that verdicts rest on: `time_per_op` where the manifest names none; `None` where it names one that is not there.
pub(crate) fn metric(manifest: &Manifest) -> Option<Metric> {
    match manifest.compare.metric.as_str() {
        "" => metric::named(manifest, "time_per_op"),
        name => metric::named(manifest, name),
    }
}

/// Whether values depended on each other so much that their interval is clearly wider for it.
pub(crate) fn drifted(estimate: &Estimate) -> bool {
    estimate.independent * 2 <= estimate.n
}

/// What an interval of the ratio to the baseline supports.
pub fn verdict(ratio: &Estimate, better: Better) -> Verdict {
    if ratio.n < FEWEST_PAIRS || ratio.coverage < CREDIBLE {
        return Verdict::TooFew;
    }
    match (ratio.low > 1.0, ratio.high < 1.0, better) {
        (true, _, Better::Lower) | (_, true, Better::Higher) => Verdict::Slower,
        (true, _, Better::Higher) | (_, true, Better::Lower) => Verdict::Faster,
        _ if ratio.low < 1.0 / WIDE || ratio.high > WIDE => Verdict::NotKnown,
        _ => Verdict::NoCredibleChange,
    }
}

/// One trial of a cell and one of its baseline, in one block at one level.
struct Pair {
    level: Option<usize>,
    ratio: f64,
    difference: f64,
}

/// The pairs of one comparison that decide.
pub(crate) struct Deciding {
    pub ratio: Estimate,
    pub difference: Estimate,
    /// Whether they are of more than one level.
    pub pooled: bool,
    /// The one level of them all.
    pub level: Option<usize>,
    pub difference_by_level: BTreeMap<String, Estimate>,
    /// Pairs without a ratio, because their baseline is 0.
    pub zeros: usize,
    /// The probability of so many ratios on one side of one, or more, where nothing differs: the sign test's, of as many values as they are
    /// worth independent ones. It agrees with the ratio's interval.
    pub p: f64,
}

/// Compares a cell with its baseline.
///
/// # Errors
/// Why there is nothing to compare, as the numbers of a flag `no-pairs`.
pub(crate) fn compare(run: &Run, metric: &Metric, cell: usize, baseline: usize) -> Result<Deciding, String> {
    let (all, zeros) = pairs(run, metric, cell, baseline)?;
    let here: Vec<&Pair> = all.iter().filter(|pair| pair.level == run.level).collect();
    let decide = if here.len() >= ENOUGH_PAIRS { here } else { all.iter().collect() };
    let level = decide[0].level;
    let pooled = decide.iter().any(|pair| pair.level != level);
    let nothing = || "no pair has a ratio".to_owned();
    let ratio = estimate(decide.iter().map(|pair| pair.ratio).collect(), "ratio").ok_or_else(nothing)?;
    let difference = estimate(decide.iter().map(|pair| pair.difference).collect(), &metric.unit);
    let mut difference_by_level = BTreeMap::new();
    for level in 0..run.levels.len() {
        let at = all.iter().filter(|pair| pair.level == Some(level)).map(|pair| pair.difference).collect();
        if let Some(estimate) = estimate(at, &metric.unit) {
            difference_by_level.insert(run.levels.name(level).to_owned(), estimate);
        }
    }
    let level = if pooled { None } else { level };
    let difference = difference.ok_or_else(nothing)?;
    let p = sign_test(decide.iter().map(|pair| pair.ratio), ratio.independent);
    Ok(Deciding { ratio, difference, pooled, level, difference_by_level, zeros, p })
}

/// The sign test of ratios against one, two-sided; `worth` is how many independent ones they are worth.
fn sign_test(ratios: impl Iterator<Item = f64>, worth: usize) -> f64 {
    let (mut above, mut below) = (0_usize, 0_usize);
    for ratio in ratios {
        above += usize::from(ratio > 1.0);
        below += usize::from(ratio < 1.0);
    }
    let all = above + below;
    if all == 0 || worth == 0 {
        return 1.0;
    }
    let worth = worth.min(all);
    let fewer = above.min(below) * worth / all;
    let binomial = Binomial::new(0.5, worth as u64);
    binomial.map_or(1.0, |binomial| (2.0 * binomial.cdf(fewer as u64)).min(1.0))
}

/// The pairs with a ratio, and how many there are besides whose baseline is 0.
fn pairs(run: &Run, metric: &Metric, cell: usize, baseline: usize) -> Result<(Vec<Pair>, usize), String> {
    let mut bases = run.counted(baseline).peekable();
    let (mut pairs, mut zeros, mut met, mut valued) = (Vec::new(), 0, 0, 0);
    for trial in run.counted(cell) {
        let place = |record: &hitm_experiment::Record| (record.repetition, record.pass);
        while bases.next_if(|base| place(base.record) < place(trial.record)).is_some() {}
        let Some(base) = bases.next_if(|base| place(base.record) == place(trial.record)) else { continue };
        met += 1;
        let (Ok(this), Ok(that)) = (run.value(metric, trial), run.value(metric, base)) else { continue };
        valued += 1;
        let together = !run.has_ping_pong || (trial.level.is_some() && trial.level == base.level);
        let (ratio, difference) = (this / that, this - that);
        if together && ratio.is_finite() && difference.is_finite() {
            pairs.push(Pair { level: trial.level, ratio, difference });
        } else if together && that == 0.0 {
            zeros += 1;
        }
    }
    if !pairs.is_empty() {
        return Ok((pairs, zeros));
    }
    let base = &run.manifest.cells[baseline].id;
    Err(match (met, valued) {
        (0, _) => format!("no repetition has a trial that counts of both it and {base}"),
        (_, 0) => format!("no trial that could be paired has {} of both it and {base}", metric.name),
        _ => format!(
            "none of {valued} pairs with {base} is at one known transfer level with a {} other than 0 in the baseline",
            metric.name
        ),
    })
}

/// The cells that have one baseline, each with it.
fn compared(run: &Run) -> impl Iterator<Item = (usize, usize)> {
    run.baselines.iter().enumerate().filter_map(|(cell, baseline)| match baseline {
        Baseline::Cell(baseline) => Some((cell, *baseline)),
        Baseline::None | Baseline::Itself | Baseline::Ambiguous(..) => None,
    })
}

/// All comparisons of a run, in the order of the cells, and what flags they raise of which cells.
pub(crate) fn comparisons(run: &Run) -> (Vec<Comparison>, Vec<(usize, Flag)>) {
    let (mut comparisons, mut flags) = (Vec::new(), Vec::new());
    let Some(metric) = metric(run.manifest) else { return (comparisons, flags) };
    for (cell, baseline) in compared(run) {
        let ids = (&run.manifest.cells[cell].id, &run.manifest.cells[baseline].id);
        match compare(run, &metric, cell, baseline) {
            Ok(deciding) => {
                let Estimate { n, independent, .. } = deciding.ratio;
                if deciding.pooled {
                    flags.push((cell, flag::LEVELS_MIXED.flag(format!("{n} pairs with {}", ids.1))));
                }
                if deciding.zeros > 0 {
                    let share = share_of(deciding.zeros, deciding.zeros + n, "pairs");
                    flags.push((cell, flag::ZERO_BASELINE.flag(format!("{share} with {}", ids.1))));
                }
                if drifted(&deciding.ratio) {
                    flags.push((
                        cell,
                        flag::DRIFTED.flag(format!("{n} pairs are worth {independent} independent ones")),
                    ));
                }
                comparisons.push(Comparison {
                    cell: ids.0.clone(),
                    baseline: ids.1.clone(),
                    metric: metric.name.to_string(),
                    pairs: deciding.ratio.n,
                    level: deciding.level.map(|level| run.levels.name(level).to_owned()),
                    verdict: verdict(&deciding.ratio, metric.better),
                    difference_by_level: deciding.difference_by_level,
                    ratio: deciding.ratio,
                    difference: deciding.difference,
                });
            }
            Err(why) => {
                flags.push((cell, flag::NO_PAIRS.flag(why)));
            }
        }
    }
    (comparisons, flags)
}

/// How precisely a run knows what decides when it stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// The largest relative half width of the intervals there are; `None` before there is one of two values.
    pub worst: Option<f64>,
    /// How many intervals decide: the ratio of every cell that has a baseline; without any, every cell's median.
    pub deciding: usize,
    /// How many of them are as narrow as asked, with as many repetitions as asked at least.
    pub settled: usize,
}

impl Precision {
    /// Whether all that decides is settled.
    pub fn reached(&self) -> bool {
        self.deciding > 0 && self.settled == self.deciding
    }
}

pub(crate) fn precision(run: &Run) -> Precision {
    let metric = metric(run.manifest);
    let deciding: Vec<Option<Estimate>> = if compared(run).next().is_some() {
        let ratio = |(cell, baseline)| Some(compare(run, metric.as_ref()?, cell, baseline).ok()?.ratio);
        compared(run).map(ratio).collect()
    } else {
        let median = |cell: usize| {
            let metric = metric.as_ref()?;
            let trials = run.counted(cell).filter(|trial| run.at_level(trial));
            estimate(trials.filter_map(|trial| run.value(metric, trial).ok()).collect(), "")
        };
        (0..run.manifest.cells.len()).map(median).collect()
    };
    let measure = &run.manifest.measure;
    let mut precision = Precision { worst: None, deciding: deciding.len(), settled: 0 };
    for estimate in deciding.iter().flatten().filter(|estimate| estimate.n >= 2) {
        let Some(width) = interval::relative_half_width(estimate) else { continue };
        precision.worst = Some(precision.worst.map_or(width, |worst| worst.max(width)));
        let enough = estimate.n >= measure.min_repetitions as usize && estimate.coverage >= CREDIBLE;
        precision.settled += usize::from(enough && width <= measure.precision);
    }
    precision
}
