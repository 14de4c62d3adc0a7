//! The lock of Mellor-Crummey and Scott: a list of those who wait, each looking at a line of its own.

use super::{Mode, Passage, SimpleLock, Spin, Turns, check};
use crate::sync::{
    Padded,
    atomic::{
        AtomicBool, AtomicUsize,
        Ordering::{AcqRel, Acquire, Relaxed, Release},
    },
};

/// A worker's place in the list.
#[derive(Debug)]
struct Node {
    /// Who comes after, by number and one; 0: nobody yet.
    next: AtomicUsize,
    waits: AtomicBool,
}

/// First come, first served; each waits on its own line and is let in by a write to it alone. The places are the workers' by their
/// numbers, so no pointer is needed.
#[derive(Debug)]
pub struct Mcs {
    /// Who came last, by number and one; 0: nobody has the lock.
    last: AtomicUsize,
    turns: Turns,
    nodes: Vec<Padded<Node>>,
    spin: Spin,
}

impl Mcs {
    /// For so many workers.
    #[must_use]
    pub fn new(workers: usize, spin: Spin) -> Mcs {
        let node = |_| Padded(Node { next: AtomicUsize::new(0), waits: AtomicBool::new(false) });
        Mcs { last: AtomicUsize::new(0), turns: Turns::default(), nodes: (0..workers).map(node).collect(), spin }
    }
}

/// Lets the next one in when the work is over, also where it panics.
struct Leave<'a>(&'a Mcs, usize);

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        let Leave(lock, worker) = *self;
        let next = &lock.nodes[worker].0.next;
        if next.load(Acquire) == 0 {
            if lock.last.compare_exchange(worker + 1, 0, Release, Relaxed).is_ok() {
                return;
            }
            // Somebody has come and is about to say so.
            lock.spin.until(|| next.load(Acquire) != 0);
        }
        lock.nodes[next.load(Relaxed) - 1].0.waits.store(false, Release);
    }
}

impl SimpleLock for Mcs {
    fn name(&self) -> &'static str {
        "mcs"
    }

    fn workers(&self) -> usize {
        self.nodes.len()
    }

    fn with(&self, worker: usize, _: Mode, work: &mut dyn FnMut()) -> Passage {
        check(worker, self.nodes.len());
        let seen = self.turns.seen();
        let own = &self.nodes[worker].0;
        own.next.store(0, Relaxed);
        own.waits.store(true, Relaxed);
        let before = self.last.swap(worker + 1, AcqRel);
        let waited = before != 0;
        if waited {
            self.nodes[before - 1].0.next.store(worker + 1, Release);
            self.spin.until(|| !own.waits.load(Acquire));
        }
        let _leave = Leave(self, worker);
        let passed = self.turns.enter(seen);
        work();
        Passage { waited, passed }
    }
}
