//! Markdown for pasting into issues and design documents, and the README of a reference run.

use std::fmt::Write;

use hitm_analysis::Summary;
use hitm_experiment::Manifest;

use crate::beside::beside;
use crate::breakdown::{self, breakdown};
use crate::by_workers::by_workers;
use crate::damage::{TITLE, damage};
use crate::explain::told;
use crate::figure::figures;
use crate::names::{TIME, command_line, fixed, machine_line, metric_title, operation, stopped, varied};
use crate::notes::{Common, absences, flags, granule, levels};
use crate::pairs::{is_matrix, matrices};
use crate::relations::relations;
use crate::table::{self, Kind, Table, key};
use crate::text::{capital, markdown as escape, markdown_prose};

/// The most rows of a table; what is left out is said.
const MOST_ROWS: usize = 200;

/// The run as Markdown: question, answer, the key table, the damage and the notes.
pub fn markdown(summary: &Summary, manifest: &Manifest) -> String {
    let mut text = String::new();
    paragraph(&mut text, &format!("**{}**", escape(&summary.question)));
    body(&mut text, summary, manifest);
    text
}

/// A README for the folder of a run that is kept: the same with the figures beside it and the command that made it.
pub fn readme(summary: &Summary, manifest: &Manifest) -> String {
    let mut text = String::new();
    paragraph(&mut text, &format!("# {}", escape(&summary.name)));
    paragraph(&mut text, &escape(&summary.question));
    body(&mut text, summary, manifest);
    for figure in figures(summary, manifest) {
        let alt = escape(&figure.caption);
        paragraph(&mut text, &format!("![{alt}]({}.svg)", figure.name));
        paragraph(&mut text, &format!("*{}* {alt}", escape(&figure.title)));
    }
    if !manifest.reading.is_empty() {
        paragraph(&mut text, &format!("**Reading.** {}", markdown_prose(&manifest.reading)));
    }
    paragraph(&mut text, "Made by:");
    // Indented code needs no fence, which a command could hold.
    paragraph(&mut text, &format!("    {}", command_line(manifest)));
    paragraph(&mut text, &made_with(manifest));
    text
}

/// `with seed 7, hitm 0.1.0 (x86_64-unknown-linux-gnu), release.`, without what is not told.
fn made_with(manifest: &Manifest) -> String {
    let build = &manifest.build;
    let [version, target, profile] = [&build.version, &build.target, &build.profile].map(|text| escape(text));
    let mut parts = vec![format!("with seed {}", manifest.seed)];
    match (version.is_empty(), target.is_empty()) {
        (false, false) => parts.push(format!("hitm {version} ({target})")),
        (false, true) => parts.push(format!("hitm {version}")),
        (true, _) => {}
    }
    if !profile.is_empty() {
        parts.push(profile);
    }
    format!("{}.", parts.join(", "))
}

fn body(text: &mut String, summary: &Summary, manifest: &Manifest) {
    paragraph(text, &escape(&summary.answer));
    let told = told(summary);
    if let Some(told) = &told {
        paragraph(text, &format!("**What explains it.** {}", escape(&told.sentence)));
    }
    paragraph(text, &format!("Machine: {}.", escape(&machine_line(manifest))));
    let same = fixed(summary, &varied(manifest));
    if !same.is_empty() && summary.cells.len() > 1 {
        paragraph(text, &format!("In all cells: {}.", escape(&same)));
    }
    let matrices = if is_matrix(summary, manifest) { matrices(&summary.cells, manifest) } else { Vec::new() };
    // A list of pairs is read by nobody; a matrix of one pair says less than its row.
    if matrices.iter().any(|matrix| matrix.pus.len() > 2) {
        for matrix in &matrices {
            let title = metric_title(TIME, operation(summary));
            let label = if matrix.label.is_empty() { String::new() } else { format!(" ({})", matrix.label) };
            match table::matrix(matrix) {
                Some((table, scale)) => {
                    let unit = &scale.unit;
                    paragraph(text, &escape(&format!("{}, {unit}, between two PUs{label}:", capital(&title))));
                    push_table(text, &table);
                }
                None => paragraph(text, &escape(&format!("{} PUs{label}: see the figure.", matrix.pus.len()))),
            }
        }
        if let Some(table) = relations(summary, manifest) {
            push_table(text, &table);
        }
    } else {
        push_table(text, &key(summary, manifest));
        let common = Common::of(summary).text();
        if !common.is_empty() {
            paragraph(text, &format!("Flags {}.", escape(&common)));
        }
    }
    for (label, table) in by_workers(summary, manifest) {
        let of = if label.is_empty() { String::new() } else { format!(" with {}", escape(&label)) };
        paragraph(text, &format!("Throughput by threads{of}:"));
        push_table(text, &table);
    }
    if let Some(parted) = breakdown(summary, manifest) {
        paragraph(text, &format!("{} (share of it):", capital(breakdown::TITLE)));
        push_table(text, &parted.table);
        paragraph(text, &format!("{}.", escape(&capital(&parted.meanings))));
        if !parted.none.is_empty() {
            paragraph(text, &format!("Nothing anywhere: {}.", escape(&parted.none)));
        }
    }
    if let Some((table, rest)) = told.and_then(|told| Some((told.table?, told.rest))) {
        paragraph(text, "Events against the time:");
        push_table(text, &table);
        paragraph(text, &escape(&rest));
    }
    if let Some(damage) = damage(summary, manifest) {
        let none = escape(&damage.none);
        match &damage.table {
            Some(table) => {
                paragraph(text, &format!("{} (share of those looked at):", capital(TITLE)));
                push_table(text, table);
                if !damage.meanings.is_empty() {
                    paragraph(text, &format!("{}.", escape(&capital(&damage.meanings))));
                }
                if !none.is_empty() {
                    paragraph(text, &format!("{}.", capital(&none)));
                }
            }
            None => paragraph(text, &format!("Seen in the values: {none}.")),
        }
    }
    let levels = levels(summary);
    if !levels.is_empty() {
        item(text, "Transfer levels", &levels);
    }
    let granule = granule(summary);
    if !granule.is_empty() {
        item(text, "Granule of sharing", &granule);
    }
    let seldom = beside(summary, manifest).seldom;
    if !seldom.is_empty() {
        item(text, "The operating system", &seldom);
    }
    item(text, "Stopped", &stopped(summary, manifest));
    for note in flags(summary) {
        item(text, &note.name, &note.text());
    }
    for absence in absences(summary, manifest) {
        let cure = if absence.cure.is_empty() { String::new() } else { format!("; cure: {}", absence.cure) };
        item(text, "Absent", &format!("{}: {}{cure}", absence.what, absence.reason));
    }
    text.push('\n');
}

fn paragraph(text: &mut String, paragraph: &str) {
    if !paragraph.is_empty() {
        let _ = writeln!(text, "{paragraph}\n");
    }
}

fn item(text: &mut String, label: &str, what: &str) {
    let _ = writeln!(text, "- **{}**: {}", escape(label), markdown_prose(what));
}

pub(crate) fn push_table(text: &mut String, table: &Table) {
    let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    text.push_str(&row(table.columns.iter().map(|column| escape(&column.title)).collect()));
    let rule = |kind| if kind == Kind::Number { "---:" } else { "---" }.to_owned();
    text.push_str(&row(table.columns.iter().map(|column| rule(column.kind)).collect()));
    for cells in table.rows.iter().take(MOST_ROWS) {
        // Brackets before a parenthesis would be a link; those of intervals stand alone and stay as they are.
        let cell = |entry: &crate::table::Entry| match entry.interval.as_str() {
            "" => escape(&entry.text),
            interval => format!("{} {interval}", escape(&entry.text)),
        };
        text.push_str(&row(cells.iter().map(cell).collect()));
    }
    if table.rows.len() > MOST_ROWS {
        let _ = write!(text, "\n{} more rows are in the CSV.\n", table.rows.len() - MOST_ROWS);
    }
    text.push('\n');
}
