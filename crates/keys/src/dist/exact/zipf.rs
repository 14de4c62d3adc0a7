//! Zipf's distribution without a set-up sum.

use std::sync::OnceLock;

use super::super::{Distribution, harmonic, power::power};
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// Below this distance of θ from 1 powers are taken by way of `expm1` and `log1p`, which keep the digits that cancel.
const NEAR_1: f64 = 5e-3;

/// 2⁵², from where on numbers are whole.
const INTEGERS: f64 = (1u64 << 52) as f64;

/// 2⁻⁵³.
const UNIT: f64 = 1.0 / (1u64 << 53) as f64;

/// The k-th key with the probability k^−θ / (1 + 2^−θ + … + n^−θ), for any θ from 0 on, 1 among them, and up to 2⁶³ keys.
///
/// By rejection-inversion (W. Hörmann and G. Derflinger, Rejection-inversion to generate variates from monotone discrete distributions,
/// ACM TOMACS 6(3), 1996) with the integral of t^−θ that is defined at 1 too: 64 bits a try, and of 100 tries 98 or more are
/// taken. Made in a few powers, whatever the number of keys.
///
/// A try tells 2⁵³ places apart, and a key is computed to about 10⁻¹³ of it: keys beyond the 10¹³-th come in lumps.
#[derive(Clone, Debug)]
pub struct Zipf {
    range: KeyRange,
    theta: f64,
    scale: Scale,
    /// A key that is this close above its place is taken without a look at its weight.
    near: f64,
    /// The places from (not with) `end`, that of the last key, on: 2⁵³ steps up to that of the first.
    end: f64,
    step: f64,
    /// A number that is still nearest to the last key.
    beyond: f64,
    /// The sum of all weights, once it is asked for.
    weights: OnceLock<f64>,
}

/// What places are measured in.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Scale {
    /// x^(1 − θ), which needs no more than a logarithm and an exponential to come back from.
    Power {
        /// 1 − θ.
        exponent: f64,
        /// Its inverse.
        root: f64,
    },
    /// The integral of t^−θ from 1 to x.
    Integral,
}

impl Scale {
    fn of(theta: f64) -> Self {
        let exponent = 1.0 - theta;
        if exponent.abs() < NEAR_1 { Scale::Integral } else { Scale::Power { exponent, root: 1.0 / exponent } }
    }

    #[inline]
    fn place(self, x: f64, theta: f64) -> f64 {
        match self {
            Scale::Power { exponent, .. } => (x.ln() * exponent).exp(),
            Scale::Integral => harmonic::integral(x, theta),
        }
    }

    #[inline]
    fn x_of_place(self, place: f64, theta: f64) -> f64 {
        match self {
            Scale::Power { root, .. } => power(place, root),
            Scale::Integral => {
                let exponent = 1.0 - theta;
                (place * harmonic::ln_of_1_and((place * exponent).max(-1.0))).exp()
            }
        }
    }

    /// What a weight k^−θ takes on the scale, with the sign in which places grow with keys.
    #[inline]
    fn of_weight(self, ln: f64, theta: f64) -> f64 {
        let weight = (-theta * ln).exp();
        match self {
            Scale::Power { exponent, .. } => exponent * weight,
            Scale::Integral => weight,
        }
    }

    #[inline]
    fn falls(self) -> bool {
        matches!(self, Scale::Power { exponent, .. } if exponent < 0.0)
    }
}

impl Zipf {
    /// With the exponent `theta`, 0 (every key alike) or more.
    ///
    /// # Errors
    /// More than 2⁶³ keys, a `theta` that is negative or no number.
    pub fn new(range: KeyRange, theta: f64) -> Result<Self, Vec<Refusal>> {
        let fits = if range.keys() <= 1 << 63 {
            Ok(())
        } else {
            Err(Refusal::new(
                "range",
                format!("{range} holds more than 2^63 keys"),
                "give at most 9223372036854775808 keys",
            ))
        };
        match (fits, checked(theta)) {
            (Ok(()), Ok(theta)) => Ok(Self::over(range, theta)),
            (fits, theta) => Err([fits.err(), theta.err()].into_iter().flatten().collect()),
        }
    }

    fn over(range: KeyRange, theta: f64) -> Self {
        let scale = Scale::of(theta);
        // The first key's share ends at 1.5 and is as long as its weight, which is 1.
        let begin = scale.place(1.5, theta) - scale.of_weight(0.0, theta);
        let end = scale.place(range.keys() as f64 + 0.5, theta);
        // By the C library, since of a large exponent the place is 0.
        let place = scale.place(2.5, theta) - scale.of_weight(std::f64::consts::LN_2, theta);
        let near = match scale {
            Scale::Power { root, .. } => 2.0 - (place.ln() * root).exp(),
            Scale::Integral => 2.0 - scale.x_of_place(place, theta),
        };
        Zipf {
            range,
            theta,
            scale,
            near,
            end,
            step: (begin - end) * UNIT,
            beyond: range.keys() as f64 + 0.25,
            weights: OnceLock::new(),
        }
    }

    /// The exponent.
    pub fn theta(&self) -> f64 {
        self.theta
    }

    fn weights(&self) -> f64 {
        *self.weights.get_or_init(|| harmonic::sum(self.range.span() + 1, self.theta))
    }

    /// The place of one key among the ranks, from 1 on.
    fn rank(&self, key: u64) -> u64 {
        // Of 2⁶³ keys at most.
        key - self.range.low() + 1
    }

    /// Draws a rank, from 0 on: 0 is the hottest.
    #[inline]
    pub(super) fn draw_rank(&self, stream: &mut impl Stream) -> u64 {
        loop {
            let place = self.end + ((stream.bits() >> 11) + 1) as f64 * self.step;
            let x = self.scale.x_of_place(place, self.theta);
            let (rank, key) = self.nearest(x);
            // The first key is always taken, which the comparison of places would leave to rounding.
            if key - x <= self.near || rank == 0 || self.in_share(place, key) {
                return rank;
            }
        }
    }

    /// The rank whose key is nearest to `x`, and that key as a number from 1 on.
    #[inline]
    fn nearest(&self, x: f64) -> (u64, f64) {
        let last = self.range.span();
        if last < INTEGERS as u64 / 2 {
            // A number of this size has no digits behind the point: cheaper than to cut in a way that holds for all numbers.
            let x = if x < 0.75 { 0.75 } else { x };
            let x = if x > self.beyond { self.beyond } else { x };
            let lifted = x + INTEGERS;
            (lifted.to_bits() - (INTEGERS + 1.0).to_bits(), lifted - INTEGERS)
        } else {
            let rank = ((x + 0.5) as u64).saturating_sub(1).min(last);
            (rank, rank as f64 + 1.0)
        }
    }

    /// Whether a place is in the part of a key's share that is as long as its weight.
    #[inline(never)]
    fn in_share(&self, place: f64, key: f64) -> bool {
        let least = match self.scale {
            // Where the powers cannot be too small.
            Scale::Power { exponent, .. } if self.theta < 8.0 => {
                power(key + 0.5, exponent) - exponent * power(key, -self.theta)
            }
            scale => scale.place(key + 0.5, self.theta) - scale.of_weight(key.ln(), self.theta),
        };
        if self.scale.falls() { place <= least } else { place >= least }
    }
}

/// Refuses exponents that zipf's distribution does not have.
pub(in super::super) fn checked(theta: f64) -> Result<f64, Refusal> {
    if theta >= 0.0 && theta.is_finite() {
        return Ok(theta);
    }
    Err(Refusal::new("theta", format!("{theta} is no exponent from 0 on"), "give 0 or more, such as 0.99"))
}

impl Distribution for Zipf {
    fn range(&self) -> KeyRange {
        self.range
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        Some(self.range.low() + self.draw_rank(stream))
    }

    fn cumulative(&self, key: u64) -> Option<f64> {
        if key < self.range.low() {
            return Some(0.0);
        }
        if key >= self.range.high() {
            return Some(1.0);
        }
        Some(harmonic::sum(self.rank(key), self.theta) / self.weights())
    }

    fn probability(&self, key: u64) -> Option<f64> {
        if !self.range.contains(key) {
            return Some(0.0);
        }
        Some((self.rank(key) as f64).powf(-self.theta) / self.weights())
    }
}
