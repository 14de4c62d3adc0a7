//! Keys that come once, until all have come.

use std::sync::Mutex;

use super::super::Distribution;
use super::{MOST, narrow};
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// `uniq` of sysbench before 1.0: multiples of the prime 2³¹ − 1, modulo the number of keys, behind one lock of the process.
///
/// No random number a key. Its faults: the lock; the same order in every run, whatever the seed; and after n of n keys it begins again
/// without a word, so inserts of more rows than that, or of a second run, collide (akopytov/sysbench#96, #414).
#[derive(Debug)]
pub struct Uniq {
    range: KeyRange,
    seed: Mutex<u64>,
}

/// What each draw adds: 2³¹ − 1, a prime.
const STEP: u64 = 2_147_483_647;

impl Uniq {
    /// # Errors
    /// A range beyond a C `int`, and one of 2³¹ − 1 keys, of which it would draw the first for ever.
    pub fn new(range: KeyRange) -> Result<Self, Vec<Refusal>> {
        narrow(range, MOST - 1, "its step is 2^31 − 1").map_err(|refusal| vec![refusal])?;
        Ok(Uniq { range, seed: Mutex::new(STEP) })
    }
}

impl Distribution for Uniq {
    fn range(&self) -> KeyRange {
        self.range
    }

    #[inline]
    fn draw<S: Stream>(&self, _stream: &mut S) -> Option<u64> {
        // A number is whole even where its holder panicked.
        let mut seed = self.seed.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let key = self.range.low() + *seed % (self.range.span() + 1);
        *seed = seed.wrapping_add(STEP);
        Some(key)
    }
}
