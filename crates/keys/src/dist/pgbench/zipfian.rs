//! Zipf's distribution as pgbench draws it.

use super::super::exact::Zipf;
use super::super::{Distribution, harmonic};
use super::checked;
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// `random_zipfian(a, b, parameter)`: the k-th key in proportion to k^−s, by rejection from the distribution without an end (L. Devroye,
/// Non-uniform random variate generation, 1986, p. 550). Two units a try.
///
/// Its fault: the nearer s is to 1 and the fewer keys there are, the more tries a key takes, since most fall beyond the end:
/// [`tries`](Self::tries). It takes no s of 1 or below. And it takes a try k by (1 + 1 / k)^(s − 1) − 1, which has no digits left from k about
/// 4·10¹⁵·(s − 1) on: all of those tries are taken, so the keys there come too often, and their chances are not known
/// ([`cumulative`](Distribution::cumulative)).
#[derive(Clone, Debug)]
pub struct Zipfian {
    exact: Zipf,
    s: f64,
    /// 2^(s − 1).
    b: f64,
    /// Whether tries are taken by a number with digits, wherever there is weight to speak of.
    known: bool,
}

/// So many steps of rounding between 1 and (1 + 1 / k)^(s − 1) leave the chance of a key right to 10⁻⁴: the error is 1 / 12 of a step's
/// square.
const STEPS: f64 = 30.0;

/// What weight beyond is nothing to speak of: the accuracy of [`Distribution::cumulative`].
const NOTHING: f64 = 1e-12;

/// Whether the tries of a key of `keys` are decided by numbers with digits.
fn has_digits(keys: f64, s: f64) -> bool {
    let last = (s - 1.0).min(1.0) / (STEPS * f64::EPSILON);
    keys <= last || last.powf(1.0 - s) < NOTHING
}

impl Zipfian {
    /// `parameter` is 1.001 to 1000.
    ///
    /// # Errors
    /// A range beyond a bigint, a parameter outside.
    pub fn new(range: KeyRange, parameter: f64) -> Result<Self, Vec<Refusal>> {
        checked(
            range,
            "parameter",
            parameter,
            1.001,
            1000.0,
            "give 1.001 to 1000, or ask for exact/zipf, which takes any",
        )?;
        Ok(Zipfian {
            exact: Zipf::new(range, parameter)?,
            s: parameter,
            b: 2.0f64.powf(parameter - 1.0),
            known: has_digits(range.keys() as f64, parameter),
        })
    }

    /// How many tries of two units a key takes on average; none of a range of one key.
    ///
    /// A try is k with the probability k^(1 − s) − (k + 1)^(1 − s) and is then taken so that k^−s·(1 − 2^(1 − s)) remain of all tries.
    pub fn tries(&self) -> f64 {
        let keys = self.exact.range().span() + 1;
        if keys == 1 { 0.0 } else { 1.0 / (harmonic::sum(keys, self.s) * (self.b - 1.0) / self.b) }
    }
}

impl Distribution for Zipfian {
    fn range(&self) -> KeyRange {
        self.exact.range()
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        let range = self.exact.range();
        // Of one key it draws no number.
        if range.span() == 0 {
            return Some(range.low());
        }
        let keys = range.keys() as f64;
        loop {
            let (u, v) = (stream.unit(), stream.unit());
            let x = u.powf(-1.0 / (self.s - 1.0)).floor();
            let t = (1.0 + 1.0 / x).powf(self.s - 1.0);
            if v * x * (t - 1.0) / (self.b - 1.0) <= t / self.b && x <= keys {
                return Some(range.low() + (x as u64 - 1).min(range.span()));
            }
        }
    }

    fn cumulative(&self, key: u64) -> Option<f64> {
        self.known.then(|| self.exact.cumulative(key)).flatten()
    }

    fn probability(&self, key: u64) -> Option<f64> {
        self.known.then(|| self.exact.probability(key)).flatten()
    }
}
