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

/// A distribution's own numbers change what is drawn: a steeper zipf is hotter, and what it does by itself is its default.
#[test]
fn a_distribution_takes_its_numbers() {
    let drawn = |dist: &str, set: Option<&str>| {
        let mut given = parameters([("dist", dist.into()), ("keys", 1000.into())]);
        given.extend(set.map(|set| ("set".to_owned(), set.into())));
        let kernel = Registry::built_in().find("keys/draw").unwrap().make(&given).expect("it is right");
        let (samples, observations, verification) = sample(&*kernel, 1, 20_000);
        assert_eq!(verification, Verification::Exact);
        (samples, observations[0].count as f64 / observations[0].of as f64)
    };
    // 1 / the sum of k^-theta over 1000 keys.
    for (set, share) in [("theta=0.5", 0.0162), ("theta=1", 0.1336), ("theta=2", 0.6083)] {
        let (_, hottest) = drawn("exact/zipf", Some(set));
        assert!((hottest - share).abs() < 0.012, "{set}: {hottest}");
    }
    for (dist, default) in [("exact/zipf", "theta=0.99"), ("ycsb/hotspot", "keys=0.2,operations=0.8")] {
        let by_itself = drawn(dist, None);
        assert_eq!(by_itself, drawn(dist, Some(default)), "{dist}");
        assert_eq!(by_itself, drawn(dist, Some("own")), "{dist}");
    }
}

#[test]
fn numbers_that_a_distribution_does_not_take_are_refused() {
    for (dist, set, why) in [
        ("exact/zipf", "h=0.3", "no such parameter"),
        ("exact/zipf", "theta=-1", "theta: -1 is no"),
        ("pgbench/gaussian", "h=1,parameter=0", "no such parameter; parameter: 0 is not"),
        ("exact/zipf", "theta", "NAME=NUMBER"),
        ("exact/zipf", "theta=1,theta=2", "twice"),
        ("ycsb/zipfian", "theta=1", "1"),
        ("exact/uniform", "theta=1", "no parameters"),
    ] {
        let given = parameters([("dist", dist.into()), ("set", set.into())]);
        let faults = Registry::built_in().find("keys/draw").unwrap().make(&given).err().expect(set);
        assert_eq!(faults[0].parameter, "set", "{dist} {set}");
        assert!(faults[0].message.contains(why) && !faults[0].cure.is_empty(), "{dist} {set}: {faults:?}");
    }
}
