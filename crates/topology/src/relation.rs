//! What two PUs share.

use std::collections::{HashMap, HashSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::topology::{CoreKey, Topology};

/// The closest thing that two PUs share; a greater relation is farther apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// They are one PU.
    SamePu,
    /// They are SMT threads of one core.
    SameCore,
    /// They are on different cores that share a data cache; the lowest level that they share.
    SharedCache {
        /// The cache's level, from 1.
        level: u32,
    },
    /// They share no cache but a NUMA node.
    SameNumaNode,
    /// They share no cache and no NUMA node but a package.
    SamePackage,
    /// The topology tells nothing that they share but the machine.
    SameMachine,
    /// They are in different packages.
    AcrossPackages,
}

/// As in a table: `same core`, `shared L3`.
impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Relation::SamePu => "same PU",
            Relation::SameCore => "same core",
            Relation::SharedCache { level } => return write!(f, "shared L{level}"),
            Relation::SameNumaNode => "same NUMA node",
            Relation::SamePackage => "same package",
            Relation::SameMachine => "same machine",
            Relation::AcrossPackages => "across packages",
        })
    }
}

/// A topology prepared for many questions about pairs of PUs.
#[derive(Clone, Debug)]
pub struct Relations {
    places: HashMap<u32, Place>,
    /// Packages that lie in a NUMA node together with others: what two PUs of one share most closely is the package.
    smaller_than_node: HashSet<u32>,
}

/// Where one PU is.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub core: CoreKey,
    pub package: Option<u32>,
    pub numa_node: Option<u32>,
    /// Level and first PU of each data cache above it, by ascending level. Two caches of a level never have a PU in common, so
    /// the first PU names the cache.
    pub caches: Vec<(u32, u32)>,
}

impl Relations {
    /// Prepares the listed PUs of a topology.
    pub fn new(topology: &Topology) -> Self {
        let mut places: HashMap<u32, Place> = HashMap::with_capacity(topology.pus.len());
        for pu in &topology.pus {
            let place = Place {
                core: pu.core_key(),
                package: pu.package,
                numa_node: pu.numa_node,
                caches: Vec::with_capacity(4),
            };
            places.insert(pu.os_index, place);
        }
        for cache in topology.caches.iter().filter(|cache| cache.kind.holds_data()) {
            let Some(first) = cache.pus.iter().min() else { continue };
            for pu in &cache.pus {
                if let Some(place) = places.get_mut(pu) {
                    place.caches.push((cache.level, *first));
                }
            }
        }
        for place in places.values_mut() {
            place.caches.sort_unstable();
            place.caches.dedup();
        }
        let mut packages_of: HashMap<u32, HashSet<u32>> = HashMap::new();
        for (node, package) in places.values().filter_map(|place| place.numa_node.zip(place.package)) {
            packages_of.entry(node).or_default().insert(package);
        }
        let smaller_than_node = packages_of.into_values().filter(|packages| packages.len() > 1).flatten().collect();
        Relations { places, smaller_than_node }
    }

    /// What the two PUs share; `None` when one is not listed.
    pub fn of(&self, a: u32, b: u32) -> Option<Relation> {
        let (at_a, at_b) = (self.places.get(&a)?, self.places.get(&b)?);
        if a == b {
            return Some(Relation::SamePu);
        }
        if at_a.core == at_b.core {
            return Some(Relation::SameCore);
        }
        if let Some((level, _)) = at_a.caches.iter().find(|cache| at_b.caches.contains(cache)) {
            return Some(Relation::SharedCache { level: *level });
        }
        let same = |x: Option<u32>, y: Option<u32>| x.zip(y).map(|(x, y)| x == y);
        Some(match (same(at_a.package, at_b.package), same(at_a.numa_node, at_b.numa_node)) {
            (Some(false), _) => Relation::AcrossPackages,
            (Some(true), _) if at_a.package.is_some_and(|package| self.smaller_than_node.contains(&package)) => {
                Relation::SamePackage
            }
            (_, Some(true)) => Relation::SameNumaNode,
            (Some(true), _) => Relation::SamePackage,
            (None, _) => Relation::SameMachine,
        })
    }

    pub(crate) fn place(&self, pu: u32) -> Option<&Place> {
        self.places.get(&pu)
    }
}
