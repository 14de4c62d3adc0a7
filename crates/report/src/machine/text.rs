//! The machine for a terminal: boxes in boxes, cores in brackets.

use hitm_topology::{Placement, Topology};

use super::tree::{Block, Drawn, Item, State, tree};
use super::{contents, placed, workers};
use crate::terminal::{Ink, Style};
use crate::text::{clean, width, wrap};

/// The machine as boxes in boxes: packages, NUMA nodes and shared caches as the data nests them, each core in brackets with its
/// PUs by OS index, each PU with its workers. PUs that are offline or not allowed are marked. No line is wider than the style says,
/// below 40 columns counted as 40.
pub fn text(topology: &Topology, placement: Option<&Placement>, style: Style) -> String {
    let root = tree(topology, placement);
    let drawn = root.drawn();
    let columns = style.width.max(40);
    let cell = drawn.iter().map(|pu| width(&label(pu))).max().unwrap_or(0);
    let pen = Pen { style, cell };
    let mut lines: Vec<Line> = Vec::new();
    let headings = [Some(clean(&topology.source)), Some(contents(topology)), placement.map(placed)];
    for heading in headings.into_iter().flatten().filter(|heading| !heading.is_empty()) {
        lines.extend(wrap(&heading, columns).iter().map(|line| pen.line(line, Ink::Plain)));
    }
    lines.extend(pen.inside(&root, columns));
    for line in wrap(&legend(&drawn), columns) {
        lines.push(pen.line(&line, Ink::Faint));
    }
    lines.into_iter().map(|line| line.text.trim_end().to_owned() + "\n").collect()
}

/// Text with its width, as escapes take none.
#[derive(Clone, Default)]
struct Line {
    text: String,
    columns: usize,
}

impl Line {
    fn push(&mut self, other: &Line) {
        self.text.push_str(&other.text);
        self.columns += other.columns;
    }
}

struct Pen {
    style: Style,
    /// The columns of a PU.
    cell: usize,
}

/// What is drawn for a PU.
fn label(pu: &Drawn) -> String {
    let mark = match pu.state {
        State::Offline => "x",
        State::Disallowed => "!",
        State::Usable => "",
    };
    let workers = workers(&pu.workers);
    let on = if workers.is_empty() { "" } else { "=" };
    format!("{}{mark}{on}{workers}", pu.os_index)
}

fn legend(drawn: &[&Drawn]) -> String {
    let mut parts = vec!["[…] a core, its PUs by OS index".to_owned()];
    let first = |of: &dyn Fn(&Drawn) -> bool| drawn.iter().copied().find(|pu| of(pu));
    if let Some(pu) = first(&|pu| pu.workers.len() == 1) {
        parts.push(format!("{} worker {} on PU {}", label(pu), pu.workers[0], pu.os_index));
    }
    if let Some(pu) = first(&|pu| pu.workers.len() > 1) {
        parts.push(format!("{} worker {} and {} more", label(pu), pu.workers[0], pu.workers.len() - 1));
    }
    if let Some(pu) = first(&|pu| pu.state == State::Offline) {
        parts.push(format!("{} offline", label(pu)));
    }
    if let Some(pu) = first(&|pu| pu.state == State::Disallowed) {
        parts.push(format!("{} not allowed", label(pu)));
    }
    parts.join(" · ")
}

impl Pen {
    fn line(&self, text: &str, ink: Ink) -> Line {
        Line { text: self.style.paint(text, ink), columns: width(text) }
    }

    /// What is in a block, without its border.
    fn inside(&self, block: &Block, columns: usize) -> Vec<Line> {
        let mut lines = Vec::new();
        for run in block.inside.chunk_by(|a, b| matches!((a, b), (Item::Core(_), Item::Core(_)))) {
            match run {
                [Item::Block(block)] => lines.extend(self.boxed(block, columns)),
                cores => {
                    let cores = cores.iter().filter_map(|item| match item {
                        Item::Core(core) => Some(core.as_slice()),
                        Item::Block(_) => None,
                    });
                    lines.extend(self.cores(cores, columns));
                }
            }
        }
        lines
    }

    /// A block with its border; on one line after its title where that holds it.
    fn boxed(&self, block: &Block, columns: usize) -> Vec<Line> {
        let title = block.titles.join(" · ");
        let room = columns.saturating_sub(4).max(8);
        let inside = self.inside(block, room);
        if let ([only], true) = (inside.as_slice(), block.inside.iter().all(|item| matches!(item, Item::Core(_)))) {
            if width(&title) + 2 + only.columns <= columns {
                let mut line = self.line(&format!("{title}: "), Ink::Plain);
                line.push(only);
                return vec![line];
            }
        }
        let title: String = title.chars().take(room.saturating_sub(1)).collect();
        let rest = columns.saturating_sub(width(&title) + 4);
        let mut lines = vec![self.line("┌ ", Ink::Faint)];
        lines[0].push(&self.line(&title, Ink::Bold));
        lines[0].push(&self.line(&format!(" {}┐", "─".repeat(rest)), Ink::Faint));
        let border = |text: &str| self.line(text, Ink::Faint);
        for inner in inside {
            let mut line = border("│ ");
            line.push(&inner);
            line.push(&self.line(&" ".repeat(room.saturating_sub(inner.columns)), Ink::Plain));
            line.push(&border(" │"));
            lines.push(line);
        }
        lines.push(border(&format!("└{}┘", "─".repeat(columns.saturating_sub(2)))));
        lines
    }

    /// Cores side by side as far as they fit.
    fn cores<'a>(&self, cores: impl Iterator<Item = &'a [Drawn]>, columns: usize) -> Vec<Line> {
        let mut lines: Vec<Line> = Vec::new();
        for core in cores {
            let pieces = self.core(core, columns);
            let fits = lines.last().is_some_and(|line| line.columns + 1 + pieces[0].columns <= columns);
            match (pieces.as_slice(), lines.last_mut()) {
                ([piece], Some(line)) if fits => {
                    line.push(&self.line(" ", Ink::Plain));
                    line.push(piece);
                }
                _ => lines.extend(pieces),
            }
        }
        lines
    }

    /// A core on one line, or on several where it is too wide; never none.
    fn core(&self, core: &[Drawn], columns: usize) -> Vec<Line> {
        let fitting = (columns.saturating_sub(1) / (self.cell + 1)).max(1);
        let rows: Vec<&[Drawn]> = core.chunks(fitting).collect();
        let mut lines = Vec::new();
        for (number, row) in rows.iter().enumerate() {
            let mut line = self.line(if number == 0 { "[" } else { " " }, Ink::Faint);
            for (place, pu) in row.iter().enumerate() {
                let text = label(pu);
                let ink = match (pu.state, pu.workers.len()) {
                    (State::Usable, 0) => Ink::Plain,
                    (State::Usable, 1) => Ink::Better,
                    (State::Usable, _) => Ink::Worse,
                    _ => Ink::Faint,
                };
                line.push(&self.line(&text, ink));
                if place + 1 == row.len() && number + 1 == rows.len() {
                    line.push(&self.line("]", Ink::Faint));
                }
                let between = usize::from(place + 1 < row.len());
                line.push(&self.line(&" ".repeat(self.cell - width(&text) + between), Ink::Plain));
            }
            lines.push(line);
        }
        lines
    }
}
