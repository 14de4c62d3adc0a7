//! How far the streams of one seed are apart.

/// The streams that one seed's cycle is parted into: so many, each `factor` · 2^`doublings` draws behind the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strides {
    /// How many there are; `u64::MAX` stands for more.
    pub streams: u64,
    pub(super) factor: u64,
    pub(super) doublings: u32,
}

/// 2⁶⁴ divided by the golden ratio, odd.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl Strides {
    /// Strides of 2^`doublings` draws on a cycle of at least 2⁶⁴ of them.
    pub(super) const fn doubled(doublings: u32) -> Self {
        Strides { streams: u64::MAX, factor: 1, doublings }
    }

    /// Odd strides of 2^`bits` draws divided by the golden ratio (`bits` from 2 to 63), as many as fit a cycle of 2⁶⁴ draws or less.
    ///
    /// A power of two would part a congruential generator's cycle into streams whose lower bits are the same throughout
    /// (A. De Matteis, S. Pagnutti, "Parallelization of random number generators and long-range correlations", 1988).
    /// The multiples of the golden ratio are as far as can be from whole numbers, so the streams' lower bits are far
    /// apart on their own short cycles too.
    pub(super) const fn golden(bits: u32, cycle: u128) -> Self {
        let factor = GOLDEN >> (64 - bits) | 1;
        Strides { streams: (cycle / factor as u128) as u64, factor, doublings: 0 }
    }

    /// The power of two of draws that each stream has to itself, rounded down.
    pub fn log2(&self) -> u32 {
        self.factor.ilog2() + self.doublings
    }
}
