//! Transactions take from their generator's state what they draw, wherever it lies.

mod common;

use std::sync::{Mutex, PoisonError};

use common::{kernel, parameters, sample, verify};
use hitm_experiment::Value;
use hitm_experiment::record::Verification;
use hitm_kernels::{Entry, Kernel, ParameterKind, Registry};
use hitm_keys::rng::{Rand48, SplitMix64, WordState, Xoroshiro128Plus};
use hitm_keys::stream::{Kept, Stream};
use hitm_keys::transaction::{Asked, Text, Transaction, entries, find};

/// The process has one lrand48 state, and the tests of one program run in threads.
static LIBC: Mutex<()> = Mutex::new(());

fn entry() -> Entry {
    Registry::built_in().find("keys/transaction").expect("it is built in").clone()
}

fn words(parameter: &str) -> &'static [&'static str] {
    match entry().parameters.iter().find(|declared| declared.name == parameter).map(|declared| &declared.kind) {
        Some(ParameterKind::Choice(words)) => words,
        _ => panic!("{parameter} is a choice"),
    }
}

fn of<const N: usize>(given: [(&str, &str); N]) -> Box<dyn Kernel> {
    kernel("keys/transaction", given.map(|(name, word)| (name, Value::from(word))))
}

/// The first random numbers that a workload takes from that stream.
fn numbers(workload: &str, mut stream: impl Stream, count: usize) -> Vec<u64> {
    let asked = Asked { rows: 10_000, tables: 1, dist: None, text: Text::PerDigit };
    let transaction = find(workload).expect("a workload").build(&asked).expect("a table");
    let mut numbers = vec![0; count];
    let mut kept = Kept::new(&mut stream, &mut numbers);
    while kept.kept() < count {
        transaction.draw(&mut kept, |_| ()).expect("keys");
    }
    numbers
}

#[test]
fn every_workload_holds_its_draws_or_says_why_not() {
    let _libc = LIBC.lock().unwrap_or_else(PoisonError::into_inner);
    for workload in words("workload") {
        for generator in words("generator") {
            if *generator != "own" && !workload.ends_with("read_write") {
                continue;
            }
            for state in words("state") {
                let given = parameters([
                    ("workload", (*workload).into()),
                    ("generator", (*generator).into()),
                    ("state", (*state).into()),
                    ("work", 20.into()),
                ]);
                let Ok(kernel) = entry().make(&given) else {
                    assert!(["shared-atomic"].contains(state) || *generator == "glibc-lrand48", "{given:?}");
                    continue;
                };
                assert_eq!(verify(&*kernel, &[vec![30, 0, 2]]), Verification::Exact, "{given:?} alone");
                let verdict = verify(&*kernel, &[vec![40, 1], vec![50], vec![0]]);
                match (*state, &verdict) {
                    (_, Verification::Exact) => {}
                    ("shared-racy", Verification::Lost { expected, found }) => assert!(found < expected),
                    ("shared-racy", Verification::Unverifiable { .. }) => {}
                    _ => panic!("{given:?}: {verdict:?}"),
                }
            }
        }
    }
}

#[test]
fn workers_take_the_numbers_of_their_own_streams() {
    for entry in entries() {
        let kernel = of([("workload", entry.name), ("state", "thread-local")]);
        let (samples, observations, verification) = sample(&*kernel, 2, 1000);
        assert_eq!(verification, Verification::Exact, "{}", entry.name);
        for (worker, values) in samples.iter().enumerate() {
            let seed = 100 + worker as u64;
            let expected = match entry.generator {
                Rand48::NAME => numbers(entry.name, Rand48::seeded(seed), 1000),
                Xoroshiro128Plus::NAME => numbers(entry.name, Xoroshiro128Plus::seeded(seed), 1000),
                _ => continue,
            };
            assert_eq!(*values, expected, "{} {worker}", entry.name);
        }
        assert!(observations.iter().all(|seen| seen.name != "lockstep" || seen.count == 0), "{}", entry.name);
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn libc_gives_the_same_numbers_in_every_place() {
    let _libc = LIBC.lock().unwrap_or_else(PoisonError::into_inner);
    for (dist, workload) in [("own", "sysbench-old/oltp_write_only"), ("pareto", "sysbench-1.0.20/oltp_point_select")] {
        for state in words("state").iter().filter(|state| **state != "shared-atomic") {
            let seed = if matches!(*state, "shared-racy" | "mutex") { 7 } else { 100 };
            let ours = Rand48::srand48((SplitMix64::new(seed).draw() >> 32) as u32);
            let given = [("workload", workload), ("dist", dist), ("generator", "glibc-lrand48"), ("state", state)];
            let (samples, _, verification) = sample(&*of(given), 1, 900);
            assert_eq!(verification, Verification::Exact, "{state}");
            if dist == "own" {
                assert_eq!(samples[0], numbers(workload, ours, 900), "{state}");
            } else {
                let mut ours = ours;
                let units: Vec<_> = (0..900).map(|_| ours.drand48().to_bits()).collect();
                assert_eq!(samples[0], units, "{state}");
            }
        }
    }
}

#[test]
fn seeding_shows_in_what_is_drawn() {
    for (workload, seeding, stuck) in [
        ("sysbench-old/oltp_read_write", "equal", 0),
        ("sysbench-old/oltp_read_write", "none", 0),
        ("sysbench-1.0.20/oltp_read_write", "none", 2),
    ] {
        let kernel = of([("workload", workload), ("state", "thread-local"), ("seeding", seeding)]);
        let (samples, observations, verification) = sample(&*kernel, 2, 2000);
        assert_eq!(verification, Verification::Exact);
        assert_eq!(samples[0], samples[1]);
        let count = |name| observations.iter().find(|seen| seen.name == name).map(|seen| seen.count);
        assert_eq!((count("lockstep"), count("stuck")), (Some(4000), Some(stuck)), "{workload} {seeding}");
    }
}

#[test]
fn transactions_of_streams_apart_are_the_same_at_any_number_of_workers() {
    let kernel = of([("state", "thread-local"), ("seeding", "jump"), ("generator", "xoshiro256++")]);
    let [one, two, four] = [1, 2, 4].map(|workers| {
        let (samples, observations, verification) = sample(&*kernel, workers, 2000);
        assert_eq!(verification, Verification::Exact);
        assert!(
            observations.iter().all(|seen| seen.count == 0 || seen.name == "repeats-within-a-worker"),
            "{observations:?}"
        );
        samples
    });
    assert!(one[..] == four[..1] && two[..] == four[..2] && two[0] != two[1]);
}

#[test]
fn what_a_workload_does_not_have_is_refused() {
    for (given, parameter) in [
        ([("workload", "sysbench-old/oltp_point_select"), ("text", "nine-by-division")], "text"),
        ([("workload", "sysbench-1.0.20/oltp_point_select"), ("state", "shared-atomic")], "state"),
        ([("state", "mutex"), ("seeding", "none")], "seeding"),
    ] {
        let given = parameters(given.map(|(name, word)| (name, word.into())));
        let faults = entry().make(&given).err().unwrap_or_else(|| panic!("{given:?}"));
        assert_eq!(faults[0].parameter, parameter);
        assert!(!faults[0].cure.is_empty());
    }
    let faults = entry().make(&parameters([("rows", 1.into())])).err().expect("special takes two rows");
    assert_eq!(faults[0].parameter, "rows");
}
