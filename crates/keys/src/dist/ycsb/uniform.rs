//! Every key nearly alike.

use super::super::Distribution;
use super::java_long;
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// `UniformLongGenerator`: a + |`nextLong`| % n. 64 bits a key.
///
/// Its fault: the remainder favours the first keys, by n / 2⁶³ of their chance at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uniform {
    range: KeyRange,
}

impl Uniform {
    /// # Errors
    /// A range beyond a Java `long`.
    pub fn new(range: KeyRange) -> Result<Self, Vec<Refusal>> {
        java_long(range).map_err(|refusal| vec![refusal])?;
        Ok(Uniform { range })
    }
}

/// Java's |`nextLong()`|, and 2⁶³ for the smallest.
#[inline]
pub(super) fn long(stream: &mut impl Stream) -> u64 {
    (stream.bits() as i64).unsigned_abs()
}

/// The probability that [`long`] % `keys` is below `below`, which is at most `keys`.
pub(super) fn long_below(keys: u64, below: u64) -> f64 {
    // 0 and 2⁶³ come once of 2⁶⁴ times, all between them twice.
    let count = |numbers: u64| numbers / keys * below + (numbers % keys).min(below);
    let once = u128::from(below > 0) + u128::from((1 << 63) % keys < below);
    let twice = count(1 << 63) - u64::from(below > 0);
    (2 * u128::from(twice) + once) as f64 / (1u128 << 64) as f64
}

impl Distribution for Uniform {
    fn range(&self) -> KeyRange {
        self.range
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        Some(self.range.low() + long(stream) % (self.range.span() + 1))
    }

    fn cumulative(&self, key: u64) -> Option<f64> {
        if key < self.range.low() {
            return Some(0.0);
        }
        let below = (key - self.range.low()).min(self.range.span()) + 1;
        Some(long_below(self.range.span() + 1, below))
    }
}

#[cfg(test)]
mod tests {
    use super::long_below;

    #[test]
    fn remainders_are_counted() {
        for keys in [1, 2, 3, 1000, (1 << 62) + 1, (1 << 63) - 1] {
            assert_eq!(long_below(keys, keys), 1.0, "{keys}");
            assert_eq!(long_below(keys, 0), 0.0, "{keys}");
        }
        // Of 3·2⁶¹ keys the first third comes twice as often: half of all.
        assert!((long_below(3 << 61, 1 << 61) - 0.5).abs() < 1e-15);
    }
}
