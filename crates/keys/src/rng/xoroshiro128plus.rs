//! xoroshiro128+ with its first constants.

use std::convert::Infallible;

use rand_core::{SeedableRng, TryRng, utils};

use super::strides::Strides;
use super::word_state::WordState;

/// xoroshiro128+ of D. Blackman and S. Vigna as first published in 2016 (rotate 55, shift 14, rotate 36), which
/// sysbench 1.0 has.
///
/// `rand_xoshiro` has the constants of 2018 (24, 16, 37), which give other numbers. Known defects: the lowest bits
/// are a linear sequence, and states with few ones recover slowly. The state of two zeros stays so for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Xoroshiro128Plus([u64; 2]);

impl Xoroshiro128Plus {
    #[inline]
    fn next(&mut self) -> u64 {
        let [s0, s1] = self.0;
        let mixed = s0 ^ s1;
        self.0 = [s0.rotate_left(55) ^ mixed ^ (mixed << 14), mixed.rotate_left(36)];
        s0.wrapping_add(s1)
    }
}

impl TryRng for Xoroshiro128Plus {
    type Error = Infallible;

    /// The upper half: the lower bits are the weaker ones.
    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.next() >> 32) as u32)
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.next())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        utils::fill_bytes_via_next_word(bytes, || self.try_next_u64())
    }
}

/// The seed is the state; a seed of zeros, which would stay so, is taken as the 64-bit seed 0.
impl SeedableRng for Xoroshiro128Plus {
    type Seed = [u8; 16];

    fn from_seed(seed: Self::Seed) -> Self {
        let words = utils::read_words(&seed);
        if words == [0; 2] { Self::seeded(0) } else { Xoroshiro128Plus(words) }
    }

    fn seed_from_u64(seed: u64) -> Self {
        Self::seeded(seed)
    }
}

impl WordState for Xoroshiro128Plus {
    type Word = u64;
    type Words = [u64; 2];
    const NAME: &'static str = "xoroshiro128+";
    const PERIOD: u64 = u64::MAX;
    /// The authors' jump.
    const STRIDES: Option<Strides> = Some(Strides::doubled(64));

    #[inline]
    fn from_words(words: [u64; 2]) -> Self {
        Xoroshiro128Plus(words)
    }

    #[inline]
    fn words(&self) -> [u64; 2] {
        self.0
    }

    #[inline]
    fn draw(&mut self) -> u64 {
        self.next()
    }

    fn leap(&mut self, mut count: u64, doublings: u32) {
        if count == 0 {
            return;
        }
        let mut matrix = (0..doublings).fold(Matrix::of_one_step(), |matrix, _| matrix.squared());
        while count > 0 {
            if count & 1 == 1 {
                self.0 = matrix.apply(self.0);
            }
            count >>= 1;
            if count > 0 {
                matrix = matrix.squared();
            }
        }
    }

    /// There is no quick way to tell.
    fn draws_since(&self, start: &Self) -> Option<u64> {
        (self == start).then_some(0)
    }

    fn stuck(words: &[u64; 2]) -> Option<String> {
        (*words == [0; 2]).then(|| "both words are 0, which stay so".to_owned())
    }
}

/// A step is linear over GF(2): column i is what becomes of the state whose bit i alone is set.
struct Matrix([[u64; 2]; 128]);

impl Matrix {
    fn of_one_step() -> Self {
        Matrix(std::array::from_fn(|bit| {
            let mut generator = Xoroshiro128Plus([0; 2]);
            generator.0[bit / 64] = 1 << (bit % 64);
            generator.next();
            generator.0
        }))
    }

    fn apply(&self, state: [u64; 2]) -> [u64; 2] {
        let mut sum = [0; 2];
        for (bit, column) in self.0.iter().enumerate() {
            // All ones where the bit is set, without a branch: the bits are random.
            let chosen = (state[bit / 64] >> (bit % 64) & 1).wrapping_neg();
            sum = [sum[0] ^ (column[0] & chosen), sum[1] ^ (column[1] & chosen)];
        }
        sum
    }

    fn squared(&self) -> Self {
        Matrix(self.0.map(|column| self.apply(column)))
    }
}

#[cfg(test)]
mod tests {
    use super::{WordState, Xoroshiro128Plus};

    #[test]
    fn draws_the_values_of_the_definition() {
        // Worked out from the recurrence in another language.
        let mut generator = Xoroshiro128Plus::from_words([1, 2]);
        let expected =
            [3, 36_029_003_177_443_331, 78_883_775_479_546_723, 11_565_523_463_456_473_958, 4_242_646_275_387_589_636];
        assert_eq!(expected.map(|_| generator.next()), expected);
    }

    /// The authors' published polynomial of 2⁶⁴ draws holds for their constants alone.
    #[test]
    fn jumps_as_the_published_polynomial_does() {
        let start = Xoroshiro128Plus::seeded(7);
        let mut walked = start.clone();
        let mut sum = [0; 2];
        for word in [0xbeac_0467_eba5_facb_u64, 0xd86b_048b_86aa_9922] {
            for bit in 0..64 {
                if word >> bit & 1 == 1 {
                    sum = [sum[0] ^ walked.0[0], sum[1] ^ walked.0[1]];
                }
                walked.next();
            }
        }
        let mut jumped = start;
        jumped.jump(1 << 63);
        jumped.jump(1 << 63);
        assert_eq!(jumped.words(), sum);
    }
}
