//! POWER: the code says which counter, and registers are shared by all counters.
//!
//! Linux opens a group event by event and looks each time whether all that are open fit: first as they are, then by codes that count the
//! same on other counters. The kernel's lockup detector uses no counter here.

mod code;

use std::collections::BTreeMap;

use super::Conflict;
use super::board::{self, Board};
use crate::code::{Code, TYPE_HARDWARE, TYPE_RAW};
use code::{Asks, DIFFER, FIELDS, companion, low_byte};

/// `PM_CYC` and `PM_INST_CMPL`, the same on all versions.
const CYCLES: u64 = 0x1e;
const INSTRUCTIONS: u64 = 0x2;
/// What a group may have: four counters and the two that have their event.
const GROUP: usize = 6;
/// The first counters, which count what the code says.
const SLOTS: u32 = 4;

pub(super) struct Power {
    version: u32,
    /// Ours, then what others hold.
    codes: Vec<Code>,
    needs: Vec<Need>,
    ours: usize,
}

enum Need {
    /// The kernel counts it.
    Nothing,
    Refused(String),
    /// One of these; the code as it was asked for comes first.
    Asks(Vec<Asks>),
}

/// What some events have taken.
#[derive(Clone, Copy, Default)]
struct Taken {
    /// Bit `n` for PMC`n`.
    pmcs: u32,
    slots: u32,
    fields: [Option<u64>; FIELDS],
}

impl Taken {
    fn with(mut self, asks: &Asks) -> Option<Self> {
        let pmc = if asks.pmc == 0 { 0 } else { 1 << asks.pmc };
        self.slots += asks.slots;
        if self.pmcs & pmc != 0 || self.slots > SLOTS {
            return None;
        }
        self.pmcs |= pmc;
        for (field, asked) in self.fields.iter_mut().zip(asks.fields) {
            if differ(*field, asked) {
                return None;
            }
            *field = field.or(asked);
        }
        Some(self)
    }
}

impl Power {
    pub(super) fn new(version: u32, generic: &BTreeMap<String, u64>, codes: &[Code], reserved: &[Code]) -> Self {
        let codes: Vec<Code> = [codes, reserved].concat();
        let ours = codes.len() - reserved.len();
        let needs = codes.iter().map(|code| need(version, generic, code)).collect();
        Self { version, codes, needs, ours }
    }

    /// What these and others ask for; `None` where one is refused.
    fn members(&self, set: &[usize]) -> Option<Vec<&[Asks]>> {
        let held = (self.ours..self.needs.len()).filter(|&index| !matches!(self.needs[index], Need::Refused(_)));
        let mut members = Vec::new();
        for index in set.iter().copied().chain(held) {
            match &self.needs[index] {
                Need::Nothing => {}
                Need::Refused(_) => return None,
                Need::Asks(asks) => members.push(asks.as_slice()),
            }
        }
        Some(members)
    }

    /// Whether these fit, nothing else beside them.
    fn place(&self, set: &[usize]) -> bool {
        place(&set.iter().filter_map(|&index| self.asked(index)).collect::<Vec<_>>())
    }

    fn asked(&self, index: usize) -> Option<&[Asks]> {
        match &self.needs[index] {
            Need::Asks(asks) => Some(asks),
            _ => None,
        }
    }

    /// The code of one of POWER9's L2 and L3 events.
    fn grouped(&self, index: usize) -> Option<u64> {
        self.asked(index).filter(|asks| asks[0].grouped).map(|asks| asks[0].code)
    }

    /// Whether it is what POWER9's L2 and L3 events need.
    fn leads(&self, index: usize) -> bool {
        self.asked(index).is_some_and(|asks| asks[0].grouped && asks[0].pmc == 4)
    }

    fn label(&self, index: usize) -> String {
        let held = if index < self.ours { "" } else { " (held by others)" };
        format!("{}{held}", board::label(&self.codes[index]))
    }

    fn list(&self, set: &[usize]) -> String {
        board::listed(&set.iter().map(|&index| self.label(index)).collect::<Vec<_>>())
    }

    fn conflict(&self, set: &[usize], why: String) -> Option<Conflict> {
        let events: Vec<usize> = set.iter().copied().filter(|&index| index < self.ours).collect();
        (!events.is_empty()).then_some(Conflict { events, why })
    }

    /// Why two events that do not fit together do not.
    fn clash(&self, pair: [usize; 2]) -> String {
        let both = self.list(&pair);
        let (Some([first, ..]), Some([second, ..])) = (self.asked(pair[0]), self.asked(pair[1])) else {
            return format!("{both} exclude each other");
        };
        if first.pmc != 0 && first.pmc == second.pmc {
            return format!("{both} both need PMC{}", first.pmc);
        }
        let fields = first.fields.into_iter().zip(second.fields).zip(DIFFER);
        let differ: Vec<String> =
            fields.filter(|((a, b), _)| differ(*a, *b)).map(|(_, words)| words.to_owned()).collect();
        if differ.is_empty() {
            return format!("{both} may need the same counter: which of PMC1 to PMC4 the kernel takes is not known");
        }
        format!("{both} {}", board::listed(&differ))
    }

    /// A part of a set that does not fit, of which no event can be spared.
    fn core(&self, set: &[usize]) -> Vec<usize> {
        let mut core = set.to_vec();
        for &index in set {
            let without: Vec<usize> = core.iter().copied().filter(|&other| other != index).collect();
            if !self.place(&without) {
                core = without;
            }
        }
        core
    }

    fn together(&self, set: &[usize]) -> Vec<Conflict> {
        let mut conflicts = Vec::new();
        for (position, &first) in set.iter().enumerate() {
            for &second in &set[position + 1..] {
                if !self.place(&[first, second]) {
                    conflicts.extend(self.conflict(&[first, second], self.clash([first, second])));
                }
            }
        }
        let slots = |&index: &usize| self.asked(index).is_some_and(|asks| asks.iter().all(|asks| asks.slots != 0));
        let many: Vec<usize> = set.iter().copied().filter(slots).collect();
        if many.len() > SLOTS as usize {
            let why = format!("{} are {} events for PMC1 to PMC4", self.list(&many), many.len());
            conflicts.extend(self.conflict(&many, why));
        }
        if conflicts.is_empty() && !self.place(set) {
            let core = self.core(set);
            let why =
                format!("{} exclude each other, also by the codes that count the same elsewhere", self.list(&core));
            conflicts.extend(self.conflict(&core, why));
        }
        conflicts
    }

    /// The L2 and L3 events of POWER9 among these that lack one on PMC4.
    fn alone(&self, set: &[usize]) -> Vec<Conflict> {
        let mut lacking: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for &index in set {
            if let Some(code) = self.grouped(index) {
                lacking.entry(low_byte(code)).or_default().push(index);
            }
        }
        lacking.retain(|_, group| !group.iter().any(|&index| self.leads(index)));
        let why = |low: u64, group: &[usize]| {
            let (code, _) = companion(low);
            let (needs, its, it) = if group.len() == 1 { ("needs", "its", "it") } else { ("need", "their", "them") };
            format!("{} {needs} an event of {its} group on PMC4 beside {it}, such as {code:#x}", self.list(group))
        };
        lacking.iter().filter_map(|(&low, group)| self.conflict(group, why(low, group))).collect()
    }
}

impl Board for Power {
    fn fits(&self, set: &[usize]) -> bool {
        let Some(mut members) = self.members(set) else { return false };
        let companions: Vec<Asks> =
            self.companions(set).iter().map(|code| Asks::new(self.version, code.config, 0)).collect();
        members.extend(companions.iter().map(std::slice::from_ref));
        place(&members)
    }

    fn conflicts(&self, set: &[usize]) -> Vec<Conflict> {
        let mut conflicts = Vec::new();
        for &index in set {
            if let Need::Refused(why) = &self.needs[index] {
                conflicts.push(Conflict { events: vec![index], why: why.clone() });
            }
        }
        let members = set.iter().copied().chain(self.ours..self.needs.len());
        let members: Vec<usize> = members.filter(|&index| self.asked(index).is_some()).collect();
        conflicts.extend(self.together(&members));
        conflicts.extend(self.alone(&members));
        conflicts
    }

    fn companions(&self, set: &[usize]) -> Vec<Code> {
        let grouped = set.iter().find_map(|&index| Some((index, self.grouped(index)?)));
        let Some((served, code)) = grouped.filter(|_| !set.iter().any(|&index| self.leads(index))) else {
            return Vec::new();
        };
        let (config, native) = companion(code);
        let served = self.codes[served].clone();
        let pmu_type = if served.pmu_type == TYPE_HARDWARE { TYPE_RAW } else { served.pmu_type };
        vec![Code { pmu_type, config, config1: 0, config2: 0, counters: None, native: native.to_owned(), ..served }]
    }

    fn free(&self, candidates: &[usize]) -> Vec<usize> {
        let mut free: Vec<usize> =
            candidates.iter().copied().filter(|&index| matches!(self.needs[index], Need::Nothing)).collect();
        for pmc in [6, 5] {
            let held = (self.ours..self.needs.len()).filter_map(|index| self.asked(index));
            if held.flatten().any(|asks| asks.pmc == pmc) {
                continue;
            }
            // Of the codes that can be counted there, the one that can be counted nowhere else has precedence.
            let own = |asks: &Asks| asks.pmc == pmc;
            let exact = candidates.iter().find(|&&index| self.asked(index).is_some_and(|asks| own(&asks[0])));
            let movable =
                || candidates.iter().find(|&&index| self.asked(index).is_some_and(|asks| asks.iter().any(own)));
            free.extend(exact.or_else(movable));
        }
        free
    }

    fn sort(&self, set: &mut [usize]) {
        let first = set.iter().position(|&index| self.grouped(index).is_some());
        let lead = set.iter().position(|&index| self.leads(index));
        if let (Some(first), Some(lead)) = (first, lead) {
            set[first..=lead].rotate_right(1);
        }
    }
}

fn need(version: u32, generic: &BTreeMap<String, u64>, code: &Code) -> Need {
    if board::counted_by_kernel(code) {
        return Need::Nothing;
    }
    let config = match code.generic() {
        None if code.is_the_kernels() => None,
        None => Some(code.config),
        Some(id) => board::own_code(code, generic).or(match id {
            0 => Some(CYCLES),
            1 => Some(INSTRUCTIONS),
            _ => None,
        }),
    };
    let Some(config) = config else { return Need::Asks(vec![Asks::UNKNOWN]) };
    if let Some(why) = code::refusal(version, config) {
        return Need::Refused(why);
    }
    let alternatives = code::alternatives(version, config);
    Need::Asks(alternatives.into_iter().map(|config| Asks::new(version, config, code.config1)).collect())
}

fn differ(a: Option<u64>, b: Option<u64>) -> bool {
    a.is_some_and(|a| b.is_some_and(|b| a != b))
}

/// Whether events fit, each by one of its codes.
fn place(members: &[&[Asks]]) -> bool {
    if members.len() > GROUP {
        return false;
    }
    let as_asked = members.iter().try_fold(Taken::default(), |taken, asks| taken.with(&asks[0]));
    if as_asked.is_some() {
        return true;
    }
    // When it looks for other codes, Linux takes "on PMC4" for one more setting that L2 and L3 events must agree on.
    let grouped = members.iter().filter(|asks| asks[0].grouped).count();
    grouped <= 1 && by_alternatives(Taken::default(), members)
}

fn by_alternatives(taken: Taken, members: &[&[Asks]]) -> bool {
    let Some((first, rest)) = members.split_first() else { return true };
    first.iter().filter_map(|asks| taken.with(asks)).any(|taken| by_alternatives(taken, rest))
}
