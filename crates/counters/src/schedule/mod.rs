//! What a core's PMU can count at once, worked out without it.

use serde::Deserialize;

use crate::code::Code;

/// The rules of a kind of PMU as Linux applies them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "is", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Rules {
    /// POWER: the code says which counter, and units share selectors.
    Power {
        /// 8, 9 or 10.
        version: u32,
    },
    /// Interchangeable counters, some events bound to some of them.
    Counters {
        /// How many general ones.
        general: u32,
        /// The kernel's hardware events (by `perf`'s names) that have a counter of their own.
        #[serde(default)]
        fixed: Vec<String>,
        /// Codes (the low 16 bits of `config`) of the events that need an offcore response register, which `config1` is written to: as many registers as codes.
        #[serde(default)]
        offcore: Vec<u64>,
    },
}

/// Why events cannot be counted together, or one not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The events it is about, by index.
    pub events: Vec<usize>,
    /// Why, as a clause that names them by code.
    pub why: String,
}

/// A pass: what is counted at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pass {
    /// The events, by index, in the order asked for.
    pub events: Vec<usize>,
    /// Codes to be opened beside them because the rules want it; in the pass before the events they serve.
    pub companions: Vec<Code>,
}
