//! Throughput by the number of workers, a column for each series and its change against the baseline in per cent: the table that
//! benchmarks of threads print, with intervals.

use hitm_analysis::{CellSummary, Comparison, Estimate, Summary};
use hitm_experiment::{Manifest, Parameters};

use crate::names::{cell_label, varied};
use crate::number::{ABSENT, Scale, shown};
use crate::table::{Entry, Kind, Table};

/// The parameter of the rows.
const WORKERS: &str = "workers";

/// A table for each combination of what varies besides the workers and the baseline's parameters, with that combination as its label;
/// empty where the run does not compare throughput over workers.
pub(crate) fn by_workers(summary: &Summary, manifest: &Manifest) -> Vec<(String, Table)> {
    let compare = &manifest.compare;
    let names = varied(manifest);
    let over_workers = names.iter().any(|name| name == WORKERS) && !compare.baseline.contains_key(WORKERS);
    if compare.metric != "throughput" || compare.baseline.is_empty() || !over_workers || summary.comparisons.is_empty()
    {
        return Vec::new();
    }
    let (series, panels): (Vec<String>, Vec<String>) =
        names.into_iter().filter(|name| name != WORKERS).partition(|name| compare.baseline.contains_key(name));
    let mut tables: Vec<(String, Vec<&CellSummary>)> = Vec::new();
    for cell in &summary.cells {
        let label = if panels.is_empty() { String::new() } else { cell_label(cell, &panels) };
        match tables.iter_mut().find(|(known, _)| *known == label) {
            Some((_, cells)) => cells.push(cell),
            None => tables.push((label, vec![cell])),
        }
    }
    let table =
        |(label, cells): (String, Vec<&CellSummary>)| (label, table(summary, &compare.baseline, &series, &cells));
    tables.into_iter().map(table).filter(|(_, table)| table.rows.len() > 1).collect()
}

fn table(summary: &Summary, baseline: &Parameters, series: &[String], cells: &[&CellSummary]) -> Table {
    let mut rows: Vec<usize> = cells.iter().map(|cell| cell.placement.pus.len()).collect();
    rows.sort_unstable();
    rows.dedup();
    let mut labels: Vec<String> = Vec::new();
    for cell in cells {
        let label = values(cell, series);
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    let at = |label: &str, workers: usize| {
        cells.iter().find(|cell| cell.placement.pus.len() == workers && values(cell, series) == label).copied()
    };
    let mut table = Table { columns: Vec::new(), rows: vec![Vec::new(); rows.len()] };
    table.add("Threads", Kind::Number, 0, rows.iter().map(|workers| Entry::text(workers.to_string())));
    for label in &labels {
        let throughput: Vec<Option<&Estimate>> =
            rows.iter().map(|&workers| at(label, workers)?.metrics.get("throughput")).collect();
        table.add_estimates(label, 0, &throughput);
    }
    for label in &labels {
        let compared: Vec<Option<&Comparison>> = rows
            .iter()
            .map(|&workers| {
                let cell = at(label, workers)?;
                summary.comparisons.iter().find(|comparison| comparison.cell == cell.id)
            })
            .collect();
        if compared.iter().any(Option::is_some) {
            let base = cells.iter().find(|cell| {
                series.iter().all(|name| match (cell.parameters.get(name), baseline.get(name)) {
                    (Some(own), Some(base)) => own == base,
                    _ => false,
                })
            });
            let against = base.map_or(String::new(), |base| format!(" against {}", values(base, series)));
            let change = |comparison: Option<&Comparison>| {
                comparison.map_or(Entry::text(ABSENT), |comparison| change(&comparison.ratio))
            };
            table.add(&format!("{label}{against}, %"), Kind::Number, 0, compared.into_iter().map(change));
        }
    }
    table
}

/// From this ratio on, and its inverse, a change in per cent is no longer read as one.
const MANY_TIMES: f64 = 10.0;

/// A ratio as a change in per cent, `+12 [8 … 15]`; far ones as they are, `141× [51 … 220]` or `0.0054× [0.0045 … 0.0068]`.
pub(crate) fn change(ratio: &Estimate) -> Entry {
    if ratio.median >= MANY_TIMES || ratio.median <= 1.0 / MANY_TIMES {
        let text = shown(ratio, &Scale::plain("×"));
        return Entry { text: format!("{}×", text.median), interval: text.interval };
    }
    let less_one = |value: f64| value - 1.0;
    let change = Estimate {
        median: less_one(ratio.median),
        low: less_one(ratio.low),
        high: less_one(ratio.high),
        unit: "share".to_owned(),
        ..ratio.clone()
    };
    let text = shown(&change, &Scale::percent());
    let sign = if change.median > 0.0 { "+" } else { "" };
    Entry { text: format!("{sign}{}", text.median), interval: text.interval }
}

/// The values of these parameters: `range`, or `range, on`.
fn values(cell: &CellSummary, names: &[String]) -> String {
    let values = names.iter().filter_map(|name| cell.parameters.get(name)).map(ToString::to_string);
    values.collect::<Vec<_>>().join(", ")
}
