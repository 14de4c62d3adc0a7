//! Which events are counted together: worked out from the processor's rules, before anything is opened.

use std::collections::BTreeMap;
use std::fs;

use crate::code::Code;
use crate::event::{Event, Kind};
use crate::group::Pass;
use crate::names::{CoreKind, Vocabulary};
use crate::schedule::{self, Passes};
use crate::unavailable::Unavailable;

/// Events parted into passes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountingPlan {
    /// As few passes as the cores' PMUs allow, the first events asked for in the first ones. Where a pass has room left, it counts more of the
    /// others as well; events that take no counter (the kernel's own, and those with a counter of their own) are in each.
    pub passes: Vec<Pass>,
    /// The events that cannot be counted, each with its reason.
    pub refused: Vec<(Event, Unavailable)>,
    /// Whether the kernel's lockup detector holds a counter that they could have, or is supposed to.
    pub watchdog: bool,
}

/// Whether the kernel's lockup detector may hold a counter of this machine's cores.
pub(crate) fn watchdog_is_on() -> bool {
    fs::read_to_string("/proc/sys/kernel/nmi_watchdog").is_ok_and(|text| text.trim() == "1")
}

/// Parts events into passes on the cores of `vocabulary`. With `multiplex` there is one pass, whose hardware events take turns.
/// `watchdog`: whether the lockup detector holds a counter.
#[must_use]
pub fn plan(events: &[Event], vocabulary: &Vocabulary, watchdog: bool, multiplex: bool) -> CountingPlan {
    let kinds = vocabulary.cores();
    let takes = |kind: &CoreKind| kind.uarch.as_ref().map_or(true, |uarch| uarch.pmu.rules.watchdog().is_some());
    let cores = Cores { kinds, watchdog };
    let mut plan = CountingPlan { watchdog: watchdog && kinds.iter().any(takes), ..CountingPlan::default() };
    let (mut hardware, mut free) = (Vec::new(), Vec::new());
    for event in events {
        match (event.codes(), event.kind()) {
            (Err(why), _) => plan.refused.push((event.clone(), why.clone())),
            (Ok(_), Kind::Hardware) => match cores.refusal(event) {
                Some(why) => plan.refused.push((event.clone(), Unavailable::Refused { why })),
                None => hardware.push(event.clone()),
            },
            (Ok(_), _) => free.push(event.clone()),
        }
    }
    let mut parts = cores.fewest(&hardware);
    if multiplex {
        let mut companions: Vec<Code> = parts.into_iter().flat_map(|part| part.companions).collect();
        companions.dedup();
        parts = vec![Part { events: hardware, companions }];
    } else {
        // What others are set against first.
        let (base, rest): (Vec<&Event>, Vec<&Event>) = hardware.iter().partition(|event| event.is_base());
        for part in &mut parts {
            for event in base.iter().chain(&rest) {
                cores.add(part, event);
            }
            part.events.sort_by_key(|event| hardware.iter().position(|asked| asked == event));
            if let Some(ordered) = cores.together(&part.events) {
                *part = ordered;
            }
        }
    }
    let in_order = |part: Part| {
        let mut events = free.clone();
        events.extend(part.events);
        Pass { events, companions: part.companions, multiplex }
    };
    if parts.is_empty() {
        parts.push(Part::default());
    }
    plan.passes = parts.into_iter().map(in_order).filter(|pass| !pass.events.is_empty()).collect();
    plan
}

/// Hardware events that are counted at once.
#[derive(Clone, Debug, Default)]
struct Part {
    events: Vec<Event>,
    companions: Vec<Code>,
}

/// The cores whose PMUs must have room.
struct Cores<'a> {
    kinds: &'a [CoreKind],
    watchdog: bool,
}

impl Cores<'_> {
    /// Why some kind of core counts this event never.
    fn refusal(&self, event: &Event) -> Option<String> {
        self.kinds.iter().find_map(|kind| {
            let passes = passes_on(kind, &codes_on(kind, std::slice::from_ref(event)), self.watchdog)?;
            passes.refused.into_iter().next().map(|(_, why)| why)
        })
    }

    /// These at once, in the order to open them in, on every kind of core; `None` where they do not fit. Where a kind's rules are not known,
    /// the kernel is to tell.
    fn together(&self, events: &[Event]) -> Option<Part> {
        let mut part = Part { events: events.to_vec(), companions: Vec::new() };
        for kind in self.kinds {
            let Ok(uarch) = &kind.uarch else { continue };
            let (here, elsewhere): (Vec<Event>, Vec<Event>) =
                part.events.iter().cloned().partition(|event| event.code_on(&kind.pmu).is_some());
            let reserved: Vec<Code> = uarch.pmu.rules.watchdog().filter(|_| self.watchdog).into_iter().collect();
            let pass = uarch.pmu.rules.together(&uarch.pmu.generic, &codes_on(kind, &here), &reserved)?;
            part.events = pass.events.iter().map(|&index| here[index].clone()).chain(elsewhere).collect();
            let companion = |code: Code| Code { pmu: kind.pmu.clone(), pmu_type: kind.pmu_type, ..code };
            part.companions.extend(pass.companions.into_iter().map(companion));
        }
        Some(part)
    }

    /// Adds an event to a part that has room for it without anything else being opened.
    fn add(&self, part: &mut Part, event: &Event) {
        if part.events.contains(event) {
            return;
        }
        let mut more = part.events.clone();
        more.push(event.clone());
        if let Some(fuller) = self.together(&more).filter(|fuller| fuller.companions == part.companions) {
            *part = fuller;
        }
    }

    /// As few parts as are known to do: the first events asked for in the first part where that takes no more parts.
    fn fewest(&self, events: &[Event]) -> Vec<Part> {
        let (base, rest): (Vec<&Event>, Vec<&Event>) = events.iter().partition(|event| event.is_base());
        let in_order = self.first_fit(rest.into_iter().chain(base));
        let solved = self.solved(events);
        if in_order.len() <= solved.len() { in_order } else { solved }
    }

    /// Each event in the first part that has room for it.
    fn first_fit<'e>(&self, events: impl Iterator<Item = &'e Event>) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        for event in events {
            let fuller = parts.iter().enumerate().find_map(|(index, part)| {
                let more: Vec<Event> = part.events.iter().chain([event]).cloned().collect();
                Some((index, self.together(&more)?))
            });
            match fuller {
                Some((index, fuller)) => parts[index] = fuller,
                None => parts.extend(self.together(std::slice::from_ref(event))),
            }
        }
        parts
    }

    /// By the rules' own solver, one kind of core after the other: each part must fit all.
    fn solved(&self, events: &[Event]) -> Vec<Part> {
        let mut parts = vec![events.to_vec()];
        for kind in self.kinds {
            parts = parts.into_iter().flat_map(|part| self.split(kind, part)).collect();
        }
        parts.iter().filter(|part| !part.is_empty()).filter_map(|part| self.together(part)).collect()
    }

    /// The parts that a kind of core counts at once; this one where its rules are not known.
    fn split(&self, kind: &CoreKind, part: Vec<Event>) -> Vec<Vec<Event>> {
        let (here, elsewhere): (Vec<Event>, Vec<Event>) =
            part.iter().cloned().partition(|event| event.code_on(&kind.pmu).is_some());
        let Some(passes) = passes_on(kind, &codes_on(kind, &here), self.watchdog) else { return vec![part] };
        let of = |pass: &schedule::Pass| pass.events.iter().map(|&index| here[index].clone()).collect();
        let mut parts: Vec<Vec<Event>> = passes.passes.iter().map(of).collect();
        // What only the other kind of core counts rides along.
        match parts.first_mut() {
            Some(first) => first.extend(elsewhere),
            None => parts.push(elsewhere),
        }
        parts
    }
}

/// The codes of those of the events that a kind of core counts.
fn codes_on(kind: &CoreKind, events: &[Event]) -> Vec<Code> {
    events.iter().filter_map(|event| event.code_on(&kind.pmu)).cloned().collect()
}

/// The passes that a kind of core takes for codes; `None` where its rules are not known.
fn passes_on(kind: &CoreKind, codes: &[Code], watchdog: bool) -> Option<Passes> {
    let pmu = &kind.uarch.as_ref().ok()?.pmu;
    let reserved: Vec<Code> = pmu.rules.watchdog().filter(|_| watchdog).into_iter().collect();
    Some(pmu.rules.passes(&pmu.generic, codes, &reserved))
}

/// Every code of the catalogue that Linux refuses on these cores, whoever asks for it, with its reason; by the maker's name.
#[must_use]
pub fn refused_codes(vocabulary: &Vocabulary) -> BTreeMap<String, (Code, String)> {
    let mut refused = BTreeMap::new();
    for kind in vocabulary.cores() {
        let Ok(uarch) = &kind.uarch else { continue };
        for event in &uarch.events {
            let known = vocabulary.event(&event.name).ok();
            let Some(code) = known.as_ref().and_then(|event| event.code_on(&kind.pmu)) else { continue };
            let passes = passes_on(kind, std::slice::from_ref(code), false);
            if let Some((_, why)) = passes.and_then(|passes| passes.refused.into_iter().next()) {
                refused.insert(event.name.clone(), (code.clone(), why));
            }
        }
    }
    refused
}

#[cfg(test)]
mod tests;
