//! Holding the names of `[compare]` and `[[figure]]` to the cells that there are.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::{PlannedCell, spots::shortened};
use crate::compare::{Baseline, same};
use crate::experiment::Experiment;
use crate::problem::Problem;
use crate::suggest;
use crate::value::{Parameters, Value};

/// The parameters of the cells by name, each with its values in the order of the cells.
struct Known<'a>(BTreeMap<&'a str, Vec<&'a Value>>);

impl<'a> Known<'a> {
    fn new(cells: &'a [PlannedCell]) -> Self {
        let mut known: BTreeMap<&str, (Vec<&Value>, HashSet<String>)> = BTreeMap::new();
        for (name, value) in cells.iter().flat_map(|cell| &cell.parameters) {
            let (values, seen) = known.entry(name).or_default();
            // Cells side by side differ in few parameters.
            if values.last().is_none_or(|last| *last != value) && seen.insert(value.to_string()) {
                values.push(value);
            }
        }
        Known(known.into_iter().map(|(name, (values, _))| (name, values)).collect())
    }

    fn name(&self, experiment: &Experiment, path: &str, name: &str, problems: &mut Vec<Problem>) -> bool {
        if self.0.contains_key(name) {
            return true;
        }
        let cure = suggest::cure(name, self.0.keys().copied());
        problems.push(Problem::new(experiment.place(path), format!("no cell has a parameter `{name}`"), cure));
        false
    }

    /// Whether every name and value of `wanted` is some cell's.
    fn values(&self, experiment: &Experiment, path: &str, wanted: &Parameters, problems: &mut Vec<Problem>) -> bool {
        let before = problems.len();
        for (name, value) in wanted {
            let path = format!("{path}.{name}");
            if !self.name(experiment, &path, name, problems) {
                continue;
            }
            let there = &self.0[name.as_str()];
            if !there.iter().any(|own| same(own, value)) {
                let words: Vec<String> = there.iter().map(|own| own.to_string()).collect();
                let cure = match suggest::closest(&value.to_string(), words.iter().map(String::as_str)) {
                    Some(meant) if value.as_text().is_some() => format!("did you mean `{meant}`?"),
                    _ => format!("cells have {name} = {}", shortened(&words)),
                };
                problems.push(Problem::new(experiment.place(&path), format!("no cell has {name} = {value}"), cure));
            }
        }
        problems.len() == before
    }
}

pub(super) fn check(experiment: &Experiment, cells: &[PlannedCell], found: &[Baseline], problems: &mut Vec<Problem>) {
    let known = Known::new(cells);
    let baseline = &experiment.compare.baseline;
    let bound = known.values(experiment, "compare.baseline", baseline, problems);
    if bound && !baseline.is_empty() {
        check_baseline(experiment, cells, found, problems);
    }
    for (at, figure) in experiment.figures.iter().enumerate() {
        let path = |key: &str| format!("figure.{at}.{key}");
        for (key, name) in [("x", &figure.x), ("series", &figure.series), ("panel", &figure.panel)] {
            if !name.is_empty() {
                known.name(experiment, &path(key), name, problems);
            }
        }
        known.values(experiment, &path("only"), &figure.only, problems);
    }
}

fn check_baseline(experiment: &Experiment, cells: &[PlannedCell], found: &[Baseline], problems: &mut Vec<Problem>) {
    let place = experiment.place("compare.baseline");
    if !found.iter().any(|one| *one != Baseline::None) {
        let told = "no cell has all values of the baseline at once";
        problems.push(Problem::new(place, told, "name a baseline that is one of the cells, or leave it out"));
        return;
    }
    let ambiguous = found.iter().enumerate().find_map(|(cell, one)| match one {
        Baseline::Ambiguous(first, second) => Some((cell, *first, *second)),
        _ => None,
    });
    if let Some((cell, first, second)) = ambiguous {
        let (a, b) = (&cells[first].parameters, &cells[second].parameters);
        let names: BTreeSet<&String> = a.keys().chain(b.keys()).filter(|name| a.get(*name) != b.get(*name)).collect();
        let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
        let told = format!("{} has two baselines: {} and {}", cells[cell].id, cells[first].id, cells[second].id);
        problems.push(Problem::new(
            place,
            told,
            format!("say in the baseline which: they differ in {}", names.join(", ")),
        ));
    } else if found.contains(&Baseline::None) && !found.iter().any(|one| matches!(one, Baseline::Cell(_))) {
        let told = "no cell agrees with the baseline in everything else";
        problems.push(Problem::new(place, told, "give the baseline's kernel the parameters that the other cells have"));
    }
}
