//! How many of everything: always counted, never multiplied.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::topology::{CacheKind, CoreKey, Pu, Topology};

/// How many of everything the counted PUs span.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// PUs.
    pub pus: usize,
    /// Cores with at least one of them.
    pub cores: usize,
    /// Packages with at least one of them; 0 where the topology has no packages.
    pub packages: usize,
    /// NUMA nodes next to at least one of them; 0 where the topology has none.
    pub numa_nodes: usize,
    /// Caches above at least one of them, by ascending level.
    pub caches: Vec<CacheLevel>,
    /// The fewest of them that a core has; 0 without cores.
    pub smt_min: usize,
    /// The most of them that a core has; 0 without cores.
    pub smt_max: usize,
}

/// The caches of one level and kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheLevel {
    /// The level, from 1.
    pub level: u32,
    /// What they hold.
    pub kind: CacheKind,
    /// How many.
    pub count: usize,
    /// The sizes that occur, bytes, ascending; without those that are not told.
    pub sizes_bytes: Vec<u64>,
}

impl Topology {
    /// What the online PUs span, allowed or not.
    pub fn counts(&self) -> Counts {
        self.counts_of(|pu| pu.online)
    }

    /// What the allowed PUs span.
    pub fn allowed_counts(&self) -> Counts {
        self.counts_of(Pu::usable)
    }

    /// What the PUs for which `counted` holds span.
    pub fn counts_of(&self, counted: impl Fn(&Pu) -> bool) -> Counts {
        let pus: BTreeMap<u32, &Pu> = self.pus.iter().filter(|pu| counted(pu)).map(|pu| (pu.os_index, pu)).collect();
        let mut threads: BTreeMap<CoreKey, usize> = BTreeMap::new();
        for pu in pus.values() {
            *threads.entry(pu.core_key()).or_default() += 1;
        }
        let packages: BTreeSet<u32> = pus.values().filter_map(|pu| pu.package).collect();
        // A PU names one node only, so nodes are asked for their PUs as well.
        let mut numa_nodes: BTreeSet<u32> = pus.values().filter_map(|pu| pu.numa_node).collect();
        let beside = self.numa_nodes.iter().filter(|node| node.pus.iter().any(|pu| pus.contains_key(pu)));
        numa_nodes.extend(beside.map(|node| node.os_index));

        let mut caches: BTreeMap<(u32, CacheKind), (usize, BTreeSet<u64>)> = BTreeMap::new();
        for cache in self.caches.iter().filter(|cache| cache.pus.iter().any(|pu| pus.contains_key(pu))) {
            let (count, sizes) = caches.entry((cache.level, cache.kind)).or_default();
            *count += 1;
            sizes.extend(cache.size_bytes);
        }
        Counts {
            pus: pus.len(),
            cores: threads.len(),
            packages: packages.len(),
            numa_nodes: numa_nodes.len(),
            caches: caches
                .into_iter()
                .map(|((level, kind), (count, sizes))| CacheLevel {
                    level,
                    kind,
                    count,
                    sizes_bytes: sizes.into_iter().collect(),
                })
                .collect(),
            smt_min: threads.values().copied().min().unwrap_or(0),
            smt_max: threads.values().copied().max().unwrap_or(0),
        }
    }
}
