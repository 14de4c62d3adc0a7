//! The events of another process: its threads, and what they start.

use std::error::Error;
use std::fmt;
use std::fs;
use std::io;

use crate::descriptors::{TooFewDescriptors, make_room};
use crate::event::Event;
use crate::group::{Cores, Pass, ThreadEvents};
use crate::names::Vocabulary;
use crate::perf::{Linux, Perf, Target};
use crate::settle::descriptors;
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
    asked: Vec<Event>,
    /// Whether the process is another user's.
    foreign: bool,
    threads: Vec<(ThreadEvents, Snapshot)>,
}

/// Why a process cannot be attached to.
#[derive(Debug)]
pub enum AttachError {
    /// Its threads cannot be listed.
    Threads {
        /// The process.
        pid: u32,
        /// What the operating system said.
        error: io::Error,
    },
    /// Its threads times the events are more descriptors than this process may have.
    Descriptors {
        /// The process.
        pid: u32,
        /// How many threads it has.
        threads: usize,
        /// How many are needed.
        few: TooFewDescriptors,
    },
}

impl fmt::Display for AttachError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AttachError::Threads { pid, error } => write!(f, "the threads of process {pid} cannot be listed: {error}"),
            AttachError::Descriptors { pid, threads, few } => {
                write!(f, "process {pid} has {threads} threads: {few}; {}", few.cure())
            }
        }
    }
}

impl Error for AttachError {}

impl ProcessEvents {
    /// Opens the events of a pass for each thread of a process and starts them. What does not open is in
    /// [`unavailable`](Self::unavailable).
    ///
    /// # Errors
    /// [`AttachError`] where there is no such process, it may not be looked at, or it has too many threads for this process's descriptors; the
    /// soft limit is raised where that does.
    pub fn attach(pid: u32, pass: &Pass, follow: Follow) -> Result<ProcessEvents, AttachError> {
        ProcessEvents::attach_with(&|| Box::new(Linux), pid, pass, follow)
    }

    fn attach_with(
        perf: &dyn Fn() -> Box<dyn Perf>,
        pid: u32,
        pass: &Pass,
        follow: Follow,
    ) -> Result<ProcessEvents, AttachError> {
        let threads = threads(pid).map_err(|error| AttachError::Threads { pid, error })?;
        let needed = threads.len() * descriptors(std::slice::from_ref(pass));
        make_room(needed as u64).map_err(|few| AttachError::Descriptors { pid, threads: threads.len(), few })?;
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
        let status = |pid: &str| fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let foreign = is_foreign(&status("self"), &status(&pid.to_string()));
        Ok(ProcessEvents { follow, asked: pass.events.clone(), foreign, threads: opened })
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
            // A thread that ended while its events were opened counted nothing; the others tell.
            let ended = *why == Unavailable::NoSuchThread && self.is_counted(event);
            if !ended && !all.iter().any(|(other, _)| other == event) {
                all.push((event.clone(), of_process(why.clone(), self.foreign)));
            }
        }
        // No thread was left to tell.
        for event in &self.asked {
            if !self.is_counted(event) && !all.iter().any(|(other, _)| other == event) {
                all.push((event.clone(), Unavailable::NoSuchThread));
            }
        }
        all
    }

    fn is_counted(&self, event: &Event) -> bool {
        self.threads.iter().any(|(events, _)| events.events().contains(event))
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
        for (_, sum) in &mut sums {
            if *sum == Err(Unavailable::NeverRan { enabled_ns: 0 }) {
                *sum = Err(Unavailable::DidNotRun);
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

/// Whether the kernel takes the second process for another user's, by their `/proc/…/status`: its real, effective and saved ids must all be
/// the caller's real ones (`PTRACE_MODE_READ_REALCREDS`, ptrace(2)). Not where nothing is known.
fn is_foreign(own: &str, other: &str) -> bool {
    ["Uid:", "Gid:"].iter().any(|field| {
        let ids = |status: &str| -> Vec<String> {
            let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap_or_default();
            line.split_whitespace().take(3).map(str::to_owned).collect()
        };
        let own = ids(own);
        own.first().is_some_and(|real| ids(other).iter().any(|id| id != real))
    })
}

/// What a refusal means for a process: EACCES of another user's is for that reason, unless the level forbids counting one's own as well.
fn of_process(why: Unavailable, foreign: bool) -> Unavailable {
    match why {
        Unavailable::Confined { errno: libc::EACCES, .. } if foreign => Unavailable::OtherUser,
        Unavailable::Permission { errno: libc::EACCES, paranoid, .. }
            if foreign && paranoid.is_none_or(|it| it <= 2) =>
        {
            Unavailable::OtherUser
        }
        why => why,
    }
}

fn threads(pid: u32) -> io::Result<Vec<i32>> {
    let entries = fs::read_dir(format!("/proc/{pid}/task"))?;
    let mut threads: Vec<i32> =
        entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    threads.sort_unstable();
    Ok(threads)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perf::fake::Fake;

    fn attached(fake: &Fake) -> ProcessEvents {
        let pass = Pass::of(&Vocabulary::bare().list("cycles, context-switches").expect("names of the catalogue"));
        ProcessEvents::attach_with(&|| Box::new(fake.clone()), std::process::id(), &pass, Follow::Nothing)
            .expect("it runs")
    }

    fn reasons(fake: &Fake) -> Vec<Unavailable> {
        attached(fake).counts().into_iter().map(|(_, count)| count.expect_err("no count")).collect()
    }

    #[test]
    fn a_process_that_ended_has_no_event_and_says_so_of_each() {
        let fake = Fake::counting();
        fake.refuse_all(libc::ESRCH);
        assert_eq!(reasons(&fake), [Unavailable::NoSuchThread, Unavailable::NoSuchThread]);
        assert_eq!(attached(&fake).unavailable().len(), 2);
    }

    #[test]
    fn a_process_that_slept_all_the_time_did_not_run() {
        assert_eq!(reasons(&Fake::counting()), [Unavailable::DidNotRun, Unavailable::DidNotRun]);
    }

    #[test]
    fn another_users_process_is_told_from_ones_own() {
        let status = |uid: &str, gid: &str| format!("Name:\tx\nUid:\t{uid}\nGid:\t{gid}\n");
        let own = status("1000\t1000\t1000\t1000", "100\t100\t100\t100");
        assert!(!is_foreign(&own, &own) && !is_foreign(&own, "") && !is_foreign("", &own));
        assert!(is_foreign(&own, &status("0\t0\t0\t0", "100\t100\t100\t100")));
        assert!(is_foreign(&own, &status("1000\t0\t0\t0", "100\t100\t100\t100")), "set-user-id");
        assert!(is_foreign(&own, &status("1000\t1000\t1000\t1000", "7\t7\t7\t7")));
        for (errno, kernel, level, foreign) in [
            (libc::EACCES, false, Some(2), true),
            (libc::EACCES, true, Some(2), true),
            (libc::EACCES, false, Some(-1), true),
            (libc::EACCES, false, None, true),
            (libc::EACCES, false, Some(4), false),
            (libc::EPERM, false, Some(2), false),
        ] {
            let why = Unavailable::from_errno(errno, kernel, level);
            assert_eq!(of_process(why.clone(), false), why);
            assert_eq!(of_process(why, true) == Unavailable::OtherUser, foreign, "{errno} at {level:?}");
        }
    }
}
