//! Different keys within stretches of a trace.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;

use super::Source;
use super::hash::KeyHasher;

/// How many keys the windows have.
const LENGTHS: [u64; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// The most windows of one length: they lie evenly over the trace.
const MOST: u64 = 64;

/// How many different keys windows of one length hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Keys of a window.
    pub length: u64,
    /// Windows looked at.
    pub windows: u64,
    /// Different keys in the window with the fewest.
    pub least: u64,
    /// On average.
    pub mean: f64,
    /// In the window with the most.
    pub most: u64,
}

/// Windows of all lengths that the trace has.
pub(super) fn windows(source: &(impl Source + ?Sized)) -> Vec<Window> {
    let mut seen: HashSet<u64, BuildHasherDefault<KeyHasher>> = HashSet::default();
    let mut all = Vec::new();
    for length in LENGTHS.into_iter().filter(|length| *length <= source.keys()) {
        let there = source.keys() / length;
        let windows = there.min(MOST);
        let (mut least, mut sum, mut most) = (u64::MAX, 0, 0);
        for window in 0..windows {
            let from = (u128::from(there) * u128::from(window) / u128::from(windows)) as u64 * length;
            seen.clear();
            source.each_key(from, from + length, |key| {
                seen.insert(key);
            });
            let distinct = seen.len() as u64;
            (least, sum, most) = (least.min(distinct), sum + distinct, most.max(distinct));
        }
        all.push(Window { length, windows, least, mean: sum as f64 / windows as f64, most });
    }
    all
}
