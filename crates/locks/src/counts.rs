//! What a transaction's requests met, counted where only its own worker writes.

/// Events of one worker's transactions since they were last taken. All are counts; none is derived.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Counts {
    /// Calls of `lock`.
    pub requests: u64,
    /// Granted while nobody was in the way.
    pub at_once: u64,
    /// Held already.
    pub already: u64,
    /// Granted after waiting.
    pub after_waiting: u64,
    /// Granted by stealing from an expired transaction.
    pub stolen: u64,
    /// Conflicts where no wait was wanted.
    pub busy: u64,
    /// Waits that ended by their deadline.
    pub timed_out: u64,
    /// Requests refused because of a deadlock, found or assumed.
    pub deadlocks: u64,
    /// Deadlocks assumed because the search went too deep; in `deadlocks` too.
    pub too_deep: u64,
    /// Waits cancelled from outside.
    pub cancelled: u64,
    /// Requests of a transaction that had expired.
    pub expired: u64,
    /// Requests refused because the manager was full.
    pub full: u64,
    /// Requests that made no sense.
    pub invalid: u64,
    /// Times that the worker went to sleep. One request can do so more than once; where its deadline has passed it comes back at once.
    pub waits: u64,
    /// Times that it went on by being woken, not by its deadline.
    pub wake_ups: u64,
    /// Wake-ups after which it could not have the lock.
    pub wake_ups_in_vain: u64,
    /// Attempts at a lock after a request's first, made by this worker for itself.
    pub retries: u64,
    /// Attempts made by this worker for others that wait, while it released.
    pub retries_for_others: u64,
    /// Locks handed over by this worker to others that waited.
    pub handed_over: u64,
    /// Searches for a deadlock.
    pub graph_searches: u64,
    /// Transactions looked at in those.
    pub graph_steps: u64,
    /// Times that ranges were merged for want of memory.
    pub escalations: u64,
    /// Waits that were overtaken: a conflicting request that came later was granted earlier.
    pub overtaken_waits: u64,
    /// How often the worst of them was overtaken.
    pub overtaken_most: u64,
}

impl Counts {
    /// Adds another's: all are sums, but the worst wait is the worse one.
    pub fn add(&mut self, other: &Counts) {
        self.requests += other.requests;
        self.at_once += other.at_once;
        self.already += other.already;
        self.after_waiting += other.after_waiting;
        self.stolen += other.stolen;
        self.busy += other.busy;
        self.timed_out += other.timed_out;
        self.deadlocks += other.deadlocks;
        self.too_deep += other.too_deep;
        self.cancelled += other.cancelled;
        self.expired += other.expired;
        self.full += other.full;
        self.invalid += other.invalid;
        self.waits += other.waits;
        self.wake_ups += other.wake_ups;
        self.wake_ups_in_vain += other.wake_ups_in_vain;
        self.retries += other.retries;
        self.retries_for_others += other.retries_for_others;
        self.handed_over += other.handed_over;
        self.graph_searches += other.graph_searches;
        self.graph_steps += other.graph_steps;
        self.escalations += other.escalations;
        self.overtaken_waits += other.overtaken_waits;
        self.overtaken_most = self.overtaken_most.max(other.overtaken_most);
    }

    /// Whether every request ended in one way, and in one only.
    #[must_use]
    pub fn adds_up(&self) -> bool {
        let granted = self.at_once + self.already + self.after_waiting + self.stolen;
        let refused =
            self.busy + self.timed_out + self.deadlocks + self.cancelled + self.expired + self.full + self.invalid;
        self.requests == granted + refused
    }

    pub(crate) fn ended(&mut self, outcome: &Result<crate::Granted, crate::Refused>) {
        use crate::{Granted, Refused};
        self.requests += 1;
        *match outcome {
            Ok(Granted::AtOnce) => &mut self.at_once,
            Ok(Granted::Already) => &mut self.already,
            Ok(Granted::AfterWaiting) => &mut self.after_waiting,
            Ok(Granted::Stolen) => &mut self.stolen,
            Err(Refused::Busy) => &mut self.busy,
            Err(Refused::TimedOut) => &mut self.timed_out,
            Err(Refused::Deadlock) => &mut self.deadlocks,
            Err(Refused::Cancelled) => &mut self.cancelled,
            Err(Refused::Expired) => &mut self.expired,
            Err(Refused::Full) => &mut self.full,
            Err(Refused::Invalid(_)) => &mut self.invalid,
        } += 1;
    }

    pub(crate) fn overtaken(&mut self, times: u64) {
        self.overtaken_waits += u64::from(times > 0);
        self.overtaken_most = self.overtaken_most.max(times);
    }
}
