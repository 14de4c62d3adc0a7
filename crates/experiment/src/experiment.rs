//! A checked question: every value of its type and in its range, nothing bound to a machine yet.

use std::collections::BTreeMap;

use crate::manifest::{Compare, FigureSpec, Measure};
use crate::placement::PlacementSpec;
use crate::problem::{Place, Problem};
use crate::tree::{Node, join};
use crate::value::Value;

/// A checked question. Two are equal when they ask the same, wherever it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// The question, one sentence, not empty.
    pub question: String,
    /// How to read the answer.
    pub reading: String,
    /// The seed that everything random of ours is drawn from.
    pub seed: u64,
    /// The kernels, in the order written; at least one.
    pub kernels: Vec<KernelSpec>,
    /// How many workers run where.
    pub placement: PlacementSpec,
    /// The method's settings.
    pub measure: Measure,
    /// Whether there may be more workers than PUs.
    pub oversubscribe: Oversubscribe,
    /// Whether workers that cannot be pinned are an error; else they run unpinned, which their records say.
    pub require_pinning: bool,
    /// What the cells are compared with.
    pub compare: Compare,
    /// The figures asked for; empty leaves the choice to the report.
    pub figures: Vec<FigureSpec>,
    pub(crate) places: Places,
    /// Where [`check_all`](crate::Definition::check_all) refused something, as `places` names it.
    pub(crate) refused: Faults,
}

/// A kernel with the values that its parameters take.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelSpec {
    /// Its name, such as `rng/next`; whether there is such a kernel is for the runner to say.
    pub name: String,
    /// Its parameters, in the order written.
    pub parameters: Vec<ParameterSpec>,
}

/// A parameter of a kernel with the values it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterSpec {
    /// Its name.
    pub name: String,
    /// Its values, in the order written: at least one, all of one type, none twice.
    pub values: Vec<Value>,
}

/// Whether there may be more workers than PUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Oversubscribe {
    /// Some workers then share a PU; such cells are flagged.
    #[default]
    Allow,
    /// That is an error.
    Refuse,
}

impl Experiment {
    /// Where the value at a dotted path was written (`kernel.0.work`, `measure.budget`), so that whoever binds it to a machine can
    /// tell what is wrong with it at its place. A value that was not written has the place of the table it would stand in. The first
    /// or only kernel's index may be left out.
    pub fn place(&self, path: &str) -> Place {
        self.places.find(path)
    }

    /// Whether something at a dotted path or below it was refused, so that the value here is a default, or lacks something: what
    /// seems wrong with it may only be what was told already. Never so for a checked experiment.
    pub fn refused(&self, path: &str) -> bool {
        self.refused.touch(path)
    }

    /// Whether the command line changed the value at a dotted path, something in it, or the table that holds it.
    pub(crate) fn overridden(&self, path: &str) -> bool {
        self.places.overridden(path)
    }

    /// Where item `index` of a value stands that may be an array or stand alone.
    pub(crate) fn element(&self, path: &str, index: usize) -> Place {
        let item = format!("{path}.{index}");
        self.places.given(&item).unwrap_or_else(|| self.place(path))
    }
}

/// Where each value was written, by dotted path, with `kernel.N` and `figure.N` also for the only one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places(BTreeMap<String, Place>);

/// Where something is written is no part of what it says.
impl PartialEq for Places {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Places {
    pub fn new(root: &Node) -> Self {
        let mut places = BTreeMap::new();
        root.walk(&mut |node| {
            places.insert(canonical(root, &node.place.path), node.place.clone());
        });
        Places(places)
    }

    pub fn overridden(&self, path: &str) -> bool {
        let path = indexed(path);
        let inside = self.0.iter().any(|(there, place)| below(there, &path) && place.is_argument());
        inside || self.find(&path).is_argument()
    }

    pub fn given(&self, path: &str) -> Option<Place> {
        self.0.get(path).or_else(|| self.0.get(&indexed(path))).cloned()
    }

    pub fn find(&self, path: &str) -> Place {
        let given = |path: &str| self.0.get(path).cloned();
        if let Some(place) = self.given(path) {
            return place;
        }
        let mut above = indexed(path);
        loop {
            above = above.rfind('.').map(|dot| above[..dot].to_owned()).unwrap_or_default();
            if let Some(place) = given(&above) {
                return Place { path: path.to_owned(), ..place };
            }
            if above.is_empty() {
                return Place { path: path.to_owned(), ..Place::default() };
            }
        }
    }
}

/// The places of problems.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Faults(Vec<String>);

impl Faults {
    pub fn add(&mut self, problems: &[Problem]) {
        self.0.extend(problems.iter().map(|problem| indexed(&problem.place.path)));
    }

    /// Whether one lies at this path, below it or in what it is part of.
    pub fn touch(&self, path: &str) -> bool {
        let path = indexed(path);
        self.0.iter().any(|fault| below(fault, &path) || below(&path, fault))
    }
}

/// `kernel.work` of a lone `[kernel]` as `kernel.0.work`.
fn canonical(root: &Node, path: &str) -> String {
    let top = path.split('.').next().unwrap_or_default();
    let lone = root.get(top).is_some_and(|entry| matches!(entry.node.value, crate::tree::Tree::Table(_)));
    if lone { indexed(path) } else { path.to_owned() }
}

fn indexed(path: &str) -> String {
    let Some((top, rest)) = path.split_once('.') else { return path.to_owned() };
    let numbered = rest.split('.').next().is_some_and(|first| first.parse::<usize>().is_ok());
    if !matches!(top, "kernel" | "figure") || numbered {
        return path.to_owned();
    }
    join(&join(top, "0"), rest)
}

/// Whether `path` is `above` or lies below it; everything lies below the empty path.
fn below(path: &str, above: &str) -> bool {
    above.is_empty() || path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
