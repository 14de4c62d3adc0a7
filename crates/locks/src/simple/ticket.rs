//! The ticket lock: draw a number, wait until it is called.

use super::{Mode, Passage, SimpleLock, Spin, Turns, check};
use crate::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

/// First come, first served; all who wait read the one number that each release writes.
#[derive(Debug)]
pub struct Ticket {
    next: AtomicU64,
    called: AtomicU64,
    turns: Turns,
    spin: Spin,
    workers: usize,
}

impl Ticket {
    /// For so many workers.
    #[must_use]
    pub fn new(workers: usize, spin: Spin) -> Ticket {
        Ticket { next: AtomicU64::new(0), called: AtomicU64::new(0), turns: Turns::default(), spin, workers }
    }
}

/// Calls the next number when the work is over, also where it panics.
struct Call<'a>(&'a AtomicU64, u64);

impl Drop for Call<'_> {
    fn drop(&mut self) {
        self.0.store(self.1.wrapping_add(1), Release);
    }
}

impl SimpleLock for Ticket {
    fn name(&self) -> &'static str {
        "ticket"
    }

    fn workers(&self) -> usize {
        self.workers
    }

    fn with(&self, worker: usize, _: Mode, work: &mut dyn FnMut()) -> Passage {
        check(worker, self.workers);
        let seen = self.turns.seen();
        let mine = self.next.fetch_add(1, Relaxed);
        let waited = self.spin.until(|| self.called.load(Acquire) == mine);
        let _call = Call(&self.called, mine);
        let passed = self.turns.enter(seen);
        work();
        Passage { waited, passed }
    }
}
