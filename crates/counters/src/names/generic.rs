//! The kernel's hardware events by `perf`'s names, on these cores: which of them Linux has a code for.

use super::{CoreKind, Vocabulary, custom};
use crate::code::{Code, TYPE_HARDWARE};
use crate::event::{Definition, Event, Kind, Role, Row, from_row};
use crate::unavailable::Unavailable;

/// Those that hitm lists on no machine, for few have them: name, other name, `enum perf_hw_id`, part in an explanation, meaning, traps.
const OTHERS: [(&str, &str, u64, Role, &str, &str); 3] = [
    (
        "bus-cycles",
        "bus-cycles",
        6,
        Role::Memory,
        "cycles of a bus clock that the processor's maker chose",
        "means another clock on each processor, and runs whether the bus is used or not",
    ),
    (
        "stalled-cycles-frontend",
        "idle-cycles-frontend",
        7,
        Role::Stall,
        "cycles in which nothing was issued because none was fetched",
        "means another place of the pipeline on each processor; mispredicted branches make them",
    ),
    (
        "stalled-cycles-backend",
        "idle-cycles-backend",
        8,
        Role::Stall,
        "cycles in which nothing was issued because the core waited for data or units",
        "where the time goes, not why: waiting for lines is only part of it",
    ),
];

impl Vocabulary {
    /// One of the kernel's own; by the processor's code where the catalogue knows a better one, such as that of a counter which serves
    /// nothing else.
    pub(super) fn standard(&self, row: &Row) -> Event {
        if self.cores.iter().all(|core| core.uarch.as_ref().is_ok_and(|uarch| uarch.logical(row.name).is_some())) {
            if let Some(event) = self.logical(row.name) {
                return event;
            }
        }
        let cores: Vec<(&str, u32)> = self.cores.iter().map(|core| (core.pmu.as_str(), core.pmu_type)).collect();
        self.if_mapped(row.name, from_row(row, &cores))
    }

    /// One of the kernel's that are not listed.
    pub(super) fn generic(&self, name: &str) -> Option<Event> {
        let &(known, _, id, role, meaning, traps) =
            OTHERS.iter().find(|(known, other, ..)| *known == name || *other == name)?;
        let meaning = format!("{meaning}, user mode");
        let event = custom(
            known,
            Kind::Hardware,
            Ok(self.codes_of_the_kernel(TYPE_HARDWARE, id)),
            meaning,
            "linux/perf_event.h",
        );
        let definition =
            Definition { role, unit: "cycles".to_owned(), traps: traps.to_owned(), ..event.definition().clone() };
        Some(self.if_mapped(known, Event::new(definition)))
    }

    /// A code of the kernel's own on each kind of core; where there are several, the upper half of `config` chooses one.
    pub(super) fn codes_of_the_kernel(&self, pmu_type: u32, config: u64) -> Vec<Code> {
        let several = self.cores.len() > 1;
        let chosen = |core: &CoreKind| if several { u64::from(core.pmu_type) << 32 | config } else { config };
        self.cores.iter().map(|core| Code { pmu_type, ..core.code([chosen(core), 0, 0]) }).collect()
    }

    /// Of a machine that is not at hand the catalogue tells whether Linux has a code for the event; at hand opening it does.
    fn if_mapped(&self, name: &str, event: Event) -> Event {
        let lacks = |core: &CoreKind| {
            core.uarch.as_ref().is_ok_and(|uarch| !uarch.pmu.mapped.iter().any(|mapped| mapped == name))
        };
        if self.at_hand || event.kind() != Kind::Hardware || !self.cores.iter().all(lacks) {
            return event;
        }
        let processor = self.cores.iter().find_map(|core| core.uarch.as_ref().ok()).map(|uarch| uarch.title.clone());
        let why = Unavailable::NotOnProcessor {
            processor: processor.unwrap_or_default(),
            why: "Linux has no code for this name there".to_owned(),
            instead: String::new(),
        };
        Event::new(Definition { codes: Err(why), ..event.definition().clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{uarch, uarchs};
    use crate::event::STANDARD;
    use crate::schedule::generic_name;

    #[test]
    fn what_linux_has_no_code_for_is_told() {
        let of = |name| Vocabulary::of(uarch(name).expect("one of the catalogue"));
        let counts = |on, name: &str| of(on).event(name).expect("a name of the kernel's").codes().is_ok();
        for (on, has, lacks) in [
            ("power8", "stalled-cycles-backend", "ref-cycles"),
            ("zen3", "idle-cycles-frontend", "ref-cycles"),
            ("zen4", "ref-cycles", "bus-cycles"),
            ("neoverse-v1", "bus-cycles", "ref-cycles"),
            ("skylake-sp", "bus-cycles", "stalled-cycles-backend"),
        ] {
            assert!(counts(on, has) && !counts(on, lacks), "{on}: {has} and not {lacks}");
        }
        let event = Vocabulary::unknown("a test").event("bus-cycles").expect("a name of the kernel's");
        assert_eq!(event.codes().expect("for the kernel to tell")[0].to_string(), "cpu/bus-cycles/");
    }

    #[test]
    fn the_catalogue_speaks_of_the_kernels_names_alone() {
        let known =
            |name: &str| STANDARD.iter().any(|row| row.name == name) || OTHERS.iter().any(|(other, ..)| *other == name);
        for uarch in uarchs() {
            assert!(uarch.pmu.mapped.iter().all(|name| known(name)), "{}", uarch.name);
            for name in ["cycles", "instructions", "branches"] {
                assert!(uarch.pmu.mapped.iter().any(|mapped| mapped == name), "{}: {name}", uarch.name);
            }
        }
        for (name, _, id, ..) in OTHERS {
            assert_eq!(generic_name(id), Some(name));
        }
    }
}
