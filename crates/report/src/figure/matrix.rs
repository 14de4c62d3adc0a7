//! Heat maps of pairs of PUs.

use hitm_analysis::Estimate;
use hitm_experiment::Manifest;
use hitm_experiment::manifest::{FigureKind, FigureSpec};

use super::axis::Axis;
use super::canvas::{Anchor, Canvas, Paint, Type, n};
use super::font::width;
use super::frame::{MARGIN, SMALL, WIDTH, footnote, header, nothing};
use super::{Figure, Panel, file_name, panel_words, subtitle};
use crate::names::{Index, TIME, metric_title, operation};
use crate::number::{percent, sentence_in, significant, trim};
use crate::pairs::{Matrix, matrices};
use crate::text::count;

mod heat;

use heat::{Heat, color, ink};

/// Shades told apart where there are too many pairs for a shape each.
const SHADES: usize = 48;
/// What stands for a pair that was not measured where there is no room for hatching.
const UNMEASURED: &str = "#c9ced4";
/// PUs up to which every pair has its number.
const NUMBERED: usize = 20;
/// PUs up to which every pair is a shape of its own that can be pointed at.
const POINTED: usize = 64;

/// The figures of a panel: one for each matrix in it.
pub(crate) fn draw_all(index: &Index, manifest: &Manifest, spec: &FigureSpec, panel: &Panel) -> Vec<Figure> {
    let y = if spec.y.is_empty() { TIME } else { spec.y.as_str() };
    let title = match spec.title.as_str() {
        "" => format!("{} between two PUs", metric_title(y, operation(index.summary))),
        title => title.to_owned(),
    };
    let matrices = matrices(panel.cells.iter().copied(), manifest);
    let fixed = panel_words(spec, panel);
    if matrices.is_empty() {
        let why = "No cell of this run has two workers on two PUs, so there are no pairs to show.".to_owned();
        let subtitle = subtitle(index.summary, manifest, &fixed, None);
        let svg = nothing(&title, &subtitle, &why).finish(&title, &why);
        return vec![Figure {
            kind: FigureKind::Matrix,
            name: file_name(&[y, "pairs"]),
            title,
            alt: why.clone(),
            caption: why,
            svg,
        }];
    }
    matrices.iter().map(|matrix| one(index, manifest, y, &title, &fixed, matrix)).collect()
}

fn one(index: &Index, manifest: &Manifest, y: &str, title: &str, fixed: &str, matrix: &Matrix) -> Figure {
    let heat = Heat::new(index, y, matrix);
    let fixed = [fixed, &matrix.label].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
    let subtitle = subtitle(index.summary, manifest, &fixed, heat.trust());
    let caption = caption(&heat, matrix, y, operation(index.summary));
    let name = file_name(&[y, "pairs", &fixed]);
    if heat.values.iter().all(Option::is_none) {
        let why = match matrix.cells.values().find_map(|cell| cell.absent.get(y)) {
            Some(reason) => format!("None of the pairs has a {y}: {reason}."),
            None => format!("None of the pairs has a {y}."),
        };
        let svg = nothing(title, &subtitle, &why).finish(title, &why);
        return Figure { kind: FigureKind::Matrix, name, title: title.to_owned(), alt: why.clone(), caption: why, svg };
    }
    let alt = format!(
        "Heat map of {} for {}. {caption}",
        metric_title(y, operation(index.summary)),
        count(heat.size as u64, "PU")
    );
    let mut canvas = draw(title, &subtitle, &heat, matrix, &metric_title(y, operation(index.summary)), &name);
    let mut notes = Vec::new();
    if matrix.missing() > 0 {
        notes.push(format!("{} pairs were not measured.", if heat.size <= NUMBERED { "Hatched" } else { "Grey" }));
    }
    if heat.mirrored {
        notes.push("Each pair was measured one way and is shown both ways.".to_owned());
    }
    let below = canvas.height;
    canvas.height = footnote(&mut canvas, below, &notes.join(" ")) + MARGIN;
    Figure { kind: FigureKind::Matrix, name, title: title.to_owned(), svg: canvas.finish(title, &alt), caption, alt }
}

fn caption(heat: &Heat, matrix: &Matrix, y: &str, operation: &str) -> String {
    let mut all: Vec<((u32, u32), &Estimate)> = Vec::new();
    for (row, a) in matrix.pus.iter().enumerate() {
        for (column, b) in matrix.pus.iter().enumerate() {
            if let Some(estimate) = heat.get(row, column).filter(|_| matrix.cells.contains_key(&(*a, *b))) {
                all.push(((*a, *b), estimate));
            }
        }
    }
    all.sort_by(|a, b| a.1.median.total_cmp(&b.1.median));
    let what = metric_title(y, operation);
    let mut text = match (all.first(), all.last()) {
        (Some((pair, only)), Some(_)) if all.len() == 1 => {
            format!("The {what} between PUs {} and {} is {}.", pair.0, pair.1, sentence_in(only, &heat.scale))
        }
        (Some((near, least)), Some((far, most))) => format!(
            "The {what} goes from {} (PUs {} and {}) to {} (PUs {} and {}).",
            sentence_in(least, &heat.scale),
            near.0,
            near.1,
            sentence_in(most, &heat.scale),
            far.0,
            far.1
        ),
        _ => String::new(),
    };
    let missing = matrix.missing();
    if missing > 0 {
        let all = heat.size * (heat.size - 1) / 2;
        let share = percent(missing as f64 / all as f64);
        text.push_str(&format!(" {missing} of {all} pairs ({share}) were not measured."));
    }
    text
}

fn draw(title: &str, subtitle: &str, heat: &Heat, matrix: &Matrix, what: &str, name: &str) -> Canvas {
    let mut canvas = Canvas::new(WIDTH);
    let top = header(&mut canvas, title, subtitle);
    let labels: Vec<String> = matrix.pus.iter().map(u32::to_string).collect();
    let label_room = labels.iter().map(|label| width(label, SMALL, false)).fold(0.0, f64::max);
    let left = MARGIN + label_room + 10.0;
    let top = top + SMALL * 2.0 + 14.0;
    let room = WIDTH - MARGIN - left - 110.0;
    let side = (room / heat.size as f64).min(64.0);
    let whole = side * heat.size as f64;
    canvas.text(
        (left, top - SMALL - 12.0),
        Type::new(SMALL, Anchor::Start, Paint::Muted),
        "PU of each axis, by OS index",
    );

    let small = heat.size <= NUMBERED;
    // Ids are unique in a page that holds several figures.
    canvas.raw(&format!(
        "<defs><pattern id=\"{name}-hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">\
         <rect width=\"6\" height=\"6\" fill=\"#f3f4f6\"/><path d=\"M0 0V6\" stroke=\"#b6bcc4\" stroke-width=\"2\"/></pattern></defs>"
    ));
    let unmeasured: String = (0..heat.size)
        .flat_map(|row| (0..heat.size).map(move |column| (row, column)))
        .filter(|(row, column)| row != column && heat.get(*row, *column).is_none())
        .map(|(row, column)| {
            let [x, y] = [column, row].map(|place| place as f64 * side);
            format!("M{} {}h{s}v{s}h-{s}z", n(left + x), n(top + y), s = n(if small { side - 1.0 } else { side }))
        })
        .collect();
    if !unmeasured.is_empty() {
        let fill = if small { format!("url(#{name}-hatch)") } else { UNMEASURED.to_owned() };
        canvas.area(&unmeasured, Paint::Fixed(&fill), 1.0);
    }
    if heat.size <= POINTED {
        shapes(&mut canvas, heat, matrix, (left, top), side);
    } else {
        rows(&mut canvas, heat, (left, top), side);
    }
    axis_labels(&mut canvas, &labels, (left, top), side);
    color_bar(&mut canvas, heat, what, (left + whole + 24.0, top), whole.clamp(120.0, 320.0), name);
    canvas.height = top + whole.max(whole.clamp(120.0, 320.0)) + 10.0;
    canvas
}

fn shapes(canvas: &mut Canvas, heat: &Heat, matrix: &Matrix, (left, top): (f64, f64), side: f64) {
    for (row, a) in matrix.pus.iter().enumerate() {
        for (column, b) in matrix.pus.iter().enumerate() {
            let Some(estimate) = heat.get(row, column) else { continue };
            let (rgb, color) = color(heat.share(estimate.median));
            let (x, y) = (left + column as f64 * side, top + row as f64 * side);
            let text = format!("PUs {a} and {b}: {}", sentence_in(estimate, &heat.scale));
            let gap = if heat.size <= NUMBERED { 1.0 } else { 0.0 };
            canvas.rect_titled([x, y, side - gap, side - gap], Paint::Fixed(&color), &text);
            if heat.size <= NUMBERED {
                let number = trim(&significant(heat.scale.apply(estimate.median), 3)).to_owned();
                let size = (side * 0.86 / width(&number, 1.0, false)).min(14.0);
                let place = (x + (side - gap) / 2.0, y + side / 2.0 + size * 0.36);
                canvas.text(place, Type::new(size, Anchor::Middle, Paint::Fixed(ink(rgb))), &number);
            }
        }
    }
}

/// Many pairs as one path a shade, of strokes one unit thick: a few bytes a pair.
fn rows(canvas: &mut Canvas, heat: &Heat, (left, top): (f64, f64), side: f64) {
    let shade = |row, column| {
        heat.get(row, column).map(|e| ((heat.share(e.median) * (SHADES - 1) as f64).round() as usize).min(SHADES - 1))
    };
    let mut paths = vec![String::new(); SHADES];
    for row in 0..heat.size {
        let mut column = 0;
        while column < heat.size {
            let Some(this) = shade(row, column) else {
                column += 1;
                continue;
            };
            let begin = column;
            while column < heat.size && shade(row, column) == Some(this) {
                column += 1;
            }
            paths[this].push_str(&format!("M{begin} {row}h{}", column - begin));
        }
    }
    canvas.raw(&format!(
        "<g transform=\"translate({} {}) scale({side:.6}) translate(0 .5)\" fill=\"none\" shape-rendering=\"crispEdges\">",
        n(left), n(top)
    ));
    for (number, path) in paths.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
        let (_, color) = color(number as f64 / (SHADES - 1) as f64);
        // As thick as a row and no thicker: where strokes overlap, the darker shade would win.
        canvas.raw(&format!("<path d=\"{path}\" stroke=\"{color}\"/>"));
    }
    canvas.raw("</g>");
}

/// Every label, or every second, fourth, … where they would touch.
fn axis_labels(canvas: &mut Canvas, labels: &[String], (left, top): (f64, f64), side: f64) {
    let widest = labels.iter().map(|label| width(label, SMALL, false)).fold(0.0, f64::max);
    let mut every = 1;
    while side * (every as f64) < (widest + 5.0).max(SMALL + 3.0) && every < labels.len() {
        every *= 2;
    }
    for (number, label) in labels.iter().enumerate().step_by(every) {
        let middle = (number as f64 + 0.5) * side;
        canvas.text((left + middle, top - 6.0), Type::new(SMALL, Anchor::Middle, Paint::Muted), label);
        let place = (left - 7.0, top + middle + SMALL * 0.36);
        canvas.text(place, Type::new(SMALL, Anchor::End, Paint::Muted), label);
    }
}

fn color_bar(canvas: &mut Canvas, heat: &Heat, what: &str, (x, top): (f64, f64), height: f64, name: &str) {
    let stops: String = (0..=16)
        .map(|i| {
            let share = f64::from(i) / 16.0;
            format!("<stop offset=\"{share}\" stop-color=\"{}\"/>", color(share).1)
        })
        .collect();
    canvas.raw(&format!(
        "<defs><linearGradient id=\"{name}-bar\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">{stops}</linearGradient></defs>"
    ));
    let room = canvas.width - MARGIN - x;
    let words = super::font::wrap(&format!("{what}, {}", heat.scale.unit), SMALL, false, room, 4);
    let mut y = top - 4.0;
    for line in &words {
        y += SMALL * 1.3;
        canvas.text((x, y), Type::new(SMALL, Anchor::Start, Paint::Ink), line);
    }
    let (bar_top, bar_height) = (y + 12.0, height - (y + 12.0 - top));
    let (low, high) = (heat.scale.apply(heat.low), heat.scale.apply(heat.high));
    if heat.high <= heat.low || bar_height < 40.0 {
        canvas.rect([x, bar_top, 16.0, 16.0], Paint::Fixed(&color(heat.share(heat.low)).1));
        let label = trim(&significant(low, 3)).to_owned();
        canvas.text((x + 23.0, bar_top + 12.5), Type::new(SMALL, Anchor::Start, Paint::Muted), &label);
        return;
    }
    canvas.rect([x, bar_top, 16.0, bar_height], Paint::Fixed(&format!("url(#{name}-bar)")));
    let place = |value: f64| bar_top + bar_height * (1.0 - (value - low) / (high - low));
    let mut ticks = Axis::linear(low, high).ticks();
    ticks.retain(|(value, _)| (low..=high).contains(value));
    if ticks.len() < 2 {
        ticks = [low, high].map(|value| (value, trim(&significant(value, 3)).to_owned())).to_vec();
    }
    for (value, label) in ticks {
        let y = place(value);
        canvas.line((x + 16.0, y), (x + 20.0, y), Paint::Axis, 1.0, "");
        canvas.text((x + 24.0, y + SMALL * 0.36), Type::new(SMALL, Anchor::Start, Paint::Muted), &label);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::Scale;

    #[test]
    fn the_largest_matrix_stays_small() {
        let size = 576;
        let mut state = 1u32;
        let mut any = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let median = f64::from(state >> 16);
            Some(Estimate {
                median,
                low: median,
                high: median,
                unit: "ns".to_owned(),
                n: 9,
                independent: 9,
                coverage: 0.9,
            })
        };
        let values = (0..size * size).map(|_| any()).collect();
        let heat = Heat { values, size, mirrored: false, scale: Scale::plain("ns"), low: 0.0, high: 65_535.0 };
        let mut canvas = Canvas::new(WIDTH);
        rows(&mut canvas, &heat, (0.0, 0.0), 1.0);
        let svg = canvas.finish("", "");
        assert!(svg.len() < 3_500_000, "{} bytes", svg.len());
    }
}
