//! How the point locks are built: as RocksDB's by default, or with one of its costs switched off.

use crate::Problem;

/// Each default is the original's; each other value takes one cost away, to see what it was.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Config {
    /// Stripes of a lock map; at least 1. RocksDB's `TransactionDBOptions::num_stripes`, 16.
    pub stripes: usize,
    /// Whether each stripe has lines of its own. The original's stripes are small separate objects, so two can meet on a line.
    pub padded: bool,
    /// Whether each call copies the shared pointer to the lock map: two writes of a reference count that all workers share.
    pub reference_count: bool,
    /// How many transactions a search for a deadlock looks at; `None`: no search, as in RocksDB by default. Its depth is 50.
    pub deadlock_depth: Option<usize>,
    /// How many keys may be locked in a map; `None`: any number, and no counter that all workers share. MyRocks sets 1048576.
    pub lock_limit: Option<usize>,
    /// Whether transactions draw their numbers from one counter.
    pub shared_numbers: bool,
    /// Whether all spaces share one lock map, as the indexes of a column family do, or each has its own.
    pub one_map: bool,
    /// Whether it is recorded how often waits are overtaken: work for the holder of a stripe, while others wait in it, that the
    /// original does not have.
    pub overtaking: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            stripes: 16,
            padded: false,
            reference_count: true,
            deadlock_depth: None,
            lock_limit: None,
            shared_numbers: true,
            one_map: true,
            overtaking: true,
        }
    }
}

impl Config {
    /// What RocksDB searches where deadlock detection is on: `TransactionOptions::deadlock_detect_depth`.
    pub const DEADLOCK_DEPTH: usize = 50;

    pub(super) fn check(&self) -> Result<(), Problem> {
        if self.stripes == 0 {
            Err(Problem::Zero("the number of stripes"))
        } else if self.deadlock_depth == Some(0) {
            Err(Problem::Zero("the depth of the search for deadlocks"))
        } else if self.lock_limit == Some(0) {
            Err(Problem::Zero("the limit of locks"))
        } else {
            Ok(())
        }
    }
}
