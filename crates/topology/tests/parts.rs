//! One worker on each of something, and placements on a part of a machine.

mod machines;

use std::collections::{BTreeMap, BTreeSet};

use hitm_topology::{
    Build, CacheKind, CacheSpec, PlaceFault, Policy, PuList, Topology, Unit, Within, place, place_within, preset,
};
use machines::{machine, regular};
use proptest::prelude::*;

fn pus(topology: &Topology, policy: &str, workers: usize) -> Vec<u32> {
    place(topology, &policy.parse().unwrap(), workers).unwrap().pus
}

fn bounds(texts: &[&str]) -> Vec<Within> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

fn told(faults: Vec<PlaceFault>) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// What tells apart what a unit counts, by its meaning alone.
fn group(topology: &Topology, unit: Unit, pu: u32) -> Option<Vec<u32>> {
    let cache = |level: u32| {
        let above = topology.caches.iter().find(|c| c.kind.holds_data() && c.level == level && c.pus.contains(&pu));
        above.map(|cache| cache.pus.clone())
    };
    let at = topology.pu(pu).unwrap();
    match unit {
        Unit::Core => Some(core(topology, pu)),
        Unit::Package => at.package.map(|package| vec![package]),
        Unit::Node => at.numa_node.map(|node| vec![node]),
        Unit::Cache(level) => cache(level),
        Unit::SharedCache => cache(shared_level(topology)?),
    }
}

fn core(topology: &Topology, pu: u32) -> Vec<u32> {
    let at = topology.pu(pu).unwrap();
    let same = |other: &&hitm_topology::Pu| {
        other.os_index == pu || (at.core.is_some() && (other.package, other.core) == (at.package, at.core))
    };
    topology.pus.iter().filter(same).map(|other| other.os_index).collect()
}

fn shared_level(topology: &Topology) -> Option<u32> {
    let several = |cache: &&hitm_topology::Cache| {
        let online = cache.pus.iter().filter(|pu| topology.pu(**pu).unwrap().online);
        let cores: BTreeSet<Vec<u32>> = online.map(|pu| core(topology, *pu)).collect();
        cache.kind.holds_data() && cores.len() > 1
    };
    topology.caches.iter().filter(several).map(|cache| cache.level).max()
}

fn any_bound(topology: &Topology, pick: u32) -> Within {
    let at = |n: usize| &topology.pus[n % topology.pus.len()];
    let n = pick as usize / 8;
    match pick % 8 {
        0 => Within::Package(at(n).package.unwrap_or(9)),
        1 => Within::Numa(at(n).numa_node.unwrap_or(250)),
        2 | 3 => Within::Cache { level: 1 + pick % 3, pu: at(n).os_index },
        4 => Within::Core(at(n).os_index),
        5 => Within::Kind(if n % 2 == 0 { "efficiency" } else { "performance" }.into()),
        6 => Within::Pus(PuList::new([at(n).os_index]).unwrap()),
        _ => Within::Pus(PuList::new(topology.pus.iter().step_by(1 + n % 3).map(|pu| pu.os_index)).unwrap()),
    }
}

/// Whether a PU is inside a bound, by the bound's meaning alone.
fn is_inside(topology: &Topology, bound: &Within, pu: u32) -> bool {
    match bound {
        Within::Package(package) => topology.pu(pu).unwrap().package == Some(*package),
        Within::Numa(node) => topology.numa_nodes.iter().any(|n| n.os_index == *node && n.pus.contains(&pu)),
        Within::Cache { level, pu: below } => topology.caches.iter().any(|cache| {
            cache.level == *level && cache.kind.holds_data() && cache.pus.contains(below) && cache.pus.contains(&pu)
        }),
        Within::Core(other) => core(topology, *other).contains(&pu),
        Within::Kind(name) => topology.kinds.iter().any(|kind| kind.name == *name && kind.pus.contains(&pu)),
        Within::Pus(list) => list.pus().contains(&pu),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn one_per_uses_each_once_and_then_begins_again(topology in machines::any()) {
        let allowed = topology.allowed();
        prop_assume!(!allowed.is_empty());
        for unit in [Unit::Core, Unit::SharedCache, Unit::Cache(2), Unit::Cache(3), Unit::Node, Unit::Package] {
            let groups: BTreeSet<Vec<u32>> = allowed.iter().filter_map(|pu| group(&topology, unit, *pu)).collect();
            let (policy, n) = (Policy::OnePer(unit), groups.len());
            let placed = place(&topology, &policy, 2 * n + 1);
            let Ok(placed) = placed else {
                prop_assert_eq!(n, 0, "{}", policy);
                prop_assert!(placed.unwrap_err().iter().all(|fault| !fault.cure().is_empty()));
                continue;
            };
            prop_assert!(n > 0 && placed.oversubscribed);
            prop_assert!(!place(&topology, &policy, n).unwrap().oversubscribed);
            let used: BTreeSet<Vec<u32>> = placed.pus[..n].iter().filter_map(|pu| group(&topology, unit, *pu)).collect();
            prop_assert_eq!(used, groups, "{}", policy);
            prop_assert_eq!(&placed.pus[n..2 * n], &placed.pus[..n], "a second PU was used");
            for pu in &placed.pus[..n] {
                let first = core(&topology, *pu).into_iter().find(|pu| allowed.contains(pu));
                prop_assert_eq!(first, Some(*pu), "{}: not the first usable PU of its core", policy);
            }
        }
    }

    #[test]
    fn bounds_hold_and_keep_the_order(topology in machines::any(), picks in prop::collection::vec(0..4096u32, 1..4)) {
        let bounds: Vec<Within> = picks.iter().map(|pick| any_bound(&topology, *pick)).collect();
        let allowed = topology.allowed();
        let right: Vec<u32> =
            allowed.iter().copied().filter(|pu| bounds.iter().all(|bound| is_inside(&topology, bound, *pu))).collect();
        match topology.within(&bounds) {
            Ok(inside) => {
                prop_assert_eq!(&inside, &right);
                let everywhere = topology.cores(&allowed).into_iter().map(|mut core| { core.retain(|pu| inside.contains(pu)); core });
                prop_assert_eq!(topology.cores(&inside), everywhere.filter(|core| !core.is_empty()).collect::<Vec<_>>());
                for policy in [Policy::Compact, Policy::Cores, Policy::Scatter, Policy::Pairs] {
                    let placed = place_within(&topology, &policy, &bounds, 2 * inside.len()).unwrap();
                    let used: BTreeSet<u32> = placed.pus[..inside.len()].iter().copied().collect();
                    prop_assert!(used.into_iter().eq(inside.iter().copied()), "{}", policy);
                    prop_assert_eq!(placed.within, bounds.clone());
                }
            }
            Err(faults) => {
                let bad_list = bounds.iter().any(|bound| matches!(bound, Within::Pus(list) if list.pus().iter().any(|pu| !allowed.contains(pu))));
                prop_assert!(right.is_empty() || bad_list, "{}", told(faults));
            }
        }
    }

    #[test]
    fn no_bound_panics(text in "(package|numa|l2|l3|l|core|kind|pus|)(:|)[0-9a-z,:-]{0,12}") {
        if let Ok(bound) = text.parse::<Within>() {
            prop_assert_eq!(bound.to_string().parse::<Within>().unwrap(), bound.clone());
            let _ = regular(1, 1, 2, 2).within(&[bound]);
        }
    }
}

#[test]
fn one_per_core_takes_the_first_online_thread() {
    // PU 1 is offline: PU 49 is what core 1 has.
    let mut topology = machine(&[(0, 0, 0, &[0, 48]), (0, 0, 1, &[1, 49]), (0, 0, 2, &[2, 50])]);
    topology.pus.iter_mut().filter(|pu| pu.os_index == 1).for_each(|pu| (pu.online, pu.allowed) = (false, false));
    assert_eq!(pus(&topology, "one-per-core", 3), [0, 49, 2]);
    let four = place(&topology, &Policy::OnePer(Unit::Core), 4).unwrap();
    assert_eq!((four.pus, four.oversubscribed), (vec![0, 49, 2, 0], true));
    // As Linux tells it: nothing of an offline PU.
    let lost = &mut topology.pus[1];
    (lost.core, lost.package, lost.numa_node) = (None, None, None);
    assert_eq!(pus(&topology, "one-per-core", 3), [0, 49, 2]);
}

#[test]
fn one_per_takes_what_the_data_tells() {
    let epyc = preset("epyc-2s64c2t").unwrap();
    assert_eq!(pus(&epyc, "one-per-cache", 16), (0..16).map(|l3| 8 * l3).collect::<Vec<u32>>());
    assert_eq!(pus(&epyc, "one-per-l3", 16), pus(&epyc, "one-per-cache", 16));
    assert_eq!(pus(&epyc, "one-per-node", 3), [0, 64, 0]);
    assert_eq!(pus(&epyc, "one-per-package", 2), [0, 64]);
    assert_eq!(pus(&epyc, "one-per-l2", 128), pus(&epyc, "one-per-core", 128));
    let m1 = preset("apple-m1-hybrid").unwrap();
    assert_eq!(pus(&m1, "one-per-cache", 2), [0, 4]);
}

#[test]
fn what_is_missing_is_said_with_what_there_is() {
    let m1 = preset("apple-m1-hybrid").unwrap();
    let fault = |topology: &Topology, policy: &str| told(place(topology, &policy.parse().unwrap(), 1).unwrap_err());
    let said = fault(&m1, "one-per-l3");
    assert!(said.contains("no L3") && said.contains("one-per-l1 or one-per-l2"), "{said}");
    assert!(fault(&m1, "one-per-node").contains("no NUMA node"));
    let said = fault(&preset("power8-2s10c8t").unwrap(), "one-per-cache");
    assert!(said.contains("shared by more than one core") && said.contains("one-per-core"), "{said}");
    let mut bare = regular(1, 1, 2, 1);
    bare.caches.clear();
    assert!(fault(&bare, "one-per-cache").contains("no data cache is told"));
    assert!(fault(&bare, "one-per-l2").contains("no L2"));
    bare.pus.iter_mut().for_each(|pu| pu.package = None);
    assert!(fault(&bare, "one-per-package").contains("no package"));
}

#[test]
fn nodes_without_pus_take_no_worker_and_nodes_without_memory_do() {
    let mut build = Build::new("test");
    build.core(Some(0), Some(0), &[0, 1]).core(Some(0), Some(8), &[2, 3]).memory(250);
    let mut topology = build.done();
    topology.numa_nodes[1].memory_bytes = Some(0);
    assert_eq!(pus(&topology, "one-per-node", 2), [0, 2]);
    let said = told(topology.within(&bounds(&["numa:250"])).unwrap_err());
    assert!(said.contains("memory without PUs") && said.contains("0,8"), "{said}");
    // Nodes that share their PUs, as fast memory beside slow does, do not double them.
    topology.numa_nodes[2].pus = vec![0, 1];
    assert_eq!(pus(&topology, "one-per-node", 2), [0, 2]);
    assert_eq!(topology.within(&bounds(&["numa:250"])).unwrap(), [0, 1]);
}

#[test]
fn bounds_narrow_a_placement() {
    let power8 = preset("power8-2s10c8t").unwrap();
    let placed = |policy: &str, within: &[&str], workers: usize| {
        place_within(&power8, &policy.parse().unwrap(), &bounds(within), workers).unwrap()
    };
    assert_eq!(placed("cores", &["package:1"], 3).pus, [80, 88, 96]);
    assert_eq!(placed("compact", &["core:91"], 9).pus, [88, 89, 90, 91, 92, 93, 94, 95, 88]);
    assert!(placed("compact", &["core:91"], 9).oversubscribed);
    assert_eq!(placed("scatter", &["pus:0-159:8", "numa:1"], 4).pus, [80, 88, 96, 104]);
    assert_eq!(placed("84,81", &["l2:80"], 2).pus, [84, 81]);
    let m1 = preset("apple-m1-hybrid").unwrap();
    assert_eq!(m1.within(&bounds(&["kind:performance"])).unwrap(), [4, 5, 6, 7]);
    assert_eq!(m1.within(&[]).unwrap().len(), 8);
}

#[test]
fn every_fault_of_every_bound_is_told_with_what_there_is() {
    let mut topology = regular(2, 1, 2, 2);
    for pu in &mut topology.pus {
        pu.online = pu.os_index != 3;
        pu.allowed = pu.online && pu.package == Some(0);
    }
    let said = told(
        place_within(
            &topology,
            &"5".parse().unwrap(),
            &bounds(&["package:7", "numa:1", "l4:0", "core:99", "kind:big", "pus:0,3,40"]),
            0,
        )
        .unwrap_err(),
    );
    for part in [
        "no workers",
        "package 7; use package 0-1",
        "within numa:1 is online and allowed; it holds PU 4-7",
        "no L4 that holds data is told above PU 0; use l1:0 or l2:0 or l3:0",
        "no PU 99; use PU 0-7",
        "no kinds of cores are told",
        "this machine has no PU 40; use PUs out of 0-2",
        "PU 3 is offline",
        "PU 5 is online but outside the set",
    ] {
        assert!(said.contains(part), "{part} is not in:\n{said}");
    }
    let said = told(place_within(&topology, &"smt-9".parse().unwrap(), &bounds(&["package:7"]), 1).unwrap_err());
    assert!(said.contains("package 7") && said.contains("smt-9 wants 9"), "{said}");
    let said = told(topology.within(&bounds(&["core:0", "core:2"])).unwrap_err());
    assert!(
        said.contains("no usable PU is within core:2 and within core:0 at once") && said.contains("PU 0-1"),
        "{said}"
    );
    let said = told(place_within(&topology, &"0-2".parse().unwrap(), &bounds(&["core:0"]), 1).unwrap_err());
    assert!(said.contains("PU 2 is not within core:0") && said.contains("PUs out of 0-1"), "{said}");
    for text in [
        "",
        "package",
        "package:",
        "package:-1",
        "package:+1",
        "socket:0",
        "l:1",
        "l0:1",
        "l12:1",
        "kind:",
        "pus:",
        "pus:3-1",
        "numa:99999999999",
    ] {
        let error = text.parse::<Within>().unwrap_err();
        assert!(error.cure.contains("package:N") && !error.message.is_empty(), "{text}");
    }
}

#[test]
fn caches_and_cores_with_holes_and_repeating_numbers() {
    // As on machines of which every package numbers its cores anew: the cores 0 of two packages are two cores.
    let topology = machine(&[(0, 0, 0, &[0]), (0, 0, 8, &[1]), (1, 0, 0, &[2]), (1, 0, 8, &[3])]);
    assert_eq!(topology.within(&bounds(&["core:2"])).unwrap(), [2]);
    assert_eq!(topology.cores(&topology.allowed()), [[0], [1], [2], [3]]);
    assert_eq!(topology.cores(&[3, 1, 77]), [[1], [3]]);
    // An OS that numbers the even cores of each package first: 24 PUs of 24 cores, as nothing says that they are siblings.
    let mut build = Build::new("numbered by twos");
    for pu in 0..24 {
        build.core(Some(pu / 6 % 2), Some(pu / 6 % 2), &[pu]);
    }
    build.caches(1, CacheSpec { level: 1, kind: CacheKind::Data, size_bytes: None, line_bytes: None });
    let topology = build.done();
    let counts = topology.counts();
    assert_eq!((counts.cores, counts.smt_max, counts.packages), (24, 1, 2));
    let per_package: BTreeMap<u32, usize> = pus(&topology, "scatter", 12).iter().fold(BTreeMap::new(), |mut n, pu| {
        *n.entry(topology.pu(*pu).unwrap().package.unwrap()).or_default() += 1;
        n
    });
    assert_eq!(per_package, BTreeMap::from([(0, 6), (1, 6)]));
    // Lists are taken as they are.
    let order = [0, 32, 8, 40, 16, 48, 24, 56, 4, 36];
    let epyc = preset("epyc-2s64c2t").unwrap();
    assert_eq!(pus(&epyc, "0,32,8,40,16,48,24,56,4,36", 10), order);
}
