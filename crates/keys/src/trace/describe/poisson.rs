//! Probabilities of Poisson's law.

/// Up to here tails are summed term by term.
const SUMMED: f64 = 2000.0;

/// The probability of `count` or more where `mean` is expected, 0 to 1.
pub(super) fn at_least(mean: f64, count: u64) -> f64 {
    if count == 0 {
        return 1.0;
    }
    if mean <= 0.0 {
        return 0.0;
    }
    let c = count as f64;
    if mean.max(c) > SUMMED {
        return roughly(mean, c);
    }
    let first = |k: f64| (k * mean.ln() - mean - libm::lgamma(k + 1.0)).exp();
    // The smaller side is summed, away from the middle, until nothing is added.
    let (mut sum, mut k) = (0.0, if c > mean { c } else { c - 1.0 });
    let mut term = first(k);
    let above = c > mean;
    while term > sum * 1e-16 && k >= 0.0 {
        sum += term;
        term *= if above { mean / (k + 1.0) } else { k / mean };
        k += if above { 1.0 } else { -1.0 };
    }
    if above { sum.min(1.0) } else { (1.0 - sum).max(0.0) }
}

/// The same by Wilson's and Hilferty's approximation (1931): the cube root of a gamma variable is nearly normal. Good to 0.001 from a count of
/// 10 on, to 0.0001 from 60 on.
pub(super) fn roughly(mean: f64, count: f64) -> f64 {
    let z = 3.0 * count.sqrt() * ((mean / count).cbrt() - 1.0 + 1.0 / (9.0 * count));
    0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of R's `ppois(c - 1, mean, lower = FALSE)`; the short ones follow from e^−mean by hand.
    #[test]
    fn tails_are_known_ones() {
        for (mean, count, known) in [
            (1.0_f64, 1, 1.0 - (-1.0_f64).exp()),
            (1.0, 2, 1.0 - 2.0 * (-1.0_f64).exp()),
            (0.1, 2, 1.0 - 1.1 * (-0.1_f64).exp()),
            (3.0, 1, 1.0 - (-3.0_f64).exp()),
            (5.0, 0, 1.0),
            (0.0, 1, 0.0),
        ] {
            assert!((at_least(mean, count) - known).abs() < 1e-13, "{mean} {count}");
        }
        // Both ways agree where they meet, and sums are as precise far out.
        for (mean, count) in [(100.0, 90), (100.0, 130), (1000.0, 1000), (1900.0, 1990), (64.0, 70)] {
            let (exact, near) = (at_least(mean, count), roughly(mean, count as f64));
            assert!((exact - near).abs() < 2e-4, "{mean} {count}: {exact} {near}");
        }
        let far = at_least(0.5, 12);
        assert!((far / (0.5_f64.powi(12) * (-0.5_f64).exp() / 479_001_600.0) - 1.0).abs() < 0.05, "{far}");
        assert!(at_least(1e9, 2e9 as u64) < 1e-12 && at_least(1e9, 5e8 as u64) > 1.0 - 1e-12);
    }
}
