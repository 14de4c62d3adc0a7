//! Whether keys come as evenly as uniform draws would let them.
//!
//! Of how many keys the draws are is not known: keys that did not come count too. Uniform draws let every key come as Poisson's law says, and
//! the keys that came are those of its counts that are not 0; the mean of these tells how many there are (maximum likelihood). Then no count
//! may have more keys at it or beyond, or at it or below, than chance gives. "No skew" is said only where a skew would have shown.

use super::poisson::at_least;

/// What the counts say of skew.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Evenness {
    /// The counts are those of uniform draws.
    Even {
        /// Of about so many keys, those that did not come among them.
        keys: f64,
    },
    /// The counts would be the same with and without skew.
    TooFew,
    /// Some keys come more often than uniform draws let them.
    Skewed,
}

/// How often chance may be taken for skew.
const MISTAKEN: f64 = 1e-4;

/// A skew is said to be absent where the squared coefficient of variation of the keys' probabilities is known to this: Zipf's law has 0.2 at
/// θ = 0.3, 2.5 at θ = 0.5 over a million keys.
const KNOWN_TO: f64 = 0.1;

/// What groups (times, keys), the most often first, say of skew.
pub(super) fn evenness(groups: &[(u64, u64)]) -> Evenness {
    let came: f64 = groups.iter().map(|group| group.1 as f64).sum();
    let draws: f64 = groups.iter().map(|&(times, keys)| times as f64 * keys as f64).sum();
    if came < 2.0 || draws <= came {
        return Evenness::TooFew;
    }
    let mean = mean_with_zeros(draws / came);
    let keys = draws / mean;
    let middle = draws / came;
    let squares: f64 = groups.iter().map(|&(times, keys)| keys as f64 * (times as f64 - middle).powi(2)).sum();
    // Counts that scatter less than chance lets them crowd at their mean: no skew, whatever their tails.
    let crowded = squares / came <= middle * (1.0 + mean - middle);
    let bound = MISTAKEN / (2.0 * groups.len() as f64);
    // So many keys or more where so many are expected: less likely than the bound.
    let too_many = |seen: f64, expected: f64| !crowded && seen > expected && at_least(expected, seen as u64) < bound;
    let mut hot = 0.0;
    for &(times, of) in groups {
        hot += of as f64;
        if too_many(hot, keys * at_least(mean, times)) {
            return Evenness::Skewed;
        }
    }
    let (mut cold, none) = (0.0, keys * (-mean).exp());
    for &(times, of) in groups.iter().rev() {
        cold += of as f64;
        if too_many(cold, keys * (1.0 - at_least(mean, times + 1)) - none) {
            return Evenness::Skewed;
        }
    }
    // From the spread where keys come often; from those that come three times where they come seldom (n·mean³/6 of them).
    let known = (2.0 / came).sqrt() / mean + (6.0 / keys).sqrt() / mean.powf(1.5);
    if known <= KNOWN_TO { Evenness::Even { keys } } else { Evenness::TooFew }
}

/// The mean of Poisson's law whose counts that are not 0 have this mean, above 1: m / (1 − e^−m).
fn mean_with_zeros(mean: f64) -> f64 {
    let (mut low, mut high) = (0.0, mean);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if middle / -(-middle).exp_m1() < mean { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::super::Limits;
    use super::super::counts::count;
    use super::super::hash::mixed;
    use super::*;

    fn of(keys: &[u64]) -> Evenness {
        evenness(&count(keys, Limits::default()).groups())
    }

    fn uniform(draws: u64, keys: u64) -> Vec<u64> {
        (0..draws).map(|i| mixed(i.wrapping_mul(0x9e37_79b9_7f4a_7c15)) % keys).collect()
    }

    #[test]
    fn uniform_draws_are_even_and_of_about_as_many_keys() {
        for (draws, keys) in
            [(200_000, 20_000), (100_000, 1000), (100_000, 100_000), (300_000, 1_000_000), (100_000, 250)]
        {
            match of(&uniform(draws, keys)) {
                Evenness::Even { keys: found } => {
                    assert!((found / keys as f64 - 1.0).abs() < 0.02, "{draws} of {keys}: {found}");
                }
                other => panic!("{draws} of {keys}: {other:?}"),
            }
        }
    }

    #[test]
    fn few_draws_tell_nothing() {
        for (draws, keys) in [(100_000, 10_000_000), (1000, 1_000_000), (20, 10), (50, 1 << 40)] {
            assert_eq!(of(&uniform(draws, keys)), Evenness::TooFew, "{draws} of {keys}");
        }
        assert_eq!(evenness(&[(1, 50)]), Evenness::TooFew);
        assert_eq!(evenness(&[(9, 1)]), Evenness::TooFew);
        assert_eq!(evenness(&[]), Evenness::TooFew);
    }

    /// Few hot keys among very many that come once each.
    #[test]
    fn a_hidden_skew_is_found() {
        let mut one = uniform(100_000, 10_000_000);
        one.iter_mut().step_by(2000).for_each(|key| *key = 5);
        assert_eq!(of(&one), Evenness::Skewed, "one key 50 times");
        let mut some = uniform(100_000, 10_000_000);
        (0..).zip(some.iter_mut().step_by(50)).for_each(|(i, key): (u64, &mut u64)| *key = mixed(i) % 1000);
        assert_eq!(of(&some), Evenness::Skewed, "2 % on 1000 keys");
        assert_eq!(evenness(&[(10_000, 77), (250, 1027)]), Evenness::Skewed);
        // Keys of which a few come seldom.
        assert_eq!(evenness(&[(1000, 500), (10, 3)]), Evenness::Skewed);
    }

    /// As often each as the others: more even than draws, and no skew.
    #[test]
    fn keys_in_turns_are_even() {
        for groups in [&[(1000, 500)][..], &[(1001, 500_000), (999, 500_000)]] {
            assert!(matches!(evenness(groups), Evenness::Even { .. }), "{groups:?}");
        }
    }
}
