//! The last keys are hot, exponentially.

use super::super::Distribution;
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// `ExponentialGenerator` as YCSB's core workload has it: the last key less −ln u / γ cut to a whole number, and another draw for what is below
/// the first key; γ = −ln(1 − `percentile` / 100) / (n · `share`). One unit a try.
///
/// Its fault: the distance is an `int`, so of more than 2³¹ − 1 keys it draws wrong ones (refused here).
#[derive(Clone, Debug, PartialEq)]
pub struct Exponential {
    range: KeyRange,
    gamma: f64,
}

impl Exponential {
    /// `percentile` (above 0 and below 100; `exponential.percentile`, 95) percent of the draws fall on the last `share` (above 0;
    /// `exponential.frac`, 0.8571428571) of the keys, before the draws again.
    ///
    /// # Errors
    /// All that is outside, and more than 2³¹ − 1 keys.
    pub fn new(range: KeyRange, percentile: f64, share: f64) -> Result<Self, Vec<Refusal>> {
        let mut refusals = Vec::new();
        if range.keys() > i32::MAX as u128 || range.high() > i64::MAX as u64 {
            let why = format!("{range} holds more keys than the int that YCSB counts distances in");
            let cure = "give at most 2147483647 keys up to 9223372036854775807, or ask for exact/zipf-latest";
            refusals.push(Refusal::new("range", why, cure));
        }
        if !(percentile > 0.0 && percentile < 100.0) {
            let why = format!("{percentile} is not between 0 and 100");
            refusals.push(Refusal::new("percentile", why, "give a number between 0 and 100, such as 95"));
        }
        // Beyond these the rate has no digits, or every draw is drawn again for ages.
        if !(1e-9..=1e6).contains(&share) {
            let why = format!("{share} is not among 1e-9 to 1e6");
            refusals.push(Refusal::new("share", why, "give a share of the keys, such as 0.8571428571"));
        }
        let gamma = -(1.0 - percentile / 100.0).ln() / (range.keys() as f64 * share);
        if refusals.is_empty() && !(gamma.is_finite() && gamma * range.keys() as f64 >= 1e-6) {
            let why = format!("at {percentile} and {share} nearly every draw misses the range");
            refusals.push(Refusal::new("percentile", why, "give a larger percentile, or a smaller share"));
        }
        if refusals.is_empty() { Ok(Exponential { range, gamma }) } else { Err(refusals) }
    }
}

impl Distribution for Exponential {
    fn range(&self) -> KeyRange {
        self.range
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        loop {
            // Of 0 the logarithm is −∞, and the distance the largest number: beyond any range.
            let distance = (-stream.unit().ln() / self.gamma) as u64;
            if distance <= self.range.span() {
                return Some(self.range.high() - distance);
            }
        }
    }

    fn cumulative(&self, key: u64) -> Option<f64> {
        if key < self.range.low() {
            return Some(0.0);
        }
        if key >= self.range.high() {
            return Some(1.0);
        }
        // All but the distances nearer to the end, of those that are in the range.
        let within = |distances: f64| -(-self.gamma * distances).exp_m1();
        Some(1.0 - within((self.range.high() - key) as f64) / within(self.range.keys() as f64))
    }
}
