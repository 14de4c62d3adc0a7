//! What workers did with a lock manager, noted by each for itself, and checked when all have ended.
//!
//! A [`Log`] is a worker's own, so that noting shares no line and takes no lock. Stamps are the caller's: anything that rises over all
//! workers, such as a monotonic clock, or one counter where order matters more than speed. A grant is noted *after* `lock` came back,
//! a release *before* it is called and after it came back: so two conflicting holdings that overlap in the history overlapped in
//! truth, and none is reported that did not happen.
//!
//! A stolen lock would be told as a conflict, so this is not for transactions that expire. What a history cannot show: a wake-up that was
//! lost and made good by a later one, or that came late while others were in the way; and who was overtaken.

mod check;
mod overlaps;
mod stretches;

pub use check::{Checker, Obstacles, Report, Violation};

use crate::contract::{Mode, Refused, Space, Span};

/// One thing a worker did.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Step {
    /// Began a transaction of that number.
    Began(u64),
    /// Is about to ask for a lock.
    Asks(Space, Span, Mode),
    /// Was granted what it asked for.
    Granted,
    /// Was refused it.
    Refused(Refused),
    /// Is about to release all.
    Releases,
    /// Has released all.
    Released,
}

/// A worker's history: steps with their stamps, in the order of doing.
#[derive(Clone, Debug, Default)]
pub struct Log {
    steps: Vec<(u64, Step)>,
    limit: Option<usize>,
    full: bool,
}

impl Log {
    /// A log of any length.
    #[must_use]
    pub fn new() -> Log {
        Log::default()
    }

    /// A log that ends after so many steps: what comes later is not noted, and nothing later is checked for any worker.
    #[must_use]
    pub fn with_limit(steps: usize) -> Log {
        Log { steps: Vec::with_capacity(steps), limit: Some(steps), full: false }
    }

    /// Notes a step.
    pub fn note(&mut self, stamp: u64, step: Step) {
        if self.limit.is_some_and(|limit| self.steps.len() >= limit) {
            self.full = true;
        } else {
            self.steps.push((stamp, step));
        }
    }

    /// The steps noted.
    #[must_use]
    pub fn steps(&self) -> &[(u64, Step)] {
        &self.steps
    }

    /// Whether steps came that were not noted.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.full
    }
}
