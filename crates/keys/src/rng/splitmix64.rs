//! SplitMix64.

use std::convert::Infallible;

use rand_core::{SeedableRng, TryRng, utils};

/// SplitMix64 of G. L. Steele, D. Lea and C. H. Flood (OOPSLA 2014) with the constants of S. Vigna's `splitmix64.c`.
///
/// Every state is followed by another, all 2⁶⁴ outputs come once a period, and two seeds that differ in one bit have
/// nothing in common: what a seed is spread with. Known defect: a 64-bit value is never drawn twice in a period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The generator in that state.
    pub const fn new(seed: u64) -> Self {
        SplitMix64(seed)
    }

    /// The next 64 bits.
    #[inline]
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

impl TryRng for SplitMix64 {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.draw() >> 32) as u32)
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.draw())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        utils::fill_bytes_via_next_word(bytes, || self.try_next_u64())
    }
}

impl SeedableRng for SplitMix64 {
    type Seed = [u8; 8];

    fn from_seed(seed: Self::Seed) -> Self {
        SplitMix64(u64::from_le_bytes(seed))
    }

    fn seed_from_u64(seed: u64) -> Self {
        SplitMix64(seed)
    }
}

#[cfg(test)]
mod tests {
    use super::SplitMix64;

    #[test]
    fn draws_the_published_values() {
        // Of the reference C program, as published at rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64.
        let mut generator = SplitMix64::new(1_234_567);
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(expected.map(|_| generator.draw()), expected);
    }
}
