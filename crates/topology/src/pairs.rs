//! Placing workers two by two on neighbours.

use crate::cores::{Core, interleaved};
use crate::relation::{Relation, Relations};

/// A core, by its place in the order, and one PU of it.
#[derive(Clone, Copy)]
struct Item {
    core: usize,
    pu: u32,
}

/// Two by two: first the cores' first PUs, then their second ones, and so on. In each such round PUs are paired with the closest
/// that is left; the closest pairs come first, those of the packages in turn, pairs across packages last. A PU that a round
/// leaves alone is paired with the closest PU of another core in the next round; only where there is none with one of its own
/// core.
pub(crate) fn pairs(cores: &[Core], relations: &Relations) -> Vec<u32> {
    let rounds = cores.iter().map(|core| core.pus.len()).max().unwrap_or(0);
    let mut order = Vec::new();
    let mut alone: Option<Item> = None;
    for round in 0..rounds {
        let with_thread = cores.iter().enumerate().filter(|(_, core)| core.pus.len() > round);
        let mut items: Vec<Item> =
            with_thread.map(|(number, core)| Item { core: number, pu: core.pus[round] }).collect();
        if let Some(first) = alone.take() {
            let closest = |at: &usize| (items[*at].core == first.core, relations.of(first.pu, items[*at].pu), *at);
            if let Some(at) = (0..items.len()).min_by_key(closest) {
                order.extend([first.pu, items.remove(at).pu]);
            }
        }
        let mut paired = Vec::new();
        alone = pair(cores, &items, 0, &mut paired);
        order.extend(in_turn(cores, relations, paired));
    }
    order.extend(alone.map(|item| item.pu));
    order
}

/// Pairs items that share all of their path up to `depth`, deepest groups first; what is left alone at the end.
fn pair(cores: &[Core], items: &[Item], depth: usize, paired: &mut Vec<[Item; 2]>) -> Option<Item> {
    let ended = items.first().is_none_or(|item| depth >= cores[item.core].path.len());
    let left: Vec<Item> = if ended {
        items.to_vec()
    } else {
        let together = |a: &Item, b: &Item| cores[a.core].path[depth] == cores[b.core].path[depth];
        items.chunk_by(together).filter_map(|group| pair(cores, group, depth + 1, paired)).collect()
    };
    let pairs = left.chunks_exact(2);
    let alone = pairs.remainder().first().copied();
    paired.extend(pairs.map(|pair| [pair[0], pair[1]]));
    alone
}

fn in_turn(cores: &[Core], relations: &Relations, mut paired: Vec<[Item; 2]>) -> Vec<u32> {
    let package = |item: &Item| cores[item.core].path[0];
    let across = |[a, b]: &[Item; 2]| package(a) != package(b);
    let closeness = |[a, b]: &[Item; 2]| relations.of(a.pu, b.pu).unwrap_or(Relation::AcrossPackages);
    paired.sort_by_key(|pair| (across(pair), package(&pair[0]), closeness(pair), pair[0].core));
    let groups = paired.chunk_by(|a, b| !across(a) && !across(b) && package(&a[0]) == package(&b[0]));
    let (last, packages): (Vec<_>, Vec<_>) = groups.map(<[_]>::to_vec).partition(|group| group.iter().any(across));
    let mut order = interleaved(packages);
    order.extend(last.into_iter().flatten());
    order.into_iter().flatten().map(|item| item.pu).collect()
}
