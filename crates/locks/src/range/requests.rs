//! The requests that wait in a space: a set behind one mutex, all of them tried again at each release.

use super::{
    forest::{Forest, Wanted},
    tree::Memory,
};
use crate::{
    Counts,
    contract::Deadline,
    overtaking::{Overtaking, Ticket},
    sync::{
        Condvar, Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicU64, Ordering::SeqCst},
        lock, wait,
    },
};
use std::{collections::BTreeMap, sync::Arc};

/// A request, with a condition variable of its own. Made for each lock, also for one that is granted at once.
#[derive(Debug)]
pub(super) struct Asked {
    pub wanted: Wanted,
    granted: AtomicBool,
    changed: Condvar,
}

impl Asked {
    pub(super) fn new(wanted: Wanted) -> Asked {
        Asked { wanted, granted: AtomicBool::new(false), changed: Condvar::new() }
    }
}

/// What the mutex of the requests guards.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// By the numbers of the transactions: the oldest is tried first.
    requests: BTreeMap<u64, (Arc<Asked>, Option<Ticket>)>,
    pub overtaking: Overtaking,
}

impl Pending {
    /// Tries a request that waits again, for its worker, and wakes that one where the range is granted.
    fn try_for(&mut self, id: u64, forest: &Forest, memory: &Memory, counts: &mut Counts) {
        let Some((asked, ticket)) = self.requests.get(&id) else { return };
        if asked.granted.load(SeqCst) {
            return;
        }
        counts.retries_for_others += 1;
        let wanted = &asked.wanted;
        if forest.acquire(wanted, memory).is_ok() {
            counts.handed_over += 1;
            self.overtaking.grant(wanted.space, wanted.span, wanted.mode, *ticket);
            asked.granted.store(true, SeqCst);
            asked.changed.notify_all();
        }
    }
}

#[derive(Debug, Default)]
struct Retry {
    done: u64,
    running: bool,
}

#[derive(Debug, Default)]
pub(super) struct Requests {
    pending: Mutex<Pending>,
    /// Looked at without the mutex: whoever begins to wait tries again after it was set.
    waiting: AtomicBool,
    wanted_retries: AtomicU64,
    retry: Mutex<Retry>,
    retried: Condvar,
}

/// How a wait ended.
pub(super) enum End {
    Granted { blocked: bool },
    TimedOut,
    Cancelled,
    Deadlock,
}

/// The circumstances of a wait.
pub(super) struct Circumstances<'a> {
    pub forest: &'a Forest,
    pub memory: &'a Memory,
    pub deadline: Deadline,
    pub graph: bool,
    pub overtaking: bool,
    pub cancelled: &'a dyn Fn() -> bool,
}

impl Requests {
    pub(super) fn pending(&self) -> MutexGuard<'_, Pending> {
        lock(&self.pending)
    }

    /// Waits for a lock that was refused because of these transactions.
    pub(super) fn wait(
        &self,
        asked: &Arc<Asked>,
        conflicts: Vec<u64>,
        how: &Circumstances<'_>,
        counts: &mut Counts,
    ) -> End {
        let wanted = &asked.wanted;
        let mut pending = self.pending();
        pending.requests.insert(wanted.id, (Arc::clone(asked), None));
        self.waiting.store(true, SeqCst);
        if how.graph && circle(&mut pending, wanted.id, conflicts.clone(), how.forest, how.memory, counts) {
            self.leave(&mut pending, wanted.id, counts);
            return End::Deadlock;
        }
        if how.overtaking {
            let ticket = pending.overtaking.come(wanted.space, wanted.span, wanted.mode);
            if let Some(entry) = pending.requests.get_mut(&wanted.id) {
                entry.1 = Some(ticket);
            }
        }
        // Between the check for deadlocks and the wait the original lets the mutex go once.
        drop(pending);
        let mut pending = self.pending();
        let (mut blocked, mut woken, mut last) = (false, false, false);
        // Once more, with all retries by others locked out: what was released before this request was seen to wait wakes nobody.
        if !asked.granted.load(SeqCst) {
            counts.retries += 1;
            match how.forest.acquire(wanted, how.memory) {
                Ok(()) => {
                    asked.granted.store(true, SeqCst);
                    let ticket = pending.requests.get(&wanted.id).and_then(|entry| entry.1);
                    pending.overtaking.grant(wanted.space, wanted.span, wanted.mode, ticket);
                }
                // Others are in the way by now, and may wait for this one. The original does not look again, and leaves that deadlock to
                // the deadline.
                Err(others) if how.graph && others != conflicts => {
                    if circle(&mut pending, wanted.id, others, how.forest, how.memory, counts) {
                        self.leave(&mut pending, wanted.id, counts);
                        return End::Deadlock;
                    }
                }
                Err(_) => {}
            }
        }
        let end = loop {
            if asked.granted.load(SeqCst) {
                break End::Granted { blocked };
            }
            counts.wake_ups_in_vain += u64::from(woken);
            if last {
                break End::TimedOut;
            }
            if (how.cancelled)() {
                break End::Cancelled;
            }
            counts.waits += 1;
            blocked = true;
            let (again, timed_out) = wait(&asked.changed, pending, how.deadline);
            pending = again;
            (woken, last) = (!timed_out, timed_out);
            counts.wake_ups += u64::from(woken);
        };
        self.leave(&mut pending, wanted.id, counts);
        end
    }

    fn leave(&self, pending: &mut Pending, id: u64, counts: &mut Counts) {
        if let Some((_, Some(ticket))) = pending.requests.remove(&id) {
            pending.overtaking.leave(ticket, counts);
        }
        self.waiting.store(!pending.requests.is_empty(), SeqCst);
    }

    /// Tries all requests that wait again, unless a worker that comes later is about to, as the original groups its retries.
    pub(super) fn retry_all(&self, forest: &Forest, memory: &Memory, counts: &mut Counts) {
        if !self.waiting.load(SeqCst) {
            return;
        }
        let mine = self.wanted_retries.fetch_add(1, SeqCst) + 1;
        let mut retry = lock(&self.retry);
        if retry.done + 1 != mine {
            // Either somebody began after this release, or the one who is next in line will.
            return;
        }
        while retry.running {
            retry = wait(&self.retried, retry, Deadline::Never).0;
        }
        retry.running = true;
        retry.done = self.wanted_retries.load(SeqCst);
        drop(retry);
        self.retry_now(forest, memory, counts);
        lock(&self.retry).running = false;
        self.retried.notify_all();
    }

    fn retry_now(&self, forest: &Forest, memory: &Memory, counts: &mut Counts) {
        let mut pending = self.pending();
        let ids: Vec<u64> = pending.requests.keys().copied().collect();
        ids.into_iter().for_each(|id| pending.try_for(id, forest, memory, counts));
    }

    /// Wakes all who wait, to look whether they are cancelled.
    pub(super) fn wake_all(&self) {
        self.pending().requests.values().for_each(|(asked, _)| asked.changed.notify_all());
    }
}

/// Whether a transaction would wait for itself: over all that wait, with who is in their way just now. Waits in other trees are not seen,
/// as in the original, whose graph is a lock tree's own.
///
/// Somebody who waits may have nobody in the way and not know it: where a holder's shared ranges were merged into the very one that is
/// asked for, which nobody releases. That one is granted its range here.
fn circle(
    pending: &mut Pending,
    id: u64,
    conflicts: Vec<u64>,
    forest: &Forest,
    memory: &Memory,
    counts: &mut Counts,
) -> bool {
    counts.graph_searches += 1;
    let mut seen: Vec<u64> = Vec::new();
    let mut next = conflicts;
    while let Some(at) = next.pop() {
        if at == id {
            return true;
        }
        if seen.contains(&at) {
            continue;
        }
        seen.push(at);
        counts.graph_steps += 1;
        let Some((asked, _)) = pending.requests.get(&at) else { continue };
        if asked.granted.load(SeqCst) {
            continue;
        }
        let others = forest.conflicts(&asked.wanted, memory);
        if others.is_empty() {
            pending.try_for(at, forest, memory, counts);
        }
        next.extend(others);
    }
    false
}
