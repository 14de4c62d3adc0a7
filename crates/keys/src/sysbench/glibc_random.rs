//! `random()` of glibc.

/// The generator behind `srandom` and `random` of glibc, in its default state of 31 words: x(i) = x(i − 3) + x(i − 31) mod 2³², of
/// which the upper 31 bits are given.
///
/// The seed fills the words by 16807·x mod (2³¹ − 1), and the first 310 numbers are dropped; 0 counts as 1. From the description in
/// glibc's stdlib/random_r.c; held to libc itself in tests/glibc.rs.
#[derive(Clone, Debug)]
pub struct GlibcRandom {
    words: [u32; 31],
    /// The word that comes next: the oldest one.
    at: usize,
}

impl GlibcRandom {
    /// As after `srandom(seed)`.
    pub fn srandom(seed: u32) -> Self {
        let mut words = [0; 31];
        // glibc computes in 32 bits with sign, and what is negative is lifted by the modulus.
        let mut word = i64::from(seed.max(1) as i32);
        words[0] = word as u32;
        for place in &mut words[1..] {
            word = (word * 16_807) % 2_147_483_647;
            if word < 0 {
                word += 2_147_483_647;
            }
            *place = word as u32;
        }
        let mut generator = GlibcRandom { words, at: 3 };
        for _ in 0..310 {
            generator.random();
        }
        generator
    }

    /// The next whole number below 2³¹.
    pub fn random(&mut self) -> u32 {
        let three_ago = self.words[(self.at + 28) % 31];
        let word = self.words[self.at].wrapping_add(three_ago);
        self.words[self.at] = word;
        self.at = (self.at + 1) % 31;
        word >> 1
    }
}
