//! `[kernel]` and `[[kernel]]`.

use super::CELL_PARAMETERS;
use crate::experiment::{KernelSpec, ParameterSpec};
use crate::fields::{Fields, article};
use crate::problem::Problem;
use crate::tree::{Entry, Node, Tree};
use crate::value::Value;

pub(super) fn all(node: &Node, problems: &mut Vec<Problem>) -> Vec<KernelSpec> {
    match &node.value {
        Tree::Array(items) if items.is_empty() => {
            let cure = "write [kernel] and name = \"sharing/counters\" below it";
            problems.push(Problem::new(node.place.clone(), "there is no kernel to measure", cure));
            Vec::new()
        }
        Tree::Array(items) => items.iter().map(|item| one(item, problems)).collect(),
        _ => vec![one(node, problems)],
    }
}

fn one(node: &Node, problems: &mut Vec<Problem>) -> KernelSpec {
    let mut fields = Fields::new(node);
    if matches!(node.value, Tree::Table(_)) {
        let name = match node.get("name").map(|entry| &entry.node) {
            Some(Node { place, value: Tree::Array(_) }) => {
                fields.node("name");
                fields.tell(place.clone(), "`name` names one kernel", "write a [[kernel]] table for each");
                None
            }
            _ => fields.required_text("name", "name the kernel, such as name = \"sharing/counters\""),
        };
        let mut parameters = Vec::new();
        let others: Vec<&Entry> = fields.others().collect();
        for entry in others {
            if let Some(values) = parameter(entry, &mut fields) {
                parameters.push(ParameterSpec { name: entry.key.clone(), values });
            }
        }
        problems.append(&mut fields.problems);
        return KernelSpec { name: name.map(|read| read.value).unwrap_or_default(), parameters };
    }
    problems.append(&mut fields.problems);
    KernelSpec { name: String::new(), parameters: Vec::new() }
}

fn parameter(entry: &Entry, fields: &mut Fields<'_>) -> Option<Vec<Value>> {
    let name = &entry.key;
    if CELL_PARAMETERS.contains(&name.as_str()) || matches!(name.as_str(), "policy") {
        let cure = match name.as_str() {
            "workers" | "together" | "threads_per_core" | "cores" => "write it below [placement]",
            "placement" | "policy" | "pus" => "write it as `policy` below [placement]",
            "relation" => "write it as `pairs` below [placement]",
            _ => "name the kernel with `name`",
        };
        fields.tell(entry.key_place.clone(), format!("`{name}` is no parameter of a kernel"), cure);
        return None;
    }
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')) {
        let told = format!("`{name}` cannot be a parameter's name");
        fields.tell(entry.key_place.clone(), told, "parameters are named in letters, digits, `_` and `-`");
        return None;
    }
    let items = match &entry.node.value {
        Tree::Array(items) => items.as_slice(),
        Tree::Invalid => return None,
        _ => std::slice::from_ref(&entry.node),
    };
    if items.is_empty() {
        let told = format!("`{name}` has no values");
        fields.tell(entry.node.place.clone(), told, "give it at least one, or leave it out for its default");
        return None;
    }
    let before = fields.problems.len();
    let mut values: Vec<Value> = Vec::with_capacity(items.len());
    let mut seen = std::collections::HashSet::new();
    for item in items {
        let Tree::Scalar(value) = &item.value else {
            if !matches!(item.value, Tree::Invalid) {
                let told = format!("`{name}` takes values, not {} {}", article(item.type_name()), item.type_name());
                fields.tell(item.place.clone(), told, "write one value, or an array of values that it varies over");
            }
            continue;
        };
        if let Some(first) = values.first() {
            if first.type_name() != value.type_name() {
                let (a, b) = (first.type_name(), value.type_name());
                let told = format!("`{name}` mixes {a}s and {b}s");
                fields.tell(item.place.clone(), told, "write all its values in one type");
                continue;
            }
        }
        if !seen.insert(value.to_string()) {
            let told = format!("`{name}` has {value} twice");
            fields.tell(item.place.clone(), told, "write each value once");
            continue;
        }
        values.push(value.clone());
    }
    (fields.problems.len() == before && values.len() == items.len()).then_some(values)
}
