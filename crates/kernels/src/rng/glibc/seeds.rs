//! How glibc's states begin, and the numbers that take two steps.

use hitm_keys::rng::{Rand48, SplitMix64};

use crate::rng::libc48::Reentrant;
use crate::rng::place::Start;

/// The 32 bits that `srand48` takes, for a 64-bit seed.
pub(super) fn seed48(seed: u64) -> u32 {
    (SplitMix64::new(seed).draw() >> 32) as u32
}

pub(super) fn start(start: Start) -> Rand48 {
    match start {
        Start::Seed(seed) => Rand48::srand48(seed48(seed)),
        Start::Stream { .. } | Start::Zero => start.generator(),
    }
}

pub(super) fn reentrant(start: Start) -> Reentrant {
    match start {
        Start::Seed(seed) => Reentrant::seeded(seed48(seed)),
        // Streams are refused before.
        Start::Stream { .. } | Start::Zero => Reentrant::unseeded(),
    }
}

/// 64 bits of two numbers, the lower ones first.
#[inline]
pub(super) fn bits_of(mut mrand48: impl FnMut() -> u32) -> u64 {
    let low = u64::from(mrand48());
    low | u64::from(mrand48()) << 32
}
