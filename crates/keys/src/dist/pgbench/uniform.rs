//! Every key alike.

use super::super::Distribution;
use super::super::sysbench_1_0_20::share;
use super::bigint;
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// `random(a, b)`: as many upper bits as the range needs, and others for those beyond it. 64 bits a try, fewer than two tries a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uniform {
    range: KeyRange,
    shift: u32,
}

impl Uniform {
    /// # Errors
    /// A range beyond a bigint.
    pub fn new(range: KeyRange) -> Result<Self, Vec<Refusal>> {
        bigint(range).map_err(|refusal| vec![refusal])?;
        Ok(Uniform { range, shift: range.span().leading_zeros() })
    }
}

impl Distribution for Uniform {
    fn range(&self) -> KeyRange {
        self.range
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        // Of one key it draws no number.
        if self.range.span() == 0 {
            return Some(self.range.low());
        }
        loop {
            let place = stream.bits() >> self.shift;
            if place <= self.range.span() {
                return Some(self.range.low() + place);
            }
        }
    }

    fn cumulative(&self, key: u64) -> Option<f64> {
        Some(share(self.range, key))
    }
}
