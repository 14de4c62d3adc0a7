//! Which events are counted together: worked out from the processor's rules, before anything is opened.

use std::collections::BTreeMap;
use std::fs;

use crate::code::Code;
use crate::event::{Event, Kind, Role};
use crate::group::Pass;
use crate::names::{CoreKind, Vocabulary};
use crate::schedule::Passes;
use crate::unavailable::Unavailable;

/// Events parted into passes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountingPlan {
    /// As few passes as the core's PMU allows. Events that take no counter of it (the kernel's own, and those with a counter of their own)
    /// are in each.
    pub passes: Vec<Pass>,
    /// The events that cannot be counted, each with its reason.
    pub refused: Vec<(Event, Unavailable)>,
}

/// Whether the kernel's lockup detector may hold a counter of this machine's cores.
pub(crate) fn watchdog_is_on() -> bool {
    fs::read_to_string("/proc/sys/kernel/nmi_watchdog").is_ok_and(|text| text.trim() == "1")
}

/// Parts events into passes on the cores of `vocabulary`. With `multiplex` there is one pass, whose hardware events take turns.
/// `watchdog`: whether the lockup detector holds a counter.
#[must_use]
pub fn plan(events: &[Event], vocabulary: &Vocabulary, watchdog: bool, multiplex: bool) -> CountingPlan {
    let mut plan = CountingPlan::default();
    let mut counted: Vec<Event> = Vec::new();
    for event in events {
        match event.codes() {
            Ok(_) => counted.push(event.clone()),
            Err(why) => plan.refused.push((event.clone(), why.clone())),
        }
    }
    let (hardware, free): (Vec<Event>, Vec<Event>) =
        counted.iter().cloned().partition(|event| event.kind() == Kind::Hardware);
    let mut parts = vec![Part { events: hardware, companions: Vec::new() }];
    // On a hybrid processor each part must fit both kinds of core.
    for kind in vocabulary.cores() {
        parts = parts.into_iter().flat_map(|part| part.split(kind, watchdog, &mut plan.refused)).collect();
    }
    // What others are set against is counted wherever there is room for it.
    let wanted = |event: &&Event| matches!(event.role(), Role::Cycles | Role::Instructions);
    let base: Vec<Event> = parts.iter().flat_map(|part| &part.events).filter(wanted).cloned().collect();
    for part in &mut parts {
        for event in &base {
            part.add(event, vocabulary.cores(), watchdog);
        }
    }
    if multiplex {
        let all: Vec<Event> = parts.iter().flat_map(|part| part.events.iter().cloned()).collect();
        let companions = parts.into_iter().flat_map(|part| part.companions).collect();
        parts = vec![Part { events: all, companions }];
    }
    let in_order = |part: Part| {
        let mut events = free.clone();
        events.extend(part.events);
        Pass { events, companions: part.companions, multiplex }
    };
    plan.passes = parts.into_iter().map(in_order).filter(|pass| !pass.events.is_empty()).collect();
    plan
}

/// Hardware events that may fit together.
struct Part {
    events: Vec<Event>,
    companions: Vec<Code>,
}

impl Part {
    /// Counts an event too, if it fits all kinds of core beside the others.
    fn add(&mut self, event: &Event, kinds: &[CoreKind], watchdog: bool) {
        if self.events.contains(event) || !self.companions.is_empty() {
            return;
        }
        let mut more = self.events.clone();
        more.push(event.clone());
        let fits = |kind: &CoreKind| {
            let passes = passes_on(kind, &codes_on(kind, &more), watchdog);
            passes.is_some_and(|passes| passes.passes.len() <= 1 && passes.refused.is_empty())
        };
        if kinds.iter().all(fits) {
            self.events.push(event.clone());
        }
    }

    /// The parts that a kind of core counts at once; this one where its rules are not known, for the kernel to tell.
    fn split(self, kind: &CoreKind, watchdog: bool, refused: &mut Vec<(Event, Unavailable)>) -> Vec<Part> {
        let (here, elsewhere): (Vec<Event>, Vec<Event>) =
            self.events.iter().cloned().partition(|event| event.code_on(&kind.pmu).is_some());
        let Some(passes) = passes_on(kind, &codes_on(kind, &here), watchdog) else { return vec![self] };
        for (index, why) in passes.refused {
            refused.push((here[index].clone(), Unavailable::Refused { why }));
        }
        let companion = |code: Code| Code { pmu: kind.pmu.clone(), pmu_type: kind.pmu_type, ..code };
        let mut parts: Vec<Part> = passes
            .passes
            .into_iter()
            .map(|pass| Part {
                events: pass.events.iter().map(|&index| here[index].clone()).collect(),
                companions: self.companions.iter().cloned().chain(pass.companions.into_iter().map(companion)).collect(),
            })
            .collect();
        // What only the other kind of core counts rides along.
        match parts.first_mut() {
            Some(first) => first.events.extend(elsewhere),
            None => parts.push(Part { events: elsewhere, companions: self.companions }),
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
mod tests {
    use super::*;
    use crate::catalogue::uarch;

    fn names(pass: &Pass) -> Vec<&str> {
        pass.events.iter().map(Event::name).collect()
    }

    fn planned(on: &str, list: &str, multiplex: bool) -> CountingPlan {
        let vocabulary = Vocabulary::of(uarch(on).expect("one of the catalogue"));
        let events = vocabulary.list(list).unwrap_or_else(|errors| panic!("{errors:?}"));
        plan(&events, &vocabulary, false, multiplex)
    }

    #[test]
    fn power8_counts_its_contention_in_passes_that_fit_with_cycles_and_instructions_in_each() {
        let plan = planned("power8", "context-switches, cycles, instructions, contention, store-transfer", false);
        assert!(plan.passes.len() >= 2, "{plan:?}");
        for pass in &plan.passes {
            for name in ["context-switches", "cycles", "instructions"] {
                assert!(names(pass).contains(&name), "{name} in {:?}", names(pass));
            }
        }
        let [(event, why)] = &plan.refused[..] else { panic!("{:?}", plan.refused) };
        assert!(event.name() == "store-transfer" && why.cure().contains("ll-sc-failures"), "{why}; {}", why.cure());
    }

    #[test]
    fn cycles_and_instructions_are_counted_wherever_there_is_room() {
        // Six interchangeable counters, one of them the watchdog's: nothing has a counter of its own.
        let zen = Vocabulary::of(uarch("zen4").unwrap());
        let plan = plan(&zen.list("cycles, instructions, contention").unwrap(), &zen, true, false);
        assert_eq!(plan.passes.len(), 2, "{plan:?}");
        for pass in &plan.passes {
            let full = pass.events.len() == 5;
            assert!(full || ["cycles", "instructions"].iter().all(|name| names(pass).contains(name)), "{plan:?}");
        }
        assert!(plan.passes.iter().all(|pass| names(pass).contains(&"cycles")), "{plan:?}");
    }

    #[test]
    fn each_event_is_planned_or_refused_on_every_microarchitecture() {
        for uarch in crate::catalogue::uarchs() {
            let vocabulary = Vocabulary::of(uarch);
            let events = vocabulary.all();
            let plan = plan(&events, &vocabulary, true, false);
            for event in &events {
                let planned = plan.passes.iter().filter(|pass| pass.events.contains(event)).count();
                let refused = plan.refused.iter().filter(|(other, _)| other == event).count();
                assert!(
                    (planned > 0) != (refused > 0),
                    "{}: {event} is planned {planned} times, refused {refused}",
                    uarch.name
                );
            }
        }
    }

    #[test]
    fn what_linux_refuses_is_refused_with_the_reason() {
        let power8 = Vocabulary::of(uarch("power8").unwrap());
        let refused = refused_codes(&power8);
        let codes: Vec<u64> = refused.values().map(|(code, _)| code.config).collect();
        for code in [0x536088, 0x53608a, 0x537088, 0x54708c, 0x54708e, 0x53708a] {
            assert!(codes.contains(&code), "{code:#x} of {codes:x?}");
        }
        let plan = planned("power8", "PM_L2_RCST_DISP, cycles", false);
        assert!(
            matches!(&plan.refused[..], [(event, Unavailable::Refused { .. })] if event.name() == "PM_L2_RCST_DISP")
        );
    }

    #[test]
    fn on_a_hybrid_processor_each_pass_fits_both_kinds_of_core() {
        let kinds = ["alder-lake-p", "alder-lake-e"].map(|name| uarch(name).expect("in the catalogue"));
        let hybrid = Vocabulary::hybrid(&kinds);
        let list = "cycles, instructions, store-transfer, load-transfer-local, memory-ordering-clears, lock-loads, branches, \
                    branch-misses, cache-misses, cache-references, stalls-total, l2-rfo-misses";
        let events = hybrid.list(list).unwrap();
        let plan = plan(&events, &hybrid, true, false);
        for kind in hybrid.cores() {
            let uarch = kind.uarch.as_ref().unwrap();
            for pass in &plan.passes {
                let codes = codes_on(kind, &pass.events);
                assert_eq!(uarch.pmu.rules.check(&uarch.pmu.generic, &codes), [], "{}: {:?}", kind.pmu, names(pass));
            }
        }
        for event in &events {
            assert!(plan.passes.iter().any(|pass| pass.events.contains(event)), "{event}");
        }
        // The performance cores alone count locked loads.
        assert_eq!(hybrid.event("lock-loads").unwrap().codes().unwrap().len(), 1);
        assert_eq!(hybrid.event("store-transfer").unwrap().codes().unwrap().len(), 2);
    }

    #[test]
    fn multiplexing_is_one_pass() {
        let plan = planned("power8", "cycles, contention", true);
        assert!(plan.passes.len() == 1 && plan.passes[0].multiplex, "{plan:?}");
    }

    #[test]
    fn a_processor_that_is_not_known_leaves_it_to_the_kernel() {
        let bare = Vocabulary::bare();
        let events = bare.list("cycles, r1, r2, task-clock, store-transfer").unwrap();
        let plan = plan(&events, &bare, true, false);
        assert_eq!(plan.passes.len(), 1);
        assert_eq!(names(&plan.passes[0]), ["task-clock", "cycles", "r1", "r2"]);
        assert!(matches!(&plan.refused[..], [(_, Unavailable::UnknownProcessor { .. })]), "{:?}", plan.refused);
    }
}
