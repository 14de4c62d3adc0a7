//! How the queued locks are built.

use crate::Problem;

/// How many lines there are, and what is done beside granting.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Config {
    /// Whether only single keys are locked, with a line for each; otherwise ranges, with a line a part.
    pub points_only: bool,
    /// Parts that the keys are spread over, each with a mutex and lines of its own; at least 1.
    pub parts: usize,
    /// Keys side by side in one part, where ranges are locked; at least 1. A range takes a mutex for each part that it lies in.
    pub segment: u64,
    /// Whether who is about to wait looks for a deadlock first. A request waits for those before it in the line too, so where ranges are
    /// locked, taking them in the order of keys does not keep deadlocks away: leave this on, or give every wait a deadline.
    pub deadlocks: bool,
    /// Whether transactions draw their numbers from one counter.
    pub shared_numbers: bool,
    /// Whether it is recorded how often waits are overtaken.
    pub overtaking: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config { points_only: false, parts: 256, segment: 64, deadlocks: true, shared_numbers: false, overtaking: true }
    }
}

impl Config {
    pub(super) fn check(&self) -> Result<(), Problem> {
        if self.parts == 0 {
            Err(Problem::Zero("the number of parts"))
        } else if self.segment == 0 {
            Err(Problem::Zero("the length of a segment"))
        } else {
            Ok(())
        }
    }
}
