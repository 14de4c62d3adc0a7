//! A line: who holds keys, and who waits for them in the order of coming. Whoever leaves grants the next ones their locks.

use crate::{
    contract::{Deadline, Mode, Space, Span},
    overtaking::{Overtaking, Ticket},
    sync::{
        Condvar, Mutex,
        atomic::{AtomicU64, Ordering::Relaxed},
        lock, wait,
    },
};
use std::{collections::VecDeque, sync::Arc};

/// Keys that a transaction wants or holds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Claim {
    pub id: u64,
    pub space: Space,
    pub span: Span,
    pub mode: Mode,
}

impl Claim {
    fn conflicts(&self, other: &Claim) -> bool {
        self.id != other.id
            && self.mode.conflicts(other.mode)
            && self.space == other.space
            && self.span.overlaps(other.span)
    }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum State {
    Asleep,
    /// Woken to look around: it may be cancelled.
    Called,
    Granted,
}

/// One wait: a place to sleep that nobody else sleeps in.
#[derive(Debug)]
pub(super) struct Waiter {
    pub claim: Claim,
    ticket: Option<Ticket>,
    /// Written under the line's mutex, read when the wait is over.
    overtaken: AtomicU64,
    state: Mutex<State>,
    wake: Condvar,
}

/// How a sleep ended.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Woken {
    Granted,
    Called,
    TimedOut,
}

impl Waiter {
    /// Sleeps until it is woken or the deadline passes.
    pub(super) fn sleep(&self, deadline: Deadline) -> Woken {
        let mut state = lock(&self.state);
        loop {
            match *state {
                State::Granted => return Woken::Granted,
                State::Called => {
                    *state = State::Asleep;
                    return Woken::Called;
                }
                State::Asleep => {
                    let (again, timed_out) = wait(&self.wake, state, deadline);
                    state = again;
                    if timed_out && *state == State::Asleep {
                        return Woken::TimedOut;
                    }
                }
            }
        }
    }

    /// It has its keys, and may go on. Said when the line's mutex has been let go.
    pub(super) fn grant(&self) {
        *lock(&self.state) = State::Granted;
        self.wake.notify_one();
    }

    /// It is to look around.
    pub(super) fn call(&self) {
        let mut state = lock(&self.state);
        if *state == State::Asleep {
            *state = State::Called;
        }
        drop(state);
        self.wake.notify_one();
    }

    /// How often others went before it, once the wait is over.
    pub(super) fn overtaken(&self) -> u64 {
        self.overtaken.load(Relaxed)
    }
}

/// Holders and waiters of some keys, behind one mutex that is not here.
#[derive(Debug, Default)]
pub(super) struct Line {
    holders: Vec<Claim>,
    waiting: VecDeque<Arc<Waiter>>,
    overtaking: Overtaking,
}

impl Line {
    /// Takes the keys if nobody is in the way; whether it went before others who wait, who have one more in their way then.
    pub(super) fn try_take(&mut self, claim: &Claim) -> Option<bool> {
        let place = self.place(claim);
        if self.before(claim, place).next().is_some() {
            return None;
        }
        self.grant(claim, None);
        Some(place < self.waiting.len())
    }

    /// Where a new claim goes: to the end, or before the first who waits for something that the claimant holds: behind that one it would
    /// wait for itself.
    fn place(&self, claim: &Claim) -> usize {
        let waits_for_it =
            |waiter: &Claim| self.holders.iter().any(|held| held.id == claim.id && held.conflicts(waiter));
        let first = |waiter: &Arc<Waiter>| waiter.claim.conflicts(claim) && waits_for_it(&waiter.claim);
        self.waiting.iter().position(first).unwrap_or(self.waiting.len())
    }

    /// Who is in the way of a claim at a place: holders, and those who wait before it.
    fn before<'a>(&'a self, claim: &'a Claim, place: usize) -> impl Iterator<Item = u64> + 'a {
        let waiting = self.waiting.iter().take(place).map(|waiter| &waiter.claim);
        self.holders.iter().chain(waiting).filter(|other| other.conflicts(claim)).map(|other| other.id)
    }

    fn grant(&mut self, claim: &Claim, ticket: Option<Ticket>) {
        self.overtaking.grant(claim.space, claim.span, claim.mode, ticket);
        self.holders.push(*claim);
    }

    /// Takes a place in the line; who is before it, and whether it went before others.
    pub(super) fn queue(&mut self, claim: &Claim, overtaking: bool) -> (Arc<Waiter>, Vec<u64>, bool) {
        let place = self.place(claim);
        let before = self.before(claim, place).collect();
        let ticket = overtaking.then(|| self.overtaking.come(claim.space, claim.span, claim.mode));
        let waiter = Arc::new(Waiter {
            claim: *claim,
            ticket,
            overtaken: AtomicU64::new(0),
            state: Mutex::new(State::Asleep),
            wake: Condvar::new(),
        });
        let between = place < self.waiting.len();
        self.waiting.insert(place, Arc::clone(&waiter));
        (waiter, before, between)
    }

    /// For each who waits, who is in its way.
    pub(super) fn obstacles(&self) -> Vec<(u64, Vec<u64>)> {
        let of =
            |(place, waiter): (usize, &Arc<Waiter>)| (waiter.claim.id, self.before(&waiter.claim, place).collect());
        self.waiting.iter().enumerate().map(of).collect()
    }

    /// Leaves the line without the keys; who may go on now. `None` where it has them by now.
    pub(super) fn leave(&mut self, waiter: &Arc<Waiter>) -> Option<Vec<Arc<Waiter>>> {
        let place = self.waiting.iter().position(|other| Arc::ptr_eq(other, waiter))?;
        self.waiting.remove(place);
        self.seen(waiter);
        Some(self.hand_over())
    }

    /// Gives all back that a transaction has here; who may go on now.
    pub(super) fn give_back(&mut self, id: u64) -> Vec<Arc<Waiter>> {
        self.holders.retain(|held| held.id != id);
        self.hand_over()
    }

    /// Gives one claim back that was granted; who may go on now.
    pub(super) fn take_back(&mut self, claim: &Claim) -> Vec<Arc<Waiter>> {
        if let Some(at) = self.holders.iter().rposition(|held| held == claim) {
            self.holders.remove(at);
        }
        self.hand_over()
    }

    /// Grants, in the order of coming, all who have nobody before them in the way.
    fn hand_over(&mut self) -> Vec<Arc<Waiter>> {
        let mut granted = Vec::new();
        let mut place = 0;
        while let Some(waiter) = self.waiting.get(place).map(Arc::clone) {
            if self.before(&waiter.claim, place).next().is_some() {
                place += 1;
            } else {
                self.waiting.remove(place);
                self.grant(&waiter.claim, waiter.ticket);
                self.seen(&waiter);
                granted.push(waiter);
            }
        }
        granted
    }

    fn seen(&mut self, waiter: &Waiter) {
        if let Some(ticket) = waiter.ticket {
            waiter.overtaken.store(self.overtaking.end(ticket), Relaxed);
        }
    }

    pub(super) fn call_all(&self) {
        self.waiting.iter().for_each(|waiter| waiter.call());
    }

    pub(super) fn has_waiters(&self) -> bool {
        !self.waiting.is_empty()
    }

    pub(super) fn held(&self) -> usize {
        self.holders.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.holders.is_empty() && self.waiting.is_empty()
    }
}
