//! What is known of sysbench's distributions.

use hitm_keys::dist::{Distribution, exact, sysbench_1_0_20 as new, sysbench_old as old};

use crate::{near, probability, range};

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
