//! Draws against the probabilities that are told for them.

use hitm_keys::dist::{Asked, Entry, Keys, entries};

use crate::{asked, drawn, range};

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
            let mut below = 0;
            for equal in drawn.chunk_by(|a, b| a == b) {
                let key = equal[0];
                let less = keys.cumulative(key - 1).unwrap();
                most = most.max((less - below as f64 / count as f64).abs());
                below += equal.len();
                most = most.max((keys.cumulative(key).unwrap() - below as f64 / count as f64).abs());
            }
            let distance = most * (count as f64).sqrt();
            assert!(distance < 2.2, "{} in 1..{high}: {distance}", entry.name);
        }
    }
}
