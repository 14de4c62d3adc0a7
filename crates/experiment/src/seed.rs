//! Named streams split from one seed, so that everything random is fixed by it and nothing random is shared by two uses.

/// 2^64 divided by the golden ratio, odd: SplitMix64's increment (Steele, Lea, Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014).
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64's output function (variant 13 of Stafford's mixers): a bijection of 64-bit words.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// FNV-1a, 64 bits, over the bytes of a name (Fowler, Noll, Vo; offset basis and prime of RFC 9923).
fn fnv1a(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// The streams of one seed.
///
/// `stream(name, index)` is `mix(mix(mix(seed + G) ^ fnv1a(name)) + (index + 1) * G)` with SplitMix64's `mix` and `G`: for one seed
/// and name it is a bijection of the index, so two workers never get one seed. The values are stable for ever: a run made
/// today is planned and drawn the same way by every later version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Streams(u64);

impl Streams {
    /// The streams of a seed; equal-looking seeds (0, 1, 2, …) give unrelated streams.
    pub fn new(seed: u64) -> Self {
        Streams(mix(seed.wrapping_add(GOLDEN)))
    }

    /// The seed of one use: `name` says what for (`block`, `worker`, …), `index` which of them.
    pub fn stream(&self, name: &str, index: u64) -> u64 {
        let named = mix(self.0 ^ fnv1a(name));
        mix(named.wrapping_add(index.wrapping_add(1).wrapping_mul(GOLDEN)))
    }

    /// The streams within one use, for uses that need several streams of their own.
    pub fn within(&self, name: &str, index: u64) -> Streams {
        Streams::new(self.stream(name, index))
    }
}

/// Shuffles by SplitMix64 from `seed`: Fisher and Yates from the end, without bias (Lemire's bounded draw, "Fast random integer
/// generation in an interval", ACM TOMACS 2019). The order is stable for ever.
pub fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(GOLDEN);
        mix(state)
    };
    for last in (1..items.len()).rev() {
        let bound = last as u64 + 1;
        let threshold = bound.wrapping_neg() % bound;
        let chosen = loop {
            let wide = u128::from(next()) * u128::from(bound);
            if (wide as u64) >= threshold {
                break (wide >> 64) as usize;
            }
        };
        items.swap(last, chosen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn splitmix64_gives_its_reference_vector() {
        // Vigna's splitmix64.c from state 1234567, as listed by Rosetta Code.
        let outputs: Vec<u64> = (1..=5u64).map(|k| mix(1_234_567u64.wrapping_add(GOLDEN.wrapping_mul(k)))).collect();
        assert_eq!(
            outputs,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821
            ]
        );
    }

    #[test]
    fn fnv1a_gives_its_reference_values() {
        assert_eq!(fnv1a(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a("foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn streams_are_stable() {
        let streams = Streams::new(1);
        assert_eq!(
            [streams.stream("block", 0), streams.stream("block", 1), streams.stream("worker", 0)],
            [0xa631_5f03_9ce2_090a, 0x8d83_747e_9607_a817, 0xed75_902f_7e32_ffb8]
        );
    }

    #[test]
    fn a_shuffle_is_stable() {
        let mut items: Vec<u32> = (0..10).collect();
        shuffle(&mut items, 42);
        assert_eq!(items, [8, 3, 6, 5, 4, 0, 9, 2, 1, 7]);
    }

    #[test]
    fn every_order_of_four_comes_about_equally_often() {
        let mut counts = std::collections::BTreeMap::new();
        for seed in 0..24_000u64 {
            let mut items = [0, 1, 2, 3];
            shuffle(&mut items, Streams::new(seed).stream("block", 0));
            *counts.entry(items).or_insert(0u32) += 1;
        }
        assert_eq!(counts.len(), 24);
        // 1000 expected each, standard deviation 31: five of them either way.
        assert!(counts.values().all(|&n| (845..=1155).contains(&n)), "{counts:?}");
    }

    proptest! {
        #[test]
        fn a_shuffle_keeps_every_item(length in 0usize..200, seed: u64) {
            let mut items: Vec<usize> = (0..length).collect();
            shuffle(&mut items, seed);
            items.sort_unstable();
            prop_assert!(items.iter().copied().eq(0..length));
        }

        #[test]
        fn two_indexes_never_share_a_stream(seed: u64, a: u64, b: u64) {
            prop_assume!(a != b);
            let streams = Streams::new(seed);
            prop_assert_ne!(streams.stream("worker", a), streams.stream("worker", b));
        }
    }
}
