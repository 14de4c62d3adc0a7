//! Distributions of ours, without an original to be true to.

pub(super) mod entries;
mod permutation;
mod zipf;
mod zipf_turned;

pub use permutation::Permutation;
pub use zipf::Zipf;
pub(super) use zipf::checked as theta_checked;
pub use zipf_turned::{ZipfLatest, ZipfScrambled};

use super::Distribution;
use super::sysbench_1_0_20::share;
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// Refuses ranges of more than 2⁵² keys: one unit tells no more apart.
pub(super) fn told_apart(range: KeyRange) -> Result<(), Refusal> {
    if range.keys() <= 1 << 52 {
        return Ok(());
    }
    let why = format!("{range} holds more keys than the 2^52 that one random number in [0, 1) tells apart");
    Err(Refusal::new("range", why, "give at most 4503599627370496 keys, or ask for exact/uniform"))
}

/// The key that lies at this share of a range that [`told_apart`] passed.
#[inline]
pub(super) fn place(range: KeyRange, unit: f64) -> u64 {
    range.low() + ((unit * (range.span() as f64 + 1.0)) as u64).min(range.span())
}

/// Every key exactly alike, in any range of 64 bits: the upper half of a product of 128 bits, and another draw for what would tip the scales
/// (D. Lemire, Fast random integer generation in an interval, 2019). One draw of 64 bits a key, rarely more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uniform {
    range: KeyRange,
    /// The least lower half that is kept.
    floor: u64,
}

impl Uniform {
    /// Over any range.
    pub fn new(range: KeyRange) -> Self {
        let keys = range.span().wrapping_add(1);
        Uniform { range, floor: if keys == 0 { 0 } else { keys.wrapping_neg() % keys } }
    }
}

impl Distribution for Uniform {
    fn range(&self) -> KeyRange {
        self.range
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        loop {
            let product = u128::from(stream.bits()) * self.range.keys();
            if product as u64 >= self.floor {
                return Some(self.range.low() + (product >> 64) as u64);
            }
        }
    }

    fn cumulative(&self, key: u64) -> Option<f64> {
        Some(share(self.range, key))
    }
}
