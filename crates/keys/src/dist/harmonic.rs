//! Sums of k^−θ, the weights of zipf's distribution.

/// Terms that are added one by one; the rest is an integral and its corrections.
const ADDED: u64 = 24;

/// B₂ₘ / (2m)! of the Euler–Maclaurin formula, m from 1 on.
const CORRECTIONS: [f64; 7] = [
    1.0 / 12.0,
    -1.0 / 720.0,
    1.0 / 30_240.0,
    -1.0 / 1_209_600.0,
    1.0 / 47_900_160.0,
    -691.0 / 1_307_674_368_000.0,
    1.0 / 74_724_249_600.0,
];

/// (e^x − 1) / x, and 1 at 0.
#[inline]
pub(super) fn exp_less_1(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { x.exp_m1() / x }
}

/// ln(1 + x) / x, and 1 at 0.
#[inline]
pub(super) fn ln_of_1_and(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { x.ln_1p() / x }
}

/// The integral of t^−θ from 1 to `x`, for θ = 1 too.
#[inline]
pub(super) fn integral(x: f64, theta: f64) -> f64 {
    let ln = x.ln();
    ln * exp_less_1((1.0 - theta) * ln)
}

/// 1 + 2^−θ + … + n^−θ for any θ from 0 on, to about 10⁻¹⁴ of it, in a time that does not grow with `n`: the first terms, and the rest by
/// the formula of Euler and Maclaurin.
pub(super) fn sum(n: u64, theta: f64) -> f64 {
    let weight = |k: f64| k.powf(-theta);
    let one_by_one = |last: u64| (1..=last).rev().map(|k| weight(k as f64)).sum::<f64>();
    if n <= ADDED {
        return one_by_one(n);
    }
    let (first, last) = (ADDED as f64, n as f64);
    // From `first` to `last`, whose own terms count half: that of `first` is among those added one by one.
    let exponent = 1.0 - theta;
    let integral = if exponent.abs() > 0.1 {
        (last.powf(exponent) - first.powf(exponent)) / exponent
    } else {
        // Keeps the digits that cancel there.
        let ln = last.ln() - first.ln();
        first.powf(exponent) * ln * exp_less_1(exponent * ln)
    };
    let halves = (weight(last) - weight(first)) / 2.0;
    let corrections: f64 = (CORRECTIONS.iter().enumerate())
        .map(|(index, part)| {
            // The derivative of the order 2m − 1 at both ends, without its sign.
            let order = 2 * index as u32 + 1;
            let rising = |x: f64| (0..order).fold(weight(x), |product, i| product * (theta + f64::from(i)) / x);
            let (at_first, at_last) = (rising(first), rising(last));
            // Where θ is so large that a factor overflows, the weight it belongs to is 0.
            if at_first.is_finite() && at_last.is_finite() { part * (at_first - at_last) } else { 0.0 }
        })
        .sum();
    one_by_one(ADDED) + (integral + halves + corrections)
}

#[cfg(test)]
mod tests {
    use super::sum;

    /// By adding all terms, the small ones first.
    #[test]
    fn sums_are_those_of_their_terms() {
        for theta in [0.0, 0.3, 0.8, 0.99, 0.999_999_999, 1.0, 1.000_001, 1.5, 2.0, 5.0, 20.0, 100.0, 1e3, 1e9, 1e300] {
            for n in [1, 2, 23, 24, 25, 26, 100, 1000, 100_000] {
                let expected: f64 = (1..=n).rev().map(|k| (k as f64).powf(-theta)).sum();
                let found = sum(n, theta);
                assert!((found / expected - 1.0).abs() < 2e-14, "{n}, {theta}: {found}, not {expected}");
            }
        }
    }

    #[test]
    fn sums_are_known() {
        // YCSB's constant for 10¹⁰ keys, which was added up; Euler's constant; ζ(2); ζ(1.5).
        assert!((sum(10_000_000_000, 0.99) - 26.469_028_201_783_02).abs() < 1e-8);
        let euler = sum(1 << 60, 1.0) - ((1u64 << 60) as f64).ln();
        assert!((euler - 0.577_215_664_901_532_9).abs() < 1e-13, "{euler}");
        assert!((sum(u64::MAX, 2.0) - std::f64::consts::PI.powi(2) / 6.0).abs() < 1e-14);
        assert!((sum(u64::MAX, 1.5) - (2.612_375_348_685_488 - 2.0 / (u64::MAX as f64).sqrt())).abs() < 1e-13);
        assert!((sum(1 << 63, 0.0) / (1u64 << 63) as f64 - 1.0).abs() < 1e-15);
    }
}
