//! One metric over another, a point a cell: time over an event, with the line of what the event costs.

use std::fmt::Write;

use hitm_experiment::manifest::{FigureKind, FigureSpec, Manifest};

use super::axis::{Axis, reach};
use super::canvas::{Anchor, Canvas, Paint, Type, n};
use super::font::width;
use super::frame::{COST_DASH, COST_WIDTH, LABEL, MARGIN, SMALL, Sign, WIDTH, footnote, header, legend, nothing};
use super::{Figure, Panel, file_name, panel_words, subtitle};
use crate::explain::of_event;
use crate::names::Index;
use crate::number::sentence_in;
use labels::{Box, Labels};
use points::{Point, Points};

mod labels;
mod points;

const HEIGHT: f64 = 330.0;
/// Space between the axes and a point at zero.
const INSET: f64 = 12.0;
/// Lines of the cost that begin this near each other are drawn as one.
const NEAR: f64 = 10.0;
/// More lines than this would hide the points; then there is none.
const MOST_LINES: usize = 6;
/// Points nearer than this lie on each other.
const COINCIDE: f64 = 4.0;
/// With more points their names would be a crowd.
const MOST_NAMED: usize = 30;

/// The figure of one panel.
pub(crate) fn figure(index: &Index, manifest: &Manifest, spec: &FigureSpec, panel: &Panel) -> Figure {
    let points = Points::collect(index, manifest, spec, panel);
    let title = if spec.title.is_empty() { points.y_heading() } else { spec.title.clone() };
    let fixed = [panel_words(spec, panel), points.same.join(", ")].join(", ");
    let subtitle = subtitle(index.summary, manifest, fixed.trim_matches([',', ' ']), None);
    let subtitle = [subtitle, points.trust()].join(" · ").trim_end_matches(" · ").to_owned();
    let told = match (&index.summary.explanation, points.event) {
        (Some(explanation), Some(event)) => of_event(explanation, event),
        _ => String::new(),
    };
    let caption = match points.is_empty() {
        true => points.why_empty(),
        false => {
            let told =
                if told.is_empty() { format!("{} over {}.", points.y_heading(), points.x_heading()) } else { told };
            format!("{told} {}", points.not_shown()).trim_end().to_owned()
        }
    };
    let alt = format!("Scatter plot of {} over {}. {caption}", points.y_heading(), points.x_heading());
    let svg = match points.is_empty() {
        true => nothing(&title, &subtitle, &points.why_empty()),
        false => draw(&title, &subtitle, &points),
    };
    let name = file_name(&[&points.y, &spec.x, &panel.label]);
    Figure { kind: FigureKind::Scatter, name, svg: svg.finish(&title, &alt), title, caption, alt }
}

/// Where the plot lies, and its axes.
struct Plot<'a> {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    x: Axis,
    y: Axis,
    points: &'a Points<'a>,
}

impl Plot<'_> {
    fn at(&self, x: f64, y: f64) -> (f64, f64) {
        let room = self.right - self.left - 2.0 * INSET;
        let (x, y) = (self.points.x_scale.apply(x), self.points.y_scale.apply(y));
        (self.left + INSET + room * self.x.place(x), self.bottom - (self.bottom - self.top) * self.y.place(y))
    }

    fn place(&self, point: &Point) -> (f64, f64) {
        self.at(point.x.median, point.y.median)
    }
}

fn draw(title: &str, subtitle: &str, points: &Points) -> Canvas {
    let mut canvas = Canvas::new(WIDTH);
    let mut top = header(&mut canvas, title, subtitle) + LABEL;
    canvas.text((MARGIN, top), Type::new(LABEL, Anchor::Start, Paint::Ink), &points.y_heading());
    top += 14.0;
    let all = || points.series.iter().flat_map(|series| &series.points);
    let (x_low, x_high) = reach(
        &all().flat_map(|p| [p.x.low, p.x.median, p.x.high]).map(|v| points.x_scale.apply(v)).collect::<Vec<_>>(),
    );
    let (y_low, y_high) = reach(
        &all().flat_map(|p| [p.y.low, p.y.median, p.y.high]).map(|v| points.y_scale.apply(v)).collect::<Vec<_>>(),
    );
    let (x, y) = (Axis::of_values(x_low, x_high, false), Axis::of_values(y_low, y_high, false));
    let ticks = y.ticks();
    let tick_width = ticks.iter().map(|(_, label)| width(label, SMALL, false)).fold(0.0, f64::max);
    let plot =
        Plot { left: MARGIN + tick_width + 10.0, right: WIDTH - MARGIN, top, bottom: top + HEIGHT, x, y, points };
    for (value, label) in &ticks {
        let y = plot.bottom - HEIGHT * plot.y.place(*value);
        let paint = if *value == 0.0 { Paint::Axis } else { Paint::Grid };
        canvas.line((plot.left, y), (plot.right, y), paint, 1.0, "");
        canvas.text((plot.left - 8.0, y + SMALL * 0.36), Type::new(SMALL, Anchor::End, Paint::Muted), label);
    }
    x_ticks(&mut canvas, &plot);
    let lines = cost_lines(&plot);
    for [from, to] in &lines {
        canvas.line(*from, *to, Paint::Ink, COST_WIDTH, COST_DASH);
    }
    for (number, series) in points.series.iter().enumerate() {
        draw_series(&mut canvas, &plot, number, &series.label, &series.points);
    }
    name_points(&mut canvas, &plot, &lines);
    let mut below = plot.bottom + SMALL + 12.0 + LABEL * 1.3;
    let middle = (plot.left + plot.right) / 2.0;
    canvas.text((middle, below), Type::new(LABEL, Anchor::Middle, Paint::Ink), &points.x_heading());
    below += 10.0;
    let mut entries: Vec<(Sign, String)> = points
        .series
        .iter()
        .enumerate()
        .filter(|(_, series)| !series.label.is_empty())
        .map(|(number, series)| (Sign::Marker(number), series.label.clone()))
        .collect();
    if !lines.is_empty() {
        entries.push((Sign::Cost, points.line_label.clone()));
    }
    below = legend(&mut canvas, below, &entries);
    canvas.height = footnote(&mut canvas, below, &points.not_shown()) + MARGIN;
    canvas
}

fn draw_series(canvas: &mut Canvas, plot: &Plot, number: usize, label: &str, points: &[Point]) {
    let mut whiskers = String::new();
    for point in points {
        let (x, y) = plot.place(point);
        if point.y.n > 1 && point.y.high > point.y.low {
            let ((_, low), (_, high)) = (plot.at(point.x.median, point.y.low), plot.at(point.x.median, point.y.high));
            let _ = write!(whiskers, "M{} {}V{}", n(x), n(low), n(high));
        }
        if point.x.n > 1 && point.x.high > point.x.low {
            let ((low, _), (high, _)) = (plot.at(point.x.low, point.y.median), plot.at(point.x.high, point.y.median));
            let _ = write!(whiskers, "M{} {}H{}", n(low), n(y), n(high));
        }
    }
    if !whiskers.is_empty() {
        canvas.stroke(&whiskers, Paint::Series(number), 1.4, "");
    }
    for point in points {
        let of = [label, &point.label].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
        let y = sentence_in(&point.y, &plot.points.y_scale);
        let x = sentence_in(&point.x, &plot.points.x_scale);
        canvas.marker(plot.place(point), number, &format!("{of}: {y} at {x}"));
    }
}

/// The line of the cost from each cell that others are held against, as far as it stays in the picture.
fn cost_lines(plot: &Plot) -> Vec<[(f64, f64); 2]> {
    let points = plot.points;
    let mut lines = Vec::new();
    for &(x0, y0, slope, x1) in &points.lines {
        // From left to right, and no further up or down than the axis goes.
        let (from, to) = if x0 <= x1 { (x0, x1) } else { (x1, x0) };
        let y = |x: f64| y0 + slope * (x - x0);
        let Axis::Linear { low, high, .. } = plot.y else { continue };
        let (low, high) = (low * points.y_scale.factor, high * points.y_scale.factor);
        let cut = |x: f64| match y(x) {
            over if over > high && slope != 0.0 => x0 + (high - y0) / slope,
            under if under < low && slope != 0.0 => x0 + (low - y0) / slope,
            _ => x,
        };
        let (from, to) = (cut(from), cut(to));
        if from.is_finite() && to.is_finite() && to > from {
            lines.push([plot.at(from, y(from)), plot.at(to, y(to))]);
        }
    }
    // Lines that begin at one point are one; the longest stands for them.
    lines.sort_by(|a, b| b[1].0.total_cmp(&a[1].0));
    let mut apart: Vec<[(f64, f64); 2]> = Vec::new();
    for line in lines {
        let near = |other: &[(f64, f64); 2]| (line[0].0 - other[0].0).hypot(line[0].1 - other[0].1) < NEAR;
        if !apart.iter().any(near) {
            apart.push(line);
        }
    }
    if apart.len() > MOST_LINES { Vec::new() } else { apart }
}

fn x_ticks(canvas: &mut Canvas, plot: &Plot) {
    let mut free_from = f64::NEG_INFINITY;
    for (value, label) in plot.x.ticks() {
        let x = plot.at(value * plot.points.x_scale.factor, 0.0).0;
        canvas.line((x, plot.top), (x, plot.bottom), Paint::Grid, 1.0, "");
        canvas.line((x, plot.bottom), (x, plot.bottom + 5.0), Paint::Axis, 1.0, "");
        let half = width(&label, SMALL, false) / 2.0;
        let middle = x.min(WIDTH - 2.0 - half);
        if middle - half > free_from {
            let place = (middle, plot.bottom + SMALL + 8.0);
            canvas.text(place, Type::new(SMALL, Anchor::Middle, Paint::Muted), &label);
            free_from = middle + half + 7.0;
        }
    }
}

/// Names beside the points, where they have room.
fn name_points(canvas: &mut Canvas, plot: &Plot, lines: &[[(f64, f64); 2]]) {
    let all: Vec<&Point> = plot.points.series.iter().flat_map(|series| &series.points).collect();
    if all.len() > MOST_NAMED {
        return;
    }
    let mut labels = Labels::new(Box { left: plot.left, right: plot.right, top: plot.top, bottom: plot.bottom });
    for point in &all {
        let (x, y) = plot.place(point);
        labels.keep_clear(Box::around(x, y, 7.0));
        let ((left, _), (right, _)) = (plot.at(point.x.low, point.y.median), plot.at(point.x.high, point.y.median));
        let ((_, bottom), (_, top)) = (plot.at(point.x.median, point.y.low), plot.at(point.x.median, point.y.high));
        labels.keep_clear(Box { left, right, top: y, bottom: y });
        labels.keep_clear(Box { left: x, right: x, top, bottom });
    }
    for [from, to] in lines {
        for step in 0..=100 {
            let part = f64::from(step) / 100.0;
            labels.keep_clear(Box::around(from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part, 1.0));
        }
    }
    // Points that lie on each other have one name, of all of them.
    let mut named: Vec<((f64, f64), Vec<&str>)> = Vec::new();
    for point in all.iter().filter(|point| !point.label.is_empty()) {
        let (x, y) = plot.place(point);
        match named.iter_mut().find(|(place, _)| (place.0 - x).hypot(place.1 - y) < COINCIDE) {
            Some((_, names)) if names.contains(&point.label.as_str()) => {}
            Some((_, names)) => names.push(&point.label),
            None => named.push(((x, y), vec![&point.label])),
        }
    }
    for ((x, y), names) in named {
        let name = labels::together(&names);
        if let Some((place, anchor)) = labels.place(x, y, width(&name, SMALL - 1.0, false)) {
            canvas.text(place, Type::new(SMALL - 1.0, anchor, Paint::Muted), &name);
        }
    }
}
