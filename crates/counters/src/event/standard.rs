//! The events that every Linux knows by `perf`'s names. Numbers are those of `linux/perf_event.h` (`enum perf_hw_id`, `enum perf_sw_ids`), which never change.

use super::Fallback::{Faults, MajorFaults, MinorFaults, Switches, ThreadTime};
use super::Kind::{Hardware, Software};
use super::Privilege::{All, AllElseUser, User};
use super::Role::{Cycles, Instructions, Memory, Scheduling, Time};
use super::{Definition, Event, Fallback, Kind, Privilege, Role};
use crate::code::{Code, TYPE_HARDWARE, TYPE_SOFTWARE};

/// A row of the table.
#[derive(Debug)]
pub(crate) struct Row {
    /// The name, as `perf list` has it.
    pub name: &'static str,
    /// Other names that `perf` takes for it.
    pub aliases: &'static [&'static str],
    pub meaning: &'static str,
    pub role: Role,
    pub unit: &'static str,
    pub traps: &'static str,
    pub kind: Kind,
    /// `perf_event_attr.config` under the type that belongs to `kind`.
    pub config: u64,
    pub privilege: Privilege,
    pub fallback: Fallback,
}

/// The event of a row, on these core PMUs (name and type): a hybrid processor has several, which the upper half of `config` tells apart.
pub(crate) fn from_row(row: &Row, cores: &[(&str, u32)]) -> Event {
    let code = |pmu: &str, pmu_type, config| Code {
        pmu: pmu.to_owned(),
        pmu_type,
        config,
        config1: 0,
        config2: 0,
        counters: None,
        native: String::new(),
    };
    let codes = match (row.kind, cores) {
        (Hardware, []) => vec![code("cpu", TYPE_HARDWARE, row.config)],
        (Hardware, [(name, _)]) => vec![code(name, TYPE_HARDWARE, row.config)],
        (Hardware, several) => {
            let of =
                |(name, pmu_type): &(&str, u32)| code(name, TYPE_HARDWARE, (u64::from(*pmu_type) << 32) | row.config);
            several.iter().map(of).collect()
        }
        _ => vec![code("software", TYPE_SOFTWARE, row.config)],
    };
    Event::new(Definition {
        name: row.name.to_owned(),
        aliases: row.aliases.iter().map(|alias| (*alias).to_owned()).collect(),
        meaning: row.meaning.to_owned(),
        role: row.role,
        unit: row.unit.to_owned(),
        traps: row.traps.to_owned(),
        source: String::new(),
        kind: row.kind,
        privilege: row.privilege,
        fallback: row.fallback,
        codes: Ok(codes),
    })
}

#[allow(clippy::too_many_arguments, reason = "the columns of a table")]
const fn event(
    name: &'static str,
    aliases: &'static [&'static str],
    kind: Kind,
    config: u64,
    (role, unit): (Role, &'static str),
    (privilege, fallback): (Privilege, Fallback),
    meaning: &'static str,
    traps: &'static str,
) -> Row {
    Row { name, aliases, meaning, role, unit, traps, kind, config, privilege, fallback }
}

#[rustfmt::skip]
pub(crate) static STANDARD: &[Row] = &[
    event("task-clock", &[], Software, 1, (Time, "ns"), (AllElseUser, ThreadTime),
        "time that the thread was on a PU",
        "runs on while the thread spins or waits for a line; a virtual machine's stolen time counts in it"),
    event("context-switches", &["cs"], Software, 3, (Scheduling, "switches"), (All, Switches),
        "times that the thread was taken off its PU, by its own wish or not",
        "does not tell a blocked thread from a preempted one; counts in kernel mode only"),
    event("cpu-migrations", &["migrations"], Software, 4, (Scheduling, "migrations"), (All, Fallback::None),
        "times that the thread was moved to another PU",
        "0 is right for a pinned thread; moves of a whole virtual CPU by its host do not show; counts in kernel mode only"),
    event("page-faults", &["faults"], Software, 2, (Memory, "faults"), (AllElseUser, Faults),
        "page faults of the thread, with and without a read from disk",
        "first touches of memory dominate: it says nothing about cache lines"),
    event("minor-faults", &[], Software, 5, (Memory, "faults"), (AllElseUser, MinorFaults),
        "page faults that needed no read from disk",
        "first touches of memory dominate: it says nothing about cache lines"),
    event("major-faults", &[], Software, 6, (Memory, "faults"), (AllElseUser, MajorFaults),
        "page faults that waited for a read from disk",
        "one of them outweighs millions of cache misses: a trial that has any measured the disk"),
    event("cycles", &["cpu-cycles"], Hardware, 0, (Cycles, "cycles"), (User, Fallback::None),
        "cycles of the core's clock in user mode",
        "runs at the clock that the core had, so it is no time; on a core with SMT each thread counts the cycles of both"),
    event("instructions", &[], Hardware, 1, (Instructions, "instructions"), (User, Fallback::None),
        "instructions retired in user mode",
        "grows with spinning: more of them need not be more work; some x86 cores count an interrupt's return as one"),
    event("ref-cycles", &[], Hardware, 9, (Cycles, "reference cycles"), (User, Fallback::None),
        "cycles of a fixed reference clock while the core was not halted, user mode",
        "not cycles of the core: does not follow boost or throttling; many architectures have none"),
    event("cache-references", &[], Hardware, 2, (Memory, "accesses"), (User, Fallback::None),
        "accesses to a cache that the processor's maker chose, mostly the last level (on AMD the L2)",
        "means another cache on each processor; not to be compared between makers"),
    event("cache-misses", &[], Hardware, 3, (Memory, "misses"), (User, Fallback::None),
        "misses in a cache that the processor's maker chose, mostly the last level (on AMD the L2)",
        "a line fetched from another core's cache need not count as a miss of the last level: few misses do not prove that nothing is shared"),
    event("branches", &["branch-instructions"], Hardware, 4, (Instructions, "branches"), (User, Fallback::None),
        "branch instructions retired in user mode",
        "taken and not taken ones alike; spinning makes many"),
    event("branch-misses", &[], Hardware, 5, (Instructions, "branches"), (User, Fallback::None),
        "branches whose prediction was wrong, user mode",
        "a spin loop's end is mispredicted once a wait, so waiting shows here as well"),
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_and_encodings_are_unique_and_texts_whole() {
        let mut names = HashSet::new();
        let mut encodings = HashSet::new();
        for row in STANDARD {
            for name in row.aliases.iter().chain([&row.name]) {
                assert!(names.insert(*name), "{name} twice");
                assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{name}");
            }
            assert!(encodings.insert((row.kind, row.config)), "the encoding of {} twice", row.name);
            for text in [row.meaning, row.traps, row.unit] {
                assert!(!text.is_empty() && !text.ends_with('.'), "{}: {text}", row.name);
            }
        }
    }

    #[test]
    fn software_events_come_first_and_hardware_ones_have_no_fallback() {
        let first_hardware = STANDARD.iter().position(|row| row.kind == Hardware).expect("there are some");
        for (index, row) in STANDARD.iter().enumerate() {
            assert_eq!(row.kind == Hardware, index >= first_hardware, "{}", row.name);
            if row.kind == Hardware {
                assert_eq!((row.fallback, row.privilege), (Fallback::None, User), "{}", row.name);
            }
        }
    }
}
