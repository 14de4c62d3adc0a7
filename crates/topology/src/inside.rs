//! Which PUs are inside the bounds of a placement.

use std::collections::{BTreeMap, BTreeSet};

use crate::fault::PlaceFault;
use crate::list::PuList;
use crate::topology::{Cache, Topology};
use crate::within::Within;

impl Topology {
    /// The PUs that a worker may be placed on inside all bounds, by ascending OS index; never none.
    ///
    /// # Errors
    /// Every fault found: bounds that name what the machine does not have, that hold no usable PU, or that together leave
    /// none. As in a placement's list, an absent, offline or disallowed PU of a `pus:` bound is a fault.
    pub fn within(&self, bounds: &[Within]) -> Result<Vec<u32>, Vec<PlaceFault>> {
        let allowed: BTreeSet<u32> = self.allowed().into_iter().collect();
        let mut faults = Vec::new();
        let mut inside = Vec::new();
        for bound in bounds {
            match members(self, bound) {
                Ok(pus) => {
                    let usable: BTreeSet<u32> = pus.intersection(&allowed).copied().collect();
                    if let (true, Ok(pus)) = (usable.is_empty(), PuList::new(pus)) {
                        faults.push(PlaceFault::NothingUsable { bound: bound.clone(), pus });
                    }
                    inside.push(usable);
                }
                Err(more) => faults.extend(more),
            }
        }
        if faults.is_empty() && allowed.is_empty() {
            faults.push(PlaceFault::NoAllowedPus);
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        let mut left = allowed;
        for (number, usable) in inside.iter().enumerate() {
            let next: BTreeSet<u32> = left.intersection(usable).copied().collect();
            if let (true, Ok(left)) = (next.is_empty(), PuList::new(left.iter().copied())) {
                let (before, bound) = (bounds[..number].to_vec(), bounds[number].clone());
                return Err(vec![PlaceFault::Disjoint { bound, before, left }]);
            }
            left = next;
        }
        Ok(left.into_iter().collect())
    }
}

/// The listed PUs inside a bound, usable or not; never none.
fn members(topology: &Topology, bound: &Within) -> Result<BTreeSet<u32>, Vec<PlaceFault>> {
    let none = |why: String, cure: String| vec![PlaceFault::NoSuchBound { bound: bound.clone(), why, cure }];
    let of = |wanted: &dyn Fn(&crate::topology::Pu) -> bool| {
        topology.pus.iter().filter(|pu| wanted(pu)).map(|pu| pu.os_index).collect::<BTreeSet<u32>>()
    };
    let listed_pu = |pu: u32| {
        let all = || some_of(topology.pus.iter().map(|pu| pu.os_index), "PU");
        topology.pu(pu).ok_or_else(|| none(format!("this machine has no PU {pu}"), all()))
    };
    match bound {
        Within::Package(package) => {
            let pus = of(&|pu| pu.package == Some(*package));
            let told = some_of(topology.pus.iter().filter_map(|pu| pu.package), "package");
            if pus.is_empty() { Err(none(format!("no PU is told to be in package {package}"), told)) } else { Ok(pus) }
        }
        Within::Numa(node) => {
            let mut pus = of(&|pu| pu.numa_node == Some(*node));
            let lists = || topology.numa_nodes.iter();
            let known = of(&|_| true);
            pus.extend(lists().filter(|n| n.os_index == *node).flat_map(|n| &n.pus).filter(|pu| known.contains(pu)));
            let with_pus = lists().filter(|n| !n.pus.is_empty()).map(|n| n.os_index);
            let told = some_of(with_pus.chain(topology.pus.iter().filter_map(|pu| pu.numa_node)), "NUMA node");
            let exists = lists().any(|n| n.os_index == *node);
            match (pus.is_empty(), exists) {
                (false, _) => Ok(pus),
                (true, true) => Err(none(format!("NUMA node {node} is memory without PUs"), told)),
                (true, false) => Err(none(format!("this machine has no NUMA node {node}"), told)),
            }
        }
        Within::Cache { level, pu } => {
            listed_pu(*pu)?;
            let above = || topology.caches.iter().filter(|cache| cache.kind.holds_data() && cache.pus.contains(pu));
            let at_level = |cache: &&Cache| cache.level == *level;
            let levels: BTreeSet<u32> = above().map(|cache| cache.level).collect();
            let told: Vec<String> = levels.iter().map(|level| format!("l{level}:{pu}")).collect();
            let cure =
                if told.is_empty() { "use core:PU or pus:LIST".into() } else { format!("use {}", told.join(" or ")) };
            let known = of(&|_| true);
            match above().find(at_level) {
                Some(cache) => Ok(cache.pus.iter().copied().filter(|pu| known.contains(pu)).collect()),
                None => Err(none(format!("no L{level} that holds data is told above PU {pu}"), cure)),
            }
        }
        Within::Core(pu) => {
            let key = listed_pu(*pu)?.core_key();
            Ok(of(&|other| other.core_key() == key))
        }
        Within::Kind(name) => {
            let names: Vec<String> = topology.kinds.iter().map(|kind| format!("kind:{}", kind.name)).collect();
            let known = of(&|_| true);
            let kinds = topology.kinds.iter().filter(|kind| kind.name == *name);
            let pus: BTreeSet<u32> =
                kinds.flat_map(|kind| &kind.pus).copied().filter(|pu| known.contains(pu)).collect();
            match (pus.is_empty(), names.is_empty()) {
                (false, _) => Ok(pus),
                (true, true) => Err(none("no kinds of cores are told".into(), "leave it out, or use pus:LIST".into())),
                (true, false) => Err(none(format!("there is no kind `{name}`"), format!("use {}", names.join(" or ")))),
            }
        }
        Within::Pus(list) => listed(topology, list).map(|()| list.pus().iter().copied().collect()),
    }
}

/// What there is of something, as a cure.
fn some_of(numbers: impl Iterator<Item = u32>, what: &str) -> String {
    match PuList::new(numbers.collect::<BTreeSet<u32>>()) {
        Ok(list) => format!("use {what} {list}"),
        Err(_) => format!("no {what} is told; use pus:LIST"),
    }
}

/// Whether all of a list's PUs may be used.
pub(crate) fn listed(topology: &Topology, list: &PuList) -> Result<(), Vec<PlaceFault>> {
    let states: BTreeMap<u32, (bool, bool)> =
        topology.pus.iter().map(|pu| (pu.os_index, (pu.online, pu.allowed))).collect();
    let (mut absent, mut offline, mut disallowed) = (Vec::new(), Vec::new(), Vec::new());
    for pu in list.pus() {
        match states.get(pu) {
            None => absent.push(*pu),
            Some((false, _)) => offline.push(*pu),
            Some((true, false)) => disallowed.push(*pu),
            Some((true, true)) => {}
        }
    }
    let allowed = || PuList::new(topology.allowed()).ok();
    let mut faults = Vec::new();
    if let Ok(pus) = PuList::new(absent) {
        faults.push(PlaceFault::Absent { pus, allowed: allowed() });
    }
    if let Ok(pus) = PuList::new(offline) {
        faults.push(PlaceFault::Offline { pus });
    }
    if let Ok(pus) = PuList::new(disallowed) {
        faults.push(PlaceFault::Disallowed { pus, allowed: allowed() });
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}
