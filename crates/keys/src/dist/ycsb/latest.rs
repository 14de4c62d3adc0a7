//! The last keys are hot.

use super::super::Distribution;
use super::java_long;
use super::zipfian::{Gray, defined};
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// `SkewedLatestGenerator`: the last key less [`Zipfian`](super::Zipfian)'s place. One unit a key.
///
/// Its faults: those of the formula; and it counts as many places as the last key's number, so the first key of all is never drawn
/// (unless it is the only one).
#[derive(Clone, Debug, PartialEq)]
pub struct Latest {
    range: KeyRange,
    /// One place fewer than there are keys, at least one.
    places: u64,
    gray: Gray,
}

impl Latest {
    /// As [`Zipfian::new`](super::Zipfian::new).
    ///
    /// # Errors
    /// As [`Zipfian::new`](super::Zipfian::new).
    pub fn new(range: KeyRange, theta: f64) -> Result<Self, Vec<Refusal>> {
        let places = range.span().max(1);
        match (java_long(range), defined(theta)) {
            (Ok(()), Ok(theta)) => Ok(Latest { range, places, gray: Gray::new(places, theta) }),
            (fits, theta) => Err([fits.err(), theta.err()].into_iter().flatten().collect()),
        }
    }
}

impl Distribution for Latest {
    fn range(&self) -> KeyRange {
        self.range
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        Some(self.range.high() - self.gray.place(stream.unit()).min(self.places - 1))
    }

    fn cumulative(&self, key: u64) -> Option<f64> {
        if key < self.range.low() {
            return Some(0.0);
        }
        if key >= self.range.high() {
            return Some(1.0);
        }
        // All but the places nearer to the end.
        let nearer = self.range.high() - key - 1;
        Some(if nearer + 1 >= self.places { 0.0 } else { 1.0 - self.gray.at_most(nearer) })
    }
}
