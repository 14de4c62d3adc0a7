//! Trying passes on this machine before the first trial: what its kernel refuses is split again, what never counts is told.

use std::collections::{BTreeMap, VecDeque};
use std::thread;
use std::time::Duration;

use crate::event::{Event, Kind};
use crate::group::{Cores, Pass, ThreadEvents};
use crate::names::Vocabulary;
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
/// a counter of it, is halved. Cycles and instructions are added where that leaves room for them. When `go_on` says no, what was not tried yet
/// stays as planned.
pub fn settle(passes: Vec<Pass>, pu: Option<u32>, stimulus: &mut dyn FnMut(), go_on: &dyn Fn() -> bool) -> Settled {
    settle_with(&|| Box::new(Linux), passes, Cores { pu, kinds: Vocabulary::here().cores() }, stimulus, go_on)
}

pub(crate) fn settle_with(
    perf: Layer<'_>,
    passes: Vec<Pass>,
    cores: Cores<'_>,
    stimulus: &mut dyn FnMut(),
    go_on: &dyn Fn() -> bool,
) -> Settled {
    let mut settled = Settled::default();
    let mut waiting: VecDeque<Pass> = passes.into();
    while let Some(pass) = waiting.pop_front() {
        if !go_on() {
            settled.passes.push(pass);
            continue;
        }
        let came = Came::of(tried(perf, &pass, cores, stimulus));
        for next in came.again(&pass).into_iter().rev() {
            if smaller(&next, &pass) {
                waiting.push_front(next);
            } else {
                settled.unavailable.extend(next.events.iter().map(|event| (event.clone(), Unavailable::NotTogether)));
            }
        }
        came.into(&pass, &mut settled);
    }
    tidy(&mut settled);
    for index in 0..settled.passes.len() {
        if go_on() {
            fill(&mut settled, index, &mut |pass| Came::of(tried(perf, pass, cores, stimulus)));
        }
    }
    settled
}

/// Whether a pass asks for less than another, so that trying ever smaller ones comes to an end.
fn smaller(next: &Pass, pass: &Pass) -> bool {
    next.events.len() + next.companions.len() < pass.events.len() + pass.companions.len()
}

/// What came of trying a pass.
#[derive(Default)]
struct Came {
    /// Those that count, each with whether it moved, where that is known.
    held: Vec<(Event, Option<bool>)>,
    /// Those that open alone but not beside the others.
    apart: Vec<Event>,
    /// Those of the core that were never given a counter.
    starved: Vec<Event>,
    starved_ns: u64,
    gone: Vec<(Event, Unavailable)>,
    instead: Vec<(Event, String)>,
}

impl Came {
    fn of((opened, counts): (ThreadEvents, Counts)) -> Came {
        let mut came = Came::default();
        for (event, why) in opened.unavailable() {
            match why {
                Unavailable::NotTogether => came.apart.push(event.clone()),
                _ => came.gone.push((event.clone(), why.clone())),
            }
        }
        for event in opened.events() {
            if let Some(source @ Source::Instead { .. }) = opened.source(event) {
                came.instead.push((event.clone(), source.to_string()));
            }
        }
        for (event, count) in counts {
            match count {
                Ok(count) => came.held.push((event, Some(count.value > 0))),
                Err(Unavailable::NeverRan { enabled_ns }) if of_core(&event) && enabled_ns > 0 => {
                    came.starved_ns = enabled_ns;
                    came.starved.push(event);
                }
                // A thread that was off its PU all the time shows nothing of an event that the OS accounts.
                Err(Unavailable::NeverRan { .. }) => came.held.push((event, None)),
                Err(why) => came.gone.push((event, why)),
            }
        }
        came
    }

    fn holds(&self) -> Vec<Event> {
        self.held.iter().map(|(event, _)| event.clone()).collect()
    }

    /// The passes to be tried in place of this one for what it did not count.
    fn again(&self, pass: &Pass) -> Vec<Pass> {
        let held = self.holds();
        let (mut again, others): (Vec<Event>, Vec<Event>) = self.apart.iter().cloned().partition(of_core);
        let mut next = Vec::new();
        if self.starved.len() > 1 {
            let (first, second) = self.starved.split_at(self.starved.len().div_ceil(2));
            next.push(with(pass, first, &held));
            again.extend_from_slice(second);
        }
        if !again.is_empty() {
            // What the kernel itself counts is beside them here too. Where nothing of the core held, it is the companion that they do not go with.
            let beside: Vec<Event> = held.iter().filter(|event| !of_core(event)).cloned().collect();
            let alone = !held.iter().chain(&self.starved).any(of_core);
            let companions = if alone { Vec::new() } else { pass.companions.clone() };
            next.push(Pass { companions, ..with(pass, &again, &beside) });
        }
        if !others.is_empty() {
            next.push(Pass { companions: Vec::new(), ..with(pass, &others, &[]) });
        }
        next
    }

    /// Keeps what counts.
    fn into(self, pass: &Pass, settled: &mut Settled) {
        let events = self.holds();
        for (event, moved) in &self.held {
            if let Some(moved) = moved {
                *settled.moved.entry(event.name().to_owned()).or_default() |= moved;
            }
        }
        settled.instead.extend(self.instead.into_iter().map(|(event, call)| (event.name().to_owned(), call)));
        settled.unavailable.extend(self.gone);
        match &self.starved[..] {
            // One that starved alone among the core's events was never given a counter.
            [only] => {
                settled.unavailable.push((only.clone(), Unavailable::NeverRan { enabled_ns: self.starved_ns }));
            }
            [] => {}
            // Tried again with fewer.
            _ => return,
        }
        settled.passes.push(Pass { events, ..pass.clone() });
    }
}

/// Adds cycles and instructions that other passes count, where this one has room for them after all.
fn fill(settled: &mut Settled, index: usize, attempt: &mut dyn FnMut(&Pass) -> Came) {
    let base = |event: &&Event| event.is_base();
    let mut counted: Vec<Event> = settled.passes.iter().flat_map(|pass| &pass.events).filter(base).cloned().collect();
    counted.dedup();
    let of_others = |event: &Event| !of_core(event);
    for event in counted {
        let pass = &settled.passes[index];
        if pass.multiplex || pass.events.contains(&event) || pass.events.iter().all(of_others) {
            continue;
        }
        let mut more = pass.clone();
        more.events.push(event);
        let came = attempt(&more);
        if came.held.len() == more.events.len() {
            settled.passes[index] = more;
        }
    }
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

/// How long is waited before a pass is tried anew, and after the last time what may pass is a verdict.
const PAUSES: [Duration; 3] = [Duration::from_millis(1), Duration::from_millis(10), Duration::from_millis(100)];

/// Opens a pass and counts it once; anew where something failed that may be over the next time.
fn tried(perf: Layer<'_>, pass: &Pass, cores: Cores<'_>, stimulus: &mut dyn FnMut()) -> (ThreadEvents, Counts) {
    let mut attempt = || {
        let mut opened = ThreadEvents::open_with(perf(), pass, cores, Target::ThisThread);
        let counts = counted(&mut opened, stimulus);
        (opened, counts)
    };
    for pause in PAUSES {
        let (opened, counts) = attempt();
        let refused = opened.unavailable().iter().map(|(_, why)| why);
        if !refused.chain(counts.iter().filter_map(|(_, count)| count.as_ref().err())).any(Unavailable::may_pass) {
            return (opened, counts);
        }
        drop(opened);
        thread::sleep(pause);
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
