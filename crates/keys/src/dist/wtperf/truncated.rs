//! Pareto's distribution without its first key's surplus.

use super::super::{Distribution, exact};
use super::{beyond, percentage};
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// [`Pareto`](super::Pareto) cut at the end of the range: what would fall beyond is spread over all keys as they are drawn. One unit a key.
#[derive(Clone, Debug, PartialEq)]
pub struct ParetoTruncated {
    range: KeyRange,
    scale: f64,
    inside: f64,
}

impl ParetoTruncated {
    /// With a `percent` of 1 to 100.
    ///
    /// # Errors
    /// A percentage outside, and a range of more than 2⁵² keys.
    pub fn new(range: KeyRange, percent: u64) -> Result<Self, Vec<Refusal>> {
        match (exact::told_apart(range), percentage(percent)) {
            (Ok(()), Ok(percent)) => {
                let scale = range.keys() as f64 * (percent as f64 / 100.0) * 0.5;
                Ok(ParetoTruncated { range, scale, inside: 1.0 - beyond(range.keys() as f64 / scale) })
            }
            (fits, percent) => Err([fits.err(), percent.err()].into_iter().flatten().collect()),
        }
    }
}

impl Distribution for ParetoTruncated {
    fn range(&self) -> KeyRange {
        self.range
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        let left = 1.0 - stream.unit() * self.inside;
        let place = (left.powf(-1.0 / 1.5) - 1.0) * self.scale;
        Some(self.range.low() + (place as u64).min(self.range.span()))
    }

    fn cumulative(&self, key: u64) -> Option<f64> {
        if key < self.range.low() {
            return Some(0.0);
        }
        if key >= self.range.high() {
            return Some(1.0);
        }
        let below = (key - self.range.low()) as f64 + 1.0;
        Some((1.0 - beyond(below / self.scale)) / self.inside)
    }
}
