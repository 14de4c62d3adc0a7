//! xoshiro256++ of `rand_xoshiro` as a generator of four words.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::strides::Strides;
use super::word_state::{WordMemory, WordState};

/// xoshiro256++ of D. Blackman and S. Vigna (2019). No known defect that a benchmark would meet; its 32 bytes do not
/// fit an atomic word.
impl WordState for Xoshiro256PlusPlus {
    type Word = u64;
    type Words = [u64; 4];
    const NAME: &'static str = "xoshiro256++";
    const PERIOD: u64 = u64::MAX;
    /// The authors' jump.
    const STRIDES: Option<Strides> = Some(Strides::doubled(128));

    /// Four zeros, which would stay so, are taken by `rand_xoshiro` as the 64-bit seed 0.
    #[inline]
    fn from_words(words: [u64; 4]) -> Self {
        let mut seed = [0; 32];
        for (bytes, word) in seed.chunks_exact_mut(8).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        Self::from_seed(seed)
    }

    #[inline]
    fn words(&self) -> [u64; 4] {
        rand_core::utils::read_words(&self.state())
    }

    #[inline]
    fn draw(&mut self) -> u64 {
        self.next_u64()
    }

    /// The recurrence itself, because `rand_xoshiro` gives and takes its state as bytes: assembled in memory, they
    /// are read as words before they are written through, which stalls each draw for several times its cost.
    #[inline]
    fn draw_in(memory: &impl WordMemory<u64>) -> u64 {
        let [mut s0, mut s1, mut s2, mut s3] = [0, 1, 2, 3].map(|index| memory.load(index));
        let value = s0.wrapping_add(s3).rotate_left(23).wrapping_add(s0);
        let shifted = s1 << 17;
        s2 ^= s0;
        s3 ^= s1;
        s1 ^= s2;
        s0 ^= s3;
        s2 ^= shifted;
        s3 = s3.rotate_left(45);
        for (index, word) in [s0, s1, s2, s3].into_iter().enumerate() {
            memory.store(index, word);
        }
        value
    }

    fn leap(&mut self, count: u64, doublings: u32) {
        self.jump_ce(count, doublings);
    }

    /// There is no quick way to tell.
    fn draws_since(&self, start: &Self) -> Option<u64> {
        (self == start).then_some(0)
    }

    fn stuck(words: &[u64; 4]) -> Option<String> {
        (*words == [0; 4]).then(|| "all words are 0, which stay so".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_the_published_values() {
        // Of the authors' C program from the state 1, 2, 3, 4.
        let mut generator = Xoshiro256PlusPlus::from_words([1, 2, 3, 4]);
        let expected = [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386];
        assert_eq!(expected.map(|_| generator.draw()), expected);
    }

    #[test]
    fn is_seeded_as_its_own_crate_does() {
        assert_eq!(Xoshiro256PlusPlus::seeded(5), Xoshiro256PlusPlus::seed_from_u64(5));
    }
}
