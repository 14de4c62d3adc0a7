//! Figures as SVG: what an experiment asks for, or what suits what varies.

use std::collections::HashSet;

use hitm_analysis::{CellSummary, Summary};
use hitm_experiment::Manifest;
use hitm_experiment::manifest::{FigureKind, FigureSpec};

use crate::names::{Index, machine_short};
use crate::number::percent;
use crate::text::{slug, unique, words_of};

mod axis;
mod bars;
pub(crate) mod canvas;
mod caption;
mod choose;
mod curve;
mod data;
pub(crate) mod font;
pub(crate) mod frame;
mod matrix;
pub(crate) mod png;
mod scatter;
mod stack;

pub(crate) use axis::reach;
use data::{Data, same_value};

/// One picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// What kind of picture.
    pub kind: FigureKind,
    /// A name for its file, without extension: lower-case letters, digits and hyphens, unique in its run.
    pub name: String,
    /// Its title, which states the question.
    pub title: String,
    /// What is to be seen in it: the finding.
    pub caption: String,
    /// What it is, for readers who do not see it.
    pub alt: String,
    /// The picture: SVG that needs no font, script or network of its own.
    pub svg: String,
}

/// The figures that the experiment asks for; where it asks for none, those that suit what varies in it.
pub fn figures(summary: &Summary, manifest: &Manifest) -> Vec<Figure> {
    let index = Index::new(summary);
    let mut specs =
        if manifest.figures.is_empty() { choose::choose(&index, manifest) } else { manifest.figures.clone() };
    if !specs.iter().any(|spec| spec.kind == FigureKind::Scatter) {
        specs.extend(choose::scatters(summary));
    }
    let mut taken = HashSet::new();
    let mut figures = Vec::new();
    for spec in &specs {
        let panels = panels(summary, spec);
        let drawn: Vec<Figure> = match spec.kind {
            FigureKind::Matrix => {
                panels.iter().flat_map(|panel| matrix::draw_all(&index, manifest, spec, panel)).collect()
            }
            FigureKind::Scatter => panels.iter().map(|panel| scatter::figure(&index, manifest, spec, panel)).collect(),
            FigureKind::Stack => panels.iter().map(|panel| stack::figure(&index, manifest, spec, panel)).collect(),
            FigureKind::Curve | FigureKind::Bars => plots(&index, manifest, spec, &panels),
        };
        for mut figure in drawn {
            figure.name = unique(figure.name, &mut taken);
            figures.push(figure);
        }
    }
    figures
}

/// A plot for each panel. Where some panels have something to show, those without are told in words alone.
fn plots(index: &Index, manifest: &Manifest, spec: &FigureSpec, panels: &[Panel]) -> Vec<Figure> {
    let mut data: Vec<Data> = panels.iter().map(|panel| Data::collect(index, manifest, spec, panel)).collect();
    if data.iter().any(|data| !data.is_harmless()) {
        data.iter_mut().for_each(Data::leave_out_harmless);
    }
    let any = data.iter().any(|data| !data.is_empty());
    let mut figures = Vec::new();
    let mut told = Vec::new();
    for (panel, data) in panels.iter().zip(&data) {
        if any && data.is_empty() {
            told.push(format!("No picture for {}: {}", panel.label, data.why_empty()));
        } else {
            figures.push(plot(index, manifest, spec, panel, data));
        }
    }
    if let Some(last) = figures.last_mut() {
        told.insert(0, std::mem::take(&mut last.caption));
        last.caption = told.join(" ");
    }
    figures
}

/// The cells of one picture, and the panel's `name=value` where there are several.
pub(crate) struct Panel<'a> {
    pub(crate) label: String,
    pub(crate) cells: Vec<&'a CellSummary>,
}

/// The cells that a figure is about, split by its panel parameter.
fn panels<'a>(summary: &'a Summary, spec: &FigureSpec) -> Vec<Panel<'a>> {
    let wanted = |cell: &&CellSummary| {
        spec.only.iter().all(|(name, value)| cell.parameters.get(name).is_some_and(|v| same_value(v, value)))
    };
    let mut panels: Vec<Panel<'a>> = Vec::new();
    for cell in summary.cells.iter().filter(wanted) {
        let label = match cell.parameters.get(&spec.panel) {
            Some(value) if !spec.panel.is_empty() => format!("{}={value}", spec.panel),
            _ => String::new(),
        };
        match panels.iter_mut().find(|panel| panel.label == label) {
            Some(panel) => panel.cells.push(cell),
            None => panels.push(Panel { label, cells: vec![cell] }),
        }
    }
    if panels.is_empty() {
        panels.push(Panel { label: String::new(), cells: Vec::new() });
    }
    panels
}

fn plot(index: &Index, manifest: &Manifest, spec: &FigureSpec, panel: &Panel, data: &Data) -> Figure {
    let title = if spec.title.is_empty() { data.y_title.clone() } else { spec.title.clone() };
    let fixed = [panel_words(spec, panel), data.same.join(", ")].join(", ");
    let subtitle = subtitle(index.summary, manifest, fixed.trim_matches([',', ' ']), data.trust());
    let curve = spec.kind == FigureKind::Curve && data.numeric;
    let caption = caption::of(index, manifest, data);
    let name = file_name(&[&data.y, if spec.x.is_empty() { "cells" } else { &spec.x }, &panel.label]);
    let (kind, chart) = if curve { (FigureKind::Curve, "Line chart") } else { (FigureKind::Bars, "Bar chart") };
    let series: Vec<&str> = data.series.iter().map(|series| series.label.as_str()).filter(|l| !l.is_empty()).collect();
    let of = if series.is_empty() { String::new() } else { format!(" for {}", series.join("; ")) };
    let over = if spec.x.is_empty() { "cell" } else { spec.x.as_str() };
    let alt = format!("{chart} of {} over {over}{of}. {caption}", data.y_heading());
    let svg = match (data.is_empty(), curve) {
        (true, _) => frame::nothing(&title, &subtitle, &data.why_empty()),
        (false, true) => curve::draw(&title, &subtitle, data, manifest),
        (false, false) => bars::draw(&title, &subtitle, data),
    };
    Figure { kind, name, svg: svg.finish(&title, &alt), title, caption, alt }
}

fn file_name(parts: &[&str]) -> String {
    let parts: Vec<&str> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    slug(&words_of(&parts))
}

/// What holds for all of a picture: its panel, and the parameters that it is restricted to.
fn panel_words(spec: &FigureSpec, panel: &Panel) -> String {
    let mut parts: Vec<String> = spec.only.iter().map(|(name, value)| format!("{name}={value}")).collect();
    if !panel.label.is_empty() {
        parts.push(panel.label.clone());
    }
    parts.join(", ")
}

/// How many values the medians of a picture are of, and how much their intervals cover.
pub(crate) struct Trust {
    pub(crate) n: (usize, usize),
    pub(crate) coverage: f64,
}

/// The line below a title: what is held fixed, the machine, the transfer level, n and what the intervals are.
fn subtitle(summary: &Summary, manifest: &Manifest, fixed: &str, trust: Option<Trust>) -> String {
    let mut parts = Vec::new();
    if !fixed.is_empty() {
        parts.push(fixed.to_owned());
    }
    parts.push(machine_short(manifest));
    if let Some(level) = &summary.level {
        parts.push(if level == "one" { "one transfer level".to_owned() } else { format!("transfer level {level}") });
    }
    if let Some(trust) = trust {
        let (least, most) = trust.n;
        parts.push(if least == most {
            format!("n\u{a0}=\u{a0}{least}")
        } else {
            format!("n\u{a0}=\u{a0}{least} to {most}")
        });
        parts.push(match most {
            0 | 1 => "single values".to_owned(),
            _ => format!(
                "medians, intervals ≥\u{a0}{}",
                percent((trust.coverage * 100.0).floor() / 100.0).replace(' ', "\u{a0}")
            ),
        });
    }
    parts.join(" · ")
}
