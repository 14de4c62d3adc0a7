//! The keys that are held: stripes of a hash table, each behind a mutex, with one condition variable for all who wait in it.

use super::Config;
use crate::{
    contract::{Granted, Mode, Space},
    hash::{HashMap, fast_range, mix},
    overtaking::Overtaking,
    sync::{
        Condvar, Mutex, Padded,
        atomic::{AtomicI64, Ordering},
        lock,
    },
};
use std::{collections::hash_map::Entry, ops::Deref, time::Instant};

pub(super) type Key = (Space, u64);

/// Who holds a key.
#[derive(Debug)]
struct Holding {
    mode: Mode,
    holders: Vec<u64>,
    /// From when it may be stolen.
    expires: Option<Instant>,
}

/// Who asks for a key.
#[derive(Clone, Copy)]
pub(super) struct Request {
    pub id: u64,
    pub key: Key,
    pub mode: Mode,
    pub expires: Option<Instant>,
}

/// What came of an attempt.
pub(super) enum Attempt {
    Granted(Granted),
    /// Held by these, to be stolen at that time if at all.
    Held(Vec<u64>, Option<Instant>),
    /// As many keys are held as may be.
    Full,
}

#[derive(Debug, Default)]
pub(super) struct State {
    keys: HashMap<Key, Holding>,
    pub overtaking: Overtaking,
}

#[derive(Debug, Default)]
pub(super) struct Stripe {
    pub state: Mutex<State>,
    pub changed: Condvar,
}

/// A stripe on the heap, alone or beside what the allocator puts there.
#[derive(Debug)]
enum Place {
    Bare(Box<Stripe>),
    Padded(Box<Padded<Stripe>>),
}

impl Deref for Place {
    type Target = Stripe;

    fn deref(&self) -> &Stripe {
        match self {
            Place::Bare(stripe) => stripe,
            Place::Padded(stripe) => &stripe.0,
        }
    }
}

#[derive(Debug)]
pub(crate) struct LockMap {
    stripes: Vec<Place>,
    /// Keys held. Moved only where there is a limit.
    count: AtomicI64,
    limit: Option<i64>,
}

impl LockMap {
    pub(super) fn new(config: &Config) -> LockMap {
        let place = |_| {
            if config.padded { Place::Padded(Box::default()) } else { Place::Bare(Box::default()) }
        };
        LockMap {
            stripes: (0..config.stripes).map(place).collect(),
            count: AtomicI64::new(0),
            limit: config.lock_limit.map(|limit| i64::try_from(limit).unwrap_or(i64::MAX)),
        }
    }

    pub(super) fn stripe_of(&self, (space, key): Key) -> usize {
        fast_range(mix(key ^ mix(u64::from(space.0))), self.stripes.len())
    }

    pub(super) fn stripe(&self, index: usize) -> &Stripe {
        &self.stripes[index]
    }

    pub(super) fn wake_all(&self) {
        for stripe in &self.stripes {
            drop(lock(&stripe.state));
            stripe.changed.notify_all();
        }
    }

    pub(super) fn held(&self) -> usize {
        let held = |state: &State| state.keys.values().map(|holding| holding.holders.len()).sum::<usize>();
        self.stripes.iter().map(|stripe| held(&lock(&stripe.state))).sum()
    }

    /// Takes the key for the request if it can be had. `steal` says whether an expired holder gives way.
    pub(super) fn attempt(&self, state: &mut State, request: &Request, steal: impl Fn(u64) -> bool) -> Attempt {
        let Request { id, key, mode, expires } = *request;
        let mut holding = match state.keys.entry(key) {
            Entry::Occupied(holding) => holding,
            Entry::Vacant(free) => {
                if let Some(limit) = self.limit {
                    if self.count.load(Ordering::Acquire) >= limit {
                        return Attempt::Full;
                    }
                    self.count.fetch_add(1, Ordering::AcqRel);
                }
                free.insert(Holding { mode, holders: vec![id], expires });
                return Attempt::Granted(Granted::AtOnce);
            }
        };
        let holding = holding.get_mut();
        if holding.holders == [id] {
            // The only holder wants more.
            holding.mode = holding.mode.max(mode);
            holding.expires = expires;
            return Attempt::Granted(Granted::AtOnce);
        }
        if !holding.mode.conflicts(mode) {
            holding.holders.push(id);
            // The later of the two, also once the later one has left; `None` is never.
            holding.expires = match (holding.expires, expires) {
                (Some(one), Some(other)) => Some(one.max(other)),
                _ => None,
            };
            return Attempt::Granted(Granted::AtOnce);
        }
        let others = || holding.holders.iter().copied().filter(|&holder| holder != id);
        match holding.expires {
            Some(at) if at <= Instant::now() => {
                if others().all(steal) {
                    *holding = Holding { mode, holders: vec![id], expires };
                    Attempt::Granted(Granted::Stolen)
                } else {
                    // It is ending, and will wake who waits.
                    Attempt::Held(others().collect(), None)
                }
            }
            until => Attempt::Held(others().collect(), until),
        }
    }

    /// Gives the key back, if it is the transaction's still.
    pub(super) fn give_back(&self, state: &mut State, key: Key, id: u64) {
        let Entry::Occupied(mut holding) = state.keys.entry(key) else { return };
        let holders = &mut holding.get_mut().holders;
        let Some(at) = holders.iter().position(|&holder| holder == id) else { return };
        holders.swap_remove(at);
        if holders.is_empty() {
            holding.remove();
            if self.limit.is_some() {
                self.count.fetch_sub(1, Ordering::AcqRel);
            }
        }
    }
}
