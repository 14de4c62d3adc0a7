//! NURand.

use std::sync::OnceLock;

use super::super::{Distribution, exact};
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// The most numbers whose chances are counted.
const MOST_COUNTED: u64 = 1 << 18;

/// NURand(A, x, y) = (((a number of 0..A | a number of x..y) + C) % (y − x + 1)) + x. 64 bits for each of the two numbers, rarely more.
///
/// Every key can be drawn; those whose numbers have many bits set below A are hot.
#[derive(Debug)]
pub struct Nurand {
    range: KeyRange,
    a: u64,
    c: u64,
    wide: exact::Uniform,
    narrow: exact::Uniform,
    /// How many of the pairs of numbers come to this place or one before it.
    counted: OnceLock<Vec<u64>>,
}

impl Nurand {
    /// With `a` (255 for last names, 1023 for customers, 8191 for items in the specification) and the run's constant `c`, 0 to `a`.
    ///
    /// # Errors
    /// A constant above `a`, and numbers that do not fit into 63 bits.
    pub fn new(range: KeyRange, a: u64, c: u64) -> Result<Self, Vec<Refusal>> {
        const MOST: u64 = 1 << 62;
        let mut refusals = Vec::new();
        if range.high() >= MOST {
            let why = format!("{range} goes beyond 62 bits, so that the sum with C may overflow");
            refusals.push(Refusal::new("range", why, "give keys below 4611686018427387904"));
        }
        let numbers = KeyRange::new(0, a).map_err(|refusal| vec![refusal])?;
        if a >= MOST {
            refusals.push(Refusal::new("a", format!("{a} goes beyond 62 bits"), "give 255, 1023 or 8191"));
        }
        if c > a {
            let why = format!("{c} is not among 0 to A, which is {a}");
            refusals.push(Refusal::new("c", why, format!("give 0 to {a}, one constant for the whole run")));
        }
        if !refusals.is_empty() {
            return Err(refusals);
        }
        let (wide, narrow) = (exact::Uniform::new(range), exact::Uniform::new(numbers));
        Ok(Nurand { range, a, c, wide, narrow, counted: OnceLock::new() })
    }

    #[inline]
    fn place(&self, or: u64) -> u64 {
        (or + self.c) % (self.range.span() + 1)
    }

    /// Counts the pairs: the numbers that are or-ed to a subset of a value's bits make as many subsets of it as the product of theirs.
    fn count(&self) -> Vec<u64> {
        let bits = 64 - (self.a | self.range.high()).leading_zeros();
        let values = 1usize << bits;
        let (mut narrow, mut wide) = (vec![0u64; values], vec![0u64; values]);
        narrow[..=self.a as usize].fill(1);
        wide[self.range.low() as usize..=self.range.high() as usize].fill(1);
        for bit in 0..bits {
            for value in (0..values).filter(|value| value >> bit & 1 == 1) {
                narrow[value] += narrow[value ^ 1 << bit];
                wide[value] += wide[value ^ 1 << bit];
            }
        }
        let mut pairs: Vec<u64> = narrow.iter().zip(&wide).map(|(narrow, wide)| narrow * wide).collect();
        for bit in 0..bits {
            for value in (0..values).filter(|value| value >> bit & 1 == 1) {
                pairs[value] -= pairs[value ^ 1 << bit];
            }
        }
        let mut places = vec![0u64; self.range.span() as usize + 1];
        for (or, pairs) in (0u64..).zip(&pairs) {
            places[self.place(or) as usize] += pairs;
        }
        let mut sum = 0;
        for place in &mut places {
            sum += *place;
            *place = sum;
        }
        places
    }
}

impl Distribution for Nurand {
    fn range(&self) -> KeyRange {
        self.range
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        let or = self.narrow.draw(stream)? | self.wide.draw(stream)?;
        Some(self.range.low() + self.place(or))
    }

    /// Counted, where the last key and A are below 2¹⁸; `None` beyond.
    fn cumulative(&self, key: u64) -> Option<f64> {
        if self.range.high() >= MOST_COUNTED || self.a >= MOST_COUNTED {
            return None;
        }
        if key < self.range.low() {
            return Some(0.0);
        }
        let place = (key - self.range.low()).min(self.range.span());
        let counted = self.counted.get_or_init(|| self.count());
        let pairs = (self.a + 1) as f64 * self.range.keys() as f64;
        counted.get(place as usize).map(|&count| count as f64 / pairs)
    }
}
