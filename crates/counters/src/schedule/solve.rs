//! Events to passes.

use super::board::Board;
use super::{Pass, Passes};
use crate::code::Code;

/// Up to so many competing events the fewest passes are found: the parts of twelve are 4,096, the partings into them 3¹² / 2.
const EXACT: usize = 12;
/// A pass outweighs any number of companions.
const PASS: u32 = 1 << 8;
/// Above `EXACT`, how many open passes an event is tried in before it gets one of its own.
const OPEN: usize = 64;
/// Above so many events the most constrained are no longer looked for.
const RANKED: usize = 256;

/// Parts `codes`, which `board` names by index, into passes.
pub(super) fn passes(board: &dyn Board, codes: &[Code]) -> Passes {
    let mut events: Vec<usize> = (0..codes.len()).collect();
    let key = |&index: &usize| {
        let code = &codes[index];
        (code.pmu_type, code.config, code.config1, code.config2, code.counters, index)
    };
    events.sort_by_key(key);

    let (fitting, refused): (Vec<usize>, Vec<usize>) = events.into_iter().partition(|&event| board.fits(&[event]));
    let refused = reasons(board, refused);

    let candidates = board.free(&fitting);
    let mut free: Vec<usize> = Vec::new();
    for event in candidates {
        free.push(event);
        if !board.fits(&free) {
            free.pop();
        }
    }
    let beside = |part: &[usize]| [part, &free].concat();
    let competing: Vec<usize> = fitting.into_iter().filter(|event| !free.contains(event)).collect();
    // POWER9's L2 and L3 events may exclude that the kernel moves an event to a counter of its own.
    let (with_all, with_some): (Vec<usize>, Vec<usize>) =
        competing.into_iter().partition(|&event| board.fits(&beside(&[event])));

    let mut parts: Vec<Vec<usize>> =
        part(&with_all, |part| weight(board, &beside(part))).into_iter().map(|part| beside(&part)).collect();
    for mut some in part(&with_some, |part| weight(board, part)) {
        for &event in &free {
            some.push(event);
            if !board.fits(&some) {
                some.pop();
            }
        }
        parts.push(some);
    }
    if parts.is_empty() && !free.is_empty() {
        parts.push(free);
    }
    let passes = parts.into_iter().map(|mut events| {
        events.sort_unstable();
        board.sort(&mut events);
        Pass { companions: board.companions(&events), events }
    });
    Passes { passes: passes.collect(), refused }
}

fn reasons(board: &dyn Board, mut refused: Vec<usize>) -> Vec<(usize, String)> {
    refused.sort_unstable();
    let why = |&event: &usize| {
        let whys: Vec<String> = board.conflicts(&[event]).into_iter().map(|conflict| conflict.why).collect();
        (event, if whys.is_empty() { "what others hold leaves no counter".to_owned() } else { whys.join("; ") })
    };
    refused.iter().map(why).collect()
}

/// The weight of a pass of these; `None` where they do not fit.
fn weight(board: &dyn Board, events: &[usize]) -> Option<u32> {
    board.fits(events).then(|| PASS + u32::try_from(board.companions(events).len()).unwrap_or(0))
}

/// Parts `events`, each of which has a weight by itself, so that every part has one and their sum is small.
fn part(events: &[usize], weight: impl Fn(&[usize]) -> Option<u32>) -> Vec<Vec<usize>> {
    if events.len() <= EXACT { fewest(events, weight) } else { first_fit(events, weight) }
}

/// By dynamic programming over the subsets: the lightest parting of each.
fn fewest(events: &[usize], weight: impl Fn(&[usize]) -> Option<u32>) -> Vec<Vec<usize>> {
    let members = |subset: usize| {
        events.iter().enumerate().filter(move |(bit, _)| subset >> bit & 1 == 1).map(|(_, &event)| event)
    };
    let subsets = 1 << events.len();
    let mut weights: Vec<Option<u32>> = vec![None; subsets];
    for subset in 1..subsets {
        // A set that fits is made of parts that fit, so one that lacks its lowest event is looked at first.
        let rest = subset & (subset - 1);
        if rest == 0 || weights[rest].is_some() {
            weights[subset] = weight(&members(subset).collect::<Vec<_>>());
        }
    }
    let mut best: Vec<(u32, usize)> = vec![(0, 0); subsets];
    for subset in 1..subsets {
        let lowest = subset & subset.wrapping_neg();
        let rest = subset ^ lowest;
        let mut choice = (u32::MAX, lowest);
        // The part that the lowest event is in, with any of the others.
        let mut others = rest;
        loop {
            let chosen = others | lowest;
            if let Some(own) = weights[chosen] {
                let total = own.saturating_add(best[subset ^ chosen].0);
                if total < choice.0 {
                    choice = (total, chosen);
                }
            }
            if others == 0 {
                break;
            }
            others = (others - 1) & rest;
        }
        best[subset] = choice;
    }
    let mut parts = Vec::new();
    let mut left = subsets - 1;
    while left != 0 {
        let chosen = best[left].1;
        parts.push(members(chosen).collect());
        left ^= chosen;
    }
    parts
}

/// Each event into the first pass that has room for it, those first that bear the fewest others.
fn first_fit(events: &[usize], weight: impl Fn(&[usize]) -> Option<u32>) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = events.to_vec();
    if events.len() <= RANKED {
        let excluded =
            |event: usize| events.iter().filter(|&&other| other != event && weight(&[event, other]).is_none()).count();
        order.sort_by_cached_key(|&event| std::cmp::Reverse(excluded(event)));
    }
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for event in order {
        let open = parts.len().saturating_sub(OPEN);
        let place = parts[open..].iter_mut().find_map(|part| {
            part.push(event);
            if weight(part).is_some() {
                return Some(());
            }
            part.pop();
            None
        });
        if place.is_none() {
            parts.push(vec![event]);
        }
    }
    parts
}
