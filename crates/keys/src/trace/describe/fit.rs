//! Zipf's law held to how often keys came.
//!
//! Under it the key of rank r has the probability r^−θ / H, H = Σ r^−θ over the n ranks. Given how often the ranks came, the likelihood
//! is greatest where the mean of ln r under the law is the mean seen (Clauset, Shalizi and Newman 2009, section 3.1, for a known smallest
//! and largest rank). Ranks are taken from the counts themselves and n is the number of keys that came: where keys come a few times
//! each, chance makes ranks of nothing and θ comes out too large; [`even`] tells when that is all there is.

/// The largest distance that is taken as a fit: our own bound. Any real trace is told apart from any law by enough keys, so no
/// significance is asked for.
pub const FITS: f64 = 0.05;

/// Zipf's law with the exponent that fits best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zipf {
    /// The exponent θ, 0 to 10.
    pub theta: f64,
    /// The ranks that it is for.
    pub ranks: u64,
    /// The largest distance between the law's cumulative distribution over ranks and the one seen (Kolmogorov–Smirnov), 0 to 1.
    pub distance: f64,
}

impl Zipf {
    /// Whether the law describes the trace.
    pub fn fits(&self) -> bool {
        self.distance <= FITS
    }

    /// The share of the ranks up to one.
    pub fn cumulative(&self, rank: u64) -> f64 {
        powers(self.theta, 1, rank.min(self.ranks)) / powers(self.theta, 1, self.ranks)
    }
}

/// The largest exponent looked for.
const STEEPEST: f64 = 10.0;

/// Fits Zipf's law to groups (times, keys), the most often first.
pub(super) fn fit(groups: &[(u64, u64)]) -> Option<Zipf> {
    let ranks: u64 = groups.iter().map(|group| group.1).sum();
    if ranks < 2 {
        return None;
    }
    let all: f64 = groups.iter().map(|&(times, keys)| times as f64 * keys as f64).sum();
    let (mut before, mut logs) = (0, 0.0);
    for &(times, keys) in groups {
        logs += times as f64 * logarithms(before + 1, before + keys);
        before += keys;
    }
    let seen = logs / all;
    // The mean of ln r falls as θ grows.
    let mean = |theta: f64| powers_with_logarithms(theta, 1, ranks) / powers(theta, 1, ranks);
    let (mut low, mut high) = (0.0, STEEPEST);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if mean(middle) > seen { low = middle } else { high = middle }
    }
    let zipf = Zipf { theta: 0.5 * (low + high), ranks, distance: 0.0 };
    let whole = powers(zipf.theta, 1, ranks);
    let (mut rank, mut came, mut expected, mut distance) = (0_u64, 0.0, 0.0, 0.0_f64);
    for &(times, keys) in groups {
        // Within a group the share seen is a straight line and the law is not.
        let pieces = keys.min(64);
        for piece in 0..pieces {
            let end = |piece: u64| (u128::from(keys) * u128::from(piece) / u128::from(pieces)) as u64;
            let more = end(piece + 1) - end(piece);
            came += times as f64 * more as f64 / all;
            expected += powers(zipf.theta, rank + 1, rank + more) / whole;
            rank += more;
            distance = distance.max((came - expected).abs());
        }
    }
    Some(Zipf { distance: distance.min(1.0), ..zipf })
}

/// Whether the counts scatter no more than those of uniform draws would: their variance is at most their mean, with five standard
/// deviations of it for chance (the index of dispersion, with variance 2 / (n − 1) about 1).
pub(super) fn even(groups: &[(u64, u64)]) -> bool {
    let keys: f64 = groups.iter().map(|group| group.1 as f64).sum();
    if keys < 2.0 {
        return true;
    }
    let all: f64 = groups.iter().map(|&(times, keys)| times as f64 * keys as f64).sum();
    let mean = all / keys;
    let squares: f64 = groups.iter().map(|&(times, keys)| keys as f64 * (times as f64 - mean).powi(2)).sum();
    squares / (keys - 1.0) <= mean * (1.0 + 5.0 * (2.0 / (keys - 1.0)).sqrt())
}

/// Ranks that are summed one by one; beyond them sums are integrals with Euler's and Maclaurin's first correction.
const ONE_BY_ONE: u64 = 64;

/// Σ f(r) for r from `a` to `b`, with f, its derivative, and its integral from one number to another.
fn sum(
    a: u64,
    b: u64,
    f: impl Fn(f64) -> f64,
    derivative: impl Fn(f64) -> f64,
    integral: impl Fn(f64, f64) -> f64,
) -> f64 {
    let few = b.min(ONE_BY_ONE.max(a.saturating_add(7)));
    let mut sum: f64 = (a..=few).map(|rank| f(rank as f64)).sum();
    if few < b {
        let (x, y) = ((few + 1) as f64, b as f64);
        sum += integral(x, y) + 0.5 * (f(x) + f(y)) + (derivative(y) - derivative(x)) / 12.0;
    }
    sum
}

/// Σ r^−θ.
fn powers(theta: f64, a: u64, b: u64) -> f64 {
    let s = 1.0 - theta;
    sum(
        a,
        b,
        |x| x.powf(-theta),
        |x| -theta * x.powf(-theta - 1.0),
        |x, y| {
            let z = s * (y / x).ln();
            let factor = if z.abs() < 1e-12 { 1.0 } else { z.exp_m1() / z };
            x.powf(s) * (y / x).ln() * factor
        },
    )
}

/// Σ r^−θ ln r.
fn powers_with_logarithms(theta: f64, a: u64, b: u64) -> f64 {
    let s = 1.0 - theta;
    sum(
        a,
        b,
        |x| x.powf(-theta) * x.ln(),
        |x| x.powf(-theta - 1.0) * (1.0 - theta * x.ln()),
        |x, y| {
            let (lx, ly) = (x.ln(), y.ln());
            if (s * ly).abs() > 1.0 {
                let at = |x: f64, log: f64| x.powf(s) * (log / s - 1.0 / (s * s));
                return at(y, ly) - at(x, lx);
            }
            // Near θ = 1 the closed form is a difference of huge numbers: Σ s^k / k! · ∫ ln^(k+1).
            let (mut term, mut sum) = (1.0, 0.0);
            for k in 0..25 {
                let power = f64::from(k + 2);
                sum += term * (ly.powf(power) - lx.powf(power)) / power;
                term *= s / f64::from(k + 1);
            }
            sum
        },
    )
}

/// Σ ln r.
fn logarithms(a: u64, b: u64) -> f64 {
    sum(a, b, f64::ln, |x| 1.0 / x, |x, y| y * y.ln() - y - (x * x.ln() - x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_taken_one_by_one() {
        for (a, b) in [(1, 1), (1, 64), (1, 65), (1, 50_000), (60, 70), (1000, 90_000)] {
            for theta in [0.0, 0.3, 0.99, 0.999_999, 1.0, 1.000_001, 1.5, 3.0, 10.0] {
                let direct: f64 = (a..=b).map(|r| (r as f64).powf(-theta)).sum();
                assert!((powers(theta, a, b) / direct - 1.0).abs() < 1e-6, "{theta} {a}..{b}");
                let direct: f64 = (a..=b).map(|r| (r as f64).powf(-theta) * (r as f64).ln()).sum();
                let ours = powers_with_logarithms(theta, a, b);
                assert!((ours - direct).abs() <= 1e-6 * direct.abs(), "{theta} {a}..{b}: {ours} {direct}");
            }
            let direct: f64 = (a..=b).map(|r| (r as f64).ln()).sum();
            assert!((logarithms(a, b) - direct).abs() <= 1e-9 * direct.abs(), "{a}..{b}");
        }
    }

    /// Known probabilities: of 1000 ranks the first has 0.129384 at θ = 0.99 and 0.133592 at θ = 1.
    #[test]
    fn the_law_has_known_probabilities() {
        for (theta, first) in [(0.99, 0.129_384), (1.0, 0.133_592)] {
            let zipf = Zipf { theta, ranks: 1000, distance: 0.0 };
            assert!((zipf.cumulative(1) - first).abs() < 1e-6);
            assert!((zipf.cumulative(1000) - 1.0).abs() < 1e-12);
        }
    }

    fn grouped(counts: impl Iterator<Item = u64>) -> Vec<(u64, u64)> {
        let mut groups: Vec<(u64, u64)> = Vec::new();
        for times in counts.filter(|times| *times > 0) {
            match groups.last_mut() {
                Some((last, keys)) if *last == times => *keys += 1,
                _ => groups.push((times, 1)),
            }
        }
        groups
    }

    #[test]
    fn the_exponent_is_found_again() {
        for theta in [0.0, 0.5, 0.8, 0.99, 1.0, 1.2, 2.0] {
            for ranks in [10, 1000, 100_000_u64] {
                let whole = powers(theta, 1, ranks);
                let counts = (1..=ranks).map(|r| ((r as f64).powf(-theta) / whole * 1e12).round() as u64);
                let zipf = fit(&grouped(counts)).unwrap();
                assert!((zipf.theta - theta).abs() < 1e-3, "{theta} {ranks}: {zipf:?}");
                assert!(zipf.distance < 1e-3 && zipf.fits(), "{zipf:?}");
            }
        }
    }

    #[test]
    fn what_is_no_such_law_does_not_fit() {
        // Three quarters of the keys are one of 77.
        let zipf = fit(&[(10_000, 77), (250, 1027)]).unwrap();
        assert!(!zipf.fits(), "{zipf:?}");
        assert_eq!(fit(&[(5, 1)]), None);
        assert_eq!(fit(&[]), None);
        let flat = fit(&[(5, 1_000_000)]).unwrap();
        assert!(flat.theta < 1e-9 && flat.distance < 1e-9, "{flat:?}");
    }

    #[test]
    fn chance_is_even_and_skew_is_not() {
        let uniform: Vec<u64> = (0..200_000_u64).map(|i| super::super::hash::mixed(i) % 20_000).collect();
        let counted = super::super::counts::count(uniform.as_slice(), super::super::Limits::default());
        assert!(even(&counted.groups()));
        assert!(!even(&[(10_000, 77), (250, 1027)]));
        assert!(even(&[(1, 50)]));
    }
}
