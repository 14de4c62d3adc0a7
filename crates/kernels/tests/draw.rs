//! Keys of every distribution are drawn from streams of the workers' own.

mod common;

use common::{kernel, parameters, sample, verify};
use hitm_experiment::record::Verification;
use hitm_kernels::{ParameterKind, Registry};

fn dists() -> &'static [&'static str] {
    let registry = Registry::built_in();
    let entry = registry.find("keys/draw").expect("keys/draw is built in");
    match &entry.parameters[0].kind {
        ParameterKind::Choice(words) => words,
        _ => panic!("dist is a choice"),
    }
}

#[test]
fn every_distribution_draws_as_many_keys_as_asked() {
    assert!(dists().len() >= 10);
    for dist in dists() {
        let kernel = kernel("keys/draw", [("dist", (*dist).into()), ("work", 1.into())]);
        assert_eq!(verify(&*kernel, &[vec![1000, 0, 1], vec![257], vec![0]]), Verification::Exact, "{dist}");
        let (samples, observations, verification) = sample(&*kernel, 2, 3000);
        assert_eq!(verification, Verification::Exact, "{dist}");
        assert_eq!(samples.len(), 2);
        assert_ne!(samples[0], samples[1], "{dist}: streams are the workers' own");
        assert!(observations.iter().all(|seen| seen.count <= seen.of), "{dist}: {observations:?}");
        assert!(observations[0].count > 0 && observations[1].count > 0 && observations[2].count == 0, "{dist}");
    }
}

#[test]
fn the_number_of_keys_is_the_range() {
    let kernel = kernel("keys/draw", [("dist", "sysbench-old/uniform".into()), ("keys", 10.into())]);
    let (samples, observations, _) = sample(&*kernel, 1, 1000);
    assert!(samples[0].iter().all(|key| (1..=10).contains(key)));
    assert_eq!((observations[1].count, observations[1].of), (10, 10));
    let given = parameters([("dist", "sysbench-old/special".into()), ("keys", 1.into())]);
    let faults = Registry::built_in().find("keys/draw").unwrap().make(&given).err().expect("it takes two keys");
    assert_eq!(faults[0].parameter, "keys");
}

/// go-ycsb's range at a thousand rows, ten thousand operations and half of them inserts; and a port's theta of 1.
#[test]
fn keys_that_are_not_there_are_told() {
    let scrambled = kernel(
        "keys/draw",
        [("dist", "ycsb/scrambled-zipfian".into()), ("keys", 11_000.into()), ("present", 1000.into())],
    );
    let beyond = kernel("keys/draw", [("dist", "museum/zipf-theta-one".into()), ("present", 1000.into())]);
    for (kernel, share) in [(scrambled, 0.915), (beyond, 0.7996)] {
        let (_, observations, verification) = sample(&*kernel, 2, 50_000);
        assert_eq!(verification, Verification::Exact);
        let seen = observations.iter().find(|seen| seen.name == "not-there").expect("it is told");
        assert!((seen.count as f64 / seen.of as f64 - share).abs() < 0.01, "{seen:?}");
    }
    let given = parameters([("keys", 10.into()), ("present", 11.into())]);
    let faults = Registry::built_in().find("keys/draw").unwrap().make(&given).err().expect("more than there are");
    assert_eq!(faults[0].parameter, "present");
}
