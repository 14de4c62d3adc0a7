//! Range locks, as RocksDB's range lock manager works: the lock tree of TokuDB (RocksDB 7.8.3,
//! `utilities/transactions/lock/range/range_tree/`: `range_tree_lock_manager.cc` and `lib/locktree/{locktree, concurrent_tree, treenode,
//! lock_request, manager}.cc`; facts read there, written anew).
//!
//! - Each request makes its ends into byte strings, and a request with a condition variable of its own.
//! - Ranges lie in a balanced tree with a mutex a node, taken hand over hand. The root's mutex is where all requests and all releases of
//!   ranges meet. Nodes are rotated on the way down, by depths noted when somebody last came by.
//! - While only one transaction has locks, they go into a list without a look at the tree: a second one, or more than 50 K locks, end
//!   that; after the releases of 100 transactions it is tried again.
//! - Overlapping ranges of one transaction are merged, exclusive if one of them was. A shared lock goes with another's only where it is the
//!   very same range: other overlaps conflict, shared or not. So a conflict can go away by merging, and nobody is told: the original waits
//!   for the next release then; here a search for deadlocks that comes by grants such a wait its range.
//! - All bytes of locks are added up in one number, with a limit. A request that comes beyond it merges the exclusive ranges of one
//!   transaction that lie side by side, in all trees, and locks what is between them too; requests that come meanwhile wait for the end of
//!   that, and are refused where it did not help. Unlike the original: only within a space; over any number of ranges, not in lots of 128;
//!   never into a shared range, which the original does, weakening the lock; the transaction goes on to release what it asked for, range
//!   by range, where the original hands it the merged ones; and a request that waits already is granted its range beyond the limit, where
//!   the original tries it again until its deadline. A merged range can be in the way of a wait that was just about to be granted: a circle
//!   closed so is found by nobody, here and there, so where memory may run short every wait should have a deadline.
//! - A conflict puts the request into a set behind one mutex and builds the wait-for graph under it, each time. It sees the waits of one
//!   tree. The request then tries once more and waits. (Where others are in the way by then, this one looks for a circle again; the original
//!   does not, and misses some.) That mutex is taken for requests that were granted at once too. (The original reads
//!   the clock there twice more; that is left out.)
//! - A release goes through the tree once a range, then tries *all* requests that wait again.
//!
//! With [`Config::points_only`] the same way is gone for single keys: what RocksDB calls range locking forced to points.

mod config;
mod ends;
mod escalator;
mod forest;
mod node;
mod requests;
mod single;
#[cfg(all(test, not(feature = "loom")))]
mod tests;
mod tree;

pub use config::Config;
pub(crate) use forest::Forest;

use crate::{
    Canceller, Problem, Transaction,
    contract::{Deadline, Ended, Granted, LockManager, Mode, Refused, Space, Span},
    spaces::{self, Spaces},
    sync::atomic::{AtomicBool, Ordering::SeqCst},
    transaction::Identity,
};
use ends::Ends;
use escalator::Escalator;
use forest::Wanted;
use requests::{Asked, Circumstances, End};
use std::{sync::Arc, time::Instant};
use tree::Memory;

/// A worker's trees, by space.
pub(crate) type Cache = spaces::Cache<Forest>;

/// Range locks in a tree. See the [module](self).
#[derive(Debug)]
pub struct RangeLocks {
    config: Config,
    identity: Identity,
    forests: Spaces<Forest>,
    memory: Memory,
    escalator: Escalator,
    closed: AtomicBool,
}

impl RangeLocks {
    /// A manager without locks.
    ///
    /// # Errors
    ///
    /// [`Problem::Zero`], where a number is 0 that must not be.
    pub fn new(config: Config) -> Result<RangeLocks, Problem> {
        config.check()?;
        Ok(RangeLocks {
            config,
            identity: Identity::new(config.shared_numbers),
            forests: Spaces::new(config.one_map),
            memory: Memory::new(config.memory_limit),
            escalator: Escalator::default(),
            closed: AtomicBool::new(false),
        })
    }

    fn cached<'a>(&self, cache: &'a mut Cache, map: Space) -> &'a Arc<Forest> {
        self.forests.cached(cache, map, || Forest::new(&self.config))
    }

    /// Merges ranges where memory is short; false where that does not help.
    fn find_room(&self, transaction: &mut Transaction) -> bool {
        if !self.memory.is_full() {
            return true;
        }
        let merge = || self.forests.all().iter().for_each(|forest| forest.escalate(&self.memory));
        transaction.counts.escalations += u64::from(self.escalator.run(merge));
        !self.memory.is_full()
    }

    fn request(
        &self,
        transaction: &mut Transaction,
        space: Space,
        span: Span,
        mode: Mode,
        deadline: Deadline,
    ) -> Result<Granted, Refused> {
        transaction.check(&self.identity)?;
        if self.config.points_only && !span.is_point() {
            return Err(Problem::NotAPoint(span).into());
        }
        if !self.find_room(transaction) {
            return Err(Refused::Full);
        }
        let Transaction { id, forests, counts, canceller, spans, .. } = transaction;
        let cached = self.cached(forests, self.forests.map_of(space));
        let counted = self.config.reference_count.then(|| Arc::clone(cached));
        let forest: &Forest = counted.as_deref().unwrap_or(cached);
        let asked = Arc::new(Asked::new(Wanted { id: *id, space, span, ends: Ends::new(space, span), mode }));
        let conflicts = forest.acquire(&asked.wanted, &self.memory).err();
        let how = match conflicts {
            Some(_) if deadline == Deadline::Now => return Err(Refused::Busy),
            Some(conflicts) => {
                let circumstances = Circumstances {
                    forest,
                    memory: &self.memory,
                    deadline,
                    graph: self.config.graph,
                    overtaking: self.config.overtaking,
                    cancelled: &|| self.closed.load(SeqCst) || canceller.is_set(),
                };
                match forest.requests.wait(&asked, conflicts, &circumstances, counts) {
                    End::Granted { blocked: true } => Granted::AfterWaiting,
                    End::Granted { blocked: false } => Granted::AtOnce,
                    End::TimedOut => return Err(Refused::TimedOut),
                    End::Cancelled => return Err(Refused::Cancelled),
                    End::Deadlock => return Err(Refused::Deadlock),
                }
            }
            None => {
                if self.config.request_mutex_always {
                    let mut pending = forest.requests.pending();
                    if self.config.overtaking && !pending.overtaking.is_empty() {
                        pending.overtaking.grant(space, span, mode, None);
                    }
                }
                Granted::AtOnce
            }
        };
        spans.push((space, span));
        Ok(how)
    }

    fn wake_all(&self) {
        self.forests.all().iter().for_each(|forest| forest.requests.wake_all());
    }
}

impl LockManager for RangeLocks {
    fn transaction(&self) -> Transaction {
        self.identity.transaction()
    }

    fn begin(&self, transaction: &mut Transaction, expires: Option<Instant>) -> Result<(), Problem> {
        if expires.is_some() {
            return Err(Problem::NoExpiry);
        }
        self.identity.begin(transaction)
    }

    fn lock(
        &self,
        transaction: &mut Transaction,
        space: Space,
        span: Span,
        mode: Mode,
        deadline: Deadline,
    ) -> Result<Granted, Refused> {
        let outcome = self.request(transaction, space, span, mode, deadline);
        transaction.counts.ended(&outcome);
        outcome
    }

    fn release(&self, transaction: &mut Transaction) -> Ended {
        if transaction.check(&self.identity).is_err() {
            return Ended::Whole;
        }
        transaction.begun = false;
        let Transaction { id, forests, counts, spans, .. } = transaction;
        // In the order of asking within each tree.
        spans.sort_by_key(|&(space, _)| self.forests.map_of(space));
        for spans in spans.chunk_by(|a, b| self.forests.map_of(a.0) == self.forests.map_of(b.0)) {
            let cached = self.cached(forests, self.forests.map_of(spans[0].0));
            let counted = self.config.reference_count.then(|| Arc::clone(cached));
            let forest: &Forest = counted.as_deref().unwrap_or(cached);
            forest.release(*id, spans, &self.memory);
            forest.requests.retry_all(forest, &self.memory, counts);
        }
        spans.clear();
        Ended::Whole
    }

    fn cancel(&self, canceller: &Canceller) {
        canceller.set(true);
        self.wake_all();
    }

    fn close(&self) {
        self.closed.store(true, SeqCst);
        self.wake_all();
    }

    fn open(&self) {
        self.closed.store(false, SeqCst);
    }

    fn held(&self) -> usize {
        self.forests.all().iter().map(|forest| forest.held()).sum()
    }
}
