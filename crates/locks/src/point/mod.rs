//! Striped point locks, as RocksDB's `PointLockManager` works (release 7.8.3,
//! `utilities/transactions/lock/point/point_lock_manager.{h,cc}`; facts read there, written anew).
//!
//! - A space's lock map is found in a cache of the worker's own, and its shared pointer is copied for each call: one reference count
//!   that all workers write. The original keeps the cache in a thread-local; here it stands in the worker's [`Transaction`].
//! - A key's stripe is its 64-bit hash mapped to `0..16`. A stripe is a mutex, a condition variable and a hash table from keys to
//!   holders, modes and expiry; stripes are separate objects on the heap, not padded. The original says that it takes the mutex with
//!   a timeout; its default mutex (`transaction_db_mutex_impl.cc`) ignores that and just locks, and so does this one.
//! - A conflict waits on the *stripe's* condition variable, until the holder's expiry or the deadline; every release of any key of the
//!   stripe wakes all who wait in it. After its deadline a request tries once more.
//! - A release groups its keys by stripe: one hold of the mutex for each.
//! - A counter of the keys held exists only where there is a limit. At the limit a request is refused; the original lets it wait, to be
//!   woken by releases of its own stripe only.
//! - Deadlocks are searched only if asked for, and only by who is about to wait: one global mutex, two maps, breadth first over at
//!   most 50 transactions; a search that ends there is taken for a deadlock.
//! - A transaction that has expired loses its locks to who asks for them, unless it is ending just then.
//!
//! Three faults of the original are mended, since they break what is counted or promised here: its request gives up when the holder's
//! expiry has passed and the lock cannot be stolen, though it has time left (a remark there says so); a shared lock of one transaction
//! that expires and one that does not can be stolen, since it keeps the greater of the times and never is 0; and its count of keys
//! falls with each holder that leaves a shared key, and rises with the first only.

mod config;
mod expiring;
mod map;

pub use config::Config;
pub(crate) use map::LockMap;

use crate::{
    Canceller, Problem, Transaction,
    contract::{Deadline, Ended, Granted, LockManager, Mode, Refused, Space, Span},
    graph::{Graph, Search},
    hash::drain,
    spaces::{self, Spaces},
    sync::{
        atomic::{AtomicBool, Ordering::SeqCst},
        lock, wait,
    },
    transaction::{Identity, Standing},
};
use expiring::Expiring;
use map::{Attempt, Request};
use std::{sync::Arc, time::Instant};

/// A worker's lock maps, by space.
pub(crate) type Cache = spaces::Cache<LockMap>;

/// Point locks in stripes. See the [module](self).
#[derive(Debug)]
pub struct PointLocks {
    config: Config,
    identity: Identity,
    maps: Spaces<LockMap>,
    graph: Graph,
    expiring: Expiring,
    closed: AtomicBool,
}

impl PointLocks {
    /// A manager without locks.
    ///
    /// # Errors
    ///
    /// [`Problem::Zero`], where a number is 0 that must not be.
    pub fn new(config: Config) -> Result<PointLocks, Problem> {
        config.check()?;
        Ok(PointLocks {
            config,
            identity: Identity::new(config.shared_numbers),
            maps: Spaces::new(config.one_map),
            graph: Graph::default(),
            expiring: Expiring::default(),
            closed: AtomicBool::new(false),
        })
    }

    fn cached<'a>(&self, cache: &'a mut Cache, map: Space) -> &'a Arc<LockMap> {
        self.maps.cached(cache, map, || LockMap::new(&self.config))
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
        if !span.is_point() {
            return Err(Problem::NotAPoint(span).into());
        }
        if transaction.standing.as_ref().is_some_and(|standing| standing.is_stolen()) {
            return Err(Refused::Expired);
        }
        let key = (space, span.left());
        if transaction.points.get(&key).is_some_and(|&held| held >= mode) {
            return Ok(Granted::Already);
        }
        let request = Request { id: transaction.id, key, mode, expires: transaction.expires };
        let granted = self.acquire(transaction, &request, deadline)?;
        transaction.points.insert(key, mode);
        Ok(granted)
    }

    fn acquire(
        &self,
        transaction: &mut Transaction,
        request: &Request,
        deadline: Deadline,
    ) -> Result<Granted, Refused> {
        let Transaction { maps, counts, canceller, .. } = transaction;
        let cached = self.cached(maps, self.maps.map_of(request.key.0));
        let counted = self.config.reference_count.then(|| Arc::clone(cached));
        let map: &LockMap = counted.as_deref().unwrap_or(cached);
        let stripe = map.stripe(map.stripe_of(request.key));
        let steal = |id| self.expiring.steal(id);
        let span = Span::point(request.key.1);

        let mut state = lock(&stripe.state);
        let mut ticket = None;
        let (mut waited, mut woken, mut last) = (false, false, deadline == Deadline::Now);
        let outcome = loop {
            let (on, until) = match map.attempt(&mut state, request, steal) {
                Attempt::Granted(how) => {
                    state.overtaking.grant(request.key.0, span, request.mode, ticket);
                    break Ok(if waited && how == Granted::AtOnce { Granted::AfterWaiting } else { how });
                }
                Attempt::Held(on, until) => (on, until),
                Attempt::Full => break Err(Refused::Full),
            };
            counts.wake_ups_in_vain += u64::from(woken);
            if last {
                break Err(if deadline == Deadline::Now { Refused::Busy } else { Refused::TimedOut });
            }
            if self.closed.load(SeqCst) || canceller.is_set() {
                break Err(Refused::Cancelled);
            }
            let searched = self.config.deadlock_depth.is_some();
            if searched && self.graph.enter(request.id, &on, self.config.deadlock_depth, counts) == Search::Deadlock {
                break Err(Refused::Deadlock);
            }
            if self.config.overtaking && ticket.is_none() {
                ticket = Some(state.overtaking.come(request.key.0, span, request.mode));
            }
            let first = earlier(deadline, until);
            counts.waits += 1;
            let (again, timed_out) = wait(&stripe.changed, state, first);
            state = again;
            if searched {
                self.graph.leave(request.id);
            }
            (waited, woken) = (true, !timed_out);
            counts.wake_ups += u64::from(woken);
            counts.retries += 1;
            // A holder's expiry is no end of the request's own time.
            last = timed_out && first == deadline;
        };
        if let Some(ticket) = ticket {
            state.overtaking.leave(ticket, counts);
        }
        outcome
    }

    fn wake_all(&self) {
        self.maps.all().iter().for_each(|map| map.wake_all());
    }
}

/// The earlier of a deadline and a time.
fn earlier(deadline: Deadline, time: Option<Instant>) -> Deadline {
    match (deadline, time) {
        (Deadline::At(at), Some(time)) => Deadline::At(at.min(time)),
        (Deadline::Never, Some(time)) => Deadline::At(time),
        (deadline, _) => deadline,
    }
}

impl LockManager for PointLocks {
    fn transaction(&self) -> Transaction {
        self.identity.transaction()
    }

    fn begin(&self, transaction: &mut Transaction, expires: Option<Instant>) -> Result<(), Problem> {
        if transaction.held() == 0 {
            self.release_standing(transaction);
        }
        self.identity.begin(transaction)?;
        transaction.expires = expires;
        if expires.is_some() {
            let standing = Arc::new(Standing::default());
            self.expiring.add(transaction.id, &standing);
            transaction.standing = Some(standing);
        }
        Ok(())
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
        let ended = self.release_standing(transaction);
        transaction.begun = false;
        let Transaction { id, points, maps, .. } = transaction;
        let held: Vec<_> = drain(points);
        let mut keys: Vec<_> = held
            .into_iter()
            .map(|(key, _)| {
                let space = self.maps.map_of(key.0);
                let stripe = self.cached(maps, space).stripe_of(key);
                (space, stripe, key)
            })
            .collect();
        keys.sort_unstable();
        for space in keys.chunk_by(|a, b| a.0 == b.0) {
            let cached = self.cached(maps, space[0].0);
            let counted = self.config.reference_count.then(|| Arc::clone(cached));
            let map: &LockMap = counted.as_deref().unwrap_or(cached);
            for keys in space.chunk_by(|a, b| a.1 == b.1) {
                let stripe = map.stripe(keys[0].1);
                let mut state = lock(&stripe.state);
                keys.iter().for_each(|&(_, _, key)| map.give_back(&mut state, key, *id));
                drop(state);
                stripe.changed.notify_all();
            }
        }
        ended
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
        self.maps.all().iter().map(|map| map.held()).sum()
    }
}

impl PointLocks {
    /// The end of a transaction that could expire: from here on nobody steals from it.
    fn release_standing(&self, transaction: &mut Transaction) -> Ended {
        if !transaction.is_of(&self.identity) {
            return Ended::Whole;
        }
        let Some(standing) = transaction.standing.take() else { return Ended::Whole };
        let whole = standing.end();
        self.expiring.remove(transaction.id);
        if whole { Ended::Whole } else { Ended::Stolen }
    }
}
