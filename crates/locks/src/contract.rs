//! What all lock managers have in common: what is asked for, and what came of it.

use crate::Transaction;
use std::{fmt, time::Instant};

/// Whether others may hold the same keys.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Mode {
    /// Any number of transactions may hold it.
    Shared,
    /// One transaction holds it alone.
    Exclusive,
}

impl Mode {
    /// Whether two holders of the same key, one in either mode, exclude each other.
    #[must_use]
    pub fn conflicts(self, other: Mode) -> bool {
        self == Mode::Exclusive || other == Mode::Exclusive
    }
}

/// A table or an index. Locks of different spaces never conflict.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Space(pub u32);

/// A closed range of keys: both ends belong to it.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Span {
    left: u64,
    right: u64,
}

impl Span {
    /// All keys from `left` to `right`, both of them too.
    ///
    /// # Errors
    ///
    /// [`Problem::Reversed`], where the left end is beyond the right one.
    pub fn new(left: u64, right: u64) -> Result<Span, Problem> {
        if left > right { Err(Problem::Reversed { left, right }) } else { Ok(Span { left, right }) }
    }

    /// One key.
    #[must_use]
    pub const fn point(key: u64) -> Span {
        Span { left: key, right: key }
    }

    /// The least key.
    #[must_use]
    pub const fn left(self) -> u64 {
        self.left
    }

    /// The greatest key.
    #[must_use]
    pub const fn right(self) -> u64 {
        self.right
    }

    /// Whether it is one key.
    #[must_use]
    pub const fn is_point(self) -> bool {
        self.left == self.right
    }

    /// Whether a key lies in both.
    #[must_use]
    pub const fn overlaps(self, other: Span) -> bool {
        self.left <= other.right && other.left <= self.right
    }

    /// Whether all keys of the other lie in this one.
    #[must_use]
    pub const fn covers(self, other: Span) -> bool {
        self.left <= other.left && other.right <= self.right
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, {}]", self.left, self.right)
    }
}

/// How long a request may wait.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Deadline {
    /// Not at all: a conflict is refused as [`Refused::Busy`].
    Now,
    /// Until then.
    At(Instant),
    /// For ever, or until cancelled.
    Never,
}

/// How a lock was granted.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Granted {
    /// Nobody was in the way.
    AtOnce,
    /// The transaction held it already, in this mode or the stronger one.
    Already,
    /// Somebody had to leave first.
    AfterWaiting,
    /// Taken from a transaction that had expired; with or without waiting.
    Stolen,
}

/// Why a lock was not granted. What the transaction holds, it still holds: it is for the caller to release.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Refused {
    /// A conflict, and the deadline was [`Deadline::Now`].
    Busy,
    /// The deadline passed while it waited.
    TimedOut,
    /// Waiting would have closed a circle of waiting transactions, or the search for one went too deep to tell.
    Deadlock,
    /// The wait was cancelled from outside.
    Cancelled,
    /// The transaction has expired and its locks may be another's by now: release it.
    Expired,
    /// The manager holds as many locks as it may, or as much memory of them.
    Full,
    /// The request makes no sense.
    Invalid(Problem),
}

/// What the transaction's end found.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Ended {
    /// It held its locks to the end.
    Whole,
    /// It had expired, and at least one other transaction took its locks before the end: a commit would be wrong.
    Stolen,
}

/// What is wrong with a request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Problem {
    /// The left end is beyond the right one.
    Reversed {
        /// The left end as given.
        left: u64,
        /// The right end as given.
        right: u64,
    },
    /// A range was asked of a manager of points.
    NotAPoint(Span),
    /// The transaction was not begun, or was released since.
    NotBegun,
    /// The transaction holds locks still.
    NotReleased,
    /// The transaction is another manager's.
    Foreign,
    /// The manager has no expiring transactions.
    NoExpiry,
    /// A number of the configuration that must be at least 1 is 0.
    Zero(&'static str),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Reversed { left, right } => {
                write!(
                    f,
                    "the range [{left}, {right}] ends before it begins; give the lower key first: [{right}, {left}]"
                )
            }
            Problem::NotAPoint(span) => write!(
                f,
                "{span} is a range, and this manager locks single keys; lock each key, or take a range manager"
            ),
            Problem::NotBegun => write!(f, "the transaction was not begun; call begin before lock"),
            Problem::NotReleased => write!(f, "the transaction holds locks; call release before begin"),
            Problem::Foreign => {
                write!(f, "the transaction is another manager's; make it with this one's transaction()")
            }
            Problem::NoExpiry => write!(f, "transactions do not expire in this manager; begin them without an expiry"),
            Problem::Zero(what) => write!(f, "{what} is 0; give 1 or more"),
        }
    }
}

impl std::error::Error for Problem {}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refused::Busy => "another transaction holds it",
            Refused::TimedOut => "the deadline passed while it waited",
            Refused::Deadlock => "waiting would close a circle of waiting transactions",
            Refused::Cancelled => "the wait was cancelled",
            Refused::Expired => "the transaction has expired",
            Refused::Full => "the manager holds as many locks as it may",
            Refused::Invalid(problem) => return problem.fmt(f),
        })
    }
}

impl std::error::Error for Refused {}

impl From<Problem> for Refused {
    fn from(problem: Problem) -> Refused {
        Refused::Invalid(problem)
    }
}

/// A lock manager: who holds which keys, and who waits for them. Shared by all workers; each has a [`Transaction`] of its own.
pub trait LockManager: Send + Sync {
    /// A worker's transaction, not begun. Made once and used again and again, as RocksDB lets its transactions be used.
    fn transaction(&self) -> Transaction;

    /// Begins: gives a new number, and forgets a cancellation of the one before. With `expires`, its locks may be stolen from then.
    ///
    /// # Errors
    ///
    /// [`Problem::NotReleased`], [`Problem::Foreign`], [`Problem::NoExpiry`].
    fn begin(&self, transaction: &mut Transaction, expires: Option<Instant>) -> Result<(), Problem>;

    /// Locks all keys of a span, or none: waits until nobody is in the way, the deadline passes or the wait is cancelled.
    ///
    /// A deadline that has passed refuses no lock that is free.
    ///
    /// # Errors
    ///
    /// [`Refused`], with the reason. Locks held before are still held.
    fn lock(
        &self,
        transaction: &mut Transaction,
        space: Space,
        span: Span,
        mode: Mode,
        deadline: Deadline,
    ) -> Result<Granted, Refused>;

    /// Ends the transaction, by commit or rollback: releases all it holds and wakes who may go on. Nothing to do where it was not
    /// begun, or is another manager's.
    fn release(&self, transaction: &mut Transaction) -> Ended;

    /// Cancels the wait of the transaction that the canceller is of, and its waits to come until it begins anew.
    fn cancel(&self, canceller: &crate::Canceller);

    /// Cancels all waits in progress and all to come. Locks are still granted where nobody is in the way.
    fn close(&self);

    /// Waits are waited again.
    fn open(&self);

    /// How many locks are held by all: 0 when every transaction has ended. Takes every mutex once, so not for the way of the work.
    fn held(&self) -> usize;
}

#[cfg(test)]
mod tests {
    use super::{Mode, Problem, Span};

    #[test]
    fn ranges_are_closed() -> Result<(), Problem> {
        assert!(!Span::new(1, 5)?.overlaps(Span::new(6, 9)?));
        assert!(Span::new(1, 5)?.overlaps(Span::new(5, 9)?));
        assert!(Span::new(5, 5)?.is_point());
        assert!(Span::new(0, u64::MAX)?.covers(Span::point(u64::MAX)));
        assert!(!Span::point(3).covers(Span::new(3, 4)?));
        Ok(())
    }

    #[test]
    fn a_reversed_range_is_refused_with_its_cure() {
        let problem = Span::new(10, 5).expect_err("reversed");
        assert!(problem.to_string().contains("give the lower key first: [5, 10]"), "{problem}");
    }

    #[test]
    fn only_shared_goes_with_shared() {
        assert!(!Mode::Shared.conflicts(Mode::Shared));
        assert!(Mode::Shared.conflicts(Mode::Exclusive));
        assert!(Mode::Exclusive.conflicts(Mode::Shared));
        assert!(Mode::Exclusive.conflicts(Mode::Exclusive));
    }
}
