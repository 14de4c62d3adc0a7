//! Laws that hold for every distribution, and the probabilities that are known.

use std::collections::{BTreeMap, HashSet};

use hitm_keys::KeyRange;
use hitm_keys::dist::{
    Asked, Distribution, Entry, Keys, entries, exact, find, sysbench_1_0_20 as new, sysbench_old as old,
};
use hitm_keys::rng::{Rand48, WordState, Xoshiro256PlusPlus};

fn range(low: u64, high: u64) -> KeyRange {
    KeyRange::new(low, high).unwrap()
}

fn asked(range: KeyRange, seed: u64) -> Asked {
    Asked { range, seed, parameters: BTreeMap::new() }
}

fn drawn(keys: &mut dyn Keys, count: usize) -> Vec<u64> {
    let mut drawn = vec![0; count];
    let len = keys.fill(&mut drawn);
    drawn.truncate(len);
    drawn
}

/// Pearson's statistic over cells of at least 10 expected draws, and its degrees of freedom.
fn chi_square(keys: &mut dyn Keys, count: usize) -> (f64, f64) {
    let range = keys.range();
    let mut counts = vec![0u64; range.keys() as usize];
    for key in drawn(keys, count) {
        counts[(key - range.low()) as usize] += 1;
    }
    let (mut statistic, mut cells) = (0.0, 0.0);
    let (mut seen, mut expected) = (0.0, 0.0);
    for (place, counted) in counts.iter().enumerate() {
        seen += *counted as f64;
        expected += keys.probability(range.low() + place as u64).unwrap() * count as f64;
        if expected >= 10.0 {
            statistic += (seen - expected).powi(2) / expected;
            cells += 1.0;
            (seen, expected) = (0.0, 0.0);
        }
    }
    // What is left over of the last cell must be little.
    assert!((seen - expected).abs() < 40.0, "{seen} drawn where {expected} are expected");
    (statistic, cells - 1.0)
}

/// Within five standard deviations (Wilson and Hilferty); a cell that is 1 % off fails with these counts.
fn fits(entry: &Entry, asked: &Asked, count: usize) {
    let mut keys = entry.build(asked).unwrap();
    let (statistic, freedom) = chi_square(keys.as_mut(), count);
    if freedom < 1.0 {
        return;
    }
    let part = 2.0 / (9.0 * freedom);
    let deviations = ((statistic / freedom).cbrt() - (1.0 - part)) / part.sqrt();
    assert!(deviations.abs() < 5.0, "{} in {}: {statistic} of {freedom}", entry.name, asked.range);
}

#[test]
fn draws_fit_their_probabilities() {
    for entry in entries() {
        for (low, high) in [(1, 1000), (0, 1), (7, 13), (2_000_000_000, 2_000_012_345)] {
            let asked = asked(range(low, high), 7);
            let Ok(mut keys) = entry.build(&asked) else { continue };
            if keys.cumulative(low).is_some() {
                fits(entry, &asked, 150_000);
                assert_eq!(keys.cumulative(high), Some(1.0), "{}", entry.name);
                assert_eq!(keys.cumulative(u64::MAX), Some(1.0), "{}", entry.name);
                assert_eq!(
                    keys.cumulative(low.wrapping_sub(1).min(low)),
                    if low == 0 { keys.cumulative(0) } else { Some(0.0) }
                );
                assert_eq!(drawn(keys.as_mut(), 10).len(), 10);
            }
        }
    }
}

/// The largest distance between what was drawn and the probabilities, in units of the Kolmogorov distribution; below 2.2 with a
/// probability of 0.9999.
#[test]
fn draws_from_wide_ranges_fit() {
    for entry in entries() {
        for (low, high) in [(1, 100_000_000), (1, 1_000_000)] {
            let Ok(mut keys) = entry.build(&asked(range(low, high), 42)) else { continue };
            if keys.cumulative(high).and(keys.cumulative(low)).is_none() {
                continue;
            }
            let count = 60_000;
            let mut drawn = drawn(keys.as_mut(), count);
            drawn.sort_unstable();
            let mut most: f64 = 0.0;
            for (below, &key) in drawn.iter().enumerate() {
                let at_most = drawn.partition_point(|&other| other <= key) as f64 / count as f64;
                let cumulative = keys.cumulative(key).unwrap();
                most = most.max((at_most - cumulative).abs());
                let less = keys.cumulative(key - 1).unwrap();
                if below == 0 || drawn[below - 1] != key {
                    most = most.max((less - below as f64 / count as f64).abs());
                }
            }
            let distance = most * (count as f64).sqrt();
            assert!(distance < 2.2, "{} in 1..{high}: {distance}", entry.name);
        }
    }
}

/// Every key is in its range, at every end of the numbers, or the range is refused with its cure.
#[test]
fn keys_are_in_their_range() {
    let ranges = [
        range(5, 5),
        range(0, 0),
        range(u64::MAX, u64::MAX),
        range(0, 1),
        range(5, 100),
        range(0, u32::MAX.into()),
        range(0, u64::from(u32::MAX) - 1),
        range(u32::MAX.into(), u64::from(u32::MAX) + 9),
        range(i32::MAX as u64 - 1000, i32::MAX as u64),
        range(1, 178_956_971),
        range(1, 178_956_972),
        range(1 << 52, (1 << 53) - 1),
        range(0, u64::MAX - 1),
        KeyRange::ALL,
    ];
    for entry in entries() {
        for range in ranges {
            for seed in [1, 2, u32::MAX.into()] {
                match entry.build(&asked(range, seed)) {
                    Ok(mut keys) => {
                        assert_eq!(keys.range(), range);
                        for key in drawn(keys.as_mut(), 2000) {
                            assert!(range.contains(key), "{}: {key} is not in {range}", entry.name);
                        }
                    }
                    Err(refusals) => {
                        assert_eq!(refusals.len(), 1, "{refusals:?}");
                        assert_eq!(refusals[0].setting, "range");
                        assert!(!refusals[0].cure.is_empty());
                    }
                }
            }
        }
    }
}

#[test]
fn a_seed_fixes_the_keys() {
    for entry in entries().filter(|entry| entry.name != "sysbench-old/uniq") {
        let draws = |seed| drawn(entry.build(&asked(entry.range, seed)).unwrap().as_mut(), 100);
        assert_eq!(draws(7), draws(7), "{}", entry.name);
        assert_ne!(draws(7), draws(8), "{}", entry.name);
    }
}

#[test]
fn all_that_is_wrong_is_told_at_once() {
    let entry = find("sysbench-1.0.20/special").unwrap();
    let parameters = [("iter", 0.0), ("pct", 101.0), ("res", 101.0), ("skew", 1.0)];
    let parameters = parameters.map(|(name, value)| (name.to_owned(), value)).into();
    let Err(refusals) = entry.build(&Asked { range: KeyRange::ALL, seed: 0, parameters }) else { panic!("refused") };
    let settings: Vec<_> = refusals.iter().map(|refusal| refusal.setting.as_str()).collect();
    assert_eq!(settings, ["skew", "range", "iter", "pct", "res", "seed"]);
    for name in ["sysbench-1.0.20/pareto", "sysbench-old/pareto"] {
        for h in [0.0, 1.0, -0.5, 2.0, f64::NAN, f64::INFINITY, 1e-320, 1.0 - 1e-17] {
            let parameters = [("h".to_owned(), h)].into();
            let built = find(name).unwrap().build(&Asked { range: range(1, 10), seed: 1, parameters });
            let refused = built.is_err_and(|refusals| refusals[0].setting == "h");
            assert!(refused || (h > 0.0 && h < 1.0), "{name} at {h}");
        }
    }
    // What is no whole number hides nothing else.
    for value in [1.5, -1.0, f64::NAN, f64::INFINITY, 1e300] {
        for name in ["sysbench-old/gaussian", "sysbench-old/special", "sysbench-1.0.20/special-symmetric"] {
            let parameters = [("iter".to_owned(), value)].into();
            let asked = Asked { range: KeyRange::ALL, seed: 0, parameters };
            let Err(refusals) = find(name).unwrap().build(&asked) else { panic!("{name} takes {value}") };
            let settings: Vec<_> = refusals.iter().map(|refusal| refusal.setting.as_str()).collect();
            assert_eq!(settings, ["iter", "range", "seed"], "{name} at {value}");
        }
    }
}

fn probability(distribution: &impl Distribution, keys: std::ops::RangeInclusive<u64>) -> f64 {
    distribution.cumulative(*keys.end()).unwrap() - distribution.cumulative(keys.start() - 1).unwrap()
}

#[track_caller]
fn near(found: f64, expected: f64, digits: i32) {
    assert!((found - expected).abs() < 0.51 * 10f64.powi(-digits), "{found}, not {expected}");
}

/// A mean of 12 uniform numbers over 1..1000.
#[test]
fn the_bell_is_known() {
    let bell = new::Gaussian::new(range(1, 1000), 12).unwrap();
    near(probability(&bell, 418..=583), 0.6766, 4);
    near(probability(&bell, 451..=550), 0.4470, 4);
    let mean: f64 = (1..=1000).map(|key| key as f64 * bell.probability(key).unwrap()).sum();
    near(mean, 500.5, 6);
    let spread: f64 = (1..=1000).map(|key| (key as f64 - mean).powi(2) * bell.probability(key).unwrap()).sum();
    near(spread.sqrt(), 83.33, 2);
    // Before 1.0 it leans half a key.
    let old = old::Gaussian::new(range(1, 1000), 12).unwrap();
    let mean: f64 = (1..=1000).map(|key| key as f64 * old.probability(key).unwrap()).sum();
    assert!((mean - 500.0).abs() < 0.05, "{mean}");
}

/// Pareto at h = 0.2 over 1..1000.
#[test]
fn pareto_is_known() {
    let pareto = new::Pareto::new(range(1, 1000), 0.2).unwrap();
    near(pareto.probability(1).unwrap(), 0.383760, 6);
    near(pareto.probability(2).unwrap(), 0.038711, 6);
    near(probability(&pareto, 1..=10), 0.5281, 4);
    near(probability(&pareto, 1..=200), 0.8, 6);
    near(pareto.probability(1000).unwrap(), 1.387e-4, 7);
    let mean: f64 = (1..=1000).map(|key| key as f64 * pareto.probability(key).unwrap()).sum();
    near(mean, 122.4, 1);
    near(pareto.reversed().probability(1000).unwrap(), 0.383760, 6);
    let uniform = new::Pareto::new(range(1, 1000), 0.5).unwrap();
    near(uniform.probability(777).unwrap(), 0.001, 9);
}

/// The keys that 75 % of the draws fall on.
#[test]
fn the_hot_window_is_known() {
    let hot = |distribution: &dyn Fn(u64) -> f64, keys: u64| {
        let hot: Vec<u64> = (1..=keys).filter(|&key| distribution(key) > 5.0 / keys as f64).collect();
        (hot.len(), hot[0], hot[hot.len() - 1])
    };
    for (keys, new_hot, old_hot) in
        [(1000, (9, 498, 506), (10, 496, 505)), (10_000, (77, 4975, 5051), (100, 4951, 5050))]
    {
        let range = range(1, keys);
        let new = new::Special::new(range, 12, 1, 75).unwrap();
        assert_eq!(hot(&|key| new.probability(key).unwrap(), keys), new_hot);
        assert!(new.probability(keys).unwrap() < 1e-12, "the last key is never drawn");
        let old = old::Special::new(range, 12, 1, 75).unwrap();
        assert_eq!(hot(&|key| old.probability(key).unwrap(), keys), old_hot);
        let symmetric = new::SpecialSymmetric::new(range, 12, 1, 75).unwrap();
        assert_eq!(hot(&|key| symmetric.probability(key).unwrap(), keys), old_hot);
        for key in 1..=keys {
            let (left, right) = (symmetric.probability(key).unwrap(), symmetric.probability(keys + 1 - key).unwrap());
            assert!((left - right).abs() < 1e-11, "{key}: {left} and {right}");
        }
    }
    let wide = new::Special::new(range(1, 1_000_000), 12, 1, 75).unwrap();
    let hot = (490_000..510_000).filter(|&key| wide.probability(key).unwrap() > 5e-5).count();
    assert!((7501..=7502).contains(&hot), "{hot}");
}

/// A modulus of 10⁹ favours the first keys, which the exact distribution does not.
#[test]
fn the_remainder_favours_the_first_keys() {
    let keys = range(0, 999_999_999);
    let biased = old::Uniform::new(keys).unwrap();
    near(biased.cumulative(73_741_822).unwrap(), 2.0 * 73_741_823.0 / 1_073_741_823.0, 8);
    near(exact::Uniform::new(keys).cumulative(73_741_822).unwrap(), 0.073_741_823, 12);
    let three_billion = exact::Uniform::new(range(0, 2_999_999_999));
    near(three_billion.cumulative(1_294_967_295).unwrap(), 0.4317, 4);
}

#[test]
fn each_key_comes_once() {
    for name in ["exact/permutation", "sysbench-old/uniq"] {
        for keys in [1, 2, 3, 4, 5, 1000, 1024, 65_537] {
            let entry = find(name).unwrap();
            let mut source = entry.build(&asked(range(10, 9 + keys), 3)).unwrap();
            let seen: HashSet<u64> = drawn(source.as_mut(), keys as usize).into_iter().collect();
            assert_eq!(seen.len() as u64, keys, "{name} of {keys}");
            let more = drawn(source.as_mut(), 5);
            assert_eq!(more.is_empty(), name == "exact/permutation", "{name} ends or begins again");
            assert_eq!(source.taken().all(), 0);
        }
    }
    let all = exact::Permutation::new(KeyRange::ALL, 1);
    let mut stream = Xoshiro256PlusPlus::seeded(1);
    assert_ne!(all.draw(&mut stream), all.draw(&mut stream));
}

/// Workers that share one hand out each key once between them.
#[test]
fn each_key_comes_once_over_all_workers() {
    let permutation = exact::Permutation::new(range(1, 10_000), 9);
    let uniq = old::Uniq::new(range(1, 10_000)).unwrap();
    fn all<D: Distribution>(keys: &D, each: usize) -> usize {
        let drawn: Vec<u64> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| (0..each).filter_map(|_| keys.draw(&mut Rand48::seeded(1))).collect::<Vec<_>>())
                })
                .collect();
            workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
        });
        let distinct: HashSet<_> = drawn.iter().collect();
        assert_eq!(distinct.len(), drawn.len());
        drawn.len()
    }
    assert_eq!(all(&permutation, 5000), 10_000);
    assert_eq!(all(&uniq, 2500), 10_000);
}
