//! RocksDB's transactions as a lock manager of `locking/transaction`.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use hitm_kernels::locking::manager::{Manager, NotLocked, Session, Tells};
use hitm_locks::history::Obstacles;
use hitm_locks::{Counts, Granted, Mode, Problem, Refused, Space, Span};

use super::Kind;
use super::ffi::{Answer, Database, Transaction, Waits};
use crate::folder::Folder;

/// Bits of a transaction's number that count those of one session.
const NUMBERS: u32 = 40;

/// An empty database in a folder of its own, both gone when it is dropped.
#[derive(Debug)]
pub struct RocksDb {
    // Closed before its folder goes.
    database: Database,
    kind: Kind,
    sessions: AtomicU64,
    _folder: Folder,
}

impl RocksDb {
    /// Opens one.
    ///
    /// # Errors
    /// Why there is no folder, or no database in it.
    pub fn open(kind: Kind) -> Result<RocksDb, String> {
        let folder = Folder::new("rocksdb")?;
        let (ranges, detect) = match kind {
            Kind::Points { detect } => (false, detect),
            Kind::Ranges | Kind::RangesOfPoints => (true, true),
        };
        let database = Database::open(folder.path(), ranges, detect).map_err(|why| folder.told("RocksDB", &why))?;
        Ok(RocksDb { database, kind, sessions: AtomicU64::new(0), _folder: folder })
    }
}

impl Manager for RocksDb {
    type Session<'a> = Connection<'a>;

    fn session(&self) -> Result<Connection<'_>, String> {
        let transaction = Transaction::new(&self.database)?;
        let next = self.sessions.fetch_add(1, Relaxed) << NUMBERS;
        Ok(Connection { transaction, kind: self.kind, begun: false, next, counts: Counts::default() })
    }

    fn held(&self) -> Option<usize> {
        self.database.held()
    }

    fn ranges(&self) -> bool {
        self.kind == Kind::Ranges
    }

    fn obstacles(&self) -> Obstacles {
        match self.kind {
            Kind::Points { .. } => Obstacles::Conflicts,
            Kind::Ranges | Kind::RangesOfPoints => Obstacles::Overlaps,
        }
    }

    fn tells(&self) -> Tells {
        Tells::Waits
    }
}

/// A worker's transactions.
#[derive(Debug)]
pub struct Connection<'a> {
    transaction: Transaction<'a>,
    kind: Kind,
    begun: bool,
    /// The number of the next transaction. RocksDB's own numbers are no use: with range locks they are addresses, and come again.
    next: u64,
    counts: Counts,
}

impl Session for Connection<'_> {
    fn begin(&mut self) -> Result<u64, String> {
        self.transaction.begin()?;
        self.begun = true;
        self.next += 1;
        Ok(self.next)
    }

    fn lock(&mut self, space: Space, span: Span, mode: Mode, until: Instant) -> Result<Granted, NotLocked> {
        if !self.begun {
            return Err(NotLocked::Failed(Problem::NotBegun.to_string()));
        }
        let exclusive = mode == Mode::Exclusive;
        let timeout_ms = milliseconds(until);
        let (answer, waits) = match self.kind {
            Kind::Ranges if exclusive => self.transaction.lock_range(space.0, span.left(), span.right(), timeout_ms),
            // RocksDB has no shared ranges, only shared keys.
            _ if span.is_point() => self.transaction.lock_key(space.0, span.left(), exclusive, timeout_ms),
            Kind::Ranges => return Err(NotLocked::Failed(format!("RocksDB cannot share the range {span}"))),
            _ => return Err(NotLocked::Failed(Problem::NotAPoint(span).to_string())),
        };
        self.count(&answer, waits);
        match answer {
            Answer::Granted if waits.waits > 0 => Ok(Granted::AfterWaiting),
            Answer::Granted => Ok(Granted::AtOnce),
            Answer::TimedOut => Err(NotLocked::Refused(Refused::TimedOut)),
            Answer::Deadlock => Err(NotLocked::Refused(Refused::Deadlock)),
            Answer::Failed(why) => Err(NotLocked::Failed(why)),
        }
    }

    fn end(&mut self) -> Result<(), String> {
        self.begun = false;
        self.transaction.end()
    }

    fn take_counts(&mut self) -> Counts {
        std::mem::take(&mut self.counts)
    }
}

impl Connection<'_> {
    fn count(&mut self, answer: &Answer, waits: Waits) {
        let counts = &mut self.counts;
        let mut in_vain = waits.wake_ups;
        *match answer {
            // The wake-up that it was granted by; a wait that its deadline ended may be granted too.
            Answer::Granted if waits.waits > 0 => {
                in_vain = in_vain.saturating_sub(1);
                &mut counts.after_waiting
            }
            Answer::Granted => &mut counts.at_once,
            Answer::TimedOut => &mut counts.timed_out,
            Answer::Deadlock => &mut counts.deadlocks,
            Answer::Failed(_) => &mut counts.invalid,
        } += 1;
        counts.requests += 1;
        counts.waits += waits.waits;
        counts.wake_ups += waits.wake_ups;
        counts.wake_ups_in_vain += in_vain;
    }
}

/// RocksDB's timeouts are whole milliseconds: what is left is rounded up, so that none is shorter than asked. What has passed is 0, no
/// wait at all.
fn milliseconds(until: Instant) -> i64 {
    let left = until.saturating_duration_since(Instant::now());
    i64::try_from(left.as_nanos().div_ceil(1_000_000)).unwrap_or(i64::MAX)
}
