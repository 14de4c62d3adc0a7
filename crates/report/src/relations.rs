//! Pairs of PUs by what the two share: how far apart each class is, and whether pairs disturb each other.

use hitm_analysis::{CellSummary, Summary, Verdict};
use hitm_experiment::{Manifest, Value};

use crate::names::{Index, TIME, cell_label, varied};
use crate::number::{ABSENT, Scale, significant};
use crate::pairs::{PLACING, is_matrix};
use crate::table::{Entry, Kind, Table};

/// What tells rows apart: what varies besides the pair, and the relation.
type Key = (String, String);

/// One row a relation, nearest first; `None` for a run that is not about pairs or whose pairs have no relation told.
pub(crate) fn relations<'a>(summary: &'a Summary, manifest: &Manifest) -> Option<Table> {
    if !is_matrix(summary, manifest) {
        return None;
    }
    let others: Vec<String> = varied(manifest).into_iter().filter(|name| !PLACING.contains(&name.as_str())).collect();
    let mut rows: Vec<(Key, Vec<&'a CellSummary>)> = Vec::new();
    for cell in &summary.cells {
        let Some(Value::Text(relation)) = cell.parameters.get("relation") else { continue };
        let label = if others.is_empty() { String::new() } else { cell_label(cell, &others) };
        let key = (label, relation.clone());
        match rows.iter_mut().find(|(there, _)| *there == key) {
            Some((_, cells)) => cells.push(cell),
            None => rows.push((key, vec![cell])),
        }
    }
    if rows.is_empty() {
        return None;
    }
    let with_times = |(key, cells): (Key, Vec<&'a CellSummary>)| (key, times(&cells), cells);
    let mut rows: Vec<(Key, Vec<f64>, Vec<&CellSummary>)> = rows.into_iter().map(with_times).collect();
    let middle = |times: &[f64]| times.get(times.len() / 2).copied().unwrap_or(f64::INFINITY);
    rows.sort_by(|a, b| a.0.0.cmp(&b.0.0).then(middle(&a.1).total_cmp(&middle(&b.1))));
    let scale =
        Scale::common("ns", rows.iter().flat_map(|row| row.1.iter().copied())).unwrap_or_else(|| Scale::plain("ns"));
    let mut table = Table { columns: Vec::new(), rows: vec![Vec::new(); rows.len()] };
    if !others.is_empty() {
        table.add(&others.join(", "), Kind::Text, 0, rows.iter().map(|row| Entry::text(row.0.0.clone())));
    }
    table.add("relation", Kind::Text, 0, rows.iter().map(|row| Entry::text(row.0.1.replace('-', " "))));
    table.add("pairs", Kind::Number, 0, rows.iter().map(|row| Entry::text(row.1.len().to_string())));
    type Pick = fn(&[f64]) -> Option<f64>;
    let picks: [(&str, Pick); 3] = [
        ("nearest", |times| times.first().copied()),
        ("median", |times| times.get(times.len() / 2).copied()),
        ("farthest", |times| times.last().copied()),
    ];
    for (name, pick) in picks {
        let title = format!("{name}, {}", scale.unit);
        let shown = |times: &[f64]| pick(times).map_or(ABSENT.to_owned(), |time| significant(scale.apply(time), 3));
        table.add(&title, Kind::Number, 0, rows.iter().map(|row| Entry::text(shown(&row.1))));
    }
    if !summary.comparisons.is_empty() {
        let index = Index::new(summary);
        let disturbed = |cells: &[&CellSummary]| {
            let verdicts: Vec<Verdict> = cells.iter().filter_map(|c| Some(index.comparison(&c.id)?.verdict)).collect();
            let changed =
                verdicts.iter().filter(|verdict| matches!(verdict, Verdict::Slower | Verdict::Faster)).count();
            if verdicts.is_empty() { ABSENT.to_owned() } else { format!("{changed} of {}", verdicts.len()) }
        };
        table.add("changed against baseline", Kind::Number, 1, rows.iter().map(|row| Entry::text(disturbed(&row.2))));
    }
    Some(table)
}

/// The times of cells that have one, ascending.
fn times(cells: &[&CellSummary]) -> Vec<f64> {
    let mut times: Vec<f64> = cells.iter().filter_map(|cell| Some(cell.metrics.get(TIME)?.median)).collect();
    times.sort_unstable_by(f64::total_cmp);
    times
}
