//! Fitting a table into a width: wrap between words first, then give up the padding that lines intervals up, then leave
//! columns out, then half the space between columns, then wrap verdicts and break words, then one block a row; never
//! cut a number.

use super::{Ink, Style};
use crate::table::{Entry, Kind, Table};
use crate::text::{clean, width, wrap};

/// A drawn table and the headings of the columns for which there was no room.
pub(crate) struct Drawn {
    pub(crate) text: String,
    pub(crate) dropped: Vec<String>,
}

/// The narrowest a column of words is made.
const NARROWEST: usize = 12;
/// The widest a column of words is kept for the sake of one long word.
const WIDEST_WORD: usize = 24;
/// Columns that are no easier to spare than this are not left out for the sake of space and whole words.
const DEAR: u8 = 2;
/// The most lines of a number's heading: more are not read as one.
const HEADING: usize = 3;
/// What a verdict is not wrapped below: `no credible`.
const VERDICT: usize = 11;

struct Shape {
    /// The index in the table.
    column: usize,
    /// Of estimates whose intervals begin in one column of the screen: the width of the medians before it; else 0.
    median: usize,
    least: usize,
    full: usize,
}

/// What a table gives up to fit.
#[derive(Clone, Copy, PartialEq)]
struct Tight {
    /// Spaces between columns.
    gap: usize,
    /// Intervals follow their medians at once.
    unaligned: bool,
    /// Verdicts are wrapped.
    verdicts: bool,
    /// Long words are broken.
    broken: bool,
}

const ROOMY: Tight = Tight { gap: 2, unaligned: false, verdicts: false, broken: false };
/// From what costs least to what costs most.
const STEPS: [Tight; 7] = [
    ROOMY,
    Tight { unaligned: true, ..ROOMY },
    Tight { gap: 1, ..ROOMY },
    Tight { gap: 1, unaligned: true, ..ROOMY },
    Tight { verdicts: true, ..ROOMY },
    Tight { gap: 1, unaligned: true, verdicts: true, ..ROOMY },
    Tight { gap: 1, unaligned: true, verdicts: true, broken: true },
];
/// How many of them are taken before a column that can be spared is left out.
const CHEAP: usize = 2;

/// Draws the table no wider than the style's width.
pub(crate) fn draw(table: &Table, style: Style) -> Drawn {
    let mut columns: Vec<usize> = (0..table.columns.len()).collect();
    let mut dropped = Vec::new();
    let least = |shapes: &[Shape], gap: usize| {
        shapes.iter().map(|s| s.least).sum::<usize>() + gap * shapes.len().saturating_sub(1)
    };
    let of = |columns: &[usize], tight: &Tight| {
        let shapes: Vec<Shape> = columns.iter().map(|column| shape(table, *column, *tight)).collect();
        (least(&shapes, tight.gap) <= style.width).then_some((shapes, tight.gap))
    };
    let (shapes, gap) = loop {
        let spare = |column: &usize| table.columns[*column].spare;
        let most = columns.iter().map(spare).max().unwrap_or(0);
        let steps = if most <= DEAR { STEPS.len() } else { CHEAP };
        if let Some(fitting) = STEPS[..steps].iter().find_map(|tight| of(&columns, tight)) {
            break fitting;
        }
        if most == 0 {
            return Drawn { text: blocks(table, style), dropped: Vec::new() };
        }
        let place = columns.iter().rposition(|column| spare(column) == most).unwrap_or(0);
        dropped.push(clean(&table.columns[columns.remove(place)].title));
    };
    // What room is left goes to the columns of words, one column at a time while any still wants some.
    let mut widths: Vec<usize> = shapes.iter().map(|shape| shape.least).collect();
    let mut room = style.width - least(&shapes, gap);
    while room > 0 {
        let wanting = (0..shapes.len()).filter(|i| widths[*i] < shapes[*i].full).min_by_key(|i| widths[*i]);
        let Some(i) = wanting else { break };
        widths[i] += 1;
        room -= 1;
    }
    let mut text = String::new();
    let headings: Vec<Vec<String>> = shapes
        .iter()
        .zip(&widths)
        .map(|(shape, width)| wrap(&clean(&table.columns[shape.column].title), *width))
        .collect();
    let inks = vec![Ink::Bold; shapes.len()];
    let right: Vec<bool> = shapes.iter().map(|shape| shape.column_is_number(table)).collect();
    push_row(&mut text, &headings, &widths, &right, &inks, (gap, style));
    let rule: Vec<Vec<String>> = widths.iter().map(|width| vec!["─".repeat(*width)]).collect();
    push_row(&mut text, &rule, &widths, &right, &vec![Ink::Faint; shapes.len()], (gap, style));
    for row in &table.rows {
        let cells: Vec<Vec<String>> =
            shapes.iter().zip(&widths).map(|(shape, width)| lines(table, shape, &row[shape.column], *width)).collect();
        let inks: Vec<Ink> = shapes.iter().map(|s| ink(table.columns[s.column].kind, &row[s.column])).collect();
        push_row(&mut text, &cells, &widths, &right, &inks, (gap, style));
    }
    Drawn { text, dropped }
}

impl Shape {
    fn column_is_number(&self, table: &Table) -> bool {
        table.columns[self.column].kind == Kind::Number
    }
}

fn shape(table: &Table, column: usize, tight: Tight) -> Shape {
    let entries = || table.rows.iter().map(move |row| &row[column]);
    let heading = clean(&table.columns[column].title);
    let longest_word = heading.split_whitespace().map(width).max().unwrap_or(0);
    let aligned = entries().filter(|e| !e.interval.is_empty() && !tight.unaligned);
    let median = aligned.map(|e| width(&e.text)).max().unwrap_or(0);
    let interval = entries().map(|entry| width(&entry.interval)).max().unwrap_or(0);
    let joined = entries().map(|entry| width(&clean(&entry.joined()))).max().unwrap_or(0);
    let content = joined.max(if median > 0 { median + 1 + interval } else { 0 });
    let kind = table.columns[column].kind;
    if matches!(kind, Kind::Number | Kind::Verdict) {
        let full = content.max(longest_word).max(in_lines(&heading, HEADING));
        let least = if kind == Kind::Verdict && tight.verdicts { full.min(VERDICT) } else { full };
        return Shape { column, median, least, full };
    }
    let full = content.max(width(&heading).min(NARROWEST.max(longest_word)));
    let words = |entry: &Entry| clean(&entry.text).split_whitespace().map(width).max().unwrap_or(0);
    let kept = if tight.broken { 0 } else { entries().map(words).max().unwrap_or(0).min(WIDEST_WORD) };
    Shape { column, median, least: full.min(NARROWEST.max(longest_word).max(kept)), full }
}

/// The narrowest that a heading can be in so many lines.
fn in_lines(heading: &str, most: usize) -> usize {
    (1..width(heading)).find(|columns| wrap(heading, *columns).len() <= most).unwrap_or(width(heading))
}

/// An entry in the lines of its column.
fn lines(table: &Table, shape: &Shape, entry: &Entry, columns: usize) -> Vec<String> {
    if !shape.column_is_number(table) {
        return wrap(&clean(&entry.text), columns);
    }
    let text = clean(&entry.text);
    if shape.median == 0 {
        return vec![clean(&entry.joined())];
    }
    // Medians end in one column of the screen and intervals begin in one, so that digits can be compared.
    let pad = " ".repeat(shape.median.saturating_sub(width(&text)));
    let line = format!("{pad}{text} {}", entry.interval);
    let after = columns.saturating_sub(width(&line));
    let before = columns.saturating_sub(table_content(table, shape)).min(after);
    vec![format!("{}{line}{}", " ".repeat(before), " ".repeat(after - before))]
}

/// The width of the widest median with the widest interval of a column.
fn table_content(table: &Table, shape: &Shape) -> usize {
    let interval = table.rows.iter().map(|row| width(&row[shape.column].interval)).max().unwrap_or(0);
    shape.median + 1 + interval
}

fn ink(kind: Kind, entry: &Entry) -> Ink {
    match (kind, entry.text.as_str()) {
        (Kind::Verdict, "faster") => Ink::Better,
        (Kind::Verdict, "slower") | (Kind::Flags, _) => Ink::Worse,
        (Kind::Verdict, "baseline") => Ink::Faint,
        _ => Ink::Plain,
    }
}

fn push_row(
    text: &mut String,
    cells: &[Vec<String>],
    widths: &[usize],
    right: &[bool],
    inks: &[Ink],
    look: (usize, Style),
) {
    let (gap, style) = look;
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    for number in 0..height {
        let mut line = String::new();
        for (i, cell) in cells.iter().enumerate() {
            let part = cell.get(number).map_or("", String::as_str);
            let pad = " ".repeat(widths[i].saturating_sub(width(part)));
            if i > 0 {
                line.push_str(&" ".repeat(gap));
            }
            let painted = style.paint(part, inks[i]);
            line.push_str(&if right[i] { pad + &painted } else { painted + &pad });
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
}

/// One block a row, for places too narrow for a table.
fn blocks(table: &Table, style: Style) -> String {
    let mut text = String::new();
    for row in &table.rows {
        for (column, entry) in table.columns.iter().zip(row) {
            if entry.text.is_empty() {
                continue;
            }
            let joined = format!("{}: {}", clean(&column.title), clean(&entry.joined()));
            for (number, line) in wrap(&joined, style.width - 2).into_iter().enumerate() {
                let indent = if number == 0 { "" } else { "  " };
                text.push_str(indent);
                text.push_str(&style.paint(&line, ink(column.kind, entry)));
                text.push('\n');
            }
        }
        text.push('\n');
    }
    text
}
