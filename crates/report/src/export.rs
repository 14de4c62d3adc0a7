//! Tidy CSV of a summary: one row a cell and metric, and one a comparison, in full precision.

use std::collections::BTreeSet;

use hitm_analysis::{CellSummary, Estimate, Flag, Summary};
use hitm_experiment::{Manifest, Parameters};

use crate::names::verdict;
use crate::number::full;
use crate::text::visible;

/// The parameters of all cells, and the columns that carry them; a name that another column has is prefixed.
pub(crate) struct ParameterColumns {
    names: Vec<String>,
}

impl ParameterColumns {
    pub(crate) fn new<'a>(cells: impl IntoIterator<Item = &'a Parameters>) -> Self {
        let names: BTreeSet<&String> = cells.into_iter().flat_map(Parameters::keys).collect();
        ParameterColumns { names: names.into_iter().cloned().collect() }
    }

    pub(crate) fn headings(&self, others: &[&str]) -> Vec<String> {
        let heading = |name: &String| match others.contains(&name.as_str()) {
            true => format!("parameter_{name}"),
            false => name.clone(),
        };
        self.names.iter().map(heading).collect()
    }

    pub(crate) fn values(&self, parameters: &Parameters) -> Vec<String> {
        self.names.iter().map(|name| parameters.get(name).map_or(String::new(), ToString::to_string)).collect()
    }
}

/// Writes CSV in memory.
pub(crate) struct Sheet(csv::Writer<Vec<u8>>);

impl Sheet {
    pub(crate) fn new() -> Self {
        // Rows are built to the header's length here; a check would only turn a slip into a lost file.
        Sheet(csv::WriterBuilder::new().flexible(true).from_writer(Vec::new()))
    }

    /// A row. Names and reasons come from files: no control character of theirs but line breaks, which are quoted, goes any further.
    pub(crate) fn row<I: IntoIterator<Item = S>, S: AsRef<str>>(&mut self, fields: I) {
        // Writing to memory cannot fail.
        let _ = self.0.write_record(fields.into_iter().map(|field| visible(field.as_ref())));
    }

    pub(crate) fn text(self) -> String {
        let bytes = self.0.into_inner().unwrap_or_default();
        String::from_utf8(bytes).unwrap_or_default()
    }
}

const BEFORE: [&str; 2] = ["cell", "operation"];
const AFTER: [&str; 15] = [
    "pus",
    "metric",
    "unit",
    "median",
    "low",
    "high",
    "n",
    "independent",
    "coverage",
    "level",
    "repetitions",
    "overlap",
    "verification",
    "flags",
    "reason",
];

/// Every cell's metrics, one row each, with `time_per_op` at every level and the shares observed. A metric that a
/// cell has none of keeps its row: its numbers are empty and `reason` says why.
pub fn csv(summary: &Summary, _manifest: &Manifest) -> String {
    let columns = ParameterColumns::new(summary.cells.iter().map(|cell| &cell.parameters));
    let mut sheet = Sheet::new();
    let taken: Vec<&str> = BEFORE.iter().chain(&AFTER).copied().collect();
    let mut header: Vec<String> = BEFORE.map(str::to_owned).to_vec();
    header.extend(columns.headings(&taken));
    header.extend(AFTER.map(str::to_owned));
    sheet.row(&header);
    let run_level = summary.level.as_deref().unwrap_or("");
    for cell in &summary.cells {
        let parameters = columns.values(&cell.parameters);
        let mut row = |metric: &str, estimate: Option<&Estimate>, level: &str, reason: &str| {
            sheet.row(fields(cell, &parameters, metric, estimate, level, reason));
        };
        for (metric, estimate) in &cell.metrics {
            row(metric, Some(estimate), run_level, "");
        }
        for (metric, reason) in &cell.absent {
            row(metric, None, run_level, reason);
        }
        for (level, estimate) in &cell.time_by_level {
            // The run's own level stands above already.
            if level != run_level || !cell.metrics.contains_key(crate::names::TIME) {
                row(crate::names::TIME, Some(estimate), level, "");
            }
        }
        for (name, estimate) in &cell.observations {
            row(&format!("observed:{name}"), Some(estimate), "", "");
        }
    }
    sheet.text()
}

fn fields(
    cell: &CellSummary,
    parameters: &[String],
    metric: &str,
    estimate: Option<&Estimate>,
    level: &str,
    reason: &str,
) -> Vec<String> {
    let mut fields = vec![cell.id.clone(), cell.operation.clone()];
    fields.extend_from_slice(parameters);
    fields.push(pus(&cell.placement.pus));
    fields.push(metric.to_owned());
    fields.extend(numbers(estimate));
    fields.push(level.to_owned());
    fields.push(cell.repetitions.to_string());
    fields.push(cell.overlap.map_or(String::new(), full));
    fields.push(cell.verification.clone());
    fields.push(flag_names(&cell.flags));
    fields.push(reason.to_owned());
    fields
}

/// Unit, median, low, high, n, independent and coverage; empty for what is absent.
pub(crate) fn numbers(estimate: Option<&Estimate>) -> [String; 7] {
    match estimate {
        Some(e) => {
            let [median, low, high, coverage] = [e.median, e.low, e.high, e.coverage].map(full);
            [e.unit.clone(), median, low, high, e.n.to_string(), e.independent.to_string(), coverage]
        }
        None => Default::default(),
    }
}

/// PUs as `0 1 2`.
pub(crate) fn pus(pus: &[u32]) -> String {
    pus.iter().map(u32::to_string).collect::<Vec<_>>().join(" ")
}

fn flag_names(flags: &[Flag]) -> String {
    flags.iter().map(|flag| flag.name.as_str()).collect::<Vec<_>>().join(" ")
}

/// Every comparison: one row with its ratio and its difference, and one more for its difference at each level.
pub fn comparisons_csv(summary: &Summary, _manifest: &Manifest) -> String {
    let mut sheet = Sheet::new();
    sheet.row([
        "cell",
        "baseline",
        "metric",
        "quantity",
        "unit",
        "median",
        "low",
        "high",
        "n",
        "independent",
        "coverage",
        "level",
        "pairs",
        "verdict",
    ]);
    for share in &summary.shares {
        let mut fields =
            vec![share.cell.clone(), share.part.clone(), crate::names::TIME.to_owned(), "share".to_owned()];
        fields.extend(numbers(Some(&share.share)));
        fields.extend([share.level.clone().unwrap_or_default(), share.pairs.to_string(), String::new()]);
        sheet.row(&fields);
    }
    for comparison in &summary.comparisons {
        let mut row = |quantity: &str, estimate: &Estimate, level: Option<&str>| {
            let mut fields = vec![
                comparison.cell.clone(),
                comparison.baseline.clone(),
                comparison.metric.clone(),
                quantity.to_owned(),
            ];
            fields.extend(numbers(Some(estimate)));
            fields.push(level.unwrap_or("").to_owned());
            fields.push(comparison.pairs.to_string());
            fields.push(verdict(comparison.verdict).to_owned());
            sheet.row(&fields);
        };
        let pooled = comparison.level.as_deref();
        row("ratio", &comparison.ratio, pooled);
        row("difference", &comparison.difference, pooled);
        for (level, difference) in &comparison.difference_by_level {
            if Some(level.as_str()) != pooled {
                row("difference", difference, Some(level));
            }
        }
    }
    sheet.text()
}
