//! `pairs`: what holds on every machine, and orders that are right for known ones.

mod machines;

use std::collections::BTreeMap;

use hitm_topology::{Policy, Relation, Relations, Topology, place};
use machines::{machine, regular};
use proptest::prelude::*;

fn order(topology: &Topology) -> Vec<u32> {
    place(topology, &Policy::Pairs, topology.allowed().len()).unwrap().pus
}

/// Of each usable PU its core, and its rank among the core's usable ones.
fn ranks(topology: &Topology) -> BTreeMap<u32, (usize, usize)> {
    let cores = topology.cores(&topology.allowed());
    let of = |(number, core): (usize, &Vec<u32>)| {
        core.iter().enumerate().map(|(rank, pu)| (*pu, (number, rank))).collect::<Vec<_>>()
    };
    cores.iter().enumerate().flat_map(of).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn workers_two_by_two_are_the_closest_neighbours_left(topology in machines::any()) {
        prop_assume!(!topology.allowed().is_empty());
        let (order, ranks, relations) = (order(&topology), ranks(&topology), Relations::new(&topology));
        let rank = |pu: u32| ranks[&pu].1;
        prop_assert!(order.windows(2).all(|two| rank(two[0]) <= rank(two[1])), "a sibling came before a core's first PU");
        for (number, two) in order.chunks_exact(2).enumerate() {
            let (a, b) = (two[0], two[1]);
            let later = &order[2 * number + 2..];
            let relation = relations.of(a, b).unwrap();
            if relation == Relation::SameCore {
                prop_assert!(later.iter().all(|c| ranks[c].0 == ranks[&a].0), "{a} and {b} share a core while others are free");
                continue;
            }
            for c in later.iter().filter(|c| rank(**c) == rank(b) && ranks[*c].0 != ranks[&a].0) {
                prop_assert!(relations.of(a, *c).unwrap() >= relation, "{c} is closer to {a} than {b}");
            }
            for c in later.iter().filter(|c| rank(a) == rank(b) && rank(**c) == rank(b)) {
                prop_assert!(relations.of(b, *c).unwrap() >= relation, "{c} is closer to {b} than {a}");
            }
        }
    }

    #[test]
    fn packages_take_turns(topology in machines::any()) {
        prop_assume!(!topology.allowed().is_empty());
        let (order, ranks) = (order(&topology), ranks(&topology));
        let package = |pu: u32| topology.pu(pu).unwrap().package;
        let mut pairs: BTreeMap<(usize, Option<u32>), usize> = BTreeMap::new();
        let inside = |two: &&[u32]| ranks[&two[0]].1 == ranks[&two[1]].1 && package(two[0]) == package(two[1]);
        for two in order.chunks_exact(2).filter(inside) {
            *pairs.entry((ranks[&two[0]].1, package(two[0]))).or_default() += 1;
        }
        let mut used: BTreeMap<_, usize> = pairs.keys().map(|key| (*key, 0)).collect();
        for two in order.chunks_exact(2).filter(inside) {
            let key = (ranks[&two[0]].1, package(two[0]));
            let waiting = used.iter().any(|(other, n)| other.0 == key.0 && *n < used[&key] && *n < pairs[other]);
            prop_assert!(!waiting, "package {:?} had two turns", key.1);
            *used.get_mut(&key).unwrap() += 1;
        }
    }
}

#[test]
fn pairs_share_the_lowest_cache_that_two_cores_can_share() {
    // Two packages of two last-level caches of three cores: each cache leaves one core, which pair across the caches.
    let topology = regular(2, 2, 3, 2);
    let first = [0, 2, 12, 14, 6, 8, 18, 20, 4, 10, 16, 22];
    let second = first.map(|pu| pu + 1);
    assert_eq!(order(&topology), [first, second].concat());
}

#[test]
fn a_core_left_alone_gets_another_cores_sibling() {
    let topology = machine(&[(0, 0, 0, &[0, 3]), (0, 0, 1, &[1, 4]), (0, 0, 2, &[2, 5])]);
    assert_eq!(order(&topology), [0, 1, 2, 3, 4, 5]);
    let topology = machine(&[(0, 0, 0, &[0, 1, 2, 3])]);
    assert_eq!(order(&topology), [0, 1, 2, 3]);
    let topology = machine(&[(0, 0, 0, &[0]), (1, 0, 0, &[1]), (2, 0, 0, &[2])]);
    assert_eq!(order(&topology), [0, 1, 2]);
}

#[test]
fn siblings_numbered_apart_are_no_neighbours() {
    let halves = machine(&[(0, 0, 0, &[0, 4]), (0, 0, 1, &[1, 5]), (0, 0, 2, &[2, 6]), (0, 0, 3, &[3, 7])]);
    assert_eq!(order(&halves), [0, 1, 2, 3, 4, 5, 6, 7]);
    let placed = place(&halves, &Policy::Pairs, 10).unwrap();
    assert!(placed.oversubscribed);
    assert_eq!(placed.pus[8..], [0, 1]);
}
