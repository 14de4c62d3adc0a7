//! Pareto's distribution as wtperf draws it.

use super::super::Distribution;
use super::{WORDS, beyond, percentage};
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// wtperf's keys where `pareto` is not 0: a + ((1 − r / R)^(−1/1.5) − 1) · n · percent / 100 · 0.5, and the first key for what is beyond the last.
/// One word a key.
///
/// Its fault: what falls beyond the range (2.7 % of the draws at 20 percent) goes to the first key, which is hot already.
/// R is the largest word, 2³² − 1; while the generator was shared (2.3.1) it was that of C's `rand`, 2³¹ − 1, so that half of the words have no
/// power and go to the first key too.
#[derive(Clone, Debug, PartialEq)]
pub struct Pareto {
    range: KeyRange,
    scale: f64,
    largest: f64,
}

/// −1 / 1.5, as C computes it.
const POWER: f64 = -1.0 / 1.5;

impl Pareto {
    /// As 3.2.1 draws, with a `percent` of 1 to 100 (`pareto`; 0 turns it off).
    ///
    /// # Errors
    /// A percentage outside.
    pub fn new(range: KeyRange, percent: u64) -> Result<Self, Vec<Refusal>> {
        let percent = percentage(percent).map_err(|refusal| vec![refusal])?;
        let scale = range.keys() as f64 * (percent as f64 / 100.0) * (1.5 - 1.0);
        Ok(Pareto { range, scale, largest: f64::from(u32::MAX) })
    }

    /// As 2.3.1 draws, whose percentage is 20.
    pub fn old(range: KeyRange) -> Self {
        let scale = range.keys() as f64 * 0.2 * (1.5 - 1.0);
        Pareto { range, scale, largest: f64::from(i32::MAX) }
    }
}

impl Distribution for Pareto {
    fn range(&self) -> KeyRange {
        self.range
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        let word = stream.word() & (WORDS - 1);
        let left = 1.0 - word as f64 / self.largest;
        // Of nothing left it is infinite, of less no number: neither is in the range.
        let place = (left.powf(POWER) - 1.0) * self.scale;
        let inside = place < self.range.keys() as f64;
        Some(self.range.low() + if inside { (place as u64).min(self.range.span()) } else { 0 })
    }

    /// Of words that are uniform, to 10⁻⁹: as if a word had more bits.
    fn cumulative(&self, key: u64) -> Option<f64> {
        if key < self.range.low() {
            return Some(0.0);
        }
        if key >= self.range.high() {
            return Some(1.0);
        }
        let below = (key - self.range.low()) as f64 + 1.0;
        let with_power = ((self.largest + 1.0) / WORDS as f64).min(1.0);
        let past = beyond(self.range.keys() as f64 / self.scale);
        Some(1.0 - with_power * (beyond(below / self.scale) - past))
    }
}
