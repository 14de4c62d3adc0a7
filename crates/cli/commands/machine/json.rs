//! A machine as JSON: docs/json.md.

use std::collections::BTreeMap;

use hitm_topology::{Placement, Topology};
use serde_json::{Map, Value, json};

pub(super) fn machine(topology: &Topology, placement: Option<&Placement>) -> Value {
    let line = topology.line_size();
    let facts: Map<String, Value> = if topology.is_this_machine {
        hitm_runner::facts(topology).into_iter().map(|fact| (fact.name, Value::String(fact.value))).collect()
    } else {
        Map::new()
    };
    let lines = topology.line_sizes();
    let lines = lines.iter().map(|(level, line)| json!({ "level": level, "bytes": line.bytes, "source": line.source }));
    json!({
        "source": topology.source,
        "this_machine": topology.is_this_machine,
        "architecture": topology.architecture,
        "counts": topology.counts(),
        "allowed_counts": topology.allowed_counts(),
        "line_size": { "bytes": line.bytes, "source": line.source },
        "line_sizes": lines.collect::<Vec<_>>(),
        "pus": pus(topology),
        "packages": topology.packages,
        "numa_nodes": topology.numa_nodes,
        "caches": topology.caches,
        "kinds": topology.kinds,
        "notes": topology.notes,
        "facts": facts,
        "placement": placement.map(|placement| json!({
            "policy": placement.policy,
            "within": placement.within,
            "pus": placement.pus,
            "oversubscribed": placement.oversubscribed,
        })),
    })
}

/// The PUs, each with the name of its kind where kinds are told.
fn pus(topology: &Topology) -> Vec<Value> {
    let of_kind = |kind: &hitm_topology::Kind| kind.pus.iter().map(|pu| (*pu, kind.name.clone())).collect::<Vec<_>>();
    let kinds: BTreeMap<u32, String> = topology.kinds.iter().flat_map(of_kind).collect();
    let with_kind = |pu: &hitm_topology::Pu| {
        json!({
            "os_index": pu.os_index,
            "core": pu.core,
            "package": pu.package,
            "numa_node": pu.numa_node,
            "smt_index": pu.smt_index,
            "online": pu.online,
            "allowed": pu.allowed,
            "kind": kinds.get(&pu.os_index),
        })
    };
    topology.pus.iter().map(with_kind).collect()
}
