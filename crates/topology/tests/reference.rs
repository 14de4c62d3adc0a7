//! Machines that people met, with the orders and counts that are right for them.

mod machines;

use hitm_topology::{CacheKind, PlaceFault, Placement, Policy, Relation, Topology, place};
use machines::{machine, regular};

fn pus(topology: &Topology, policy: &str, workers: usize) -> Vec<u32> {
    place(topology, &policy.parse().unwrap(), workers).unwrap().pus
}

/// Off-lines or disallows PUs.
fn without(mut topology: Topology, offline: &[u32], disallowed: &[u32]) -> Topology {
    for pu in &mut topology.pus {
        pu.online &= !offline.contains(&pu.os_index);
        pu.allowed &= pu.online && !disallowed.contains(&pu.os_index);
    }
    topology
}

#[test]
fn siblings_come_from_the_topology_never_from_numbering() {
    let neighbours = machine(&[(0, 0, 0, &[0, 1]), (0, 0, 1, &[2, 3]), (0, 0, 2, &[4, 5]), (0, 0, 3, &[6, 7])]);
    assert_eq!(pus(&neighbours, "scatter", 4), [0, 2, 4, 6]);
    assert_eq!(pus(&neighbours, "cores", 6), [0, 2, 4, 6, 1, 3]);
    assert_eq!(pus(&neighbours, "compact", 4), [0, 1, 2, 3]);
    let halves = machine(&[(0, 0, 0, &[0, 4]), (0, 0, 1, &[1, 5]), (0, 0, 2, &[2, 6]), (0, 0, 3, &[3, 7])]);
    assert_eq!(pus(&halves, "scatter", 4), [0, 1, 2, 3]);
    assert_eq!(pus(&halves, "compact", 4), [0, 4, 1, 5]);
    assert_eq!(pus(&halves, "smt-2", 4), [0, 4, 1, 5]);
}

#[test]
fn scatter_takes_packages_then_caches_then_cores_then_threads() {
    let topology = regular(2, 2, 2, 2);
    // Packages begin at 0 and 8, caches every 4, cores every 2.
    assert_eq!(pus(&topology, "scatter", 16), [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15]);
    assert_eq!(pus(&topology, "cores", 8), [0, 2, 4, 6, 8, 10, 12, 14]);
}

#[test]
fn smt_n_fills_n_threads_of_each_core_first() {
    let topology = regular(1, 1, 2, 8);
    assert_eq!(pus(&topology, "smt-2", 8), [0, 1, 8, 9, 2, 3, 10, 11]);
    assert_eq!(pus(&topology, "smt-4", 10), [0, 1, 2, 3, 8, 9, 10, 11, 4, 5]);
    assert_eq!(pus(&topology, "smt-3", 16), [0, 1, 2, 8, 9, 10, 3, 4, 5, 11, 12, 13, 6, 7, 14, 15]);
    assert_eq!(pus(&topology, "smt-8", 16), pus(&topology, "compact", 16));
    let faults = place(&topology, &"smt-9".parse().unwrap(), 2).unwrap_err();
    assert_eq!(faults, [PlaceFault::SmtTooWide { wanted: 9, most: 8 }]);
    assert!(faults[0].cure().contains("smt-8"));
}

#[test]
fn a_lone_sibling_is_the_first_pu_of_its_core() {
    // Core 1 has lost PU 1, so its PU 49 is as good as any.
    let topology = without(machine(&[(0, 0, 0, &[0, 48]), (0, 0, 1, &[1, 49]), (0, 0, 2, &[2, 50])]), &[1], &[]);
    assert_eq!(pus(&topology, "cores", 3), [0, 49, 2]);
    assert_eq!(topology.counts().cores, 3);
    assert_eq!((topology.counts().smt_min, topology.counts().smt_max), (1, 2));
}

#[test]
fn off_lined_siblings_leave_the_cores_they_belong_to() {
    let topology = without(regular(1, 1, 8, 2), &[1, 3, 5, 7, 9, 11, 13, 15], &[]);
    assert_eq!(topology.allowed(), [0, 2, 4, 6, 8, 10, 12, 14]);
    assert_eq!(topology.counts().cores, 8);
    assert_eq!(topology.counts().smt_max, 1);
}

#[test]
fn core_numbers_with_holes_that_repeat_are_kept_apart() {
    let numbers: Vec<u32> = (0..7).chain(8..15).collect();
    let threads: Vec<[u32; 1]> = (0..28).map(|pu| [pu]).collect();
    let cores: Vec<_> = (0..28).map(|i| (i as u32 / 14, 0, numbers[i % 14], threads[i].as_slice())).collect();
    let topology = machine(&cores);
    assert_eq!(topology.counts().cores, 28);
    assert_eq!(topology.counts_of(|pu| pu.package == Some(1)).cores, 14);
    assert!(topology.pus.iter().all(|pu| pu.core != Some(7)));
    assert_eq!(topology.counts().packages, 2);
}

#[test]
fn disallowed_offline_and_absent_are_told_apart_with_their_numbers() {
    // As on an A64FX: 0-1 online but disallowed, 2-11 offline, 12-59 allowed.
    let offline: Vec<u32> = (2..12).collect();
    let topology = without(regular(1, 4, 15, 1), &offline, &[0, 1]);
    assert_eq!((topology.pus.len(), topology.counts().pus, topology.allowed_counts().pus), (60, 50, 48));
    assert_eq!(topology.allowed()[0], 12);
    let faults = place(&topology, &"0-3,12,60,100000".parse().unwrap(), 4).unwrap_err();
    let messages: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(messages.len(), 3);
    assert!(messages[0].starts_with("this machine has no PU 60,100000; use PUs out of 12-59"), "{}", messages[0]);
    assert!(messages[1].starts_with("PU 2-3 is offline; bring it online"), "{}", messages[1]);
    assert!(messages[2].starts_with("PU 0-1 is online but outside the set"), "{}", messages[2]);
}

#[test]
fn impossible_numbers_of_workers_are_refused() {
    let topology = regular(1, 1, 2, 1);
    assert_eq!(place(&topology, &Policy::Cores, 0).unwrap_err(), [PlaceFault::NoWorkers]);
    assert!(matches!(
        place(&topology, &Policy::Cores, usize::MAX).unwrap_err()[..],
        [PlaceFault::TooManyWorkers { .. }]
    ));
    let none = without(topology, &[], &[0, 1]);
    assert_eq!(place(&none, &Policy::Scatter, 1).unwrap_err(), [PlaceFault::NoAllowedPus]);
    assert_eq!(place(&none, &"9".parse().unwrap(), 0).unwrap_err().len(), 2);
    assert_eq!(none.witness_pair(), None);
    assert_eq!(Topology::default().counts().smt_max, 0);
}

#[test]
fn pus_beyond_1023_are_pus_like_any() {
    let topology = regular(2, 8, 10, 8);
    assert_eq!(topology.counts().pus, 1280);
    assert_eq!(pus(&topology, "1279,1024", 2), [1279, 1024]);
    assert_eq!(*pus(&topology, "compact", 1280).last().unwrap(), 1279);
    assert_eq!(topology.relation(1272, 1279), Some(Relation::SameCore));
    assert_eq!(topology.witness_pair(), Some([0, 640]));
}

#[test]
fn many_workers_on_many_pus() {
    let topology = regular(4, 16, 8, 8);
    assert_eq!(topology.allowed().len(), 4096);
    for policy in ["compact", "cores", "scatter", "smt-4", "0-4095"] {
        assert_eq!(pus(&topology, policy, 4096).len(), 4096);
    }
}

#[test]
fn relations_name_the_closest_thing_shared() {
    let mut topology = regular(2, 2, 2, 2);
    let names: Vec<String> = [0, 1, 2, 4, 8].iter().map(|pu| topology.relation(0, *pu).unwrap().to_string()).collect();
    assert_eq!(names, ["same PU", "same core", "shared L3", "same NUMA node", "across packages"]);
    assert_eq!(topology.relation(0, 99), None);
    // Without packages, nodes and a last level nothing but the machine is known to be shared.
    topology.caches.retain(|cache| cache.level == 1);
    for pu in &mut topology.pus {
        (pu.package, pu.numa_node, pu.core) = (None, None, Some(pu.os_index / 2));
    }
    assert_eq!(topology.relation(0, 8), Some(Relation::SameMachine));
    assert_eq!(topology.relation(0, 1), Some(Relation::SameCore));
}

#[test]
fn the_witness_pair_prefers_packages_then_caches_then_cores() {
    assert_eq!(regular(2, 2, 2, 2).witness_pair(), Some([0, 8]));
    assert_eq!(regular(1, 2, 2, 2).witness_pair(), Some([0, 4]));
    assert_eq!(regular(1, 1, 2, 2).witness_pair(), Some([0, 2]));
    assert_eq!(regular(1, 1, 1, 2).witness_pair(), Some([0, 1]));
    assert_eq!(regular(1, 1, 1, 1).witness_pair(), None);
}

#[test]
fn cores_of_two_kinds_take_turns_cluster_by_cluster() {
    // Two big cores with two threads and their own L2, two clusters of two small cores that share an L2 each.
    let mut topology = machine(&[
        (0, 0, 0, &[0, 1]),
        (0, 0, 1, &[2, 3]),
        (0, 0, 2, &[4]),
        (0, 0, 3, &[5]),
        (0, 0, 4, &[6]),
        (0, 0, 5, &[7]),
    ]);
    topology.caches.retain(|cache| cache.level != 2 || cache.pus.len() == 2);
    for pus in [[4, 5], [6, 7]] {
        topology.caches.push(hitm_topology::Cache {
            level: 2,
            kind: CacheKind::Unified,
            size_bytes: None,
            line_bytes: None,
            pus: pus.to_vec(),
        });
    }
    assert_eq!(pus(&topology, "scatter", 8), [0, 2, 4, 6, 5, 7, 1, 3]);
    assert_eq!(pus(&topology, "smt-2", 8), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(topology.relation(4, 5), Some(Relation::SharedCache { level: 2 }));
    assert_eq!(topology.relation(4, 6), Some(Relation::SharedCache { level: 3 }));
}

#[test]
fn a_placement_is_plain_json() {
    let placed = place(&regular(1, 1, 2, 1), &"1,0".parse().unwrap(), 3).unwrap();
    let text = serde_json::to_string(&placed).unwrap();
    assert_eq!(text, r#"{"policy":"1,0","pus":[1,0,1],"oversubscribed":true}"#);
    assert_eq!(serde_json::from_str::<Placement>(&text).unwrap(), placed);
    assert!(serde_json::from_str::<Policy>("\"spread\"").is_err());
}
