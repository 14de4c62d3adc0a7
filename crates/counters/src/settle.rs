//! Trying passes on this machine before the first trial: what its kernel refuses is split again, what never counts is told.

use std::collections::{BTreeMap, VecDeque};

use crate::event::{Event, Kind};
use crate::group::{Cores, Pass, ThreadEvents};
use crate::names::{CoreKind, Vocabulary};
use crate::opening::Layer;
use crate::perf::{Linux, Source, Target};
use crate::snapshot::Count;
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
    perf: Layer<'_>,
    passes: Vec<Pass>,
    pu: Option<u32>,
    kinds: &[CoreKind],
    stimulus: &mut dyn FnMut(),
) -> Settled {
    let mut settled = Settled::default();
    let mut waiting: VecDeque<Pass> = passes.into();
    while let Some(pass) = waiting.pop_front() {
        let (opened, counts) = tried(perf, &pass, Cores { pu, kinds }, stimulus);
        let (apart, gone): (Vec<_>, Vec<_>) =
            opened.unavailable().iter().cloned().partition(|(_, why)| *why == Unavailable::NotTogether);
        settled.unavailable.extend(gone);
        for event in opened.events() {
            if let Some(source @ Source::Instead { .. }) = opened.source(event) {
                settled.instead.insert(event.name().to_owned(), source.to_string());
            }
        }
        let mut held = Vec::new();
        let (mut starved, mut starved_ns) = (Vec::new(), 0);
        for (event, count) in counts {
            match count {
                Ok(count) => {
                    *settled.moved.entry(event.name().to_owned()).or_default() |= count.value > 0;
                    held.push(event);
                }
                Err(Unavailable::NeverRan { enabled_ns }) if of_core(&event) && enabled_ns > 0 => {
                    starved_ns = enabled_ns;
                    starved.push(event);
                }
                // A thread that was off its PU all the time shows nothing of an event that the OS accounts.
                Err(Unavailable::NeverRan { .. }) => held.push(event),
                Err(why) => settled.unavailable.push((event, why)),
            }
        }
        let mut again: Vec<Event> = apart.into_iter().map(|(event, _)| event).collect();
        if starved.len() > 1 {
            again.extend(starved.split_off(starved.len().div_ceil(2)));
            waiting.push_front(with(&pass, &starved, &held));
        } else {
            // One that starved alone among the core's events was never given a counter.
            let why = Unavailable::NeverRan { enabled_ns: starved_ns };
            settled.unavailable.extend(starved.pop().map(|event| (event, why)));
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

/// What became of each event that opened.
type Counts = Vec<(Event, Result<Count, Unavailable>)>;

/// How often a pass is tried before what may pass is a verdict.
const TRIES: usize = 3;

/// Opens a pass and counts it once; anew where something failed that may be over the next time.
fn tried(perf: Layer<'_>, pass: &Pass, cores: Cores<'_>, stimulus: &mut dyn FnMut()) -> (ThreadEvents, Counts) {
    let mut attempt = || {
        let mut opened = ThreadEvents::open_with(perf(), pass, cores, Target::ThisThread);
        let counts = counted(&mut opened, stimulus);
        (opened, counts)
    };
    for _ in 1..TRIES {
        let (opened, counts) = attempt();
        let refused = opened.unavailable().iter().map(|(_, why)| why);
        if !refused.chain(counts.iter().filter_map(|(_, count)| count.as_ref().err())).any(Unavailable::may_pass) {
            return (opened, counts);
        }
    }
    attempt()
}

fn counted(opened: &mut ThreadEvents, stimulus: &mut dyn FnMut()) -> Counts {
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
    settled.passes.retain(|pass| !pass.events.is_empty());
    // One at a time and against those that stay, so that of equal passes the first is kept.
    for index in (0..settled.passes.len()).rev() {
        let elsewhere = |event: &Event| {
            settled.passes.iter().enumerate().any(|(other, pass)| other != index && pass.events.contains(event))
        };
        if settled.passes[index].events.iter().all(elsewhere) {
            settled.passes.remove(index);
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
mod tests;
