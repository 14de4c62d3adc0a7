//! Streams of one seed that never overlap.

use hitm_keys::rng::{
    Pcg32, Rand48, Strides, SysbenchLcg, WiredTigerMwc, Word, WordState, Xoroshiro128Plus, Xoshiro256PlusPlus,
};
use proptest::prelude::*;

macro_rules! for_each_parted {
    ($law:ident($($argument:expr),*)) => {
        $law::<Rand48>($($argument),*);
        $law::<WiredTigerMwc>($($argument),*);
        $law::<Xoroshiro128Plus>($($argument),*);
        $law::<Xoshiro256PlusPlus>($($argument),*);
        $law::<Pcg32>($($argument),*);
    };
}

fn strides<G: WordState>() -> Strides {
    G::STRIDES.unwrap_or_else(|| panic!("{} has streams", G::NAME))
}

fn leapt<G: WordState>(start: &G, count: u64, doublings: u32) -> G {
    let mut leapt = start.clone();
    leapt.leap(count, doublings);
    leapt
}

fn leaps_add_up<G: WordState>(seed: u64, few: u64, a: u64, b: u64, doublings: u32) {
    let start = G::seeded(seed);
    let mut walked = start.clone();
    for _ in 0..few << 4 {
        walked.draw();
    }
    let name = G::NAME;
    assert_eq!(leapt(&start, few, 4).words(), walked.words(), "{name}: {few}·16 draws");
    let both = leapt(&leapt(&start, a, doublings), b, doublings);
    assert_eq!(both.words(), leapt(&start, a + b, doublings).words(), "{name}: ({a} + {b})·2^{doublings}");
    let doubled = leapt(&start, 2 * a, doublings);
    assert_eq!(doubled.words(), leapt(&start, a, doublings + 1).words(), "{name}: {a}·2^({doublings} + 1)");
    assert_eq!(leapt(&start, 0, doublings).words(), start.words(), "{name}: 0·2^{doublings}");
}

/// The stream after the stream is the stream of the sum.
fn streams_add_up<G: WordState>(seed: u64, a: u64, b: u64) {
    let start = G::seeded(seed);
    let after = start.stream(a).and_then(|stream| stream.stream(b)).expect("there are so many");
    let at_once = start.stream(a + b).expect("there are so many");
    assert_eq!(after.words(), at_once.words(), "{}: {a} and {b}", G::NAME);
    assert_eq!(start.stream(0).map(|stream| stream.words()), Some(start.words()), "{}", G::NAME);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn every_generator_leaps(seed: u64, few in 0u64..64, a in 0u64..1 << 20, b in 0u64..1 << 20, doublings in 0u32..80) {
        for_each_parted!(leaps_add_up(seed, few, a, b, doublings));
        leaps_add_up::<SysbenchLcg>(seed, few, a, b, doublings);
    }

    #[test]
    fn every_generator_has_streams(seed: u64, a in 0u64..1000, b in 0u64..1000) {
        for_each_parted!(streams_add_up(seed, a, b));
    }
}

/// One stride is the authors' published jump.
#[test]
fn strides_are_the_published_jumps() {
    let mut xoshiro = Xoshiro256PlusPlus::seeded(5);
    let stream = xoshiro.stream(1);
    xoshiro.jump();
    assert_eq!(stream, Some(xoshiro));

    // The polynomial of 2⁶⁴ draws for the constants of 2016, of the authors' xoroshiro128plus.c.
    let start = Xoroshiro128Plus::seeded(5);
    let (mut walked, mut sum) = (start.clone(), [0; 2]);
    for word in [0xbeac_0467_eba5_facb_u64, 0xd86b_048b_86aa_9922] {
        for bit in 0..64 {
            if word >> bit & 1 == 1 {
                sum = [sum[0] ^ walked.words()[0], sum[1] ^ walked.words()[1]];
            }
            walked.draw();
        }
    }
    assert_eq!(start.stream(1).map(|stream| stream.words()), Some(sum));
}

/// On a cycle of `period` draws, all streams are at least a stride apart, the last from the first too.
#[test]
fn strides_fit_the_cycle() {
    fn apart<G: WordState>(period: u128) {
        let (start, strides) = (G::seeded(3), strides::<G>());
        let stride = start.stream(1).and_then(|next| next.draws_since(&start)).expect("it can be told");
        assert!(stride % 2 == 1 && stride.ilog2() == strides.log2(), "{}: {stride}", G::NAME);
        assert!(u128::from(stride) * u128::from(strides.streams) <= period, "{}: {strides:?}", G::NAME);
        assert!(u128::from(stride) * u128::from(strides.streams + 1) > period, "{}: {strides:?}", G::NAME);
        assert!(start.stream(strides.streams - 1).is_some() && start.stream(strides.streams).is_none(), "{}", G::NAME);
    }
    apart::<Rand48>(1 << 48);
    apart::<Pcg32>(1 << 64);
    // Pairs come back after the product of the halves' periods, which are primes; how far they went cannot be told.
    let pairs = (36_969_u128 * (1 << 15) - 1) * (18_000 * (1 << 15) - 1);
    let strides = strides::<WiredTigerMwc>();
    assert!(u128::from(strides.streams) << strides.log2() <= pairs && strides.log2() >= 42);
    assert_eq!((Xoroshiro128Plus::STRIDES.map(|strides| strides.log2()), SysbenchLcg::STRIDES), (Some(64), None));
    assert_eq!(Xoshiro256PlusPlus::STRIDES.map(|strides| strides.log2()), Some(128));
    assert_eq!(SysbenchLcg::seeded(1).stream(0), None);
}

/// Eight streams of a million draws have no state in common. Where two had, one would begin within the other: a step can be taken
/// back. (Once the first draws have put the multiply-with-carry words on their cycles.)
#[test]
fn eight_streams_of_a_million_draws_have_nothing_in_common() {
    fn apart<G: WordState>() {
        let start = G::seeded(1);
        let mut streams: Vec<G> = (0..8).map(|worker| start.stream(worker).expect("there are so many")).collect();
        for stream in &mut streams {
            stream.jump(2);
        }
        let beginnings: Vec<G::Words> = streams.iter().map(|stream| stream.words()).collect();
        let low_bits = |words: &G::Words| words.as_ref()[0].widen() as usize % 65_536;
        let mut may_begin = vec![false; 65_536];
        beginnings.iter().for_each(|words| may_begin[low_bits(words)] = true);
        for (worker, stream) in streams.iter_mut().enumerate() {
            assert_eq!(beginnings.iter().filter(|words| **words == beginnings[worker]).count(), 1, "{}", G::NAME);
            for draws in 1..1_000_000 {
                stream.draw();
                let words = stream.words();
                assert!(!may_begin[low_bits(&words)] || !beginnings.contains(&words), "{}: {worker}, {draws}", G::NAME);
            }
        }
    }
    for_each_parted!(apart());
}

/// Strides of a power of two would give `lrand48` streams whose lower bits are the same, draw by draw, however far apart they are.
#[test]
fn lower_bits_of_streams_are_not_in_step() {
    let start = Rand48::seeded(1);
    let keys = |mut stream: Rand48| -> Vec<u64> { (0..1000).map(|_| stream.draw() % 1024).collect() };
    let in_step = |a: &[u64], b: &[u64]| a.iter().zip(b).filter(|(a, b)| a == b).count();
    let first = keys(start.clone());
    assert_eq!(in_step(&first, &keys(leapt(&start, 1, 37))), 1000);
    for worker in 1..64 {
        let other = keys(start.stream(worker).expect("there are so many"));
        // Within eight places one way and the other: one of 1024 is expected.
        for lag in 0..=8 {
            assert!(in_step(&first[lag..], &other) < 10 && in_step(&first, &other[lag..]) < 10, "{worker} at {lag}");
        }
    }
}
