//! One hash for all tables here: fixed, so that the same keys meet the same stripes in every run.

use std::hash::{BuildHasherDefault, Hasher};

/// The finalizer of splitmix64 (David Stafford's mix 13, <https://zimbry.blogspot.com/2011/09/better-bit-mixing-improving-on.html>).
pub(crate) fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// A hash mapped to `0..n` by its upper bits (Daniel Lemire, <https://arxiv.org/abs/1805.10941>), as RocksDB picks a stripe.
pub(crate) fn fast_range(hash: u64, n: usize) -> usize {
    ((u128::from(hash) * n as u128) >> 64) as usize
}

/// Hashes words by [`mix`].
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = mix(self.0.wrapping_add(0x9e37_79b9_7f4a_7c15) ^ value);
    }
}

/// A hash map that hashes by [`Mixer`].
pub(crate) type HashMap<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<Mixer>>;

#[cfg(test)]
mod tests {
    use super::{fast_range, mix};

    #[test]
    fn mix_is_the_finalizer_of_splitmix64() {
        // The first output of splitmix64 from the state 0: its increment, mixed (Sebastiano Vigna's reference code).
        assert_eq!(mix(0x9e37_79b9_7f4a_7c15), 0xe220_a839_7b1d_cdaf);
    }

    #[test]
    fn all_hashes_fall_into_the_range() {
        for n in [1, 2, 16, 1000] {
            assert_eq!(fast_range(0, n), 0);
            assert_eq!(fast_range(u64::MAX, n), n - 1);
        }
        let mut met = [0_u32; 16];
        (0..16_000).for_each(|key| met[fast_range(mix(key), 16)] += 1);
        assert!(met.iter().all(|&n| (800..1200).contains(&n)), "{met:?}");
    }
}
