//! One new key after the other.

use std::sync::atomic::{AtomicU64, Ordering};

use super::super::Distribution;
use crate::KeyRange;
use crate::stream::Stream;

/// The keys that wtperf inserts: each once in its order, by one atomic add on a word that all workers share. No random number a key. The
/// original has no end; here it is that of the range.
#[derive(Debug)]
pub struct Append {
    range: KeyRange,
    next: AtomicU64,
}

impl Append {
    /// Over any range.
    pub fn new(range: KeyRange) -> Self {
        Append { range, next: AtomicU64::new(0) }
    }
}

impl Distribution for Append {
    fn range(&self) -> KeyRange {
        self.range
    }

    #[inline]
    fn draw<S: Stream>(&self, _stream: &mut S) -> Option<u64> {
        let count = self.next.fetch_add(1, Ordering::Relaxed);
        if count > self.range.span() {
            // Stays behind the end, so that it never comes round.
            self.next.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        Some(self.range.low() + count)
    }
}
