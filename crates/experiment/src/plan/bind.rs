//! Holding the names of `[compare]` and `[[figure]]` to the cells that there are.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::PlannedCell;
use super::spots::{Spot, shortened};
use crate::compare::{Baseline, same};
use crate::experiment::{Experiment, Faults};
use crate::manifest::{Compare, FigureKind, FigureSpec};
use crate::placement::Spread;
use crate::problem::Problem;
use crate::suggest;
use crate::value::{Parameters, Value};

/// The parameters of the cells by name, each with its values in their order; `None` where a fault leaves open which they are.
pub(super) struct Known {
    values: BTreeMap<String, Option<Vec<Value>>>,
    /// Whether a fault leaves open which parameters there are.
    open: bool,
    /// Whether there are all cells, so that it can be said what they lack.
    pub whole: bool,
    /// Values that the machine does not offer.
    pub left_out: Vec<(&'static str, Value)>,
}

impl Known {
    pub fn of_cells(cells: &[PlannedCell]) -> Self {
        let mut known: BTreeMap<&str, (Vec<&Value>, HashSet<String>)> = BTreeMap::new();
        for (name, value) in cells.iter().flat_map(|cell| &cell.parameters) {
            let (values, seen) = known.entry(name).or_default();
            // Cells side by side differ in few parameters.
            if values.last().is_none_or(|last| *last != value) && seen.insert(value.to_string()) {
                values.push(value);
            }
        }
        let owned = |(name, (values, _)): (&str, (Vec<&Value>, _))| {
            (name.to_owned(), Some(values.into_iter().cloned().collect::<Vec<_>>()))
        };
        Known { values: known.into_iter().map(owned).collect(), open: false, whole: true, left_out: Vec::new() }
    }

    /// What can be said where there are faults: the values as written where none lies on them, the defaults of sound kernels.
    /// `names` has the parameters of each kernel with their defaults.
    pub fn of_definition(
        experiment: &Experiment,
        faults: &Faults,
        spots: &[Spot],
        names: &[Option<Parameters>],
    ) -> Self {
        let open = experiment.kernels.is_empty();
        let mut known = Known { values: BTreeMap::new(), open, whole: false, left_out: Vec::new() };
        for (index, (kernel, defaults)) in experiment.kernels.iter().zip(names).enumerate() {
            let path = |name: &str| format!("kernel.{index}.{name}");
            let named = !faults.touch(&path("name"));
            known.add("kernel", named.then(|| vec![Value::from(kernel.name.as_str())]));
            let Some(defaults) = defaults.as_ref().filter(|_| named) else {
                known.open = true;
                continue;
            };
            for spec in &kernel.parameters {
                let sound = !faults.touch(&path(&spec.name));
                if sound || defaults.contains_key(&spec.name) {
                    known.add(&spec.name, sound.then(|| spec.values.clone()));
                }
            }
            // With a fault in the kernel a parameter that nobody knows may be one of these, mistyped.
            let sound = !faults.touch(&format!("kernel.{index}"));
            let written = |name: &str| kernel.parameters.iter().any(|spec| spec.name == name);
            for (name, default) in defaults.iter().filter(|(name, _)| !written(name)) {
                known.add(name, sound.then(|| vec![default.clone()]));
            }
        }
        let all = |value: &dyn Fn(&Spot) -> Value| (!spots.is_empty()).then(|| spots.iter().map(value).collect());
        known.add("placement", all(&|spot| spot.policy.as_str().into()));
        known.add("workers", all(&|spot| Value::Integer(spot.workers as i64)));
        let refused = faults.touch("placement");
        let spread = &experiment.placement.spread;
        if refused || matches!(spread, Spread::Pairs(_)) {
            ["pus", "relation", "together"].into_iter().for_each(|name| known.add(name, None));
        }
        if refused || matches!(spread, Spread::Threads(_)) {
            ["threads_per_core", "cores"].into_iter().for_each(|name| known.add(name, None));
        }
        known
    }

    fn add(&mut self, name: &str, values: Option<Vec<Value>>) {
        let there = self.values.entry(name.to_owned()).or_insert_with(|| Some(Vec::new()));
        match (there.as_mut(), values) {
            (Some(there), Some(values)) => {
                for value in values {
                    if !there.contains(&value) {
                        there.push(value);
                    }
                }
            }
            _ => *there = None,
        }
    }

    fn name(&self, experiment: &Experiment, path: &str, name: &str, problems: &mut Vec<Problem>) -> bool {
        if self.open || self.values.contains_key(name) {
            return true;
        }
        let cure = suggest::cure(name, self.values.keys().map(String::as_str));
        problems.push(Problem::new(experiment.place(path), format!("no cell has a parameter `{name}`"), cure));
        false
    }

    /// The values of `name`, or `None` where a fault leaves them open.
    fn of(&self, name: &str) -> Option<&[Value]> {
        match self.values.get(name) {
            Some(values) => values.as_deref(),
            None if self.open => None,
            None => Some(&[]),
        }
    }

    /// Holds every name and value of `wanted` to the cells.
    fn values(&self, experiment: &Experiment, path: &str, wanted: &Parameters, problems: &mut Vec<Problem>) -> Bound {
        let before = problems.len();
        let mut removed = false;
        for (name, value) in wanted {
            let path = format!("{path}.{name}");
            let Some(there) = self.of(name) else { continue };
            if there.iter().any(|own| same(own, value)) {
                continue;
            }
            if self.left_out.iter().any(|(own, left)| own == name && same(left, value)) {
                removed = true;
                continue;
            }
            if !path.starts_with("compare.baseline") && !experiment.overridden(&path) && changed(experiment, name) {
                removed = true;
                continue;
            }
            if !self.name(experiment, &path, name, problems) {
                continue;
            }
            let words: Vec<String> = there.iter().map(|own| own.to_string()).collect();
            let cure = match suggest::closest(&value.to_string(), words.iter().map(String::as_str)) {
                Some(meant) if value.as_text().is_some() => format!("did you mean `{meant}`?"),
                _ => format!("cells have {name} = {}", shortened(&words)),
            };
            problems.push(Problem::new(experiment.place(&path), format!("no cell has {name} = {value}"), cure));
        }
        match problems.len() == before {
            true if removed => Bound::Removed,
            true => Bound::Found,
            false => Bound::Faulty,
        }
    }
}

/// What became of parameters that cells ought to have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    Found,
    /// The definition had them until an override took them.
    Removed,
    /// Told.
    Faulty,
}

/// Whether an override changed the values of a parameter.
fn changed(experiment: &Experiment, name: &str) -> bool {
    match name {
        "workers" | "placement" | "pus" | "relation" | "together" | "threads_per_core" | "cores" => {
            experiment.overridden("placement")
        }
        _ => (0..experiment.kernels.len())
            .any(|index| ["name", name].iter().any(|key| experiment.overridden(&format!("kernel.{index}.{key}")))),
    }
}

fn has_all(cells: &[PlannedCell], wanted: &Parameters) -> bool {
    cells
        .iter()
        .any(|cell| wanted.iter().all(|(name, value)| cell.parameters.get(name).is_some_and(|own| same(own, value))))
}

fn takes_two_numbers(cells: &[PlannedCell], name: &str) -> bool {
    let mut numbers = cells.iter().filter_map(|cell| cell.parameters.get(name)?.as_number());
    let first = numbers.next();
    numbers.any(|number| Some(number) != first)
}

/// Tells what binds to nothing, and gives what is left of `[compare]` and the figures where overrides took values away.
pub(super) fn check(
    experiment: &Experiment,
    known: &Known,
    cells: &[PlannedCell],
    found: &[Baseline],
    problems: &mut Vec<Problem>,
) -> (Compare, Vec<FigureSpec>) {
    let mut compare = experiment.compare.clone();
    let bound = known.values(experiment, "compare.baseline", &compare.baseline, problems);
    let whole = known.whole && !experiment.refused("compare.baseline");
    if bound == Bound::Removed {
        compare.baseline.clear();
    }
    if bound == Bound::Found && whole && !compare.baseline.is_empty() {
        check_baseline(experiment, cells, found, problems);
    }
    match known.values(experiment, "compare.headline", &compare.headline, problems) {
        Bound::Found if known.whole && !compare.headline.is_empty() && !has_all(cells, &compare.headline) => {
            if !compare.headline.keys().any(|name| changed(experiment, name)) {
                let place = experiment.place("compare.headline");
                let told = "no cell has all values of the headline at once";
                problems.push(Problem::new(place, told, "name values that one cell has together, or leave it out"));
            }
            compare.headline.clear();
        }
        Bound::Removed => compare.headline.clear(),
        Bound::Found | Bound::Faulty => {}
    }
    if !compare.share_of.is_empty() {
        let is_there = known.name(experiment, "compare.share_of", &compare.share_of, problems);
        if known.whole && !takes_two_numbers(cells, &compare.share_of) {
            if is_there && !changed(experiment, &compare.share_of) {
                let told = format!("`{}` does not take two numbers at least", compare.share_of);
                let cure = "name a parameter that varies and is a number, or leave it out";
                problems.push(Problem::new(experiment.place("compare.share_of"), told, cure));
            }
            compare.share_of.clear();
        }
    }
    let mut figures = Vec::with_capacity(experiment.figures.len());
    for (at, figure) in experiment.figures.iter().enumerate() {
        let path = |key: &str| format!("figure.{at}.{key}");
        let only = known.values(experiment, &path("only"), &figure.only, problems);
        let taken =
            known.whole && !has_all(cells, &figure.only) && figure.only.keys().any(|name| changed(experiment, name));
        if only == Bound::Removed || taken {
            continue;
        }
        for (key, name) in [("x", &figure.x), ("series", &figure.series), ("panel", &figure.panel)] {
            // What a scatter plot has along its axis is no parameter.
            let is_parameter = key != "x" || figure.kind != FigureKind::Scatter;
            if !name.is_empty() && is_parameter {
                known.name(experiment, &path(key), name, problems);
            }
        }
        if figure.y == "share" && compare.share_of.is_empty() && !experiment.compare.share_of.is_empty() {
            continue;
        }
        figures.push(figure.clone());
    }
    (compare, figures)
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
