//! From a definition as written to a checked experiment: all problems at once, each with its place and cure.

mod compare;
mod kernel;
mod measure;
mod placement;

use crate::experiment::{Experiment, Faults, Places};
use crate::fields::Fields;
use crate::placement::Spread;
use crate::problem::{Place, Problem};
use crate::tree::{Node, Tree};

/// Names that a cell has beside its kernel's parameters.
pub(crate) const CELL_PARAMETERS: [&str; 8] =
    ["kernel", "placement", "workers", "pus", "relation", "together", "threads_per_core", "cores"];

/// The experiment as far as it can be read, and all problems: `faults` first, which are told already.
pub(crate) fn experiment(root: &Node, faults: &[Problem]) -> (Experiment, Vec<Problem>) {
    let mut top = Fields::new(root);
    let question = top.required_text("question", "write what is asked in one sentence: question = \"…?\"");
    let reading = top.required_text("reading", "write how to read the answer: reading = \"\"\"…\"\"\"");
    let seed = top.integer("seed", 0, i64::MAX).map_or(1, |seed| seed.value as u64);

    let mut problems = Vec::new();
    let kernels = match top.node("kernel") {
        Some(node) => kernel::all(node, &mut problems),
        None => {
            if !top.has("kernel") {
                let place = top.place("kernel");
                top.tell(
                    place,
                    "there is no [kernel] to measure",
                    "write [kernel] and name = \"sharing/counters\" below it",
                );
            }
            Vec::new()
        }
    };
    let empty = |key: &str| Node { place: top.place(key), value: Tree::Table(Vec::new()) };
    let (no_placement, no_measure, no_compare) = (empty("placement"), empty("measure"), empty("compare"));
    let before = problems.len();
    let placement = placement::read(top.node("placement").unwrap_or(&no_placement), &mut problems);
    let in_placement = |problem: &Problem| problem.place.path.starts_with("placement");
    let refused_placement = problems[before..].iter().chain(faults).any(in_placement);
    let (measure, oversubscribe, require_pinning) =
        measure::read(top.node("measure").unwrap_or(&no_measure), &mut problems);
    let compare = compare::read(top.node("compare").unwrap_or(&no_compare), &mut problems);
    let question_text = question.map(|read| read.value).unwrap_or_default();
    // A placement that was refused may have meant pairs.
    let pairs = refused_placement || matches!(placement.spread, Spread::Pairs(_));
    let figures = compare::figures(top.node("figure"), &question_text, &compare.metric, pairs, &mut problems);

    let mut all = top.finish();
    all.extend(problems);
    all.sort_by_key(|problem| order(&problem.place));
    all.splice(0..0, faults.iter().cloned());
    let mut refused = Faults::default();
    refused.add(&all);
    let experiment = Experiment {
        question: question_text,
        reading: reading.map(|read| read.value).unwrap_or_default(),
        seed,
        kernels,
        placement,
        measure,
        oversubscribe,
        require_pinning,
        compare,
        figures,
        places: Places::new(root),
        refused,
    };
    (experiment, all)
}

/// What the file lacks, then what it says in its order, then the command line's.
fn order(place: &Place) -> (bool, usize) {
    (place.is_argument(), place.span.as_ref().map_or(0, |span| span.start))
}
