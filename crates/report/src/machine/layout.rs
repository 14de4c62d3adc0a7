//! Where everything of a machine is drawn: boxes in boxes, each about as wide as is good to look at, none on another.

use super::tree::{Block, Drawn, Item};
use super::workers;
use crate::figure::font::width;

/// Font sizes of PU numbers, of workers and of titles.
pub(super) const NUMBER: f64 = 10.0;
pub(super) const WORKER: f64 = 11.0;
pub(super) const TITLE: f64 = 12.0;

/// What is drawn, at its place: left, top, width, height.
pub(super) enum Shape<'a> {
    /// A block with its title, and how deep it lies in others.
    Block {
        at: [f64; 4],
        title: String,
        depth: usize,
    },
    Core {
        at: [f64; 4],
    },
    Pu {
        at: [f64; 4],
        pu: &'a Drawn,
    },
}

impl Shape<'_> {
    fn shift(&mut self, x: f64, y: f64) {
        let (Shape::Block { at, .. } | Shape::Core { at } | Shape::Pu { at, .. }) = self;
        at[0] += x;
        at[1] += y;
    }
}

/// Shapes laid out from the origin, and the room they take.
pub(super) struct Laid<'a> {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) shapes: Vec<Shape<'a>>,
}

const GAP: f64 = 4.0;
const PAD: f64 = 8.0;

/// How large PUs are drawn.
struct Sizes {
    pu: (f64, f64),
    /// The widest that anything may be.
    room: f64,
}

/// Lays out a machine; its width follows from how much there is.
pub(super) fn lay(root: &Block) -> Laid<'_> {
    let drawn = root.drawn();
    let label = |pu: &&Drawn| {
        let number = width(&pu.os_index.to_string(), NUMBER, false);
        number.max(width(&workers(&pu.workers), WORKER, true))
    };
    let widest = drawn.iter().map(label).fold(16.0, f64::max);
    let with_workers = drawn.iter().any(|pu| !pu.workers.is_empty());
    let pu = (widest + 8.0, if with_workers { 32.0 } else { 19.0 });
    let area = drawn.len() as f64 * (pu.0 + GAP) * (pu.1 + GAP);
    let sizes = Sizes { pu, room: (area * 4.0).sqrt().max(1100.0) };
    inside(root, 0, &sizes, sizes.room)
}

fn inside<'a>(block: &'a Block, depth: usize, sizes: &Sizes, room: f64) -> Laid<'a> {
    let items = block.inside.iter().map(|item| match item {
        Item::Block(block) => boxed(block, depth, sizes, room),
        Item::Core(core) => core_of(core, sizes),
    });
    flow(items.collect(), room, if depth == 0 { 2.5 * GAP } else { 1.5 * GAP })
}

fn boxed<'a>(block: &'a Block, depth: usize, sizes: &Sizes, room: f64) -> Laid<'a> {
    let title = block.titles.join(" · ");
    let mut laid = inside(block, depth + 1, sizes, room - 2.0 * PAD);
    let head = TITLE * 1.3 + PAD;
    for shape in &mut laid.shapes {
        shape.shift(PAD, head);
    }
    laid.width = laid.width.max(width(&title, TITLE, true)) + 2.0 * PAD;
    laid.height += head + PAD;
    laid.shapes.insert(0, Shape::Block { at: [0.0, 0.0, laid.width, laid.height], title, depth });
    laid
}

fn core_of<'a>(core: &'a [Drawn], sizes: &Sizes) -> Laid<'a> {
    let columns = match core.len() {
        0..=4 => core.len().max(1),
        more => more.div_ceil(2),
    };
    let (w, h) = sizes.pu;
    let rows = core.len().div_ceil(columns).max(1);
    let side = |n: usize, size: f64| n as f64 * (size + GAP / 2.0) - GAP / 2.0 + 2.0 * GAP;
    let (width, height) = (side(columns, w), side(rows, h));
    let mut shapes = vec![Shape::Core { at: [0.0, 0.0, width, height] }];
    for (number, pu) in core.iter().enumerate() {
        let (column, row) = ((number % columns) as f64, (number / columns) as f64);
        let at = [GAP + column * (w + GAP / 2.0), GAP + row * (h + GAP / 2.0), w, h];
        shapes.push(Shape::Pu { at, pu });
    }
    Laid { width, height, shapes }
}

/// The shape that a group of things should have, width by height.
const ASPECT: f64 = 1.7;
/// The most columns that are tried.
const COLUMNS: usize = 96;

/// Puts things in rows, as many to a row as gives a good shape.
fn flow(items: Vec<Laid>, room: f64, gap: f64) -> Laid {
    let extent = |columns: usize| {
        let rows = items.chunks(columns);
        let row_width = |row: &[Laid]| row.iter().map(|item| item.width + gap).sum::<f64>() - gap;
        let row_height = |row: &[Laid]| row.iter().map(|item| item.height).fold(0.0, f64::max) + gap;
        (rows.clone().map(row_width).fold(0.0, f64::max), rows.map(row_height).sum::<f64>() - gap)
    };
    let cost = |columns: usize| {
        let (width, height) = extent(columns);
        let ragged = if items.len() % columns == 0 { 0.0 } else { 0.7 };
        let too_wide = if width > room { 100.0 + width } else { 0.0 };
        (width / height.max(1.0) / ASPECT).ln().abs() + ragged + too_wide
    };
    let most = items.len().clamp(1, COLUMNS);
    let columns = (1..=most).min_by(|a, b| cost(*a).total_cmp(&cost(*b))).unwrap_or(1);
    let (width, height) = if items.is_empty() { (0.0, 0.0) } else { extent(columns) };
    let mut shapes = Vec::new();
    let (mut x, mut y, mut tallest) = (0.0, 0.0, 0.0f64);
    for (number, mut item) in items.into_iter().enumerate() {
        if number > 0 && number % columns == 0 {
            (x, y, tallest) = (0.0, y + tallest + gap, 0.0);
        }
        for shape in &mut item.shapes {
            shape.shift(x, y);
        }
        x += item.width + gap;
        tallest = tallest.max(item.height);
        shapes.append(&mut item.shapes);
    }
    Laid { width, height, shapes }
}
