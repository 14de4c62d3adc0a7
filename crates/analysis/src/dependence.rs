//! How many independent values a series of trials is worth.
//!
//! Trials that follow each other on a drifting machine are alike, so n of them know less of the median than n independent ones
//! would. For a median what counts is how long the series stays on one side of it: with ρₖ the autocorrelation at lag k of the
//! signs of (value − median), the median's variance is that of n/τ independent values, τ = 1 + 2·Σρₖ (P. Heidelberger, P. A. W.
//! Lewis, "Quantile Estimation in Dependent Sequences", Operations Research 32 (1984)). The sum ends where two neighbouring
//! autocorrelations together are no longer positive (C. J. Geyer, "Practical Markov Chain Monte Carlo", Statistical Science 7
//! (1992), section 3.3).

/// With fewer values than this their order tells nothing.
const FEWEST: usize = 10;

/// The longest lag looked at, so that the work grows no faster than the number of values.
const LONGEST_LAG: usize = 1000;

/// How many independent values those of `series`, in the order of time, are worth about their median: from 1 to as many as
/// there are. Independent values are worth all but a few of themselves.
pub fn independent(series: &[f64], median: f64) -> usize {
    let n = series.len();
    if n < FEWEST {
        return n;
    }
    let signs: Vec<i32> = series.iter().map(|value| i32::from(*value > median) - i32::from(*value < median)).collect();
    let product = |lag: usize| signs.iter().zip(&signs[lag..]).map(|(a, b)| i64::from(a * b)).sum::<i64>();
    let square = product(0);
    if square == 0 {
        return n;
    }
    let mut sum = -square;
    for lag in (0..(n / 2).min(LONGEST_LAG)).step_by(2) {
        let two = product(lag) + product(lag + 1);
        if two <= 0 {
            break;
        }
        sum += 2 * two;
    }
    let tau = (sum as f64 / square as f64).max(1.0);
    ((n as f64 / tau) as usize).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worth(series: &[f64]) -> usize {
        independent(series, crate::interval::median(series.to_vec()).unwrap())
    }

    #[test]
    fn a_series_that_jumps_to_and_fro_is_worth_all_its_values() {
        let series: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
        assert_eq!(worth(&series), 100);
        assert_eq!(worth(&[3.0; 50]), 50);
    }

    /// Each value `hold` times in a row: worth about one value for each hold.
    #[test]
    fn a_value_that_is_held_counts_once() {
        let mut state = 7_u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 8)
        };
        for hold in [1, 5, 20] {
            let series: Vec<f64> = (0..2000 / hold).flat_map(|_| vec![random(); hold]).collect();
            let expected = 2000 / hold;
            let found = worth(&series);
            assert!((expected / 2..=expected * 3 / 2).contains(&found), "held {hold} times: {found} of {expected}");
        }
    }

    #[test]
    fn a_drift_from_below_to_above_is_worth_next_to_nothing() {
        let ramp: Vec<f64> = (0..1000).map(f64::from).collect();
        assert!(worth(&ramp) <= 5, "{}", worth(&ramp));
    }

    #[test]
    fn few_values_tell_nothing_of_their_order() {
        for n in 0..FEWEST {
            let ramp: Vec<f64> = (0..n).map(|i| i as f64).collect();
            assert_eq!(independent(&ramp, n as f64 / 2.0), n);
        }
    }
}
