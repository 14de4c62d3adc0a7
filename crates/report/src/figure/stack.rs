//! Where workers' time went: a bar for each cell, as long as the whole, in parts.

use hitm_analysis::CellSummary;
use hitm_experiment::manifest::{FigureKind, FigureSpec, Manifest};

use super::canvas::{Anchor, Canvas, Paint, SERIES, Type};
use super::data::series_label;
use super::font::{ellipsis, width};
use super::frame::{LABEL, MARGIN, SMALL, Sign, WIDTH, footnote, header, legend, nothing};
use super::{Figure, Panel, file_name, panel_words, subtitle};
use crate::breakdown::{names, share};
use crate::names::{Index, varied, words};
use crate::number::{Scale, sentence_in};
use crate::text::count;

/// The most bars of a picture; what is left out is said.
const MOST: usize = 40;
const THICK: f64 = 22.0;
/// A part that is less in every bar has no place in the legend.
const VISIBLE: f64 = 2e-3;
const TICKS: [f64; 6] = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0];

/// The figure of one panel.
pub(crate) fn figure(index: &Index, manifest: &Manifest, spec: &FigureSpec, panel: &Panel) -> Figure {
    let cells: Vec<&CellSummary> = panel.cells.iter().copied().filter(|cell| !cell.breakdown.is_empty()).collect();
    let title = if spec.title.is_empty() { "Where does the workers' time go?".to_owned() } else { spec.title.clone() };
    let subtitle = subtitle(index.summary, manifest, &panel_words(spec, panel), None);
    let parts: Vec<&str> = names(index.summary)
        .into_iter()
        .filter(|name| cells.iter().any(|cell| share(cell, name).is_some_and(|share| share.median >= VISIBLE)))
        .collect();
    let caption = caption(&cells, &parts, manifest, spec);
    let alt = format!("Stacked bar chart of the workers' time in {}. {caption}", count(cells.len() as u64, "cell"));
    let svg = match cells.is_empty() {
        true => nothing(&title, &subtitle, &caption),
        false => {
            let without = panel.cells.len() - cells.len();
            draw(&title, &subtitle, &cells, &parts, &row_names(manifest, spec), without)
        }
    };
    let name = file_name(&["breakdown", &spec.x, &panel.label]);
    Figure { kind: FigureKind::Stack, name, svg: svg.finish(&title, &alt), title, caption, alt }
}

/// What tells the bars of a picture apart: the parameter of its groups first.
fn row_names(manifest: &Manifest, spec: &FigureSpec) -> Vec<String> {
    let mut names: Vec<String> = varied(manifest);
    names.retain(|name| *name != spec.panel && !spec.only.contains_key(name));
    names.sort_by_key(|name| (*name != spec.x, *name != spec.series));
    names
}

/// Where most of the time goes, in the cell where it goes there most; but for the part that most cells spend most on there is nothing to see.
fn caption(cells: &[&CellSummary], parts: &[&str], manifest: &Manifest, spec: &FigureSpec) -> String {
    if cells.is_empty() {
        return "No cell of these tells where its workers' time went.".to_owned();
    }
    let label = |cell: &CellSummary| {
        let names = row_names(manifest, spec);
        crate::names::cell_label(cell, &names)
    };
    let largest = |part: &&str| {
        let of = |cell: &&&CellSummary| share(cell, part).map_or(0.0, |share| share.median);
        let cell = cells.iter().max_by(|a, b| of(a).total_cmp(&of(b)))?;
        let share = share(cell, part).filter(|share| share.median >= 0.1)?;
        Some(format!("{} takes up to {} ({})", words(part), sentence_in(share, &Scale::percent()), label(cell)))
    };
    let told: Vec<String> = parts.iter().filter_map(largest).collect();
    let mut text = crate::text::capital(&told.join("; "));
    if !text.is_empty() {
        text.push('.');
    }
    text
}

fn draw(
    title: &str,
    subtitle: &str,
    cells: &[&CellSummary],
    parts: &[&str],
    names: &[String],
    without: usize,
) -> Canvas {
    let mut canvas = Canvas::new(WIDTH);
    let top = header(&mut canvas, title, subtitle) + LABEL;
    let left_out = cells.len().saturating_sub(MOST);
    let mut rows: Vec<&CellSummary> = cells.to_vec();
    if let Some(first) = names.first() {
        // Bars of one group stand together, groups in the order of the run.
        let mut order: Vec<_> = Vec::new();
        for cell in &rows {
            let value = cell.parameters.get(first);
            if !order.contains(&value) {
                order.push(value);
            }
        }
        rows.sort_by_key(|cell| order.iter().position(|value| *value == cell.parameters.get(first)));
    }
    rows.truncate(MOST);
    let label = |cell: &CellSummary| match series_label(&cell.parameters, names) {
        label if label.is_empty() => cell.id.clone(),
        label => label,
    };
    let room = rows.iter().map(|cell| width(&label(cell), LABEL, false)).fold(40.0, f64::max).min(260.0);
    let (left, right) = (MARGIN + room + 12.0, WIDTH - MARGIN);
    let at = |share: f64| left + (right - left) * share;
    canvas.text((left, top), Type::new(LABEL, Anchor::Start, Paint::Ink), "share of the workers' time, %");
    let top = top + 12.0;
    let bottom = top + rows.len() as f64 * THICK;
    for tick in TICKS {
        canvas.line((at(tick), top), (at(tick), bottom + 4.0), Paint::Grid, 1.0, "");
        let text = format!("{:.0}", tick * 100.0);
        canvas.text((at(tick), bottom + SMALL + 6.0), Type::new(SMALL, Anchor::Middle, Paint::Muted), &text);
    }
    for (row, cell) in rows.iter().enumerate() {
        let y = top + row as f64 * THICK;
        let name = ellipsis(&label(cell), LABEL, false, room);
        let baseline = y + THICK / 2.0 + LABEL * 0.36;
        canvas.text((left - 10.0, baseline), Type::new(LABEL, Anchor::End, Paint::Ink), &name);
        bar(&mut canvas, cell, parts, &at, y);
    }
    let mut below = bottom + SMALL + 20.0;
    let entries: Vec<(Sign, String)> =
        parts.iter().enumerate().map(|(number, part)| (Sign::Square(number), words(part))).collect();
    below = legend(&mut canvas, below, &entries);
    let mut notes =
        "Medians of the trials; each bar is scaled to its whole, without parts below 0.2 % everywhere.".to_owned();
    if without > 0 {
        notes.push_str(&format!(" Not shown: {} without any trial that tells.", count(without as u64, "cell")));
    }
    if left_out > 0 {
        notes.push_str(&format!(" {} more are in the table.", count(left_out as u64, "cell")));
    }
    canvas.height = footnote(&mut canvas, below, &notes) + MARGIN;
    canvas
}

/// The colour of words on a series' own: white on the dark ones, dark on the light ones.
fn words_on(series: usize) -> &'static str {
    // The relative luminance of WCAG 2.1.
    let luminance = |color: &str| {
        let part = |at: usize| {
            let value = f64::from(u8::from_str_radix(&color[at..at + 2], 16).unwrap_or(0)) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
    };
    if luminance(SERIES[series % SERIES.len()]) > 0.25 { "#1b1f24" } else { "#ffffff" }
}

/// One cell's bar: medians of parts need not add up to the whole, so they are scaled to it.
fn bar(canvas: &mut Canvas, cell: &CellSummary, parts: &[&str], at: &dyn Fn(f64) -> f64, y: f64) {
    let medians: Vec<f64> = parts.iter().map(|part| share(cell, part).map_or(0.0, |share| share.median)).collect();
    let whole: f64 = medians.iter().sum();
    if whole <= 0.0 {
        return;
    }
    let mut from = 0.0;
    for (number, (part, median)) in parts.iter().zip(&medians).enumerate() {
        let to = from + median / whole;
        let (x, wide) = (at(from), at(to) - at(from));
        if *median > 0.0 {
            let told = share(cell, part).map_or(String::new(), |share| sentence_in(share, &Scale::percent()));
            // A hair of ground between neighbours, so that they are told apart without colour too.
            let rect = [x + 0.5, y + 2.0, (wide - 1.0).max(0.4), THICK - 4.0];
            canvas.rect_titled(rect, Paint::Series(number), &format!("{}: {told}", words(part)));
            let text = format!("{:.0}\u{a0}%", median * 100.0);
            if width(&text, SMALL, false) + 8.0 < wide {
                let place = (x + wide / 2.0, y + THICK / 2.0 + SMALL * 0.36);
                canvas.text(place, Type::new(SMALL, Anchor::Middle, Paint::Fixed(words_on(number))), &text);
            }
        }
        from = to;
    }
}
