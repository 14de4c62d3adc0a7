//! A worker's transaction: what it holds, and what its requests met.

use crate::{
    Counts,
    contract::{Mode, Problem, Space, Span},
    hash::HashMap,
    point, range,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};
use std::{
    ops::Range,
    sync::{
        Arc,
        atomic::{self, AtomicBool, AtomicU8},
    },
    time::Instant,
};

/// Cancels the waits of one transaction, from any thread, through its manager.
#[derive(Clone, Debug, Default)]
pub struct Canceller(Arc<AtomicBool>);

impl Canceller {
    pub(crate) fn set(&self, cancelled: bool) {
        self.0.store(cancelled, atomic::Ordering::SeqCst);
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.load(atomic::Ordering::SeqCst)
    }
}

/// Whether an expiring transaction's locks are its own still.
#[derive(Debug, Default)]
pub(crate) struct Standing(AtomicU8);

impl Standing {
    const RUNNING: u8 = 0;
    const ENDING: u8 = 1;
    const STOLEN: u8 = 2;

    /// Another takes its locks. False where it is ending by itself.
    pub(crate) fn steal(&self) -> bool {
        self.leave(Self::STOLEN) != Self::ENDING
    }

    /// It ends by itself. False where its locks were stolen.
    pub(crate) fn end(&self) -> bool {
        self.leave(Self::ENDING) != Self::STOLEN
    }

    /// Another has its locks.
    pub(crate) fn is_stolen(&self) -> bool {
        self.0.load(atomic::Ordering::SeqCst) == Self::STOLEN
    }

    fn leave(&self, to: u8) -> u8 {
        match self.0.compare_exchange(Self::RUNNING, to, atomic::Ordering::SeqCst, atomic::Ordering::SeqCst) {
            Ok(_) => to,
            Err(found) => found,
        }
    }
}

/// A transaction of one worker, used again for the next one. Made by [`LockManager::transaction`](crate::LockManager::transaction).
///
/// What it holds is released by its manager's `release` only: one that is dropped in between leaves its locks behind.
#[derive(Debug)]
pub struct Transaction {
    manager: u64,
    pub(crate) id: u64,
    pub(crate) begun: bool,
    pub(crate) expires: Option<Instant>,
    pub(crate) standing: Option<Arc<Standing>>,
    ids: Range<u64>,
    pub(crate) points: HashMap<(Space, u64), Mode>,
    pub(crate) spans: Vec<(Space, Span)>,
    pub(crate) claims: HashMap<(Space, Span), Mode>,
    pub(crate) maps: point::Cache,
    pub(crate) forests: range::Cache,
    pub(crate) canceller: Canceller,
    pub(crate) counts: Counts,
}

impl Transaction {
    /// Its number: a new one at each begin, from 1, never twice in one manager. 0 before the first.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// How many locks it was granted since it began. Ranges that a manager merges are counted as they were asked for.
    #[must_use]
    pub fn held(&self) -> usize {
        self.points.len() + self.spans.len() + self.claims.len()
    }

    /// What its requests met so far.
    #[must_use]
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// What its requests met, and starts counting anew.
    pub fn take_counts(&mut self) -> Counts {
        std::mem::take(&mut self.counts)
    }

    /// What cancels its waits.
    #[must_use]
    pub fn canceller(&self) -> Canceller {
        self.canceller.clone()
    }

    pub(crate) fn check(&self, manager: &Identity) -> Result<(), Problem> {
        if self.manager != manager.number {
            Err(Problem::Foreign)
        } else if !self.begun {
            Err(Problem::NotBegun)
        } else {
            Ok(())
        }
    }

    pub(crate) fn is_of(&self, manager: &Identity) -> bool {
        self.manager == manager.number
    }
}

/// Which manager it is, and the numbers of its transactions.
#[derive(Debug)]
pub(crate) struct Identity {
    number: u64,
    next: AtomicU64,
    shared: bool,
}

/// How many numbers a worker takes at once where they are not drawn one by one.
const BLOCK: u64 = 1 << 16;

impl Identity {
    /// `shared`: every transaction draws its number from one counter, as RocksDB's do; otherwise a worker takes many at once.
    pub(crate) fn new(shared: bool) -> Identity {
        static MANAGERS: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        let number = MANAGERS.fetch_add(1, atomic::Ordering::Relaxed);
        Identity { number, next: AtomicU64::new(1), shared }
    }

    pub(crate) fn transaction(&self) -> Transaction {
        Transaction {
            manager: self.number,
            id: 0,
            begun: false,
            expires: None,
            standing: None,
            ids: 0..0,
            points: HashMap::default(),
            spans: Vec::new(),
            claims: HashMap::default(),
            maps: point::Cache::default(),
            forests: range::Cache::default(),
            canceller: Canceller::default(),
            counts: Counts::default(),
        }
    }

    pub(crate) fn begin(&self, transaction: &mut Transaction) -> Result<(), Problem> {
        if transaction.manager != self.number {
            return Err(Problem::Foreign);
        }
        if transaction.held() > 0 {
            return Err(Problem::NotReleased);
        }
        transaction.id = if self.shared {
            self.next.fetch_add(1, Relaxed)
        } else {
            match transaction.ids.next() {
                Some(id) => id,
                None => {
                    let first = self.next.fetch_add(BLOCK, Relaxed);
                    transaction.ids = first + 1..first + BLOCK;
                    first
                }
            }
        };
        transaction.begun = true;
        transaction.expires = None;
        transaction.standing = None;
        transaction.canceller.set(false);
        Ok(())
    }
}
