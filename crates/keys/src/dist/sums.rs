//! Sums of uniform numbers, which stand in for a normal distribution in sysbench.

/// The most numbers whose sum's distribution is computed: beyond it the alternating sum loses its last digits.
const MOST: u32 = 16;

/// The probability that the sum of `n` numbers, each uniform in [0, 1), is at most `x`: the Irwin–Hall distribution, to about
/// 10⁻¹². `None` beyond 16 numbers.
pub(super) fn continuous(n: u32, x: f64) -> Option<f64> {
    if !(1..=MOST).contains(&n) {
        return None;
    }
    let most = f64::from(n);
    if x <= 0.0 {
        return Some(0.0);
    }
    if x >= most {
        return Some(1.0);
    }
    // The upper half mirrors the lower one, where the terms are small.
    if 2.0 * x > most {
        return Some(
            1.0 - lower(n, |k| (0..n).map(|i| (most - x - f64::from(k)) / f64::from(i + 1)).product(), most - x),
        );
    }
    Some(lower(n, |k| (0..n).map(|i| (x - f64::from(k)) / f64::from(i + 1)).product(), x))
}

/// The probability that the sum of `n` whole numbers, each uniform in 0 to `values` − 1, is at most `sum`, to about 10⁻¹². `None`
/// beyond 16 numbers.
pub(super) fn whole(n: u32, values: u64, sum: u64) -> Option<f64> {
    if !(1..=MOST).contains(&n) {
        return None;
    }
    let most = u64::from(n) * (values - 1);
    if sum >= most {
        return Some(1.0);
    }
    let at_most = |sum: u64| {
        let values = values as f64;
        // Ways to write at most `left` as n whole numbers of any size, over values^n.
        let ways = |k: u32| {
            let left = sum as f64 - f64::from(k) * values;
            (1..=n).map(|i| (left + f64::from(i)) / (values * f64::from(i))).product()
        };
        lower(n, ways, sum as f64 / values)
    };
    Some(if 2 * sum >= most { 1.0 - at_most(most - sum - 1) } else { at_most(sum) })
}

/// Inclusion and exclusion of the numbers that are too large: Σ (−1)^k · C(n, k) · term(k) over k ≤ `last`.
fn lower(n: u32, term: impl Fn(u32) -> f64, last: f64) -> f64 {
    let (mut sum, mut choose) = (0.0, 1.0);
    for k in 0..=n {
        if f64::from(k) > last {
            break;
        }
        sum += if k % 2 == 0 { choose } else { -choose } * term(k);
        choose *= f64::from(n - k) / f64::from(k + 1);
    }
    sum.clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::{continuous, whole};

    /// By counting all of them.
    #[test]
    fn sums_of_whole_numbers_are_counted() {
        for (n, values) in [(1, 5), (2, 6), (3, 4), (12, 2), (4, 7)] {
            let mut ways = vec![1.0];
            for _ in 0..n {
                let mut next = vec![0.0; ways.len() + values - 1];
                for (i, way) in ways.iter().enumerate() {
                    for value in 0..values {
                        next[i + value] += way / values as f64;
                    }
                }
                ways = next;
            }
            let mut expected = 0.0;
            for (sum, way) in ways.iter().enumerate() {
                expected += way;
                let found = whole(n, values as u64, sum as u64).unwrap();
                assert!((found - expected).abs() < 1e-13, "{n} of {values}, sum {sum}: {found}, not {expected}");
            }
        }
        assert_eq!(whole(17, 2, 3), None);
    }

    #[test]
    fn sums_of_real_numbers_are_known() {
        assert!((continuous(12, 6.0).unwrap() - 0.5).abs() < 1e-13);
        assert!((continuous(16, 8.0).unwrap() - 0.5).abs() < 1e-12);
        assert!((continuous(2, 0.5).unwrap() - 0.125).abs() < 1e-15);
        assert!((continuous(2, 1.5).unwrap() - 0.875).abs() < 1e-15);
        // 1/12! at one twelfth of the way.
        assert!((continuous(12, 1.0).unwrap() * 479_001_600.0 - 1.0).abs() < 1e-12);
        assert_eq!((continuous(12, -1.0), continuous(12, 12.5), continuous(17, 1.0)), (Some(0.0), Some(1.0), None));
    }

    #[test]
    fn they_never_fall() {
        for n in 1..=16 {
            let mut before = 0.0;
            for i in 0..=1000 {
                let x = f64::from(n) * f64::from(i) / 1000.0;
                let at = continuous(n, x).unwrap();
                assert!(at >= before - 1e-12, "{n} at {x}");
                before = at;
            }
        }
    }
}
