//! The distributions of sysbench 1.0.20 (src/sb_rand.c), bit for bit, and what they are without their faults.
//!
//! All draw [`Stream::unit`]s; sysbench takes them from a xoroshiro128+ of each thread's own. Keys are 32 bits wide there: a range
//! beyond is refused. The order of the floating-point operations is the original's, since the last bit decides keys. Checked against
//! the program itself, as Debian 12 ships it (`tests/sysbench.rs`).
//!
//! What only rounding could bring, a key beyond the last one, is drawn as the last one.

mod any;
pub(super) mod entries;
mod special;
mod symmetric;
mod unique;

pub use any::Any;
pub use entries::by_rand_type;
pub use special::Special;
pub(super) use special::checked as special_checked;
pub use symmetric::SpecialSymmetric;
pub use unique::Unique;

use super::{Distribution, sums, within};
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// What the original's 32 bits hold: the last key, and the number of keys, which wraps to 0 for all of them.
pub(super) fn narrow(range: KeyRange) -> Result<(), Refusal> {
    if range.high() <= u64::from(u32::MAX) && range.span() < u64::from(u32::MAX) {
        return Ok(());
    }
    let why = format!("{range} does not fit into the 32 bits that sysbench counts keys in");
    Err(Refusal::new("range", why, "give at most 4294967295 keys below 4294967296, or ask for exact/uniform"))
}

/// The key that C makes of `a + x` in floating point: cut, and no key beyond the last one.
#[inline]
fn cut(range: KeyRange, x: f64) -> u64 {
    ((range.low() as f64 + x) as u64).min(range.high())
}

/// The key that C makes of `a + (uint32_t) x`.
#[inline]
fn cut_first(range: KeyRange, x: f64) -> u64 {
    (range.low() + x as u64).min(range.high())
}

/// Every key alike: a + u·n. One unit a key. With 52 bits of u, the chances of two of n keys differ by at most n·2⁻⁵² of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Uniform {
    range: KeyRange,
    keys: f64,
}

impl Uniform {
    /// # Errors
    /// A range beyond 32 bits.
    pub fn new(range: KeyRange) -> Result<Self, Vec<Refusal>> {
        narrow(range).map_err(|refusal| vec![refusal])?;
        Ok(Uniform { range, keys: range.keys() as f64 })
    }
}

impl Distribution for Uniform {
    fn range(&self) -> KeyRange {
        self.range
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        Some(cut(self.range, stream.unit() * self.keys))
    }

    fn cumulative(&self, key: u64) -> Option<f64> {
        Some(share(self.range, key))
    }
}

/// The share of a range's keys that are at most this one.
pub(super) fn share(range: KeyRange, key: u64) -> f64 {
    match key {
        _ if key < range.low() => 0.0,
        _ if key >= range.high() => 1.0,
        _ => ((key - range.low()) as f64 + 1.0) / range.keys() as f64,
    }
}

/// A bell around the middle: a + the mean of `iter` units, times n. `iter` units a key.
///
/// With 12 units its standard deviation is n / 12. (A later sysbench reads the number of units as 0 and draws the first key for
/// ever: akopytov/sysbench#455.)
#[derive(Clone, Debug, PartialEq)]
pub struct Gaussian {
    range: KeyRange,
    keys: f64,
    iter: u32,
    part: f64,
}

impl Gaussian {
    /// The sum of `iter` units, 1 to 1000 (sysbench: `--rand-spec-iter`, 12).
    ///
    /// # Errors
    /// A range beyond 32 bits, no units.
    pub fn new(range: KeyRange, iter: u64) -> Result<Self, Vec<Refusal>> {
        let (range_fits, iter) = (narrow(range), within("iter", iter, 1, 1000));
        match (range_fits, iter) {
            (Ok(()), Ok(iter)) => {
                Ok(Gaussian { range, keys: range.keys() as f64, iter: iter as u32, part: 1.0 / iter as f64 })
            }
            (fits, iter) => Err([fits.err(), iter.err()].into_iter().flatten().collect()),
        }
    }
}

impl Distribution for Gaussian {
    fn range(&self) -> KeyRange {
        self.range
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        let mut sum = 0.0;
        for _ in 0..self.iter {
            sum += stream.unit() * self.keys;
        }
        Some(cut_first(self.range, sum * self.part))
    }

    fn cumulative(&self, key: u64) -> Option<f64> {
        sums::continuous(self.iter, share(self.range, key) * f64::from(self.iter))
    }
}

/// A few keys take most: a + n·u^(ln h / ln(1 − h)). One unit a key.
///
/// A share 1 − h of the draws falls on the first share h of the keys (80 % on 20 % for h = 0.2), and so on within
/// them: the first key of 1000 takes 38 %. The power is the C library's, which is the same everywhere but in its last bit.
#[derive(Clone, Debug, PartialEq)]
pub struct Pareto {
    range: KeyRange,
    keys: f64,
    power: f64,
    reversed: bool,
}

impl Pareto {
    /// With the shape `h`, between 0 and 1 (sysbench: `--rand-pareto-h`, 0.2); 0.5 makes it uniform.
    ///
    /// # Errors
    /// A range beyond 32 bits, an `h` at which the power is not defined.
    pub fn new(range: KeyRange, h: f64) -> Result<Self, Vec<Refusal>> {
        match (narrow(range), power(h)) {
            (Ok(()), Ok(power)) => Ok(Pareto { range, keys: range.keys() as f64, power, reversed: false }),
            (fits, power) => Err([fits.err(), power.err()].into_iter().flatten().collect()),
        }
    }

    /// The same with the last keys hot: what akopytov/sysbench#534 asks for.
    pub fn reversed(self) -> Self {
        Pareto { reversed: !self.reversed, ..self }
    }
}

/// The exponent for a shape.
pub(super) fn power(h: f64) -> Result<f64, Refusal> {
    let power = h.ln() / (1.0 - h).ln();
    if h > 0.0 && h < 1.0 && power.is_finite() && power > 0.0 {
        return Ok(power);
    }
    let why = format!("at {h} the exponent ln h / ln(1 − h) is not defined");
    Err(Refusal::new("h", why, "give a number between 0 and 1, such as 0.2"))
}

impl Distribution for Pareto {
    fn range(&self) -> KeyRange {
        self.range
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        let key = cut_first(self.range, self.keys * stream.unit().powf(self.power));
        Some(if self.reversed { self.range.high() - (key - self.range.low()) } else { key })
    }

    fn cumulative(&self, key: u64) -> Option<f64> {
        let of_first = |share: f64| share.powf(1.0 / self.power);
        let share = share(self.range, key);
        Some(if self.reversed { 1.0 - of_first(1.0 - share) } else { of_first(share) })
    }
}
