//! What hwloc found, as plain data.

use std::collections::{BTreeMap, BTreeSet};

use hitm_topology::{Cache, CacheKind, NumaNode, PU_LIMIT, Package, Pu, Topology};
use hwlocality::object::TopologyObject;
use hwlocality::object::attributes::ObjectAttributes;
use hwlocality::object::types::{CacheType, ObjectType};
use hwlocality::topology::Topology as Hwloc;

use crate::notes::notes;

/// What hwloc tells, with nothing added; the source is left to fill in.
pub(super) fn read(hwloc: &Hwloc) -> Topology {
    let mut topology = Topology {
        reader: "hwloc".into(),
        architecture: root_info(hwloc, "Architecture"),
        os_name: root_info(hwloc, "OSName"),
        numa_nodes: numa_nodes(hwloc),
        caches: caches(hwloc),
        ..Topology::default()
    };
    let mut packages: Vec<u32> = hwloc.objects_with_type(ObjectType::Package).filter_map(number).collect();
    packages.sort_unstable();
    packages.dedup();
    topology.packages = packages.into_iter().map(|os_index| Package { os_index }).collect();

    // A PU next to several nodes (memory of two kinds) belongs to the nearest, the one with the fewest PUs.
    let mut node_of: BTreeMap<u32, (usize, u32)> = BTreeMap::new();
    for node in &topology.numa_nodes {
        for pu in &node.pus {
            let this = (node.pus.len(), node.os_index);
            let nearest = node_of.entry(*pu).or_insert(this);
            *nearest = this.min(*nearest);
        }
    }
    let allowed: BTreeSet<u32> = finite(hwloc.allowed_cpuset().iter_set().map(usize::from)).collect();
    for object in hwloc.objects_with_type(ObjectType::PU) {
        let Some(os_index) = os_index(object) else { continue };
        let core = object.first_ancestor_with_type(ObjectType::Core);
        topology.pus.push(Pu {
            os_index,
            core: core.and_then(|core| u32::try_from(core.logical_index()).ok()),
            package: object.first_ancestor_with_type(ObjectType::Package).and_then(number),
            numa_node: node_of.get(&os_index).map(|(_, node)| *node),
            smt_index: 0,
            online: true,
            allowed: allowed.contains(&os_index),
        });
    }
    // PUs that hwloc knows of but does not show are those that are offline.
    let shown: BTreeSet<u32> = topology.pus.iter().map(|pu| pu.os_index).collect();
    let complete = hwloc.complete_cpuset();
    let hidden = finite(complete.iter_set().map(usize::from)).filter(|pu| !shown.contains(pu));
    topology.pus.extend(hidden.map(|os_index| Pu {
        os_index,
        core: None,
        package: None,
        numa_node: None,
        smt_index: 0,
        online: false,
        allowed: false,
    }));
    topology.pus.sort_by_key(|pu| pu.os_index);
    topology.pus.dedup_by_key(|pu| pu.os_index);
    let mut threads: BTreeMap<u32, u32> = BTreeMap::new();
    for pu in &mut topology.pus {
        if let Some(core) = pu.core {
            let next = threads.entry(core).or_default();
            pu.smt_index = *next;
            *next += 1;
        }
    }
    topology.notes = notes(&topology);
    topology
}

fn numa_nodes(hwloc: &Hwloc) -> Vec<NumaNode> {
    let node = |object: &TopologyObject| {
        let memory_bytes = match object.attributes() {
            Some(ObjectAttributes::NUMANode(node)) => node.local_memory().map(u64::from),
            _ => None,
        };
        Some(NumaNode { os_index: number(object)?, memory_bytes, pus: pus_of(object) })
    };
    let mut nodes: Vec<NumaNode> = hwloc.objects_with_type(ObjectType::NUMANode).filter_map(node).collect();
    nodes.sort_by_key(|node| node.os_index);
    nodes
}

fn caches(hwloc: &Hwloc) -> Vec<Cache> {
    let cache = |object: &TopologyObject| match object.attributes() {
        Some(ObjectAttributes::Cache(cache)) => Some(Cache {
            level: u32::try_from(cache.depth()).ok()?,
            kind: match cache.cache_type() {
                CacheType::Data => CacheKind::Data,
                CacheType::Instruction => CacheKind::Instruction,
                _ => CacheKind::Unified,
            },
            size_bytes: cache.size().map(u64::from),
            line_bytes: cache.line_size().and_then(|bytes| u64::try_from(bytes.get()).ok()),
            pus: pus_of(object),
        }),
        _ => None,
    };
    let mut caches: Vec<Cache> =
        hwloc.normal_objects().filter(|object| object.object_type().is_cpu_cache()).filter_map(cache).collect();
    caches.sort_by(|a, b| (a.level, a.kind, &a.pus).cmp(&(b.level, b.kind, &b.pus)));
    caches
}

/// An object's OS index; `None` where it has none.
fn os_index(object: &TopologyObject) -> Option<u32> {
    object.os_index().and_then(|index| u32::try_from(index).ok()).filter(|index| *index < PU_LIMIT)
}

/// An object's OS index, else its logical one, so that objects without OS index stay apart.
fn number(object: &TopologyObject) -> Option<u32> {
    os_index(object).or_else(|| u32::try_from(object.logical_index()).ok())
}

fn pus_of(object: &TopologyObject) -> Vec<u32> {
    object.cpuset().map(|set| finite(set.iter_set().map(usize::from)).collect()).unwrap_or_default()
}

/// The PU numbers of a set up to the limit: hwloc's sets may go on for ever.
fn finite(indexes: impl Iterator<Item = usize>) -> impl Iterator<Item = u32> {
    indexes.map_while(|index| u32::try_from(index).ok().filter(|index| *index < PU_LIMIT))
}

pub(super) fn root_info(hwloc: &Hwloc, name: &str) -> Option<String> {
    hwloc.root_object().info(name).map(|value| value.to_string_lossy().into_owned())
}
