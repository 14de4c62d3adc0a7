//! Zipf's law held to how often keys came.
//!
//! Under it the key of rank r has the probability r^−θ / H, H = Σ r^−θ over the n ranks. Where all ranks are known, the mean of ln r decides
//! of θ (the likelihood is greatest where the law has the mean seen; Clauset, Shalizi and Newman 2009, section 3.1), and n is how many
//! keys there are. Ranks made of counts are not those: where keys come a few times each, chance makes ranks and hides keys, and θ would come
//! out too small. So θ and n are those for which *draws* of the law, ranked by their counts, are expected to have the mean of ln r and
//! the number of different keys seen. The interval is by the delta method from the variances of both, of keys that come as Poisson's law
//! says, given the number of draws.

use super::poisson::at_least;
use super::profile::{Block, Profile, distinct, zipf};

/// What a law may be off and still describe a trace, beside chance: our own bound.
pub const NEAR: f64 = 0.01;

/// Chance is 99 % of the time below this over √draws (Kolmogorov's distribution; with θ and n fitted it is smaller).
const CHANCE: f64 = 1.63;

/// The widest interval of θ that tells something.
pub const WIDEST: f64 = 0.25;

/// Zipf's law with the exponent that fits best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zipf {
    /// The exponent θ, 0 to 10.
    pub theta: f64,
    /// θ with 95 % confidence; `None` where the draws do not tell it, or not all keys were counted.
    pub interval: Option<(f64, f64)>,
    /// The ranks that it is for, keys that did not come among them: an estimate, rough where keys come seldom.
    pub ranks: u64,
    /// The largest share of the draws, 0 to 1, by which the first ranks of the trace differ from those of draws of the law, over all numbers of ranks
    /// (Kolmogorov's and Smirnov's distance).
    pub distance: f64,
    /// Up to which distance it is called a fit: [`NEAR`] and chance, which falls with the number of draws.
    pub limit: f64,
    /// Whether about as many keys come twice, three times, … as in draws of the law: no number of them is a fifth off and beyond chance. Where most keys
    /// come once, the distance says little.
    pub alike: bool,
}

impl Zipf {
    /// Whether the law describes the trace.
    pub fn fits(&self) -> bool {
        self.distance <= self.limit && self.alike
    }

    /// Whether θ is told: its interval is narrow enough.
    pub fn is_told(&self) -> bool {
        self.interval.is_some_and(|(low, high)| high - low <= WIDEST)
    }
}

/// The largest exponent looked for.
const STEEPEST: f64 = 10.0;

/// The most ranks looked for.
const MOST_RANKS: f64 = 1e12;

/// Fits Zipf's law to groups (times, keys), the most often first, each key standing for `each`. With it, the share of the draws that draws of
/// it have in the first so many ranks of each of `firsts`. `None` of one key, and of keys that came once each.
pub(super) fn fit(groups: &[(u64, u64)], each: f64, firsts: &[u64]) -> Option<(Zipf, Vec<f64>)> {
    let seen = Profile::seen(groups, each);
    let (draws, came, logarithm) = (seen.draws(), seen.distinct(), seen.mean_logarithm());
    if came < 2.0 || draws <= came {
        return None;
    }
    let ranks_at = |theta: f64| ranks(theta, draws, came);
    let off = |theta: f64| {
        let Some(ranks) = ranks_at(theta) else { return -1.0 };
        Profile::expected(&zipf(theta, ranks, draws)).mean_logarithm() - logarithm
    };
    // The mean of ln r falls as θ grows; of a law too steep to have so many keys it is too low.
    let (mut low, mut high) = (0.0, STEEPEST);
    for _ in 0..22 {
        let middle = 0.5 * (low + high);
        if off(middle) > 0.0 { low = middle } else { high = middle }
    }
    let theta = if low == 0.0 { 0.0 } else { low };
    let ranks = ranks_at(theta)?;
    let blocks = zipf(theta, ranks, draws);
    let profile = Profile::expected(&blocks);
    let interval = if each > 1.0 { None } else { interval(theta, ranks, draws, &blocks, &profile) };
    let mut distance = 0.0_f64;
    let mut rank = 1.0;
    while rank < came {
        distance = distance.max((seen.first(rank) - profile.first(rank)).abs());
        rank = f64::max(rank + 1.0, (rank * 1.07).floor());
    }
    let alike = groups.len() < 2 || each > 1.0 || alike(groups, &profile);
    let limit = NEAR + CHANCE / draws.sqrt();
    let shares = firsts.iter().map(|first| profile.first(*first as f64)).collect();
    Some((Zipf { theta, interval, ranks, distance, limit, alike }, shares))
}

/// How seldom chance may make a number of keys look unlike the law's, with the share that it must be off besides.
const UNLIKE: f64 = 1e-6;
const OFF: f64 = 0.2;

/// Whether as many keys come so often or more as are expected, at each number of times that was seen, and at one more.
fn alike(groups: &[(u64, u64)], profile: &Profile) -> bool {
    let as_expected = |seen: u64, times: f64| {
        // How often a key comes may be off a little too.
        let [most, least] = [1.0 - NEAR, 1.0 + NEAR].map(|near| profile.at_least(times * near));
        let keys = seen as f64;
        let too_many = keys > most * (1.0 + OFF) && at_least(most, seen) < UNLIKE;
        let too_few = keys < least * (1.0 - OFF) && 1.0 - at_least(least, seen + 1) < UNLIKE;
        !too_many && !too_few
    };
    let mut seen = 0;
    groups.iter().all(|&(times, keys)| {
        // Up to the next more frequent keys there are still as many as before.
        let above = as_expected(seen, times as f64 + 1.0);
        seen += keys;
        above && as_expected(seen, times as f64)
    })
}

/// How many ranks it takes that so many different keys come; `None` where no number does.
fn ranks(theta: f64, draws: f64, came: f64) -> Option<u64> {
    let of = |ranks: f64| distinct(&zipf(theta, ranks as u64, draws));
    let (mut low, mut high) = (came.ln(), MOST_RANKS.ln());
    if of(high.exp()) < came {
        // A little short is chance: the most that there can be.
        return (of(high.exp()) > came - 4.0 * came.sqrt() && theta > 0.0).then_some(MOST_RANKS as u64);
    }
    for _ in 0..36 {
        let middle = 0.5 * (low + high);
        if of(middle.exp()) < came { low = middle } else { high = middle }
    }
    Some(high.exp().round().max(came) as u64)
}

/// θ with 95 % confidence.
fn interval(theta: f64, ranks: u64, draws: f64, blocks: &[Block], profile: &Profile) -> Option<(f64, f64)> {
    let spread = variance(blocks, profile, draws);
    // How both numbers change with θ and with ln n.
    let at = |theta: f64, ranks: f64| {
        let blocks = zipf(theta, ranks.round() as u64, draws);
        (Profile::expected(&blocks).mean_logarithm(), distinct(&blocks))
    };
    let n = ranks as f64;
    let (h, k) = (0.005, f64::max(0.02, 2.0 / n));
    let low = (theta - h).max(0.0);
    let (a, b) = (at(low, n), at(theta + h, n));
    let (c, d) = (at(theta, n), at(theta, n * (1.0 + k)));
    let slope = [(b.0 - a.0) / (theta + h - low), (b.1 - a.1) / (theta + h - low)];
    let by_ranks = [(d.0 - c.0) / k.ln_1p(), (d.1 - c.1) / k.ln_1p()];
    let determinant = slope[0] * by_ranks[1] - by_ranks[0] * slope[1];
    let [of_logarithm, of_came] = [by_ranks[1] / determinant, -by_ranks[0] / determinant];
    let variance = of_logarithm * of_logarithm * spread[0]
        + 2.0 * of_logarithm * of_came * spread[1]
        + of_came * of_came * spread[2];
    let half = 1.96 * variance.max(0.0).sqrt();
    half.is_finite().then(|| ((theta - half).max(0.0), (theta + half).min(STEEPEST)))
}

/// The variance of the mean of ln r, its covariance with the number of different keys, and the variance of that, given the number of draws.
fn variance(blocks: &[Block], profile: &Profile, draws: f64) -> [f64; 3] {
    let gains = profile.gains();
    // Covariances of the sum of ln r (0), the number of keys (1), the draws (2).
    let mut of = [[0.0; 3]; 3];
    for &Block { ranks, mean } in blocks {
        let mut one = [[0.0; 3]; 3];
        if mean < 24.0 {
            let mut term = (-mean).exp();
            let mut means = [0.0; 3];
            for count in 0..64_usize {
                let values = [gains.of(count), f64::from(u8::from(count > 0)), count as f64];
                for i in 0..3 {
                    means[i] += term * values[i];
                    (0..3).for_each(|j| one[i][j] += term * values[i] * values[j]);
                }
                term *= mean / (count + 1) as f64;
            }
            (0..3).for_each(|i| (0..3).for_each(|j| one[i][j] -= means[i] * means[j]));
        } else {
            let more = gains.more(mean);
            one = [[mean * more * more, 0.0, mean * more], [0.0; 3], [mean * more, 0.0, mean]];
        }
        (0..3).for_each(|i| (0..3).for_each(|j| of[i][j] += ranks * one[i][j]));
    }
    let given = |i: usize, j: usize| of[i][j] - of[i][2] * of[j][2] / of[2][2];
    [given(0, 0) / (draws * draws), given(0, 1) / draws, given(1, 1)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::describe::sums::powers;

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
                let counts = (1..=ranks).map(|r| ((r as f64).powf(-theta) / whole * 1e10).round() as u64);
                let (zipf, _) = fit(&grouped(counts), 1.0, &[]).unwrap();
                assert!((zipf.theta - theta).abs() < 2e-3, "{theta} {ranks}: {zipf:?}");
                assert!(zipf.distance < 2e-3 && zipf.fits(), "{zipf:?}");
            }
        }
    }

    #[test]
    fn what_is_no_such_law_does_not_fit() {
        // Three quarters of the keys are one of 77.
        let (zipf, _) = fit(&[(10_000, 77), (250, 1027)], 1.0, &[]).unwrap();
        assert!(!zipf.fits(), "{zipf:?}");
        // One key 50 times among keys that come once.
        let (hidden, _) = fit(&[(50, 1), (3, 2), (2, 500), (1, 98_940)], 1.0, &[]).unwrap();
        assert!(hidden.distance < hidden.limit && !hidden.fits(), "{hidden:?}");
        assert_eq!(fit(&[(5, 1)], 1.0, &[]), None);
        assert_eq!(fit(&[(1, 5)], 1.0, &[]), None);
        assert_eq!(fit(&[], 1.0, &[]), None);
        let (flat, _) = fit(&[(5, 1_000_000)], 1.0, &[]).unwrap();
        assert!(flat.theta < 1e-3, "{flat:?}");
    }
}
