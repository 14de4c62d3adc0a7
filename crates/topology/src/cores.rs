//! A machine's cores, neighbours side by side.

use std::collections::{BTreeMap, BTreeSet};

use crate::relation::Relations;
use crate::topology::{CoreKey, Topology};

/// Some of a core's PUs by ascending OS index (never none), and what it is in.
pub(crate) struct Core {
    pub(crate) pus: Vec<u32>,
    /// Its package, its NUMA node, then its caches from the highest level to the lowest, each named by its first PU. A cache
    /// that no other core shares is left out.
    pub(crate) path: Vec<Option<u32>>,
    pub(crate) key: CoreKey,
}

impl Core {
    /// The cores that have some of `pus`, with those alone.
    pub(crate) fn all(topology: &Topology, relations: &Relations, pus: &[u32]) -> Vec<Core> {
        let mut levels: Vec<u32> = topology.caches.iter().map(|cache| cache.level).collect();
        levels.sort_unstable();
        levels.dedup();
        let shared = shared_caches(topology, relations);
        let mut cores: BTreeMap<CoreKey, Core> = BTreeMap::new();
        for &pu in pus {
            let Some(place) = relations.place(pu) else { continue };
            let core = cores.entry(place.core).or_insert_with(|| {
                let mut path = vec![place.package, place.numa_node];
                // Within the innermost thing that they share, cores keep the order of their numbers. A cache of a core's own
                // orders nothing: its first PU would put OS numbering above core numbering.
                let at_level = |level: &u32| {
                    place.caches.iter().find(|cache| cache.0 == *level && shared.contains(cache)).map(|cache| cache.1)
                };
                path.extend(levels.iter().rev().map(at_level));
                Core { pus: Vec::new(), path, key: place.core }
            });
            core.pus.push(pu);
        }
        let mut cores: Vec<Core> = cores.into_values().collect();
        for core in &mut cores {
            core.pus.sort_unstable();
        }
        cores.sort_by(|a, b| (&a.path, a.key, a.pus[0]).cmp(&(&b.path, b.key, b.pus[0])));
        cores
    }
}

/// Level and first PU of the data caches that more than one core with online PUs shares. An offline PU may be told without its
/// core, which makes it look like another one.
pub(crate) fn shared_caches(topology: &Topology, relations: &Relations) -> BTreeSet<(u32, u32)> {
    let mut sharers: BTreeMap<(u32, u32), (CoreKey, bool)> = BTreeMap::new();
    for pu in topology.pus.iter().filter(|pu| pu.online) {
        let Some(place) = relations.place(pu.os_index) else { continue };
        for cache in &place.caches {
            let (core, several) = sharers.entry(*cache).or_insert((place.core, false));
            *several |= *core != place.core;
        }
    }
    sharers.into_iter().filter(|(_, (_, several))| *several).map(|(cache, _)| cache).collect()
}

/// The first of each list, then the second of each, and so on.
pub(crate) fn interleaved<T: Copy>(lists: Vec<Vec<T>>) -> Vec<T> {
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    (0..longest).flat_map(|i| lists.iter().filter_map(move |list| list.get(i).copied())).collect()
}

impl Topology {
    /// The cores that have some of `pus` which may be used, as those PUs by ascending OS index; cores that share much stand
    /// side by side: by package, then NUMA node, then shared caches from the highest level to the lowest, then number.
    /// [`Topology::allowed`] or [`Topology::within`] give the PUs. PUs that are not listed or may not be used are left out.
    pub fn cores(&self, pus: &[u32]) -> Vec<Vec<u32>> {
        let wanted: BTreeSet<u32> = pus.iter().copied().collect();
        let usable: Vec<u32> = self.allowed().into_iter().filter(|pu| wanted.contains(pu)).collect();
        Core::all(self, &Relations::new(self), &usable).into_iter().map(|core| core.pus).collect()
    }
}
