//! A machine as text: what it has, and a table of its PUs, or of its cores where the PUs are many.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use comfy_table::{ContentArrangement, Table, presets};
use hitm_topology::{Counts, Placement, Pu, PuList, Topology};

use crate::output::style;

/// The most PUs that have a row each.
const MOST_ROWS: usize = 64;

/// What the machine has, one line each.
pub(super) fn heading(topology: &Topology) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{}: {}", topology.source, counts(&topology.allowed_counts()));
    for (what, pus) in [("offline", unusable(topology, false)), ("not allowed", unusable(topology, true))] {
        if let Some(pus) = pus {
            let _ = writeln!(text, "{what}: PU {pus}");
        }
    }
    for kind in &topology.kinds {
        let clock = kind.max_mhz.map_or(String::new(), |mhz| format!(", up to {mhz} MHz"));
        let pus = list(&kind.pus).map_or(String::new(), |pus| format!(": PU {pus}"));
        let _ = writeln!(text, "kind {}{pus}{clock} ({})", kind.name, kind.evidence);
    }
    let line = topology.line_size();
    let _ = writeln!(text, "cache line: {} bytes ({})", line.bytes, line.source);
    for note in &topology.notes {
        let _ = writeln!(text, "note: {note}");
    }
    if topology.is_this_machine {
        for fact in hitm_runner::facts(topology) {
            let _ = writeln!(text, "{}: {}", fact.name, fact.value);
        }
    }
    text.push('\n');
    text
}

/// A row for each PU; for each core where there are many.
pub(super) fn table(topology: &Topology, placement: Option<&Placement>) -> String {
    let workers = workers(placement);
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(style().width as u16);
    if topology.pus.len() > MOST_ROWS {
        cores(&mut table, topology, placement.map(|_| &workers));
    } else {
        pus(&mut table, topology, placement.map(|_| &workers));
    }
    let mut text = format!("{table}\n");
    if let Some(placement) = placement {
        let pus: Vec<String> = placement.pus.iter().map(u32::to_string).collect();
        let within: Vec<String> = placement.within.iter().map(ToString::to_string).collect();
        let within = if within.is_empty() { String::new() } else { format!(" within {}", within.join(" and ")) };
        let used: BTreeSet<u32> = placement.pus.iter().copied().collect();
        let wrapped = match placement.oversubscribed {
            true => {
                format!(" ({} workers on the {} PUs that this offers: they share)", placement.pus.len(), used.len())
            }
            false => String::new(),
        };
        let _ = writeln!(text, "placement {}{within}: {}{wrapped}", placement.policy, pus.join(" "));
    }
    text
}

type Workers = BTreeMap<u32, Vec<String>>;

fn workers(placement: Option<&Placement>) -> Workers {
    let mut workers = Workers::new();
    for (worker, pu) in placement.iter().flat_map(|placement| placement.pus.iter().enumerate()) {
        workers.entry(*pu).or_default().push(worker.to_string());
    }
    workers
}

fn pus(table: &mut Table, topology: &Topology, workers: Option<&Workers>) {
    let mut header = vec!["PU", "core", "package", "NUMA node", "SMT", "state"];
    header.extend(workers.map(|_| "workers"));
    table.set_header(header);
    for pu in &topology.pus {
        let mut row = vec![
            pu.os_index.to_string(),
            or_none(pu.core),
            or_none(pu.package),
            or_none(pu.numa_node),
            pu.smt_index.to_string(),
            state(pu).to_owned(),
        ];
        row.extend(workers.map(|workers| workers.get(&pu.os_index).map_or(String::new(), |some| some.join(" "))));
        table.add_row(row);
    }
}

fn cores(table: &mut Table, topology: &Topology, workers: Option<&Workers>) {
    let mut header = vec!["core", "package", "NUMA node", "PUs", "state"];
    header.extend(workers.map(|_| "workers, as PU=worker"));
    table.set_header(header);
    let mut cores: BTreeMap<_, Vec<&Pu>> = BTreeMap::new();
    for pu in &topology.pus {
        let alone = pu.core.is_none().then_some(pu.os_index);
        cores.entry((pu.package, pu.core, alone)).or_default().push(pu);
    }
    for core in cores.into_values() {
        let Some(first) = core.first() else { continue };
        let numbers: Vec<u32> = core.iter().map(|pu| pu.os_index).collect();
        let states = core.iter().filter(|pu| !state(pu).is_empty());
        let states: Vec<String> = states.map(|pu| format!("{} {}", pu.os_index, state(pu))).collect();
        let mut row = vec![
            or_none(first.core),
            or_none(first.package),
            or_none(first.numa_node),
            list(&numbers).map_or(String::new(), |pus| pus.to_string()),
            states.join(", "),
        ];
        row.extend(workers.map(|workers| {
            let on = numbers.iter().filter_map(|pu| workers.get(pu).map(|some| format!("{pu}={}", some.join(","))));
            on.collect::<Vec<_>>().join(" ")
        }));
        table.add_row(row);
    }
}

fn or_none(value: Option<u32>) -> String {
    value.map_or("–".to_owned(), |value| value.to_string())
}

fn state(pu: &Pu) -> &'static str {
    match (pu.online, pu.allowed) {
        (false, _) => "offline",
        (true, false) => "not allowed",
        (true, true) => "",
    }
}

fn unusable(topology: &Topology, online: bool) -> Option<PuList> {
    let pus = topology.pus.iter().filter(|pu| pu.online == online && !pu.usable());
    PuList::new(pus.map(|pu| pu.os_index)).ok()
}

fn list(pus: &[u32]) -> Option<PuList> {
    PuList::new(pus.iter().copied()).ok()
}

fn counts(counts: &Counts) -> String {
    let many = |n: usize, one: &str| format!("{n} {one}{}", if n == 1 { "" } else { "s" });
    [
        many(counts.packages, "package"),
        many(counts.numa_nodes, "NUMA node"),
        many(counts.cores, "core"),
        many(counts.pus, "PU"),
    ]
    .join(", ")
}
