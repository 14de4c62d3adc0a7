//! A machine in a file of our own: what [`save`] writes reads back as the same topology.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use hitm_topology::{PU_LIMIT, Topology};
use serde::{Deserialize, Serialize};

use crate::input::MachineError;

const FORMAT: &str = "hitm-machine";
/// Raised whenever an older hitm would misread the file.
const VERSION: u32 = 1;
/// The largest file read, bytes; 4096 PUs have less than 2 MB.
const LIMIT: u64 = 256 << 20;
/// The most faults told of one file.
const MOST_FAULTS: usize = 20;

#[derive(Deserialize)]
struct Mark {
    format: String,
    version: u32,
}

#[derive(Deserialize)]
struct Document {
    machine: Topology,
}

#[derive(Serialize)]
struct Written<'a> {
    format: &'static str,
    version: u32,
    machine: &'a Topology,
}

/// Writes a topology to a file, which `json:FILE` reads back identically but for two fields: `source` is then the file, and
/// `is_this_machine` is false, for the file says nothing of the machine that it is read on.
///
/// # Errors
/// The file cannot be written, or the topology is unsound and would not be read back.
pub fn save(topology: &Topology, path: &Path) -> Result<(), MachineError> {
    let refused = |why: String| {
        MachineError::new(format!("the machine cannot be saved to {}: {why}", path.display()), "give another file")
    };
    if let [first, ..] = faults(topology).as_slice() {
        return Err(refused(first.clone()));
    }
    let written = Written { format: FORMAT, version: VERSION, machine: topology };
    let mut text = serde_json::to_string_pretty(&written).map_err(|error| refused(error.to_string()))?;
    text.push('\n');
    std::fs::write(path, text).map_err(|error| refused(error.to_string()))
}

/// Reads a file that [`save`] wrote.
///
/// # Errors
/// All that is wrong with it, each with its place.
pub(crate) fn read(path: &Path) -> Result<Topology, MachineError> {
    let cure = "give a file that `hitm machine --save FILE` wrote";
    let refused =
        |why: String| MachineError::new(format!("{} cannot be read as a machine: {why}", path.display()), cure);
    // Only plain files: a pipe would be waited for.
    let found = std::fs::metadata(path).map_err(|error| refused(error.to_string()))?;
    if !found.is_file() {
        return Err(refused("it is not a file".into()));
    }
    if found.len() > LIMIT {
        return Err(refused(format!("its {} bytes are more than any machine's", found.len())));
    }
    let text = std::fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
    let mark: Mark = serde_json::from_str(&text).map_err(|error| refused(error.to_string()))?;
    if mark.format != FORMAT {
        return Err(refused(format!("`format` is not `{FORMAT}`")));
    }
    if mark.version != VERSION {
        let message =
            format!("{} has version {} of the format, this hitm reads {VERSION}", path.display(), mark.version);
        return Err(MachineError::new(message, "save the machine again with this hitm"));
    }
    let document: Document = serde_json::from_str(&text).map_err(|error| refused(error.to_string()))?;
    let faults = faults(&document.machine);
    if !faults.is_empty() {
        let more = faults.len().saturating_sub(MOST_FAULTS);
        let more = if more > 0 { format!(" | and {more} more") } else { String::new() };
        return Err(refused(format!("{}{more}", faults[..faults.len().min(MOST_FAULTS)].join(" | "))));
    }
    Ok(Topology { is_this_machine: false, ..document.machine })
}

/// What makes a topology unsound, each with its place.
pub(crate) fn faults(topology: &Topology) -> Vec<String> {
    let mut faults = Faults::default();
    let pus = &topology.pus;
    if pus.is_empty() {
        faults.add("pus", "there are none");
    }
    faults.ascending("pus", pus.iter().map(|pu| pu.os_index));
    faults.ascending("packages", topology.packages.iter().map(|package| package.os_index));
    faults.ascending("numa_nodes", topology.numa_nodes.iter().map(|node| node.os_index));
    let packages: BTreeSet<u32> = topology.packages.iter().map(|package| package.os_index).collect();
    let nodes: BTreeSet<u32> = topology.numa_nodes.iter().map(|node| node.os_index).collect();
    let mut packages_of: BTreeMap<(u32, Option<u32>), BTreeSet<u32>> = BTreeMap::new();
    for (i, pu) in pus.iter().enumerate() {
        if pu.os_index >= PU_LIMIT {
            faults.add(&format!("pus[{i}].os_index"), &format!("{} is not below {PU_LIMIT}", pu.os_index));
        }
        if pu.allowed && !pu.online {
            faults.add(&format!("pus[{i}].allowed"), "an offline PU cannot be allowed");
        }
        if let Some(package) = pu.package.filter(|package| !packages.contains(package)) {
            faults.add(&format!("pus[{i}].package"), &format!("package {package} is not listed in packages"));
        }
        if let Some(node) = pu.numa_node.filter(|node| !nodes.contains(node)) {
            faults.add(&format!("pus[{i}].numa_node"), &format!("node {node} is not listed in numa_nodes"));
        }
        if let Some(core) = pu.core {
            let ranks = packages_of.entry((core, pu.package)).or_default();
            if !ranks.insert(pu.smt_index) {
                faults.add(
                    &format!("pus[{i}].smt_index"),
                    &format!("another PU of core {core} has {} too", pu.smt_index),
                );
            }
        }
    }
    let known: BTreeSet<u32> = pus.iter().map(|pu| pu.os_index).collect();
    let mut taken: BTreeMap<(u32, hitm_topology::CacheKind), BTreeSet<u32>> = BTreeMap::new();
    for (i, cache) in topology.caches.iter().enumerate() {
        if !(1..=9).contains(&cache.level) {
            faults.add(&format!("caches[{i}].level"), &format!("{} is not in 1..=9", cache.level));
        }
        faults.set(&format!("caches[{i}].pus"), &cache.pus, &known);
        let taken = taken.entry((cache.level, cache.kind)).or_default();
        if let Some(pu) = cache.pus.iter().find(|pu| taken.contains(pu)) {
            let what = format!("PU {pu} is in another cache of this level and kind as well");
            faults.add(&format!("caches[{i}].pus"), &what);
        }
        taken.extend(&cache.pus);
    }
    for (i, node) in topology.numa_nodes.iter().enumerate() {
        faults.set(&format!("numa_nodes[{i}].pus"), &node.pus, &known);
    }
    let (mut names, mut of_kinds) = (BTreeSet::new(), BTreeSet::new());
    for (i, kind) in topology.kinds.iter().enumerate() {
        faults.set(&format!("kinds[{i}].pus"), &kind.pus, &known);
        if !names.insert(&kind.name) {
            faults.add(&format!("kinds[{i}].name"), "another kind has it too");
        }
        if let Some(pu) = kind.pus.iter().find(|pu| !of_kinds.insert(**pu)) {
            faults.add(&format!("kinds[{i}].pus"), &format!("PU {pu} is of another kind as well"));
        }
    }
    faults.0
}

#[derive(Default)]
struct Faults(Vec<String>);

impl Faults {
    fn add(&mut self, place: &str, what: &str) {
        self.0.push(format!("machine.{place}: {what}"));
    }

    fn ascending(&mut self, place: &str, numbers: impl Iterator<Item = u32>) {
        let mut last = None;
        for (i, number) in numbers.enumerate() {
            if last.is_some_and(|last| last >= number) {
                self.add(&format!("{place}[{i}]"), &format!("{number} is listed before or out of order"));
            }
            last = Some(number);
        }
    }

    fn set(&mut self, place: &str, pus: &[u32], known: &BTreeSet<u32>) {
        self.ascending(place, pus.iter().copied());
        if let Some(pu) = pus.iter().find(|pu| !known.contains(pu)) {
            self.add(place, &format!("PU {pu} is not listed in pus"));
        }
    }
}
