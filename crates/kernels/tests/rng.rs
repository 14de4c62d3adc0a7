//! States hold the draws made from them, wherever they lie.

mod common;

use std::sync::{Mutex, PoisonError};

use common::{kernel, lay_out, parameters, sample, verify};
use hitm_experiment::record::Verification;
use hitm_kernels::{ParameterKind, Registry};
use hitm_keys::rng::{Pcg32, Rand48, SysbenchLcg, WiredTigerMwc, WordState, Xoroshiro128Plus, Xoshiro256PlusPlus};

/// The process has one lrand48 state, and the tests of one program run in threads.
static LIBC: Mutex<()> = Mutex::new(());

fn words(parameter: &str) -> &'static [&'static str] {
    let registry = Registry::built_in();
    let entry = registry.find("rng/next").expect("rng/next is built in");
    match entry.parameters.iter().find(|declared| declared.name == parameter).map(|declared| &declared.kind) {
        Some(ParameterKind::Choice(words)) => words,
        _ => panic!("{parameter} is a choice"),
    }
}

/// All combinations that can be had here.
fn combinations() -> Vec<(&'static str, &'static str)> {
    let registry = Registry::built_in();
    let entry = registry.find("rng/next").expect("rng/next is built in");
    let pairs = words("generator").iter().flat_map(|generator| words("state").iter().map(|state| (*generator, *state)));
    pairs
        .filter(|(generator, state)| {
            entry.make(&parameters([("generator", (*generator).into()), ("state", (*state).into())])).is_ok()
        })
        .collect()
}

#[test]
fn the_combinations_are_those_that_exist() {
    let atomic: Vec<_> = combinations()
        .into_iter()
        .filter(|(_, state)| *state == "shared-atomic")
        .map(|(generator, _)| generator)
        .collect();
    assert_eq!(atomic, ["rand48", "sysbench-lcg", "wiredtiger-mwc"]);
    let libc = if cfg!(all(target_os = "linux", target_env = "gnu")) { 5 } else { 0 };
    assert_eq!(combinations().len(), 6 * 5 + 3 + libc);
}

#[test]
fn every_state_holds_its_draws_or_says_why_not() {
    let _libc = LIBC.lock().unwrap_or_else(PoisonError::into_inner);
    for (generator, state) in combinations() {
        for work in [0, 2] {
            let kernel =
                kernel("rng/next", [("generator", generator.into()), ("state", state.into()), ("work", work.into())]);
            assert_eq!(verify(&*kernel, &[vec![1000, 0, 7]]), Verification::Exact, "{generator} {state} alone");
            let verdict = verify(&*kernel, &[vec![3000, 1], vec![2500], vec![0]]);
            match (state, &verdict) {
                (_, Verification::Exact) => {}
                ("shared-racy", Verification::Lost { expected: 5501, found }) => assert!(*found < 5501),
                ("shared-racy", Verification::Unverifiable { .. }) => {}
                _ => panic!("{generator} {state}: {verdict:?}"),
            }
        }
    }
}

#[test]
fn no_state_is_exact_for_draws_that_were_not_made() {
    let _libc = LIBC.lock().unwrap_or_else(PoisonError::into_inner);
    for (generator, state) in combinations() {
        let kernel = kernel("rng/next", [("generator", generator.into()), ("state", state.into()), ("work", 0.into())]);
        let arena = lay_out(&*kernel, 2);
        common::run(&*arena, &[vec![100], vec![50]], &hitm_kernels::StopToken::default());
        assert_ne!(arena.verify(&[100, 51]), Verification::Exact, "{generator} {state}");
    }
}

/// The workers' streams are the generators' own, from their seeds.
#[test]
fn workers_of_their_own_draw_the_generators_stream() {
    fn stream<G: WordState>(seed: u64) -> Vec<u64> {
        let mut generator = G::seeded(seed);
        (0..50).map(|_| generator.draw()).collect()
    }
    type Stream = fn(u64) -> Vec<u64>;
    let streams: [(&str, Stream); 6] = [
        (Rand48::NAME, stream::<Rand48>),
        (SysbenchLcg::NAME, stream::<SysbenchLcg>),
        (WiredTigerMwc::NAME, stream::<WiredTigerMwc>),
        (Xoroshiro128Plus::NAME, stream::<Xoroshiro128Plus>),
        (Xoshiro256PlusPlus::NAME, stream::<Xoshiro256PlusPlus>),
        (Pcg32::NAME, stream::<Pcg32>),
    ];
    for (generator, stream) in streams {
        for state in ["packed", "padded", "thread-local"] {
            let kernel = kernel("rng/next", [("generator", generator.into()), ("state", state.into())]);
            let (samples, observations, verification) = sample(&*kernel, 2, 50);
            assert_eq!(samples, [stream(100), stream(101)], "{generator} {state}");
            assert_eq!(verification, Verification::Exact, "{generator} {state}");
            assert!(
                observations.iter().all(|observation| observation.count == 0),
                "{generator} {state}: {observations:?}"
            );
        }
        for state in ["shared-racy", "mutex"] {
            let kernel = kernel("rng/next", [("generator", generator.into()), ("state", state.into())]);
            let (samples, _, verification) = sample(&*kernel, 1, 50);
            assert_eq!(samples, [stream(7)], "{generator} {state}");
            assert_eq!(verification, Verification::Exact, "{generator} {state}");
        }
    }
}

/// Under a lock or an atomic step every value of the one stream is drawn by one worker, once.
#[test]
fn a_shared_state_without_a_race_is_dealt_out() {
    for state in ["mutex", "shared-atomic"] {
        let kernel = kernel("rng/next", [("generator", "rand48".into()), ("state", state.into()), ("work", 0.into())]);
        let (samples, _, verification) = sample(&*kernel, 3, 2000);
        let mut drawn = samples.concat();
        let mut generator = Rand48::seeded(7);
        let mut expected: Vec<_> = (0..6000).map(|_| generator.draw()).collect();
        drawn.sort_unstable();
        expected.sort_unstable();
        assert_eq!(drawn, expected, "{state}");
        assert_eq!(verification, Verification::Exact, "{state}");
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod libc_and_ours {
    use super::*;

    #[test]
    fn libc_draws_what_ours_does_from_the_same_32_bit_seed() {
        let _libc = LIBC.lock().unwrap_or_else(PoisonError::into_inner);
        for state in ["shared-racy", "mutex", "packed", "padded", "thread-local"] {
            let kernel = kernel("rng/next", [("generator", "glibc-lrand48".into()), ("state", state.into())]);
            let (samples, _, verification) = sample(&*kernel, 1, 100);
            assert_eq!(verification, Verification::Exact, "{state}");
            let seed = if matches!(state, "shared-racy" | "mutex") { 7 } else { 100 };
            let bits = hitm_keys::rng::SplitMix64::new(seed).draw() >> 32;
            let mut ours = Rand48::srand48(bits as u32);
            assert!(samples[0].iter().all(|value| *value == u64::from(ours.lrand48())), "{state}");
        }
    }

    #[test]
    fn one_trial_at_a_time_has_the_process_state() {
        let _libc = LIBC.lock().unwrap_or_else(PoisonError::into_inner);
        let kernel = kernel("rng/next", [("generator", "glibc-lrand48".into())]);
        let setting = hitm_kernels::Setting { workers: 2, line_bytes: 64, seed: 7, common_seed: 5 };
        let first = kernel.lay_out(&setting).expect("free");
        assert!(kernel.lay_out(&setting).is_err());
        drop(first);
        assert!(kernel.lay_out(&setting).is_ok());
    }
}

/// States that are seeded alike draw alike, states that nobody seeded draw what zeros draw, and that is seen.
#[test]
fn seeding_shows_in_what_is_drawn() {
    for state in ["packed", "padded", "thread-local"] {
        for (generator, seeding, stuck) in [
            ("rand48", "equal", false),
            ("wiredtiger-mwc", "equal", false),
            ("sysbench-lcg", "none", false),
            ("xoroshiro128+", "none", true),
            ("wiredtiger-mwc", "none", true),
            #[cfg(all(target_os = "linux", target_env = "gnu"))]
            ("glibc-lrand48", "none", false),
        ] {
            let kernel = kernel(
                "rng/next",
                [("generator", generator.into()), ("state", state.into()), ("seeding", seeding.into())],
            );
            let (samples, observations, verification) = sample(&*kernel, 3, 500);
            let name = format!("{generator} {state} {seeding}");
            assert_eq!(verification, Verification::Exact, "{name}");
            assert!(samples.iter().all(|sample| *sample == samples[0]), "{name}");
            let share = |name| observations.iter().find(|seen| seen.name == name).map(|seen| seen.count);
            assert_eq!(share("lockstep"), Some(1500), "{name}");
            assert_eq!(share("stuck"), Some(if stuck { 3 } else { 0 }), "{name}");
        }
    }
    for state in ["shared-racy", "shared-atomic", "mutex"] {
        for seeding in ["equal", "jump", "none"] {
            let given = parameters([("state", state.into()), ("seeding", seeding.into())]);
            let made = Registry::built_in().find("rng/next").unwrap().make(&given);
            assert_eq!(made.err().expect("one state has one seed")[0].parameter, "seeding", "{state} {seeding}");
        }
    }
}

/// A worker of streams that are a jump apart draws the same whatever the number of workers and the state's place, and nothing
/// that another draws.
#[test]
fn streams_apart_are_the_same_at_any_number_of_workers() {
    fn first<G: WordState>(worker: u64) -> Vec<u64> {
        let mut stream = G::seeded(5).stream(worker).expect("there are so many");
        (0..500).map(|_| stream.draw()).collect()
    }
    type Numbers = fn(u64) -> Vec<u64>;
    let generators: [(&str, Numbers); 5] = [
        ("rand48", first::<Rand48>),
        ("wiredtiger-mwc", first::<WiredTigerMwc>),
        ("xoroshiro128+", first::<Xoroshiro128Plus>),
        ("xoshiro256++", first::<Xoshiro256PlusPlus>),
        ("pcg32", first::<Pcg32>),
    ];
    for (generator, first) in generators {
        for (state, workers) in
            [("thread-local", 1), ("thread-local", 2), ("thread-local", 8), ("padded", 2), ("packed", 8)]
        {
            let given = [("generator", generator.into()), ("state", state.into()), ("seeding", "jump".into())];
            let (samples, observations, verification) = sample(&*kernel("rng/next", given), workers, 500);
            let name = format!("{generator} {state} {workers}");
            assert_eq!(verification, Verification::Exact, "{name}");
            let expected: Vec<_> = (0..workers as u64).map(first).collect();
            assert_eq!(samples, expected, "{name}");
            let damage: u64 =
                observations.iter().filter(|seen| seen.name != "low-bit-periodic").map(|seen| seen.count).sum();
            assert_eq!(damage, 0, "{name}: {observations:?}");
        }
    }
}

#[test]
fn generators_without_streams_refuse_to_jump() {
    for (generator, cure) in [
        ("sysbench-lcg", "per-worker, or a generator with a longer cycle"),
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        ("glibc-lrand48", "per-worker, or the generator rand48"),
    ] {
        let given =
            parameters([("generator", generator.into()), ("state", "thread-local".into()), ("seeding", "jump".into())]);
        let faults = Registry::built_in().find("rng/next").unwrap().make(&given).err().expect("it has no streams");
        assert_eq!(faults[0].parameter, "seeding", "{generator}");
        assert!(faults[0].cure.contains(cure), "{generator}: {}", faults[0].cure);
    }
    let given = [("generator", "rand48".into()), ("state", "thread-local".into()), ("seeding", "jump".into())];
    let setting = |workers| hitm_kernels::Setting { workers, line_bytes: 64, seed: 7, common_seed: 5 };
    let kernel = kernel("rng/next", given);
    assert!(kernel.lay_out(&setting(3313)).is_ok());
    let why = kernel.lay_out(&setting(3314)).err().expect("there are fewer streams");
    assert!(why.contains("3313 streams of rand48") && why.contains("give another"), "{why}");
}
