//! Each key once.

use std::sync::atomic::{AtomicU64, Ordering};

use super::super::Distribution;
use crate::KeyRange;
use crate::rng::SplitMix64;
use crate::stream::Stream;

const ROUNDS: usize = 6;

/// Every key of any range exactly once, over all workers that share it, in an order that the seed decides; then no more.
///
/// One counter that all workers add to goes through a Feistel network of six rounds on the next even number of bits; places outside of the
/// range are sent through it again (cycle walking, J. Black and P. Rogaway, Ciphers with arbitrary finite domains, 2002), fewer than four
/// times on average.
#[derive(Debug)]
pub struct Permutation {
    range: KeyRange,
    rounds: [u64; ROUNDS],
    half: u32,
    next: AtomicU64,
}

impl Permutation {
    /// The order that this seed decides.
    pub fn new(range: KeyRange, seed: u64) -> Self {
        let mut rounds = SplitMix64::new(seed);
        let bits = 64 - range.span().leading_zeros();
        Permutation {
            range,
            rounds: std::array::from_fn(|_| rounds.draw()),
            half: bits.div_ceil(2).max(1),
            next: AtomicU64::new(0),
        }
    }

    /// Where this place of the order, from 0 on, leads: how far from the first key.
    #[inline]
    pub(super) fn place(&self, mut place: u64) -> u64 {
        let mask = u64::MAX >> (64 - self.half);
        loop {
            let (mut left, mut right) = (place >> self.half & mask, place & mask);
            for round in self.rounds {
                let mixed = SplitMix64::new(right ^ round).draw() & mask;
                (left, right) = (right, left ^ mixed);
            }
            place = left << self.half | right;
            if place <= self.range.span() {
                return place;
            }
        }
    }
}

impl Distribution for Permutation {
    fn range(&self) -> KeyRange {
        self.range
    }

    #[inline]
    fn draw<S: Stream>(&self, _stream: &mut S) -> Option<u64> {
        let count = self.next.fetch_add(1, Ordering::Relaxed);
        if count > self.range.span() {
            // Stays behind the end, so that it never comes round.
            self.next.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        Some(self.range.low() + self.place(count))
    }
}
