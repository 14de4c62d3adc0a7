//! A run on a terminal: never wider than it is, readable without colour.

use hitm_analysis::Summary;
use hitm_experiment::Manifest;

use crate::beside::beside;
use crate::breakdown::{self, breakdown};
use crate::damage::{self, damage};
use crate::explain::told;
use crate::names::{TIME, fixed, machine_line, metric_title, operation, stopped, varied};
use crate::notes::{Common, absences, flags, granule, levels};
use crate::number::{percent, sentence, sentence_in};
use crate::pairs::{Matrix, is_matrix, matrices};
use crate::relations::relations;
use crate::table::{self, key};
use crate::text::{clean, count, width, wrap};

pub(crate) mod grid;

/// How to draw for a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether to colour, by ANSI escapes; nothing is told by colour alone.
    pub color: bool,
    /// The most columns a line may have; below 20 counts as 20.
    pub width: usize,
}

/// The ways text can stand out.
#[derive(Clone, Copy)]
pub(crate) enum Ink {
    Plain,
    Bold,
    Faint,
    Better,
    Worse,
}

impl Style {
    /// The text with its ink, if there is colour.
    pub(crate) fn paint(self, text: &str, ink: Ink) -> String {
        let code = match ink {
            Ink::Bold => "1",
            Ink::Faint => "2",
            Ink::Better => "36",
            Ink::Worse => "33",
            Ink::Plain => "",
        };
        if !self.color || code.is_empty() || text.trim().is_empty() {
            text.to_owned()
        } else {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        }
    }
}

/// The most rows of a table; what is left out is said.
const MOST_ROWS: usize = 400;

/// The run as text: the question, the answer, the cells, the damage, how far to trust it, and what was absent.
pub fn terminal(summary: &Summary, manifest: &Manifest, style: Style) -> String {
    let style = Style { width: style.width.max(20), ..style };
    let mut page = Page { text: String::new(), style };
    page.paragraph(&summary.name, Ink::Faint);
    page.paragraph(&summary.question, Ink::Bold);
    page.gap();
    page.paragraph(&summary.answer, Ink::Plain);
    let told = told(summary);
    if let Some(told) = &told {
        page.labelled("what explains it", &told.sentence);
    }
    page.gap();
    page.labelled("machine", &machine_line(manifest));
    let same = fixed(summary, &varied(manifest));
    if !same.is_empty() && summary.cells.len() > 1 {
        page.labelled("in all cells", &same);
    }
    if !manifest.left_out.is_empty() {
        page.labelled("left out", &manifest.left_out.join("; "));
    }
    page.gap();
    if summary.cells.is_empty() {
        page.paragraph("There are no cells.", Ink::Plain);
    } else if is_matrix(summary, manifest) {
        for matrix in matrices(&summary.cells, manifest) {
            page.matrix(&matrix, &metric_title(TIME, operation(summary)));
        }
        if let Some(table) = relations(summary, manifest) {
            page.gap();
            page.paragraph("by what the two PUs share", Ink::Bold);
            page.table(table);
        }
    } else {
        page.table(key(summary, manifest));
        let common = Common::of(summary).text();
        if !common.is_empty() {
            page.paragraph(&format!("flags {common}"), Ink::Faint);
        }
    }
    page.gap();
    if let Some(parted) = breakdown(summary, manifest) {
        page.paragraph(&format!("{} (share of it)", breakdown::TITLE), Ink::Bold);
        page.table(parted.table);
        page.paragraph(&parted.meanings, Ink::Faint);
        if !parted.none.is_empty() {
            page.paragraph(&format!("nothing anywhere: {}", parted.none), Ink::Faint);
        }
        page.gap();
    }
    if let Some((table, rest)) = told.and_then(|told| Some((told.table?, told.rest))) {
        page.paragraph("events against the time", Ink::Bold);
        page.table(table);
        page.paragraph(&rest, Ink::Faint);
        page.gap();
    }
    let seldom = beside(summary, manifest).seldom;
    if !seldom.is_empty() {
        page.labelled("the operating system", &seldom);
        page.gap();
    }
    if let Some(damage) = damage(summary, manifest) {
        if let Some(table) = damage.table {
            page.paragraph(&format!("{} (share of those looked at)", damage::TITLE), Ink::Bold);
            page.table(table);
            page.paragraph(&damage.meanings, Ink::Faint);
            page.paragraph(&damage.none, Ink::Faint);
        } else {
            page.labelled("seen in the values", &damage.none);
        }
        page.gap();
    }
    let levels = levels(summary);
    if !levels.is_empty() {
        page.labelled("levels", &levels);
    }
    let granule = granule(summary);
    if !granule.is_empty() {
        page.labelled("granule of sharing", &granule);
    }
    page.labelled("stopped", &stopped(summary, manifest));
    page.gap();
    for note in flags(summary) {
        page.brief(&note.name, note.ever_shorter(), if note.has_cure() { 4 } else { 2 });
    }
    page.gap();
    for absence in absences(summary, manifest) {
        let cure = if absence.cure.is_empty() { String::new() } else { format!("; cure: {}", absence.cure) };
        page.labelled("absent", &format!("{}: {}{cure}", absence.what, absence.reason));
    }
    page.text
}

struct Page {
    text: String,
    style: Style,
}

impl Page {
    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    /// One empty line, never two.
    fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    fn paragraph(&mut self, text: &str, ink: Ink) {
        for line in wrap(&clean(text), self.style.width) {
            if !line.is_empty() {
                self.line(&self.style.paint(&line, ink));
            }
        }
    }

    /// `label: text`, later lines indented.
    fn labelled(&mut self, label: &str, text: &str) {
        let label = format!("{}:", clean(label));
        let lines = wrap(&format!("{label} {}", clean(text)), self.style.width);
        let rest = lines.first().map_or("", |first| first.strip_prefix(&label).unwrap_or(first)).to_owned();
        let starts = lines.first().is_some_and(|first| first.starts_with(&label));
        if starts {
            self.line(&format!("{}{rest}", self.style.paint(&label, Ink::Bold)));
        } else {
            self.line(&rest);
        }
        if lines.len() > 1 {
            let rest = lines[1..].join(" ");
            for line in wrap(&rest, self.style.width - 2) {
                self.line(&format!("  {line}"));
            }
        }
    }

    /// `label: text` with the first of the texts that takes as much as so many lines of 72 columns hold, and three lines (or two) at least.
    fn brief(&mut self, label: &str, texts: Vec<String>, lines_of_72: usize) {
        let most = (lines_of_72 * 72).div_ceil(self.style.width).max(lines_of_72.min(3));
        let lines = |text: &String| wrap(&clean(&format!("{label}: {text}")), self.style.width - 2).len();
        if let Some(text) = texts.iter().find(|text| lines(text) <= most).or(texts.last()) {
            self.labelled(label, text);
        }
    }

    fn table(&mut self, mut table: crate::table::Table) {
        let more = table.rows.len().saturating_sub(MOST_ROWS);
        table.rows.truncate(MOST_ROWS);
        let drawn = grid::draw(&table, self.style);
        self.text.push_str(&drawn.text);
        if !drawn.dropped.is_empty() {
            let names = drawn.dropped.join("; ");
            self.paragraph(&format!("no room at this width for: {names}"), Ink::Faint);
        }
        if more > 0 {
            self.paragraph(&format!("and {} more, all of them in the CSV", count(more as u64, "row")), Ink::Faint);
        }
    }

    fn matrix(&mut self, matrix: &Matrix, title: &str) {
        let scale = matrix.scale();
        let label = if matrix.label.is_empty() { String::new() } else { format!(" ({})", matrix.label) };
        self.paragraph(&format!("{title}, {}, between two PUs{label}", scale.unit), Ink::Bold);
        let rows: Vec<Vec<String>> = match table::matrix(matrix) {
            Some((table, _)) => {
                let heading = table.columns.into_iter().map(|column| column.title).collect();
                let rows = table.rows.into_iter().map(|row| row.into_iter().map(|entry| entry.text).collect());
                std::iter::once(heading).chain(rows).collect()
            }
            None => Vec::new(),
        };
        let cell = rows.iter().flatten().map(|text| width(text)).max().unwrap_or(0) + 1;
        if !rows.is_empty() && cell * rows[0].len() <= self.style.width {
            for (number, row) in rows.iter().enumerate() {
                let text: String = row.iter().map(|v| format!("{}{v}", " ".repeat(cell - width(v)))).collect();
                let ink = if number == 0 { Ink::Bold } else { Ink::Plain };
                self.line(&self.style.paint(&text, ink));
            }
        } else {
            let pus = count(matrix.pus.len() as u64, "PU");
            self.paragraph(&format!("{pus} make too wide a matrix for here: see the figure."), Ink::Faint);
        }
        let mut sorted = matrix.times();
        sorted.sort_by(|a, b| a.1.median.total_cmp(&b.1.median));
        if let (Some(least), Some(most)) = (sorted.first(), sorted.last()) {
            let one = |((a, b), estimate): &((u32, u32), &hitm_analysis::Estimate)| {
                format!("{} (PUs {a} and {b})", sentence_in(estimate, &scale))
            };
            if sorted.len() == 1 {
                self.labelled("the only pair", &one(least));
            } else {
                self.labelled("nearest", &one(least));
                self.labelled("median pair", &sentence(sorted[sorted.len() / 2].1));
                self.labelled("farthest", &one(most));
            }
        }
        let missing = matrix.missing();
        if missing > 0 {
            let n = matrix.pus.len();
            let share = percent(missing as f64 / (n * (n - 1) / 2) as f64);
            self.labelled("not measured", &format!("{} ({share})", count(missing as u64, "pair")));
        }
        self.gap();
    }
}
