//! A hash of keys, quick and good in all its bits.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// SplitMix64's finaliser (Steele, Lea and Flood 2014): a permutation of 64 bits.
#[inline]
pub(super) fn mixed(key: u64) -> u64 {
    let key = (key ^ (key >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let key = (key ^ (key >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    key ^ (key >> 31)
}

/// Hashes one `u64`.
#[derive(Default)]
pub(super) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = mixed(self.0 ^ u64::from(byte)));
    }

    #[inline]
    fn write_u64(&mut self, key: u64) {
        self.0 = mixed(key);
    }
}

pub(super) type ByKey<V> = HashMap<u64, V, BuildHasherDefault<KeyHasher>>;
