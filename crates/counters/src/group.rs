//! The events of one thread: opened together, enabled once, read in one call a group.

mod open;

pub(crate) use open::Cores;

use std::hint::black_box;
use std::marker::PhantomData;
use std::rc::Rc;

use crate::clock::Clock;
use crate::code::Code;
use crate::event::{Event, Fallback, Kind, Role};
use crate::names::Vocabulary;
use crate::perf::{Handle, Linux, Perf, Source, Target};
use crate::rules::{self, HEADER_WORDS};
use crate::snapshot::{Count, GroupSnapshot, Snapshot};
use crate::unavailable::Unavailable;

/// The events of the thread that opened them, wherever it runs.
///
/// All events of a pass form one group, so that they are read in one call and counted over the same time; only a [`Pass`] that multiplexes
/// makes more groups than one of hardware events, with the kernel's events apart from them, and events of other PMUs are apart always. Hardware events count user mode alone (`exclude_kernel`, `exclude_hv`): what the measured loop does, and permitted at
/// `perf_event_paranoid` 2. Where a PMU cannot leave the kernel out, they count it as well and [`source`](Self::source) says so.
/// `context-switches` and `cpu-migrations` happen in the kernel, so user mode alone would read 0 for ever: they count both.
/// Where perf_event refuses a software event that `getrusage` or the thread's CPU clock also know, these stand in, named so.
///
/// It stays on its thread, and its descriptors are closed when it is dropped.
pub struct ThreadEvents {
    perf: Box<dyn Perf>,
    groups: Vec<Group>,
    events: Vec<Event>,
    places: Vec<(Place, Source)>,
    unavailable: Vec<(Event, Unavailable)>,
    /// Whether each event is read for itself, as the kernel reads those that follow children.
    ungrouped: bool,
    on_its_thread: PhantomData<Rc<()>>,
}

/// Events that are counted together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pass {
    /// The events.
    pub events: Vec<Event>,
    /// Codes that are opened before them because the PMU's rules want it; their counts are not told.
    pub companions: Vec<Code>,
    /// Whether hardware events that do not fit the PMU together take turns on it, rather than be refused.
    pub multiplex: bool,
}

impl Pass {
    /// These events and nothing beside them, all at the same time.
    #[must_use]
    pub fn of(events: &[Event]) -> Pass {
        Pass { events: events.to_vec(), ..Pass::default() }
    }
}

/// Events that share a leader, the first of them.
#[derive(Debug)]
struct Group {
    holds: Holds,
    handles: Vec<Handle>,
    /// Why none of them counts, though they opened.
    failed: Option<Unavailable>,
}

/// Which events a group is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    /// Those of the kernel, where no event of the core is counted beside them.
    Kernel,
    /// Those of the core's PMU, and the kernel's with them.
    Core,
    /// Those of another PMU, by its type.
    Other(u32),
}

/// Where an event's count is found in a snapshot.
#[derive(Clone, Copy, Debug)]
enum Place {
    Member { group: usize, index: usize },
    Usage(Fallback),
}

impl ThreadEvents {
    /// Opens the events for the calling thread, not yet counting; on hybrid processors those that count on `pu`, where the thread is pinned.
    /// An event that is there twice is opened once. What does not open is in [`unavailable`](Self::unavailable); nothing of that stops
    /// the others.
    #[must_use]
    pub fn open(pass: &Pass, pu: Option<u32>) -> ThreadEvents {
        ThreadEvents::open_with(
            Box::new(Linux),
            pass,
            Cores { pu, kinds: Vocabulary::here().cores() },
            Target::ThisThread,
        )
    }

    /// The events that are counted, in the order asked for.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The events that could not be opened, in the order asked for, each with its reason.
    #[must_use]
    pub fn unavailable(&self) -> &[(Event, Unavailable)] {
        &self.unavailable
    }

    /// Where the count of an event comes from; `None` for one that is not counted.
    #[must_use]
    pub fn source(&self, event: &Event) -> Option<&Source> {
        let index = self.events.iter().position(|counted| counted == event)?;
        Some(&self.places[index].1)
    }

    /// Starts counting. Meant to be called once before a trial: it costs some ten microseconds. Events that the kernel then does not start
    /// are absent from [`counts`](Self::counts), with the reason.
    pub fn enable(&mut self) {
        for group in &mut self.groups {
            let errno = self.perf.enable(group.handles[0]).err();
            group.failed = errno.map(|errno| Unavailable::from_errno(errno, false, None));
        }
    }

    /// Stops counting; the counts stay. Events whose counts come from `getrusage` or a clock run on.
    pub fn disable(&mut self) {
        for group in &mut self.groups {
            // A group that cannot be stopped only counts on, past the snapshot that matters.
            let _ = self.perf.disable(group.handles[0]);
        }
    }

    /// A snapshot with room for these events, so that filling it allocates nothing.
    #[must_use]
    pub fn blank(&self) -> Snapshot {
        let mut snapshot = Snapshot::default();
        self.fit(&mut snapshot);
        snapshot
    }

    /// Reads all counters: one system call a group, no allocation once `snapshot` came from [`blank`](Self::blank) or was filled before.
    pub fn snapshot(&mut self, snapshot: &mut Snapshot) {
        self.fit(snapshot);
        for (group, into) in self.groups.iter().zip(&mut snapshot.groups) {
            into.read = self.perf.read(group.handles[0], &mut into.words);
            if self.ungrouped {
                into.as_group_of_one();
            }
        }
        if self.places.iter().any(|(place, _)| matches!(place, Place::Usage(_))) {
            snapshot.usage = Some(self.perf.usage());
        }
    }

    fn fit(&self, snapshot: &mut Snapshot) {
        snapshot.usage = None;
        snapshot.groups.truncate(self.groups.len());
        while snapshot.groups.len() < self.groups.len() {
            snapshot.groups.push(GroupSnapshot { words: Vec::new(), read: Ok(0) });
        }
        for (group, into) in self.groups.iter().zip(&mut snapshot.groups) {
            into.words.resize(HEADER_WORDS + group.handles.len(), 0);
            into.read = Ok(0);
        }
    }

    /// What was counted between two snapshots of these events, in the order of [`events`](Self::events): a count as read, or why there is
    /// none. A count that never ran, or that cannot be right, is never a number.
    #[must_use]
    pub fn counts(&self, before: &Snapshot, after: &Snapshot) -> Vec<(Event, Result<Count, Unavailable>)> {
        let absent = || Unavailable::Inconsistent { what: "the snapshot is of other events".to_owned() };
        let by_group: Vec<Vec<Result<Count, Unavailable>>> = self
            .groups
            .iter()
            .enumerate()
            .map(|(index, group)| {
                let members = group.handles.len();
                match (&group.failed, before.groups.get(index), after.groups.get(index)) {
                    (Some(why), _, _) => vec![Err(why.clone()); members],
                    (None, Some(before), Some(after)) => rules::difference(before, after, members),
                    _ => vec![Err(absent()); members],
                }
            })
            .collect();
        let mut counts: Vec<_> = self
            .events
            .iter()
            .zip(&self.places)
            .map(|(event, (place, _))| {
                let count = match *place {
                    Place::Member { group, index } => by_group[group][index].clone(),
                    Place::Usage(fallback) => used(fallback, before, after),
                };
                let own_time = event.kind() == Kind::Software && event.role() == Role::Time;
                (event.clone(), if own_time { count.and_then(rules::possible_time) } else { count })
            })
            .collect();
        distrust_idle_cycles(&mut counts);
        counts
    }
}

/// The difference of what the operating system accounts to the thread. It is accounted whenever the thread is on a PU.
fn used(fallback: Fallback, before: &Snapshot, after: &Snapshot) -> Result<Count, Unavailable> {
    let total = |snapshot: &Snapshot, fallback| match snapshot.usage {
        Some(Ok(usage)) => {
            usage.total(fallback).ok_or_else(|| rules::inconsistent("its total does not fit 64 bits".to_owned()))
        }
        Some(Err(errno)) => Err(Unavailable::from_errno(errno, false, None)),
        None => Err(rules::inconsistent("the snapshot is of other events".to_owned())),
    };
    let value = rules::fallen("total", total(before, fallback)?, total(after, fallback)?)?;
    let time = Fallback::ThreadTime;
    let ran_ns = rules::fallen("CPU time", total(before, time)?, total(after, time)?)?;
    if ran_ns == 0 {
        return Err(Unavailable::NeverRan { enabled_ns: 0 });
    }
    Ok(Count { value, enabled_ns: ran_ns, running_ns: ran_ns })
}

/// Some virtual PMUs count instructions and leave cycles at 0: a thread that retired instructions took cycles.
fn distrust_idle_cycles(counts: &mut [(Event, Result<Count, Unavailable>)]) {
    let instructions = counts.iter().any(|(event, count)| {
        event.kind() == Kind::Hardware
            && event.role() == Role::Instructions
            && matches!(count, Ok(count) if count.value > 0)
    });
    for (event, count) in counts {
        let idle = matches!(count, Ok(count) if count.value == 0);
        if instructions && idle && event.role() == Role::Cycles {
            *count = Err(rules::inconsistent("0 cycles while instructions were counted".to_owned()));
        }
    }
}

impl Drop for ThreadEvents {
    fn drop(&mut self) {
        for group in &self.groups {
            // Members first: closing a leader would turn them into groups of their own.
            for &handle in group.handles.iter().rev() {
                self.perf.close(handle);
            }
        }
    }
}

/// What one snapshot of these events costs, nanoseconds: the least mean over a batch. Takes about a millisecond.
#[must_use]
pub fn read_cost(events: &mut ThreadEvents, clock: &Clock) -> f64 {
    const BATCHES: usize = 20;
    const READS: usize = 50;
    let mut snapshot = events.blank();
    let mut least = u64::MAX;
    for _ in 0..BATCHES {
        let start = clock.now();
        for _ in 0..READS {
            events.snapshot(&mut snapshot);
            black_box(&snapshot);
        }
        least = least.min(clock.now().saturating_sub(start));
    }
    clock.ns(least) / READS as f64
}

#[cfg(test)]
mod tests;
