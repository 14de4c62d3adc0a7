//! Locks that put who waits to sleep.

use super::{Mode, Passage, SimpleLock, Turns, check};
use crate::sync::{Mutex, RwLock, lock, read, write};

/// The standard library's mutex: spins a little, then sleeps; whoever comes first when it is free has it.
#[derive(Debug)]
pub struct Mutual {
    mutex: Mutex<()>,
    turns: Turns,
    workers: usize,
}

impl Mutual {
    /// For so many workers.
    #[must_use]
    pub fn new(workers: usize) -> Mutual {
        Mutual { mutex: Mutex::new(()), turns: Turns::default(), workers }
    }
}

impl SimpleLock for Mutual {
    fn name(&self) -> &'static str {
        "mutex"
    }

    fn workers(&self) -> usize {
        self.workers
    }

    fn with(&self, worker: usize, _: Mode, work: &mut dyn FnMut()) -> Passage {
        check(worker, self.workers);
        let seen = self.turns.seen();
        let _inside = lock(&self.mutex);
        let passed = self.turns.enter(seen);
        work();
        Passage { waited: false, passed }
    }
}

/// The standard library's reader-writer lock: a writer that waits keeps new readers out.
#[derive(Debug)]
pub struct ReadWrite {
    lock: RwLock<()>,
    turns: Turns,
    workers: usize,
}

impl ReadWrite {
    /// For so many workers.
    #[must_use]
    pub fn new(workers: usize) -> ReadWrite {
        ReadWrite { lock: RwLock::new(()), turns: Turns::default(), workers }
    }
}

impl SimpleLock for ReadWrite {
    fn name(&self) -> &'static str {
        "reader-writer"
    }

    fn shares(&self) -> bool {
        true
    }

    fn workers(&self) -> usize {
        self.workers
    }

    fn with(&self, worker: usize, mode: Mode, work: &mut dyn FnMut()) -> Passage {
        check(worker, self.workers);
        let seen = self.turns.seen();
        let passed = match mode {
            Mode::Exclusive => {
                let _inside = write(&self.lock);
                let passed = self.turns.enter(seen);
                work();
                passed
            }
            Mode::Shared => {
                let _inside = read(&self.lock);
                let passed = self.turns.enter_shared(seen);
                work();
                passed
            }
        };
        Passage { waited: false, passed }
    }
}
