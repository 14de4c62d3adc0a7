//! Interchangeable counters: x86, Arm and whoever else has no selectors shared between counters.
//!
//! After Linux's arch/x86/events/core.c and intel/core.c, and drivers/perf/arm_pmuv3.c. An event with a counter of its own may take a
//! general one instead (x86 adds the general counters to the fixed events' constraint, Arm's `cycles` falls back to them), except
//! Intel's `ref-cycles`.

use std::collections::BTreeMap;

use super::Conflict;
use super::board::{self, Board};
use super::matching::{self, Shortage};
use crate::code::Code;

/// General counters are bits 0 to 31 of a mask, fixed ones the bits above, as in the kernel.
const FIXED_SHIFT: u32 = 32;
/// No other counter counts these, where they have one.
const REF_CYCLES: &str = "ref-cycles";

pub(super) struct Counters {
    /// Ours, then what others hold.
    needs: Vec<Need>,
    labels: Vec<String>,
    ours: usize,
    general: u64,
    registers: usize,
}

enum Need {
    /// The kernel counts it.
    Nothing,
    Counter {
        /// Any of these.
        counters: u64,
        setting: Option<Setting>,
    },
}

/// What `config1` of an event is written to, and that.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Setting {
    offcore: bool,
    /// Event and umask, which say which register it is; of offcore registers Linux takes another one where that is in use.
    code: u64,
    value: u64,
}

impl Counters {
    pub(super) fn new(
        general: u32,
        fixed: &[String],
        offcore: &[u64],
        generic: &BTreeMap<String, u64>,
        codes: &[Code],
        reserved: &[Code],
    ) -> Self {
        let general = (1 << general.min(FIXED_SHIFT)) - 1;
        let need = |code: &Code| {
            if board::counted_by_kernel(code) {
                return Need::Nothing;
            }
            let named = |name: &String| {
                let name = std::slice::from_ref(name);
                board::is_named(code, name) || !code.is_the_kernels() && board::named_by(code.config, generic, name)
            };
            let mut own = 0;
            let mut anywhere = general;
            for (index, name) in fixed.iter().take((u64::BITS - FIXED_SHIFT) as usize).enumerate() {
                if named(name) {
                    own |= 1 << (FIXED_SHIFT as usize + index);
                    anywhere = if name == REF_CYCLES { 0 } else { anywhere };
                }
            }
            let setting = (!code.is_the_kernels()).then(|| {
                let event = code.config & 0xffff;
                Setting { offcore: offcore.contains(&event), code: event, value: code.config1 }
            });
            Need::Counter { counters: code.counters.map_or(anywhere, |mask| mask & anywhere) | own, setting }
        };
        Self {
            needs: codes.iter().chain(reserved).map(need).collect(),
            labels: codes.iter().map(board::label).collect(),
            ours: codes.len(),
            general,
            registers: offcore.len(),
        }
    }

    /// These and what others hold, as far as they take counters: by index, with the counters they take.
    fn wishes(&self, set: &[usize]) -> (Vec<usize>, Vec<u64>) {
        let all = set.iter().copied().chain(self.ours..self.needs.len());
        all.filter_map(|index| match self.needs[index] {
            Need::Nothing => None,
            Need::Counter { counters, .. } => Some((index, counters)),
        })
        .unzip()
    }

    /// The settings that these want, each once, with the first event that wants it.
    fn settings(&self, set: &[usize]) -> BTreeMap<Setting, usize> {
        let mut settings = BTreeMap::new();
        for index in set.iter().copied().chain(self.ours..self.needs.len()) {
            if let Need::Counter { setting: Some(setting), .. } = self.needs[index] {
                settings.entry(setting).or_insert(index);
            }
        }
        settings
    }

    fn registers_clash(&self, set: &[usize]) -> Vec<Conflict> {
        let settings = self.settings(set);
        let mut conflicts = Vec::new();
        let offcore: Vec<usize> =
            settings.iter().filter(|(setting, _)| setting.offcore).map(|(_, &first)| first).collect();
        if offcore.len() > self.registers {
            let why = format!(
                "{} ask the offcore response registers for {} different things, and there {} {}",
                self.list(&offcore),
                offcore.len(),
                if self.registers == 1 { "is" } else { "are" },
                self.registers,
            );
            conflicts.push(Conflict { events: self.mine(&offcore), why });
        }
        let own: Vec<(&Setting, usize)> =
            settings.iter().filter(|(setting, _)| !setting.offcore).map(|(setting, &first)| (setting, first)).collect();
        for pair in own.windows(2).filter(|pair| pair[0].0.code == pair[1].0.code) {
            let both = [pair[0].1, pair[1].1];
            let why = format!("{} set one register to two values", self.list(&both));
            conflicts.push(Conflict { events: self.mine(&both), why });
        }
        conflicts
    }

    fn shortages(&self, set: &[usize]) -> Vec<Conflict> {
        let (mut members, mut wishes) = self.wishes(set);
        let mut conflicts = Vec::new();
        while let Err(Shortage { members: many, counters }) = matching::assign(&wishes) {
            let indices: Vec<usize> = many.iter().map(|&member| members[member]).collect();
            let mine = self.mine(&indices);
            let held = indices.len() - mine.len();
            // What others hold does not fit by itself: nothing of ours is to blame.
            if !mine.is_empty() {
                conflicts.push(Conflict { why: self.shortage(&mine, counters, held), events: mine });
            }
            for &member in many.iter().rev() {
                members.remove(member);
                wishes.remove(member);
            }
        }
        conflicts
    }

    fn shortage(&self, mine: &[usize], counters: u64, held: usize) -> String {
        let who = self.list(mine);
        let what = counters_named(counters, self.general);
        let held = if held == 0 { String::new() } else { format!(", of which others hold {held}") };
        match (mine.len(), counters.count_ones()) {
            (_, 0) => format!("no counter of this core counts {who}"),
            (1, _) => format!("{who} needs {what}{held}"),
            (2, 1) => format!("{who} both need {what}{held}"),
            (many, _) => format!("{who} are {many} events for {what}{held}"),
        }
    }

    fn list(&self, set: &[usize]) -> String {
        let labels: Vec<String> = self.mine(set).iter().map(|&index| self.labels[index].clone()).collect();
        board::listed(&labels)
    }

    fn mine(&self, set: &[usize]) -> Vec<usize> {
        set.iter().copied().filter(|&index| index < self.ours).collect()
    }
}

impl Board for Counters {
    fn fits(&self, set: &[usize]) -> bool {
        matching::assign(&self.wishes(set).1).is_ok() && self.registers_clash(set).is_empty()
    }

    fn conflicts(&self, set: &[usize]) -> Vec<Conflict> {
        let mut conflicts = self.shortages(set);
        conflicts.extend(self.registers_clash(set));
        conflicts
    }

    fn companions(&self, _set: &[usize]) -> Vec<Code> {
        Vec::new()
    }

    fn free(&self, candidates: &[usize]) -> Vec<usize> {
        let mut taken = Vec::new();
        let mut free = Vec::new();
        for index in (self.ours..self.needs.len()).chain(candidates.iter().copied()) {
            let own = match self.needs[index] {
                Need::Nothing => None,
                Need::Counter { counters, .. } => Some(counters >> FIXED_SHIFT),
            };
            taken.extend(own);
            if own.is_some() && matching::assign(&taken).is_err() {
                taken.pop();
            } else if index < self.ours {
                free.push(index);
            }
        }
        free
    }
}

/// `counter 3`, `counters 0 to 3`, `the 8 general counters`; a counter of its own has no number.
fn counters_named(counters: u64, general: u64) -> String {
    let numbered = counters & general;
    let own = (counters >> FIXED_SHIFT).count_ones();
    let many = numbered.count_ones();
    let first = numbered.trailing_zeros();
    let numbers = match many {
        0 => String::new(),
        1 => format!("counter {first}"),
        _ if numbered == general => format!("the {many} general counters"),
        _ if numbered >> first == (1 << many) - 1 => format!("counters {first} to {}", first + many - 1),
        _ => {
            let all: Vec<String> = (0..FIXED_SHIFT).filter(|n| numbered >> n & 1 == 1).map(|n| n.to_string()).collect();
            format!("counters {}", board::listed(&all))
        }
    };
    match (many, own) {
        (_, 0) => numbers,
        (0, 1) => "one fixed counter".to_owned(),
        (0, _) => format!("{own} fixed counters"),
        (_, 1) => format!("{numbers} and one fixed counter"),
        _ => format!("{numbers} and {own} fixed counters"),
    }
}
