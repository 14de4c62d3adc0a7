//! The NUMA nodes.

use std::collections::{BTreeMap, BTreeSet};

use hitm_topology::{NumaNode, Pu};

use super::sets::Sets;
use crate::files::Files;

const NODE: &str = "/sys/devices/system/node";

/// The nodes by ascending OS index, those without PUs or without memory included; each PU is told its node.
pub(super) fn read(files: &Files, sets: &Sets, pus: &mut [Pu], said: &mut Vec<String>) -> Vec<NumaNode> {
    let known: BTreeSet<u32> = pus.iter().map(|pu| pu.os_index).collect();
    let node = |os_index: u32| {
        let at = |name: &str| format!("{NODE}/node{os_index}/{name}");
        let set = sets.of(files, &at("cpulist"), &at("cpumap"));
        let pus = set.iter().flat_map(|set| set.iter()).copied().filter(|pu| known.contains(pu)).collect();
        let memory_bytes = files.read(&at("meminfo")).ok().and_then(|text| total_of(&text));
        NumaNode { os_index, memory_bytes, pus }
    };
    let mut nodes: Vec<NumaNode> = files.numbered(NODE, "node").into_iter().map(node).collect();
    let listed: usize = nodes.iter().map(|node| node.pus.len()).sum();
    let nearest = nearest(&mut nodes);
    let twice = listed - nearest.len();
    if twice > 0 {
        said.push(format!("{twice} times a PU is listed in another NUMA node as well; it counts in the smallest"));
    }
    for pu in pus {
        pu.numa_node = nearest.get(&pu.os_index).copied();
    }
    nodes
}

/// The node of each PU: the one with the fewest PUs of those that it is next to. The others keep what is theirs alone, so
/// that memory without processors of its own has none.
pub(crate) fn nearest(nodes: &mut [NumaNode]) -> BTreeMap<u32, u32> {
    let mut node_of: BTreeMap<u32, (usize, u32)> = BTreeMap::new();
    for node in &*nodes {
        for pu in &node.pus {
            let this = (node.pus.len(), node.os_index);
            let nearest = node_of.entry(*pu).or_insert(this);
            *nearest = this.min(*nearest);
        }
    }
    let node_of: BTreeMap<u32, u32> = node_of.into_iter().map(|(pu, (_, node))| (pu, node)).collect();
    for node in nodes {
        node.pus.retain(|pu| node_of[pu] == node.os_index);
    }
    node_of
}

/// The line `Node 0 MemTotal:       129839104 kB`.
fn total_of(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find(|line| line.contains("MemTotal:"))?;
    let kilobytes: u64 = line.split("MemTotal:").nth(1)?.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_in_bytes() {
        assert_eq!(total_of("Node 0 MemTotal:       2048 kB\nNode 0 MemFree: 1 kB"), Some(2 << 20));
        assert_eq!(total_of("Node 0 MemTotal: x kB"), None);
        assert_eq!(total_of(""), None);
    }

    #[test]
    fn memory_beside_other_memory_has_no_pus_of_its_own() {
        let node = |os_index, pus: &[u32]| NumaNode { os_index, memory_bytes: None, pus: pus.to_vec() };
        let mut nodes = [node(0, &[0, 1]), node(1, &[2, 3]), node(2, &[0, 1]), node(3, &[0, 1, 2, 3])];
        let of = nearest(&mut nodes);
        assert_eq!(of.into_iter().collect::<Vec<_>>(), [(0, 0), (1, 0), (2, 1), (3, 1)]);
        assert_eq!(nodes.map(|node| node.pus.len()), [2, 2, 0, 0]);
    }
}
