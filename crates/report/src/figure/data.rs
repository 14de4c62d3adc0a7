//! What a plot shows: the values of one quantity, by series, over one parameter.

use hitm_analysis::{CellSummary, Estimate};
use hitm_experiment::manifest::{FigureSpec, Manifest};
use hitm_experiment::{Parameters, Value};

use super::{Panel, Trust};
use crate::damage::{as_share, is_something};
use crate::names::{Index, TIME, cell_label, metric_title, operation, varied, words};
use crate::number::Scale;
use crate::table::repeats;
use crate::text::count;

/// One cell's value.
pub(crate) struct Point<'a> {
    /// The parameter on the horizontal axis, where it is a number.
    pub(crate) x: f64,
    /// Index in [`Data::categories`].
    pub(crate) category: usize,
    pub(crate) estimate: Estimate,
    pub(crate) cell: &'a CellSummary,
}

/// The points of one line or one colour of bars.
pub(crate) struct Series<'a> {
    pub(crate) label: String,
    pub(crate) points: Vec<Point<'a>>,
}

/// What a plot shows.
pub(crate) struct Data<'a> {
    /// The quantity as the spec names it.
    pub(crate) y: String,
    pub(crate) x: String,
    pub(crate) y_title: String,
    pub(crate) scale: Scale,
    pub(crate) series: Vec<Series<'a>>,
    pub(crate) categories: Vec<String>,
    /// Whether every point's `x` is a number.
    pub(crate) numeric: bool,
    /// Cells that have no such value, with the reason.
    pub(crate) missing: Vec<(String, String)>,
    /// What varies in the run but not among these cells, as `name=value`.
    pub(crate) same: Vec<String>,
    /// The cells that the figure is about.
    pub(crate) cells: usize,
    /// The labels of series of damage that show none and were left out.
    pub(crate) harmless: Vec<String>,
}

/// The most series of a picture; what is left out is said.
const MOST_SERIES: usize = 21;

/// Whether two values are the same, whole or with a fraction.
pub(crate) fn same_value(a: &Value, b: &Value) -> bool {
    a == b || matches!((a.as_number(), b.as_number()), (Some(a), Some(b)) if a == b)
}

impl<'a> Data<'a> {
    pub(crate) fn collect(index: &Index<'a>, manifest: &Manifest, spec: &FigureSpec, panel: &Panel<'a>) -> Self {
        let y = if spec.y.is_empty() { TIME } else { spec.y.as_str() };
        let mut missing = Vec::new();
        let mut found: Vec<(&'a CellSummary, Estimate)> = Vec::new();
        for cell in &panel.cells {
            match value(index, cell, y) {
                Ok(Some(estimate)) => found.push((cell, estimate)),
                Ok(None) => {}
                Err(reason) => missing.push((cell.id.clone(), reason)),
            }
        }
        let (names, same) = series_parameters(manifest, spec, &found);
        let mut data = Data {
            y: y.to_owned(),
            x: spec.x.clone(),
            y_title: title(y, operation(index.summary), &manifest.compare.metric),
            scale: Scale::plain(""),
            series: Vec::new(),
            categories: Vec::new(),
            numeric: !spec.x.is_empty(),
            missing,
            same,
            cells: panel.cells.len(),
            harmless: Vec::new(),
        };
        for (cell, estimate) in found {
            data.add(cell, estimate, spec, &names);
        }
        if data.series.len() > MOST_SERIES {
            let more = data.series.len() - MOST_SERIES;
            data.series.truncate(MOST_SERIES);
            let reason = "too many for one picture; the table has them".to_owned();
            data.missing.push((format!("{more} more series"), reason));
        }
        for series in &mut data.series {
            series.points.sort_by(|a, b| a.x.total_cmp(&b.x));
        }
        data.set_scale();
        data
    }

    fn add(&mut self, cell: &'a CellSummary, estimate: Estimate, spec: &FigureSpec, names: &[String]) {
        let at = cell.parameters.get(&spec.x);
        let x = at.and_then(Value::as_number);
        self.numeric &= x.is_some();
        let category = match at {
            Some(Value::Text(text)) if text.trim().is_empty() => "(empty)".to_owned(),
            Some(value) => value.to_string(),
            None if spec.x.is_empty() && !names.is_empty() => cell_label(cell, names),
            None => cell.id.clone(),
        };
        // Without a parameter along the axis every cell is a category of its own, and there is one series.
        let label = if spec.x.is_empty() { String::new() } else { series_label(&cell.parameters, names) };
        let place = self.categories.iter().position(|known| *known == category).unwrap_or_else(|| {
            self.categories.push(category);
            self.categories.len() - 1
        });
        let point = Point { x: x.unwrap_or(0.0), category: place, estimate, cell };
        match self.series.iter_mut().find(|series| series.label == label) {
            Some(series) => series.points.push(point),
            None => self.series.push(Series { label, points: vec![point] }),
        }
    }

    fn set_scale(&mut self) {
        let medians: Vec<f64> = self.points().map(|point| point.estimate.median).collect();
        let unit = self.points().next().map_or("", |point| point.estimate.unit.as_str()).to_owned();
        let largest = medians.iter().copied().map(f64::abs).fold(0.0, f64::max);
        let common = Scale::common(&unit, medians);
        self.scale = common.unwrap_or_else(|| Scale::of(&unit, largest));
    }

    pub(crate) fn points(&self) -> impl Iterator<Item = &Point<'a>> {
        self.series.iter().flat_map(|series| &series.points)
    }

    /// Whether it is of damage and shows none.
    pub(crate) fn is_harmless(&self) -> bool {
        self.series.iter().all(|series| harmless(&self.y, series))
    }

    /// Leaves out series of damage that show none; they are told in words.
    pub(crate) fn leave_out_harmless(&mut self) {
        let all = std::mem::take(&mut self.series);
        let (left_out, kept): (Vec<Series>, Vec<Series>) = all.into_iter().partition(|s| harmless(&self.y, s));
        self.series = kept;
        self.harmless = left_out.into_iter().map(|series| series.label).collect();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.series.is_empty()
    }

    /// The quantity with its unit.
    pub(crate) fn y_heading(&self) -> String {
        match self.scale.unit.as_str() {
            "" => self.y_title.clone(),
            unit if repeats(&self.y_title, unit) => self.y_title.clone(),
            unit => format!("{}, {unit}", self.y_title),
        }
    }

    /// Why there is nothing to show.
    pub(crate) fn why_empty(&self) -> String {
        match self.missing.first() {
            _ if !self.harmless.is_empty() => "less than 0.1 % was seen in its cells.".to_owned(),
            Some((cell, reason)) => {
                let all = if self.missing.len() > 1 {
                    format!(" (and {} more)", count(self.missing.len() as u64 - 1, "cell"))
                } else {
                    String::new()
                };
                format!("There is no {} to show: {cell}: {reason}{all}.", self.y_title)
            }
            None if self.cells == 0 => "No cell of this run has the parameters that this figure asks for.".to_owned(),
            None => format!("There is no {} to show: the run has no baseline to compare with.", self.y_title),
        }
    }

    /// What is not shown, once; empty where all is.
    pub(crate) fn not_shown(&self) -> String {
        let Some((cell, reason)) = self.missing.first().filter(|_| !self.is_empty()) else { return String::new() };
        let more = self.missing.len() - 1;
        let and = if more > 0 { format!(" and {}", count(more as u64, "other cell")) } else { String::new() };
        format!("Not shown: {cell}{and} ({reason}).")
    }

    /// The numbers of values behind the medians and the least coverage of their intervals.
    pub(crate) fn trust(&self) -> Option<Trust> {
        let ns = || self.points().map(|point| point.estimate.n);
        let n = (ns().min()?, ns().max()?);
        let with_interval = self.points().filter(|point| point.estimate.n > 1);
        let coverage = with_interval.map(|point| point.estimate.coverage).fold(1.0, f64::min);
        Some(Trust { n, coverage })
    }
}

/// Whether a series is of what was observed, and nothing was.
fn harmless(y: &str, series: &Series) -> bool {
    series.points.iter().all(|point| point.cell.observations.get(y).is_some_and(|seen| !is_something(seen)))
}

/// What a figure's quantity is called.
pub(crate) fn title(y: &str, operation: &str, compared: &str) -> String {
    match y {
        "extra" if compared.is_empty() || compared == TIME => format!("extra time per {operation}"),
        "extra" => format!("extra {}", metric_title(compared, operation)),
        "ratio" => "ratio to the baseline".to_owned(),
        "share" => format!("share of one {operation}"),
        _ if y.contains('-') && !y.ends_with("_per_op") => words(y),
        _ => metric_title(y, operation),
    }
}

/// A cell's value of a quantity; `None` for a baseline, which has no difference from itself.
pub(crate) fn value(index: &Index, cell: &CellSummary, y: &str) -> Result<Option<Estimate>, String> {
    let estimate = match y {
        "share" if !cell.observations.contains_key(y) => {
            match index.summary.shares.iter().find(|share| share.cell == cell.id) {
                Some(share) => share.share.clone(),
                None if index.summary.shares.is_empty() => return Err("no share could be worked out".to_owned()),
                // What is no baseline has none, and the part is the whole of itself.
                None => return Ok(None),
            }
        }
        "extra" | "ratio" => match index.comparison(&cell.id) {
            Some(comparison) if y == "extra" => comparison.difference.clone(),
            Some(comparison) => Estimate { unit: "×".to_owned(), ..comparison.ratio.clone() },
            None if index.is_baseline(&cell.id) || index.summary.comparisons.is_empty() => return Ok(None),
            None => return Err("it has no baseline".to_owned()),
        },
        _ => match (cell.metrics.get(y), cell.observations.get(y)) {
            (Some(metric), _) => metric.clone(),
            (None, Some(observation)) => as_share(observation),
            (None, None) => {
                let observed = index.summary.cells.iter().any(|cell| cell.observations.contains_key(y));
                let why = if observed { "its values were not looked at" } else { "it was not measured" };
                return Err(cell.absent.get(y).cloned().unwrap_or_else(|| why.to_owned()));
            }
        },
    };
    let finite = estimate.median.is_finite() && estimate.low.is_finite() && estimate.high.is_finite();
    if finite { Ok(Some(estimate)) } else { Err("it is not a finite number".to_owned()) }
}

/// The parameters that tell series apart, which are the spec's and whatever else varies among these cells, so that no
/// two of them fall on one point unsaid; and those that vary only elsewhere in the run, as `name=value`.
fn series_parameters(
    manifest: &Manifest,
    spec: &FigureSpec,
    cells: &[(&CellSummary, Estimate)],
) -> (Vec<String>, Vec<String>) {
    let mut names: Vec<String> = Vec::new();
    let mut same = Vec::new();
    if !spec.series.is_empty() {
        names.push(spec.series.clone());
    }
    for name in varied(manifest) {
        if name == spec.x || name == spec.panel || name == spec.series || spec.only.contains_key(&name) {
            continue;
        }
        let mut values = cells.iter().map(|(cell, _)| cell.parameters.get(&name));
        let first = values.next().flatten();
        match first {
            _ if values.any(|value| value != first) => names.push(name),
            Some(value) => same.push(format!("{name}={value}")),
            None => {}
        }
    }
    (names, same)
}

/// Text values as they are, others as `name=value`.
pub(crate) fn series_label(parameters: &Parameters, names: &[String]) -> String {
    let part = |name: &String| match parameters.get(name) {
        Some(Value::Text(text)) => Some(text.clone()),
        Some(value) => Some(format!("{name}={value}")),
        None => None,
    };
    names.iter().filter_map(part).collect::<Vec<_>>().join(", ")
}
