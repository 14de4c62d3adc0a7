//! Laws that hold for every generator whose state is a few words.

use std::cell::RefCell;

use hitm_keys::rng::{
    Pcg32, Rand48, SysbenchLcg, WiredTigerMwc, WordMemory, WordState, Xoroshiro128Plus, Xoshiro256PlusPlus,
};
use proptest::prelude::*;

/// Memory of one thread.
struct Own<W>(RefCell<Vec<W>>);

impl<W: Copy> WordMemory<W> for Own<W> {
    fn load(&self, index: usize) -> W {
        self.0.borrow()[index]
    }

    fn store(&self, index: usize, word: W) {
        self.0.borrow_mut()[index] = word;
    }
}

fn walked<G: WordState>(start: &G, draws: u64) -> G {
    let mut walked = start.clone();
    for _ in 0..draws {
        walked.draw();
    }
    walked
}

fn holds_the_laws<G: WordState>(seed: u64, steps: u64, far: u64) {
    let start = walked(&G::seeded(seed), steps % 7);
    let words = start.words();
    assert!(!G::is_stuck(&words), "{}: seed {seed} is stuck", G::NAME);
    assert_eq!(G::from_words(words).words(), words, "{}: words do not come back", G::NAME);

    let memory = Own(RefCell::new(words.as_ref().to_vec()));
    let mut stepped = start.clone();
    for _ in 0..3 {
        assert_eq!(G::draw_in(&memory), stepped.draw(), "{}: draws in memory differ", G::NAME);
        assert_eq!(memory.0.borrow().as_slice(), stepped.words().as_ref(), "{}: states in memory differ", G::NAME);
    }

    let end = walked(&start, steps);
    let mut jumped = start.clone();
    jumped.jump(steps);
    assert_eq!(jumped.words(), end.words(), "{}: a jump by {steps} is not {steps} draws", G::NAME);
    if end.draws_since(&start).is_some() || steps == 0 {
        assert_eq!(end.draws_since(&start), Some(steps), "{}", G::NAME);
    }

    let (mut once, mut twice) = (start.clone(), start.clone());
    once.jump(far);
    twice.jump(far / 2);
    twice.jump(far - far / 2);
    assert_eq!(once.words(), twice.words(), "{}: jumps do not add up", G::NAME);
    if let Some(draws) = once.draws_since(&start) {
        assert_eq!(draws, expected_distance::<G>(far), "{}", G::NAME);
    }
}

/// The steps of the slowest word, each counted within its own period.
fn expected_distance<G: WordState>(far: u64) -> u64 {
    if G::NAME == WiredTigerMwc::NAME {
        (far % ((36_969 * 65_536 - 2) / 2)).min(far % G::PERIOD)
    } else {
        far % G::PERIOD
    }
}

fn seeds_apart<G: WordState>(a: u64, b: u64) {
    let draws = |seed| {
        let mut generator = G::seeded(seed);
        [(); 4].map(|_| generator.draw())
    };
    assert_ne!(draws(a), draws(b), "{}: seeds {a} and {b} draw alike", G::NAME);
}

macro_rules! for_each_generator {
    ($law:ident($($argument:expr),*)) => {
        $law::<Rand48>($($argument),*);
        $law::<SysbenchLcg>($($argument),*);
        $law::<WiredTigerMwc>($($argument),*);
        $law::<Xoroshiro128Plus>($($argument),*);
        $law::<Xoshiro256PlusPlus>($($argument),*);
        $law::<Pcg32>($($argument),*);
    };
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn every_generator_holds_the_laws(seed: u64, steps in 0u64..2000, far in 0u64..1 << 40) {
        for_each_generator!(holds_the_laws(seed, steps, far));
    }
}

#[test]
fn seeds_that_look_alike_differ() {
    for seed in 0..64 {
        for_each_generator!(seeds_apart(seed, seed + 1));
        for_each_generator!(seeds_apart(seed, seed << 32 | 1 << 63));
    }
}

/// Words above the modulus of the multiply-with-carry generator are off its cycles: they must fall onto them as
/// single draws do.
#[test]
fn jumps_from_states_that_never_come_back() {
    for z in [36_969 * 65_536, 36_969 * 65_536 + 65_535, 0xffff_ffff, 0xfffe_ffff, 0xffff_0000] {
        for w in [18_000 * 65_536, 18_000 * 65_536 + 65_535, 0xffff_ffff, 0xfffe_ffff, 0x8000_ffff] {
            let start = WiredTigerMwc::from_words([z, w]);
            for steps in 0..6 {
                let mut jumped = start.clone();
                jumped.jump(steps);
                assert_eq!(jumped, walked(&start, steps), "{z:#x} {w:#x} by {steps}");
                assert_eq!(jumped.draws_since(&start), Some(steps), "{z:#x} {w:#x} by {steps}");
            }
        }
    }
}
