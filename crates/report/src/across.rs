//! Run against run, as text, Markdown and CSV.

use hitm_analysis::Verdict;
use hitm_analysis::runs::{Across, CellAcross};

use crate::by_workers::change;
use crate::export::{Sheet, numbers};
use crate::markdown::push_table;
use crate::names::{metric_title, verdict};
use crate::number::{ABSENT, ratio, significant, trim};
use crate::table::{Entry, Kind, Table};
use crate::terminal::Style;
use crate::terminal::grid::draw;
use crate::text::{capital, clean, count, markdown as escape, wrap};

/// The most cells that are named where only one run has them.
const NAMED: usize = 8;

/// What was found in a sentence, a row for each common cell, and what to know before believing it.
pub fn across(across: &Across, style: Style) -> String {
    let style = Style { width: style.width.max(20), ..style };
    let mut paragraphs = vec![wrap(&clean(&finding(across)), style.width).join("\n")];
    paragraphs.push(draw(&table(across), style).text.trim_end().to_owned());
    let notes: Vec<String> = notes(across).iter().flat_map(|note| wrap(&clean(note), style.width)).collect();
    if !notes.is_empty() {
        paragraphs.push(notes.join("\n"));
    }
    paragraphs.join("\n\n") + "\n"
}

/// The same as Markdown to paste.
pub fn across_markdown(across: &Across) -> String {
    let mut text = format!("{}\n\n", escape(&finding(across)));
    push_table(&mut text, &table(across));
    for note in notes(across) {
        text.push_str(&format!("\n- {}", escape(&note)));
    }
    text.trim_end().to_owned() + "\n"
}

/// A row for each common cell, all numbers in full.
pub fn across_csv(across: &Across) -> String {
    let mut sheet = Sheet::new();
    let of = |name: &str| {
        ["unit", "median", "low", "high", "n", "independent", "coverage"].map(|part| format!("{name}_{part}"))
    };
    let mut head: Vec<String> = ["cell", "metric", "verdict", "p"].map(str::to_owned).to_vec();
    head.extend(["before", "after", "ratio"].iter().flat_map(|name| of(name)));
    sheet.row(&head);
    for cell in &across.cells {
        let p = cell.p.map_or(String::new(), crate::number::full);
        let mut row = vec![cell.cell.clone(), across.metric.clone(), verdict(cell.verdict).to_owned(), p];
        let estimates = [Some(&cell.before), Some(&cell.after), cell.ratio.as_ref()];
        row.extend(estimates.into_iter().flat_map(numbers));
        sheet.row(&row);
    }
    sheet.text()
}

/// How many cells are faster, slower and neither, and the geometric mean.
pub fn finding(across: &Across) -> String {
    let number = |verdict: Verdict| across.cells.iter().filter(|cell| cell.verdict == verdict).count();
    let parts = [
        (Verdict::Slower, "slower"),
        (Verdict::Faster, "faster"),
        (Verdict::NoCredibleChange, "without credible change"),
        (Verdict::NotKnown, "not known"),
        (Verdict::TooFew, "with too few repetitions"),
    ];
    let told: Vec<String> = parts
        .iter()
        .map(|(verdict, words)| (number(*verdict), words))
        .filter(|(n, _)| *n > 0)
        .map(|(n, words)| format!("{n} {words}"))
        .collect();
    let mean = across.geometric_mean.as_ref().map_or(String::new(), |mean| {
        let what = if across.cells.len() == 1 { "the ratio" } else { "the geometric mean of the ratios" };
        format!("; {what} is {}", ratio(mean))
    });
    capital(&format!(
        "{} of {} against {}: {} in {}{mean}.",
        metric_title(&across.metric, "operation"),
        across.after,
        across.before,
        told.join(", "),
        count(across.cells.len() as u64, "common cell")
    ))
}

fn table(across: &Across) -> Table {
    let cells = &across.cells;
    let mut table = Table { columns: Vec::new(), rows: vec![Vec::new(); cells.len()] };
    let mut names: Vec<&String> = Vec::new();
    for name in cells.iter().flat_map(|cell| cell.parameters.keys()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() {
        table.add("cell", Kind::Text, 0, cells.iter().map(|cell| Entry::text(cell.cell.clone())));
    }
    for name in names {
        let values = || cells.iter().map(|cell| cell.parameters.get(name));
        let numbers = values().flatten().all(|value| value.as_number().is_some());
        let kind = if numbers { Kind::Number } else { Kind::Text };
        table.add(
            name,
            kind,
            0,
            values().map(|value| Entry::text(value.map_or(ABSENT.to_owned(), ToString::to_string))),
        );
    }
    let [before, after] = if across.paired { ["baseline", "this"] } else { ["before", "after"] };
    table.add_estimates(before, 0, &cells.iter().map(|cell| Some(&cell.before)).collect::<Vec<_>>());
    table.add_estimates(after, 0, &cells.iter().map(|cell| Some(&cell.after)).collect::<Vec<_>>());
    table.add(
        "change, %",
        Kind::Number,
        0,
        cells.iter().map(|cell| cell.ratio.as_ref().map_or(Entry::text(ABSENT), change)),
    );
    table.add("verdict", Kind::Verdict, 0, cells.iter().map(|cell| Entry::text(verdict(cell.verdict))));
    table.add("p", Kind::Number, 2, cells.iter().map(p));
    table
}

fn p(cell: &CellAcross) -> Entry {
    Entry::text(match cell.p {
        None => ABSENT.to_owned(),
        Some(p) if p < 0.001 => "< 0.001".to_owned(),
        Some(p) => trim(&significant(p, 2)).to_owned(),
    })
}

fn notes(across: &Across) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for (whose, cells) in [(&across.before, &across.only_before), (&across.after, &across.only_after)] {
        if !cells.is_empty() {
            let mut named: Vec<&str> = cells.iter().take(NAMED).map(String::as_str).collect();
            let more = format!("{} more", cells.len().saturating_sub(NAMED));
            if cells.len() > NAMED {
                named.push(&more);
            }
            notes.push(format!("only in {whose}: {}", named.join("; ")));
        }
    }
    let nothing: Vec<&str> =
        across.cells.iter().filter(|cell| cell.ratio.is_none()).map(|cell| cell.cell.as_str()).collect();
    if !nothing.is_empty() {
        notes.push(format!("no ratio to a {} of 0: {}", across.metric, nothing.join("; ")));
    }
    notes.extend(across.differs.iter().map(|differs| format!("differs too: {differs}")));
    let how = match across.paired {
        true => "trials are pairs from one block, each with its baseline's",
        false => "the runs' trials are no pairs: intervals are of both runs' repetitions drawn again",
    };
    notes.push(format!("{how}; p is adjusted for the number of cells (Holm)"));
    notes
}
