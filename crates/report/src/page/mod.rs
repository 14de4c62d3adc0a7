//! The page: one file, no network, no script, for screens, phones and paper.

use hitm_analysis::Summary;
use hitm_experiment::Manifest;
use hitm_experiment::manifest::FigureKind;
use minijinja::value::{Serde, Value};
use minijinja::{Environment, context};
use serde::Serialize;

use crate::beside::beside;
use crate::breakdown::breakdown;
use crate::by_workers::by_workers;
use crate::damage::damage;
use crate::explain::told;
use crate::figure::Figure;
use crate::names::{command_line, fixed, machine_line, stopped, varied};
use crate::notes::{Common, absences, flags, granule, levels};
use crate::relations::relations;
use crate::table::{Kind, Table, key};
use crate::text::{capital, clean, visible, xml};

mod method;
mod timeline;

/// What a page shows besides what its run holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extra {
    /// Files that lie beside the page, such as the CSV.
    pub links: Vec<Link>,
    /// Remarks of whoever makes the page, one paragraph each.
    pub notes: Vec<String>,
}

/// A file beside the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Link {
    /// What it is called.
    pub text: String,
    /// Its path, relative to the page.
    pub href: String,
}

/// The most rows of a table in the page; what is left out is said.
const MOST_ROWS: usize = 500;
/// The most bytes of pictures in the page; those beyond stay in their own files, and that is said.
const MOST_PICTURES: usize = 3_500_000;

#[derive(Serialize)]
struct Cell {
    class: &'static str,
    text: String,
    interval: String,
    /// The names in a cell of flags, none of which is broken.
    parts: Vec<String>,
}

#[derive(Serialize)]
struct Grid {
    heads: Vec<Cell>,
    rows: Vec<Vec<Cell>>,
    more: usize,
}

impl Grid {
    fn new(table: Table) -> Self {
        let class = |kind| match kind {
            Kind::Number => "number",
            Kind::Verdict => "verdict",
            Kind::Flags => "flags",
            Kind::Text => "words",
        };
        let kinds: Vec<Kind> = table.columns.iter().map(|column| column.kind).collect();
        let more = table.rows.len().saturating_sub(MOST_ROWS);
        let heads = table.columns.iter().map(|column| Cell {
            class: class(column.kind),
            // A unit stays whole.
            text: clean(&column.title).replace(" op/s", "\u{a0}op/s"),
            interval: String::new(),
            parts: Vec::new(),
        });
        let rows = table.rows.into_iter().take(MOST_ROWS).map(|row| {
            let cell = |(entry, kind): (crate::table::Entry, &Kind)| Cell {
                class: match (*kind, entry.text.as_str()) {
                    (Kind::Verdict, "faster") => "verdict better",
                    (Kind::Verdict, "slower") => "verdict worse",
                    (Kind::Text, text) if text.chars().count() <= 28 => "words short",
                    (kind, _) => class(kind),
                },
                parts: match kind {
                    Kind::Flags => clean(&entry.text).split(", ").map(str::to_owned).collect(),
                    _ => Vec::new(),
                },
                text: clean(&entry.text),
                interval: entry.interval,
            };
            row.into_iter().zip(&kinds).map(cell).collect()
        });
        Grid { heads: heads.collect(), rows: rows.collect(), more }
    }
}

#[derive(Serialize)]
struct Picture<'a> {
    name: &'a str,
    title: String,
    caption: String,
    alt: String,
    /// Empty where it is too large for the page.
    svg: &'a str,
}

/// Pictures while they have room, each named and told even where it has none.
fn pictures<'a>(figures: impl Iterator<Item = &'a Figure>, room: &mut usize) -> Vec<Picture<'a>> {
    let mut pictures = Vec::new();
    for Figure { name, title, caption, alt, svg, .. } in figures {
        let svg = if svg.len() <= *room { svg.as_str() } else { "" };
        *room -= svg.len();
        let [title, caption, alt] = [title, caption, alt].map(|text| clean(text));
        pictures.push(Picture { name, title, caption, alt, svg });
    }
    pictures
}

/// Text as HTML, what stands between backticks as code.
fn code(text: &str) -> String {
    let escaped = xml(text);
    let parts: Vec<&str> = escaped.split('`').collect();
    if parts.len() % 2 == 0 {
        return escaped;
    }
    let part = |(number, part): (usize, &&str)| {
        if number % 2 == 1 { format!("<code>{part}</code>") } else { (*part).to_owned() }
    };
    parts.iter().enumerate().map(part).collect()
}

fn of(value: impl Serialize) -> Value {
    Serde(value).into()
}

/// The whole run as one HTML page that needs nothing else.
pub fn html(summary: &Summary, manifest: &Manifest, figures: &[Figure], extra: &Extra) -> String {
    let mut environment = Environment::new();
    // The name's ending turns escaping on.
    let template = environment.add_template("report.html", include_str!("report.html"));
    debug_assert!(template.is_ok(), "the template is part of this crate: {template:?}");
    let damage = damage(summary, manifest);
    let told = told(summary);
    let parted = breakdown(summary, manifest);
    let mut room = MOST_PICTURES;
    let explains = |figure: &&Figure| figure.kind == FigureKind::Scatter && told.is_some();
    let others = pictures(figures.iter().filter(|figure| !explains(figure)), &mut room);
    let scatters = pictures(figures.iter().filter(explains), &mut room);
    let none = damage.as_ref().map_or("", |damage| damage.none.as_str()).to_owned();
    let context = context! {
        style => include_str!("style.css"),
        name => clean(&summary.name),
        question => clean(&summary.question),
        answer => clean(&summary.answer),
        reading => code(&manifest.reading),
        machine_line => clean(&machine_line(manifest)),
        same => clean(&if summary.cells.len() > 1 { fixed(summary, &varied(manifest)) } else { String::new() }),
        compared => !summary.comparisons.is_empty(),
        figures_first => crate::pairs::is_matrix(summary, manifest),
        cells => of(Grid::new(key(summary, manifest))),
        relations => of(relations(summary, manifest).map(Grid::new)),
        seldom => clean(&beside(summary, manifest).seldom),
        common => clean(&Common::of(summary).text()),
        by_workers => of(by_workers(summary, manifest)
            .into_iter()
            .map(|(label, table)| (clean(&label), Grid::new(table)))
            .collect::<Vec<_>>()),
        parts_meanings => clean(&capital(parted.as_ref().map_or("", |parted| &parted.meanings))),
        parts_none => clean(parted.as_ref().map_or("", |parted| &parted.none)),
        parts => of(parted.map(|parted| Grid::new(parted.table))),
        looked => damage.is_some(),
        meanings => clean(&capital(damage.as_ref().map_or("", |damage| &damage.meanings))),
        damage => of(damage.and_then(|damage| damage.table).map(Grid::new)),
        unharmed => clean(&capital(&none)),
        figures => of(others),
        scatters => of(scatters),
        explained_short => clean(summary.explanation.as_ref().map_or("", |explanation| &explanation.short)),
        explained => clean(told.as_ref().map_or("", |told| &told.sentence)),
        without_share => clean(told.as_ref().map_or("", |told| &told.rest)),
        explanation => of(told.and_then(|told| told.table).map(Grid::new)),
        levels => levels(summary),
        granule => granule(summary),
        strips => of(timeline::strips(summary)),
        stopped => stopped(summary, manifest),
        flags => of(flags(summary).into_iter().map(|note| [xml(&note.name), code(&note.meaning), xml(&note.whose), code(note.advice)]).collect::<Vec<_>>()),
        absences => of(absences(summary, manifest).into_iter().map(|a| [a.what, a.reason, a.cure].map(|text| code(&text))).collect::<Vec<_>>()),
        machine => of(manifest.machine.iter().map(|fact| [clean(&fact.name), clean(&fact.value)]).collect::<Vec<_>>()),
        findings => of(method::findings(manifest).into_iter().map(|finding| finding.map(|text| code(&text))).collect::<Vec<_>>()),
        settings => of(method::settings(manifest)),
        overheads => of(method::overheads(manifest)),
        events => of(method::events(summary, manifest)),
        command => command_line(manifest),
        provenance => of(method::provenance(manifest)),
        notes => of(extra.notes.iter().map(|note| clean(note)).collect::<Vec<_>>()),
        links => of(&extra.links),
    };
    match environment.get_template("report.html").and_then(|template| template.render(context)) {
        // Names of a manifest reach the page by many ways; no control character does.
        Ok(page) => visible(&page),
        Err(error) => {
            debug_assert!(false, "the template is part of this crate: {error:?}");
            format!("<!DOCTYPE html><title>hitm</title><pre>{}</pre>", crate::text::xml(&error.to_string()))
        }
    }
}
