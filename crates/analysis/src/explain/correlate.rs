//! How two quantities rise together: Pearson's and Spearman's coefficients, and what a few points are worth.

use statrs::distribution::{ContinuousCDF, Normal};

use crate::interval::AIM;
use crate::summary::Estimate;

/// Fewer points than this correlate by chance as often as not.
pub const FEWEST_POINTS: usize = 4;

/// Pearson's coefficient of points (x, y); `None` with fewer than two or where x or y does not vary.
pub fn pearson(points: &[(f64, f64)]) -> Option<f64> {
    let n = points.len() as f64;
    let scale = |of: fn(&(f64, f64)) -> f64| points.iter().map(|point| of(point).abs()).fold(0.0, f64::max);
    // Of numbers near the largest there are the squares would not be finite.
    let (x_scale, y_scale) = (scale(|point| point.0), scale(|point| point.1));
    if points.len() < 2 || !(x_scale > 0.0 && y_scale > 0.0) {
        return None;
    }
    let scaled = || points.iter().map(|(x, y)| (x / x_scale, y / y_scale));
    let (x_mean, y_mean) = scaled().fold((0.0, 0.0), |(a, b), (x, y)| (a + x / n, b + y / n));
    let sums = scaled().map(|(x, y)| (x - x_mean, y - y_mean)).fold(Sums::default(), Sums::with);
    sums.coefficient()
}

/// Spearman's coefficient: Pearson's of the ranks, of which equal values share their mean (M. G. Kendall, *Rank Correlation
/// Methods*, chapter 3).
pub fn spearman(points: &[(f64, f64)]) -> Option<f64> {
    let (x, y) = (points.iter().map(|point| point.0).collect(), points.iter().map(|point| point.1).collect());
    let ranks: Vec<(f64, f64)> = ranks(x).into_iter().zip(ranks(y)).collect();
    pearson(&ranks)
}

/// The rank of each value from 1; equal values share the mean of theirs.
pub(super) fn ranks(values: Vec<f64>) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut from = 0;
    while from < order.len() {
        let same = order[from..].iter().take_while(|&&i| values[i] == values[order[from]]).count().max(1);
        for &i in &order[from..from + same] {
            ranks[i] = from as f64 + (same as f64 + 1.0) / 2.0;
        }
        from += same;
    }
    ranks
}

/// Sums of squares and products of deviations.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    xx: f64,
    yy: f64,
    xy: f64,
}

impl Sums {
    pub fn with(self, (x, y): (f64, f64)) -> Sums {
        Sums { xx: self.xx + x * x, yy: self.yy + y * y, xy: self.xy + x * y }
    }

    pub fn plus(self, other: &Sums, times: f64) -> Sums {
        Sums { xx: self.xx + other.xx * times, yy: self.yy + other.yy * times, xy: self.xy + other.xy * times }
    }

    /// The correlation; `None` where one of the two hardly varies beyond what rounding does.
    pub fn coefficient(&self) -> Option<f64> {
        let varies = self.xx > 1e-24 && self.yy > 1e-24;
        let value = self.xy / (self.xx.sqrt() * self.yy.sqrt());
        // One but for rounding is one.
        let whole = value.abs() > 1.0 - 1e-12;
        (varies && value.is_finite()).then(|| if whole { value.signum() } else { value })
    }
}

/// Two coefficients of the same points.
pub(super) struct Both {
    pub spearman: Option<Estimate>,
    pub pearson: Option<Estimate>,
}

/// Both coefficients over points that are taken for independent, with intervals by Fisher's z (R. A. Fisher, "On the 'probable
/// error' of a coefficient of correlation", Metron 1 (1921)): z = artanh r is about normal with variance 1/(n − 3) for Pearson's, and
/// (1 + ρ²/2)/(n − 3) for Spearman's (D. G. Bonett, T. A. Wright, "Sample size requirements for estimating Pearson, Kendall and
/// Spearman correlations", Psychometrika 65 (2000)). None below [`FEWEST_POINTS`].
pub(super) fn over_points(points: &[(f64, f64)]) -> Both {
    let n = points.len();
    if n < FEWEST_POINTS {
        return Both { spearman: None, pearson: None };
    }
    let free = (n - 3) as f64;
    let pearson = pearson(points).map(|r| fisher(r, r, 1.0 / free, n));
    let spearman = spearman(points).map(|rho| {
        // Ranks in perfect order are one of finitely many orders: half a step back (a swap of neighbours is a step of
        // 12/(n(n² − 1))), or few points in order would be certain.
        let step = 6.0 / (n as f64 * (n as f64 * n as f64 - 1.0));
        let inside = rho.clamp(step - 1.0, 1.0 - step);
        fisher(rho, inside, (1.0 + inside * inside / 2.0) / free, n)
    });
    Both { spearman, pearson }
}

fn fisher(value: f64, inside: f64, variance: f64, n: usize) -> Estimate {
    let normal = Normal::standard();
    let reach = normal.inverse_cdf(0.5 + AIM / 2.0) * variance.sqrt();
    // An artanh of one is infinite, and its tanh is one again.
    let end = |reach: f64| ((inside.atanh() + reach).tanh()).clamp(-1.0, 1.0);
    Estimate {
        median: value,
        low: end(-reach).min(value),
        high: end(reach).max(value),
        unit: String::new(),
        n,
        independent: n,
        coverage: AIM,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: Option<f64>, b: f64) {
        assert!((a.unwrap() - b).abs() < 5e-5, "{a:?} {b}");
    }

    /// F. J. Anscombe, "Graphs in Statistical Analysis", The American Statistician 27 (1973): one Pearson, four pictures.
    #[test]
    fn anscombes_quartet_has_one_pearson_and_several_spearmans() {
        let x = [10.0, 8.0, 13.0, 9.0, 11.0, 14.0, 6.0, 4.0, 12.0, 7.0, 5.0];
        let fourth = [8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 8.0, 19.0, 8.0, 8.0, 8.0];
        let sets = [
            (x, [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68], 0.816_42, 0.818_18),
            (x, [9.14, 8.14, 8.74, 8.77, 9.26, 8.10, 6.13, 3.10, 9.13, 7.26, 4.74], 0.816_24, 0.690_91),
            (x, [7.46, 6.77, 12.74, 7.11, 7.81, 8.84, 6.08, 5.39, 8.15, 6.42, 5.73], 0.816_29, 0.990_91),
            (fourth, [6.58, 5.76, 7.71, 8.84, 8.47, 7.04, 5.25, 12.50, 5.56, 7.91, 6.89], 0.816_52, 0.5),
        ];
        for (x, y, r, rho) in sets {
            let points: Vec<(f64, f64)> = x.into_iter().zip(y).collect();
            close(pearson(&points), r);
            close(spearman(&points), rho);
        }
    }

    #[test]
    fn ties_share_the_mean_of_their_ranks() {
        assert_eq!(ranks(vec![3.0, 1.0, 3.0, 2.0, 3.0]), [4.0, 1.0, 4.0, 2.0, 4.0]);
        assert_eq!(ranks(vec![0.0, 0.0]), [1.5, 1.5]);
        // Ranks (1.5, 1.5, 3, 4) and (1, 2, 3.5, 3.5): Σxy = 4 of √(4.5 · 4.5).
        let points = [(1.0, 1.0), (1.0, 2.0), (2.0, 9.0), (3.0, 9.0)];
        close(spearman(&points), 4.0 / 4.5);
    }

    #[test]
    fn what_does_not_vary_and_what_is_too_little_have_no_coefficient() {
        assert_eq!(pearson(&[(1.0, 2.0), (1.0, 3.0), (1.0, 4.0)]), None);
        assert_eq!(pearson(&[(0.1 + 0.2, 2.0), (0.3, 3.0)]), None, "rounding is no variation");
        assert_eq!(pearson(&[(1.0, 1.0)]), None);
        assert_eq!(pearson(&[]), None);
        assert!(over_points(&[(1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]).spearman.is_none());
        close(pearson(&[(1e300, 1.0), (1e308, 2.0), (0.0, 0.0)]), 0.866_03);
    }

    /// r = 0.6 of 28 points: z = 0.6931 ± 1.96/5, from 0.2924 to 0.7951.
    #[test]
    fn intervals_are_fishers() {
        let interval = fisher(0.6, 0.6, 1.0 / 25.0, 28);
        assert!((interval.low - 0.2924).abs() < 1e-4 && (interval.high - 0.7951).abs() < 1e-4, "{interval:?}");
    }

    #[test]
    fn four_points_in_perfect_order_prove_nothing() {
        let few = over_points(&[(1.0, 1.0), (2.0, 3.0), (3.0, 4.0), (4.0, 9.0)]).spearman.unwrap();
        assert!(few.median == 1.0 && few.high == 1.0 && few.low < 0.0, "{few:?}");
        let many: Vec<(f64, f64)> = (0..20).map(|i| (f64::from(i), f64::from(i * i))).collect();
        assert!(over_points(&many).spearman.unwrap().low > 0.95);
    }
}
