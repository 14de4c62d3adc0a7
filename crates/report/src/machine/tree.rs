//! What is in what, by the PUs that each holds.

use std::collections::{BTreeMap, BTreeSet};

use hitm_topology::{Placement, Topology};

use super::bytes;
use crate::text::clean;

/// A part of a machine that holds others: a package, a NUMA node, a shared cache, or several of them that hold the same PUs.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// What it is, the outermost first; empty for the machine.
    pub(super) titles: Vec<String>,
    pub(super) inside: Vec<Item>,
    /// The PUs that decide what it is in.
    pus: BTreeSet<u32>,
    /// All PUs that anything says are in it.
    told: BTreeSet<u32>,
}

#[derive(Debug)]
pub(super) enum Item {
    Block(Block),
    Core(Vec<Drawn>),
}

/// A PU as it is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Drawn {
    pub(super) os_index: u32,
    pub(super) state: State,
    /// The workers on it.
    pub(super) workers: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    Usable,
    Offline,
    Disallowed,
}

/// The machine as blocks in blocks.
pub(super) fn tree(topology: &Topology, placement: Option<&Placement>) -> Block {
    let cores = cores(topology);
    let mut sets = sets(topology, &cores);
    // The larger is outside; of two that hold the same the one that comes first in rank.
    sets.sort_by_key(|set| (usize::MAX - set.pus.len(), set.rank, set.pus.first().copied()));
    let mut root = Block::default();
    for set in sets {
        root.add(set);
    }
    let mut workers: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (worker, pu) in placement.iter().flat_map(|placement| placement.pus.iter().enumerate()) {
        workers.entry(*pu).or_default().push(worker);
    }
    let states: BTreeMap<u32, State> = topology.pus.iter().map(|pu| (pu.os_index, state(pu))).collect();
    for core in cores {
        let drawn = core.iter().map(|pu| Drawn {
            os_index: *pu,
            state: states[pu],
            workers: workers.remove(pu).unwrap_or_default(),
        });
        root.add_core(&core, drawn.collect());
    }
    root.tidy();
    root
}

fn state(pu: &hitm_topology::Pu) -> State {
    match (pu.online, pu.allowed) {
        (false, _) => State::Offline,
        (true, false) => State::Disallowed,
        (true, true) => State::Usable,
    }
}

/// The PUs of each core, whatever their state; a PU without a core is its own.
fn cores(topology: &Topology) -> Vec<Vec<u32>> {
    let mut cores: BTreeMap<_, BTreeSet<u32>> = BTreeMap::new();
    for pu in &topology.pus {
        let alone = pu.core.is_none().then_some(pu.os_index);
        cores.entry((pu.package, pu.core, alone)).or_default().insert(pu.os_index);
    }
    cores.into_values().map(|pus| pus.into_iter().collect()).collect()
}

struct Set {
    /// Packages before nodes before caches of high levels.
    rank: u32,
    title: String,
    /// As in [`Block`].
    pus: BTreeSet<u32>,
    told: BTreeSet<u32>,
}

impl Set {
    fn new(rank: u32, title: String, told: BTreeSet<u32>) -> Self {
        Set { rank, title, pus: told.clone(), told }
    }
}

fn sets(topology: &Topology, cores: &[Vec<u32>]) -> Vec<Set> {
    let mut packages: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    let mut nodes: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    let listed: BTreeSet<u32> = topology.pus.iter().map(|pu| pu.os_index).collect();
    let online: BTreeSet<u32> = topology.pus.iter().filter(|pu| pu.online).map(|pu| pu.os_index).collect();
    for pu in &topology.pus {
        if let Some(package) = pu.package {
            packages.entry(package).or_default().insert(pu.os_index);
        }
        if let Some(node) = pu.numa_node {
            nodes.entry(node).or_default().insert(pu.os_index);
        }
    }
    for node in &topology.numa_nodes {
        nodes.entry(node.os_index).or_default().extend(node.pus.iter().filter(|pu| listed.contains(pu)));
    }
    let core_of: BTreeMap<u32, usize> =
        cores.iter().enumerate().flat_map(|(number, core)| core.iter().map(move |pu| (*pu, number))).collect();
    let mut sets: Vec<Set> = Vec::new();
    sets.extend(packages.into_iter().map(|(n, pus)| Set::new(0, format!("package {n}"), pus)));
    sets.extend(nodes.into_iter().map(|(n, pus)| Set::new(1, format!("NUMA node {n}"), pus)));
    for cache in topology.caches.iter().filter(|cache| cache.kind.holds_data()) {
        let pus: BTreeSet<u32> = cache.pus.iter().copied().filter(|pu| listed.contains(pu)).collect();
        let sharers: BTreeSet<usize> = pus.iter().filter(|pu| online.contains(pu)).map(|pu| core_of[pu]).collect();
        if sharers.len() > 1 {
            let size = cache.size_bytes.map(|size| format!(" {}", bytes(size))).unwrap_or_default();
            let title = format!("L{}{}{size}", cache.level, cache.kind);
            sets.push(Set::new(100 - cache.level.min(98), title, pus));
        }
    }
    sets.extend(topology.kinds.iter().map(|kind| {
        let pus = kind.pus.iter().copied().filter(|pu| listed.contains(pu)).collect();
        Set::new(200, clean(&kind.name), pus)
    }));
    // Of an offline PU one source tells what it is in and another does not: the others decide, where there are some.
    for set in &mut sets {
        if !set.told.is_disjoint(&online) {
            set.pus = set.told.intersection(&online).copied().collect();
        }
    }
    sets.retain(|set| !set.pus.is_empty());
    sets
}

impl Block {
    /// Adds a set to the innermost block that holds all of it. One that lies across others is left out: nothing nests it.
    fn add(&mut self, set: Set) {
        let first = set.pus.first().copied();
        for item in &mut self.inside {
            let Item::Block(block) = item else { continue };
            if first.is_some_and(|pu| block.pus.contains(&pu)) && set.pus.is_subset(&block.pus) {
                return block.add(set);
            }
            if !block.pus.is_disjoint(&set.pus) {
                return;
            }
        }
        if set.pus == self.pus && !self.titles.is_empty() {
            self.told.extend(set.told);
            return self.titles.push(set.title);
        }
        let Set { title, pus, told, .. } = set;
        self.inside.push(Item::Block(Block { titles: vec![title], inside: Vec::new(), pus, told }));
    }

    fn add_core(&mut self, core: &[u32], drawn: Vec<Drawn>) {
        for item in &mut self.inside {
            let Item::Block(block) = item else { continue };
            if core.iter().all(|pu| block.told.contains(pu)) {
                return block.add_core(core, drawn);
            }
        }
        self.inside.push(Item::Core(drawn));
    }

    /// Puts things in order, and what hangs about the machine alone into a block that says so.
    fn tidy(&mut self) {
        if self.titles.is_empty() && self.inside.iter().any(|item| matches!(item, Item::Block(_))) {
            let (blocks, alone): (Vec<Item>, Vec<Item>) =
                self.inside.drain(..).partition(|item| matches!(item, Item::Block(_)));
            self.inside = blocks;
            self.order();
            if !alone.is_empty() {
                let titles = vec!["place not told".to_owned()];
                let mut block = Block { titles, inside: alone, ..Block::default() };
                block.order();
                self.inside.push(Item::Block(block));
            }
        } else {
            self.order();
        }
    }

    fn order(&mut self) {
        self.inside.retain(|item| !matches!(item, Item::Block(block) if block.inside.is_empty()));
        let first = |item: &Item| match item {
            Item::Block(block) => block.pus.first().copied(),
            Item::Core(core) => core.first().map(|pu| pu.os_index),
        };
        self.inside.sort_by_key(first);
        for item in &mut self.inside {
            if let Item::Block(block) = item {
                block.order();
            }
        }
    }

    /// All PUs that are drawn.
    pub(super) fn drawn(&self) -> Vec<&Drawn> {
        let mut all = Vec::new();
        for item in &self.inside {
            match item {
                Item::Block(block) => all.extend(block.drawn()),
                Item::Core(core) => all.extend(core),
            }
        }
        all
    }
}
