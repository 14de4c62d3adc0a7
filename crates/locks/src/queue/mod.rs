//! Locks that are handed over: those who wait stand in a line, and who leaves grants the next their keys. Better than the managers they
//! stand beside, and still simple: they show what is attainable.
//!
//! - For points, a line a key, as the textbook's lock manager has it (Jim Gray, Andreas Reuter, *Transaction Processing: Concepts and
//!   Techniques*, 1992, chapter 8: a lock head with a queue of requests, granted by who releases). Against the striped locks: nobody is
//!   woken who cannot go on, nobody overtakes but a holder who asks for more, and a waiter does not take the mutex again. RocksDB went the same way after 7.8.3, with
//!   its `PerKeyPointLockManager`.
//! - For ranges, keys in segments, each with a lock of its own, as in the segment-based range lock of *Parallelizing Shared File I/O
//!   Operations of NVM File System for Manycore Servers* (IEEE Access, 2021) and *pNOVA* before it
//!   (<https://doi.org/10.1145/3343737.3343748>); here a segment's lock holds the ranges themselves, so that only ranges that share a key
//!   conflict. Against the tree: no root that all take, no copy of the ends, no retry of all who wait. A range over several parts is taken
//!   part by part in one order: what it has by then is in the way of others, so two transactions can close a circle that a tree would
//!   not have. The locks without any mutex of Alex Kogan, Dave Dice and Shady Issa (*Scalable Range Locks for Scalable Address Spaces and
//!   Beyond*, EuroSys 2020, <https://doi.org/10.1145/3342195.3387533>) go further, and need memory reclaimed under readers.
//!
//! What that shows, and what not. All who wait note it in one wait-for graph behind one mutex, as the managers they stand beside have it;
//! without [`Config::deadlocks`] nothing is common to all. A line is fair, and fairness has a price: a request also waits for requests
//! before it, which closes circles that the others' managers would not see, and whoever closes one is refused. Every circle is found by
//! the request that closes it, over all parts and spaces. Each line is gone through from the front, so these are for transactions of
//! some hundred locks in a part at most: beyond, the time of a lock rises with their number, where a tree's does not.

mod config;
mod line;
mod lines;

pub use config::Config;

use crate::{
    Canceller, Counts, Problem, Transaction,
    contract::{Deadline, Ended, Granted, LockManager, Mode, Refused, Space, Span},
    graph::{Graph, Search},
    hash::drain,
    sync::atomic::{AtomicBool, Ordering::SeqCst},
    transaction::Identity,
};
use line::{Claim, Line, Waiter, Woken};
use lines::{Lines, Place};
use std::{sync::Arc, time::Instant};

/// Locks that are handed over in lines. See the [module](self).
#[derive(Debug)]
pub struct Queues {
    config: Config,
    identity: Identity,
    lines: Lines,
    graph: Graph,
    closed: AtomicBool,
}

/// What came of asking for a place.
enum First {
    Taken,
    Busy,
    Deadlock,
    Queued(Arc<Waiter>),
}

impl Queues {
    /// A manager without locks.
    ///
    /// # Errors
    ///
    /// [`Problem::Zero`], where a number is 0 that must not be.
    pub fn new(config: Config) -> Result<Queues, Problem> {
        config.check()?;
        Ok(Queues {
            config,
            identity: Identity::new(config.shared_numbers),
            lines: Lines::new(&config),
            graph: Graph::default(),
            closed: AtomicBool::new(false),
        })
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
        if transaction.claims.get(&(space, span)).is_some_and(|&held| held >= mode) {
            return Ok(Granted::Already);
        }
        let claim = Claim { id: transaction.id, space, span, mode };
        let parts = self.lines.parts(space, span);
        let parts = parts.as_slice();
        let mut how = Granted::AtOnce;
        for (at, &part) in parts.iter().enumerate() {
            match self.acquire(transaction, Lines::place(part, space, span), &claim, deadline) {
                Ok(Granted::AtOnce) => {}
                Ok(granted) => how = granted,
                Err(why) => {
                    for &part in &parts[..at] {
                        // The same span may be held there from before in the weaker mode: that stays.
                        let place = Lines::place(part, space, span);
                        self.give_back(&mut transaction.counts, place, true, |line| line.take_back(&claim));
                    }
                    return Err(why);
                }
            }
        }
        transaction.claims.insert((space, span), mode);
        Ok(how)
    }

    fn acquire(
        &self,
        transaction: &mut Transaction,
        place: Place,
        claim: &Claim,
        deadline: Deadline,
    ) -> Result<Granted, Refused> {
        let Transaction { counts, canceller, .. } = transaction;
        let first = self.lines.with(place, |line| {
            if let Some(between) = line.try_take(claim) {
                if between {
                    self.settle(line, &[]);
                }
                return First::Taken;
            }
            if deadline == Deadline::Now {
                return First::Busy;
            }
            let (waiter, before, between) = line.queue(claim, self.config.overtaking);
            if self.config.deadlocks {
                if between {
                    self.settle(line, &[]);
                }
                if self.graph.enter(claim.id, &before, None, counts) == Search::Deadlock {
                    // Who waits behind it waits on: it gave way to nobody.
                    let granted = line.leave(&waiter);
                    debug_assert!(granted.is_some_and(|granted| granted.is_empty()), "nobody was kept by a new claim");
                    self.settle(line, &[]);
                    return First::Deadlock;
                }
            }
            First::Queued(waiter)
        });
        let waiter = match first {
            First::Taken => return Ok(Granted::AtOnce),
            First::Busy => return Err(Refused::Busy),
            First::Deadlock => return Err(Refused::Deadlock),
            First::Queued(waiter) => waiter,
        };
        let end = loop {
            if self.closed.load(SeqCst) || canceller.is_set() {
                break Err(Refused::Cancelled);
            }
            counts.waits += 1;
            let woken = waiter.sleep(deadline);
            counts.wake_ups += u64::from(woken != Woken::TimedOut);
            counts.wake_ups_in_vain += u64::from(woken == Woken::Called);
            match woken {
                Woken::Granted => break Ok(Granted::AfterWaiting),
                Woken::Called => {}
                Woken::TimedOut => break Err(Refused::TimedOut),
            }
        };
        let end =
            if end.is_ok() { end } else { self.leave(place, &waiter).map_or(Ok(Granted::AfterWaiting), |()| end) };
        if self.config.deadlocks {
            self.graph.leave(claim.id);
        }
        counts.overtaken(waiter.overtaken());
        end
    }

    /// Gives a place in a line up. `None` where the keys were granted just then.
    fn leave(&self, place: Place, waiter: &Arc<Waiter>) -> Option<()> {
        let granted = self.lines.with(place, |line| {
            let granted = line.leave(waiter)?;
            self.settle(line, &granted);
            Some(granted)
        })?;
        granted.iter().for_each(|waiter| waiter.grant());
        Some(())
    }

    /// Gives keys back, and wakes who has them now. `goes_on`: the transaction is not at its end, so that others' waits for it are to be
    /// forgotten; a number that has ended never comes again.
    fn give_back(
        &self,
        counts: &mut Counts,
        place: Place,
        goes_on: bool,
        take: impl FnOnce(&mut Line) -> Vec<Arc<Waiter>>,
    ) {
        let granted = self.lines.with(place, |line| {
            let granted = take(line);
            if goes_on {
                self.settle(line, &granted);
            }
            granted
        });
        counts.handed_over += granted.len() as u64;
        granted.iter().for_each(|waiter| waiter.grant());
    }

    /// Notes in the graph that some were granted their keys, and whom the rest waits for now.
    fn settle(&self, line: &Line, granted: &[Arc<Waiter>]) {
        if self.config.deadlocks && (line.has_waiters() || !granted.is_empty()) {
            self.graph.update(line.obstacles(), granted.iter().map(|waiter| waiter.claim.id));
        }
    }
}

impl LockManager for Queues {
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
        let id = transaction.id;
        let claims: Vec<_> = drain(&mut transaction.claims);
        let mut places: Vec<Place> = Vec::with_capacity(claims.len());
        for ((space, span), _) in claims {
            places.extend(self.lines.parts(space, span).as_slice().iter().map(|&part| Lines::place(part, space, span)));
        }
        // One hold of the mutex for each line, however many locks the transaction has in it.
        places.sort_unstable_by_key(|place| self.lines.line(place));
        places.dedup_by_key(|place| self.lines.line(place));
        for place in places {
            self.give_back(&mut transaction.counts, place, false, |line| line.give_back(id));
        }
        Ended::Whole
    }

    fn cancel(&self, canceller: &Canceller) {
        canceller.set(true);
        self.lines.each(|line| line.call_all());
    }

    fn close(&self) {
        self.closed.store(true, SeqCst);
        self.lines.each(|line| line.call_all());
    }

    fn open(&self) {
        self.closed.store(false, SeqCst);
    }

    fn held(&self) -> usize {
        let mut held = 0;
        self.lines.each(|line| held += line.held());
        held
    }
}
