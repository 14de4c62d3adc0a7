//! Machines for tests: regular ones by hand, irregular ones by chance.

use std::collections::{BTreeMap, BTreeSet};

use hitm_topology::{Cache, CacheKind, Kind, NumaNode, Package, Pu, Topology};
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

/// What is odd about a machine: each in some of them.
#[derive(Clone, Copy, Debug)]
struct Odd {
    no_packages: bool,
    /// Cores are told for no PU.
    no_cores: bool,
    no_caches: bool,
    /// Each two cores of a last-level cache share their L2.
    clusters: bool,
    no_nodes: bool,
    /// A node for each last-level cache in place of one for each package.
    node_a_cache: bool,
    /// Node 250 is memory alone.
    bare_memory: bool,
    /// The cores of each second cache are of another kind.
    kinds: bool,
    /// Offline PUs are told to be in nothing, as Linux does.
    forgotten: bool,
}

fn odd() -> impl Strategy<Value = Odd> {
    prop::collection::vec(0..100u8, 9).prop_map(|c| Odd {
        no_packages: c[0] < 20,
        no_cores: c[1] < 10,
        no_caches: c[2] < 15,
        clusters: c[3] < 30,
        no_nodes: c[4] < 15,
        node_a_cache: c[5] < 30,
        bare_memory: c[6] < 30,
        kinds: c[7] < 30,
        forgotten: c[8] < 50,
    })
}

/// Any machine: uneven packages, caches, cores and threads, core numbers with holes that repeat in every package, OS indexes in
/// any order and far apart, some PUs offline, disallowed or without a core; and [`Odd`] in some way.
#[allow(dead_code, reason = "not every test file needs it")]
pub fn any() -> impl Strategy<Value = Topology> {
    let core = (1..5u32, 1..4u32);
    let shape = prop::collection::vec(prop::collection::vec(prop::collection::vec(core, 1..4), 1..4), 1..4);
    (shape, odd(), 1..40u32, prop::collection::vec((0..100u8, 0..1000u32), 200)).prop_map(
        |(shape, odd, spacing, chances)| {
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
            let cores: Vec<_> = list.iter().map(|(p, c, k, t)| (*p, *c, *k, t.as_slice())).collect();
            let mut topology = machine(&cores);
            for (pu, (chance, _)) in topology.pus.iter_mut().zip(&chances) {
                pu.online = *chance < 85;
                pu.allowed = pu.online && *chance >= 10;
                if *chance % 17 == 3 {
                    pu.core = None;
                }
            }
            twist(&mut topology, odd, &cores);
            topology
        },
    )
}

fn twist(topology: &mut Topology, odd: Odd, cores: &[(u32, u32, u32, &[u32])]) {
    let at = |pu: u32| cores.iter().position(|core| core.3.contains(&pu)).expect("every PU is in a core");
    if odd.clusters {
        topology.caches.retain(|cache| cache.level != 2);
        for group in cores.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            for two in group.chunks(2) {
                let pus = two.iter().flat_map(|core| core.3).copied().collect();
                let kind = CacheKind::Unified;
                topology.caches.push(Cache { level: 2, kind, size_bytes: None, line_bytes: None, pus });
            }
        }
    }
    if odd.node_a_cache {
        topology.numa_nodes.clear();
        for (number, group) in cores.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).enumerate() {
            let pus = group.iter().flat_map(|core| core.3).copied().collect();
            topology.numa_nodes.push(NumaNode { os_index: 8 * number as u32, memory_bytes: Some(0), pus });
        }
    }
    for pu in &mut topology.pus {
        let node = topology.numa_nodes.iter().find(|node| node.pus.contains(&pu.os_index));
        pu.numa_node = node.map(|node| node.os_index);
        if odd.no_packages {
            pu.package = None;
            // Without packages no two cores have one number.
            pu.core = pu.core.map(|_| at(pu.os_index) as u32);
        }
        if odd.no_cores {
            pu.core = None;
        }
        if odd.no_nodes {
            pu.numa_node = None;
        }
    }
    if odd.no_nodes {
        topology.numa_nodes.clear();
    } else if odd.bare_memory {
        topology.numa_nodes.push(NumaNode { os_index: 250, memory_bytes: Some(1 << 34), pus: Vec::new() });
    }
    if odd.no_packages {
        topology.packages.clear();
    }
    if odd.no_caches {
        topology.caches.clear();
    }
    if odd.kinds {
        for (rank, name) in ["efficiency", "performance"].into_iter().enumerate() {
            let of_kind = |pu: &&Pu| cores[at(pu.os_index)].1 % 2 == rank as u32;
            let pus = topology.pus.iter().filter(of_kind).map(|pu| pu.os_index).collect();
            let (name, evidence) = (name.to_owned(), "test".to_owned());
            topology.kinds.push(Kind { name, evidence, rank: rank as u32, max_mhz: None, pus });
        }
    }
    if odd.forgotten {
        let mut offline = BTreeSet::new();
        for pu in topology.pus.iter_mut().filter(|pu| !pu.online) {
            (pu.core, pu.package, pu.numa_node) = (None, None, None);
            offline.insert(pu.os_index);
        }
        for pus in topology.caches.iter_mut().map(|cache| &mut cache.pus) {
            pus.retain(|pu| !offline.contains(pu));
        }
        topology.caches.retain(|cache| !cache.pus.is_empty());
        for node in &mut topology.numa_nodes {
            node.pus.retain(|pu| !offline.contains(pu));
        }
    }
}
