//! Keys that come once.

use std::sync::atomic::{AtomicU32, Ordering};

use super::super::Distribution;
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// `unique` of sysbench 1.0.20: a permutation of all 2³² numbers by quadratic residues, walked by one counter that all threads add to.
///
/// No random number a key, but one atomic fetch-and-add on a line that all workers share. Its faults: it knows no range (a script that
/// wants one draws until it is hit), it begins again silently after 2³² keys, and it does not follow `--rand-seed`: two runs with one
/// seed draw different keys (akopytov/sysbench#414; seen in the program). The permutation is J. Preshing's
/// (<https://github.com/preshing/RandomSequence>, public domain).
#[derive(Debug)]
pub struct Unique {
    next: AtomicU32,
    offset: u32,
}

/// The largest prime below 2³² that is 3 modulo 4.
const PRIME: u32 = 4_294_967_291;

/// Squares modulo the prime, of which the upper half is turned to the other square root's side: each number once. The five numbers that
/// are no residues stay.
#[inline]
fn permuted(x: u32) -> u32 {
    if x >= PRIME {
        return x;
    }
    let residue = (u64::from(x) * u64::from(x) % u64::from(PRIME)) as u32;
    if x <= PRIME / 2 { residue } else { PRIME - residue }
}

impl Unique {
    /// Begins where these two random numbers lead.
    pub fn new(index: u32, offset: u32) -> Self {
        Unique {
            next: AtomicU32::new(permuted(permuted(index).wrapping_add(0x682f_0161))),
            offset: permuted(permuted(offset).wrapping_add(0x4679_0905)),
        }
    }

    /// Checks that a range is the one it has.
    ///
    /// # Errors
    /// Any other range.
    pub fn checked(range: KeyRange) -> Result<(), Vec<Refusal>> {
        if range == KeyRange::ALL_OF_32_BITS {
            return Ok(());
        }
        let why = format!("it hands out all of 0..4294967295, not {range}");
        Err(vec![Refusal::new("range", why, "give 0..4294967295, or ask for exact/permutation, which takes any range")])
    }
}

impl Distribution for Unique {
    fn range(&self) -> KeyRange {
        KeyRange::ALL_OF_32_BITS
    }

    #[inline]
    fn draw<S: Stream>(&self, _stream: &mut S) -> Option<u64> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        Some(permuted(permuted(index).wrapping_add(self.offset) ^ 0x5bf0_3635).into())
    }
}

#[cfg(test)]
mod tests {
    use super::{Unique, permuted};
    use crate::dist::Distribution;
    use crate::rng::{WordState, Xoroshiro128Plus};

    /// Drawn by `sysbench.rand.unique()` of the program; where it began was worked out from the keys.
    #[test]
    fn draws_what_sysbench_draws() {
        let unique = Unique::new(207_324_198, 1_533_167_521);
        let mut stream = Xoroshiro128Plus::seeded(1);
        let expected = [
            3_555_749_103,
            4_222_859_397,
            1_925_562_360,
            3_913_422_446,
            3_109_618_970,
            3_093_275_263,
            1_323_123_973,
            3_611_558_588,
            2_938_286_549,
            4_279_446_500,
            3_421_499_977,
            3_263_682_318,
        ];
        assert_eq!(expected.map(|_| unique.draw(&mut stream).unwrap()), expected);
        assert_eq!([permuted(0), permuted(65_537), permuted(u32::MAX)], [0, 131_078, u32::MAX]);
    }

    #[test]
    fn a_million_keys_are_a_million() {
        let unique = Unique::new(3, 4);
        let mut stream = Xoroshiro128Plus::seeded(1);
        let mut keys: Vec<u64> = (0..1_000_000).filter_map(|_| unique.draw(&mut stream)).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 1_000_000);
    }
}
