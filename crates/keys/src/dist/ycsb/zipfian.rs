//! Zipf's distribution as YCSB draws it.

use super::super::exact::theta_checked;
use super::super::{Distribution, harmonic};
use super::java_long;
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// The most keys over which the weights are added one by one, as YCSB does; that takes about a quarter of a second.
const ADDED: u64 = 10_000_000;

/// `ZipfianGenerator`: the formula of J. Gray and others (Quickly generating billion-record synthetic databases, SIGMOD 1994). One unit a
/// key.
///
/// Its faults: only the first two keys have zipf's chances, the others what a curve through them gives (at θ = 0.99 the third of
/// 1000 keys comes 1.17 times as often as it should); at θ = 1 it is not defined (Java then draws the first key in place of all others, C one
/// beyond the last: refused here); and set-up adds up all weights, minutes for 10¹⁰ keys. Here more than 10⁷ are summed by a formula, which may
/// differ from the added sum in its ninth digit. What only rounding brings, the key beyond the last one, is drawn as the last one. Where θ is so
/// large that a factor of the formula overflows, the original draws the first key in place of all from the third on.
#[derive(Clone, Debug, PartialEq)]
pub struct Zipfian {
    range: KeyRange,
    gray: Gray,
}

impl Zipfian {
    /// With the exponent `theta` (`ZIPFIAN_CONSTANT`, 0.99): 0 or more, and not 1.
    ///
    /// # Errors
    /// A range beyond a Java `long`, a `theta` that is negative, no number, or nearer to 1 than 10⁻⁶.
    pub fn new(range: KeyRange, theta: f64) -> Result<Self, Vec<Refusal>> {
        match (java_long(range), defined(theta)) {
            (Ok(()), Ok(theta)) => Ok(Zipfian { range, gray: Gray::new(range.span() + 1, theta) }),
            (fits, theta) => Err([fits.err(), theta.err()].into_iter().flatten().collect()),
        }
    }
}

/// Refuses exponents at which the formula is not defined.
pub(super) fn defined(theta: f64) -> Result<f64, Refusal> {
    let theta = theta_checked(theta)?;
    if (theta - 1.0).abs() >= 1e-6 {
        return Ok(theta);
    }
    let why = format!("at {theta} the exponent 1 / (1 − theta) is not defined, or has no digits left");
    Err(Refusal::new("theta", why, "give another, such as 0.99, or ask for exact/zipf, which takes 1"))
}

impl Distribution for Zipfian {
    fn range(&self) -> KeyRange {
        self.range
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        Some(self.range.low() + self.gray.place(stream.unit()).min(self.range.span()))
    }

    fn cumulative(&self, key: u64) -> Option<f64> {
        match key {
            _ if key < self.range.low() => Some(0.0),
            _ if key >= self.range.high() => Some(1.0),
            _ => Some(self.gray.at_most(key - self.range.low())),
        }
    }
}

/// The formula.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Gray {
    items: f64,
    alpha: f64,
    eta: f64,
    zetan: f64,
    /// Below this product of unit and `zetan` the second key is drawn.
    second: f64,
}

impl Gray {
    pub(super) fn new(items: u64, theta: f64) -> Self {
        let zetan = if items <= ADDED { added(items, theta) } else { harmonic::sum(items, theta) };
        Self::with_zeta(items as f64, theta, zetan)
    }

    pub(super) fn with_zeta(items: f64, theta: f64, zetan: f64) -> Self {
        // As the original makes them before the first draw.
        let zeta2 = added(2, theta);
        Gray {
            items,
            alpha: 1.0 / (1.0 - theta),
            eta: (1.0 - (2.0 / items).powf(1.0 - theta)) / (1.0 - zeta2 / zetan),
            zetan,
            second: 1.0 + 0.5f64.powf(theta),
        }
    }

    /// From 0 to the number of items, which only rounding brings.
    #[inline]
    pub(super) fn place(&self, unit: f64) -> u64 {
        let product = unit * self.zetan;
        if product < 1.0 {
            return 0;
        }
        if product < self.second {
            return 1;
        }
        // No number, where the exponent is so large that `eta` overflows, becomes 0: so it does in Java.
        (self.items * (self.eta * unit - self.eta + 1.0).powf(self.alpha)) as u64
    }

    /// The probability of this place and all below it, where there are more.
    pub(super) fn at_most(&self, place: u64) -> f64 {
        match place {
            // All that is beyond the second place is drawn as the first.
            0 if !self.eta.is_finite() => 1.0 - ((self.second - 1.0) / self.zetan).min(1.0),
            _ if !self.eta.is_finite() => 1.0,
            0 => (1.0 / self.zetan).min(1.0),
            1 => (self.second / self.zetan).min(1.0),
            _ => {
                // The unit at which the curve comes to the next place.
                let ln = ((place as f64 + 1.0) / self.items).ln();
                let unit = 1.0 + (ln / self.alpha).exp_m1() / self.eta;
                unit.clamp((self.second / self.zetan).min(1.0), 1.0)
            }
        }
    }
}

/// The sum of weights, in the order and with the roundings of YCSB.
fn added(items: u64, theta: f64) -> f64 {
    (1..=items).map(|k| 1.0 / (k as f64).powf(theta)).sum()
}
