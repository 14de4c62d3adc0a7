//! The words for what a run holds: metrics, cells, the machine, why it stopped.

use std::collections::HashMap;

use hitm_analysis::{CellSummary, Comparison, Summary, Verdict};
use hitm_experiment::Manifest;
use hitm_experiment::manifest::Stopped;

use crate::number::{duration, percent, sentence};
use crate::text::{clean, count, shell_quote};

/// The metric of cost that everything begins with.
pub(crate) const TIME: &str = "time_per_op";

/// A metric's name for a heading, with what the cells count as one operation.
pub(crate) fn metric_title(name: &str, operation: &str) -> String {
    match name {
        "time_per_op" => format!("time per {operation}"),
        "throughput" => "throughput".to_owned(),
        "cycles_per_op" => format!("cycles per {operation}"),
        "cycles_per_op_estimated" => format!("cycles (estimated) per {operation}"),
        "reference_ticks_per_op" => format!("reference ticks per {operation}"),
        "core_clock" => "core clock (estimated)".to_owned(),
        _ => match (name.strip_suffix("_per_op"), name.strip_suffix("_per_ms")) {
            (Some(event), _) => format!("{} per {operation}", words(event)),
            (_, Some(event)) => format!("{} per ms", words(event)),
            _ => words(name),
        },
    }
}

/// A machine-readable name as words.
pub(crate) fn words(name: &str) -> String {
    name.replace(['_', '-'], " ")
}

/// What the cells count as one operation where they agree, else `op`.
pub(crate) fn operation(summary: &Summary) -> &str {
    let mut words = summary.cells.iter().map(|cell| cell.operation.as_str());
    match words.next() {
        Some(word) if !word.is_empty() && words.all(|other| other == word) => word,
        _ => "op",
    }
}

/// The parameters that vary, in the order in which cells first name them.
pub(crate) fn varied(manifest: &Manifest) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in manifest.cells.iter().flat_map(|cell| &cell.varied) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// The parameters of these names as `name=value, …`; the cell's id where it has none of them.
pub(crate) fn cell_label(cell: &CellSummary, names: &[String]) -> String {
    let parts: Vec<String> =
        names.iter().filter_map(|name| cell.parameters.get(name).map(|value| format!("{name}={value}"))).collect();
    if parts.is_empty() { cell.id.clone() } else { parts.join(", ") }
}

/// The parameters that all cells share, as `name=value, …`.
pub(crate) fn fixed(summary: &Summary, varied: &[String]) -> String {
    let Some(first) = summary.cells.first() else { return String::new() };
    let same = |name: &String, value| summary.cells.iter().all(|cell| cell.parameters.get(name) == Some(value));
    let parts = first.parameters.iter().filter(|(name, value)| !varied.contains(name) && same(name, value));
    parts.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ")
}

/// A summary with its cells and comparisons by cell id.
pub(crate) struct Index<'a> {
    pub(crate) summary: &'a Summary,
    comparisons: HashMap<&'a str, &'a Comparison>,
    baselines: HashMap<&'a str, usize>,
    cells: HashMap<&'a str, &'a CellSummary>,
}

impl<'a> Index<'a> {
    pub(crate) fn new(summary: &'a Summary) -> Self {
        let mut baselines = HashMap::new();
        for comparison in &summary.comparisons {
            *baselines.entry(comparison.baseline.as_str()).or_insert(0) += 1;
        }
        Index {
            summary,
            comparisons: summary.comparisons.iter().map(|c| (c.cell.as_str(), c)).collect(),
            baselines,
            cells: summary.cells.iter().map(|cell| (cell.id.as_str(), cell)).collect(),
        }
    }

    /// The cell's comparison with its baseline.
    pub(crate) fn comparison(&self, id: &str) -> Option<&'a Comparison> {
        self.comparisons.get(id).copied()
    }

    /// Whether others are compared with this cell.
    pub(crate) fn is_baseline(&self, id: &str) -> bool {
        self.baselines.contains_key(id)
    }

    /// What tells a cell from its baseline: the baseline's label by the parameters in which they differ.
    pub(crate) fn baseline_label(&self, comparison: &Comparison, varied: &[String]) -> String {
        match (self.cells.get(comparison.cell.as_str()), self.cells.get(comparison.baseline.as_str())) {
            (Some(cell), Some(baseline)) => {
                let differs = |name: &&String| cell.parameters.get(*name) != baseline.parameters.get(*name);
                let names: Vec<String> = varied.iter().filter(differs).cloned().collect();
                cell_label(baseline, &names)
            }
            _ => comparison.baseline.clone(),
        }
    }
}

/// A verdict in words.
pub(crate) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Faster => "faster",
        Verdict::Slower => "slower",
        Verdict::NoCredibleChange => "no credible change",
        Verdict::NotKnown => "not known",
        Verdict::TooFew => "too few pairs",
    }
}

/// A difference in words: `112 ns [108 … 117] more per draw`.
pub(crate) fn difference(comparison: &Comparison, operation: &str) -> String {
    let mut size = comparison.difference.clone();
    let negative = size.median < 0.0;
    if negative {
        (size.median, size.low, size.high) = (-size.median, -size.high, -size.low);
    }
    let more = if negative { "less" } else { "more" };
    let what = match comparison.metric.as_str() {
        TIME => format!("per {operation}"),
        metric => metric_title(metric, operation),
    };
    format!("{} {more} {what}", sentence(&size))
}

fn fact<'a>(manifest: &'a Manifest, names: &[&str]) -> Option<&'a str> {
    let is = |fact: &&hitm_experiment::manifest::Fact| names.contains(&fact.name.to_lowercase().as_str());
    let found = manifest.machine.iter().find(is)?;
    (!found.value.is_empty() && !found.value.starts_with("unknown")).then_some(found.value.as_str())
}

/// A number of PUs with its noun after it: `2, 1 offline` is `2 PUs, 1 offline`.
fn pus_words(pus: &str) -> String {
    let (number, rest) = pus.split_at(pus.find(|c: char| !c.is_ascii_digit()).unwrap_or(pus.len()));
    match number.parse() {
        Ok(number) if !rest.contains("PU") => format!("{}{rest}", count(number, "PU")),
        _ => pus.to_owned(),
    }
}

/// The machine in a few words, for subtitles.
pub(crate) fn machine_short(manifest: &Manifest) -> String {
    let mut parts: Vec<String> = Vec::new();
    if let Some(model) = fact(manifest, &["cpu model", "cpu", "model"]) {
        parts.push(model.to_owned());
    } else if let Some(first) = manifest.machine.iter().find(|fact| !fact.value.starts_with("unknown")) {
        parts.push(first.value.clone());
    }
    if let Some(pus) = fact(manifest, &["pus"]) {
        parts.push(pus_words(pus));
    }
    if let Some(hypervisor) = fact(manifest, &["hypervisor"]) {
        if !hypervisor.starts_with("none") {
            parts.push(format!("under {hypervisor}"));
        }
    }
    if parts.is_empty() { "machine unknown".to_owned() } else { parts.join(", ") }
}

/// The machine in one line: what it is, its kernel, its line size and the clock.
pub(crate) fn machine_line(manifest: &Manifest) -> String {
    let mut parts = vec![machine_short(manifest)];
    if let Some(kernel) = fact(manifest, &["kernel"]) {
        parts.push(if kernel.contains("Linux") { kernel.to_owned() } else { format!("kernel {kernel}") });
    }
    parts.push(format!("line {} bytes ({})", manifest.line.bytes, manifest.line.source));
    let clock = &manifest.clock;
    if clock.hz.is_finite() && clock.hz > 0.0 {
        parts.push(format!("clock {} at {:.3} GHz", clock.name, clock.hz / 1e9));
    } else {
        parts.push(format!("clock {}", clock.name));
    }
    parts.join("; ")
}

/// The command that made the run, quoted for a shell; the program by its name, wherever it lay.
pub(crate) fn command_line(manifest: &Manifest) -> String {
    let word = |(number, word): (usize, &String)| {
        let name = word.rsplit(['/', '\\']).next().filter(|name| number == 0 && !name.is_empty());
        shell_quote(&clean(name.unwrap_or(word)))
    };
    manifest.command.iter().enumerate().map(word).collect::<Vec<_>>().join(" ")
}

/// Why the last session stopped, with the precision reached and what was asked for.
pub(crate) fn stopped(summary: &Summary, manifest: &Manifest) -> String {
    let session = manifest.sessions.last();
    let asked = session.map_or(manifest.measure.precision, |session| session.precision);
    let budget = session.map_or(manifest.measure.budget_ns, |session| session.budget_ns);
    let why = match summary.stopped {
        Some(Stopped::Precision) => "every interval is inside the asked precision".to_owned(),
        Some(Stopped::Budget) => format!("the budget of {} was used up", duration(budget)),
        Some(Stopped::Repetitions) => {
            format!("the most repetitions allowed ({}) were made", manifest.measure.max_repetitions)
        }
        Some(Stopped::Interrupted) => "a signal asked it to stop".to_owned(),
        Some(Stopped::Failed) => "an error ended it; what was measured stands".to_owned(),
        None => "the last session did not say: it still runs or was killed".to_owned(),
    };
    let reached = match summary.precision {
        Some(reached) if reached.is_finite() => format!("precision reached ±{}", percent(reached)),
        _ => "no precision yet".to_owned(),
    };
    let trials = count(summary.trials, "trial");
    format!("{why}; {reached} (asked ±{}); {trials}", percent(asked))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pus_have_their_noun() {
        for (fact, words) in [("1", "1 PU"), ("2, 1 offline", "2 PUs, 1 offline"), ("8 PUs", "8 PUs"), ("many", "many")]
        {
            assert_eq!(pus_words(fact), words);
        }
    }
}
