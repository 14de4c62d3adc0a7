//! The thread-local generator that sysbench was first patched with.

use std::convert::Infallible;

use rand_core::{SeedableRng, TryRng, utils};

use super::affine::Affine;
use super::strides::Strides;
use super::word_state::WordState;

/// The modulus of what sysbench calls a random number: 2³⁰ − 1, which `SB_MAX_RND` names in its source.
pub const SB_MAX_RND: u32 = 0x3fff_ffff;

/// x ↦ 1664525·x + 1013904223 mod 2³² (the "quick and dirty" generator of Numerical Recipes), of which x mod
/// [`SB_MAX_RND`] is given: the patch to akopytov/sysbench that made its random numbers thread-local.
///
/// The remainder is not stored back, so the period stays 2³². Known defects: bit k of the state
/// repeats every 2^(k+1) draws, and only the quotient, 0 to 4, stands between the low bits and the value; all threads
/// walk one cycle of 2³² states, so long streams overlap; the values 0 to 3 come five times a period and all others
/// four times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SysbenchLcg(u32);

const STEP: Affine = Affine { multiplier: 1_664_525, increment: 1_013_904_223, bits: 32 };

impl SysbenchLcg {
    /// The generator in that state.
    pub const fn new(seed: u32) -> Self {
        SysbenchLcg(seed)
    }

    #[inline]
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(STEP.multiplier as u32).wrapping_add(STEP.increment as u32);
        self.0
    }

    /// What sysbench's `sb_rnd()` gives: a whole number below [`SB_MAX_RND`].
    #[inline]
    pub fn sb_rnd(&mut self) -> u32 {
        self.next() % SB_MAX_RND
    }
}

/// 32 bits are the whole state, without the remainder.
impl TryRng for SysbenchLcg {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.next())
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        utils::next_u64_via_u32(self)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        utils::fill_bytes_via_next_word(bytes, || self.try_next_u32())
    }
}

/// The seed is the state.
impl SeedableRng for SysbenchLcg {
    type Seed = [u8; 4];

    fn from_seed(seed: Self::Seed) -> Self {
        SysbenchLcg(u32::from_le_bytes(seed))
    }

    fn seed_from_u64(seed: u64) -> Self {
        Self::seeded(seed)
    }
}

/// The value drawn is that of `sb_rnd()`: below 2³⁰ − 1.
impl WordState for SysbenchLcg {
    type Word = u32;
    type Words = [u32; 1];
    const NAME: &'static str = "sysbench-lcg";
    const PERIOD: u64 = 1 << 32;
    /// A thousand streams would have 4 million draws each: milliseconds.
    const STRIDES: Option<Strides> = None;

    #[inline]
    fn from_words([state]: [u32; 1]) -> Self {
        SysbenchLcg(state)
    }

    #[inline]
    fn words(&self) -> [u32; 1] {
        [self.0]
    }

    #[inline]
    fn draw(&mut self) -> u64 {
        self.sb_rnd().into()
    }

    fn leap(&mut self, count: u64, doublings: u32) {
        self.0 = STEP.advance(self.0.into(), count, doublings) as u32;
    }

    fn draws_since(&self, start: &Self) -> Option<u64> {
        Some(STEP.distance(start.0.into(), self.0.into()))
    }

    /// Never: every state is on the one cycle of 2³².
    fn stuck(_words: &[u32; 1]) -> Option<String> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::SysbenchLcg;

    #[test]
    fn draws_the_values_of_the_definition() {
        // Worked out from the recurrence in another language.
        let mut generator = SysbenchLcg::new(1);
        let expected = [1_015_568_748, 512_263_644, 18_219_392, 879_966_919, 217_083_232];
        assert_eq!(expected.map(|_| generator.sb_rnd()), expected);
    }
}
