//! sysbench's own distribution: a few hot keys in the middle of a bell.

use super::super::{Distribution, sums, within};
use super::{cut, cut_first, narrow};
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// `special` of sysbench 1.0.20, its default: of 100 draws `res` hit a window of about `pct` percent of the keys around the middle, the
/// others make a bell over all. One unit a key for the window, 1 + `iter` for the bell.
///
/// Its fault: the unit that chose the window also chooses the key in it, so only the part of the window above 1 − `res`/100 is hit.
/// At the defaults 75 % of the draws fall on the upper three quarters: 9 keys of 1000 (498 to 506), 77 of 10,000 (4975 to 5051).
/// The last key of the range is never drawn (the bell reaches a + (b − a)·mean, and a mean of 1 does not come), unless it is the only one.
#[derive(Clone, Debug, PartialEq)]
pub struct Special {
    range: KeyRange,
    span: f64,
    iter: u32,
    part: f64,
    /// Below this product of unit and [`stretched`](Self::stretched) the bell is drawn.
    stretched: f64,
    window: f64,
    half: f64,
    half_window: f64,
}

impl Special {
    /// With `iter` of 1 to 1000 (`--rand-spec-iter`, 12), `pct` of 0 to 100 (`--rand-spec-pct`, 1) and `res` of 0 to 100
    /// (`--rand-spec-res`, 75).
    ///
    /// # Errors
    /// All of them that are outside, and a range beyond 32 bits.
    pub fn new(range: KeyRange, iter: u64, pct: u64, res: u64) -> Result<Self, Vec<Refusal>> {
        checked(narrow(range), iter, pct, res, 100)?;
        let span = range.span() as f64;
        // As the original makes them before the first draw.
        let (part, pct, half_pct) = (1.0 / iter as f64, pct as f64 / 100.0, pct as f64 / 200.0);
        Ok(Special {
            range,
            span,
            iter: iter as u32,
            part,
            stretched: span * (100.0 / (100.0 - res as f64)),
            window: span * pct + 1.0,
            half: span / 2.0,
            half_window: span * half_pct,
        })
    }

    /// The least unit that the window is drawn for.
    fn bell(&self) -> f64 {
        if self.span == 0.0 { 0.0 } else { self.span / self.stretched }
    }
}

/// Checks what all `special`s have, and tells all that is wrong.
pub(in super::super) fn checked(
    range: Result<(), Refusal>,
    iter: u64,
    pct: u64,
    res: u64,
    most_res: u64,
) -> Result<(), Vec<Refusal>> {
    let numbers = [within("iter", iter, 1, 1000), within("pct", pct, 0, 100), within("res", res, 0, most_res)];
    let refusals: Vec<_> = range.err().into_iter().chain(numbers.into_iter().filter_map(Result::err)).collect();
    if refusals.is_empty() { Ok(()) } else { Err(refusals) }
}

impl Distribution for Special {
    fn range(&self) -> KeyRange {
        self.range
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        let unit = stream.unit();
        if unit * self.stretched < self.span {
            let mut sum = 0.0;
            for _ in 0..self.iter {
                sum += stream.unit();
            }
            return Some(cut(self.range, sum * self.span * self.part));
        }
        let mut place = unit * self.window;
        place += self.half - self.half_window;
        Some(cut_first(self.range, place))
    }

    fn cumulative(&self, key: u64) -> Option<f64> {
        if key < self.range.low() {
            return Some(0.0);
        }
        if key >= self.range.high() {
            return Some(1.0);
        }
        let below = (key - self.range.low()) as f64 + 1.0;
        let bell = self.bell();
        let of_bell = match bell {
            0.0 => 0.0,
            _ => sums::continuous(self.iter, below / self.span * f64::from(self.iter))?,
        };
        let unit = (below - (self.half - self.half_window)) / self.window;
        Some(bell * of_bell + unit.clamp(bell, 1.0) - bell)
    }
}
