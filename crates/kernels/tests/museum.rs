//! Every piece of the museum shows the damage that it was put there for, and its cure does not.

mod common;

use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use common::sample;
use hitm_experiment::plan::{KernelPlaces, Offer, PlannedCell};
use hitm_experiment::record::Observation;
use hitm_experiment::{Definition, Parameters, Problem, Value};
use hitm_kernels::Registry;

/// The process has one lrand48 state, and the tests of one program run in threads.
static LIBC: Mutex<()> = Mutex::new(());

/// The cells of two workers, or of one where there are no more, with what is seen in their values.
fn seen(piece: &str) -> Vec<(PlannedCell, Vec<Observation>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../experiments/museum/{piece}.toml"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let definition = Definition::read(piece, &text, &[]).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let experiment = definition.check().unwrap_or_else(|problems| panic!("{problems:#?}"));
    let fill = |name: &str, given: &Parameters, _: &KernelPlaces<'_>| -> Result<Parameters, Vec<Problem>> {
        let registry = Registry::built_in();
        let entry = registry.find(name).unwrap_or_else(|| panic!("{name} is built in"));
        Ok(entry.resolve(given).unwrap_or_else(|faults| panic!("{faults:?}")))
    };
    let offer = Offer::of_cores([vec![0], vec![1]]);
    let plan = experiment.plan(&offer, &fill).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let most = plan.cells.iter().map(|cell| cell.workers).max().expect("a cell");
    let cells = plan.cells.into_iter().filter(|cell| cell.workers == most);
    let observed = cells.map(|cell| {
        let registry = Registry::built_in();
        let mut parameters = cell.kernel_parameters();
        if parameters.contains_key("work") {
            // What is seen does not depend on it, save where workers race.
            parameters.insert("work".to_owned(), Value::Integer(0));
        }
        let entry = registry.find(&cell.kernel).expect("it was planned");
        let kernel = entry.make(&parameters).unwrap_or_else(|faults| panic!("{}: {faults:?}", cell.id));
        let (_, observations, _) = sample(&*kernel, cell.workers, 16_384);
        (cell, observations)
    });
    observed.collect()
}

/// The share of an observation in the one cell, or all the cells, that have this value.
fn shares(seen: &[(PlannedCell, Vec<Observation>)], (parameter, value): (&str, Value), name: &str) -> Vec<f64> {
    let chosen = seen.iter().filter(|(cell, _)| cell.parameters.get(parameter) == Some(&value));
    let shares: Vec<f64> = chosen
        .map(|(cell, observations)| {
            let seen = observations.iter().find(|seen| seen.name == name);
            let seen = seen.unwrap_or_else(|| panic!("{}: {name} is not told", cell.id));
            seen.count as f64 / seen.of as f64
        })
        .collect();
    assert!(!shares.is_empty(), "no cell has {parameter} = {value}");
    shares
}

#[test]
fn each_piece_shows_its_damage_and_its_cure_does_not() {
    let word = |word: &str| Value::from(word);
    for (piece, name, parameter, faulty, least, cured, most) in [
        ("sysbench-parent-seed", "lockstep", "seeding", word("none"), 1.0, word("per-worker"), 0.0),
        ("wiredtiger-equal-seeds", "lockstep", "seeding", word("equal"), 0.999, word("per-worker"), 0.001),
        ("ycsb-theta-one", "not-there", "dist", word("museum/zipf-theta-one"), 0.79, word("exact/zipf"), 0.001),
        ("go-ycsb-unready-keys", "not-there", "keys", 11_000.into(), 0.9, 1000.into(), 0.0),
    ] {
        let seen = seen(piece);
        let (faulty, cured) = (shares(&seen, (parameter, faulty), name), shares(&seen, (parameter, cured), name));
        assert!(faulty.iter().all(|share| *share >= least), "{piece}: {faulty:?}");
        assert!(cured.iter().all(|share| *share <= most), "{piece}: {cured:?}");
    }
}

#[test]
fn zeros_make_two_generators_stuck() {
    let seen = seen("wiredtiger-stuck-zero");
    for (generator, stuck) in [("wiredtiger-mwc", 1.0), ("xoroshiro128+", 1.0), ("rand48", 0.0)] {
        let of: Vec<_> =
            seen.iter().filter(|(cell, _)| cell.parameters["generator"] == generator.into()).cloned().collect();
        assert_eq!(shares(&of, ("seeding", "none".into()), "stuck"), [stuck], "{generator}");
        assert_eq!(shares(&of, ("seeding", "per-worker".into()), "stuck"), [0.0], "{generator}");
    }
}

#[test]
fn hashed_ranks_reach_two_thirds_of_the_keys() {
    let seen = seen("ycsb-scramble-collisions");
    let reached = |dist: &str| shares(&seen, ("dist", dist.into()), "keys-reached")[0];
    let hottest = |dist: &str| shares(&seen, ("dist", dist.into()), "hottest-key")[0];
    assert!((0.6..=0.678).contains(&reached("museum/hashed-ranks")));
    assert!(reached("ycsb/scrambled-zipfian") > 0.99 && reached("exact/zipf-scrambled") > 0.85);
    // The skew of 10^10 ranks, and that of a thousand.
    assert!((hottest("ycsb/scrambled-zipfian") - 0.038).abs() < 0.006);
    for dist in ["exact/zipf-scrambled", "exact/zipf"] {
        assert!((hottest(dist) - 0.1294).abs() < 0.012, "{dist}");
    }
}

/// Races depend on when they happen; without one nothing may be seen.
#[test]
fn shared_state_without_a_race_draws_nothing_twice() {
    let _libc = LIBC.lock().unwrap_or_else(PoisonError::into_inner);
    let pieces = if cfg!(all(target_os = "linux", target_env = "gnu")) {
        &["benchbase-shared-rng", "unlocked-lrand48"][..]
    } else {
        &["benchbase-shared-rng"]
    };
    for piece in pieces {
        let seen = seen(piece);
        for (cell, observations) in seen.iter().filter(|(cell, _)| cell.parameters["state"] != "shared-racy".into()) {
            let twice = observations.iter().find(|seen| seen.name == "lockstep").expect("it is told");
            assert!(twice.count as f64 <= 0.001 * twice.of as f64, "{piece} {}: {twice:?}", cell.id);
        }
    }
}
