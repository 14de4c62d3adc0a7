//! Laws that hold for every distribution, and the probabilities that are known.

use std::collections::BTreeMap;

use hitm_keys::KeyRange;
use hitm_keys::dist::{Asked, Distribution, Keys};

mod fit;
mod laws;
mod pgbench;
mod sysbench;
mod tpcc;
mod wtperf;
mod ycsb;
mod zipf;

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

fn probability(distribution: &impl Distribution, keys: std::ops::RangeInclusive<u64>) -> f64 {
    distribution.cumulative(*keys.end()).unwrap() - distribution.cumulative(keys.start() - 1).unwrap()
}

#[track_caller]
fn near(found: f64, expected: f64, digits: i32) {
    assert!((found - expected).abs() < 0.51 * 10f64.powi(-digits), "{found}, not {expected}");
}
