//! Machines for tests: regular ones by hand, irregular ones by chance.

use std::collections::BTreeMap;

use hitm_topology::{Cache, CacheKind, NumaNode, Package, Pu, Topology};
use proptest::prelude::*;

/// A machine from (package, last-level cache, core, OS indexes of its threads). Core numbers may repeat in every package.
pub fn machine(cores: &[(u32, u32, u32, &[u32])]) -> Topology {
    let mut topology = Topology { source: "test".into(), reader: "test".into(), ..Topology::default() };
    let mut shared: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
    let mut nodes: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (package, cache, core, threads) in cores {
        for (smt_index, os_index) in threads.iter().enumerate() {
            topology.pus.push(Pu {
                os_index: *os_index,
                core: Some(*core),
                package: Some(*package),
                numa_node: Some(*package),
                smt_index: smt_index as u32,
                online: true,
                allowed: true,
            });
        }
        let cache_of = |level, kind, pus: Vec<u32>| Cache { level, kind, size_bytes: None, line_bytes: Some(64), pus };
        topology.caches.push(cache_of(1, CacheKind::Data, threads.to_vec()));
        topology.caches.push(cache_of(1, CacheKind::Instruction, threads.to_vec()));
        topology.caches.push(cache_of(2, CacheKind::Unified, threads.to_vec()));
        shared.entry((*package, *cache)).or_default().extend(*threads);
        nodes.entry(*package).or_default().extend(*threads);
    }
    for (_, pus) in shared {
        topology.caches.push(Cache { level: 3, kind: CacheKind::Unified, size_bytes: None, line_bytes: Some(64), pus });
    }
    for (package, pus) in nodes {
        topology.packages.push(Package { os_index: package });
        topology.numa_nodes.push(NumaNode { os_index: package, memory_bytes: None, pus });
    }
    topology.pus.sort_by_key(|pu| pu.os_index);
    topology
}

/// Packages × caches × cores × threads, PUs numbered depth first.
#[allow(dead_code, reason = "not every test file needs it")]
pub fn regular(packages: u32, caches: u32, cores: u32, threads: u32) -> Topology {
    let mut next = 0;
    let mut list = Vec::new();
    for package in 0..packages {
        for cache in 0..caches {
            for core in 0..cores {
                let pus: Vec<u32> = (next..next + threads).collect();
                next += threads;
                list.push((package, cache, cache * cores + core, pus));
            }
        }
    }
    let list: Vec<_> = list.iter().map(|(p, c, k, t)| (*p, *c, *k, t.as_slice())).collect();
    machine(&list)
}

/// Any machine: uneven packages, caches, cores and threads, core numbers with holes that repeat in every package, OS indexes in
/// any order and far apart, some PUs offline, disallowed or without a core.
#[allow(dead_code, reason = "not every test file needs it")]
pub fn any() -> impl Strategy<Value = Topology> {
    let core = (1..5u32, 1..4u32);
    let shape = prop::collection::vec(prop::collection::vec(prop::collection::vec(core, 1..4), 1..4), 1..4);
    (shape, any_bool(), 1..40u32, prop::collection::vec((0..100u8, 0..1000u32), 200)).prop_map(
        |(shape, tell_packages, spacing, chances)| {
            let mut list: Vec<(u32, u32, u32, Vec<u32>)> = Vec::new();
            let mut pu = 0;
            for (package, caches) in shape.iter().enumerate() {
                let mut number = 0;
                for (cache, cores) in caches.iter().enumerate() {
                    for (threads, hole) in cores {
                        list.push((package as u32, cache as u32, number, (pu..pu + threads).collect()));
                        number += hole;
                        pu += threads;
                    }
                }
            }
            // Numbers the PUs anew, in an order that follows nothing.
            let mut ranks: Vec<u32> = (0..pu).collect();
            ranks.sort_by_key(|i| (chances[*i as usize].1, *i));
            let mut numbers = vec![0; pu as usize];
            for (rank, i) in ranks.iter().enumerate() {
                numbers[*i as usize] = rank as u32 * spacing;
            }
            for (_, _, _, threads) in &mut list {
                for thread in threads.iter_mut() {
                    *thread = numbers[*thread as usize];
                }
                threads.sort_unstable();
            }
            let list: Vec<_> = list.iter().map(|(p, c, k, t)| (*p, *c, *k, t.as_slice())).collect();
            let mut topology = machine(&list);
            for (pu, (chance, _)) in topology.pus.iter_mut().zip(&chances) {
                pu.online = *chance < 85;
                pu.allowed = pu.online && *chance >= 10;
                if *chance % 17 == 3 {
                    pu.core = None;
                }
                if !tell_packages {
                    pu.package = None;
                    pu.core = pu.core.map(|_| pu.os_index);
                }
            }
            topology
        },
    )
}

fn any_bool() -> impl Strategy<Value = bool> {
    prop::bool::weighted(0.8)
}
