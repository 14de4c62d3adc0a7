//! sysbench's `special` as its documentation has it.

use super::super::{Distribution, exact, sums};
use super::special::checked;
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// `special` without its faults: `res` percent of the draws fall alike on `pct` percent of the keys (at least one), which lie in the
/// middle, and the others make a bell over all keys, first and last alike. For 1000 keys 10 are hot, 496 to 505; 100 of 10,000.
///
/// Where the window cannot lie in the very middle, it lies half a key below. One unit chooses, one more draws in the window, or `iter`
/// draw the bell.
#[derive(Clone, Debug, PartialEq)]
pub struct SpecialSymmetric {
    range: KeyRange,
    iter: u32,
    bell: f64,
    window: KeyRange,
}

impl SpecialSymmetric {
    /// As [`Special::new`](super::Special::new); the range may be any of at most 2⁵² keys, which is what one unit tells apart.
    ///
    /// # Errors
    /// All that is outside.
    pub fn new(range: KeyRange, iter: u64, pct: u64, res: u64) -> Result<Self, Vec<Refusal>> {
        checked(exact::told_apart(range), iter, pct, res, 100)?;
        let keys = range.keys();
        let hot = ((keys * u128::from(pct) + 50) / 100).clamp(1, keys) as u64;
        let first = range.low() + (keys as u64 - hot) / 2;
        let window = KeyRange::new(first, first + (hot - 1)).map_err(|refusal| vec![refusal])?;
        Ok(SpecialSymmetric { range, iter: iter as u32, bell: 1.0 - res as f64 / 100.0, window })
    }

    /// The hot keys.
    pub fn window(&self) -> KeyRange {
        self.window
    }
}

impl Distribution for SpecialSymmetric {
    fn range(&self) -> KeyRange {
        self.range
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        if stream.unit() >= self.bell {
            return Some(exact::place(self.window, stream.unit()));
        }
        let mut sum = 0.0;
        for _ in 0..self.iter {
            sum += stream.unit();
        }
        Some(exact::place(self.range, sum / f64::from(self.iter)))
    }

    fn cumulative(&self, key: u64) -> Option<f64> {
        let bell = match self.bell {
            0.0 => 0.0,
            _ => sums::continuous(self.iter, super::share(self.range, key) * f64::from(self.iter))?,
        };
        Some(self.bell * bell + (1.0 - self.bell) * super::share(self.window, key))
    }
}
