//! One hash for all tables here: fixed, so that the same keys meet the same stripes in every run.

use std::hash::{BuildHasherDefault, Hash, Hasher};

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

/// Empties a map, and keeps no more room than such a map needs: to empty one that was large once takes as long as when it was.
pub(crate) fn drain<K: Eq + Hash, V, R: FromIterator<(K, V)>>(map: &mut HashMap<K, V>) -> R {
    let (held, room) = (map.len(), map.capacity());
    let all = map.drain().collect();
    if room > SPARE * held.max(SPARE) {
        map.shrink_to(held);
    }
    all
}

/// So many times the room that is needed is kept.
const SPARE: usize = 8;

#[cfg(test)]
mod tests {
    use super::{HashMap, SPARE, drain, fast_range, mix};

    #[test]
    fn an_emptied_map_forgets_that_it_was_large_once() {
        let mut map: HashMap<u64, ()> = (0..100_000).map(|key| (key, ())).collect();
        assert_eq!(drain::<_, _, Vec<_>>(&mut map).len(), 100_000);
        for _ in 0..3 {
            map.insert(1, ());
            assert_eq!(drain::<_, _, Vec<_>>(&mut map), [(1, ())]);
        }
        assert!(map.capacity() <= SPARE * SPARE, "{}", map.capacity());
    }

    #[test]
    fn a_map_of_the_same_size_again_and_again_keeps_its_room() {
        let mut map: HashMap<u64, ()> = HashMap::default();
        let rooms: Vec<usize> = (0..3)
            .map(|_| {
                map.extend((0..100).map(|key| (key, ())));
                drain::<_, _, Vec<_>>(&mut map);
                map.capacity()
            })
            .collect();
        assert!(rooms[0] >= 100 && rooms.iter().all(|&room| room == rooms[0]), "{rooms:?}");
    }

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
