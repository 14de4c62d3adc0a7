//! sysbench's own distribution, in whole numbers.

use super::super::Distribution;
use super::super::sysbench_1_0_20::special_checked as checked;
use super::{mean_at_most, narrow, rnd_below, sb_rnd, sum_fits};
use crate::rng::SB_MAX_RND;
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// `special` of sysbench before 1.0, its default: of 100 draws `res` hit a window of `pct` percent of the keys around the middle, the others
/// make a bell over all. One word for the window, 1 + `iter` for the bell.
///
/// At the defaults 75 % of the draws fall on 10 of 1000 keys, 496 to 505. Its faults: the window lies half a key low; `res` counts as
/// the whole number 100 / (100 − `res`) allows (80 as 80, 70 as 67); the bell leans half a key to the first ones; of a range of one key
/// it answers 0, which is refused here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Special {
    range: KeyRange,
    keys: u64,
    iter: u64,
    stretched: u64,
    window: u64,
    first: u64,
}

impl Special {
    /// With `iter` of 1 to 1000 (`--rand-spec-iter`, 12), `pct` of 0 to 100 (`--rand-spec-pct`, 1) and `res` of 0 to 99
    /// (`--rand-spec-res`, 75).
    ///
    /// # Errors
    /// All of them that are outside, a range of one key, and one at which a C `int` overflows.
    pub fn new(range: KeyRange, iter: u64, pct: u64, res: u64) -> Result<Self, Vec<Refusal>> {
        let times = 100 / (100 - res.min(99));
        let fits = if range.span() == 0 {
            let cure = "give two keys or more, or ask for sysbench-old/special-symmetric";
            Err(Refusal::new(
                "range",
                format!("of one key ({range}) sysbench draws 0, which is none of the range"),
                cure,
            ))
        } else {
            sum_fits(range, iter).and_then(|()| {
                // What is multiplied in 32 bits without a sign: n·(100 / (100 − res)) and n·pct.
                let most = u64::from(u32::MAX) / times.max(pct.min(100)).max(1);
                narrow(range, most, "its stretched window overflows 32 bits")
            })
        };
        checked(fits, iter, pct, res, 99)?;
        let keys = range.span() + 1;
        Ok(Special {
            range,
            keys,
            iter,
            stretched: keys * times,
            window: (keys * pct / 100).max(1),
            first: keys / 2 - keys * pct / 200,
        })
    }
}

impl Distribution for Special {
    fn range(&self) -> KeyRange {
        self.range
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        let place = sb_rnd(stream) % self.stretched;
        if place < self.keys {
            let sum: u64 = (0..self.iter).map(|_| sb_rnd(stream) % self.keys).sum();
            return Some(self.range.low() + sum / self.iter);
        }
        Some(self.range.low() + self.first + place % self.window)
    }

    /// Of words that `lrand48` gives; the bell's share as [`Gaussian`](super::Gaussian)'s.
    fn cumulative(&self, key: u64) -> Option<f64> {
        if key < self.range.low() {
            return Some(0.0);
        }
        let all = u64::from(SB_MAX_RND);
        let (rounds, rest) = (all / self.stretched, all % self.stretched);
        // Places of the bell; 0 and 1 are among them, since there are two keys or more.
        let bell = rnd_below(rounds * self.keys + rest.min(self.keys));
        let place = (key - self.range.low()).min(self.range.span());
        let of_window = if place < self.first { 0 } else { (place - self.first + 1).min(self.window) };
        // Numbers below `end` whose remainder by the window is below `of_window`, from the end of the bell on.
        let hits = |end: u64| {
            let below = |end: u64| end / self.window * of_window + (end % self.window).min(of_window);
            below(end.max(self.keys)) - below(self.keys)
        };
        let window = 2 * (rounds * hits(self.stretched) + hits(rest));
        Some(bell * mean_at_most(self.range, self.iter, key)? + window as f64 / (1u64 << 31) as f64)
    }
}
