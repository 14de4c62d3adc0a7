//! The caches that the device tree of a POWER machine tells where its /sys does not (older kernels, most guests).
//!
//! Sources: Linux `arch/powerpc/kernel/cacheinfo.c` (property names, `next-level-cache` before `l2-cache`), the Devicetree
//! Specification 0.4, section 3.8 (`/cpus`, cache properties; big-endian 32-bit cells).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use hitm_topology::{Cache, CacheKind, Pu};

use crate::files::Files;

/// No machine has more levels.
const MOST_LEVELS: usize = 9;

/// Adds the caches that the device tree tells and the list does not have.
pub(super) fn add_caches(files: &Files, pus: &[Pu], caches: &mut Vec<Cache>) {
    let bases = ["/proc/device-tree/cpus", "/sys/firmware/devicetree/base/cpus"];
    let Some(base) = bases.into_iter().find(|base| files.exists(base)) else { return };
    let tree = Tree { files, base };
    let nodes = files.names(base);
    let by_handle: HashMap<u32, &String> = nodes
        .iter()
        .flat_map(|node| {
            let handles = ["phandle", "ibm,phandle", "linux,phandle"];
            handles.into_iter().filter_map(|name| Some((tree.cell(node, name)?, node))).collect::<Vec<_>>()
        })
        .collect();
    let pu_of_thread = pu_of_thread(files, pus);

    // The way from each core to the memory.
    let mut ways: Vec<(Vec<u32>, Vec<&String>)> = Vec::new();
    for node in &nodes {
        // Only POWER's nodes name their threads.
        let threads = tree.cells(node, "ibm,ppc-interrupt-server#s");
        let pus: Vec<u32> = threads.iter().filter_map(|thread| pu_of_thread.get(thread).copied()).collect();
        if !pus.is_empty() {
            ways.push((pus, tree.way(node, &by_handle)));
        }
    }
    // A cache has one level, the lowest at which it is come by: a way that leads back down ends there.
    let mut level_of: HashMap<&String, usize> = HashMap::new();
    for (level, node) in ways.iter().flat_map(|(_, way)| way.iter().enumerate()) {
        let lowest = level_of.entry(node).or_insert(level);
        *lowest = level.min(*lowest);
    }
    // By level, kind and the node that tells the cache: what several cores name is one cache.
    let mut found: BTreeMap<(u32, CacheKind, &String), BTreeSet<u32>> = BTreeMap::new();
    for (pus, way) in &ways {
        let upwards = way.iter().enumerate().take_while(|(level, node)| level_of[*node] == *level);
        for ((_, node), level) in upwards.zip(1..) {
            for kind in tree.kinds(node) {
                found.entry((level, kind, node)).or_default().extend(pus);
            }
        }
    }
    for ((level, kind, node), pus) in found {
        let told = caches.iter_mut().filter(|cache| cache.level == level && cache.kind == kind);
        let mut of_these: Vec<&mut Cache> = told.filter(|cache| cache.pus.iter().any(|pu| pus.contains(pu))).collect();
        let (size_bytes, line_bytes) = tree.sizes(node, kind);
        if of_these.is_empty() {
            caches.push(Cache { level, kind, size_bytes, line_bytes, pus: pus.into_iter().collect() });
            continue;
        }
        for cache in &mut of_these {
            cache.size_bytes = cache.size_bytes.or(size_bytes);
            cache.line_bytes = cache.line_bytes.or(line_bytes);
        }
    }
    caches.sort_by(|a, b| (a.level, a.kind, &a.pus).cmp(&(b.level, b.kind, &b.pus)));
}

/// The PU of each hardware thread: Linux numbers PUs without gaps, the hardware need not.
fn pu_of_thread(files: &Files, pus: &[Pu]) -> HashMap<u32, u32> {
    let thread = |pu: u32| {
        let told = files.read(&format!("/sys/devices/system/cpu/cpu{pu}/physical_id")).ok();
        told.and_then(|text| text.parse::<u32>().ok())
    };
    let told: Vec<(Option<u32>, u32)> = pus.iter().map(|pu| (thread(pu.os_index), pu.os_index)).collect();
    // Kernels that do not tell are of machines where both are the same.
    let none_told = told.iter().all(|(thread, _)| thread.is_none());
    told.into_iter().filter_map(|(thread, pu)| Some((thread.or(none_told.then_some(pu))?, pu))).collect()
}

struct Tree<'a> {
    files: &'a Files,
    base: &'a str,
}

impl Tree<'_> {
    fn cells(&self, node: &str, name: &str) -> Vec<u32> {
        let bytes = self.files.bytes(&format!("{}/{node}/{name}", self.base)).unwrap_or_default();
        bytes.chunks_exact(4).map(|cell| u32::from_be_bytes([cell[0], cell[1], cell[2], cell[3]])).collect()
    }

    fn cell(&self, node: &str, name: &str) -> Option<u32> {
        self.cells(node, name).first().copied()
    }

    /// The node and the caches above it, each once.
    fn way<'n>(&self, node: &'n String, by_handle: &HashMap<u32, &'n String>) -> Vec<&'n String> {
        let mut way = vec![node];
        while way.len() < MOST_LEVELS {
            let here = way[way.len() - 1];
            let next = self.cell(here, "next-level-cache").or_else(|| self.cell(here, "l2-cache"));
            match next.and_then(|handle| by_handle.get(&handle)).filter(|next| !way.contains(next)) {
                Some(next) => way.push(next),
                None => break,
            }
        }
        way
    }

    fn kinds(&self, node: &str) -> Vec<CacheKind> {
        if self.files.exists(&format!("{}/{node}/cache-unified", self.base)) {
            return vec![CacheKind::Unified];
        }
        let has = |kind: CacheKind| self.sizes(node, kind) != (None, None);
        [CacheKind::Data, CacheKind::Instruction].into_iter().filter(|kind| has(*kind)).collect()
    }

    /// Size and line size in bytes, those that are told.
    fn sizes(&self, node: &str, kind: CacheKind) -> (Option<u64>, Option<u64>) {
        let letter = if kind == CacheKind::Instruction { 'i' } else { 'd' };
        let number = |name: &str| self.cell(node, &format!("{letter}-cache-{name}")).filter(|number| *number > 0);
        // The block is what is flushed at once; where no line size is told they are the same.
        let line = number("line-size").or_else(|| number("block-size"));
        (number("size").map(u64::from), line.map(u64::from))
    }
}
