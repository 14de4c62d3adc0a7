//! The machine as a picture that scales.

use hitm_topology::{Placement, Topology};

use super::layout::{Laid, NUMBER, Shape, TITLE, WORKER, lay};
use super::tree::{Drawn, State, tree};
use super::{contents, placed, workers};
use crate::figure::canvas::{Anchor, Canvas, Paint, Type};
use crate::figure::font::width;
use crate::figure::frame::{MARGIN, SMALL, header};
use crate::text::clean;

/// The least width of a picture.
const NARROWEST: f64 = 560.0;

/// The machine as SVG: packages, NUMA nodes and shared caches as the data nests them, the cores in them with their PUs by OS index,
/// and on each PU its workers. PUs that are offline or not allowed are marked. It needs no font, script or network of its own;
/// [`png`](crate::png()) makes pixels of it.
pub fn svg(topology: &Topology, placement: Option<&Placement>, title: &str) -> String {
    let root = tree(topology, placement);
    let Laid { width, shapes, height } = lay(&root);
    let mut canvas = Canvas::new((width + 2.0 * MARGIN).max(NARROWEST));
    let title = clean(title);
    let mut about = vec![clean(&topology.source), contents(topology)];
    about.extend(placement.map(placed));
    about.retain(|part| !part.is_empty());
    let about = about.join(" · ");
    let top = header(&mut canvas, &title, &about);
    for mut shape in shapes {
        let (Shape::Block { at, .. } | Shape::Core { at } | Shape::Pu { at, .. }) = &mut shape;
        at[0] += MARGIN;
        at[1] += top;
        draw(&mut canvas, &shape);
    }
    let below = legend(&mut canvas, top + height + 10.0, &root.drawn());
    canvas.height = below + MARGIN;
    let alt = format!("A machine drawn as boxes: {about}.");
    canvas.finish(&title, &alt)
}

fn draw(canvas: &mut Canvas, shape: &Shape) {
    match shape {
        Shape::Block { at, title, depth } => {
            outline(canvas, *at, Paint::Axis, if *depth == 0 { 1.6 } else { 0.9 }, "");
            let bold = *depth == 0;
            let paint = if bold { Paint::Ink } else { Paint::Muted };
            let set = Type { bold, ..Type::new(TITLE, Anchor::Start, paint) };
            canvas.text((at[0] + 8.0, at[1] + 5.0 + TITLE), set, title);
        }
        Shape::Core { at } => outline(canvas, *at, Paint::Axis, 0.6, ""),
        Shape::Pu { at, pu } => draw_pu(canvas, *at, pu),
    }
}

fn outline(canvas: &mut Canvas, [x, y, w, h]: [f64; 4], paint: Paint, thick: f64, dash: &str) {
    let [x, y, w, h] = [x, y, w, h].map(|value| (value * 100.0).round() / 100.0);
    canvas.stroke(&format!("M{x} {y}h{w}v{h}h-{w}Z"), paint, thick, dash);
}

fn draw_pu(canvas: &mut Canvas, at: [f64; 4], pu: &Drawn) {
    let [x, y, w, h] = at;
    let label = workers(&pu.workers);
    let (fill, ink) = match (pu.state, pu.workers.len()) {
        (State::Offline | State::Disallowed, _) => (Paint::Ground, Paint::Muted),
        (State::Usable, 0) => (Paint::Grid, Paint::Ink),
        (State::Usable, 1) => (Paint::Series(0), Paint::Fixed("#ffffff")),
        (State::Usable, _) => (Paint::Series(4), Paint::Fixed("#1b1f24")),
    };
    canvas.rect_titled(at, fill, &told(pu));
    match pu.state {
        State::Usable => {}
        State::Offline => outline(canvas, at, Paint::Muted, 1.0, "2 3"),
        State::Disallowed => {
            outline(canvas, at, Paint::Muted, 1.0, "");
            let corners = ((x, y + h), (x + w, y));
            canvas.line(corners.0, corners.1, Paint::Axis, 0.8, "");
        }
    }
    let number = pu.os_index.to_string();
    let middle = x + w / 2.0;
    if label.is_empty() {
        canvas.text((middle, y + h / 2.0 + NUMBER * 0.36), Type::new(NUMBER, Anchor::Middle, ink), &number);
        return;
    }
    canvas.text((middle, y + 3.0 + NUMBER), Type::new(NUMBER, Anchor::Middle, ink), &number);
    let set = Type { bold: true, ..Type::new(WORKER, Anchor::Middle, ink) };
    canvas.text((middle, y + h - 5.0), set, &label);
}

/// What shows when a PU is pointed at.
fn told(pu: &Drawn) -> String {
    let state = match pu.state {
        State::Usable => "",
        State::Offline => ", offline",
        State::Disallowed => ", not allowed",
    };
    let some: Vec<String> = pu.workers.iter().take(16).map(usize::to_string).collect();
    let more = if pu.workers.len() > 16 { ", …" } else { "" };
    let on = match pu.workers.len() {
        0 => String::new(),
        1 => format!(": worker {}", some[0]),
        _ => format!(": workers {}{more}", some.join(", ")),
    };
    format!("PU {}{state}{on}", pu.os_index)
}

/// Says what the squares are, as far as they occur; returns the position below.
fn legend(canvas: &mut Canvas, top: f64, drawn: &[&Drawn]) -> f64 {
    // The first of each sort as it stands in the picture.
    let first = |of: &dyn Fn(&Drawn) -> bool| drawn.iter().find(|pu| of(pu)).map(|pu| (*pu).clone());
    let placed = drawn.iter().any(|pu| !pu.workers.is_empty());
    let mut entries = Vec::new();
    let mut entry = |pu: Option<Drawn>, words: &dyn Fn(&Drawn) -> String| {
        if let Some(pu) = pu {
            let words = words(&pu);
            entries.push((pu, words));
        }
    };
    let usable = |pu: &Drawn| pu.state == State::Usable;
    let free = first(&|pu| usable(pu) && pu.workers.is_empty());
    entry(free, &|pu| format!("PU {}{}", pu.os_index, if placed { ", free" } else { "" }));
    let one = first(&|pu| usable(pu) && pu.workers.len() == 1);
    entry(one, &|pu| format!("worker {} on PU {}", pu.workers[0], pu.os_index));
    let several = first(&|pu| pu.workers.len() > 1);
    entry(several, &|pu| format!("worker {} and {} more on PU {}", pu.workers[0], pu.workers.len() - 1, pu.os_index));
    entry(first(&|pu| pu.state == State::Offline), &|_| "offline".to_owned());
    entry(first(&|pu| pu.state == State::Disallowed), &|_| "not allowed".to_owned());
    let (w, h) = if placed { (40.0, 32.0) } else { (24.0, 19.0) };
    let (mut x, mut y) = (MARGIN, top);
    for (pu, words) in entries {
        let whole = w + 8.0 + width(&words, SMALL, false);
        if x > MARGIN && x + whole > canvas.width - MARGIN {
            (x, y) = (MARGIN, y + h + 6.0);
        }
        draw_pu(canvas, [x, y, w, h], &pu);
        let place = (x + w + 8.0, y + h / 2.0 + SMALL * 0.36);
        canvas.text(place, Type::new(SMALL, Anchor::Start, Paint::Muted), &words);
        x += whole + 22.0;
    }
    y + h
}
