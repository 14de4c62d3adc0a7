//! The 48-bit generator of `lrand48`, `drand48` and `mrand48`.

use std::convert::Infallible;

use rand_core::{SeedableRng, TryRng, utils};

use super::affine::Affine;
use super::strides::Strides;
use super::word_state::WordState;

/// x ↦ 0x5DEECE66D·x + 11 mod 2⁴⁸, of which `lrand48` gives the upper 31 bits and `drand48` all 48: the generator of
/// POSIX, bit for bit as glibc has it.
///
/// Known defects: bit k of the state repeats every 2^(k+1) draws, so the lowest bit of `lrand48` repeats every 2¹⁸;
/// `srand48` reaches 2³² of the 2⁴⁸ states; and in libc one state serves the whole process without a lock, so threads
/// lose updates and draw equal values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rand48(u64);

const STEP: Affine = Affine { multiplier: 0x5_deec_e66d, increment: 0xb, bits: 48 };

impl Rand48 {
    /// As after `srand48(seed)`: the low 32 bits of the seed over the constant 0x330E.
    pub const fn srand48(seed: u32) -> Self {
        Rand48((seed as u64) << 16 | 0x330e)
    }

    #[inline]
    fn next(&mut self) -> u64 {
        self.0 = STEP.step(self.0);
        self.0
    }

    /// A whole number below 2³¹.
    #[inline]
    pub fn lrand48(&mut self) -> u32 {
        (self.next() >> 17) as u32
    }

    /// A number in [0, 1), a multiple of 2⁻⁴⁸.
    #[inline]
    pub fn drand48(&mut self) -> f64 {
        self.next() as f64 / (1u64 << 48) as f64
    }

    /// A whole number of 32 bits with its sign.
    #[inline]
    pub fn mrand48(&mut self) -> i32 {
        (self.next() >> 16) as i32
    }
}

/// 32 bits are those of `mrand48`.
impl TryRng for Rand48 {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.mrand48() as u32)
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        utils::next_u64_via_u32(self)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        utils::fill_bytes_via_next_word(bytes, || self.try_next_u32())
    }
}

/// The seed is the state, all 48 bits of it. For the seeding of libc see [`Rand48::srand48`].
impl SeedableRng for Rand48 {
    type Seed = [u8; 6];

    fn from_seed(seed: Self::Seed) -> Self {
        let [a, b, c, d, e, f] = seed;
        Rand48(u64::from_le_bytes([a, b, c, d, e, f, 0, 0]))
    }

    fn seed_from_u64(seed: u64) -> Self {
        Self::seeded(seed)
    }
}

/// The value drawn is that of `lrand48`: 31 bits.
impl WordState for Rand48 {
    type Word = u64;
    type Words = [u64; 1];
    const NAME: &'static str = "rand48";
    const PERIOD: u64 = 1 << 48;
    const STRIDES: Option<Strides> = Some(Strides::golden(37, 1 << 48));

    /// Bits above the 48th are dropped.
    #[inline]
    fn from_words([state]: [u64; 1]) -> Self {
        Rand48(state & (u64::MAX >> 16))
    }

    #[inline]
    fn words(&self) -> [u64; 1] {
        [self.0]
    }

    #[inline]
    fn draw(&mut self) -> u64 {
        self.lrand48().into()
    }

    fn leap(&mut self, count: u64, doublings: u32) {
        self.0 = STEP.advance(self.0, count, doublings);
    }

    fn draws_since(&self, start: &Self) -> Option<u64> {
        Some(STEP.distance(start.0, self.0))
    }

    /// Never: every state is on the one cycle of 2⁴⁸.
    fn stuck(_words: &[u64; 1]) -> Option<String> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Rand48;

    #[test]
    fn draws_the_values_of_the_definition() {
        // Worked out from the recurrence in another language; tests/glibc.rs holds the generator to libc itself.
        for (seed, expected) in [
            (0, [366_850_414, 1_610_402_240, 206_956_554, 1_869_309_841]),
            (1, [89_400_484, 976_015_093, 1_792_756_325, 721_524_505]),
            (42, [1_598_855_263, 735_945_821, 238_553_827, 906_966_006]),
            (u32::MAX, [644_300_343, 97_305_740, 768_640_432, 869_611_528]),
        ] {
            let mut generator = Rand48::srand48(seed);
            assert_eq!(expected.map(|_| generator.lrand48()), expected, "seed {seed}");
        }
    }
}
