//! The figures that suit what varies in a run that asks for none.

use std::collections::BTreeSet;

use hitm_analysis::{EventExplanation, Explained, Standing, Summary};
use hitm_experiment::manifest::{FigureKind, FigureSpec, Manifest};
use hitm_experiment::{Parameters, Value};

use crate::damage::observation_names;
use crate::explain::ranked;
use crate::names::{Index, TIME, operation, varied};
use crate::pairs::is_matrix;

/// Series that can still be told apart in one picture; with more, one picture for each value of another parameter.
const READABLE: usize = 6;

/// The most damage figures.
const MOST_OBSERVATIONS: usize = 2;

/// The most events that are drawn against the time.
const MOST_EVENTS: usize = 2;

/// The time over those events that account for the most of what was lost.
pub(crate) fn scatters(summary: &Summary) -> Vec<FigureSpec> {
    let Some(explanation) = &summary.explanation else { return Vec::new() };
    if explanation.verdict == Explained::NothingLost {
        return Vec::new();
    }
    let op = operation(summary);
    let events = ranked(explanation).into_iter().filter(|event| event.standing == Standing::Candidate);
    let events = events.filter(|event| event.cost.is_some() || event.over_cells.is_some());
    let spec = |event: &EventExplanation| {
        let title = format!("Does {} explain the time of one {op}?", event.name);
        spec(FigureKind::Scatter, &title, TIME, &format!("{}_per_op", event.name))
    };
    events.take(MOST_EVENTS).map(spec).collect()
}

/// What varies, and how.
struct Varies {
    name: String,
    /// The number of different values.
    values: usize,
    numeric: bool,
}

/// Chooses.
pub(crate) fn choose(index: &Index, manifest: &Manifest) -> Vec<FigureSpec> {
    let summary = index.summary;
    if summary.cells.is_empty() {
        return Vec::new();
    }
    let op = operation(summary);
    if is_matrix(summary, manifest) {
        let title = format!("Which PUs are near each other, by the time of one {op}?");
        return vec![spec(FigureKind::Matrix, &title, TIME, "")];
    }
    let varies: Vec<Varies> =
        varied(manifest).into_iter().map(|name| how(summary, name)).filter(|v| v.values > 1).collect();
    let numeric = |name: &str| varies.iter().any(|v| v.name == name && v.numeric);
    let compared = !summary.comparisons.is_empty();
    let mut specs = Vec::new();
    if numeric("workers") {
        specs.push(spec(FigureKind::Curve, &format!("What does one {op} cost with more workers?"), TIME, "workers"));
        specs.push(spec(FigureKind::Curve, "Do more workers get more done?", "throughput", "workers"));
    }
    if numeric("stride") {
        let title = format!("At which stride does one {op} stop paying for its neighbours?");
        specs.push(spec(FigureKind::Curve, &title, TIME, "stride"));
    }
    if numeric("work") {
        let (title, y) = match compared {
            true => (format!("How much more than the baseline does one {op} cost?"), "extra"),
            false => (format!("What does one {op} cost, by the work in between?"), TIME),
        };
        specs.push(spec(FigureKind::Curve, &title, y, "work"));
    }
    if specs.is_empty() {
        if let Some(other) = varies.iter().find(|v| v.numeric && v.values > 2) {
            let title = format!("How does the time of one {op} depend on {}?", other.name);
            specs.push(spec(FigureKind::Curve, &title, TIME, &other.name));
        }
    }
    let text = varies.iter().filter(|v| !v.numeric).max_by_key(|v| v.values);
    if specs.is_empty() || text.is_some_and(|text| text.name == "kernel") {
        let x = text.or(varies.first()).map_or("", |v| v.name.as_str());
        let title = match x {
            "" => format!("What does one {op} cost?"),
            _ => format!("Which {x} costs what for one {op}?"),
        };
        specs.push(spec(FigureKind::Bars, &title, TIME, x));
    }
    let seen = |name: &String| summary.cells.iter().any(|c| c.observations.get(name).is_some_and(|o| o.median > 0.0));
    for name in observation_names(summary).into_iter().filter(seen).take(MOST_OBSERVATIONS) {
        let x = text.or(varies.first()).map_or("", |v| v.name.as_str());
        let title = format!("How large a share of the values is {}?", crate::names::words(&name));
        specs.push(spec(FigureKind::Bars, &title, &name, x));
    }
    for spec in &mut specs {
        divide(spec, &varies);
    }
    specs
}

fn spec(kind: FigureKind, title: &str, y: &str, x: &str) -> FigureSpec {
    FigureSpec {
        kind,
        title: title.to_owned(),
        y: y.to_owned(),
        x: x.to_owned(),
        series: String::new(),
        panel: String::new(),
        only: Parameters::new(),
    }
}

fn how(summary: &Summary, name: String) -> Varies {
    let values: Vec<&Value> = summary.cells.iter().filter_map(|cell| cell.parameters.get(&name)).collect();
    let numeric = !values.is_empty() && values.iter().all(|value| value.as_number().is_some());
    let values = values.iter().map(|value| value.to_string()).collect::<BTreeSet<_>>().len();
    Varies { name, values, numeric }
}

/// Gives a figure its series, and a panel where there would be too many of them.
fn divide(spec: &mut FigureSpec, varies: &[Varies]) {
    let mut others: Vec<&Varies> = varies.iter().filter(|v| v.name != spec.x).collect();
    // Words make better names of lines than numbers do.
    others.sort_by_key(|v| v.numeric);
    if spec.kind == FigureKind::Matrix || spec.x.is_empty() {
        return;
    }
    if let Some(first) = others.first() {
        spec.series = first.name.clone();
    }
    let lines: usize = others.iter().map(|v| v.values).product();
    if lines > READABLE && others.len() > 1 {
        let fits = |v: &&&Varies| lines / v.values.max(1) <= READABLE;
        let by_least = others[1..].iter().filter(fits).min_by_key(|v| v.values);
        let panel = by_least.or(others[1..].iter().max_by_key(|v| v.values));
        spec.panel = panel.map_or(String::new(), |v| v.name.clone());
    }
}
