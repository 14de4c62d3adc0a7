//! Which cell each cell is compared with.

use std::collections::HashMap;

use crate::value::{Parameters, Value};

/// A cell's baseline among the cells of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// No cell is its baseline.
    None,
    /// It is a baseline itself, and has none.
    Itself,
    /// This cell, by index.
    Cell(usize),
    /// Two cells at least, so that neither can be taken.
    Ambiguous(usize, usize),
}

/// Parameters that follow from another: where a baseline names the first, the others differ as they must.
const FOLLOWING: [(&str, &[&str]); 3] =
    [("relation", &["pus"]), ("threads_per_core", &["placement", "workers"]), ("cores", &["workers"])];

/// The baseline of each cell: the cell that has every value of `baseline` and agrees with it on every other parameter that
/// both have (`kernel`, `placement` and `workers` are parameters like any other), but for those that follow from one that `baseline`
/// names (`pus` from `relation`, `placement` and `workers` from `threads_per_core`, `workers` from `cores`). Empty `baseline`: none has one. Time grows
/// with the number of cells, times the number of different sets of parameter names.
pub fn baselines(cells: &[&Parameters], baseline: &Parameters) -> Vec<Baseline> {
    let mut found = vec![Baseline::None; cells.len()];
    if baseline.is_empty() {
        return found;
    }
    let is_baseline: Vec<bool> =
        cells.iter().map(|cell| baseline.iter().all(|(n, v)| cell.get(n).is_some_and(|own| same(own, v)))).collect();

    let follows = |name: &str| FOLLOWING.iter().any(|(of, all)| baseline.contains_key(*of) && all.contains(&name));
    let free = |name: &str| baseline.contains_key(name) || follows(name);
    // Cells with the same parameter names have the same names in common with any other cell.
    let mut shapes: HashMap<Vec<&str>, Shape> = HashMap::new();
    for (index, cell) in cells.iter().enumerate() {
        let names = cell.keys().map(String::as_str).filter(|name| !free(name)).collect();
        let shape = shapes.entry(names).or_default();
        if is_baseline[index] { shape.baselines.push(index) } else { shape.others.push(index) }
    }
    for (names, shape) in &shapes {
        for (base_names, base_shape) in &shapes {
            if shape.others.is_empty() || base_shape.baselines.is_empty() {
                continue;
            }
            let common: Vec<&str> = names.iter().copied().filter(|name| base_names.contains(name)).collect();
            let mut by_key: HashMap<String, (usize, Option<usize>)> = HashMap::new();
            for &index in &base_shape.baselines {
                by_key
                    .entry(key(cells[index], &common))
                    .and_modify(|(_, second)| *second = second.or(Some(index)))
                    .or_insert((index, None));
            }
            for &index in &shape.others {
                if let Some((first, second)) = by_key.get(&key(cells[index], &common)) {
                    found[index] = match (found[index], second) {
                        (Baseline::Ambiguous(a, b), _) => Baseline::Ambiguous(a, b),
                        (Baseline::Cell(earlier), _) => Baseline::Ambiguous(earlier.min(*first), earlier.max(*first)),
                        (_, Some(second)) => Baseline::Ambiguous(*first, *second),
                        (_, None) => Baseline::Cell(*first),
                    };
                }
            }
        }
    }
    for (index, is_baseline) in is_baseline.into_iter().enumerate() {
        if is_baseline {
            found[index] = Baseline::Itself;
        }
    }
    found
}

/// The index of each cell's baseline, as [`baselines`] finds it; `None` for a cell that is one itself, has none, or more than one.
pub fn baseline_of(cells: &[&Parameters], baseline: &Parameters) -> Vec<Option<usize>> {
    let one = |found| match found {
        Baseline::Cell(index) => Some(index),
        Baseline::None | Baseline::Itself | Baseline::Ambiguous(..) => None,
    };
    baselines(cells, baseline).into_iter().map(one).collect()
}

#[derive(Default)]
struct Shape {
    baselines: Vec<usize>,
    others: Vec<usize>,
}

/// Whether two values are the same to a reader: `1` and `1.0` are.
pub fn same(a: &Value, b: &Value) -> bool {
    a == b || (a.as_number().is_some() && b.as_number().is_some() && a.to_string() == b.to_string())
}

fn key(cell: &Parameters, names: &[&str]) -> String {
    use std::fmt::Write;
    let mut key = String::new();
    for name in names {
        if let Some(value) = cell.get(*name) {
            let kind = if value.as_number().is_some() { 'n' } else { value.type_name().chars().next().unwrap_or('?') };
            let text = value.to_string();
            let _ = write!(key, "{kind}{}:{text}", text.len());
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cell(pairs: &[(&str, Value)]) -> Parameters {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
    }

    fn of(cells: &[Parameters], baseline: &Parameters) -> Vec<Baseline> {
        baselines(&cells.iter().collect::<Vec<_>>(), baseline)
    }

    #[test]
    fn a_cell_is_compared_with_the_one_that_differs_in_the_baseline_only() {
        let mut cells = Vec::new();
        for state in ["racy", "local"] {
            for work in [0, 64] {
                cells.push(cell(&[("kernel", "rng/next".into()), ("state", state.into()), ("work", work.into())]));
            }
        }
        let baseline = cell(&[("state", "local".into())]);
        assert_eq!(of(&cells, &baseline), [Baseline::Cell(2), Baseline::Cell(3), Baseline::Itself, Baseline::Itself]);
        assert_eq!(of(&cells, &Parameters::new()), [Baseline::None; 4]);
        let none = cell(&[("state", "mutex".into())]);
        assert_eq!(of(&cells, &none), [Baseline::None; 4]);
    }

    #[test]
    fn another_kernel_agrees_where_both_have_the_parameter() {
        let counters = |stride: i64, workers: i64| {
            let kernel = ("kernel", "sharing/counters".into());
            cell(&[kernel, ("op", "add".into()), ("stride", stride.into()), ("workers", workers.into())])
        };
        let one = cell(&[("kernel", "sharing/one-counter".into()), ("op", "add".into()), ("workers", 2.into())]);
        let cells = [counters(8, 2), counters(256, 1), counters(256, 2), one];
        let named = cell(&[("kernel", "sharing/counters".into()), ("stride", 256.into())]);
        assert_eq!(of(&cells, &named), [Baseline::Cell(2), Baseline::Itself, Baseline::Itself, Baseline::Cell(2)]);
        // Without the kernel in it, only cells of the same kernel agree.
        let unnamed = cell(&[("stride", 256.into())]);
        assert_eq!(of(&cells, &unnamed)[3], Baseline::None);
    }

    #[test]
    fn two_baselines_are_ambiguous_and_numbers_compare_as_read() {
        let cells = [
            cell(&[("kernel", "a".into()), ("x", 1.into())]),
            cell(&[("kernel", "b".into()), ("x", Value::Float(1.0))]),
            cell(&[("kernel", "b".into()), ("y", 2.into())]),
        ];
        let found = of(&cells, &cell(&[("kernel", "b".into())]));
        assert_eq!(found, [Baseline::Ambiguous(1, 2), Baseline::Itself, Baseline::Itself]);
    }

    /// The rule, word for word, in quadratic time.
    fn by_definition(cells: &[Parameters], baseline: &Parameters) -> Vec<Option<usize>> {
        let is = |cell: &Parameters| baseline.iter().all(|(n, v)| cell.get(n).is_some_and(|own| same(own, v)));
        let agree = |a: &Parameters, b: &Parameters| {
            a.iter().all(|(n, v)| baseline.contains_key(n) || b.get(n).is_none_or(|other| same(v, other)))
        };
        let of = |cell: &Parameters| {
            let all: Vec<usize> = (0..cells.len()).filter(|&i| is(&cells[i]) && agree(cell, &cells[i])).collect();
            (!is(cell) && all.len() == 1).then(|| all[0])
        };
        cells.iter().map(of).collect()
    }

    proptest! {
        #[test]
        fn it_finds_what_the_rule_says(
            cells in prop::collection::vec(prop::collection::btree_map("[a-d]", (0i64..3).prop_map(Value::from), 0..4), 0..12),
            baseline in prop::collection::btree_map("[a-d]", (0i64..3).prop_map(Value::from), 1..3),
        ) {
            let refs: Vec<&Parameters> = cells.iter().collect();
            prop_assert_eq!(baseline_of(&refs, &baseline), by_definition(&cells, &baseline));
        }
    }
}
