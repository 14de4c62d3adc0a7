//! Trying passes on this machine before the first trial: what its kernel refuses is split again, what never counts is told.

use std::collections::{BTreeMap, VecDeque};

use crate::event::{Event, Kind};
use crate::group::{Cores, Pass, ThreadEvents};
use crate::names::{CoreKind, Vocabulary};
use crate::perf::{Linux, Perf, Source, Target};
use crate::unavailable::Unavailable;

/// What became of trying passes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settled {
    /// Those that this kernel counts.
    pub passes: Vec<Pass>,
    /// The events that it does not count, each with its reason.
    pub unavailable: Vec<(Event, Unavailable)>,
    /// Whether each event that counts was seen to move, by name.
    pub moved: BTreeMap<String, bool>,
    /// The events whose counts come from another call than perf_event's, by name, each with the call and why.
    pub instead: BTreeMap<String, String>,
}

/// Counts each pass once on the calling thread, which is pinned to `pu`, while `stimulus` does what should move its events. An event that
/// opens alone but not beside the others gets a pass of its own making; a pass that is never given the PMU, because somebody else holds
/// a counter of it, is halved.
pub fn settle(passes: Vec<Pass>, pu: Option<u32>, stimulus: &mut dyn FnMut()) -> Settled {
    settle_with(&|| Box::new(Linux), passes, pu, Vocabulary::here().cores(), stimulus)
}

pub(crate) fn settle_with(
    perf: &dyn Fn() -> Box<dyn Perf>,
    passes: Vec<Pass>,
    pu: Option<u32>,
    kinds: &[CoreKind],
    stimulus: &mut dyn FnMut(),
) -> Settled {
    let mut settled = Settled::default();
    // In every pass, so not to be tried as part of what does not fit.
    let mut waiting: VecDeque<Pass> = passes.into();
    while let Some(pass) = waiting.pop_front() {
        let mut opened = ThreadEvents::open_with(perf(), &pass, Cores { pu, kinds }, Target::ThisThread);
        let counts = counted(&mut opened, stimulus);
        let (apart, gone): (Vec<_>, Vec<_>) =
            opened.unavailable().iter().cloned().partition(|(_, why)| *why == Unavailable::NotTogether);
        settled.unavailable.extend(gone);
        for event in opened.events() {
            if let Some(source @ Source::Instead { .. }) = opened.source(event) {
                settled.instead.insert(event.name().to_owned(), source.to_string());
            }
        }
        let mut held = Vec::new();
        let mut starved = Vec::new();
        for (event, count) in counts {
            match count {
                Ok(count) => {
                    *settled.moved.entry(event.name().to_owned()).or_default() |= count.value > 0;
                    held.push(event);
                }
                Err(Unavailable::NeverRan { enabled_ns }) if of_core(&event) && enabled_ns > 0 => starved.push(event),
                // A thread that was off its PU all the time shows nothing of an event that the OS accounts.
                Err(Unavailable::NeverRan { .. }) => held.push(event),
                Err(why) => settled.unavailable.push((event, why)),
            }
        }
        let mut again: Vec<Event> = apart.into_iter().map(|(event, _)| event).collect();
        if starved.len() > 1 {
            again.extend(starved.split_off(starved.len().div_ceil(2)));
            waiting.push_front(with(&pass, &starved, &held));
        } else if let Some(event) = starved.pop() {
            // Alone among the core's events it was never given a counter.
            let why = Unavailable::NeverRan { enabled_ns: 1 };
            settled.unavailable.push((event, why));
            settled.passes.push(Pass { events: held.clone(), ..pass.clone() });
        } else {
            settled.passes.push(Pass { events: held.clone(), ..pass.clone() });
        }
        if !again.is_empty() {
            let beside: Vec<Event> = held.iter().filter(|event| !of_core(event)).cloned().collect();
            waiting.push_front(with(&pass, &again, &beside));
        }
    }
    tidy(&mut settled);
    settled
}

/// A pass like `pass` of these events, in the order of `pass`.
fn with(pass: &Pass, events: &[Event], beside: &[Event]) -> Pass {
    let kept = pass.events.iter().filter(|event| events.contains(event) || beside.contains(event));
    Pass { events: kept.cloned().collect(), ..pass.clone() }
}

fn of_core(event: &Event) -> bool {
    event.kind() == Kind::Hardware
}

fn counted(opened: &mut ThreadEvents, stimulus: &mut dyn FnMut()) -> Vec<(Event, Result<crate::Count, Unavailable>)> {
    if opened.events().is_empty() {
        return Vec::new();
    }
    let (mut before, mut after) = (opened.blank(), opened.blank());
    opened.enable();
    opened.snapshot(&mut before);
    stimulus();
    opened.snapshot(&mut after);
    opened.counts(&before, &after)
}

/// One reason an event; no pass without an event of its own, unless there is no other.
fn tidy(settled: &mut Settled) {
    let mut seen = Vec::new();
    settled.unavailable.retain(|(event, _)| {
        let new = !seen.contains(event);
        seen.push(event.clone());
        new
    });
    // What failed in one pass and counts in another is counted.
    let counted: Vec<Event> = settled.passes.iter().flat_map(|pass| pass.events.iter().cloned()).collect();
    settled.unavailable.retain(|(event, _)| !counted.contains(event));
    let all = std::mem::take(&mut settled.passes);
    for (index, pass) in all.iter().enumerate() {
        let elsewhere =
            |event: &Event| all.iter().enumerate().any(|(other, pass)| other != index && pass.events.contains(event));
        let own = pass.events.iter().any(|event| !elsewhere(event));
        let first_of_equals = all.iter().position(|other| other.events == pass.events) == Some(index);
        let only = all.len() == 1 || (all.iter().all(|other| other.events == pass.events) && first_of_equals);
        if !pass.events.is_empty() && (own || only) {
            settled.passes.push(pass.clone());
        }
    }
}

/// The most descriptors that a thread which counts any of these passes holds.
#[must_use]
pub fn descriptors(passes: &[Pass]) -> usize {
    let of = |pass: &Pass| {
        let codes = pass.events.iter().filter(|event| event.codes().is_ok()).count();
        codes + pass.companions.len()
    };
    passes.iter().map(of).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perf::fake::Fake;
    use crate::perf::{Handle, Scope};

    fn events(list: &str) -> Vec<Event> {
        Vocabulary::bare().list(list).expect("names of the catalogue")
    }

    fn names(pass: &Pass) -> Vec<&str> {
        pass.events.iter().map(Event::name).collect()
    }

    fn settled(fake: &Fake, passes: Vec<Pass>) -> Settled {
        let bare = Vocabulary::bare();
        let settled = settle_with(&|| Box::new(fake.clone()), passes, None, bare.cores(), &mut || fake.advance());
        assert_eq!(fake.still_open(), [], "what was opened is closed");
        settled
    }

    #[test]
    fn what_the_kernel_refuses_beside_others_is_split_not_zeroed() {
        let fake = Fake::counting();
        fake.counters(2);
        let all = "task-clock, cycles, instructions, branches, branch-misses, cache-misses";
        let settled = settled(&fake, vec![Pass::of(&events(all))]);
        assert_eq!(settled.unavailable, []);
        let passes: Vec<Vec<&str>> = settled.passes.iter().map(names).collect();
        let expected: [&[&str]; 3] = [
            &["task-clock", "cycles", "instructions"],
            &["task-clock", "branches", "branch-misses"],
            &["task-clock", "cache-misses"],
        ];
        assert_eq!(passes, expected);
        assert!(settled.moved.values().all(|&moved| moved), "{:?}", settled.moved);
    }

    #[test]
    fn a_group_that_never_gets_the_pmu_is_halved_until_it_does() {
        // The kernel validates a group against all counters, though somebody holds one for good.
        let fake = Fake::counting();
        fake.schedules(3);
        let settled = settled(&fake, vec![Pass::of(&events("cycles, instructions, branches, cache-misses"))]);
        assert_eq!(settled.unavailable, []);
        let passes: Vec<Vec<&str>> = settled.passes.iter().map(names).collect();
        assert_eq!(passes, [vec!["branches", "cache-misses"], vec!["cycles", "instructions"]]);
    }

    #[test]
    fn an_event_that_never_counts_even_alone_is_told() {
        let fake = Fake::counting();
        fake.schedules(0);
        let settled = settled(&fake, vec![Pass::of(&events("context-switches, cycles, instructions"))]);
        let told: Vec<&str> = settled.unavailable.iter().map(|(event, _)| event.name()).collect();
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(settled.unavailable.iter().all(|(_, why)| matches!(why, Unavailable::NeverRan { .. })));
        assert_eq!(settled.passes.iter().map(names).collect::<Vec<_>>(), [["context-switches"]]);
    }

    #[test]
    fn an_event_that_opens_and_reads_zero_has_not_moved() {
        let fake = Fake::counting();
        fake.stuck("branch-misses");
        let settled = settled(&fake, vec![Pass::of(&events("cycles, branch-misses"))]);
        assert_eq!(settled.moved, BTreeMap::from([("branch-misses".to_owned(), false), ("cycles".to_owned(), true)]));
    }

    #[test]
    fn what_another_call_counts_is_told_with_the_reason() {
        let fake = Fake::counting();
        fake.script_paranoid(2);
        fake.refuse("context-switches", None, libc::EACCES);
        let settled = settled(&fake, vec![Pass::of(&events("task-clock, context-switches"))]);
        assert_eq!(settled.unavailable, []);
        let told: Vec<(&str, &str)> =
            settled.instead.iter().map(|(name, source)| (name.as_str(), source.as_str())).collect();
        assert!(
            matches!(told[..], [("context-switches", source)] if source.contains("getrusage") && source.contains("is 2")),
            "{told:?}"
        );
    }

    #[test]
    fn no_pmu_leaves_the_software_events_in_one_pass() {
        let fake = Fake::counting();
        for name in ["cycles", "instructions", "branches"] {
            fake.refuse(name, None, libc::ENOENT);
        }
        let two = vec![
            Pass::of(&events("task-clock, cycles, instructions")),
            Pass::of(&events("task-clock, cycles, branches")),
        ];
        let settled = settled(&fake, two);
        assert_eq!(settled.passes.iter().map(names).collect::<Vec<_>>(), [["task-clock"]]);
        assert_eq!(settled.unavailable.len(), 3, "each once: {:?}", settled.unavailable);
        assert_eq!(settle_with(&|| Box::new(fake.clone()), vec![], None, &[], &mut || ()), Settled::default());
    }

    #[test]
    fn multiplexed_events_lead_groups_of_their_own() {
        let fake = Fake::counting();
        fake.counters(2);
        let pass = Pass {
            multiplex: true,
            ..Pass::of(&events("cycles, instructions, branches, branch-misses, cache-misses"))
        };
        let settled = settled(&fake, vec![pass]);
        assert_eq!((settled.passes.len(), settled.unavailable.len()), (1, 0));
        let leaders =
            fake.opened().iter().filter(|(_, opened)| opened.leader.is_none() && opened.scope == Scope::User).count();
        // Those that were tried alone to tell a misfit from a refusal lead nothing that stays.
        assert!(leaders >= 3, "{leaders}");
        assert!(fake.opened().iter().all(|(handle, opened)| opened.leader != Some(*handle) && *handle != Handle(-1)));
    }
}
