//! Every key nearly alike.

use super::super::Distribution;
use super::WORDS;
use crate::KeyRange;
use crate::stream::Stream;

/// wtperf's keys where `pareto` is 0: a + r % n. One word a key.
///
/// Its faults: the remainder favours the first keys of large ranges, and keys beyond the first 2³² are never drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uniform {
    range: KeyRange,
}

impl Uniform {
    /// Over any range.
    pub fn new(range: KeyRange) -> Self {
        Uniform { range }
    }
}

impl Distribution for Uniform {
    fn range(&self) -> KeyRange {
        self.range
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        let word = stream.word() & (WORDS - 1);
        // All of 64 bits are more keys than there are words.
        Some(self.range.low() + self.range.span().checked_add(1).map_or(word, |keys| word % keys))
    }

    /// Of words that are uniform.
    fn cumulative(&self, key: u64) -> Option<f64> {
        if key < self.range.low() {
            return Some(0.0);
        }
        let place = u128::from((key - self.range.low()).min(self.range.span()));
        let (words, keys) = (u128::from(WORDS), self.range.keys());
        let at_most = words / keys * (place + 1) + (words % keys).min(place + 1);
        Some(at_most as f64 / WORDS as f64)
    }
}
