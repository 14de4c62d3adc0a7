//! What hwloc found, as plain data.

use std::collections::{BTreeMap, BTreeSet};

use hitm_topology::{Cache, CacheKind, Kind, NumaNode, PU_LIMIT, Package, Pu, Topology};
use hwlocality::object::TopologyObject;
use hwlocality::object::attributes::ObjectAttributes;
use hwlocality::object::types::{CacheType, ObjectType};
use hwlocality::topology::Topology as Hwloc;

use crate::sys::nodes;

/// What hwloc tells, with nothing added; the source is left to fill in.
pub(super) fn read(hwloc: &Hwloc) -> Topology {
    let mut topology = Topology {
        reader: "hwloc".into(),
        architecture: root_info(hwloc, "Architecture"),
        os_name: root_info(hwloc, "OSName"),
        numa_nodes: numa_nodes(hwloc),
        caches: caches(hwloc),
        kinds: kinds(hwloc),
        ..Topology::default()
    };
    let mut packages: Vec<u32> = hwloc.objects_with_type(ObjectType::Package).filter_map(number).collect();
    packages.sort_unstable();
    packages.dedup();
    topology.packages = packages.into_iter().map(|os_index| Package { os_index }).collect();

    let node_of = nodes::nearest(&mut topology.numa_nodes);
    let allowed: BTreeSet<u32> = finite(hwloc.allowed_cpuset().iter_set().map(usize::from)).collect();
    for object in hwloc.objects_with_type(ObjectType::PU) {
        let Some(os_index) = os_index(object) else { continue };
        let core = object.first_ancestor_with_type(ObjectType::Core);
        topology.pus.push(Pu {
            os_index,
            core: core.and_then(|core| u32::try_from(core.logical_index()).ok()),
            package: object.first_ancestor_with_type(ObjectType::Package).and_then(number),
            numa_node: node_of.get(&os_index).copied(),
            smt_index: 0,
            online: true,
            allowed: allowed.contains(&os_index),
        });
    }
    // PUs that hwloc knows of but does not show are those that are offline.
    let shown: BTreeSet<u32> = topology.pus.iter().map(|pu| pu.os_index).collect();
    let complete = hwloc.complete_cpuset();
    let hidden = finite(complete.iter_set().map(usize::from)).filter(|pu| !shown.contains(pu));
    topology.pus.extend(hidden.map(Pu::offline));
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
    caches.retain(|cache| !cache.pus.is_empty());
    caches.sort_by(|a, b| (a.level, a.kind, &a.pus).cmp(&(b.level, b.kind, &b.pus)));
    caches
}

/// The kinds that something else than clocks tells; hwloc parts a kind whose favoured cores turbo higher.
fn kinds(hwloc: &Hwloc) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = Vec::new();
    let Ok(found) = hwloc.cpu_kinds() else { return kinds };
    // hwloc lists them by ascending efficiency where it ranks them at all.
    for found in found {
        let info = |name: &str| {
            let info = found.infos.iter().find(|info| info.name().to_bytes() == name.as_bytes())?;
            Some(info.value().to_string_lossy().into_owned())
        };
        let (name, evidence) = match (info("CoreType"), info("LinuxCapacity")) {
            (Some(core_type), _) => {
                let name = match core_type.as_str() {
                    "IntelCore" => "performance",
                    "IntelAtom" => "efficiency",
                    other => other,
                };
                (name.to_owned(), format!("hwloc CoreType={core_type}"))
            }
            (None, Some(capacity)) => (format!("capacity {capacity}"), format!("hwloc LinuxCapacity={capacity}")),
            (None, None) => continue,
        };
        let set = found.cpuset.iter_set().map(usize::from);
        let pus: Vec<u32> = finite(set).collect();
        let max_mhz = info("FrequencyMaxMHz").and_then(|text| text.parse().ok());
        match kinds.iter_mut().find(|kind| kind.name == name) {
            Some(kind) => {
                kind.pus.extend(pus);
                kind.pus.sort_unstable();
                kind.max_mhz = kind.max_mhz.max(max_mhz);
            }
            None => kinds.push(Kind { name, evidence, rank: 0, max_mhz, pus }),
        }
    }
    if kinds.len() < 2 {
        return Vec::new();
    }
    for (kind, rank) in kinds.iter_mut().zip(0..) {
        kind.rank = rank;
    }
    kinds
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
