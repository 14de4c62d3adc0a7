//! pcg32 of `rand_pcg` as a generator of two words.

use rand_core::Rng;
use rand_pcg::Pcg32;

use super::affine::Affine;
use super::strides::Strides;
use super::word_state::{WordMemory, WordState};

/// The multiplier of the 64-bit generators of M. E. O'Neill's PCG.
const MULTIPLIER: u64 = 6_364_136_223_846_793_005;

/// pcg32 of M. E. O'Neill (2014), XSH-RR 64/32: the state and the stream, of which a draw changes the state alone.
///
/// Known defect: streams that differ in their number alone are correlated, so state and stream are both seeded here.
impl WordState for Pcg32 {
    type Word = u64;
    /// The state and the stream's number (63 bits; the increment is twice that plus one).
    type Words = [u64; 2];
    const NAME: &'static str = "pcg32";
    const PERIOD: u64 = u64::MAX;
    /// On one cycle: cycles of other stream numbers are the same sequence, shifted by a constant and moved on.
    const STRIDES: Option<Strides> = Some(Strides::golden(47, 1 << 64));

    #[inline]
    fn from_words([state, stream]: [u64; 2]) -> Self {
        Pcg32::from_state(state, stream)
    }

    #[inline]
    fn words(&self) -> [u64; 2] {
        [self.state(), self.stream()]
    }

    #[inline]
    fn draw(&mut self) -> u64 {
        self.next_u32().into()
    }

    #[inline]
    fn draw_in(memory: &impl WordMemory<u64>) -> u64 {
        let mut generator = Pcg32::from_state(memory.load(0), memory.load(1));
        let value = generator.draw();
        memory.store(0, generator.state());
        value
    }

    fn leap(&mut self, count: u64, doublings: u32) {
        // What is lost above the 64th bit are whole periods.
        self.advance(count.checked_shl(doublings).unwrap_or(0));
    }

    fn draws_since(&self, start: &Self) -> Option<u64> {
        let step = Affine { multiplier: MULTIPLIER, increment: self.stream() << 1 | 1, bits: 64 };
        (self.stream() == start.stream()).then(|| step.distance(start.state(), self.state()))
    }

    /// Never: every state is on the stream's one cycle of 2⁶⁴.
    fn stuck(_words: &[u64; 2]) -> Option<String> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_the_published_values() {
        // Of the author's pcg32-demo: state 42, stream 54.
        let mut generator = Pcg32::new(42, 54);
        let expected = [0xa15c_02b7, 0x7b47_f409, 0xba1d_3330, 0x83d2_f293, 0xbfa4_784b, 0xcbed_606e];
        assert_eq!(expected.map(|_| generator.draw()), expected);
    }
}
