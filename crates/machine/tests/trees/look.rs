//! Looking at what was made of a tree.

use hitm_machine::Topology;
use hitm_topology::{CacheKind, Policy, place};

pub fn placed(topology: &Topology, policy: &str, workers: usize) -> Vec<u32> {
    place(topology, &policy.parse::<Policy>().unwrap(), workers).unwrap().pus
}

pub fn cores(topology: &Topology) -> Vec<Vec<u32>> {
    let mut cores = std::collections::BTreeMap::<_, Vec<u32>>::new();
    for pu in &topology.pus {
        cores.entry((pu.core.is_none(), pu.package, pu.core.unwrap_or(pu.os_index))).or_default().push(pu.os_index);
    }
    cores.into_values().collect()
}

pub fn caches(topology: &Topology, level: u32, kind: CacheKind) -> Vec<Vec<u32>> {
    let of = topology.caches.iter().filter(|cache| (cache.level, cache.kind) == (level, kind));
    of.map(|cache| cache.pus.clone()).collect()
}

pub fn says(topology: &Topology, words: &str) -> bool {
    topology.notes.iter().any(|note| note.contains(words))
}
