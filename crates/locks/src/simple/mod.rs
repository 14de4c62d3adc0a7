//! Plain locks behind one contract: what a transaction's lock stands on.
//!
//! | lock | how it waits | order |
//! | --- | --- | --- |
//! | [`Mutual`] | sleeps (the standard library's mutex) | none promised |
//! | [`ReadWrite`] | sleeps (the standard library's reader-writer lock) | none promised |
//! | [`Ticket`] | spins on a number that all read (David Reed, Rajendra Kanodia, *Synchronization with Eventcounts and Sequencers*, 1979) | of coming |
//! | [`Mcs`] | spins on a line of its own (John Mellor-Crummey, Michael Scott, *Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors*, 1991) | of coming |
//!
//! Where more workers want a lock than there are PUs, one that spins keeps the PU from the one that it waits for: [`Spin`] says after how
//! many looks it lets others run.

mod mcs;
mod sleeping;
mod ticket;

pub use mcs::Mcs;
pub use sleeping::{Mutual, ReadWrite};
pub use ticket::Ticket;

use crate::contract::Mode;
use crate::sync::{
    atomic::{AtomicU64, Ordering::Relaxed},
    spin_loop, yield_now,
};

/// A lock that a number of workers share.
pub trait SimpleLock: Send + Sync {
    /// Its name.
    fn name(&self) -> &'static str;

    /// Whether shared holders go together; elsewhere they are alone as exclusive ones are.
    fn shares(&self) -> bool {
        false
    }

    /// How many workers it is for.
    fn workers(&self) -> usize;

    /// Works while it holds the lock. Each worker has a number below [`workers`](Self::workers) of its own; a worker that holds the lock
    /// does not ask for it again.
    ///
    /// # Panics
    ///
    /// Where the worker's number is too high.
    fn with(&self, worker: usize, mode: Mode, work: &mut dyn FnMut()) -> Passage;
}

/// What one passage met.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Passage {
    /// Whether the lock was held by another, as far as the lock can tell without costing more: always false where it sleeps.
    pub waited: bool,
    /// How many others were let in between its coming and its turn. In a lock that keeps the order of coming, fewer than there are
    /// workers; but a worker that is interrupted between its look at the number and its place in the line sees more pass.
    pub passed: u64,
}

/// Fairness of a worker's passages. Kept by the worker, so that counting shares no line.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Fairness {
    /// Times that it had the lock.
    pub passages: u64,
    /// Of those, times that it waited, where the lock tells.
    pub waited: u64,
    /// How many others were let in while it waited, over all passages.
    pub passed: u64,
    /// The most that were let in during one wait.
    pub passed_most: u64,
}

impl Fairness {
    /// Adds a passage.
    pub fn note(&mut self, passage: Passage) {
        self.passages += 1;
        self.waited += u64::from(passage.waited);
        self.passed += passage.passed;
        self.passed_most = self.passed_most.max(passage.passed);
    }

    /// Adds another worker's.
    pub fn add(&mut self, other: &Fairness) {
        self.passages += other.passages;
        self.waited += other.waited;
        self.passed += other.passed;
        self.passed_most = self.passed_most.max(other.passed_most);
    }
}

/// How a worker spins.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Spin {
    /// After so many looks it lets others run, again and again; `None`: never, for no more workers than PUs.
    pub looks_before_yield: Option<u32>,
}

impl Default for Spin {
    /// Yields after 100 looks, as many as the standard library's mutex takes before it sleeps.
    fn default() -> Spin {
        Spin { looks_before_yield: Some(100) }
    }
}

impl Spin {
    /// Spins until it is done; whether it had to.
    fn until(self, done: impl Fn() -> bool) -> bool {
        let mut looks: u32 = 0;
        while !done() {
            looks = looks.saturating_add(1);
            match self.looks_before_yield {
                Some(most) if looks > most => yield_now(),
                _ => spin_loop(),
            }
        }
        looks > 0
    }
}

/// How many were let in so far. Written by who is inside, on the lock's own line; a lock that shares holders adds.
#[derive(Debug, Default)]
struct Turns(AtomicU64);

impl Turns {
    /// On coming.
    fn seen(&self) -> u64 {
        self.0.load(Relaxed)
    }

    /// On being let in alone: how many were since.
    fn enter(&self, seen: u64) -> u64 {
        let now = self.0.load(Relaxed);
        self.0.store(now.wrapping_add(1), Relaxed);
        now.wrapping_sub(seen)
    }

    /// On being let in beside others.
    fn enter_shared(&self, seen: u64) -> u64 {
        self.0.fetch_add(1, Relaxed).wrapping_sub(seen)
    }
}

fn check(worker: usize, workers: usize) {
    assert!(worker < workers, "worker {worker} of a lock for {workers} workers");
}
