//! A median and its interval, without assuming any distribution.
//!
//! The interval between the r-th smallest and the r-th largest of n values holds the median of the distribution they are drawn
//! from with probability 1 − 2·P(B ≤ r − 1), B binomial over n draws of one half (H. A. David, H. N. Nagaraja, *Order
//! Statistics*, 3rd ed., section 7.1). r is the largest that keeps this at [`AIM`]; with fewer than six values none does, and the
//! interval is that from the least to the greatest with the coverage it has.
//!
//! Values that depend on each other are worth fewer ([`mod@crate::dependence`]): of m independent ones the r-th smallest lies r/(m + 1)
//! of the way up, and so the interval's ends are taken as far up and down in the values that there are.

use std::cell::RefCell;
use std::collections::HashMap;

use statrs::distribution::{Binomial, DiscreteCDF};

use crate::dependence::independent;
use crate::summary::Estimate;

/// The coverage aimed at.
pub const AIM: f64 = 0.95;

/// The least coverage that a verdict may rest on; what fewer than five values reach is below it.
pub const CREDIBLE: f64 = 0.9;

/// The median with its interval of values in the order of time; `None` without values. Values that are not finite do not count.
pub fn estimate(mut series: Vec<f64>, unit: &str) -> Option<Estimate> {
    series.retain(|value| value.is_finite());
    let n = series.len();
    let median = median(series.clone())?;
    let independent = independent(&series, median);
    series.sort_unstable_by(f64::total_cmp);
    let (rank, coverage) = rank(independent);
    let rank = (rank * (n + 1) / (independent + 1)).max(1);
    Some(Estimate {
        median,
        low: series[rank - 1],
        high: series[n - rank],
        unit: unit.to_owned(),
        n,
        independent,
        coverage,
    })
}

/// The median of values that need not be sorted; `None` without any. Values that are not finite do not count.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.retain(|value| value.is_finite());
    if values.is_empty() {
        return None;
    }
    values.sort_unstable_by(f64::total_cmp);
    Some(middle(&values))
}

/// Half the interval's width, as a share of the median; `None` where the median is 0 and the interval is not.
pub fn relative_half_width(estimate: &Estimate) -> Option<f64> {
    let half = estimate.high / 2.0 - estimate.low / 2.0;
    if half == 0.0 {
        return Some(0.0);
    }
    let relative = half / estimate.median.abs();
    relative.is_finite().then_some(relative)
}

fn middle(sorted: &[f64]) -> f64 {
    let n = sorted.len();
    if n % 2 == 1 { sorted[n / 2] } else { sorted[n / 2 - 1] / 2.0 + sorted[n / 2] / 2.0 }
}

/// The rank of the interval's ends, from 1, and its coverage.
fn rank(n: usize) -> (usize, f64) {
    thread_local! {
        static KNOWN: RefCell<HashMap<usize, (usize, f64)>> = RefCell::default();
    }
    KNOWN.with_borrow_mut(|known| *known.entry(n).or_insert_with(|| find_rank(n)))
}

fn find_rank(n: usize) -> (usize, f64) {
    if n == 1 {
        return (1, 0.0);
    }
    let binomial = Binomial::new(0.5, n as u64).expect("one half is a probability");
    let coverage = |rank: usize| (1.0 - 2.0 * binomial.cdf(rank as u64 - 1)).max(0.0);
    // The normal approximation lands within a rank or two.
    let guess = n as f64 / 2.0 - 0.98 * (n as f64).sqrt();
    let mut rank = (guess.max(1.0) as usize).min(n);
    while 2 * (rank + 1) <= n && coverage(rank + 1) >= AIM {
        rank += 1;
    }
    while rank > 1 && coverage(rank) < AIM {
        rank -= 1;
    }
    (rank, coverage(rank))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp(n: usize) -> Estimate {
        // In an order that goes to and fro, so that each value counts.
        let (low, high) = (1..=n / 2, n / 2 + 1..=n);
        let mut series: Vec<f64> = low.zip(high.clone()).flat_map(|(a, b)| [b as f64, a as f64]).collect();
        series.extend(high.skip(n / 2).map(|i| i as f64));
        estimate(series, "ns").unwrap()
    }

    /// Ranks and coverages as tabled for the sign test's interval, such as W. J. Conover, *Practical Nonparametric Statistics*.
    #[test]
    fn ranks_are_those_of_the_tables() {
        for (n, low, high, coverage) in [
            (1, 1.0, 1.0, 0.0),
            (2, 1.0, 2.0, 0.5),
            (5, 1.0, 5.0, 0.9375),
            (6, 1.0, 6.0, 0.96875),
            (8, 1.0, 8.0, 0.992_187_5),
            (9, 2.0, 8.0, 0.960_937_5),
            (10, 2.0, 9.0, 0.978_515_625),
            (20, 6.0, 15.0, 0.958_61),
            (100, 40.0, 61.0, 0.964_80),
        ] {
            let got = ramp(n);
            assert_eq!((got.low, got.high, got.n, got.independent), (low, high, n, n), "n = {n}");
            assert!((got.coverage - coverage).abs() < 1e-5, "n = {n}: {}", got.coverage);
        }
    }

    #[test]
    fn a_rank_more_would_fall_below_the_aim_whatever_the_number() {
        for n in 6..3000 {
            let (rank, coverage) = find_rank(n);
            assert!(coverage >= AIM, "n = {n}");
            let binomial = Binomial::new(0.5, n as u64).unwrap();
            assert!(1.0 - 2.0 * binomial.cdf(rank as u64) < AIM, "n = {n}");
        }
    }

    #[test]
    fn identical_values_have_an_interval_of_no_width() {
        let same = estimate(vec![7.5; 12], "ns").unwrap();
        assert_eq!((same.low, same.median, same.high), (7.5, 7.5, 7.5));
        assert_eq!(relative_half_width(&same), Some(0.0));
    }

    #[test]
    fn nothing_gives_nothing_and_what_is_not_finite_does_not_count() {
        assert_eq!(estimate(vec![], "ns"), None);
        assert_eq!(estimate(vec![f64::NAN, f64::INFINITY], "ns"), None);
        assert_eq!(estimate(vec![f64::NAN, 3.0], "ns").unwrap().n, 1);
        assert_eq!(estimate(vec![f64::MAX, f64::MAX], "ns").unwrap().median, f64::MAX);
    }

    #[test]
    fn a_median_of_zero_has_no_relative_width_unless_the_interval_has_none() {
        assert_eq!(relative_half_width(&estimate(vec![-1.0, 0.0, 1.0], "ns").unwrap()), None);
        assert_eq!(relative_half_width(&estimate(vec![0.0; 3], "ns").unwrap()), Some(0.0));
    }
}
