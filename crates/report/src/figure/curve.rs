//! Lines with intervals over a numeric parameter.

use std::fmt::Write;

use hitm_experiment::Manifest;

use super::axis::{Axis, reach};
use super::canvas::{Anchor, Canvas, Paint, Type, dash, n};
use super::data::{Data, Point};
use super::font::width;
use super::frame::{LABEL, MARGIN, SMALL, Sign, WIDTH, footnote, header, legend};
use crate::names::words;
use crate::number::sentence_in;

const HEIGHT: f64 = 310.0;
/// Space between an axis and the first point.
const INSET: f64 = 26.0;

/// Where the plot lies on the canvas, and its axes.
struct Plot<'a> {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    x: Axis,
    y: Axis,
    data: &'a Data<'a>,
}

impl Plot<'_> {
    fn at_x(&self, value: f64) -> f64 {
        self.left + INSET + (self.right - self.left - 2.0 * INSET) * self.x.place(value)
    }

    fn at_y(&self, value: f64) -> f64 {
        self.bottom - (self.bottom - self.top) * self.y.place(self.data.scale.apply(value))
    }

    /// Series at one place step aside a little, so that their intervals can be told apart.
    fn aside(&self, series: usize) -> f64 {
        let number = self.data.series.len().min(7);
        if number < 2 { 0.0 } else { ((series % 7) as f64 - (number as f64 - 1.0) / 2.0) * 3.0 }
    }
}

/// Draws the curves.
pub(crate) fn draw(title: &str, subtitle: &str, data: &Data, manifest: &Manifest) -> Canvas {
    let mut canvas = Canvas::new(WIDTH);
    let mut top = header(&mut canvas, title, subtitle) + LABEL;
    canvas.text((MARGIN, top), Type::new(LABEL, Anchor::Start, Paint::Ink), &data.y_heading());
    let line = line_mark(data, manifest);
    top += if line.is_some() { 30.0 } else { 14.0 };

    let ends: Vec<f64> = data
        .points()
        .flat_map(|p| [p.estimate.low, p.estimate.median, p.estimate.high])
        .map(|v| data.scale.apply(v))
        .collect();
    let (low, high) = reach(&ends);
    let y = if data.y == "extra" { Axis::of_values(low, high, false) } else { Axis::of_values_with_zeros(&ends) };
    let mut xs: Vec<f64> = data.points().map(|point| point.x).collect();
    xs.sort_by(f64::total_cmp);
    xs.dedup();
    let ticks = y.ticks();
    let tick_width = ticks.iter().map(|(_, label)| width(label, SMALL, false)).fold(0.0, f64::max);
    let plot = Plot {
        left: MARGIN + tick_width + 10.0,
        right: WIDTH - MARGIN,
        top,
        bottom: top + HEIGHT,
        x: Axis::of_parameter(&xs),
        y,
        data,
    };
    for (value, label) in &ticks {
        let y = plot.bottom - HEIGHT * plot.y.place(*value);
        let paint = if *value == 0.0 { Paint::Axis } else { Paint::Grid };
        canvas.line((plot.left, y), (plot.right, y), paint, 1.0, "");
        canvas.text((plot.left - 8.0, y + SMALL * 0.36), Type::new(SMALL, Anchor::End, Paint::Muted), label);
    }
    if let Some(place) = plot.y.break_place() {
        let y = plot.bottom - HEIGHT * place;
        canvas.line((plot.left - 4.0, y + 5.0), (plot.left + 4.0, y + 1.0), Paint::Axis, 1.2, "");
        canvas.line((plot.left - 4.0, y - 1.0), (plot.left + 4.0, y - 5.0), Paint::Axis, 1.2, "");
    }
    // Where zero has a line of its own, the frame below it stays in the background.
    let frame = if plot.y.place(0.0) > 0.0 && low < 0.0 { Paint::Grid } else { Paint::Axis };
    canvas.line((plot.left, plot.bottom), (plot.right, plot.bottom), frame, 1.0, "");
    if let Some(bytes) = line {
        let x = plot.at_x(bytes);
        canvas.line((x, plot.top - 6.0), (x, plot.bottom), Paint::Muted, 1.2, "3 3");
        let text = format!("this machine's line: {bytes} bytes");
        let half = width(&text, SMALL, false) / 2.0;
        let x = x.clamp(plot.left + half, plot.right - half);
        canvas.text((x, plot.top - 10.0), Type::new(SMALL, Anchor::Middle, Paint::Muted), &text);
    }
    x_ticks(&mut canvas, &plot, &xs);
    for (number, series) in data.series.iter().enumerate() {
        draw_series(&mut canvas, &plot, number, &series.points, &series.label);
    }
    let mut below = plot.bottom + SMALL + 12.0 + LABEL * 1.3;
    let middle = (plot.left + plot.right) / 2.0;
    let scale = if matches!(plot.x, Axis::Linear { .. }) { "" } else { " (log scale)" };
    canvas.text((middle, below), Type::new(LABEL, Anchor::Middle, Paint::Ink), &format!("{}{scale}", x_title(&data.x)));
    below += 10.0;
    let entries: Vec<(Sign, String)> =
        data.series.iter().enumerate().map(|(number, s)| (Sign::Line(number), s.label.clone())).collect();
    below = legend(&mut canvas, below, &entries);
    let mut notes = data.not_shown();
    match plot.y {
        Axis::Log { .. } => notes = format!("The vertical axis is logarithmic. {notes}"),
        Axis::LogWithZero { .. } => {
            notes = format!("The vertical axis is logarithmic, with zero below a break. {notes}")
        }
        Axis::Linear { .. } => {}
    }
    canvas.height = footnote(&mut canvas, below, notes.trim()) + MARGIN;
    canvas
}

fn draw_series(canvas: &mut Canvas, plot: &Plot, number: usize, points: &[Point], label: &str) {
    let aside = plot.aside(number);
    let at = |point: &Point, value: f64| (plot.at_x(point.x) + aside, plot.at_y(value));
    let paint = Paint::Series(number);
    let path = |places: &mut dyn Iterator<Item = (f64, f64)>| {
        let parts: Vec<String> = places.map(|(x, y)| format!("{} {}", n(x), n(y))).collect();
        parts.join("L")
    };
    if points.len() > 1 {
        let highs = path(&mut points.iter().map(|point| at(point, point.estimate.high)));
        let lows = path(&mut points.iter().rev().map(|point| at(point, point.estimate.low)));
        canvas.area(&format!("M{highs}L{lows}Z"), paint, 0.13);
        let medians = path(&mut points.iter().map(|point| at(point, point.estimate.median)));
        canvas.stroke(&format!("M{medians}"), paint, 2.2, dash(number));
    }
    let mut whiskers = String::new();
    for point in points.iter().filter(|point| point.estimate.n > 1 && point.estimate.high > point.estimate.low) {
        let ((x, low), (_, high)) = (at(point, point.estimate.low), at(point, point.estimate.high));
        let _ = write!(whiskers, "M{} {}V{}", n(x), n(low), n(high));
        for end in [low, high] {
            let _ = write!(whiskers, "M{} {}h8", n(x - 4.0), n(end));
        }
    }
    if !whiskers.is_empty() {
        canvas.stroke(&whiskers, paint, 1.4, "");
    }
    for point in points {
        let name = if label.is_empty() { String::new() } else { format!("{label}, ") };
        let value = sentence_in(&point.estimate, &plot.data.scale);
        let text = format!("{name}{}={}: {value}", plot.data.x, plot.data.categories[point.category]);
        canvas.marker(at(point, point.estimate.median), number, &text);
    }
}

/// The parameter's own values as ticks, as many as have room.
fn x_ticks(canvas: &mut Canvas, plot: &Plot, xs: &[f64]) {
    let y = plot.bottom + SMALL + 8.0;
    let label = |value: f64| {
        let known = plot.data.points().find(|point| point.x == value);
        known.map_or(String::new(), |point| plot.data.categories[point.category].clone())
    };
    let mut free_from = f64::NEG_INFINITY;
    let mut row = |value: f64| {
        let (x, label) = (plot.at_x(value), label(value));
        let half = width(&label, SMALL, false) / 2.0;
        let x_text = x.max(MARGIN + half).min(WIDTH - 2.0 - half);
        if x_text - half > free_from {
            canvas.line((x, plot.bottom), (x, plot.bottom + 5.0), Paint::Axis, 1.0, "");
            canvas.text((x_text, y), Type::new(SMALL, Anchor::Middle, Paint::Muted), &label);
            free_from = x_text + half + 7.0;
        }
    };
    xs.iter().for_each(|value| row(*value));
    if let Some(place) = plot.x.break_place() {
        let x = plot.left + INSET + (plot.right - plot.left - 2.0 * INSET) * place;
        canvas.line((x - 5.0, plot.bottom + 4.0), (x - 1.0, plot.bottom - 4.0), Paint::Axis, 1.2, "");
        canvas.line((x + 1.0, plot.bottom + 4.0), (x + 5.0, plot.bottom - 4.0), Paint::Axis, 1.2, "");
    }
}

/// The machine's line size, where the axis is a distance in memory that includes it.
fn line_mark(data: &Data, manifest: &Manifest) -> Option<f64> {
    let bytes = manifest.line.bytes as f64;
    let xs: Vec<f64> = data.points().map(|point| point.x).collect();
    let (low, high) = reach(&xs);
    (data.x == "stride" && low < high && (low..=high).contains(&bytes)).then_some(bytes)
}

/// The name of a parameter with its unit, where all kernels agree on one.
pub(crate) fn x_title(name: &str) -> String {
    match name {
        "stride" | "base" => format!("{name}, bytes"),
        "work" => "work between operations, units".to_owned(),
        _ => words(name),
    }
}
