//! What is known of YCSB's distributions.

use std::collections::HashSet;

use hitm_keys::dist::{Distribution, exact, find, ycsb};
use hitm_keys::rng::{WordState, Xoshiro256PlusPlus};
use hitm_keys::stream::{Counted, Stream};

use crate::{asked, near, probability, range};

fn stream() -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seeded(9)
}

/// The first two keys have zipf's chances, the third a sixth more, the last 3.5 % less.
#[test]
fn zipfian_is_an_approximation() {
    let (ycsb, zipf) =
        (ycsb::Zipfian::new(range(0, 999), 0.99).unwrap(), exact::Zipf::new(range(0, 999), 0.99).unwrap());
    let of = |key| ycsb.probability(key).unwrap() / zipf.probability(key).unwrap();
    near(of(0), 1.0, 12);
    near(of(1), 1.0, 12);
    near(of(2), 1.1705, 4);
    near(of(999), 0.9647, 4);
    near(ycsb.probability(0).unwrap(), 0.129_384, 6);
    // Of a range that begins elsewhere the hottest keys are its first ones.
    let moved = ycsb::Zipfian::new(range(5, 100), 0.99).unwrap();
    let weights: f64 = (1..=96).map(|rank| f64::from(rank).powf(-0.99)).sum();
    near(moved.probability(5).unwrap(), 1.0 / weights, 12);
    assert!((0..10_000).all(|_| moved.range().contains(moved.draw(&mut stream()).unwrap())));
}

/// Gives the multiples of 2⁻²⁰.
struct Multiples(u64);

impl Stream for Multiples {
    fn word(&mut self) -> u64 {
        self.0
    }

    fn unit(&mut self) -> f64 {
        self.0 += 1;
        (self.0 - 1) as f64 / f64::from(1 << 20)
    }

    fn bits(&mut self) -> u64 {
        self.0
    }
}

/// The formula in Java 17 over 2²⁰ units, all places in one number: another power than the C library's gives the same.
#[test]
fn zipfian_draws_what_java_draws() {
    for (keys, theta, expected) in [
        (1000, 0.99, 2124122234670996551),
        (1000000, 0.99, 3597906902282550164),
        (1000, 0.5, 8904840223875292420),
        (96, 1.5, 5877790364160864147),
        (10000, 0.0, 6842045450777891712),
    ] {
        let zipfian = ycsb::Zipfian::new(range(0, keys - 1), theta).unwrap();
        let mut units = Multiples(0);
        let all =
            (0..1 << 20).fold(0u64, |all, _| all.wrapping_mul(31).wrapping_add(zipfian.draw(&mut units).unwrap()));
        assert_eq!(all, expected, "{keys} keys, theta {theta}");
    }
}

/// The hottest rank of 10¹⁰ is hashed onto key 211 of 1000, with less than a third of zipf's chance.
#[test]
fn scrambled_keys_are_hashes_of_many_ranks() {
    let scrambled = ycsb::ScrambledZipfian::new(range(0, 999), 0.99, 0).unwrap();
    let mut stream = stream();
    let drawn: Vec<u64> = (0..200_000).map(|_| scrambled.draw(&mut stream).unwrap()).collect();
    let share = drawn.iter().filter(|&&key| key == ycsb::hash(0) % 1000).count() as f64 / 2e5;
    assert_eq!(ycsb::hash(0) % 1000, 211);
    assert!(share > 1.0 / 26.5 && share < 0.045, "{share}");
    // Over 10¹⁰ ranks every key gets some.
    assert_eq!(drawn.iter().collect::<HashSet<_>>().len(), 1000);
    assert!(ycsb::ScrambledZipfian::new(range(0, 999), 0.5, 0).is_ok(), "another exponent needs no sum of 10^10 terms");
}

/// Keys that are not there yet are drawn again; without that (pingcap/go-ycsb#317) ten of eleven draws would miss.
#[test]
fn keys_to_come_are_drawn_again() {
    let scrambled = ycsb::ScrambledZipfian::new(range(0, 999), 0.99, 10_000).unwrap();
    let mut stream = Counted::new(stream());
    assert!((0..10_000).all(|_| scrambled.draw(&mut stream).unwrap() <= 999));
    let missed = 1.0 - 1e4 / stream.taken().units as f64;
    assert!((missed - 0.909).abs() < 0.03, "{missed}");
    let too_many = ycsb::ScrambledZipfian::new(range(0, 999), 0.99, u64::MAX).unwrap_err();
    assert_eq!(too_many[0].setting, "expected");
}

/// What would be drawn again nearly for ever: many keys to come, or the hottest rank on one of them.
#[test]
fn keys_to_come_that_are_too_many_are_refused() {
    let refused = |keys: u64, theta, expected| {
        let made = ycsb::ScrambledZipfian::new(range(0, keys - 1), theta, expected);
        made.map_err(|refusals| refusals.iter().map(|refusal| refusal.setting.clone()).collect::<Vec<_>>()).err()
    };
    for expected in [10_000_000_000, 1 << 53, i64::MAX as u64 - 1000] {
        assert_eq!(refused(1000, 0.99, expected), Some(vec!["expected".to_owned()]), "{expected}");
    }
    assert_eq!(refused(1000, 0.99, 1_000_000), None);
    // At this theta there is no rank but the hottest, which is hashed onto a key to come or one that is there.
    let told: Vec<_> = (1..40).map(|more| refused(1000, 60.0, 50 * more)).collect();
    let hot_is_there = |more: u64| ycsb::hash(0) % (1000 + 50 * more) < 1000;
    for (more, told) in (1..40).zip(told) {
        assert_eq!(told.is_none(), hot_is_there(more), "{more}: {told:?}");
    }
    assert!((1..40).any(|more| !hot_is_there(more)) && (1..40).any(hot_is_there));
    assert_eq!(refused(1000, 60.0, 0), None);
    let tries = ycsb::ScrambledZipfian::new(range(0, 999), 0.99, 10_000).unwrap().tries();
    assert!((tries - 11.0).abs() < 3.0, "{tries}");
}

/// However large the exponent: what is drawn is what is told.
#[test]
fn large_exponents_have_chances() {
    for theta in [20.0, 40.0, 60.0, 300.0, 1000.0, 1e9, 1e300] {
        for keys in [2, 3, 1000, 1_000_000, 1 << 53, i64::MAX as u64] {
            let (zipfian, latest) =
                (ycsb::Zipfian::new(range(1, keys), theta).unwrap(), ycsb::Latest::new(range(1, keys), theta).unwrap());
            let mut stream = stream();
            let drawn = (0..1000).filter(|_| zipfian.draw(&mut stream) == Some(1)).count();
            let late = (0..1000).filter(|_| latest.draw(&mut stream) == Some(keys)).count();
            for (drawn, told) in [(drawn, zipfian.probability(1)), (late, latest.probability(keys))] {
                let told = told.unwrap();
                assert!((told - drawn as f64 / 1e3).abs() < 0.01, "theta {theta}, {keys} keys: {drawn}, {told}");
            }
            let chances: Vec<f64> = [1, 2, 3, keys / 2, keys]
                .into_iter()
                .filter(|&key| key >= 1)
                .map(|key| zipfian.cumulative(key).unwrap())
                .collect();
            assert!(
                chances.iter().all(|chance| (0.0..=1.0).contains(chance)),
                "theta {theta}, {keys} keys: {chances:?}"
            );
        }
    }
}

#[test]
fn latest_misses_the_first_key() {
    let latest = ycsb::Latest::new(range(0, 999), 0.99).unwrap();
    assert_eq!(latest.probability(0), Some(0.0));
    let weights: f64 = (1..=999).map(|rank| f64::from(rank).powf(-0.99)).sum();
    near(latest.probability(999).unwrap(), 1.0 / weights, 12);
    let one = ycsb::Latest::new(range(4, 4), 0.99).unwrap();
    assert_eq!((one.draw(&mut stream()), one.probability(4)), (Some(4), Some(1.0)));
}

#[test]
fn hot_and_cold_sets_are_known() {
    let hotspot = ycsb::Hotspot::new(range(1, 1000), 0.2, 0.8).unwrap();
    near(probability(&hotspot, 1..=200), 0.8, 12);
    near(hotspot.probability(1).unwrap(), 0.004, 12);
    near(hotspot.probability(1000).unwrap(), 0.00025, 12);
    // Without a hot or a cold key YCSB divides by zero.
    let settings = |keys, hot, operations| {
        ycsb::Hotspot::new(range(1, keys), hot, operations).map_err(|refusals| refusals[0].setting.clone()).err()
    };
    assert_eq!(settings(4, 0.2, 0.8).as_deref(), Some("range"));
    assert_eq!(settings(4, 0.2, 0.0), None);
    assert_eq!(settings(4, 1.0, 0.8).as_deref(), Some("keys"));
    assert_eq!(settings(4, 1.0, 1.0), None);
    assert_eq!(settings(4, 1.1, 1.0).as_deref(), Some("keys"));
    assert_eq!(settings(4, 0.5, f64::NAN).as_deref(), Some("operations"));
    // The hot set is an int.
    let wide = ycsb::Hotspot::new(range(0, i64::MAX as u64 - 1), 0.2, 0.8).unwrap();
    near(wide.cumulative(i32::MAX as u64 - 1).unwrap(), 0.8, 9);
}

/// 95 % of the draws on the last 85.7 % of the keys, of those that are in the range.
#[test]
fn exponential_is_known() {
    let exponential = ycsb::Exponential::new(range(1, 7000), 95.0, 6.0 / 7.0).unwrap();
    let beyond = 0.05f64.powf(7.0 / 6.0);
    near(probability(&exponential, 1001..=7000), 0.95 / (1.0 - beyond), 9);
    for (percentile, share) in [(0.0, 0.8), (100.0, 0.8), (f64::NAN, 0.8)] {
        let refusals = ycsb::Exponential::new(range(1, 10), percentile, share).unwrap_err();
        assert_eq!(refusals[0].setting, "percentile");
    }
    for share in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(ycsb::Exponential::new(range(1, 10), 95.0, share).unwrap_err()[0].setting, "share");
    }
    // What would be drawn again nearly for ever.
    assert_eq!(ycsb::Exponential::new(range(1, 10), 1e-9, 1e6).unwrap_err()[0].setting, "percentile");
}

/// What is no whole number hides nothing else.
#[test]
fn all_that_is_wrong_is_told() {
    let mut asked = asked(range(0, u64::MAX), 1);
    asked.parameters = [("theta".to_owned(), 1.0), ("expected".to_owned(), 0.5), ("skew".to_owned(), 1.0)].into();
    let Err(refusals) = find("ycsb/scrambled-zipfian").unwrap().build(&asked) else { panic!("refused") };
    let settings: Vec<_> = refusals.iter().map(|refusal| refusal.setting.as_str()).collect();
    assert_eq!(settings, ["skew", "expected", "range", "theta"]);
}
