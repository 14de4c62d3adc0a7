//! What a core's PMU can count at once, worked out without it.
//!
//! [`Rules::check`] says why events cannot be counted together; [`Rules::passes`] parts events into as few passes as it takes to count
//! them all. Both follow what Linux does when a group is opened, so that a run is planned before its first trial and no event is
//! multiplexed or left without a counter in silence. Where Linux decides by the order of opening, the stricter answer is given.
//!
//! The rules are for one hardware thread. Intel's offcore response registers belong to a core: its threads may hold one request each
//! in them only where they are equal, as they are when all workers count the same pass.

mod board;
mod counters;
mod matching;
mod power;
mod solve;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::code::{Code, TYPE_HARDWARE};
use board::Board;
pub(crate) use board::generic_name;

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
    /// The events, by index, in the order to open them in. That is the order asked for, except where Linux opens events only beside
    /// one that is open already (POWER9's L2 and L3 events): that one comes before them.
    pub events: Vec<usize>,
    /// Codes to be opened beside them because the rules want it; in the pass before the events they serve.
    pub companions: Vec<Code>,
}

/// Passes that count events between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passes {
    /// As few as are known to do. Events that take no counter from others (those with a counter of their own) are in every pass
    /// that they fit, so that ratios to them can be taken in each; all others are in exactly one.
    pub passes: Vec<Pass>,
    /// Events that cannot be counted at all, by index, each with its reason as a clause.
    pub refused: Vec<(usize, String)>,
}

impl Rules {
    /// Every reason why `codes` cannot be counted together; empty where they can. `generic` is the processor's own code for the
    /// kernel's hardware events, by `perf`'s names.
    #[must_use]
    pub fn check(&self, generic: &BTreeMap<String, u64>, codes: &[Code]) -> Vec<Conflict> {
        let all: Vec<usize> = (0..codes.len()).collect();
        self.board(generic, codes, &[]).conflicts(&all)
    }

    /// Parts `codes` into passes beside what others hold for good (`reserved`, such as [`Rules::watchdog`]).
    ///
    /// The parting depends on the set of codes alone, not on their order. It has the fewest passes for up to twelve events that
    /// compete for counters, and a good number of them (first fit, the most constrained first) for more, in time that grows with the
    /// square of their number at most.
    #[must_use]
    pub fn passes(&self, generic: &BTreeMap<String, u64>, codes: &[Code], reserved: &[Code]) -> Passes {
        solve::passes(self.board(generic, codes, reserved).as_ref(), codes)
    }

    /// The pass that counts all of `codes` at once beside what others hold; `None` where they do not fit.
    #[must_use]
    pub fn together(&self, generic: &BTreeMap<String, u64>, codes: &[Code], reserved: &[Code]) -> Option<Pass> {
        let board = self.board(generic, codes, reserved);
        let mut events: Vec<usize> = (0..codes.len()).collect();
        if !board.fits(&events) {
            return None;
        }
        board.sort(&mut events);
        Some(Pass { companions: board.companions(&events), events })
    }

    /// What the kernel's lockup detector counts on every core while `/proc/sys/kernel/nmi_watchdog` is 1: `cycles`, for good. It takes
    /// the counter that `cycles` has of its own, or else a general one. `None` on POWER, whose detector takes no counter.
    ///
    /// A detector without a counter (the buddy system, since Linux 6.5) sets the same file; a general counter then stays unused.
    #[must_use]
    pub fn watchdog(&self) -> Option<Code> {
        match self {
            Self::Power { .. } => None,
            Self::Counters { .. } => Some(Code {
                pmu: "cpu".to_owned(),
                pmu_type: TYPE_HARDWARE,
                config: 0,
                config1: 0,
                config2: 0,
                counters: None,
                native: String::new(),
            }),
        }
    }

    fn board(&self, generic: &BTreeMap<String, u64>, codes: &[Code], reserved: &[Code]) -> Box<dyn Board> {
        match self {
            Self::Power { version } => Box::new(power::Power::new(*version, generic, codes, reserved)),
            Self::Counters { general, fixed, offcore } => {
                Box::new(counters::Counters::new(*general, fixed, offcore, generic, codes, reserved))
            }
        }
    }
}
