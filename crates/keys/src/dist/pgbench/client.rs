//! The random numbers of a pgbench client.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoroshiro128StarStar;

use crate::rng::SplitMix64;
use crate::stream::Stream;

/// The generator of one pgbench client: xoroshiro128** of D. Blackman and S. Vigna, which PostgreSQL has since version 15.
///
/// No known defect that a benchmark would meet. Units are the upper 52 bits.
#[derive(Clone, Debug)]
pub struct Client(Xoroshiro128StarStar);

impl Client {
    /// The generator's name.
    pub const NAME: &'static str = "xoroshiro128**";

    /// That of the client of this index, from 0 on, of `pgbench --random-seed=SEED`: the clients' seeds are drawn in their order from one
    /// more generator, before anything else is.
    pub fn new(seed: u64, index: u32) -> Self {
        let mut base = Self::seeded(seed);
        let mut own = base.bits();
        for _ in 0..index {
            own = base.bits();
        }
        Self::seeded(own)
    }

    /// As after `pg_prng_seed(seed)`.
    pub fn seeded(seed: u64) -> Self {
        let mut words = SplitMix64::new(seed);
        let (first, second) = (words.draw(), words.draw());
        // Two zeros, which would stay so, are replaced by the multiplier and the increment of D. Knuth's generator.
        let words =
            if (first, second) == (0, 0) { [0x5851_f42d_4c95_7f2d, 0x1405_7b7e_f767_814f] } else { [first, second] };
        let mut bytes = [0; 16];
        for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&u64::to_le_bytes(word));
        }
        Client(Xoroshiro128StarStar::from_seed(bytes))
    }
}

impl Stream for Client {
    #[inline]
    fn word(&mut self) -> u64 {
        self.0.next_u64()
    }

    #[inline]
    fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 12) as f64 / (1u64 << 52) as f64
    }

    #[inline]
    fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }
}
