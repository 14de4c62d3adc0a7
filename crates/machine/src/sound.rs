//! What makes a topology unsound, whoever wrote it.

use std::collections::{BTreeMap, BTreeSet};

use hitm_topology::{CacheKind, PU_LIMIT, Topology};

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
    let mut threads: BTreeMap<(u32, Option<u32>), u32> = BTreeMap::new();
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
            let rank = threads.entry((core, pu.package)).or_default();
            if pu.smt_index != *rank {
                let what = format!("{} is not its rank in core {core}, which is {rank}", pu.smt_index);
                faults.add(&format!("pus[{i}].smt_index"), &what);
            }
            *rank += 1;
        } else if pu.smt_index != 0 {
            faults.add(&format!("pus[{i}].smt_index"), &format!("{} without a core", pu.smt_index));
        }
    }
    let known: BTreeSet<u32> = pus.iter().map(|pu| pu.os_index).collect();
    let mut taken: BTreeMap<(u32, CacheKind), BTreeSet<u32>> = BTreeMap::new();
    for (i, cache) in topology.caches.iter().enumerate() {
        if !(1..=9).contains(&cache.level) {
            faults.add(&format!("caches[{i}].level"), &format!("{} is not in 1..=9", cache.level));
        }
        if cache.pus.is_empty() {
            faults.add(&format!("caches[{i}].pus"), "there are none");
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
        if kind.name.is_empty() {
            faults.add(&format!("kinds[{i}].name"), "it is empty");
        }
        if !names.insert(&kind.name) {
            faults.add(&format!("kinds[{i}].name"), "another kind has it too");
        }
        if let Some(pu) = kind.pus.iter().find(|pu| !of_kinds.insert(**pu)) {
            faults.add(&format!("kinds[{i}].pus"), &format!("PU {pu} is of another kind as well"));
        }
    }
    let mut topology = topology.clone();
    for (place, text) in texts(&mut topology) {
        if text.chars().any(is_unprintable) {
            faults.add(&place, "it holds control characters");
        }
    }
    faults.0
}

/// Takes control characters out of what a source tells in words, so that no terminal obeys them.
pub(crate) fn clean(topology: &mut Topology) {
    for (_, text) in texts(topology) {
        if text.chars().any(is_unprintable) {
            *text = text.replace(is_unprintable, "\u{fffd}");
        }
    }
}

/// Control characters, and those that turn the direction of writing.
fn is_unprintable(character: char) -> bool {
    character.is_control() || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// All texts but the source, which the reader itself names, each with its place.
fn texts(topology: &mut Topology) -> Vec<(String, &mut String)> {
    let mut texts = vec![("reader".to_owned(), &mut topology.reader)];
    texts.extend(topology.architecture.as_mut().map(|text| ("architecture".to_owned(), text)));
    texts.extend(topology.os_name.as_mut().map(|text| ("os_name".to_owned(), text)));
    texts.extend(topology.line.as_mut().map(|line| ("line.source".to_owned(), &mut line.source)));
    texts.extend(topology.notes.iter_mut().enumerate().map(|(i, note)| (format!("notes[{i}]"), note)));
    for (i, kind) in topology.kinds.iter_mut().enumerate() {
        texts.push((format!("kinds[{i}].name"), &mut kind.name));
        texts.push((format!("kinds[{i}].evidence"), &mut kind.evidence));
    }
    texts
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
