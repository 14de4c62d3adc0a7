//! The events of another process: its threads, and what they start.

use std::error::Error;
use std::fmt;
use std::fs;
use std::io;

use crate::event::Event;
use crate::group::{Cores, Pass, ThreadEvents};
use crate::names::Vocabulary;
use crate::perf::{Linux, Perf, Target};
use crate::snapshot::{Count, Snapshot};
use crate::unavailable::Unavailable;

/// Which threads are counted beside those that run when counting begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follow {
    /// No others: each thread's events form groups, so they are counted over the same time.
    Nothing,
    /// All threads and processes that those start from then on (`inherit`). The kernel has no groups for these: each event is read for
    /// itself, and where they share counters they are not counted over the same time.
    Children,
}

impl fmt::Display for Follow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Follow::Nothing => "the threads that ran when counting began, a group each",
            Follow::Children => {
                "the threads that ran when counting began and all that they started, each event for itself"
            }
        })
    }
}

/// The events of another process.
///
/// A thread that is started between the listing of the threads and the opening of its parent's events is missed; attach while the process
/// waits, as a wrapped command does before it begins.
pub struct ProcessEvents {
    follow: Follow,
    threads: Vec<(ThreadEvents, Snapshot)>,
}

/// Why a process cannot be attached to.
#[derive(Debug)]
pub struct AttachError {
    /// The process.
    pub pid: u32,
    /// What the operating system said of its threads.
    pub error: io::Error,
}

impl fmt::Display for AttachError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the threads of process {} cannot be listed: {}", self.pid, self.error)
    }
}

impl Error for AttachError {}

impl ProcessEvents {
    /// Opens the events of a pass for each thread of a process and starts them. What does not open is in
    /// [`unavailable`](Self::unavailable).
    ///
    /// # Errors
    /// [`AttachError`] where there is no such process, or it may not be looked at.
    pub fn attach(pid: u32, pass: &Pass, follow: Follow) -> Result<ProcessEvents, AttachError> {
        ProcessEvents::attach_with(&|| Box::new(Linux), pid, pass, follow)
    }

    fn attach_with(
        perf: &dyn Fn() -> Box<dyn Perf>,
        pid: u32,
        pass: &Pass,
        follow: Follow,
    ) -> Result<ProcessEvents, AttachError> {
        let threads = threads(pid).map_err(|error| AttachError { pid, error })?;
        let cores = Cores { pu: None, kinds: Vocabulary::here().cores() };
        let mut opened: Vec<(ThreadEvents, Snapshot)> = Vec::with_capacity(threads.len());
        for thread in threads {
            let target = match follow {
                Follow::Nothing => Target::Thread(thread),
                Follow::Children => Target::ThreadAndChildren(thread),
            };
            let events = ThreadEvents::open_with(perf(), pass, cores, target);
            // A thread that ended meanwhile counted nothing.
            let ended = events.events().is_empty()
                && events.unavailable().iter().any(|(_, why)| *why == Unavailable::NoSuchThread);
            if !ended {
                opened.push((events, Snapshot::default()));
            }
        }
        for (events, before) in &mut opened {
            events.enable();
            events.snapshot(before);
        }
        Ok(ProcessEvents { follow, threads: opened })
    }

    /// Which threads are counted.
    #[must_use]
    pub fn follow(&self) -> Follow {
        self.follow
    }

    /// The events that could not be opened for a thread, each with its reason; each once.
    #[must_use]
    pub fn unavailable(&self) -> Vec<(Event, Unavailable)> {
        let mut all: Vec<(Event, Unavailable)> = Vec::new();
        for (event, why) in self.threads.iter().flat_map(|(events, _)| events.unavailable()) {
            if !all.iter().any(|(other, _)| other == event) {
                all.push((event.clone(), why.clone()));
            }
        }
        all
    }

    /// What was counted since [`attach`](Self::attach), the sum over all threads: values, enabled and running times alike, so that the
    /// times of several threads may be more than the wall clock's. An event that one of them could not count has no sum.
    pub fn counts(&mut self) -> Vec<(Event, Result<Count, Unavailable>)> {
        let mut sums: Vec<(Event, Result<Count, Unavailable>)> = Vec::new();
        for (events, before) in &mut self.threads {
            let mut now = events.blank();
            events.snapshot(&mut now);
            for (event, count) in events.counts(before, &now) {
                let idle = matches!(count, Err(Unavailable::NeverRan { enabled_ns: 0 }));
                match sums.iter_mut().find(|(other, _)| *other == event) {
                    // A thread that slept all the time adds nothing.
                    Some(_) if idle => {}
                    Some((_, sum)) => *sum = add(sum.clone(), count),
                    None => sums.push((event, count)),
                }
            }
        }
        for (event, why) in self.unavailable() {
            match sums.iter_mut().find(|(other, _)| *other == event) {
                Some((_, sum)) => *sum = Err(why),
                None => sums.push((event, Err(why))),
            }
        }
        sums
    }
}

fn add(sum: Result<Count, Unavailable>, count: Result<Count, Unavailable>) -> Result<Count, Unavailable> {
    match (sum, count) {
        (Err(Unavailable::NeverRan { enabled_ns: 0 }), count) => count,
        (Ok(sum), Ok(count)) => Ok(Count {
            value: sum.value.saturating_add(count.value),
            enabled_ns: sum.enabled_ns.saturating_add(count.enabled_ns),
            running_ns: sum.running_ns.saturating_add(count.running_ns),
        }),
        (Err(why), _) | (_, Err(why)) => Err(why),
    }
}

fn threads(pid: u32) -> io::Result<Vec<i32>> {
    let entries = fs::read_dir(format!("/proc/{pid}/task"))?;
    let mut threads: Vec<i32> =
        entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    threads.sort_unstable();
    Ok(threads)
}
