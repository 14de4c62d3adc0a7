//! Where workers' time went, where their kernel parts it, with what else is told of an operation.

use hitm_analysis::breakdown::{OTHER, OTHER_MEANING};
use hitm_analysis::{CellSummary, Estimate, Summary};
use hitm_experiment::Manifest;

use crate::names::{metric_title, operation, varied, words};
use crate::number::{ABSENT, significant, trim};
use crate::table::{Entry, Kind, Table};

/// What the table is called.
pub(crate) const TITLE: &str = "where the workers' time goes";

/// A part that is less in every cell is told in words.
const NOTHING: f64 = 5e-4;

/// A part that is less in every cell goes first where there is little room.
const LITTLE: f64 = 0.05;

/// An interval that reaches no further to either side is not worth its room: the parts of a whole are for the large picture.
const NARROW: f64 = 0.05;

/// What is told beside the parts where a cell has it, with how easily its column goes: what an operation costs and what it had to be
/// done again for.
const BESIDE: [(&str, u8); 6] = [
    ("cpu_time_per_op", 2),
    ("run_delay_per_op", 5),
    ("timeouts_per_op", 3),
    ("deadlocks_per_op", 3),
    ("waits_granted_per_op", 4),
    ("wait_p99", 4),
];

/// The parts of all cells that have them.
pub(crate) struct Parted {
    /// A row for each cell.
    pub(crate) table: Table,
    /// What the columns mean, one clause each.
    pub(crate) meanings: String,
    /// The parts that no cell has; empty where each is somewhere.
    pub(crate) none: String,
}

/// Where the time went. `None` where no kernel tells.
pub(crate) fn breakdown(summary: &Summary, manifest: &Manifest) -> Option<Parted> {
    let cells: Vec<&CellSummary> = summary.cells.iter().filter(|cell| !cell.breakdown.is_empty()).collect();
    if cells.is_empty() {
        return None;
    }
    let (found, not_found): (Vec<&str>, Vec<&str>) = names(summary)
        .into_iter()
        .partition(|name| cells.iter().any(|cell| share(cell, name).is_some_and(|share| share.high >= NOTHING)));
    let mut table = Table::of_cells(&cells, &varied(manifest));
    for name in &found {
        let shares: Vec<Option<&Estimate>> = cells.iter().map(|cell| share(cell, name)).collect();
        // Where there is little room what is little everywhere goes.
        let most = shares.iter().flatten().map(|share| share.median).fold(0.0, f64::max);
        let spare = if most < LITTLE { 3 } else { 0 };
        table.add(&format!("{}, %", words(name)), Kind::Number, spare, shares.into_iter().map(entry));
    }
    let op = operation(summary);
    for (metric, spare) in BESIDE {
        let values: Vec<Option<&Estimate>> = cells.iter().map(|cell| cell.metrics.get(metric)).collect();
        if values.iter().flatten().any(|value| value.high > 0.0) {
            table.add_estimates(&metric_title(metric, op), spare, &values);
        }
    }
    let meaning = |name: &str| {
        let told = manifest.tallies.iter().find(|tally| tally.name == name).map(|tally| tally.meaning.as_str());
        let meaning = if name == OTHER { Some(OTHER_MEANING) } else { told }?;
        Some(format!("{}: {meaning}", words(name)))
    };
    Some(Parted {
        table,
        meanings: found.iter().filter_map(|name| meaning(name)).collect::<Vec<_>>().join("; "),
        none: not_found.iter().map(|name| words(name)).collect::<Vec<_>>().join(", "),
    })
}

/// A share in whole per cent, with its interval where that is wide; below one per cent with a digit that is not 0.
fn entry(share: Option<&Estimate>) -> Entry {
    let Some(share) = share else { return Entry::text(ABSENT) };
    let text = |share: f64| match share * 100.0 {
        percent if percent < 0.05 => "0".to_owned(),
        percent if percent < 1.0 => trim(&significant(percent, 1)).to_owned(),
        percent => format!("{percent:.0}"),
    };
    let wide = share.high - share.median > NARROW || share.median - share.low > NARROW;
    let interval = if wide { format!("[{} … {}]", text(share.low), text(share.high)) } else { String::new() };
    Entry { text: text(share.median), interval }
}

/// The names of all parts, in the order of the cells'.
pub(crate) fn names(summary: &Summary) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for part in summary.cells.iter().flat_map(|cell| &cell.breakdown) {
        if !names.contains(&part.name.as_str()) {
            names.push(&part.name);
        }
    }
    // What is left comes last, also where a part is told by some cells only.
    names.sort_by_key(|name| *name == OTHER);
    names
}

pub(crate) fn share<'a>(cell: &'a CellSummary, name: &str) -> Option<&'a Estimate> {
    cell.breakdown.iter().find(|part| part.name == name).map(|part| &part.share)
}
