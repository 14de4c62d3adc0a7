//! The tables of a run as plain cells of text, before anyone decides how they are drawn.

use hitm_analysis::{CellSummary, Estimate, Part, Standing, Summary};
use hitm_experiment::{Manifest, Value};

use crate::beside::beside;
use crate::names::{Index, TIME, metric_title, operation, varied, verdict};
use crate::notes::{Common, weighty};
use crate::number::{ABSENT, Scale, reach, shown, significant, with_unit};
use crate::pairs::Matrix;

/// PUs up to which a matrix is given in numbers.
const MOST_PUS: usize = 32;

/// How easily the column of ratios goes.
const RATIO: u8 = 4;

/// A heading and how its column is treated.
pub(crate) struct Column {
    pub(crate) title: String,
    pub(crate) kind: Kind,
    /// Columns with the highest number go first when there is no room; 0 never goes.
    pub(crate) spare: u8,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Words; may be wrapped.
    Text,
    /// Numbers; never broken.
    Number,
    /// A verdict in words.
    Verdict,
    /// Names of flags.
    Flags,
}

/// One place of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The text, of an estimate its median.
    pub(crate) text: String,
    /// The interval in brackets; empty for anything else.
    pub(crate) interval: String,
}

impl Entry {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Entry { text: text.into(), interval: String::new() }
    }

    pub(crate) fn joined(&self) -> String {
        if self.interval.is_empty() { self.text.clone() } else { format!("{} {}", self.text, self.interval) }
    }
}

/// Columns and rows of the same length.
pub(crate) struct Table {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<Entry>>,
}

impl Table {
    /// A table whose rows begin with the cells' varied parameters.
    pub(crate) fn of_cells(cells: &[&CellSummary], varied: &[String]) -> Self {
        let mut table = Table { columns: Vec::new(), rows: vec![Vec::new(); cells.len()] };
        if varied.is_empty() {
            table.add("cell", Kind::Text, 0, cells.iter().map(|cell| Entry::text(cell.id.clone())));
        }
        for name in varied {
            let values: Vec<_> = cells.iter().map(|cell| cell.parameters.get(name)).collect();
            let numbers = values.iter().flatten().all(|value| value.as_number().is_some());
            let kind = if numbers { Kind::Number } else { Kind::Text };
            let text = |value: &&Value| match value.to_string() {
                blank if blank.trim().is_empty() => "(empty)".to_owned(),
                text => text,
            };
            let entries = values.iter().map(|value| Entry::text(value.as_ref().map_or(ABSENT.to_owned(), text)));
            table.add(name, kind, 0, entries);
        }
        table
    }

    pub(crate) fn add(&mut self, title: &str, kind: Kind, spare: u8, entries: impl IntoIterator<Item = Entry>) {
        self.columns.push(Column { title: title.to_owned(), kind, spare });
        for (row, entry) in self.rows.iter_mut().zip(entries) {
            row.push(entry);
        }
    }

    /// A column of estimates, in one unit named in the heading where they are near enough to each other.
    pub(crate) fn add_estimates(&mut self, title: &str, spare: u8, estimates: &[Option<&Estimate>]) {
        let unit = estimates.iter().flatten().next().map_or("", |estimate| estimate.unit.as_str());
        let same_unit = estimates.iter().flatten().all(|estimate| estimate.unit == unit);
        let reaches = estimates.iter().flatten().map(|estimate| reach(estimate));
        let scale = if same_unit { Scale::common(unit, reaches) } else { None };
        let heading = match &scale {
            // A unit that only repeats the heading's word says nothing.
            Some(scale) if !scale.unit.is_empty() && !repeats(title, &scale.unit) => {
                format!("{title}, {}", scale.unit)
            }
            _ => title.to_owned(),
        };
        let entries: Vec<Entry> = estimates.iter().map(|estimate| entry(*estimate, scale.as_ref())).collect();
        self.add(&heading, Kind::Number, spare, entries);
    }
}

/// Whether a title begins with its unit, as that of a count does.
pub(crate) fn repeats(title: &str, unit: &str) -> bool {
    title.starts_with(unit) || title.starts_with(&crate::names::words(unit))
}

fn entry(estimate: Option<&Estimate>, scale: Option<&Scale>) -> Entry {
    let Some(estimate) = estimate else { return Entry::text(ABSENT) };
    match scale {
        Some(scale) => {
            let text = shown(estimate, scale);
            Entry { text: text.median, interval: text.interval }
        }
        None => {
            let own = Scale::of(&estimate.unit, reach(estimate));
            let text = shown(estimate, &own);
            Entry { text: with_unit(&text.median, &own.unit), interval: text.interval }
        }
    }
}

/// The key table: every cell with its cost, what it costs more than its baseline, and how far to trust it.
pub(crate) fn key(summary: &Summary, manifest: &Manifest) -> Table {
    let index = Index::new(summary);
    let operation = operation(summary);
    let varied = varied(manifest);
    let cells: Vec<&CellSummary> = summary.cells.iter().collect();
    let mut table = Table::of_cells(&cells, &varied);
    let metric = |name: &str| cells.iter().map(|cell| cell.metrics.get(name)).collect::<Vec<_>>();

    table.add_estimates(&metric_title(TIME, operation), 0, &metric(TIME));
    let compared = manifest.compare.metric.as_str();
    let shown_anyway = [TIME, "throughput", "cycles_per_op", "cycles_per_op_estimated", ""];
    if !shown_anyway.contains(&compared) {
        table.add_estimates(&metric_title(compared, operation), 1, &metric(compared));
    }
    if !summary.shares.is_empty() {
        let of =
            |cell: &&CellSummary| summary.shares.iter().find(|share| share.cell == cell.id).map(|share| &share.share);
        let part = summary.shares.iter().find_map(|share| cells.iter().find(|cell| cell.id == share.part));
        let name = &manifest.compare.share_of;
        let value = part.and_then(|cell| cell.parameters.get(name)).map_or(String::new(), ToString::to_string);
        table.add_estimates(&format!("share of {name}={value}"), 2, &cells.iter().map(of).collect::<Vec<_>>());
    }
    if !summary.comparisons.is_empty() {
        let comparisons: Vec<_> = cells.iter().map(|cell| index.comparison(&cell.id)).collect();
        let differences: Vec<_> = comparisons.iter().map(|c| c.map(|c| &c.difference)).collect();
        let extra = match compared {
            "" | TIME => format!("extra per {operation}"),
            other => format!("extra {}", metric_title(other, operation)),
        };
        table.add_estimates(&extra, 1, &differences);
        add_event(&mut table, summary, compared);
        let ratio = |c: &hitm_analysis::Comparison| {
            let text = shown(&c.ratio, &Scale::plain("×"));
            Entry { text: with_unit(&text.median, "×"), interval: text.interval }
        };
        let ratios = comparisons.iter().map(|c| c.map_or(Entry::text(ABSENT), ratio));
        table.add("ratio", Kind::Number, RATIO, ratios);
        let verdicts = cells.iter().zip(&comparisons).map(|(cell, comparison)| match comparison {
            Some(comparison) => Entry::text(verdict(comparison.verdict)),
            None if index.is_baseline(&cell.id) => Entry::text("baseline"),
            None => Entry::text(ABSENT),
        });
        table.add("verdict", Kind::Verdict, 2, verdicts);
    }
    if summary.comparisons.is_empty() {
        add_event(&mut table, summary, compared);
    }
    for (title, rates) in beside(summary, manifest).columns {
        // What the operating system did is the first to go of what is not told elsewhere.
        table.add_estimates(&title, RATIO + 1, &rates.iter().map(Option::as_ref).collect::<Vec<_>>());
    }
    let common = Common::of(summary).names;
    let own: Vec<Vec<&str>> = cells.iter().map(|cell| own_flags(cell, &common)).collect();
    if own.iter().any(|names| !names.is_empty()) {
        // A number that does not mean what it counts must not stand without its flag; a ratio can be worked out.
        let spare = if own.iter().flatten().any(|name| weighty(name)) { RATIO - 1 } else { RATIO + 1 };
        table.add("flags", Kind::Flags, spare, own.iter().map(|names| Entry::text(names.join(", "))));
    }
    table.add_estimates("throughput", if compared == "throughput" { 1 } else { 6 }, &metric("throughput"));
    for name in ["cycles_per_op", "cycles_per_op_estimated"] {
        let values = metric(name);
        if values.iter().any(Option::is_some) {
            table.add_estimates(&metric_title(name, operation), 7, &values);
        }
    }
    // Said once elsewhere where all cells have trials at it.
    let level = summary.level.as_ref().filter(|_| cells.iter().any(|cell| cell.repetitions_at_level == 0));
    if let Some(level) = level {
        let held = |cell: &&CellSummary| Entry::text(if cell.repetitions_at_level > 0 { level } else { ABSENT });
        table.add("level", Kind::Text, RATIO + 1, cells.iter().map(held));
    }
    let repetitions = cells.iter().map(|cell| {
        let all_at_level = summary.level.is_none() || cell.repetitions_at_level == cell.repetitions;
        let number = match all_at_level {
            true => cell.repetitions.to_string(),
            false => format!("{} of {}", cell.repetitions_at_level, cell.repetitions),
        };
        Entry::text(number)
    });
    table.add("repetitions", Kind::Number, 8, repetitions);
    table
}

/// How often the event happens that the explanation is of: what a cell loses by it is that times what one costs.
fn add_event(table: &mut Table, summary: &Summary, compared: &str) {
    let Some(explanation) = &summary.explanation else { return };
    let candidates = || explanation.events.iter().filter(|event| event.standing == Standing::Candidate);
    let transfer = || candidates().find(|event| event.role == "transfer");
    let named = explanation.event.as_deref().and_then(|name| explanation.of(name));
    let Some(event) = named.or_else(transfer).or_else(|| candidates().find(|event| event.part == Part::Cause)) else {
        return;
    };
    let suffix = if event.scaled { " (scaled estimate)" } else { "" };
    let metric = format!("{}_per_op", event.name);
    if metric == compared {
        return;
    }
    let rate = |cell: &CellSummary| {
        let rate = cell.metrics.get(&metric).or_else(|| cell.metrics.get(&format!("{metric}{suffix}")))?;
        // The heading names it.
        Some(Estimate { unit: String::new(), ..rate.clone() })
    };
    let rates: Vec<Option<Estimate>> = summary.cells.iter().map(rate).collect();
    if rates.iter().any(Option::is_some) {
        let title = format!("{} per {}{suffix}", event.name, operation(summary));
        table.add_estimates(&title, RATIO, &rates.iter().map(Option::as_ref).collect::<Vec<_>>());
    }
}

/// The flags that tell a cell from the others, those that change what its number means first.
fn own_flags<'a>(cell: &'a CellSummary, common: &[&str]) -> Vec<&'a str> {
    let mut names: Vec<&str> = cell.flags.iter().map(|flag| flag.name.as_str()).collect();
    names.retain(|name| !common.contains(name));
    names.sort_by_key(|name| !weighty(name));
    names.dedup();
    names
}

/// A matrix of times between PUs and its unit; `None` beyond the size that anyone reads as numbers.
pub(crate) fn matrix(matrix: &Matrix) -> Option<(Table, Scale)> {
    if matrix.pus.len() > MOST_PUS {
        return None;
    }
    let scale = matrix.scale();
    let mut table = Table { columns: Vec::new(), rows: vec![Vec::new(); matrix.pus.len()] };
    table.add("PU", Kind::Number, 0, matrix.pus.iter().map(|pu| Entry::text(pu.to_string())));
    for b in &matrix.pus {
        let value = |a: &u32| {
            let time = matrix.cell(*a, *b).and_then(|(cell, _)| cell.metrics.get(TIME));
            let shown = time.map_or(ABSENT.to_owned(), |time| significant(scale.apply(time.median), 3));
            Entry::text(if a == b { String::new() } else { shown })
        };
        table.add(&b.to_string(), Kind::Number, 0, matrix.pus.iter().map(value));
    }
    Some((table, scale))
}
