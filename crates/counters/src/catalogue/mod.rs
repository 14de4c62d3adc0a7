//! The event catalogue: what each microarchitecture can count of contention, one data file each.
//!
//! The files lie in `catalogue/`, whose README says how to read, review and add one. [`detect()`] tells which of them holds for a machine.

mod data;
mod detect;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use data::{UnknownUarch, logical, uarch, uarchs};
pub use detect::{Detected, detect, detect_here};

use crate::event::Role;
use crate::schedule::Rules;

/// An event by what it means, whatever processors call it; a row of `catalogue/logical.toml`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Logical {
    /// Its name, such as `store-transfer`.
    pub name: String,
    /// The part that it plays in an explanation.
    pub role: Role,
    /// What one of it is, such as `transfers`.
    pub unit: String,
    /// What it counts, in a few words.
    pub meaning: String,
    /// What its reading must not be taken for.
    pub traps: String,
}

/// One microarchitecture; a file `catalogue/NAME.toml`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Uarch {
    /// Its name in commands, such as `power8`.
    pub name: String,
    /// Its name in full, such as `IBM POWER8`.
    pub title: String,
    /// Other names that people have for it or its products, such as `milan`.
    #[serde(default)]
    pub also: Vec<String>,
    /// How to tell that a core is one.
    pub detect: Detect,
    /// The PMU of its cores.
    pub pmu: CorePmu,
    /// The logical names that show contention best here, those that fit together first: what the set `contention` stands for.
    pub contention: Vec<String>,
    /// What it can count.
    #[serde(rename = "event")]
    pub events: Vec<UarchEvent>,
    /// The logical events that it cannot count, by name.
    #[serde(default)]
    pub absent: BTreeMap<String, AbsentEvent>,
}

/// How a core's microarchitecture is told. Exactly one of the three lists is not empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Detect {
    /// x86: CPUID vendor, family and models, extended parts added in.
    pub cpuid: Vec<Cpuid>,
    /// POWER: the upper halves of the processor version register.
    pub pvr: Vec<u32>,
    /// Arm: implementer and part of the main ID register.
    pub midr: Vec<Midr>,
    /// The core PMU's folder that a hybrid processor has for cores of this kind, such as `cpu_atom`; empty for others.
    pub hybrid_pmu: String,
}

/// Models of one family of x86 processors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cpuid {
    /// Such as `GenuineIntel`.
    pub vendor: String,
    /// Family with the extended family added.
    pub family: u32,
    /// First and last model of each range, extended model included.
    pub models: Vec<[u32; 2]>,
}

/// An Arm core.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Midr {
    /// Such as 0x41 for Arm.
    pub implementer: u32,
    /// Such as 0xd0c for Neoverse N1.
    pub part: u32,
}

/// The PMU of a core as far as scheduling events on it needs.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorePmu {
    /// Its usual folder below `/sys/bus/event_source/devices`.
    pub name: String,
    /// What may be counted together.
    pub rules: Rules,
    /// The kernel's hardware events (by `perf`'s names) that Linux has a code for on these cores, of any version.
    pub mapped: Vec<String>,
    /// The processor's own code for the kernel's hardware events (by `perf`'s names), where scheduling depends on it.
    #[serde(default)]
    pub generic: BTreeMap<String, u64>,
}

/// One event of a microarchitecture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UarchEvent {
    /// The maker's name, such as `PM_STCX_FAIL`.
    pub name: String,
    /// The logical event that it stands for here; empty for one that is only known by the maker's name.
    #[serde(default)]
    pub logical: String,
    /// The part that it plays in an explanation; that of its logical event where it is left out.
    #[serde(default)]
    pub role: Option<Role>,
    /// `perf_event_attr.config`. Written as text (`0x1e058`): the codes of POWER10 have more bits than a number of JSON.
    #[serde(serialize_with = "hexadecimal")]
    pub config: u64,
    /// `perf_event_attr.config1`.
    #[serde(default, serialize_with = "hexadecimal")]
    pub config1: u64,
    /// The counters that can count it, bit `n` for counter `n`; left out where the PMU's own rules tell.
    #[serde(default)]
    pub counters: Option<u64>,
    /// What exactly it counts here.
    pub meaning: String,
    /// What its reading must not be taken for here, beside what holds for its logical event.
    #[serde(default)]
    pub traps: String,
    /// Where the encoding is from.
    pub source: String,
}

/// Why a microarchitecture has no such logical event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AbsentEvent {
    /// Why, as a clause.
    pub why: String,
    /// The logical event that stands in; empty where none does.
    #[serde(default)]
    pub instead: String,
}

impl Uarch {
    /// The event of this logical or maker's name; makers' names in any case.
    #[must_use]
    pub fn event(&self, name: &str) -> Option<&UarchEvent> {
        self.logical(name).or_else(|| self.events.iter().find(|event| event.name.eq_ignore_ascii_case(name)))
    }

    /// The event that a logical name stands for here.
    #[must_use]
    pub fn logical(&self, name: &str) -> Option<&UarchEvent> {
        self.events.iter().find(|event| !name.is_empty() && event.logical == name)
    }
}

impl UarchEvent {
    /// The part that it plays in an explanation: its own, or that of its logical event.
    #[must_use]
    pub fn role(&self) -> Option<Role> {
        let of_logical = || logical().iter().find(|row| row.name == self.logical).map(|row| row.role);
        self.role.or_else(of_logical)
    }
}

fn hexadecimal<S: serde::Serializer>(code: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{code:#x}"))
}
