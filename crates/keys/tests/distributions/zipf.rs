//! What is known of zipf's distribution, and its edges.

use hitm_keys::KeyRange;
use hitm_keys::dist::{Distribution, entries, exact, find, pgbench, sysbench_master, ycsb};
use hitm_keys::rng::{WordState, Xoshiro256PlusPlus};
use hitm_keys::stream::{Counted, Stream};

use crate::{asked, near, range};

fn zipf(high: u64, theta: f64) -> exact::Zipf {
    exact::Zipf::new(range(1, high), theta).unwrap()
}

#[test]
fn chances_are_known() {
    near(zipf(1000, 0.99).probability(1).unwrap(), 0.129_384, 6);
    near(zipf(1000, 1.0).probability(1).unwrap(), 0.133_592, 6);
    near(zipf(1000, 0.0).probability(777).unwrap(), 0.001, 15);
    let (one, two) = (zipf(10_000_000_000, 0.99), zipf(10_000_000_000, 1.5));
    near(one.probability(1).unwrap(), 1.0 / 26.469_028_201_783_02, 9);
    near(two.probability(1).unwrap() / two.probability(4).unwrap(), 8.0, 12);
    for zipf in [zipf(1000, 0.7), zipf(1000, 1.0), zipf(1000, 3.0)] {
        let all: f64 = (1..=1000).map(|key| zipf.probability(key).unwrap()).sum();
        near(all, 1.0, 13);
        assert_eq!((zipf.probability(0), zipf.probability(1001)), (Some(0.0), Some(0.0)));
    }
}

/// Draws of all exponents against the probabilities: Pearson's statistic over the keys of ten draws or more, within five deviations.
#[test]
fn draws_of_any_exponent_fit() {
    for theta in [0.0, 0.2, 0.5, 0.99, 0.9949, 0.9951, 1.0, 1.0049, 1.0051, 1.001, 1.5, 2.0, 4.0, 30.0, 1e3, 1e300] {
        for (low, high) in [(1, 1000), (0, 1), (5, 100)] {
            let zipf = exact::Zipf::new(range(low, high), theta).unwrap();
            let master = sysbench_master::Zipfian::new(range(low, high), theta).unwrap();
            let devroye = pgbench::Zipfian::new(range(low, high), theta);
            fits(&zipf, &zipf);
            fits(&master, &zipf);
            // Nearer to 1 it takes hundreds of tries a key.
            if let Some(devroye) = devroye.ok().filter(|it| it.tries() < 30.0) {
                fits(&devroye, &zipf);
            }
        }
    }
}

fn fits(distribution: &impl Distribution, expected: &exact::Zipf) {
    const DRAWS: usize = 40_000;
    let mut stream = Xoshiro256PlusPlus::seeded(11);
    let range = distribution.range();
    let mut counts = vec![0.0; range.keys() as usize];
    (0..DRAWS).for_each(|_| counts[(distribution.draw(&mut stream).unwrap() - range.low()) as usize] += 1.0);
    let (mut statistic, mut freedom) = (0.0, -1.0f64);
    for (place, drawn) in counts.iter().enumerate() {
        let mean = expected.probability(range.low() + place as u64).unwrap() * DRAWS as f64;
        if mean >= 10.0 {
            statistic += (drawn - mean) * (drawn - mean) / mean;
            freedom += 1.0;
        } else {
            assert!(*drawn < 60.0, "{drawn} draws of the key at {place}, not {mean}");
        }
    }
    let most = freedom + 5.0 * (2.0f64 * freedom.max(1.0)).sqrt() + 10.0;
    assert!(statistic < most, "theta {}: {statistic} of {freedom}", expected.theta());
}

/// Gives the same bits for ever.
struct Same(u64);

impl Stream for Same {
    fn word(&mut self) -> u64 {
        self.0
    }

    fn unit(&mut self) -> f64 {
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn bits(&mut self) -> u64 {
        self.0
    }
}

/// Gives multiples of 2⁻³² in an order of no meaning, and counts them.
struct Steps(u32);

impl Stream for Steps {
    fn word(&mut self) -> u64 {
        self.0.into()
    }

    fn unit(&mut self) -> f64 {
        self.0 += 1;
        f64::from((self.0 - 1).wrapping_mul(2_654_435_761)) / 4_294_967_296.0
    }

    fn bits(&mut self) -> u64 {
        self.0.into()
    }
}

/// sysbench's algorithm in another language, with the C library's functions and its series near 1: 2¹⁶ places in one number, and the units
/// that they took.
#[test]
fn sysbench_draws_are_known() {
    for (keys, exp, expected, units) in [
        (1000, 0.8, 6_818_204_832_401_837_587, 65_604),
        (1_000_000, 0.8, 10_388_832_423_876_280_232, 65_550),
        (1000, 1.0, 12_859_184_909_991_409_177, 65_684),
        (1000, 0.999_999_999_9, 12_859_184_909_991_409_177, 65_684),
        (50, 1.5, 10_371_461_340_867_771_147, 66_119),
        (10_000, 0.0, 14_577_685_791_316_503_440, 65_536),
        (u32::MAX.into(), 0.99, 1_871_980_364_094_931_298, 65_579),
    ] {
        let zipfian = sysbench_master::Zipfian::new(range(0, keys - 1), exp).unwrap();
        let mut steps = Steps(0);
        let all =
            (0..1 << 16).fold(0u64, |all, _| all.wrapping_mul(31).wrapping_add(zipfian.draw(&mut steps).unwrap()));
        assert_eq!((all, steps.0), (expected, units), "{keys} keys, {exp}");
    }
}

/// The least and the largest random number lead to the ends of the range, not beyond.
#[test]
fn the_ends_of_the_unit_stay_inside() {
    for theta in [0.0, 0.5, 0.99, 0.9999, 1.0, 1.0001, 1.5, 3.0, 50.0, 1e6] {
        for keys in [1, 2, 3, 1000, 10_000_000_000, 1 << 53, i64::MAX as u64] {
            for low in [0, 1, 7] {
                let Ok(range) = KeyRange::new(low, low + (keys - 1)) else { continue };
                let Ok(zipf) = exact::Zipf::new(range, theta) else { panic!("{range}") };
                let key = zipf.draw(&mut Same(u64::MAX)).unwrap();
                assert_eq!(key, low, "theta {theta}: the largest number is the hottest key of {range}");
                assert!(range.contains(zipf.draw(&mut Same(0)).unwrap()), "theta {theta} in {range}");
                if theta < 0.9 && keys <= 1 << 50 {
                    assert_eq!(zipf.draw(&mut Same(0)).unwrap(), range.high(), "theta {theta}: the least is the last");
                }
            }
        }
    }
    // 1 − 2⁻⁵³, at which YCSB's formula gives the key beyond the last one.
    for keys in [1, 2, 3, 1000, 10_000_000_000] {
        for theta in [0.0, 0.5, 0.99, 1.5] {
            let ycsb = ycsb::Zipfian::new(range(5, 4 + keys), theta).unwrap();
            assert_eq!(ycsb.draw(&mut Same(u64::MAX)).unwrap(), 4 + keys, "theta {theta} of {keys}");
            assert_eq!(ycsb.draw(&mut Same(0)), Some(5));
        }
    }
}

#[test]
fn ends_of_the_numbers_are_in_reach() {
    for (low, high) in [(1 << 63, u64::MAX), (0, i64::MAX as u64), (u64::MAX, u64::MAX), (1, 1 << 63)] {
        for theta in [0.0, 0.99, 1.0, 1.5] {
            let range = range(low, high);
            let zipf = exact::Zipf::new(range, theta).unwrap();
            let mut stream = Xoshiro256PlusPlus::seeded(3);
            assert!((0..2000).all(|_| range.contains(zipf.draw(&mut stream).unwrap())), "{range}, {theta}");
            assert_eq!((zipf.cumulative(high), zipf.cumulative(low - u64::from(low > 0))).0, Some(1.0));
        }
    }
    let too_many = exact::Zipf::new(range(0, 1 << 63), 0.99).unwrap_err();
    assert_eq!(too_many[0].setting, "range");
}

/// Tries that are made again are few.
#[test]
fn most_tries_are_taken() {
    for (theta, most) in [(0.0, 1.0), (0.5, 1.02), (0.99, 1.03), (1.0, 1.03), (1.5, 1.05), (3.0, 1.05), (10.0, 1.05)] {
        let zipf = zipf(1_000_000, theta);
        let mut stream = Counted::new(Xoshiro256PlusPlus::seeded(5));
        let drawn = (0..100_000).filter_map(|_| zipf.draw(&mut stream)).count();
        assert_eq!(drawn, 100_000);
        let tries = stream.taken().all() as f64 / 1e5;

        assert!(tries <= most, "theta {theta}: {tries}");
    }
}

#[test]
fn exponents_that_are_none_are_refused() {
    for theta in [-0.1, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for entry in entries() {
            let Some(parameter) = entry.parameters.iter().find(|it| ["theta", "exp"].contains(&it.name)) else {
                continue;
            };
            let mut asked = asked(entry.range, 1);
            asked.parameters.insert(parameter.name.to_owned(), theta);
            let Err(refusals) = entry.build(&asked) else { panic!("{} takes {theta}", entry.name) };
            assert_eq!(refusals.len(), 1, "{refusals:?}");
            assert_eq!(refusals[0].setting, parameter.name);
        }
    }
    // At 1 YCSB's formula is not defined.
    for name in ["ycsb/zipfian", "ycsb/scrambled-zipfian", "ycsb/latest"] {
        for theta in [1.0, 1.0 + 1e-9] {
            let mut asked = asked(range(0, 999), 1);
            asked.parameters.insert("theta".to_owned(), theta);
            let Err(refusals) = find(name).unwrap().build(&asked) else { panic!("{name} takes {theta}") };
            assert!(refusals[0].setting == "theta" && refusals[0].cure.contains("exact/zipf"), "{refusals:?}");
        }
    }
}

/// A permutation reaches every key, and the hottest rank is one of them.
#[test]
fn scrambled_ranks_have_keys_of_their_own() {
    let scrambled = exact::ZipfScrambled::new(range(10, 1009), 0.99, 7).unwrap();
    let mut keys: Vec<u64> = (0..1000).map(|rank| scrambled.key_of_rank(rank).unwrap()).collect();
    let (hottest, second) = (keys[0], keys[1]);
    keys.sort_unstable();
    assert!(keys.iter().copied().eq(10..=1009) && scrambled.key_of_rank(1000).is_none());
    let mut stream = Xoshiro256PlusPlus::seeded(1);
    let drawn: Vec<u64> = (0..100_000).map(|_| scrambled.draw(&mut stream).unwrap()).collect();
    let share = |of: u64| drawn.iter().filter(|&&key| key == of).count() as f64 / 1e5;
    assert!((share(hottest) - 0.129_384).abs() < 0.005 && (share(second) - 0.065_141).abs() < 0.004);
    let latest = exact::ZipfLatest::new(range(10, 1009), 0.99).unwrap();
    near(latest.probability(1009).unwrap(), 0.129_384, 6);
    near(latest.cumulative(1008).unwrap(), 1.0 - 0.129_384, 6);
}
