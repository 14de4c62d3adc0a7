//! Run against run: the cells that both have, before and after a change, or on one machine and on another.
//!
//! Trials of two runs are no pairs: what the machine did meanwhile is in their ratio. So the interval of a ratio of medians is that of
//! both runs' repetitions drawn again, each run's by itself ([`mod@unpaired`]). Verdicts are adjusted for the number of cells (S. Holm, "A
//! simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979)).

use std::collections::BTreeMap;

use hitm_experiment::compare::Baseline;
use hitm_experiment::{Manifest, Parameters, Record};
use serde::Serialize;

use crate::compare::{compare, verdict};
use crate::interval::{AIM, estimate};
use crate::metric::{self, Better, Metric};
use crate::run::Run;
use crate::summary::{Estimate, Verdict};

mod differences;
pub mod unpaired;

use differences::differences;
use unpaired::{Ratio, Values};

/// A run to be compared.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// What it is called, such as its folder.
    pub name: &'a str,
    /// What it was.
    pub manifest: &'a Manifest,
    /// What it measured.
    pub records: &'a [Record],
}

/// One cell in both runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CellAcross {
    /// The cell's id in the first run.
    pub cell: String,
    /// Its parameters that vary in either run.
    pub parameters: Parameters,
    /// The metric in the first run.
    pub before: Estimate,
    /// The metric in the second.
    pub after: Estimate,
    /// The second's median over the first's; `None` where the first's is 0.
    pub ratio: Option<Estimate>,
    /// The probability of so large a ratio where nothing changed, adjusted for the number of cells; `None` where there is no interval.
    pub p: Option<f64>,
    /// What the interval supports, and the adjusted probability.
    pub verdict: Verdict,
}

/// Two runs held against each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Across {
    /// The first run.
    pub before: String,
    /// The second.
    pub after: String,
    /// The metric compared.
    pub metric: String,
    /// Whether more of it is better.
    pub more_is_better: bool,
    /// Whether the values were taken in pairs: cells of one run against a baseline among them.
    pub paired: bool,
    /// The cells that both have, in the first run's order.
    pub cells: Vec<CellAcross>,
    /// Cells that only the first has, or has a value of.
    pub only_before: Vec<String>,
    /// Cells that only the second has, or has a value of.
    pub only_after: Vec<String>,
    /// The geometric mean of the ratios of the common cells; `None` without any.
    pub geometric_mean: Option<Estimate>,
    /// What else differs than what is compared: a warning each.
    pub differs: Vec<String>,
}

/// Why runs cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incomparable {
    /// The metric is none of the first run's.
    NoMetric(String),
    /// No cell of the one is in the other.
    NothingInCommon,
    /// Of one run: no cell has a baseline. How many have more than one, which says too little.
    NoBaseline {
        /// Cells with several.
        ambiguous: usize,
    },
}

/// The level below which an adjusted probability is called credible.
const LEVEL: f64 = 1.0 - AIM;

/// Holds the second run against the first. `metric` is the first run's own where `None`; `seed` fixes what is drawn.
///
/// # Errors
/// When there is no such metric, or no cell with a value in both.
pub fn across(before: Side, after: Side, metric: Option<&str>, seed: u64) -> Result<Across, Incomparable> {
    let metric = asked(before.manifest, metric)?;
    let sides = [before, after].map(|side| Measured::of(&side, &metric));
    let pairs = matched([before.manifest, after.manifest]);
    let (mut cells, mut ratios) = (Vec::new(), Vec::new());
    let mut common: [Vec<usize>; 2] = Default::default();
    for (one, other) in pairs {
        let (Some(first), Some(second)) = (&sides[0].values[one], &sides[1].values[other]) else { continue };
        common[0].push(one);
        common[1].push(other);
        let estimates = [first, second].map(|values| estimate(values.in_order(), &metric.unit));
        let [Some(before_estimate), Some(after_estimate)] = estimates else { continue };
        let ratio = Ratio::of(first, second, seed);
        cells.push(CellAcross {
            cell: before.manifest.cells[one].id.clone(),
            parameters: varied([before.manifest, after.manifest], one, other),
            before: before_estimate,
            after: after_estimate,
            verdict: ratio.as_ref().map_or(Verdict::NotKnown, |ratio| verdict(&ratio.estimate, metric.better)),
            p: ratio.as_ref().and_then(Ratio::p),
            ratio: ratio.as_ref().map(|ratio| ratio.estimate.clone()),
        });
        ratios.push(ratio);
    }
    if cells.is_empty() {
        return Err(Incomparable::NothingInCommon);
    }
    adjust(&mut cells);
    let rest = |side: &Side, common: &[usize]| -> Vec<String> {
        let all = side.manifest.cells.iter().enumerate().filter(|(index, _)| !common.contains(index));
        all.map(|(_, cell)| cell.id.clone()).collect()
    };
    Ok(Across {
        before: before.name.to_owned(),
        after: after.name.to_owned(),
        metric: metric.name.to_string(),
        more_is_better: metric.better == Better::Higher,
        paired: false,
        only_before: rest(&before, &common[0]),
        only_after: rest(&after, &common[1]),
        geometric_mean: unpaired::geometric_mean(ratios.iter().flatten()),
        differs: differences(before.manifest, after.manifest, sides.map(|side| side.round_trip)),
        cells,
    })
}

/// Holds the cells of one run against a baseline among them, in pairs of trials from one block: its own, or the cells with these
/// parameters.
///
/// # Errors
/// When there is no such metric, or no cell with a baseline.
pub fn within(side: Side, baseline: Option<&Parameters>, metric: Option<&str>) -> Result<Across, Incomparable> {
    let mut manifest = side.manifest.clone();
    if let Some(baseline) = baseline {
        manifest.compare.baseline = baseline.clone();
    }
    let metric = asked(&manifest, metric)?;
    let run = Run::read(&manifest, side.records);
    let value = |cell: usize| {
        let here = run.counted(cell).filter(|trial| run.at_level(trial));
        estimate(here.filter_map(|trial| run.value(&metric, trial).ok()).collect(), &metric.unit)
    };
    let (mut cells, mut without) = (Vec::new(), Vec::new());
    let mut ambiguous = 0;
    for (index, found) in run.baselines.iter().enumerate() {
        let base = match found {
            Baseline::Cell(base) => *base,
            Baseline::Itself => continue,
            Baseline::Ambiguous(..) | Baseline::None => {
                ambiguous += usize::from(matches!(found, Baseline::Ambiguous(..)));
                without.push(manifest.cells[index].id.clone());
                continue;
            }
        };
        let deciding = compare(&run, &metric, index, base);
        let (Some(before), Some(after), Ok(deciding)) = (value(base), value(index), deciding) else {
            without.push(manifest.cells[index].id.clone());
            continue;
        };
        cells.push(CellAcross {
            cell: manifest.cells[index].id.clone(),
            parameters: varied([&manifest, &manifest], index, index),
            before,
            after,
            p: Some(deciding.p),
            verdict: verdict(&deciding.ratio, metric.better),
            ratio: Some(deciding.ratio),
        });
    }
    if cells.is_empty() {
        return Err(Incomparable::NoBaseline { ambiguous });
    }
    adjust(&mut cells);
    let words = manifest.compare.baseline.iter().map(|(name, value)| format!("{name}={value}"));
    Ok(Across {
        before: words.collect::<Vec<_>>().join(", "),
        after: side.name.to_owned(),
        metric: metric.name.to_string(),
        more_is_better: metric.better == Better::Higher,
        paired: true,
        geometric_mean: unpaired::geometric_mean_of(cells.iter().filter_map(|cell| cell.ratio.as_ref())),
        cells,
        only_before: Vec::new(),
        only_after: without,
        differs: Vec::new(),
    })
}

/// The metric of that name; the run's own where none is named.
fn asked(manifest: &Manifest, name: Option<&str>) -> Result<Metric, Incomparable> {
    let own = match manifest.compare.metric.as_str() {
        "" => "time_per_op",
        name => name,
    };
    let name = name.unwrap_or(own);
    metric::named(manifest, name).ok_or_else(|| Incomparable::NoMetric(name.to_owned()))
}

/// A run's values of the metric by cell, and the round trip at the level that they are of.
struct Measured {
    values: Vec<Option<Values>>,
    round_trip: Option<f64>,
}

impl Measured {
    fn of(side: &Side, metric: &Metric) -> Self {
        let run = Run::read(side.manifest, side.records);
        let values = |index: usize| {
            let here = run.counted(index).filter(|trial| run.at_level(trial));
            let values = here.filter_map(|trial| Some((trial.record.repetition, run.value(metric, trial).ok()?)));
            Values::of(values.collect())
        };
        Measured {
            values: (0..side.manifest.cells.len()).map(values).collect(),
            round_trip: run.level.and_then(|level| crate::interval::median(run.round_trips(level))),
        }
    }
}

/// The cells that are the same in both runs: of one kernel, with the same values of all parameters that both have, and each other's only
/// such. A run of another release may have parameters that the other did not know.
fn matched([before, after]: [&Manifest; 2]) -> Vec<(usize, usize)> {
    let fits = |one: usize, other: usize| {
        let (one, other) = (&before.cells[one], &after.cells[other]);
        let same = |(name, value): (&String, &hitm_experiment::Value)| {
            other.parameters.get(name).is_none_or(|own| own == value)
        };
        one.kernel == other.kernel && one.parameters.iter().all(same)
    };
    // By what both have, so that large runs need no look at every pair.
    let shared: Vec<&String> = match (before.cells.first(), after.cells.first()) {
        (Some(one), Some(other)) => one.parameters.keys().filter(|name| other.parameters.contains_key(*name)).collect(),
        _ => Vec::new(),
    };
    let key = |parameters: &Parameters| {
        shared.iter().map(|name| parameters.get(*name).map(ToString::to_string)).collect::<Vec<_>>()
    };
    let mut there: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (index, cell) in after.cells.iter().enumerate() {
        there.entry(key(&cell.parameters)).or_default().push(index);
    }
    let mut pairs = Vec::new();
    let mut taken: BTreeMap<usize, usize> = BTreeMap::new();
    for (index, cell) in before.cells.iter().enumerate() {
        let candidates = there.get(&key(&cell.parameters)).into_iter().flatten().copied();
        let fitting: Vec<usize> = candidates.filter(|other| fits(index, *other)).collect();
        if let [other] = fitting[..] {
            *taken.entry(other).or_insert(0) += 1;
            pairs.push((index, other));
        }
    }
    pairs.retain(|(_, other)| taken[other] == 1);
    pairs
}

/// A cell's parameters that vary in either run.
fn varied([before, after]: [&Manifest; 2], one: usize, other: usize) -> Parameters {
    let cell = &before.cells[one];
    let names = cell.varied.iter().chain(&after.cells[other].varied);
    let mut parameters = Parameters::new();
    for name in names {
        if let Some(value) = cell.parameters.get(name) {
            parameters.insert(name.clone(), value.clone());
        }
    }
    parameters
}

/// Holm's adjustment: probabilities in rising order, each times how many are left, and never below the one before. What is no longer
/// credible is not known.
fn adjust(cells: &mut [CellAcross]) {
    let mut order: Vec<usize> = (0..cells.len()).filter(|index| cells[*index].p.is_some()).collect();
    order.sort_by(|one, other| cells[*one].p.unwrap_or(1.0).total_cmp(&cells[*other].p.unwrap_or(1.0)));
    let (all, mut least) = (order.len(), 0.0_f64);
    for (rank, index) in order.into_iter().enumerate() {
        let cell = &mut cells[index];
        let adjusted = (cell.p.unwrap_or(1.0) * (all - rank) as f64).min(1.0).max(least);
        least = adjusted;
        cell.p = Some(adjusted);
        if adjusted > LEVEL && matches!(cell.verdict, Verdict::Faster | Verdict::Slower) {
            cell.verdict = Verdict::NotKnown;
        }
    }
}
