//! The distributions of sysbench before 1.0 (0.5, sysbench/sysbench.c), bit for bit.
//!
//! Whole numbers come from `sb_rnd()`, which is `lrand48() % 1073741823`, real ones from `drand48()`: one state of the whole process that
//! all threads step without a lock. Any [`Stream`] can stand in, such as that of the thread-local generator that sysbench was patched with.
//! Its arithmetic is that of C's 32-bit `int`; where it overflows (which C leaves undefined), the range is refused.

mod any;
pub(super) mod entries;
mod special;
mod uniq;

pub use any::Any;
pub use special::Special;
pub use uniq::Uniq;

use super::sysbench_1_0_20::share;
use super::{Distribution, sums, within};
use crate::rng::SB_MAX_RND;
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// The most keys that a C `int` counts, up to the last key that it holds.
const MOST: u64 = i32::MAX as u64;

/// What sysbench calls a random number: below [`SB_MAX_RND`]. One word.
#[inline]
pub(crate) fn sb_rnd(stream: &mut impl Stream) -> u64 {
    stream.word() % u64::from(SB_MAX_RND)
}

/// Refuses ranges of more than `most` keys, or beyond a C `int`.
fn narrow(range: KeyRange, most: u64, why: &str) -> Result<(), Refusal> {
    if range.high() <= MOST && range.keys() <= u128::from(most) {
        return Ok(());
    }
    let cure = format!("give at most {most} keys up to 2147483647, or ask for exact/uniform");
    Err(Refusal::new("range", format!("{range} is too wide: {why}"), cure))
}

/// Of the 2³¹ numbers that `lrand48` gives, those that `sb_rnd` maps below `below`, over all: 0 and 1 come three times, all others
/// twice.
fn rnd_below(below: u64) -> f64 {
    (2 * below + below.min(2)) as f64 / (1u64 << 31) as f64
}

/// Every key nearly alike: a + `sb_rnd()` % n. One word a key.
///
/// Its faults: the remainder favours the first keys (of 10⁹ keys the first 73,741,823 come twice as often), and keys beyond the first
/// 1073741823 are never drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uniform {
    range: KeyRange,
    keys: u64,
}

impl Uniform {
    /// # Errors
    /// A range beyond a C `int`.
    pub fn new(range: KeyRange) -> Result<Self, Vec<Refusal>> {
        narrow(range, MOST, "a C int counts its keys").map_err(|refusal| vec![refusal])?;
        Ok(Uniform { range, keys: range.span() + 1 })
    }
}

impl Distribution for Uniform {
    fn range(&self) -> KeyRange {
        self.range
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        Some(self.range.low() + sb_rnd(stream) % self.keys)
    }

    /// Of words that `lrand48` gives.
    fn cumulative(&self, key: u64) -> Option<f64> {
        if key < self.range.low() {
            return Some(0.0);
        }
        let at_most = (key - self.range.low()).min(self.range.span()) + 1;
        let all = u64::from(SB_MAX_RND);
        let (rounds, rest) = (all / self.keys, all % self.keys);
        let twice = 2 * (rounds * at_most + rest.min(at_most));
        // The numbers 0 and 1 once more.
        let more = (0..2).filter(|number| number % self.keys < at_most).count() as u64;
        Some((twice + more) as f64 / (1u64 << 31) as f64)
    }
}

/// A bell around the middle: a + the whole mean of `iter` numbers `sb_rnd()` % n. `iter` words a key.
///
/// Its faults: the mean is rounded down, so the bell leans half a key to the first ones, and the sum overflows a C `int` for more than
/// 2³¹ / `iter` keys, which are refused here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gaussian {
    range: KeyRange,
    keys: u64,
    iter: u64,
}

impl Gaussian {
    /// The mean of `iter` numbers, 1 to 1000 (`--rand-spec-iter`, 12).
    ///
    /// # Errors
    /// No numbers, a range at which the sum overflows.
    pub fn new(range: KeyRange, iter: u64) -> Result<Self, Vec<Refusal>> {
        match (within("iter", iter, 1, 1000), sum_fits(range, iter)) {
            (Ok(iter), Ok(())) => Ok(Gaussian { range, keys: range.span() + 1, iter }),
            (iter, fits) => Err([iter.err(), fits.err()].into_iter().flatten().collect()),
        }
    }
}

/// Refuses what `iter` numbers of at most the range's span overflow a C `int` with.
fn sum_fits(range: KeyRange, iter: u64) -> Result<(), Refusal> {
    let iter = iter.max(1);
    narrow(range, MOST / iter + 1, &format!("the sum of {iter} numbers overflows a C int"))
}

impl Distribution for Gaussian {
    fn range(&self) -> KeyRange {
        self.range
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        let sum: u64 = (0..self.iter).map(|_| sb_rnd(stream) % self.keys).sum();
        Some(self.range.low() + sum / self.iter)
    }

    /// As if `sb_rnd()` % n were uniform, which is n / 2³⁰ off at most; `None` beyond 2²⁰ keys, where that can be seen.
    fn cumulative(&self, key: u64) -> Option<f64> {
        mean_at_most(self.range, self.iter, key)
    }
}

/// The most keys over which `sb_rnd()` % n is taken for uniform.
const MOST_UNIFORM: u64 = 1 << 20;

/// The probability that the whole mean of `iter` uniform numbers is at most that of this key.
fn mean_at_most(range: KeyRange, iter: u64, key: u64) -> Option<f64> {
    if key < range.low() {
        return Some(0.0);
    }
    if range.span() >= MOST_UNIFORM {
        return None;
    }
    let mean = (key - range.low()).min(range.span());
    sums::whole(iter as u32, range.span() + 1, iter * mean + iter - 1)
}

/// A few keys take most: a + n·u^(ln h / ln(1 − h)), u of `drand48`. One unit a key. The same curve as
/// [1.0.20's](super::sysbench_1_0_20::Pareto).
#[derive(Clone, Debug, PartialEq)]
pub struct Pareto {
    range: KeyRange,
    keys: f64,
    power: f64,
}

impl Pareto {
    /// With the shape `h`, between 0 and 1 (`--rand-pareto-h`, 0.2).
    ///
    /// # Errors
    /// A range beyond a C `int`, an `h` at which the power is not defined.
    pub fn new(range: KeyRange, h: f64) -> Result<Self, Vec<Refusal>> {
        let fits = narrow(range, MOST, "a C int counts its keys");
        let power = super::sysbench_1_0_20::power(h);
        match (fits, power) {
            (Ok(()), Ok(power)) => Ok(Pareto { range, keys: range.keys() as f64, power }),
            (fits, power) => Err([fits.err(), power.err()].into_iter().flatten().collect()),
        }
    }
}

impl Distribution for Pareto {
    fn range(&self) -> KeyRange {
        self.range
    }

    /// C adds in floating point here, and cuts the sum.
    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        let place = self.range.low() as f64 + self.keys * stream.unit().powf(self.power);
        Some((place as u64).min(self.range.high()))
    }

    fn cumulative(&self, key: u64) -> Option<f64> {
        Some(share(self.range, key).powf(1.0 / self.power))
    }
}
