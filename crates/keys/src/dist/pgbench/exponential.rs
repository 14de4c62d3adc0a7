//! The first keys are hot, exponentially.

use super::super::Distribution;
use super::super::sysbench_1_0_20::share;
use super::{at, checked};
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// `random_exponential(a, b, parameter)`: a + n·(−ln(e^−p + (1 − e^−p)·(1 − u)) / p). One unit a key.
///
/// The first key of n comes with nearly p / n of all draws, the last with e^−p of that.
#[derive(Clone, Debug, PartialEq)]
pub struct Exponential {
    range: KeyRange,
    parameter: f64,
    cut: f64,
}

impl Exponential {
    /// `parameter` is above 0 in pgbench; here 10⁻⁹ to 10⁹, below which the formula has no digits.
    ///
    /// # Errors
    /// A range beyond a bigint, a parameter outside.
    pub fn new(range: KeyRange, parameter: f64) -> Result<Self, Vec<Refusal>> {
        checked(range, "parameter", parameter, 1e-9, 1e9, "give a number above 0, such as 5")?;
        Ok(Exponential { range, parameter, cut: (-parameter).exp() })
    }
}

impl Distribution for Exponential {
    fn range(&self) -> KeyRange {
        self.range
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        let unit = 1.0 - stream.unit();
        let share = -(self.cut + (1.0 - self.cut) * unit).ln() / self.parameter;
        Some(at(self.range, share))
    }

    fn cumulative(&self, key: u64) -> Option<f64> {
        let within = |share: f64| (-self.parameter * share).exp_m1();
        Some(within(share(self.range, key)) / within(1.0))
    }
}
