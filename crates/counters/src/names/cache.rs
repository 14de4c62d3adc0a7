//! `LLC-load-misses`: the kernel's events of caches, by `perf`'s names.
//!
//! `config` is the cache, the operation shifted by 8 and the result shifted by 16 (`linux/perf_event.h`, `enum perf_hw_cache_id` and
//! those after it). Which operations a cache has, and the names, are those of `perf list` (linux tools/perf/util/evsel.c).

use super::{Vocabulary, custom};
use crate::code::TYPE_CACHE;
use crate::event::{Event, Kind, Role};

const LOAD: u64 = 0;
const STORE: u64 = 1;
const PREFETCH: u64 = 2;

/// The caches in the order of their numbers, with what is done to them.
const CACHES: [(&str, &[u64], &str); 7] = [
    ("L1-dcache", &[LOAD, STORE, PREFETCH], "the first-level data cache"),
    ("L1-icache", &[LOAD, PREFETCH], "the first-level instruction cache"),
    ("LLC", &[LOAD, STORE, PREFETCH], "the last-level cache"),
    ("dTLB", &[LOAD, STORE, PREFETCH], "the data TLB"),
    ("iTLB", &[LOAD], "the instruction TLB"),
    ("branch", &[LOAD], "the branch predictor"),
    ("node", &[LOAD, STORE, PREFETCH], "the memory of the NUMA node"),
];

/// What is done, one of it and several.
const OPERATIONS: [(&str, &str); 3] = [("load", "loads"), ("store", "stores"), ("prefetch", "prefetches")];

fn config(cache: usize, operation: u64, missed: bool) -> u64 {
    cache as u64 | operation << 8 | u64::from(missed) << 16
}

fn all() -> impl Iterator<Item = (u64, String, String)> {
    CACHES.iter().enumerate().flat_map(|(index, &(cache, operations, what))| {
        operations.iter().flat_map(move |&operation| {
            let (one, several) = OPERATIONS[operation as usize];
            [
                (config(index, operation, false), format!("{cache}-{several}"), format!("{several} to {what}")),
                (
                    config(index, operation, true),
                    format!("{cache}-{one}-misses"),
                    format!("{several} that missed {what}"),
                ),
            ]
        })
    })
}

/// The name of a code of that type.
pub(crate) fn name(code: u64) -> Option<String> {
    all().find(|(config, ..)| *config == code).map(|(_, name, _)| name)
}

/// All names, as `perf list` has them.
pub(super) fn names() -> impl Iterator<Item = String> {
    all().map(|(_, name, _)| name)
}

impl Vocabulary {
    /// The kernel's event of this name, in any case.
    pub(super) fn cache(&self, name: &str) -> Option<Event> {
        let (config, name, meaning) = all().find(|(_, known, _)| known.eq_ignore_ascii_case(name))?;
        let meaning = format!("{meaning}, user mode; which of the processor's events that is, is the kernel's choice");
        let event = custom(
            &name,
            Kind::Hardware,
            Ok(self.codes_of_the_kernel(TYPE_CACHE, config)),
            meaning,
            "linux/perf_event.h",
        );
        let event = event.with_role(Role::Memory);
        Some(event.with_traps(
            "means another event on each processor; a line from another core's cache need not count as a miss",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_codes_are_perfs() {
        let bare = Vocabulary::bare();
        for (typed, code) in [
            ("L1-dcache-loads", "3 0x0"),
            ("L1-dcache-load-misses", "3 0x10000"),
            ("LLC-loads", "3 0x2"),
            ("LLC-load-misses", "3 0x10002"),
            ("llc-store-misses", "3 0x10102"),
            ("dTLB-load-misses", "3 0x10003"),
            ("node-loads", "3 0x6"),
            ("node-prefetch-misses", "3 0x10206"),
        ] {
            let event = bare.event(typed).unwrap_or_else(|error| panic!("{error}"));
            let [found] = event.codes().expect("a code") else { panic!("one code") };
            assert_eq!(format!("{} {:#x}", found.pmu_type, found.config), code, "{typed}");
            assert_eq!(found.to_string(), format!("cpu/{}/", event.name()));
        }
        assert!(bare.event("LLC-load-mises").is_err_and(|error| error.cure().contains("LLC-load-misses")));
        assert!(bare.event("iTLB-stores").is_err());
    }
}
