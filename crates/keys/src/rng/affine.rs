//! Sequences x ↦ a·x + c modulo a power of two.

/// A linear congruential step modulo 2^`bits`, of full period (c odd, a ≡ 1 mod 4: Hull and Dobell 1962).
#[derive(Clone, Copy)]
pub(super) struct Affine {
    pub(super) multiplier: u64,
    pub(super) increment: u64,
    pub(super) bits: u32,
}

impl Affine {
    fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    /// One step.
    #[inline]
    pub(super) fn step(self, state: u64) -> u64 {
        state.wrapping_mul(self.multiplier).wrapping_add(self.increment) & self.mask()
    }

    /// The step that is two of these.
    fn twice(self) -> Affine {
        Affine {
            multiplier: self.multiplier.wrapping_mul(self.multiplier),
            increment: self.multiplier.wrapping_add(1).wrapping_mul(self.increment),
            bits: self.bits,
        }
    }

    /// `count` · 2^`doublings` steps, by repeated doubling (F. B. Brown, "Random number generation with arbitrary strides", 1994).
    pub(super) fn advance(mut self, mut state: u64, count: u64, doublings: u32) -> u64 {
        // What is lost above the 64th bit are whole periods.
        let mut steps = count.checked_shl(doublings).unwrap_or(0);
        while steps > 0 {
            if steps & 1 == 1 {
                state = self.step(state);
            }
            self = self.twice();
            steps >>= 1;
        }
        state
    }

    /// The steps from one state to another, below 2^`bits`. Bit k of a state depends on the low k + 1 bits of the
    /// number of steps alone, so the number is found bit by bit.
    pub(super) fn distance(mut self, mut from: u64, to: u64) -> u64 {
        let mut steps = 0;
        for bit in 0..self.bits {
            if (from ^ to) >> bit & 1 == 1 {
                from = self.step(from);
                steps |= 1 << bit;
            }
            self = self.twice();
        }
        steps
    }
}
