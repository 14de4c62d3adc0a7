//! How many keys come how often: the counts as they are, and as draws of a law let one expect them.
//!
//! Ranks that are made of counts are ranks of chance too: of keys that are alike the luckier come first. So a law is never held to ranked
//! counts as it is, but to the ranked counts that draws of it have.

use super::poisson;
use super::sums::powers;

/// Counts up to here are looked at one by one, and a probability of theirs is exact.
const ONE_BY_ONE: usize = 64;

/// From one count to the next beyond, at most.
const STEP: f64 = 1.03;

/// Ranks taken one by one, and the ratio of the ranks of a block beyond.
const RANKS: u64 = 64;
const BLOCK: f64 = 1.05;

/// Keys that come at least so often, by how often: falls from all keys that came to none.
#[derive(Clone, Debug)]
pub(super) struct Profile {
    /// How often, rising from 1.
    counts: Vec<f64>,
    /// How many keys come so often or more.
    keys: Vec<f64>,
    /// Whether the number changes at the counts alone, as seen ones do, or along a line between them.
    steps: bool,
}

/// Ranks that are equally probable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// How many.
    pub(super) ranks: f64,
    /// How often a key of them comes on average.
    pub(super) mean: f64,
}

/// How often the keys of each rank come in so many draws of Zipf's law.
pub(super) fn zipf(theta: f64, ranks: u64, draws: f64) -> Vec<Block> {
    let a_rank = draws / powers(theta, 1, ranks);
    let (mut from, mut blocks) = (1, Vec::new());
    while from <= ranks {
        let to = if from <= RANKS { from } else { ((from as f64 * BLOCK) as u64).min(ranks) };
        let many = (to - from + 1) as f64;
        blocks.push(Block { ranks: many, mean: a_rank * powers(theta, from, to) / many });
        from = to + 1;
    }
    blocks
}

/// How many different keys come at all.
pub(super) fn distinct(blocks: &[Block]) -> f64 {
    blocks.iter().map(|block| block.ranks * -(-block.mean).exp_m1()).sum()
}

impl Profile {
    /// Of groups (times, keys), the most often first, each key standing for `each` keys.
    pub(super) fn seen(groups: &[(u64, u64)], each: f64) -> Self {
        let (mut counts, mut keys, mut before) = (Vec::new(), Vec::new(), 0.0);
        for &(times, of) in groups {
            before += of as f64 * each;
            counts.push(times as f64);
            keys.push(before);
        }
        counts.reverse();
        keys.reverse();
        Profile { counts, keys, steps: true }
    }

    /// What is expected of keys that come independently.
    pub(super) fn expected(blocks: &[Block]) -> Self {
        let counts = grid(blocks);
        let mut keys = vec![0.0; counts.len()];
        let few = counts.len().min(ONE_BY_ONE);
        for block in blocks {
            let spread = block.mean.sqrt();
            if block.mean < 250.0 {
                let (mut term, mut left) = ((-block.mean).exp(), 1.0);
                for (c, keys) in (1..).zip(&mut keys[..few]) {
                    left -= term;
                    term *= block.mean / f64::from(c);
                    *keys += block.ranks * f64::max(left, 0.0);
                }
            } else {
                keys[..few].iter_mut().for_each(|keys| *keys += block.ranks);
            }
            for (count, keys) in counts.iter().zip(&mut keys).skip(few) {
                if *count > block.mean + 9.0 * spread + 9.0 {
                    break;
                }
                let sure = *count < block.mean - 9.0 * spread;
                *keys += block.ranks * if sure { 1.0 } else { poisson::roughly(block.mean, *count) };
            }
        }
        Profile { counts, keys, steps: false }
    }

    /// Σ f(keys that come c times or more) over c = 1, 2, ….
    fn over_counts(&self, f: impl Fn(f64) -> f64) -> f64 {
        let mut sum = 0.0;
        let (mut before, mut of_before) = (0.0, 0.0);
        for (&count, &keys) in self.counts.iter().zip(&self.keys) {
            let value = f(keys);
            let width = count - before;
            // Whole counts from the one after `before` to this one.
            let mean = if self.steps || width <= 1.0 {
                value
            } else {
                0.5 * (value + of_before) + 0.5 * (value - of_before) / width
            };
            sum += width * mean;
            (before, of_before) = (count, value);
        }
        sum
    }

    /// Draws.
    pub(super) fn draws(&self) -> f64 {
        self.over_counts(|keys| keys)
    }

    /// Different keys.
    pub(super) fn distinct(&self) -> f64 {
        self.keys.first().copied().unwrap_or(0.0)
    }

    /// Keys that come so often or more, where the numbers lie along a line.
    pub(super) fn at_least(&self, count: f64) -> f64 {
        let at = self.counts.partition_point(|c| *c < count);
        match (at.checked_sub(1).map(|at| (self.counts[at], self.keys[at])), self.counts.get(at)) {
            (_, None) => 0.0,
            (None, Some(_)) => self.keys[at],
            (Some((low, before)), Some(&high)) => before + (self.keys[at] - before) * (count - low) / (high - low),
        }
    }

    /// The mean over the draws of the logarithm of their key's rank.
    pub(super) fn mean_logarithm(&self) -> f64 {
        self.over_counts(log_factorial) / self.draws()
    }

    /// The share of the draws that the first ranks get, 0 to 1.
    pub(super) fn first(&self, ranks: f64) -> f64 {
        (self.over_counts(|keys| keys.min(ranks)) / self.draws()).clamp(0.0, 1.0)
    }

    /// What a key adds to the sum of logarithms by how often it comes: (count, so far), and how much the next time adds.
    pub(super) fn gains(&self) -> Gains<'_> {
        let mut sums = Vec::with_capacity(self.counts.len());
        let (mut sum, mut before) = (0.0, 0.0);
        for (&count, &keys) in self.counts.iter().zip(&self.keys) {
            sum += (count - before) * gain(keys);
            before = count;
            sums.push(sum);
        }
        Gains { profile: self, sums }
    }
}

pub(super) struct Gains<'a> {
    profile: &'a Profile,
    sums: Vec<f64>,
}

impl Gains<'_> {
    /// Of a key that comes so often, up to the counts that are looked at one by one.
    pub(super) fn of(&self, count: usize) -> f64 {
        if count == 0 { 0.0 } else { self.sums.get(count - 1).or(self.sums.last()).copied().unwrap_or(0.0) }
    }

    /// Of one time more at so many.
    pub(super) fn more(&self, count: f64) -> f64 {
        let at = self.profile.counts.partition_point(|c| *c < count);
        gain(self.profile.keys.get(at).copied().unwrap_or(0.0))
    }
}

/// The derivative of ln K!.
fn gain(keys: f64) -> f64 {
    (keys + 0.5).max(1.0).ln()
}

/// ln K!, between whole numbers along a line while there are few: so is its mean over the numbers on either side.
fn log_factorial(keys: f64) -> f64 {
    let whole = keys.floor();
    if keys < 30.0 && keys > whole {
        let low = libm::lgamma(whole + 1.0);
        return low + (keys - whole) * (whole + 1.0).ln();
    }
    libm::lgamma(keys + 1.0)
}

/// Counts to look at: one by one, then by their ratio, and closely around what the first ranks come.
fn grid(blocks: &[Block]) -> Vec<f64> {
    let most = blocks.first().map_or(0.0, |block| block.mean + 8.0 * block.mean.sqrt() + 12.0).ceil();
    let mut counts: Vec<f64> = (1..=ONE_BY_ONE).map(|count| count as f64).take_while(|count| *count <= most).collect();
    let mut next = ONE_BY_ONE as f64;
    while next < most {
        next = (next * STEP).ceil().min(most);
        counts.push(next);
    }
    for block in blocks.iter().take(RANKS as usize) {
        let around = (-6..=6).map(|z| (block.mean + 0.5 * f64::from(z) * block.mean.sqrt()).round());
        counts.extend(around.filter(|count| *count > ONE_BY_ONE as f64 && *count < most));
    }
    counts.sort_unstable_by(f64::total_cmp);
    counts.dedup();
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three keys of 5, 2 and 2 times.
    #[test]
    fn a_small_one_by_hand() {
        let seen = Profile::seen(&[(5, 1), (2, 2)], 1.0);
        assert_eq!((seen.draws(), seen.distinct()), (9.0, 3.0));
        let logs = (2.0 * 2.0_f64.ln() + 2.0 * 3.0_f64.ln()) / 9.0;
        assert!((seen.mean_logarithm() - logs).abs() < 1e-12);
        assert!((seen.first(1.0) - 5.0 / 9.0).abs() < 1e-12 && (seen.first(2.0) - 7.0 / 9.0).abs() < 1e-12);
        assert_eq!(seen.first(7.0), 1.0);
    }

    #[test]
    fn what_is_expected_is_as_much_as_is_drawn() {
        for (theta, ranks, draws) in [(0.0, 1000, 1e4), (0.5, 1_000_000, 1e5), (0.99, 1_000_000, 1e6), (1.2, 10, 1e9)] {
            let blocks = zipf(theta, ranks, draws);
            assert!((blocks.iter().map(|block| block.ranks).sum::<f64>() - ranks as f64).abs() < 1e-6);
            let profile = Profile::expected(&blocks);
            assert!((profile.draws() / draws - 1.0).abs() < 2e-4, "{theta} {ranks} {draws}: {}", profile.draws());
            assert!((profile.distinct() - distinct(&blocks)).abs() <= 1e-6 * distinct(&blocks));
        }
    }
}
