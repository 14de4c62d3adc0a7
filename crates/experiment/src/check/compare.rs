//! `[compare]` and `[[figure]]`.

use crate::fields::Fields;
use crate::manifest::{Compare, FigureKind, FigureSpec};
use crate::problem::Problem;
use crate::suggest;
use crate::tree::{Node, Tree};
use crate::value::Parameters;

pub(super) fn read(node: &Node, problems: &mut Vec<Problem>) -> Compare {
    let mut fields = Fields::new(node);
    let cure = "write the parameters of the cells to compare with, such as baseline = { state = \"thread-local\" }";
    let baseline = parameters(&mut fields, "baseline", cure);
    let cure = "write the parameters of the cells that the answer speaks of, such as headline = { work = 64 }";
    let headline = parameters(&mut fields, "headline", cure);
    let metric = match fields.has("metric") {
        true => fields.required_text("metric", "name a metric, such as \"time_per_op\""),
        false => fields.text("metric", ""),
    };
    let share_of = match fields.has("share_of") {
        true => fields
            .required_text("share_of", "name a parameter whose least value leaves the part alone, such as \"work\""),
        false => fields.text("share_of", ""),
    };
    problems.extend(fields.finish());
    let metric = metric.map_or_else(|| "time_per_op".to_owned(), |read| read.value);
    Compare { baseline, headline, metric, share_of: share_of.map(|read| read.value).unwrap_or_default() }
}

fn parameters(fields: &mut Fields<'_>, key: &'static str, cure: &str) -> Parameters {
    fields.scalars(key, cure).unwrap_or_default().into_iter().map(|(name, read)| (name, read.value)).collect()
}

pub(super) fn figures(
    node: Option<&Node>,
    question: &str,
    metric: &str,
    pairs: bool,
    problems: &mut Vec<Problem>,
) -> Vec<FigureSpec> {
    let items = match node {
        None => return Vec::new(),
        Some(node) => match &node.value {
            Tree::Array(items) => items.as_slice(),
            _ => std::slice::from_ref(node),
        },
    };
    items.iter().filter_map(|item| figure(item, question, metric, pairs, problems)).collect()
}

/// What a stack shows.
const PARTS: &str = "breakdown";

fn figure(node: &Node, question: &str, metric: &str, pairs: bool, problems: &mut Vec<Problem>) -> Option<FigureSpec> {
    let mut fields = Fields::new(node);
    if !matches!(node.value, Tree::Table(_)) {
        problems.append(&mut fields.problems);
        return None;
    }
    let kinds = [
        ("curve", FigureKind::Curve),
        ("bars", FigureKind::Bars),
        ("matrix", FigureKind::Matrix),
        ("scatter", FigureKind::Scatter),
        ("stack", FigureKind::Stack),
    ];
    if !fields.has("kind") {
        let place = fields.place("kind");
        fields.tell(
            place,
            "a figure's `kind` is missing",
            "write kind = \"curve\", \"bars\", \"matrix\", \"scatter\" or \"stack\"",
        );
    }
    let kind = fields.choice("kind", &kinds).map(|read| read.value);
    // Of a kind that was mistyped it is known what it needs all the same.
    let written = node.get("kind").and_then(|entry| match &entry.node.value {
        Tree::Scalar(value) => value.as_text(),
        _ => None,
    });
    let meant = written.and_then(|word| suggest::closest(word, kinds.map(|(word, _)| word)));
    let meant = kinds.iter().find(|(word, _)| Some(*word) == meant).map(|(_, kind)| *kind);
    let matrix = meant == Some(FigureKind::Matrix);
    let stack = meant == Some(FigureKind::Stack);
    let mut word = |key: &'static str, required: bool, cure: &str, otherwise: &str| {
        let read = if required || fields.has(key) { fields.required_text(key, cure) } else { fields.text(key, cure) };
        read.map_or_else(|| otherwise.to_owned(), |read| read.value)
    };
    // Without a kind nothing can be said of what it needs.
    let needs = meant.is_some() && !matrix;
    let title = word("title", needs, "write the question that the figure answers", question);
    let otherwise = if stack { PARTS } else { metric };
    let y = word("y", needs && !stack, "name a metric such as \"time_per_op\", \"extra\" or an observation", otherwise);
    let mut optional = |key: &'static str, required: bool, cure: &str| {
        let read = if required { fields.required_text(key, cure) } else { fields.text(key, cure) };
        read.map(|read| read.value).unwrap_or_default()
    };
    let axis = match meant {
        Some(FigureKind::Scatter) => "name the metric on the horizontal axis, such as \"store-transfer_per_op\"",
        _ => "name the parameter on the horizontal axis",
    };
    let x = optional("x", needs, axis);
    let series = optional("series", false, "name the parameter that tells lines or bars apart");
    let panel = optional("panel", false, "name the parameter that each picture has one value of");
    let only =
        parameters(&mut fields, "only", "write the parameters of the cells to show, such as only = { work = 64 }");
    if stack && y != PARTS {
        let place = node.get("y").map(|entry| entry.node.place.clone()).unwrap_or_default();
        fields.tell(place, "a stack shows the parts of the workers' time", format!("leave `y` out, or give {PARTS:?}"));
    }
    if matrix && !x.is_empty() {
        let place = node.get("x").map(|entry| entry.node.place.clone()).unwrap_or_default();
        fields.tell(place, "a matrix has PUs on both axes", "leave `x` out");
    }
    if matrix && !pairs {
        let place = fields.place("kind");
        let place = node.get("kind").map_or(place, |entry| entry.node.place.clone());
        fields.tell(
            place,
            "a matrix shows pairs of PUs, and nothing here runs on pairs",
            "write pairs = \"all\" below [placement]",
        );
    }
    problems.extend(fields.finish());
    Some(FigureSpec { kind: kind.unwrap_or(FigureKind::Bars), title, y, x, series, panel, only })
}
