//! Bars with intervals over a parameter's values: lying, so that long names have room.

use std::fmt::Write;

use super::axis::{Axis, reach};
use super::canvas::{Anchor, Canvas, Paint, Type, n};
use super::data::Data;
use super::font::{ellipsis, width};
use super::frame::{LABEL, MARGIN, SMALL, Sign, WIDTH, footnote, header, legend};
use crate::names::words;
use crate::number::{sentence_in, shown, with_unit};

/// The most bars of a picture; what is left out is said.
const MOST: usize = 60;
const THICK: f64 = 19.0;

/// Draws the bars.
pub(crate) fn draw(title: &str, subtitle: &str, data: &Data) -> Canvas {
    let mut canvas = Canvas::new(WIDTH);
    let top = header(&mut canvas, title, subtitle) + LABEL;
    let per_category = |category: usize| data.points().filter(|point| point.category == category).count();
    let mut rows = 0;
    let categories: Vec<usize> = (0..data.categories.len())
        .take_while(|category| {
            rows += per_category(*category);
            rows <= MOST || *category == 0
        })
        .collect();
    let shown_points = || data.points().filter(|point| point.category < categories.len());

    let names = categories.iter().map(|category| width(&data.categories[*category], LABEL, false));
    let heading = if data.x.is_empty() { String::new() } else { words(&data.x) };
    let name_room = names.fold(width(&heading, SMALL, false), f64::max).min(250.0);
    let left = MARGIN + name_room + 12.0;
    let text = |point: &super::data::Point| with_unit(&shown(&point.estimate, &data.scale).median, &data.scale.unit);
    let value_room = shown_points().map(|point| width(&text(point), SMALL, false)).fold(0.0, f64::max);
    let right = WIDTH - MARGIN - value_room - 12.0;

    let ends: Vec<f64> = shown_points()
        .flat_map(|p| [p.estimate.low, p.estimate.median, p.estimate.high])
        .map(|v| data.scale.apply(v))
        .collect();
    let (low, high) = reach(&ends);
    let axis = Axis::of_values(low, high, false);
    let at = |value: f64| left + (right - left) * axis.place(value);

    canvas.text(
        (MARGIN, top),
        Type::new(SMALL, Anchor::Start, Paint::Muted),
        &ellipsis(&heading, SMALL, false, name_room),
    );
    canvas.text((left, top), Type::new(LABEL, Anchor::Start, Paint::Ink), &data.y_heading());
    let top = top + 14.0;
    let gap = if data.series.len() > 1 { 12.0 } else { 8.0 };
    let height: f64 = categories.iter().map(|category| per_category(*category) as f64 * THICK + gap).sum();
    let bottom = top + height;
    grid(&mut canvas, &axis, &at, (top, bottom));

    let mut y = top + gap / 2.0;
    for category in &categories {
        let number = per_category(*category) as f64;
        let name = ellipsis(&data.categories[*category], LABEL, false, name_room);
        let middle = y + number * THICK / 2.0 + LABEL * 0.36;
        canvas.text((left - 10.0, middle), Type::new(LABEL, Anchor::End, Paint::Ink), &name);
        for (series, points) in data.series.iter().enumerate() {
            for point in points.points.iter().filter(|point| point.category == *category) {
                let [low, median, high] =
                    [point.estimate.low, point.estimate.median, point.estimate.high].map(|v| at(data.scale.apply(v)));
                let zero = at(0.0);
                let name = if points.label.is_empty() { String::new() } else { format!("{}, ", points.label) };
                let whole =
                    format!("{name}{}: {}", data.categories[*category], sentence_in(&point.estimate, &data.scale));
                // A bar of nothing still shows where it is.
                let bar = [zero.min(median), y + 2.0, (median - zero).abs().max(1.0), THICK - 4.0];
                canvas.rect_titled(bar, Paint::Series(series), &whole);
                let center = y + THICK / 2.0;
                if point.estimate.n > 1 && high > low {
                    let mut path = String::new();
                    let _ = write!(path, "M{} {}H{}", n(low), n(center), n(high));
                    for end in [low, high] {
                        let _ = write!(path, "M{} {}v8", n(end), n(center - 4.0));
                    }
                    canvas.stroke(&path, Paint::Ink, 1.3, "");
                }
                let x = high.max(median).max(zero) + 7.0;
                canvas.text((x, center + SMALL * 0.36), Type::new(SMALL, Anchor::Start, Paint::Ink), &text(point));
                y += THICK;
            }
        }
        y += gap;
    }
    let mut below = bottom + SMALL + 14.0;
    let entries: Vec<(Sign, String)> =
        data.series.iter().enumerate().map(|(number, s)| (Sign::Square(number), s.label.clone())).collect();
    below = legend(&mut canvas, below, &entries);
    let mut notes = data.not_shown();
    if categories.len() < data.categories.len() {
        notes = format!(
            "The first {} of {} are shown; the table has all. {notes}",
            categories.len(),
            data.categories.len()
        );
    }
    canvas.height = footnote(&mut canvas, below, notes.trim()) + MARGIN;
    canvas
}

/// Lines at the ticks, with labels where there is room.
fn grid(canvas: &mut Canvas, axis: &Axis, at: &dyn Fn(f64) -> f64, (top, bottom): (f64, f64)) {
    let mut free_from = f64::NEG_INFINITY;
    for (value, label) in axis.ticks() {
        let x = at(value);
        let paint = if value == 0.0 { Paint::Axis } else { Paint::Grid };
        canvas.line((x, top), (x, bottom), paint, 1.0, "");
        let half = width(&label, SMALL, false) / 2.0;
        if x - half > free_from {
            canvas.text((x, bottom + SMALL + 5.0), Type::new(SMALL, Anchor::Middle, Paint::Muted), &label);
            free_from = x + half + 7.0;
        }
    }
}
