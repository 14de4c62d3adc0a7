//! One key after the other.

use std::sync::atomic::{AtomicU64, Ordering};

use super::super::Distribution;
use super::java_long;
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// `SequentialGenerator`: the keys in their order, then again from the first, by one atomic counter that all workers add to. No random number
/// a key, but a line that all workers share.
#[derive(Debug)]
pub struct Sequential {
    range: KeyRange,
    next: AtomicU64,
}

impl Sequential {
    /// # Errors
    /// A range beyond a Java `long`.
    pub fn new(range: KeyRange) -> Result<Self, Vec<Refusal>> {
        java_long(range).map_err(|refusal| vec![refusal])?;
        Ok(Sequential { range, next: AtomicU64::new(0) })
    }
}

impl Distribution for Sequential {
    fn range(&self) -> KeyRange {
        self.range
    }

    #[inline]
    fn draw<S: Stream>(&self, _stream: &mut S) -> Option<u64> {
        Some(self.range.low() + self.next.fetch_add(1, Ordering::Relaxed) % (self.range.span() + 1))
    }
}
