//! What a scatter plot shows: each cell's value of two metrics, by series, and the line of what an event costs.

use hitm_analysis::{CellSummary, Estimate, EventExplanation};
use hitm_experiment::manifest::{FigureSpec, Manifest};

use crate::explain::honest;
use crate::figure::Panel;
use crate::figure::canvas::SERIES;
use crate::figure::data::{series_label, title, value};
use crate::names::{Index, TIME, operation, varied};
use crate::number::{Scale, percent, sentence_in};
use crate::text::count;

/// One cell.
pub(crate) struct Point<'a> {
    pub(crate) x: Estimate,
    pub(crate) y: Estimate,
    pub(crate) cell: &'a CellSummary,
    /// What tells it from the others of its series.
    pub(crate) label: String,
}

/// The points of one colour.
pub(crate) struct Series<'a> {
    pub(crate) label: String,
    pub(crate) points: Vec<Point<'a>>,
}

/// What a scatter plot shows.
pub(crate) struct Points<'a> {
    pub(crate) y: String,
    x_title: String,
    y_title: String,
    pub(crate) x_scale: Scale,
    pub(crate) y_scale: Scale,
    pub(crate) series: Vec<Series<'a>>,
    missing: Vec<(String, String)>,
    /// What is the same of all these cells though it varies in the run.
    pub(crate) same: Vec<String>,
    cells: usize,
    /// The event along the axis, where the run explains by it.
    pub(crate) event: Option<&'a EventExplanation>,
    /// Lines of the cost: from (x, y) with a slope to another x.
    pub(crate) lines: Vec<(f64, f64, f64, f64)>,
    pub(crate) line_label: String,
}

/// The suffix of what was scaled.
const SCALED: &str = " (scaled estimate)";

/// Whether one cell is the other with one worker.
fn is_alone(cell: &CellSummary, base: &CellSummary) -> bool {
    let others = |cell: &CellSummary| {
        let mut parameters = cell.parameters.clone();
        let workers = parameters.remove("workers");
        (workers.and_then(|workers| workers.as_number()), parameters)
    };
    let ((_, these), (workers, those)) = (others(cell), others(base));
    workers == Some(1.0) && these == those
}

impl<'a> Points<'a> {
    pub(crate) fn collect(index: &Index<'a>, manifest: &Manifest, spec: &FigureSpec, panel: &Panel<'a>) -> Self {
        let y = if spec.y.is_empty() { TIME } else { spec.y.as_str() };
        let counted = panel.cells.iter().any(|cell| cell.metrics.contains_key(&spec.x));
        let scaled = format!("{}{SCALED}", spec.x);
        let x = if counted || !panel.cells.iter().any(|cell| cell.metrics.contains_key(&scaled)) {
            spec.x.as_str()
        } else {
            scaled.as_str()
        };
        let (mut found, mut missing) = (Vec::new(), Vec::new());
        for cell in &panel.cells {
            let both = value(index, cell, x).and_then(|x| Ok((x, value(index, cell, y)?)));
            match both {
                Ok((Some(x), Some(y))) => found.push((*cell, x, y)),
                Ok(_) => {}
                Err(reason) => missing.push((cell.id.clone(), cell.absent.get(&spec.x).cloned().unwrap_or(reason))),
            }
        }
        let heading = |name: &str| title(name, operation(index.summary), &manifest.compare.metric);
        let explanation = index.summary.explanation.as_ref();
        let event = spec.x.strip_suffix("_per_op").and_then(|event| explanation?.of(event));
        let name = match event {
            Some(event) => {
                let unit = manifest.events.iter().find(|info| info.name == event.name).map_or("", |info| &info.unit);
                let unit = if unit.is_empty() || unit == event.name { "events" } else { unit };
                format!("{}, {unit} per {}", event.name, operation(index.summary))
            }
            None => heading(&spec.x),
        };
        let x_title = if x.ends_with(SCALED) { format!("{name}{SCALED}") } else { name };
        let mut points = Points {
            y: y.to_owned(),
            x_title,
            y_title: heading(y),
            x_scale: Scale::plain(""),
            y_scale: Scale::plain(""),
            series: Vec::new(),
            missing,
            same: Vec::new(),
            cells: panel.cells.len(),
            event,
            lines: Vec::new(),
            line_label: String::new(),
        };
        points.set_scales(&found);
        points.fill(manifest, spec, found);
        points.set_lines(index);
        points
    }

    fn set_scales(&mut self, found: &[(&CellSummary, Estimate, Estimate)]) {
        let scale = |of: for<'e> fn(&'e (&CellSummary, Estimate, Estimate)) -> &'e Estimate| {
            let unit = found.first().map_or("", |first| of(first).unit.as_str());
            let largest = found.iter().map(|one| of(one).median.abs()).fold(0.0, f64::max);
            let common = Scale::common(unit, found.iter().map(|one| of(one).median));
            common.unwrap_or_else(|| Scale::of(unit, largest))
        };
        // An event's unit is its own name.
        self.x_scale = Scale { unit: String::new(), ..scale(|one| &one.1) };
        self.y_scale = scale(|one| &one.2);
    }

    /// The points by series, each named by what else varies among them.
    fn fill(&mut self, manifest: &Manifest, spec: &FigureSpec, found: Vec<(&'a CellSummary, Estimate, Estimate)>) {
        let values = |name: &String| {
            let mut values: Vec<String> = Vec::new();
            for (cell, ..) in &found {
                let value = cell.parameters.get(name).map_or(String::new(), ToString::to_string);
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            values
        };
        let mut varies = Vec::new();
        for name in varied(manifest).into_iter().filter(|name| *name != spec.panel && !spec.only.contains_key(name)) {
            match values(&name).as_slice() {
                [] => {}
                [one] if !one.is_empty() => self.same.push(format!("{name}={one}")),
                [_] => {}
                _ => varies.push(name),
            }
        }
        let words = |name: &&String| {
            found.iter().any(|(cell, ..)| cell.parameters.get(*name).is_some_and(|value| value.as_number().is_none()))
        };
        let tellable = |name: &&String| values(name).len() <= SERIES.len();
        let series = match spec.series.as_str() {
            "" => varies.iter().filter(tellable).find(words).or(varies.iter().find(tellable)).cloned(),
            name => Some(name.to_owned()),
        };
        varies.retain(|name| Some(name) != series.as_ref());
        for (cell, x, y) in found {
            let mut label = series_label(&cell.parameters, series.as_slice());
            let known = self.series.iter().any(|series| series.label == label);
            if !known && self.series.len() >= SERIES.len() {
                label = "others".to_owned();
            }
            let point = Point { x: honest(&x), y, cell, label: series_label(&cell.parameters, &varies) };
            match self.series.iter_mut().find(|series| series.label == label) {
                Some(series) => series.points.push(point),
                None => self.series.push(Series { label, points: vec![point] }),
            }
        }
    }

    /// A line from each cell that others here are held against, as steep as one event costs.
    fn set_lines(&mut self, index: &Index) {
        let cost = self.event.and_then(|event| match self.y.as_str() {
            TIME => event.cost.as_ref(),
            "cycles_per_op" => event.cost_cycles.as_ref().filter(|cost| cost.unit == "cycles"),
            "cycles_per_op_estimated" => event.cost_cycles.as_ref().filter(|cost| cost.unit != "cycles"),
            _ => None,
        });
        let (Some(cost), Some(explanation)) = (cost, index.summary.explanation.as_ref()) else { return };
        let is_against = |cell: &CellSummary, base: &CellSummary| match &explanation.fastest {
            Some(fastest) => *fastest == base.id,
            None if explanation.alone => is_alone(cell, base),
            None => index.comparison(&cell.id).is_some_and(|comparison| comparison.baseline == base.id),
        };
        let points = || self.series.iter().flat_map(|series| &series.points);
        let lines = points().filter_map(|base| {
            let held = points().filter(|point| point.cell.id != base.cell.id && is_against(point.cell, base.cell));
            let far = |a: f64, b: f64| if (b - base.x.median).abs() > (a - base.x.median).abs() { b } else { a };
            let reach = held.map(|point| point.x.median).fold(base.x.median, far);
            (reach != base.x.median).then_some((base.x.median, base.y.median, cost.median, reach))
        });
        self.lines = lines.collect();
        let scale = Scale::of(&cost.unit, cost.median);
        self.line_label = format!("one costs {}", sentence_in(&honest(cost), &scale));
        if let Some(share) = self.event.and_then(|event| event.share.as_ref()) {
            let what = if explanation.saved { "time saved" } else { "loss" };
            self.line_label += &format!(": {} of the {what}", sentence_in(&honest(share), &Scale::percent()));
        }
        // The points' own intervals cover something else.
        if cost.coverage > 0.0 {
            self.line_label += &format!(" (intervals {})", percent(cost.coverage).replace(' ', "\u{a0}"));
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.series.is_empty()
    }

    pub(crate) fn x_heading(&self) -> String {
        self.x_title.clone()
    }

    pub(crate) fn y_heading(&self) -> String {
        match self.y_scale.unit.as_str() {
            "" => self.y_title.clone(),
            unit if self.y_title.starts_with(unit) => self.y_title.clone(),
            unit => format!("{}, {unit}", self.y_title),
        }
    }

    pub(crate) fn why_empty(&self) -> String {
        match self.missing.first() {
            Some((cell, reason)) => {
                let more = match self.missing.len() - 1 {
                    0 => String::new(),
                    more => format!(" (and {} more)", count(more as u64, "cell")),
                };
                format!("There is no {} over {} to show: {cell}: {reason}{more}.", self.y_title, self.x_title)
            }
            None if self.cells == 0 => "No cell of this run has the parameters that this figure asks for.".to_owned(),
            None => format!("There is no {} over {} to show.", self.y_title, self.x_title),
        }
    }

    /// What is not shown, once; empty where all is.
    pub(crate) fn not_shown(&self) -> String {
        let Some((cell, reason)) = self.missing.first().filter(|_| !self.is_empty()) else { return String::new() };
        let and = match self.missing.len() - 1 {
            0 => String::new(),
            more => format!(" and {}", count(more as u64, "other cell")),
        };
        format!("Not shown: {cell}{and} ({reason}).")
    }

    /// Of how many trials the values are, and what their intervals cover.
    pub(crate) fn trust(&self) -> String {
        let all = || self.series.iter().flat_map(|series| &series.points);
        let trials = |of: for<'e> fn(&'e Point) -> &'e Estimate| {
            let (least, most) = (all().map(|p| of(p).n).min()?, all().map(|p| of(p).n).max()?);
            Some(if least == most { least.to_string() } else { format!("{least} to {most}") })
        };
        let (Some(x), Some(y)) = (trials(|point| &point.x), trials(|point| &point.y)) else { return String::new() };
        let n = if x == y {
            format!("n\u{a0}=\u{a0}{y} trials")
        } else {
            format!("n\u{a0}=\u{a0}{y} trials (up), {x} (across)")
        };
        let estimates = all().flat_map(|point| [&point.x, &point.y]).filter(|one| one.n > 1);
        let coverage = estimates.map(|one| one.coverage).reduce(f64::min);
        let coverage = coverage.map_or(", single values".to_owned(), |coverage| {
            format!(", intervals ≥\u{a0}{}", percent((coverage * 100.0).floor() / 100.0).replace(' ', "\u{a0}"))
        });
        format!("a point is a cell: medians of {n}{coverage}")
    }
}
