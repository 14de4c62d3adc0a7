//! Zipf's distribution as sysbench draws it.

use super::super::exact::{Zipf, theta_checked};
use super::super::{Distribution, harmonic};
use super::narrow;
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// `zipfian` of sysbench's development branch: rejection-inversion as Apache Commons RNG has it (`RejectionInversionZipfSampler`), one unit a
/// try. The same distribution as [`Zipf`], from other numbers and by other powers.
///
/// The last bit of a power decides keys, so the order of operations is the original's; its series for powers near 1 agree
/// with what is computed here to that bit or the next.
#[derive(Clone, Debug)]
pub struct Zipfian {
    exact: Zipf,
    exp: f64,
    near: f64,
    /// The integral up to 1.5, less the first key's weight.
    begin: f64,
    /// The integral up to the last key's end.
    end: f64,
}

fn inverse(place: f64, exp: f64) -> f64 {
    let t = (place * (1.0 - exp)).max(-1.0);
    (harmonic::ln_of_1_and(t) * place).exp()
}

fn weight(x: f64, exp: f64) -> f64 {
    (-exp * x.ln()).exp()
}

impl Zipfian {
    /// With the exponent `exp`, 0 or more (`--rand-zipfian-exp`, 0.8).
    ///
    /// # Errors
    /// A range beyond 32 bits, an exponent that is negative or no number.
    pub fn new(range: KeyRange, exp: f64) -> Result<Self, Vec<Refusal>> {
        let exp = theta_checked(exp).map_err(|refusal| Refusal { setting: "exp".to_owned(), ..refusal });
        match (narrow(range), exp) {
            (Ok(()), Ok(exp)) => Ok(Zipfian {
                exact: Zipf::new(range, exp)?,
                exp,
                near: 2.0 - inverse(harmonic::integral(2.5, exp) - weight(2.0, exp), exp),
                begin: harmonic::integral(1.5, exp) - 1.0,
                end: harmonic::integral(range.keys() as f64 + 0.5, exp),
            }),
            (fits, exp) => Err([fits.err(), exp.err()].into_iter().flatten().collect()),
        }
    }
}

impl Distribution for Zipfian {
    fn range(&self) -> KeyRange {
        self.exact.range()
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        let range = self.exact.range();
        loop {
            let place = self.end + stream.unit() * (self.begin - self.end);
            let x = inverse(place, self.exp);
            let rank = ((x + 0.5) as u64).clamp(1, range.span() + 1);
            let key = rank as f64;
            // The original leaves the first key, which is always taken, to the comparison.
            if rank == 1
                || key - x <= self.near
                || place >= harmonic::integral(key + 0.5, self.exp) - weight(key, self.exp)
            {
                return Some(range.low() + rank - 1);
            }
        }
    }

    fn cumulative(&self, key: u64) -> Option<f64> {
        self.exact.cumulative(key)
    }

    fn probability(&self, key: u64) -> Option<f64> {
        self.exact.probability(key)
    }
}
