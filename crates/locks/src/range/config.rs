//! How the range locks are built: as the original by default, or with one of its costs switched off.

use crate::Problem;

/// Each default is the original's; each other value takes one cost away, to see what it was.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Config {
    /// Trees that a space's keys are spread over; at least 1. The original has one, whose root every request locks.
    pub partitions: usize,
    /// How many keys side by side lie in one tree; at least 1. Of no matter with one partition.
    pub segment: u64,
    /// Whether the mutex of the waiting requests is taken also for a lock that was granted at once.
    pub request_mutex_always: bool,
    /// How many bytes of locks may be held before ranges are merged, counted by all workers in one number; `None`: any, not counted.
    /// The original's default is 64 MB (`manager.cc`).
    pub memory_limit: Option<usize>,
    /// Whether the wait-for graph is built for each request that is about to wait.
    pub graph: bool,
    /// Whether a transaction that is alone in a tree only notes its locks in a list.
    pub single: bool,
    /// Whether each call copies the shared pointer to the tree: two writes of a reference count that all workers share.
    pub reference_count: bool,
    /// Whether transactions draw their numbers from one counter.
    pub shared_numbers: bool,
    /// Whether all spaces share one tree, as the indexes of a column family do, or each has its own.
    pub one_map: bool,
    /// Whether only single keys are locked, by the same way.
    pub points_only: bool,
    /// Whether it is recorded how often waits are overtaken. Grants that do not take the mutex of the requests are not seen to.
    pub overtaking: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            partitions: 1,
            segment: 64,
            request_mutex_always: true,
            memory_limit: Some(64 << 20),
            graph: true,
            single: true,
            reference_count: true,
            shared_numbers: true,
            one_map: true,
            points_only: false,
            overtaking: true,
        }
    }
}

impl Config {
    pub(super) fn check(&self) -> Result<(), Problem> {
        if self.partitions == 0 {
            Err(Problem::Zero("the number of partitions"))
        } else if self.segment == 0 {
            Err(Problem::Zero("the length of a segment"))
        } else if self.memory_limit == Some(0) {
            Err(Problem::Zero("the limit of memory"))
        } else {
            Ok(())
        }
    }
}
