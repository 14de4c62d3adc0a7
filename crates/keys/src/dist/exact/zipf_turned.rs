//! Zipf's distribution with its hot keys elsewhere than first.

use super::super::Distribution;
use super::{Permutation, Zipf};
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// [`Zipf`] with the hot keys scattered over the range: each rank has a key of its own, so every key can be drawn. What hashing the rank
/// (`ycsb/scrambled-zipfian`) only comes near to.
///
/// 64 bits a try, and the rounds of [`Permutation`].
#[derive(Debug)]
pub struct ZipfScrambled {
    zipf: Zipf,
    order: Permutation,
}

impl ZipfScrambled {
    /// As [`Zipf::new`]; the seed decides which keys are hot.
    ///
    /// # Errors
    /// As [`Zipf::new`].
    pub fn new(range: KeyRange, theta: f64, seed: u64) -> Result<Self, Vec<Refusal>> {
        Ok(ZipfScrambled { zipf: Zipf::new(range, theta)?, order: Permutation::new(range, seed) })
    }

    /// The key of a rank, of which 0 is the hottest; `None` beyond the last one.
    pub fn key_of_rank(&self, rank: u64) -> Option<u64> {
        let range = self.zipf.range();
        (rank <= range.span()).then(|| range.low() + self.order.place(rank))
    }
}

impl Distribution for ZipfScrambled {
    fn range(&self) -> KeyRange {
        self.zipf.range()
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        Some(self.zipf.range().low() + self.order.place(self.zipf.draw_rank(stream)))
    }
}

/// [`Zipf`] with the last keys hot, as of rows that were inserted last.
#[derive(Clone, Debug)]
pub struct ZipfLatest {
    zipf: Zipf,
}

impl ZipfLatest {
    /// As [`Zipf::new`].
    ///
    /// # Errors
    /// As [`Zipf::new`].
    pub fn new(range: KeyRange, theta: f64) -> Result<Self, Vec<Refusal>> {
        Ok(ZipfLatest { zipf: Zipf::new(range, theta)? })
    }

    fn turned(&self, key: u64) -> u64 {
        self.range().low() + (self.range().high() - key)
    }
}

impl Distribution for ZipfLatest {
    fn range(&self) -> KeyRange {
        self.zipf.range()
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        Some(self.zipf.range().high() - self.zipf.draw_rank(stream))
    }

    fn cumulative(&self, key: u64) -> Option<f64> {
        let range = self.range();
        match key {
            _ if key < range.low() => Some(0.0),
            _ if key >= range.high() => Some(1.0),
            // All but those that are hotter.
            _ => Some(1.0 - self.zipf.cumulative(self.turned(key) - 1)?),
        }
    }

    fn probability(&self, key: u64) -> Option<f64> {
        if self.range().contains(key) { self.zipf.probability(self.turned(key)) } else { Some(0.0) }
    }
}
