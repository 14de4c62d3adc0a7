//! The calibration chain in plain Rust: what runs where no assembly for it is written, and what the assembly is held to.

use std::hint::black_box;

/// `rounds` times eight steps of `x = x.rotate_left(7) + k`.
pub(crate) fn chain(mut x: u64, k: u64, rounds: u64) -> u64 {
    let k = black_box(k);
    for _ in 0..rounds {
        for _ in 0..8 {
            x = x.rotate_left(7).wrapping_add(k);
        }
    }
    x
}
