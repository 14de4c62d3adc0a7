//! What every policy keeps on every machine.

mod machines;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use hitm_topology::{Policy, PuList, Relation, Relations, Topology, place};
use proptest::prelude::*;

fn policies(topology: &Topology) -> Vec<Policy> {
    let widest = topology.allowed_counts().smt_max as u32;
    let mut policies = vec![Policy::Compact, Policy::Cores, Policy::Scatter, Policy::Pairs];
    policies.extend((1..=widest).map(Policy::Smt));
    policies
}

fn core_of(topology: &Topology, pu: u32) -> (Option<u32>, Option<u32>, u32) {
    let pu = topology.pu(pu).unwrap();
    (pu.package, pu.core, if pu.core.is_none() { pu.os_index } else { 0 })
}

/// The order of all allowed PUs under a policy.
fn order(topology: &Topology, policy: &Policy) -> Vec<u32> {
    place(topology, policy, topology.allowed().len()).unwrap().pus
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn every_allowed_pu_is_used_once_before_any_is_used_twice(topology in machines::any()) {
        let allowed = topology.allowed();
        prop_assume!(!allowed.is_empty());
        for policy in policies(&topology) {
            let n = allowed.len();
            let placed = place(&topology, &policy, 2 * n + 1).unwrap();
            prop_assert!(placed.oversubscribed);
            let once: BTreeSet<u32> = placed.pus[..n].iter().copied().collect();
            prop_assert_eq!(once.into_iter().collect::<Vec<_>>(), allowed.clone(), "{}", policy);
            prop_assert_eq!(&placed.pus[n..2 * n], &placed.pus[..n]);
            for workers in 1..=n {
                let fewer = place(&topology, &policy, workers).unwrap();
                prop_assert!(!fewer.oversubscribed);
                prop_assert_eq!(&fewer.pus[..], &placed.pus[..workers], "{} is not stable", policy);
            }
        }
    }

    #[test]
    fn cores_shares_no_core_while_one_is_free_and_begins_with_its_lowest_pu(topology in machines::any()) {
        prop_assume!(!topology.allowed().is_empty());
        let mut threads: BTreeMap<_, Vec<u32>> = BTreeMap::new();
        for pu in topology.allowed() {
            threads.entry(core_of(&topology, pu)).or_default().push(pu);
        }
        let order = order(&topology, &Policy::Cores);
        for pu in &order[..threads.len()] {
            prop_assert_eq!(*pu, threads[&core_of(&topology, *pu)][0]);
        }
        // Nobody gets a third thread of a core while another core has a free second one.
        let mut used: BTreeMap<_, usize> = threads.keys().map(|core| (*core, 0)).collect();
        for pu in order {
            let core = core_of(&topology, pu);
            let behind = used.iter().any(|(other, n)| *n < used[&core] && *n < threads[other].len());
            prop_assert!(!behind, "PU {} came too early", pu);
            *used.get_mut(&core).unwrap() += 1;
        }
    }

    #[test]
    fn scatter_balances_packages_and_shares_cores_last(topology in machines::any()) {
        prop_assume!(!topology.allowed().is_empty());
        let mut room: BTreeMap<Option<u32>, usize> = BTreeMap::new();
        let mut free_cores: BTreeMap<Option<u32>, HashSet<_>> = BTreeMap::new();
        for pu in topology.allowed() {
            let package = topology.pu(pu).unwrap().package;
            *room.entry(package).or_default() += 1;
            free_cores.entry(package).or_default().insert(core_of(&topology, pu));
        }
        let mut used: BTreeMap<Option<u32>, usize> = room.keys().map(|package| (*package, 0)).collect();
        for pu in order(&topology, &Policy::Scatter) {
            let package = topology.pu(pu).unwrap().package;
            let least = used.iter().filter(|(p, n)| **n < room[*p]).map(|(_, n)| *n).min().unwrap();
            prop_assert_eq!(used[&package], least);
            *used.get_mut(&package).unwrap() += 1;
            let free = free_cores.get_mut(&package).unwrap();
            prop_assert!(free.remove(&core_of(&topology, pu)) || free.is_empty());
        }
    }

    #[test]
    fn compact_and_smt_finish_a_core_before_the_next(topology in machines::any()) {
        prop_assume!(!topology.allowed().is_empty());
        let order = order(&topology, &Policy::Compact);
        let mut finished = HashSet::new();
        for pair in order.windows(2) {
            let (before, after) = (core_of(&topology, pair[0]), core_of(&topology, pair[1]));
            if before != after {
                prop_assert!(finished.insert(before));
                prop_assert!(!finished.contains(&after));
            } else {
                prop_assert!(pair[0] < pair[1]);
            }
        }
        prop_assert_eq!(self::order(&topology, &Policy::Smt(1)), self::order(&topology, &Policy::Cores));
        for threads in 2..=topology.allowed_counts().smt_max {
            let order = self::order(&topology, &Policy::Smt(threads as u32));
            let first: HashSet<_> = order[..threads].iter().map(|pu| core_of(&topology, *pu)).collect();
            prop_assert_eq!(first.len(), 1, "smt-{}", threads);
        }
    }

    #[test]
    fn a_listed_pu_is_used_or_refused_never_replaced(topology in machines::any(), list in prop::collection::vec(0..300u32, 1..8)) {
        let Ok(list) = PuList::new(list) else { return Ok(()) };
        let allowed = topology.allowed();
        let usable = list.pus().iter().all(|pu| allowed.contains(pu));
        match place(&topology, &Policy::List(list.clone()), 10) {
            Ok(placed) => {
                prop_assert!(usable);
                for (worker, pu) in placed.pus.iter().enumerate() {
                    prop_assert_eq!(*pu, list.pus()[worker % list.pus().len()]);
                }
                prop_assert!(placed.oversubscribed);
            }
            Err(faults) => {
                prop_assert!(!usable);
                prop_assert!(faults.iter().all(|fault| !fault.message().is_empty() && !fault.cure().is_empty()));
            }
        }
    }

    #[test]
    fn relations_are_symmetric_and_the_witness_pair_is_the_farthest(topology in machines::any()) {
        let relations = Relations::new(&topology);
        let mut farthest = None;
        let mut pairs = 0;
        for [a, b] in topology.pairs() {
            pairs += 1;
            prop_assert!(a < b);
            let relation = relations.of(a, b).unwrap();
            prop_assert_eq!(relations.of(b, a), Some(relation));
            prop_assert_eq!(topology.relation(a, b), Some(relation));
            prop_assert_eq!(relation == Relation::SameCore, core_of(&topology, a) == core_of(&topology, b));
            farthest = farthest.max(Some(relation));
        }
        let n = topology.allowed().len();
        prop_assert_eq!(pairs, n * n.saturating_sub(1) / 2);
        let witness = topology.witness_pair();
        prop_assert_eq!(witness.is_some(), n >= 2);
        prop_assert_eq!(witness.and_then(|[a, b]| relations.of(a, b)), farthest);
    }

    #[test]
    fn a_topology_survives_json(topology in machines::any()) {
        let text = serde_json::to_string(&topology).unwrap();
        prop_assert_eq!(serde_json::from_str::<Topology>(&text).unwrap(), topology);
    }
}
