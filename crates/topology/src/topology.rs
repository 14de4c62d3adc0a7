//! The data of one machine.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::line::LineSize;

/// The PUs of one machine and what they share. Whatever its source does not tell is `None`, and said in `notes`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Topology {
    /// Where it is from, such as `this machine (hwloc 2.9.0)` or `xml:FILE`.
    pub source: String,
    /// What read it, such as `hwloc`; the caches' line sizes name it as their source.
    pub reader: String,
    /// Whether it is the machine that this process runs on; only there can threads be pinned and facts be read.
    pub is_this_machine: bool,
    /// The processor architecture as `uname -m` names it, such as `x86_64` or `ppc64le`.
    #[serde(default)]
    pub architecture: Option<String>,
    /// The operating system as `uname -s` names it, such as `Linux` or `Darwin`.
    #[serde(default)]
    pub os_name: Option<String>,
    /// The PUs by ascending OS index, those that are offline or not allowed included.
    pub pus: Vec<Pu>,
    /// The packages by ascending OS index.
    pub packages: Vec<Package>,
    /// The NUMA nodes by ascending OS index, those without PUs included.
    pub numa_nodes: Vec<NumaNode>,
    /// The caches.
    pub caches: Vec<Cache>,
    /// The kinds of cores, the most efficient first, where the source gives evidence of more than one. Empty: all alike, or not
    /// told.
    #[serde(default)]
    pub kinds: Vec<Kind>,
    /// A line size told by something else than the caches; `None` where nothing else was asked or nothing told.
    #[serde(default)]
    pub line: Option<LineSize>,
    /// What is missing or odd, one sentence each.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// A processing unit: one hardware thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pu {
    /// Its number in the operating system.
    pub os_index: u32,
    /// The number of its core in this topology (not the raw core id, which repeats in every package and may have holes);
    /// `None` where the source does not tell, as for most offline PUs. A PU without a core counts as a core of its own.
    pub core: Option<u32>,
    /// Its package, by OS index.
    pub package: Option<u32>,
    /// Its NUMA node, by OS index.
    pub numa_node: Option<u32>,
    /// Its rank among the listed PUs of its core, from 0, by OS index. Offline and disallowed siblings count, so the only
    /// usable PU of a core need not be number 0.
    pub smt_index: u32,
    /// Whether the operating system runs threads on it.
    pub online: bool,
    /// Whether this process may run on it.
    pub allowed: bool,
}

/// A package: what is plugged into a socket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Package {
    /// Its number in the operating system.
    pub os_index: u32,
}

/// A NUMA node: a stretch of memory and the PUs next to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumaNode {
    /// Its number in the operating system.
    pub os_index: u32,
    /// Its memory in bytes; `None` where the source does not tell.
    pub memory_bytes: Option<u64>,
    /// The PUs next to it, by ascending OS index; none for memory without processors.
    pub pus: Vec<u32>,
}

/// A cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cache {
    /// Its level, from 1.
    pub level: u32,
    /// What it holds.
    pub kind: CacheKind,
    /// Its size in bytes; `None` where the source does not tell.
    pub size_bytes: Option<u64>,
    /// Its line size in bytes, as told; `None` where the source does not tell. See [`Topology::line_size`].
    pub line_bytes: Option<u64>,
    /// The PUs that share it, by ascending OS index.
    pub pus: Vec<u32>,
}

/// A kind of cores: those of one hybrid machine that compute alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kind {
    /// Its name, such as `performance`, `efficiency` or `capacity 446`; no two of a topology are the same.
    pub name: String,
    /// What tells it, such as `/sys/devices/cpu_core/cpus`. Differing clocks alone tell no kind.
    pub evidence: String,
    /// Its rank by speed: 0 the most efficient and slowest.
    pub rank: u32,
    /// The highest clock of its PUs in MHz; `None` where the source does not tell.
    pub max_mhz: Option<u32>,
    /// Its PUs, by ascending OS index; a PU is of one kind at most.
    pub pus: Vec<u32>,
}

/// What a cache holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CacheKind {
    /// Data only.
    Data,
    /// Instructions only.
    Instruction,
    /// Both.
    Unified,
}

impl CacheKind {
    /// Whether it can hold data.
    pub fn holds_data(self) -> bool {
        self != CacheKind::Instruction
    }
}

/// As in `L1d`: `d`, `i` or nothing.
impl fmt::Display for CacheKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CacheKind::Data => "d",
            CacheKind::Instruction => "i",
            CacheKind::Unified => "",
        })
    }
}

/// What tells cores apart: numbers of cores that repeat in every package stay apart, and a PU without a core is its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum CoreKey {
    Core { package: Option<u32>, core: u32 },
    Alone { pu: u32 },
}

impl Pu {
    pub(crate) fn core_key(&self) -> CoreKey {
        match self.core {
            Some(core) => CoreKey::Core { package: self.package, core },
            None => CoreKey::Alone { pu: self.os_index },
        }
    }

    /// A PU of which nothing is told but that it is offline.
    pub fn offline(os_index: u32) -> Self {
        Pu { os_index, core: None, package: None, numa_node: None, smt_index: 0, online: false, allowed: false }
    }

    /// Whether a worker may be placed on it.
    pub fn usable(&self) -> bool {
        self.online && self.allowed
    }
}

impl Topology {
    /// The PU of that OS index.
    pub fn pu(&self, os_index: u32) -> Option<&Pu> {
        match self.pus.binary_search_by_key(&os_index, |pu| pu.os_index) {
            Ok(at) => Some(&self.pus[at]),
            // Data from elsewhere need not be sorted.
            Err(_) => self.pus.iter().find(|pu| pu.os_index == os_index),
        }
    }

    /// The PUs that a worker may be placed on (online and allowed), by ascending OS index.
    pub fn allowed(&self) -> Vec<u32> {
        let mut allowed: Vec<u32> = self.pus.iter().filter(|pu| pu.usable()).map(|pu| pu.os_index).collect();
        allowed.sort_unstable();
        allowed.dedup();
        allowed
    }

    /// All unordered pairs of allowed PUs, the lower OS index first, in ascending order: n·(n−1)/2 of them.
    pub fn pairs(&self) -> impl Iterator<Item = [u32; 2]> + use<> {
        let allowed = self.allowed();
        (0..allowed.len()).flat_map(move |i| {
            let first = allowed[i];
            let rest: Vec<u32> = allowed[i + 1..].to_vec();
            rest.into_iter().map(move |second| [first, second])
        })
    }

    /// Two allowed PUs as far apart as the topology says: in different packages, else in different NUMA nodes, else with
    /// different last-level caches, else on different cores; siblings of one core only when there is nothing else. The
    /// lowest OS indexes that do. `None` with fewer than two allowed PUs.
    pub fn witness_pair(&self) -> Option<[u32; 2]> {
        let allowed = self.allowed();
        let (&first, rest) = allowed.split_first()?;
        let relations = crate::Relations::new(self);
        // What PUs share nests, so no pair is farther apart than the farthest from any one PU.
        let mut best: Option<(crate::Relation, u32)> = None;
        for &second in rest {
            let Some(relation) = relations.of(first, second) else { continue };
            if best.as_ref().is_none_or(|(so_far, _)| relation > *so_far) {
                best = Some((relation, second));
            }
        }
        best.map(|(_, second)| [first, second])
    }

    /// What the two PUs share; `None` when one is not listed. For many pairs make a [`Relations`](crate::Relations) once.
    pub fn relation(&self, a: u32, b: u32) -> Option<crate::Relation> {
        crate::Relations::new(self).of(a, b)
    }
}
