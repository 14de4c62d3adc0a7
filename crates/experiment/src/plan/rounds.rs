//! Which pairs run at the same time: rounds in which no PU is in two pairs.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::PlannedCell;
use crate::seed::{Streams, shuffle};

/// Puts cells into rounds: cells of one round differ in their PUs only, and no two of them share one. Where the cells are all pairs of n
/// PUs there are as few rounds as can be, n − 1 of n/2 (n of (n − 1)/2 for an odd n): the circle method of round-robin tournaments. Else
/// each cell goes into the first round that has room. The seed decides who meets whom.
pub(super) fn rounds(cells: &[PlannedCell], together: &[usize], seed: u64) -> Vec<Vec<usize>> {
    // What tells apart cells that do not belong into one round.
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for &cell in together {
        let others = cells[cell].parameters.iter().filter(|(name, _)| !["pus", "relation"].contains(&name.as_str()));
        let key: Vec<String> = others.map(|(name, value)| format!("{name}={value}")).collect();
        groups.entry(key.join(",")).or_default().push(cell);
    }
    let mut all = Vec::new();
    for (at, group) in groups.values().enumerate() {
        let seed = Streams::new(seed).stream("group", at as u64);
        all.extend(tournament(cells, group, seed).unwrap_or_else(|| first_fit(cells, group, seed)));
    }
    all
}

fn pair(cell: &PlannedCell) -> Option<(u32, u32)> {
    match cell.pus.as_deref() {
        Some([a, b]) => Some((*a.min(b), *a.max(b))),
        _ => None,
    }
}

/// The circle method, where the group is all pairs of its PUs.
fn tournament(cells: &[PlannedCell], group: &[usize], seed: u64) -> Option<Vec<Vec<usize>>> {
    let by_pair: HashMap<(u32, u32), usize> =
        group.iter().map(|&cell| Some((pair(&cells[cell])?, cell))).collect::<Option<_>>()?;
    let mut pus: Vec<u32> = by_pair.keys().flat_map(|(a, b)| [*a, *b]).collect();
    pus.sort_unstable();
    pus.dedup();
    if by_pair.len() != group.len() || by_pair.len() != pus.len() * (pus.len() - 1) / 2 {
        return None;
    }
    shuffle(&mut pus, seed);
    // With an odd number one sits out in each round.
    let mut circle: Vec<Option<u32>> = pus.into_iter().map(Some).collect();
    if circle.len() % 2 == 1 {
        circle.push(None);
    }
    let n = circle.len();
    let mut rounds = Vec::with_capacity(n - 1);
    for _ in 0..n - 1 {
        let meet = |i: usize| {
            let (a, b) = (circle[i]?, circle[n - 1 - i]?);
            by_pair.get(&(a.min(b), a.max(b))).copied()
        };
        rounds.push((0..n / 2).filter_map(meet).collect());
        circle[1..].rotate_right(1);
    }
    Some(rounds)
}

fn first_fit(cells: &[PlannedCell], group: &[usize], seed: u64) -> Vec<Vec<usize>> {
    let mut order = group.to_vec();
    shuffle(&mut order, seed);
    let mut rounds: Vec<(Vec<usize>, HashSet<u32>)> = Vec::new();
    for cell in order {
        let pus = cells[cell].pus.as_deref().unwrap_or_default();
        match rounds.iter_mut().find(|(_, taken)| !pus.iter().any(|pu| taken.contains(pu))) {
            Some((round, taken)) => {
                round.push(cell);
                taken.extend(pus);
            }
            None => rounds.push((vec![cell], pus.iter().copied().collect())),
        }
    }
    rounds.into_iter().map(|(round, _)| round).collect()
}
