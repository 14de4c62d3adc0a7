//! Faults that ports of others' distributions had, as distributions that can be looked at. No one should draw keys from them.

use super::ycsb::hash;
use super::{Distribution, Entry, bound, exact};
use crate::rng::{WordState, Xoshiro256PlusPlus};
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// YCSB's formula for zipf's distribution where it is not defined, at θ = 1: its exponent 1 / (1 − θ) is infinite, and whatever is neither the
/// first nor the second key comes out as one beyond the last. One unit a key.
///
/// What a port of YCSB's `ZipfianGenerator` answers to a constant of 1 without a check, where a power of 1 is 1, as in C. (In Java it is no number, and
/// then the first key.) The last key of the range stands for the one beyond: rows are there for all others.
#[derive(Clone, Debug)]
pub struct ThetaOne {
    range: KeyRange,
    /// The probabilities of the first key and of the first two.
    first: f64,
    two: f64,
}

impl ThetaOne {
    /// Over at least two keys and the one beyond them.
    ///
    /// # Errors
    /// Fewer keys.
    pub fn new(range: KeyRange) -> Result<Self, Vec<Refusal>> {
        if range.span() < 2 {
            let why = format!("{range} has fewer keys than two and the one beyond them");
            return Err(vec![Refusal::new("range", why, "give three keys or more")]);
        }
        let zeta = super::harmonic::sum(range.span(), 1.0);
        Ok(ThetaOne { range, first: 1.0 / zeta, two: 1.5 / zeta })
    }
}

impl Distribution for ThetaOne {
    fn range(&self) -> KeyRange {
        self.range
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        let unit = stream.unit();
        Some(match () {
            () if unit < self.first => self.range.low(),
            () if unit < self.two => self.range.low() + 1,
            () => self.range.high(),
        })
    }

    fn cumulative(&self, key: u64) -> Option<f64> {
        Some(match () {
            () if key < self.range.low() => 0.0,
            () if key >= self.range.high() => 1.0,
            () if key == self.range.low() => self.first,
            () => self.two,
        })
    }
}

/// Zipf's ranks hashed onto as many keys as there are ranks, which is no permutation: keys collide, and a third of them is never drawn. 64
/// bits a key, rarely more.
///
/// What ports do that leave YCSB's 10¹⁰ ranks out: hash(rank) % n with [`hash`] over [`exact::Zipf`].
#[derive(Clone, Debug)]
pub struct HashedRanks {
    range: KeyRange,
    ranks: exact::Zipf,
}

impl HashedRanks {
    /// Over any range of up to 2⁶³ keys.
    ///
    /// # Errors
    /// As [`exact::Zipf::new`].
    pub fn new(range: KeyRange, theta: f64) -> Result<Self, Vec<Refusal>> {
        let ranks = KeyRange::new(0, range.span()).map_err(|refusal| vec![refusal])?;
        Ok(HashedRanks { range, ranks: exact::Zipf::new(ranks, theta)? })
    }
}

impl Distribution for HashedRanks {
    fn range(&self) -> KeyRange {
        self.range
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        let rank = self.ranks.draw(stream)?;
        // A range of up to 2⁶³ keys, so the span has a successor.
        Some(self.range.low() + hash(rank) % (self.range.span() + 1))
    }
}

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        name: "museum/zipf-theta-one",
        summary: "YCSB's zipf at theta = 1, where its formula is not defined",
        fault: "most draws are the key beyond the last one, for which the range's last stands; exact/zipf takes theta = 1",
        generator: Xoshiro256PlusPlus::NAME,
        parameters: &[],
        range: THOUSAND_AND_ONE,
        build: |asked| bound(ThetaOne::new(asked.range), Ok(Xoshiro256PlusPlus::seeded(asked.seed))),
    },
    Entry {
        name: "museum/hashed-ranks",
        summary: "Zipf's ranks hashed onto as many keys, theta = 0.99",
        fault: "keys collide and a third of them is never drawn; exact/zipf-scrambled is without it",
        generator: Xoshiro256PlusPlus::NAME,
        parameters: &[],
        range: THOUSAND,
        build: |asked| bound(HashedRanks::new(asked.range, 0.99), Ok(Xoshiro256PlusPlus::seeded(asked.seed))),
    },
];

/// As YCSB has where nothing is said.
const THOUSAND: KeyRange = KeyRange::constant(0, 999);

/// The same and the one beyond.
const THOUSAND_AND_ONE: KeyRange = KeyRange::constant(0, 1000);

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn four_fifths_of_the_draws_are_beyond_the_last_key() {
        let faulty = ThetaOne::new(THOUSAND_AND_ONE).unwrap();
        // 1 / H(1000) and the rest after 1.5 / H(1000).
        assert!((faulty.probability(0).unwrap() - 0.133_592).abs() < 1e-6);
        assert!((faulty.probability(1000).unwrap() - (1.0 - 1.5 * 0.133_592)).abs() < 1e-5);
        let mut stream = Xoshiro256PlusPlus::seeded(1);
        let beyond = (0..10_000).filter(|_| faulty.draw(&mut stream) == Some(1000)).count();
        assert!((7800..8200).contains(&beyond), "{beyond}");
        assert!(ThetaOne::new("5..6".parse().unwrap()).is_err() && ThetaOne::new(KeyRange::ALL).is_ok());
    }

    /// Worked out in another language: of n ranks hashed onto n keys.
    #[test]
    fn a_third_of_the_keys_is_never_reached() {
        for (keys, reached) in [(1000, 678), (10_000, 7490), (100_000, 71_982)] {
            let places: BTreeSet<u64> = (0..keys).map(|rank| hash(rank) % keys).collect();
            assert_eq!(places.len(), reached, "{keys}");
        }
        let ranks = HashedRanks::new(THOUSAND, 0.99).unwrap();
        let mut stream = Xoshiro256PlusPlus::seeded(1);
        let drawn: BTreeSet<u64> = (0..200_000).filter_map(|_| ranks.draw(&mut stream)).collect();
        assert_eq!(drawn.len(), 678);
    }
}
