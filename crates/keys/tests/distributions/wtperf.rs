//! What is known of wtperf's keys.

use hitm_keys::dist::{Distribution, wtperf};
use hitm_keys::rng::WiredTigerMwc;
use hitm_keys::stream::Stream;

use crate::{near, range};

/// One word after the other.
struct Words(Vec<u64>);

impl Stream for Words {
    fn word(&mut self) -> u64 {
        self.0.remove(0)
    }

    fn unit(&mut self) -> f64 {
        self.word() as f64 / 4_294_967_296.0
    }

    fn bits(&mut self) -> u64 {
        self.word()
    }
}

/// 11^−1.5 of the draws at 20 percent fall beyond the range, to the first key.
#[test]
fn what_falls_beyond_goes_to_the_first_key() {
    let beyond = 11f64.powf(-1.5);
    near(beyond, 0.027_410, 6);
    let keys = range(1, 500_000);
    let (new, old) = (wtperf::Pareto::new(keys, 20).unwrap(), wtperf::Pareto::old(keys));
    let truncated = wtperf::ParetoTruncated::new(keys, 20).unwrap();
    let own = 1.0 - (1.0 + 1.0 / 50_000.0f64).powf(-1.5);
    near(new.probability(1).unwrap(), own + beyond, 9);
    near(old.probability(1).unwrap(), 0.5 + 0.5 * (own + beyond), 9);
    near(truncated.probability(1).unwrap(), own / (1.0 - beyond), 12);
    // One draw of 50 on key 1 (the report says 20, at the default of another version).
    let mut stream = WiredTigerMwc::new();
    let first = |pareto: &wtperf::Pareto, stream: &mut WiredTigerMwc| {
        (0..100_000).filter(|_| pareto.draw(stream) == Some(1)).count() as f64 / 1e5
    };
    assert!((first(&new, &mut stream) - 0.0274).abs() < 0.002);
    assert!((first(&old, &mut stream) - 0.5137).abs() < 0.006);
}

/// The words at which the powers have no value, and the ends.
#[test]
fn every_word_has_a_key() {
    let keys = range(1, 1000);
    let (new, old) = (wtperf::Pareto::new(keys, 20).unwrap(), wtperf::Pareto::old(keys));
    let draw = |pareto: &wtperf::Pareto, word| pareto.draw(&mut Words(vec![word])).unwrap();
    // 0 and a word of 64 bits whose lower half is 0; the largest, of which nothing is left; one of which little is left.
    assert_eq!([0, 7 << 32, u64::from(u32::MAX), 0xffff_fff0].map(|word| draw(&new, word)), [1, 1, 1, 1]);
    // U = 1/2: (2^(2/3) − 1)·100 = 58.7.
    assert_eq!([draw(&new, 1 << 31), draw(&old, 1 << 30)], [59, 59]);
    assert_eq!([i32::MAX as u64, 1 << 31, u64::from(u32::MAX)].map(|word| draw(&old, word)), [1, 1, 1]);
    for percent in [0, 101, u64::MAX] {
        assert_eq!(wtperf::Pareto::new(keys, percent).unwrap_err()[0].setting, "percent");
        assert_eq!(wtperf::ParetoTruncated::new(range(0, u64::MAX), percent).unwrap_err().len(), 2);
    }
}

/// r % n, and no key beyond the first 2³².
#[test]
fn remainders_favour_the_first_keys() {
    let three_billion = wtperf::Uniform::new(range(0, 2_999_999_999));
    near(three_billion.cumulative(1_294_967_295).unwrap(), 0.6030, 4);
    let all = wtperf::Uniform::new(range(0, u64::MAX));
    assert_eq!(all.cumulative(u64::from(u32::MAX)), Some(1.0));
    assert_eq!(all.draw(&mut Words(vec![u64::MAX])), Some(u64::from(u32::MAX)));
}
