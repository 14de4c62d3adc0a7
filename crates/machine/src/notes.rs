//! What a source leaves out, in words.

use std::collections::BTreeSet;

use hitm_topology::{CacheKind, Topology};

/// What is missing, said rather than invented.
pub(crate) fn notes(topology: &Topology) -> Vec<String> {
    let mut notes = Vec::new();
    let mut note = |missing: bool, text: &str| {
        if missing {
            notes.push(text.to_owned());
        }
    };
    let shown = || topology.pus.iter().filter(|pu| pu.online);
    note(topology.pus.is_empty(), "no PU is told");
    let all_offline = !topology.pus.is_empty() && shown().next().is_none();
    note(all_offline, "every PU is offline, so no worker can be placed; record the machine while its PUs are online");
    note(!all_offline && shown().all(|pu| pu.core.is_none()), "no cores are told; each PU counts as a core of its own");
    note(topology.packages.is_empty(), "no packages are told");
    note(topology.numa_nodes.is_empty(), "no NUMA nodes are told");
    let data_levels: BTreeSet<u32> =
        topology.caches.iter().filter(|cache| cache.kind.holds_data()).map(|cache| cache.level).collect();
    note(data_levels.is_empty(), "no data caches are told");
    note(!data_levels.is_empty() && !data_levels.contains(&3), "no L3 cache is told");
    let untold_lines = topology.line_sizes().is_empty() && !data_levels.is_empty();
    note(untold_lines, "the caches' line sizes are not told");
    let lines: BTreeSet<u64> = topology.line_sizes().into_iter().map(|(_, line)| line.bytes).collect();
    note(lines.len() > 1, "the line size differs between cache levels; that of the lowest level counts");
    for level in data_levels {
        let of_level = topology.caches.iter().filter(|cache| cache.level == level && cache.kind.holds_data());
        let lines: BTreeSet<u64> = of_level.filter_map(|cache| cache.line_bytes).collect();
        note(lines.len() > 1, &format!("the line sizes of the L{level} caches differ; the largest counts"));
    }
    let first: BTreeSet<u64> = topology
        .caches
        .iter()
        .filter(|cache| cache.level == 1 && cache.kind == CacheKind::Data)
        .filter_map(|cache| cache.size_bytes)
        .collect();
    let differ = topology.kinds.is_empty() && first.len() > 1;
    note(differ, "the sizes of the L1d caches differ, but no kinds of cores are told");
    notes
}
