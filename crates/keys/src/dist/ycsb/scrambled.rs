//! Zipf's distribution over all of YCSB's keys.

use super::super::Distribution;
use super::java_long;
use super::zipfian::Gray;
use super::{hash, zipfian::defined};
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// `ScrambledZipfianGenerator`, which YCSB's core workloads call `zipfian`: a rank among 10¹⁰ by [`Zipfian`](super::Zipfian)'s formula, hashed,
/// modulo the number of keys. One unit a try.
///
/// Its faults: the hash is no permutation, so keys share their ranks' chances and the hottest ones change with the number of
/// keys (of 1000 ranks hashed onto 1000 keys 322 keys get none); most of the weight lies in the 10¹⁰ ranks' tail, so the keys are drawn
/// more alike than zipf's (the hottest 3.8 % in place of 12.9 % of 1000 keys).
///
/// Where inserts are expected, YCSB draws over the keys that there will be and draws again for one that is not there yet.
#[derive(Clone, Debug, PartialEq)]
pub struct ScrambledZipfian {
    range: KeyRange,
    space: u64,
    gray: Gray,
}

/// What YCSB added up for [`ITEMS`] (`ZETAN`): it belongs to 10¹⁰ ranks, also where a version has another number of them.
const ZETA: f64 = 26.469_028_201_783_02;

/// Ranks from 0 to this one (`ITEM_COUNT`).
pub(super) const ITEMS: f64 = 1e10;

const THETA: f64 = 0.99;

/// The most tries that a key may take on average: about a millisecond.
const MOST_TRIES: f64 = 1e4;

/// Ranks whose hash is looked at to tell how many tries a key takes: the hottest, whose share a large exponent makes 1.
const HOTTEST: u64 = 1000;

impl ScrambledZipfian {
    /// Over `range` and `expected` keys behind it that are not yet inserted (in YCSB 2 × operations × the share of inserts). `theta` is 0.99 in
    /// YCSB.
    ///
    /// # Errors
    /// A range that with the expected keys is beyond a Java `long`, a `theta` as [`Zipfian::new`](super::Zipfian::new) refuses it; so many
    /// expected keys, or so hot a rank on one of them, that a key takes more than 10⁴ tries (YCSB then draws nearly for ever).
    pub fn new(range: KeyRange, theta: f64, expected: u64) -> Result<Self, Vec<Refusal>> {
        let fits = java_long(range).and_then(|()| {
            let high = range.high().checked_add(expected).filter(|&high| high <= i64::MAX as u64);
            high.map(|_| range.span() + 1 + expected).filter(|&space| space <= i64::MAX as u64).ok_or_else(|| {
                let why = format!("{range} and {expected} keys more do not fit into a long");
                Refusal::new("expected", why, "expect fewer keys")
            })
        });
        match (fits, defined(theta)) {
            (Ok(space), Ok(theta)) => {
                // The original counts ranks from 0 to its item count, one more.
                let gray = if theta == THETA {
                    Gray::with_zeta(ITEMS + 1.0, theta, ZETA)
                } else {
                    Gray::new(ITEMS as u64 + 1, theta)
                };
                let made = ScrambledZipfian { range, space, gray };
                let tries = made.tries();
                // No number is too many too.
                if tries <= MOST_TRIES { Ok(made) } else { Err(vec![made.seldom(tries, expected)]) }
            }
            (fits, theta) => Err([fits.err(), theta.err()].into_iter().flatten().collect()),
        }
    }

    /// How many tries a key takes on average: 1 where no keys are expected. The hottest ranks as they are hashed, the others as if each
    /// fell on every key alike.
    pub fn tries(&self) -> f64 {
        let keys = self.range.span() + 1;
        if self.space == keys {
            return 1.0;
        }
        let (mut hit, mut before) = (0.0, 0.0);
        for rank in 0..HOTTEST {
            let at_most = self.gray.at_most(rank);
            if hash(rank) % self.space < keys {
                hit += (at_most - before).max(0.0);
            }
            before = at_most;
        }
        1.0 / (hit + (1.0 - before).max(0.0) * (keys as f64 / self.space as f64))
    }

    fn seldom(&self, tries: f64, expected: u64) -> Refusal {
        let keys = self.range.span() + 1;
        let why = format!("a key would take {tries:.1e} tries, since most fall on keys that are not there yet");
        if expected as f64 / keys as f64 > MOST_TRIES / 2.0 {
            let most = keys.saturating_mul(1000);
            return Refusal::new(
                "expected",
                why,
                format!("expect fewer, such as {most} for {keys} keys that are there"),
            );
        }
        Refusal::new("theta", why, "give a smaller one, such as 0.99, or expect no keys")
    }
}

impl Distribution for ScrambledZipfian {
    fn range(&self) -> KeyRange {
        self.range
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        loop {
            let place = hash(self.gray.place(stream.unit())) % self.space;
            if place <= self.range.span() {
                return Some(self.range.low() + place);
            }
        }
    }
}
