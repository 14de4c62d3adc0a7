//! What was seen in the values drawn, damage or not, where anything was.

use hitm_analysis::{CellSummary, Estimate, Summary, observed};
use hitm_experiment::Manifest;

use crate::names::{varied, words};
use crate::table::Table;
use crate::text::count;

/// A share whose median is zero and whose interval ends below this shows nothing.
const NOTHING: f64 = 1e-3;

/// What the table is called: most of what it shows is nobody's fault where nothing is shared.
pub(crate) const TITLE: &str = "what the values are like";

/// How easily a column goes that no figure is of.
const UNASKED: u8 = 3;

/// What was seen in the values drawn.
pub(crate) struct Damage {
    /// The cells that show something, with the kinds of damage that any shows; `None` where all is well.
    pub(crate) table: Option<Table>,
    /// What was looked at and not found; empty where all was found everywhere.
    pub(crate) none: String,
    /// What the columns mean, one clause each; empty without a table.
    pub(crate) meanings: String,
}

/// What was seen in the cells that were looked at. `None` where none was.
pub(crate) fn damage(summary: &Summary, manifest: &Manifest) -> Option<Damage> {
    let looked_at: Vec<&CellSummary> = summary.cells.iter().filter(|cell| !cell.observations.is_empty()).collect();
    if looked_at.is_empty() {
        return None;
    }
    let mut cells = looked_at.clone();
    cells.retain(|cell| cell.observations.values().any(is_something));
    // What the figures are of comes first, and stays when there is little room.
    let asked = |name: &String| manifest.figures.iter().position(|figure| figure.y == *name);
    let mut names = observation_names(summary);
    names.sort_by_key(|name| asked(name).unwrap_or(usize::MAX));
    let (found, not_found): (Vec<String>, Vec<String>) = names
        .into_iter()
        .partition(|name| cells.iter().any(|cell| cell.observations.get(name).is_some_and(|seen| seen.high > 0.0)));
    let not_found = not_found.iter().map(|name| words(name)).collect::<Vec<_>>().join(", ");
    if cells.is_empty() {
        let none = format!("{} in {} ({not_found})", none_of(&looked_at), count(looked_at.len() as u64, "cell"));
        return Some(Damage { table: None, none, meanings: String::new() });
    }
    let mut table = Table::of_cells(&cells, &varied(manifest));
    for name in &found {
        let shares: Vec<Option<Estimate>> =
            cells.iter().map(|cell| cell.observations.get(name).map(as_share)).collect();
        let all: Vec<Option<&Estimate>> = shares.iter().map(Option::as_ref).collect();
        table.add_estimates(&words(name), if asked(name).is_some() { 0 } else { UNASKED }, &all);
    }
    let mut none = Vec::new();
    let mut others = looked_at;
    others.retain(|cell| !cell.observations.values().any(is_something));
    if !others.is_empty() {
        none.push(format!("{} in {}", none_of(&others), count(others.len() as u64, "other cell")));
    }
    if !not_found.is_empty() {
        none.push(format!("none anywhere: {not_found}"));
    }
    let meaning = |name: &String| Some(format!("{}: {}", words(name), observed::of(name)?.meaning));
    let meanings = found.iter().filter_map(meaning).collect::<Vec<_>>().join("; ");
    Some(Damage { table: Some(table), none: none.join("; "), meanings })
}

/// `none` where every interval ends at zero, else with what it may be.
fn none_of(cells: &[&CellSummary]) -> &'static str {
    let zero = cells.iter().flat_map(|cell| cell.observations.values()).all(|seen| seen.high == 0.0);
    if zero { "none" } else { "none, or less than 0.1 %," }
}

/// Whether a share is more than nothing: its median, or what its interval holds.
pub(crate) fn is_something(estimate: &Estimate) -> bool {
    let least = if as_share(estimate).unit == "share" { NOTHING } else { f64::MIN_POSITIVE };
    estimate.median != 0.0 || estimate.high >= least
}

/// The names of everything that was observed, in order.
pub(crate) fn observation_names(summary: &Summary) -> Vec<String> {
    let mut names: Vec<String> = summary.cells.iter().flat_map(|cell| cell.observations.keys().cloned()).collect();
    names.sort();
    names.dedup();
    names
}

/// An observation's estimate with its unit named `share`, so that it is shown in percent.
pub(crate) fn as_share(estimate: &Estimate) -> Estimate {
    let unit = match estimate.unit.as_str() {
        "" | "1" | "ratio" => "share",
        other => other,
    };
    Estimate { unit: unit.to_owned(), ..estimate.clone() }
}
