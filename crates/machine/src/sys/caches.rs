//! The caches that /sys tells.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use hitm_topology::{Cache, CacheKind, Pu};

use super::sets::{PuSet, Sets};
use crate::files::Files;

/// One PU's word on one of its caches.
struct Told {
    pu: u32,
    sharers: PuSet,
    size_bytes: Option<u64>,
    line_bytes: Option<u64>,
}

/// The caches, sorted by level, kind and PUs. Each PU is in one cache of a level and kind at most: in the one that it tells
/// itself, whatever others say of it.
pub(super) fn read(files: &Files, sets: &Sets, pus: &[Pu], said: &mut Vec<String>) -> Vec<Cache> {
    let mut told: BTreeMap<(u32, CacheKind), Vec<Told>> = BTreeMap::new();
    let mut odd = 0;
    for pu in pus {
        let folder = format!("/sys/devices/system/cpu/cpu{}/cache", pu.os_index);
        for index in files.numbered(&folder, "index") {
            match one(files, sets, pu.os_index, &format!("{folder}/index{index}")) {
                Some((level, kind, cache)) => {
                    let level = told.entry((level, kind)).or_default();
                    // A PU with two caches of a level and kind is in the first.
                    if level.last().is_none_or(|last| last.pu != pu.os_index) {
                        level.push(cache);
                    }
                }
                None => odd += 1,
            }
        }
    }
    if odd > 0 {
        said.push(format!("{odd} caches are left out: their level, type or sharers are not told"));
    }
    let mut differing: BTreeSet<u32> = BTreeSet::new();
    let known: HashSet<u32> = pus.iter().map(|pu| pu.os_index).collect();
    let mut caches = Vec::new();
    for ((level, kind), told) in told {
        let partial = formed(level, kind, &told, &known, &mut caches);
        let mut line_of: HashMap<&PuSet, u64> = HashMap::new();
        for told in &told {
            if let Some(line) = told.line_bytes {
                if *line_of.entry(&told.sharers).or_insert(line) != line {
                    differing.insert(level);
                }
            }
        }
        if partial > 0 {
            let of = format!("L{level}{kind}");
            said.push(format!("the {of} caches of {partial} PUs are told differently by those that share them"));
        }
    }
    for level in differing {
        said.push(format!("those that share an L{level} cache tell different line sizes of it; the largest counts"));
    }
    caches.sort_by(|a, b| (a.level, a.kind, &a.pus).cmp(&(b.level, b.kind, &b.pus)));
    caches
}

fn one(files: &Files, sets: &Sets, pu: u32, folder: &str) -> Option<(u32, CacheKind, Told)> {
    let of = |name: &str| files.read(&format!("{folder}/{name}")).ok();
    let level = of("level")?.parse::<u32>().ok().filter(|level| (1..=9).contains(level))?;
    let kind = match of("type")?.as_str() {
        "Data" => CacheKind::Data,
        "Instruction" => CacheKind::Instruction,
        "Unified" => CacheKind::Unified,
        _ => return None,
    };
    let sharers = sets.of(files, &format!("{folder}/shared_cpu_list"), &format!("{folder}/shared_cpu_map"))?;
    let line_bytes = of("coherency_line_size").and_then(|text| text.parse().ok()).filter(|bytes| *bytes > 0);
    let size_bytes = of("size").and_then(|text| size(&text)).filter(|bytes| *bytes > 0);
    Some((level, kind, Told { pu, sharers, size_bytes, line_bytes }))
}

/// Makes the caches of one level and kind; returns how many PUs are in a cache that another PU tells differently.
fn formed(level: u32, kind: CacheKind, told: &[Told], known: &HashSet<u32>, caches: &mut Vec<Cache>) -> usize {
    let tellers: HashSet<u32> = told.iter().map(|told| told.pu).collect();
    let mut cache_of: HashMap<&PuSet, usize> = HashMap::new();
    let mut taken: HashSet<u32> = HashSet::new();
    let mut partial = 0;
    for Told { pu, sharers, size_bytes, line_bytes } in told {
        let at = *cache_of.entry(sharers).or_insert_with(|| {
            // Sharers that tell nothing themselves (no cache folder) are believed of others.
            let silent = sharers.iter().filter(|pu| known.contains(pu) && !tellers.contains(pu));
            let pus = silent.copied().filter(|pu| taken.insert(*pu)).collect();
            caches.push(Cache { level, kind, size_bytes: *size_bytes, line_bytes: *line_bytes, pus });
            caches.len() - 1
        });
        let cache = &mut caches[at];
        cache.pus.push(*pu);
        cache.size_bytes = cache.size_bytes.max(*size_bytes);
        cache.line_bytes = cache.line_bytes.max(*line_bytes);
    }
    for (sharers, at) in cache_of {
        let cache = &mut caches[at];
        cache.pus.sort_unstable();
        let told = sharers.iter().filter(|pu| known.contains(pu)).count();
        partial += if cache.pus.len() == told { 0 } else { cache.pus.len() };
    }
    partial
}

/// A size such as `32K` or `8M`, in bytes.
fn size(text: &str) -> Option<u64> {
    let (number, unit) = match text.strip_suffix(['K', 'M', 'G']) {
        Some(number) => (number, &text[number.len()..]),
        None => (text, ""),
    };
    let shift = match unit {
        "K" => 10,
        "M" => 20,
        "G" => 30,
        _ => 0,
    };
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_bytes_or_nothing() {
        assert_eq!(
            [size("32K"), size("8M"), size("1G"), size("512")].map(Option::unwrap),
            [32768, 8 << 20, 1 << 30, 512]
        );
        for text in ["", "K", "-1K", "x", "99999999999999999999K", "32KB"] {
            assert_eq!(size(text), None, "{text}");
        }
    }
}
