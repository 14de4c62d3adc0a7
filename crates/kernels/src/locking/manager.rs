//! What `locking/transaction` asks of a lock manager, be it a model or a storage engine, and the models behind it.

use std::time::Instant;

use hitm_locks::history::Obstacles;
use hitm_locks::{Counts, Deadline, Granted, LockManager, Mode, Refused, Space, Span, Transaction};

/// A lock manager that the workers of one trial share.
pub trait Manager: Send + Sync + 'static {
    /// One worker's transactions, one after the other.
    type Session<'a>: Session
    where
        Self: 'a;

    /// Makes a worker's, on its own thread.
    ///
    /// # Errors
    /// What the engine says.
    fn session(&self) -> Result<Self::Session<'_>, String>;

    /// How many locks are held by all; `None` where the engine does not tell.
    fn held(&self) -> Option<usize>;

    /// Whether it locks ranges of keys; otherwise the keys of a range are locked one by one, as a scan would.
    fn ranges(&self) -> bool;

    /// What keeps a request waiting there, for the check of its history.
    fn obstacles(&self) -> Obstacles;

    /// What it tells of its requests; tallies of what it does not are absent.
    fn tells(&self) -> Tells {
        Tells::All
    }
}

/// What a manager tells of its requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tells {
    /// What came of them. All grants are told as [`Granted::AtOnce`], and the waits of committed transactions are within `locking`.
    Answers,
    /// Which of them waited too, how often they slept and were woken.
    Waits,
    /// What they met on their way too: searches for deadlocks, attempts for others, who was overtaken.
    All,
}

/// One worker's transactions. What one holds is let go when it is dropped.
pub trait Session {
    /// Begins a transaction; gives its number, which no other transaction of the manager has.
    ///
    /// # Errors
    /// What the engine says.
    fn begin(&mut self) -> Result<u64, String>;

    /// Locks all keys of a span, or none; waits until then at the longest.
    ///
    /// # Errors
    /// Why not.
    fn lock(&mut self, space: Space, span: Span, mode: Mode, until: Instant) -> Result<Granted, NotLocked>;

    /// Ends the transaction and lets go what it holds.
    ///
    /// # Errors
    /// What the engine says.
    fn end(&mut self) -> Result<(), String>;

    /// What the requests met since this was asked last; of what it does not tell ([`Manager::tells`]) 0.
    fn take_counts(&mut self) -> Counts;
}

/// Why a lock was not had.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum NotLocked {
    /// It was refused, as locks are: the transaction may end and try again.
    Refused(Refused),
    /// The engine failed: nothing goes on.
    Failed(String),
}

/// A lock manager of [`hitm_locks`].
pub struct Model<M> {
    manager: M,
    ranges: bool,
    obstacles: Obstacles,
}

impl<M: LockManager> Model<M> {
    /// Of ranges or of single keys.
    pub fn new(manager: M, ranges: bool, obstacles: Obstacles) -> Self {
        Model { manager, ranges, obstacles }
    }
}

impl<M: LockManager + 'static> Manager for Model<M> {
    type Session<'a> = Modelled<'a, M>;

    fn session(&self) -> Result<Modelled<'_, M>, String> {
        Ok(Modelled { manager: &self.manager, transaction: self.manager.transaction() })
    }

    fn held(&self) -> Option<usize> {
        Some(self.manager.held())
    }

    fn ranges(&self) -> bool {
        self.ranges
    }

    fn obstacles(&self) -> Obstacles {
        self.obstacles
    }
}

/// A worker's transactions in a model.
pub struct Modelled<'a, M: LockManager> {
    manager: &'a M,
    transaction: Transaction,
}

impl<M: LockManager> Session for Modelled<'_, M> {
    fn begin(&mut self) -> Result<u64, String> {
        self.manager.begin(&mut self.transaction, None).map_err(|problem| problem.to_string())?;
        Ok(self.transaction.id())
    }

    fn lock(&mut self, space: Space, span: Span, mode: Mode, until: Instant) -> Result<Granted, NotLocked> {
        match self.manager.lock(&mut self.transaction, space, span, mode, Deadline::At(until)) {
            Err(Refused::Invalid(problem)) => Err(NotLocked::Failed(problem.to_string())),
            Err(Refused::Full) => Err(NotLocked::Failed(Refused::Full.to_string())),
            answer => answer.map_err(NotLocked::Refused),
        }
    }

    fn end(&mut self) -> Result<(), String> {
        self.manager.release(&mut self.transaction);
        Ok(())
    }

    fn take_counts(&mut self) -> Counts {
        self.transaction.take_counts()
    }
}

impl<M: LockManager> Drop for Modelled<'_, M> {
    fn drop(&mut self) {
        self.manager.release(&mut self.transaction);
    }
}
