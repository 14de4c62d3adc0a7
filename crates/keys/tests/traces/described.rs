//! What traces are described as.

use hitm_keys::dist::{Asked, find};
use hitm_keys::trace::describe::{Description, Evenness, Limits, describe};
use hitm_keys::trace::{Access, Options};

use super::{ONE_THREAD, TWO_THREADS, folder, kept, plain, read};

#[test]
fn a_small_one_by_hand() {
    let folder = folder();
    // 5 four times, 7 twice, 8 once; threads share 5 only.
    let accesses: Vec<Access> = [(5, 1), (5, 1), (7, 1), (5, 2), (8, 2), (5, 2), (7, 1)]
        .map(|(key, thread)| Access { key, thread: Some(thread) })
        .to_vec();
    let (_, trace) = kept(&folder, &accesses);
    let about = describe(&trace, Limits::default()).unwrap();
    assert_eq!((about.keys, about.distinct, about.once, about.in_a_row, about.shared), (7, 3, 1, 2, 4));
    assert_eq!(about.hottest, Some(vec![(5, 4), (7, 2), (8, 1)]));
    assert_eq!(about.top, [(1, 4)]);
    assert_eq!(about.working_set, [(50, 1), (90, 3), (99, 3)]);
    assert_eq!(about.octaves, [(1, 4), (3, 3)]);
    assert!(about.windows.is_empty() && about.together.is_none() && !about.is_estimate());
    let one = describe([9].as_slice(), Limits::default()).unwrap();
    assert_eq!((one.distinct, one.zipf, one.even, one.shared), (1, None, Evenness::TooFew, 0));
    assert_eq!(describe([0; 0].as_slice(), Limits::default()), None);
}

/// `special` of sysbench 1.0.20 draws 75 % of its keys from 77 of 10,000 (4975 to 5051): no Zipf's law.
#[test]
fn one_real_thread() {
    let log = read(ONE_THREAD, &Options::default());
    let about = describe(log.keys().as_slice(), Limits::default()).unwrap();
    let hot = log.keys().iter().filter(|key| (4975..=5051).contains(*key)).count() as f64 / 3600.0;
    assert!((0.7..0.82).contains(&hot), "{hot}");
    assert!(about.hottest.as_ref().unwrap().iter().all(|(key, _)| (4975..=5051).contains(key)));
    assert!((30..=77).contains(&about.working_set[0].1), "{:?}", about.working_set);
    let zipf = about.zipf.unwrap();
    assert!(!zipf.fits() && about.even == Evenness::Skewed, "{zipf:?}");
    assert_eq!(about.windows.iter().map(|window| (window.length, window.windows)).collect::<Vec<_>>(), [(1000, 3)]);
    let window = about.windows[0];
    assert!(window.least as f64 <= window.mean && window.mean <= window.most as f64 && window.most < 1000);
}

#[test]
fn two_real_threads_share_keys_and_are_not_in_lockstep() {
    let folder = folder();
    let (_, trace) = kept(&folder, &read(TWO_THREADS, &Options::default()).accesses);
    assert_eq!(trace.streams(), [(Some(472), 16_884), (Some(471), 19_116)]);
    let about = describe(&trace, Limits::default()).unwrap();
    assert!(about.shared > about.keys / 2);
    let together = about.together.unwrap();
    assert!(together.locked == 0 && together.best.is_none_or(|best| best.share < 0.1), "{together:?}");
    // What is counted at once changes nothing.
    let parts = describe(&trace, Limits { distinct: 500, readings: 64 }).unwrap();
    assert!(parts.counted.1 > 1 && !parts.is_estimate());
    assert_eq!(Description { counted: (1, 1), ..parts }, about);
    let some = describe(&trace, Limits { distinct: 500, readings: 4 }).unwrap();
    assert!(some.is_estimate() && some.hottest.is_none() && some.top.is_empty());
    assert!(some.distinct.abs_diff(about.distinct) < about.distinct / 4, "{} {}", some.distinct, about.distinct);
}

/// Threads seeded alike, as after sysbench's commit e24a028.
#[test]
fn equal_streams_are_in_lockstep() {
    let folder = folder();
    let keys = read(ONE_THREAD, &Options::default()).keys();
    let both = |key: &u64| [1, 2].map(|thread| Access { key: *key, thread: Some(thread) });
    let (_, trace) = kept(&folder, &keys.iter().flat_map(both).collect::<Vec<_>>());
    let about = describe(&trace, Limits::default()).unwrap();
    let lockstep = about.together.unwrap().best.unwrap();
    assert_eq!((lockstep.lag, lockstep.share), (0, 1.0));
    assert!(lockstep.holds());
    assert_eq!(about.shared, about.keys);
    let (_, trace) = kept(&folder, &plain(&keys));
    assert_eq!(describe(&trace, Limits::default()).unwrap().together, None);
}

/// Keys of an exact Zipf's law at θ = 0.99 over 1000 ranks, drawn by inversion from evenly spaced numbers.
#[test]
fn zipf_is_found_again() {
    let weights: Vec<f64> = (1..=1000).map(|rank| f64::from(rank).powf(-0.99)).collect();
    let whole: f64 = weights.iter().sum();
    let mut keys = Vec::new();
    for (rank, weight) in weights.iter().enumerate() {
        keys.extend(vec![rank as u64 * 7; (weight / whole * 1e6).round() as usize]);
    }
    let about = describe(keys.as_slice(), Limits::default()).unwrap();
    let zipf = about.zipf.unwrap();
    assert!((zipf.theta - 0.99).abs() < 0.002 && zipf.fits(), "{zipf:?}");
    assert!((about.hottest.unwrap()[0].1 as f64 / about.keys as f64 - 0.129_384).abs() < 1e-4);
}

/// Keys that a distribution draws.
fn drawn(dist: &str, keys: u64, parameters: &[(&str, f64)], count: usize, seed: u64) -> Description {
    let parameters = parameters.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let asked = Asked { range: hitm_keys::KeyRange::of(keys).unwrap(), seed, parameters };
    let mut drawn = vec![0; count];
    assert_eq!(find(dist).unwrap().build(&asked).unwrap().fill(&mut drawn), count);
    describe(drawn.as_slice(), Limits::default()).unwrap()
}

/// What was drawn at a known θ is told as that θ, within the interval, or as not to be told: however seldom a key comes.
#[test]
fn the_interval_holds_the_exponent() {
    let mut told = 0;
    for (theta, keys, draws) in [
        (0.99, 1_000_000, 100_000),
        (0.99, 1_000_000, 1_000_000),
        (0.8, 100_000, 100_000),
        (0.8, 10_000_000, 100_000),
        (0.6, 1_000_000, 100_000),
        (0.6, 1_000_000, 1_000_000),
        (1.2, 1_000_000, 100_000),
        (1.2, 1_000_000, 1_000_000),
        (0.5, 1_000_000, 100_000),
        (0.99, 1000, 1_000_000),
    ] {
        let about = drawn("exact/zipf", keys, &[("theta", theta)], draws, 7);
        assert_eq!(about.even, Evenness::Skewed, "{theta} {keys} {draws}");
        let zipf = about.zipf.unwrap();
        println!("{theta} {keys} {draws}: {zipf:?}");
        assert!(zipf.fits(), "{theta} {keys} {draws}: {zipf:?}");
        if zipf.is_told() {
            told += 1;
            let (low, high) = zipf.interval.unwrap();
            assert!(low <= theta && theta <= high, "{theta} {keys} {draws}: {zipf:?}");
        }
    }
    assert!(told >= 6, "{told}");
}

/// Uniform draws are called that where a skew would show.
#[test]
fn uniform_draws_show_no_skew() {
    let even = drawn("exact/uniform", 10_000, &[], 100_000, 7).even;
    assert!(matches!(even, Evenness::Even { keys } if (keys / 10_000.0 - 1.0).abs() < 0.01), "{even:?}");
    assert_eq!(drawn("exact/uniform", 10_000_000, &[], 100_000, 7).even, Evenness::TooFew);
}
