//! WiredTiger's multiply-with-carry generator.

use std::collections::HashMap;
use std::convert::Infallible;

use rand_core::{SeedableRng, TryRng, utils};

use super::strides::Strides;
use super::word_state::{WordMemory, WordState};

/// The pair of 16-bit multiply-with-carry generators of G. Marsaglia that WiredTiger's `__wt_random` has: two words
/// that step apart from each other, whose low halves make the value.
///
/// In WiredTiger up to 2.3.1 one static pair served all threads without a lock; 2.4.0 gave each session its own, all
/// with the same seed, so threads drew the same keys in lockstep. Known defects besides: a word that is 0 stays 0,
/// and each word has one fixed point, a·2¹⁶ − 1; the halves of the value are independent generators of periods near
/// 2³⁰, so the value's low half is a 16-bit generator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WiredTigerMwc {
    z: u32,
    w: u32,
}

/// One of the two generators: x ↦ a·(x mod 2¹⁶) + ⌊x / 2¹⁶⌋.
#[derive(Clone, Copy)]
struct HalfWord {
    name: &'static str,
    multiplier: u32,
}

const Z: HalfWord = HalfWord { name: "m_z", multiplier: 36_969 };
const W: HalfWord = HalfWord { name: "m_w", multiplier: 18_000 };

impl HalfWord {
    #[inline]
    fn step(self, state: u32) -> u32 {
        self.multiplier.wrapping_mul(state & 0xffff).wrapping_add(state >> 16)
    }

    /// a·2¹⁶ − 1: the fixed point, and the modulus of which a step is a multiplication by a (for 2¹⁶·a ≡ 1). It is a
    /// safe prime for both multipliers, so every other state has the period (modulus − 1) / 2.
    const fn modulus(self) -> u64 {
        (self.multiplier as u64) * 0x1_0000 - 1
    }

    fn times(self, a: u64, b: u64) -> u64 {
        // Both are below 2³².
        a * b % self.modulus()
    }

    fn power(self, mut exponent: u64) -> u64 {
        let (mut product, mut square) = (1, self.multiplier.into());
        while exponent > 0 {
            if exponent & 1 == 1 {
                product = self.times(product, square);
            }
            square = self.times(square, square);
            exponent >>= 1;
        }
        product
    }

    /// The draws after which a state comes back that is not stuck.
    const fn period(self) -> u64 {
        (self.modulus() - 1) / 2
    }

    /// `count` · 2^`doublings` steps.
    fn advance(self, state: u32, count: u64, doublings: u32) -> u32 {
        // States above the modulus are never come back to; they fall to it or below it in at most two steps.
        let few = u128::from(count) << doublings.min(64);
        if few <= 2 {
            return (0..few).fold(state, |state, _| self.step(state));
        }
        if self.comes_to_rest(state) {
            return if state == 0 { 0 } else { self.modulus() as u32 };
        }
        let factor = (0..doublings).fold(self.power(count), |factor, _| self.times(factor, factor));
        self.times(u64::from(state) % self.modulus(), factor) as u32
    }

    /// The steps from one state to another by baby steps and giant steps (D. Shanks): about 2¹⁶ of each.
    fn distance(self, from: u32, to: u32) -> Option<u64> {
        let mut state = from;
        for steps in 0..3 {
            if state == to {
                return Some(steps);
            }
            state = self.step(state);
        }
        if state == to {
            return Some(3);
        }
        // `state` is three steps on, on its cycle; so must be what it leads to.
        if self.stuck(state).is_some() || self.stuck(to).is_some() || u64::from(to) > self.modulus() {
            return None;
        }
        let side = self.modulus().isqrt() + 1;
        let mut baby = HashMap::new();
        let mut back = u64::from(to);
        for steps in 0..side {
            baby.insert(back, steps);
            back = self.times(back, self.multiplier.into());
        }
        let giant = self.power(side);
        let mut ahead = u64::from(state);
        for strides in 1..=side {
            ahead = self.times(ahead, giant);
            if let Some(steps) = baby.get(&ahead) {
                return Some(3 + strides * side - steps);
            }
        }
        None
    }

    fn stuck(self, state: u32) -> Option<String> {
        let HalfWord { name, .. } = self;
        match state {
            0 => Some(format!("{name} is 0, which stays so")),
            _ if u64::from(state) == self.modulus() => Some(format!("{name} is {state}, a fixed point")),
            _ => None,
        }
    }

    /// Whether a state is stuck or a step from it: the multiples of the modulus, of which `m_w` has four.
    fn comes_to_rest(self, state: u32) -> bool {
        u64::from(state) % self.modulus() == 0
    }

    /// A state that leads to the long cycles for 32 bits of a seed: taken as it is where it can be.
    fn healthy(self, seed: u32) -> u32 {
        if self.comes_to_rest(seed) { seed ^ 1 } else { seed }
    }
}

impl WiredTigerMwc {
    /// The pair that WiredTiger starts with: `m_w` = 521288629, `m_z` = 362436069.
    pub const fn new() -> Self {
        WiredTigerMwc { z: 362_436_069, w: 521_288_629 }
    }

    #[inline]
    fn next(&mut self) -> u32 {
        self.z = Z.step(self.z);
        self.w = W.step(self.w);
        Self::value(self.z, self.w)
    }

    #[inline]
    fn value(z: u32, w: u32) -> u32 {
        (z << 16).wrapping_add(w & 0xffff)
    }
}

/// The pair that WiredTiger starts with.
impl Default for WiredTigerMwc {
    fn default() -> Self {
        Self::new()
    }
}

impl TryRng for WiredTigerMwc {
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

/// The seed is `m_z` and `m_w`; a word that would get stuck has its lowest bit turned.
impl SeedableRng for WiredTigerMwc {
    type Seed = [u8; 8];

    fn from_seed(seed: Self::Seed) -> Self {
        let [z, w] = utils::read_words(&seed);
        WiredTigerMwc { z: Z.healthy(z), w: W.healthy(w) }
    }

    fn seed_from_u64(seed: u64) -> Self {
        Self::seeded(seed)
    }
}

impl WordState for WiredTigerMwc {
    type Word = u32;
    /// `m_z` and `m_w`, in the order of their stepping.
    type Words = [u32; 2];
    const NAME: &'static str = "wiredtiger-mwc";
    const PERIOD: u64 = W.period();
    /// Of the pair. The halves' periods are two primes, so a pair comes back after their product; each half alone is on a
    /// cycle that all streams share.
    const STRIDES: Option<Strides> = Some(Strides::golden(43, Z.period() as u128 * W.period() as u128));

    #[inline]
    fn from_words([z, w]: [u32; 2]) -> Self {
        WiredTigerMwc { z, w }
    }

    #[inline]
    fn words(&self) -> [u32; 2] {
        [self.z, self.w]
    }

    #[inline]
    fn draw(&mut self) -> u64 {
        self.next().into()
    }

    /// As WiredTiger does: `m_z` is written before `m_w` is read.
    #[inline]
    fn draw_in(memory: &impl WordMemory<u32>) -> u64 {
        let z = Z.step(memory.load(0));
        memory.store(0, z);
        let w = W.step(memory.load(1));
        memory.store(1, w);
        Self::value(z, w).into()
    }

    fn leap(&mut self, count: u64, doublings: u32) {
        self.z = Z.advance(self.z, count, doublings);
        self.w = W.advance(self.w, count, doublings);
    }

    fn draws_since(&self, start: &Self) -> Option<u64> {
        Some(Z.distance(start.z, self.z)?.min(W.distance(start.w, self.w)?))
    }

    fn stuck([z, w]: &[u32; 2]) -> Option<String> {
        match (Z.stuck(*z), W.stuck(*w)) {
            (Some(z), Some(w)) => Some(format!("{z}; {w}")),
            (z, w) => z.or(w),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_the_values_of_the_definition() {
        // Worked out from the recurrence in another language.
        let mut generator = WiredTigerMwc::new();
        let expected = [545_736_098, 2_010_324_742, 3_890_505_984, 2_686_179_461, 1_575_101_542];
        assert_eq!(expected.map(|_| generator.next()), expected);
    }

    /// Marsaglia's own test program of 1999: after 256 + 10⁶ draws for other generators and 10⁶ of its own, from the
    /// states 12345 and 65435, his sum of both words is 904977562. (WiredTiger masks the lower one, he does not.)
    #[test]
    fn steps_as_published() {
        let mut generator = WiredTigerMwc::from_words([12_345, 65_435]);
        for _ in 0..2_000_256 {
            generator.next();
        }
        assert_eq!((generator.z << 16).wrapping_add(generator.w), 904_977_562);
    }

    #[test]
    fn zero_and_the_fixed_points_hold_for_ever() {
        let fixed_z = 36_969 * 65_536 - 1;
        let fixed_w = 18_000 * 65_536 - 1;
        for words in [[0, 1], [1, 0], [fixed_z, 1], [1, fixed_w], [0, 0], [fixed_z, fixed_w]] {
            assert!(WiredTigerMwc::is_stuck(&words), "{words:?}");
            let mut generator = WiredTigerMwc::from_words(words);
            for _ in 0..10 {
                generator.next();
                let now = generator.words();
                assert!((0..2).all(|i| words[i] == 1 || now[i] == words[i]), "{words:?} became {now:?}");
            }
            let mut jumped = WiredTigerMwc::from_words(words);
            jumped.jump(10);
            assert_eq!(jumped, generator);
        }
        assert!(!WiredTigerMwc::is_stuck(&WiredTigerMwc::new().words()));
    }

    #[test]
    fn no_seed_is_stuck() {
        let seed = |z: u32, w: u32| (u64::from(w) << 32 | u64::from(z)).to_le_bytes();
        let (z, w) = (36_969 * 65_536 - 1, 18_000 * 65_536 - 1);
        // The later multiples of a modulus fall onto it with the first step.
        for [z, w] in [[0, 0], [z, w], [z, 2 * w], [z, 3 * w]] {
            let mut generator = WiredTigerMwc::from_seed(seed(z, w));
            for _ in 0..3 {
                assert!(!WiredTigerMwc::is_stuck(&generator.words()), "{z} {w}");
                generator.next();
            }
        }
    }
}
