//! A bell around the middle.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use super::super::Distribution;
use super::super::sysbench_1_0_20::share;
use super::{at, checked};
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// `random_gaussian(a, b, parameter)`: a normal distribution (by the sine of G. Box and M. Muller) cut at ±`parameter` standard deviations, over
/// the range. Two units a try; at most 9 % of the tries are made again.
#[derive(Clone, Debug, PartialEq)]
pub struct Gaussian {
    range: KeyRange,
    parameter: f64,
}

impl Gaussian {
    /// `parameter` is 2 or more; 10⁶ or less here.
    ///
    /// # Errors
    /// A range beyond a bigint, a parameter outside.
    pub fn new(range: KeyRange, parameter: f64) -> Result<Self, Vec<Refusal>> {
        checked(range, "parameter", parameter, 2.0, 1e6, "give 2 or more, such as 5")?;
        Ok(Gaussian { range, parameter })
    }
}

impl Distribution for Gaussian {
    fn range(&self) -> KeyRange {
        self.range
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        loop {
            let (first, second) = (1.0 - stream.unit(), 1.0 - stream.unit());
            let normal = (-2.0 * first.ln()).sqrt() * (2.0 * PI * second).sin();
            if -self.parameter <= normal && normal < self.parameter {
                return Some(at(self.range, (normal + self.parameter) / (self.parameter * 2.0)));
            }
        }
    }

    fn cumulative(&self, key: u64) -> Option<f64> {
        // The normal distribution from the middle on, without the factor of one half.
        let from_middle = |deviations: f64| libm::erf(deviations * FRAC_1_SQRT_2);
        let deviations = self.parameter * (2.0 * share(self.range, key) - 1.0);
        Some(0.5 + from_middle(deviations) / (2.0 * from_middle(self.parameter)))
    }
}
