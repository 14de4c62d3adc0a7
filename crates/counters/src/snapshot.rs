//! The counters of one thread at one moment.

use serde::{Deserialize, Serialize};

use crate::perf::Usage;

/// What was counted of one event over one stretch, as the kernel gave it: never scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// The count, in the event's unit.
    pub value: u64,
    /// Nanoseconds for which the event was enabled; those that the thread was on a PU.
    pub enabled_ns: u64,
    /// Nanoseconds of these for which it had a counter: at least 1, and less than enabled when it shared one.
    pub running_ns: u64,
}

/// The counters of one thread at one moment, to be filled by [`crate::ThreadEvents::snapshot`]. Its memory is used again.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    pub(crate) groups: Vec<GroupSnapshot>,
    /// Only read where an event needs it.
    pub(crate) usage: Option<Result<Usage, i32>>,
}

/// One group's words, and how reading them went: the bytes read, or the errno.
#[derive(Clone, Debug)]
pub(crate) struct GroupSnapshot {
    pub words: Vec<u64>,
    pub read: Result<usize, i32>,
}

impl GroupSnapshot {
    /// Makes of an event's own reading (value, enabled, running) that of a group which holds it alone (1, enabled, running, value).
    pub fn as_group_of_one(&mut self) {
        let [value, enabled, running, _] = self.words[..] else { return };
        if self.read == Ok(size_of_val(&[value, enabled, running])) {
            self.words.copy_from_slice(&[1, enabled, running, value]);
            self.read = Ok(size_of_val(&self.words[..]));
        }
    }
}
