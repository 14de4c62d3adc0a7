//! Ranges, seeds and refusals.

use std::collections::HashSet;

use hitm_keys::KeyRange;
use hitm_keys::dist::{Asked, Distribution, entries, exact, find, sysbench_old as old, wtperf, ycsb};
use hitm_keys::rng::{Rand48, WordState, Xoshiro256PlusPlus};

use crate::{asked, drawn, range};

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

/// Those that draw the same keys whatever the seed.
const IN_ORDER: [&str; 3] = ["sysbench-old/uniq", "ycsb/sequential", "wtperf/append"];

#[test]
fn a_seed_fixes_the_keys() {
    for entry in entries().filter(|entry| !IN_ORDER.contains(&entry.name)) {
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

#[test]
fn each_key_comes_once() {
    for name in ["exact/permutation", "sysbench-old/uniq", "ycsb/sequential", "wtperf/append"] {
        for keys in [1, 2, 3, 4, 5, 1000, 1024, 65_537] {
            let entry = find(name).unwrap();
            let mut source = entry.build(&asked(range(10, 9 + keys), 3)).unwrap();
            let seen: HashSet<u64> = drawn(source.as_mut(), keys as usize).into_iter().collect();
            assert_eq!(seen.len() as u64, keys, "{name} of {keys}");
            let more = drawn(source.as_mut(), 5);
            let ends = ["exact/permutation", "wtperf/append"].contains(&name);
            assert_eq!(more.is_empty(), ends, "{name} ends or begins again");
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
    assert_eq!(all(&wtperf::Append::new(range(1, 10_000)), 5000), 10_000);
    assert_eq!(all(&ycsb::Sequential::new(range(0, 9999)).unwrap(), 2500), 10_000);
    assert_eq!(all(&permutation, 5000), 10_000);
    assert_eq!(all(&uniq, 2500), 10_000);
}
