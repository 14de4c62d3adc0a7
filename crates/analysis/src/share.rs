//! What share of an operation a part of it is: the time where a parameter has its least value, which leaves the part alone, over the time
//! at its other values, from pairs of trials in one block.

use std::collections::HashMap;

use hitm_experiment::compare::Baseline;
use hitm_experiment::{Manifest, Value};

use crate::compare::{self, FEWEST_PAIRS};
use crate::metric::{self, Metric};
use crate::run::Run;
use crate::summary::{CellSummary, Estimate, Share};
use crate::words::share_text;

/// The shares of a run whose `compare.share_of` names a parameter, in the order of the cells: of the baselines where that is no part of
/// `compare.baseline`, else of all cells.
pub(crate) fn shares(run: &Run) -> Vec<Share> {
    let manifest = run.manifest;
    let name = &manifest.compare.share_of;
    let Some(metric) = metric::named(manifest, "time_per_op").filter(|_| !name.is_empty()) else { return Vec::new() };
    let number = |cell: usize| manifest.cells[cell].parameters.get(name).and_then(Value::as_number);
    let all = || 0..manifest.cells.len();
    let Some(least) = all().filter_map(number).min_by(f64::total_cmp) else { return Vec::new() };
    let parts: HashMap<String, usize> =
        all().filter(|cell| number(*cell) == Some(least)).map(|cell| (others(manifest, cell), cell)).collect();
    let own_baselines = manifest.compare.baseline.is_empty() || manifest.compare.baseline.contains_key(name);
    let asked = |cell: &usize| own_baselines || run.baselines[*cell] == Baseline::Itself;
    let whole = all().filter(asked).filter(|cell| number(*cell).is_some_and(|number| number > least));
    whole.filter_map(|cell| share(run, &metric, cell, *parts.get(&others(manifest, cell))?)).collect()
}

/// All parameters of a cell but that one.
fn others(manifest: &Manifest, cell: usize) -> String {
    let mut parameters = manifest.cells[cell].parameters.clone();
    parameters.remove(&manifest.compare.share_of);
    format!("{parameters:?}")
}

fn share(run: &Run, metric: &Metric, cell: usize, part: usize) -> Option<Share> {
    let found = compare::compare(run, metric, part, cell).ok()?;
    Some(Share {
        cell: run.manifest.cells[cell].id.clone(),
        part: run.manifest.cells[part].id.clone(),
        pairs: found.ratio.n,
        share: Estimate { unit: "share".to_owned(), ..found.ratio },
        level: found.level.map(|level| run.levels.name(level).to_owned()),
    })
}

/// `At work=0 a transaction takes 12 % [11 … 13] of its time at work=8192, 1.7 % of that at work=65536. `, of the cells with the most
/// workers; empty where nothing is known of any.
pub(crate) fn sentence(manifest: &Manifest, cells: &[CellSummary], shares: &[Share]) -> String {
    let name = &manifest.compare.share_of;
    let cell = |id: &str| cells.iter().find(|cell| cell.id == id);
    let known = shares.iter().filter(|share| share.pairs >= FEWEST_PAIRS);
    let known: Vec<(&Share, &CellSummary)> = known.filter_map(|share| Some((share, cell(&share.cell)?))).collect();
    let most = known.iter().map(|(_, cell)| cell.placement.pus.len()).max();
    let Some((first, of)) = known.iter().find(|(_, cell)| Some(cell.placement.pus.len()) == most) else {
        return String::new();
    };
    let value = |cell: &CellSummary| cell.parameters.get(name).map_or(String::new(), |value| format!("{name}={value}"));
    let part = cell(&first.part).map_or(String::new(), value);
    let told: Vec<String> = known
        .iter()
        .filter(|(share, _)| share.part == first.part)
        .map(|(share, cell)| format!("{} of its time at {}", share_text(&share.share), value(cell)))
        .collect();
    let varied = &manifest.cells[of.index].varied;
    let setting = of.parameters.iter().filter(|(own, _)| *own != name && varied.contains(own));
    let setting: Vec<String> = setting.map(|(name, value)| format!("{name}={value}")).collect();
    let with = if setting.is_empty() { String::new() } else { format!(" ({})", setting.join(", ")) };
    format!("At {part} a {} takes {}{with}. ", of.operation, told.join(" and "))
}
