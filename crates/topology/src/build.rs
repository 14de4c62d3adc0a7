//! Machines put together core by core.

use std::collections::{BTreeMap, BTreeSet};

use crate::topology::{Cache, CacheKind, Kind, NumaNode, Package, Pu, Topology};

/// Puts a machine together: cores first, then the caches that they share.
///
/// ```
/// use hitm_topology::{Build, CacheKind, CacheSpec, place};
/// let mut build = Build::new("two cores of two threads");
/// build.core(Some(0), Some(0), &[0, 2]).core(Some(0), Some(0), &[1, 3]);
/// build.caches(1, CacheSpec { level: 1, kind: CacheKind::Data, size_bytes: Some(32 << 10), line_bytes: Some(64) });
/// build.caches(2, CacheSpec { level: 2, kind: CacheKind::Unified, size_bytes: None, line_bytes: Some(64) });
/// let machine = build.done();
/// assert_eq!(place(&machine, &"compact".parse().unwrap(), 3).unwrap().pus, [0, 2, 1]);
/// ```
#[derive(Clone, Debug)]
pub struct Build {
    topology: Topology,
    cores: Vec<Vec<u32>>,
}

/// What the caches of one level and kind are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheSpec {
    /// The level, from 1.
    pub level: u32,
    /// What they hold.
    pub kind: CacheKind,
    /// The size of each in bytes; `None` where it is not known.
    pub size_bytes: Option<u64>,
    /// The line size in bytes; `None` where it is not known.
    pub line_bytes: Option<u64>,
}

impl Build {
    /// A machine without anything, from a source of that name. What reads caches is called `description`.
    pub fn new(source: &str) -> Self {
        let topology = Topology { source: source.into(), reader: "description".into(), ..Topology::default() };
        Build { topology, cores: Vec::new() }
    }

    /// Names the reader, the architecture as `uname -m` and the system as `uname -s` do.
    pub fn told_by(&mut self, reader: &str, architecture: &str, os_name: &str) -> &mut Self {
        self.topology.reader = reader.into();
        self.topology.architecture = Some(architecture.into());
        self.topology.os_name = Some(os_name.into());
        self
    }

    /// Adds the next core, by the OS indexes of its PUs, all online and allowed. Cores are numbered from 0 as they come.
    pub fn core(&mut self, package: Option<u32>, numa_node: Option<u32>, pus: &[u32]) -> &mut Self {
        let number = self.cores.len() as u32;
        let mut pus = pus.to_vec();
        pus.sort_unstable();
        self.topology.pus.extend(pus.iter().enumerate().map(|(smt_index, os_index)| Pu {
            os_index: *os_index,
            core: Some(number),
            package,
            numa_node,
            smt_index: smt_index as u32,
            online: true,
            allowed: true,
        }));
        self.cores.push(pus);
        self
    }

    /// Gives the cores that have no cache of this level and kind yet one for each `cores_each` of them, in their order.
    pub fn caches(&mut self, cores_each: usize, spec: CacheSpec) -> &mut Self {
        let same = |cache: &&Cache| cache.level == spec.level && cache.kind == spec.kind;
        let served: BTreeSet<u32> =
            self.topology.caches.iter().filter(same).flat_map(|cache| &cache.pus).copied().collect();
        let without: Vec<&Vec<u32>> =
            self.cores.iter().filter(|core| core.iter().all(|pu| !served.contains(pu))).collect();
        for group in without.chunks(cores_each.max(1)) {
            let mut pus: Vec<u32> = group.iter().copied().flatten().copied().collect();
            pus.sort_unstable();
            let CacheSpec { level, kind, size_bytes, line_bytes } = spec;
            self.topology.caches.push(Cache { level, kind, size_bytes, line_bytes, pus });
        }
        self
    }

    /// Adds a kind of cores; the most efficient comes first.
    pub fn kind(&mut self, name: &str, evidence: &str, pus: &[u32]) -> &mut Self {
        let rank = self.topology.kinds.len() as u32;
        let kind = Kind { name: name.into(), evidence: evidence.into(), rank, max_mhz: None, pus: pus.to_vec() };
        self.topology.kinds.push(kind);
        self
    }

    /// Adds a NUMA node of memory without PUs.
    pub fn memory(&mut self, numa_node: u32) -> &mut Self {
        self.topology.numa_nodes.push(NumaNode { os_index: numa_node, memory_bytes: None, pus: Vec::new() });
        self
    }

    /// Adds a sentence about what is missing or odd.
    pub fn note(&mut self, note: &str) -> &mut Self {
        self.topology.notes.push(note.into());
        self
    }

    /// The machine.
    pub fn done(&self) -> Topology {
        let mut topology = self.topology.clone();
        topology.pus.sort_by_key(|pu| pu.os_index);
        let packages: BTreeSet<u32> = topology.pus.iter().filter_map(|pu| pu.package).collect();
        topology.packages = packages.into_iter().map(|os_index| Package { os_index }).collect();
        let mut nodes: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for pu in &topology.pus {
            if let Some(node) = pu.numa_node {
                nodes.entry(node).or_default().push(pu.os_index);
            }
        }
        let node = |(os_index, pus)| NumaNode { os_index, memory_bytes: None, pus };
        topology.numa_nodes.extend(nodes.into_iter().map(node));
        topology.numa_nodes.sort_by_key(|node| node.os_index);
        topology
    }
}
