//! What the values that workers drew together say about a state that raced.

use hitm_experiment::record::Observation;

use super::lags::{First, Lags};
use super::lockstep::{Draw, Lockstep};

/// What is told, in this order.
pub(crate) const NAMES: [&str; 5] =
    ["drawn-by-several-workers", "repeats-within-a-worker", "stuck", "lockstep", "at-one-lag"];

/// A draw is in lockstep with another worker's equal one that is at most so many draws before or after it.
pub(super) const LAG: usize = 8;

/// A worker is stuck if so many of its last draws are equal; all its draws where it made fewer, but never less than
/// two.
pub(super) const TAIL: usize = 16;

/// Counts equal values. Takes a sort of all draws: n·log n.
///
/// - `drawn-by-several-workers`: draws whose value another worker drew too, of all draws.
/// - `repeats-within-a-worker`: draws whose value the same worker had drawn before, of all draws.
/// - `stuck`: workers whose last [`TAIL`] draws are one value, of all workers that drew at least twice.
/// - `lockstep`: draws whose value another worker drew at the same place of its sequence or at most [`LAG`] places
///   from it, of all draws, with what chance gives taken off: near all of them where two workers were seeded alike, near none of hot keys
///   that both draw.
/// - `at-one-lag`: draws whose value another worker drew too, equally many places before or after in all of them, of all draws: where
///   workers walk one sequence from different places, however far apart. Of a value that a worker repeats, its first draw counts.
pub(crate) fn observe(samples: &[Vec<u64>]) -> Vec<Observation> {
    let mut draws: Vec<Draw> = Vec::with_capacity(samples.iter().map(Vec::len).sum());
    for (worker, values) in samples.iter().enumerate() {
        draws.extend(values.iter().enumerate().map(|(index, &value)| Draw {
            value,
            index: index as u32,
            worker: worker as u32,
        }));
    }
    draws.sort_unstable();

    let (mut several, mut repeats, mut lockstep) = (0, 0, Lockstep::of(samples));
    let (mut lags, mut firsts) = (Lags::default(), Vec::new());
    // For each worker the group in which it was seen last.
    let mut seen_in = vec![usize::MAX; samples.len()];
    for (number, group) in draws.chunk_by(|a, b| a.value == b.value).enumerate() {
        firsts.clear();
        for &Draw { worker, index, .. } in group {
            if std::mem::replace(&mut seen_in[worker as usize], number) != number {
                firsts.push(First { worker, index });
            }
        }
        repeats += (group.len() - firsts.len()) as u64;
        if firsts.len() > 1 {
            lags.take(&mut firsts);
            several += group.len() as u64;
            lockstep.take(group);
        }
    }

    let of = draws.len() as u64;
    let drew = samples.iter().filter(|values| values.len() > 1);
    let stuck = drew.clone().filter(|values| is_stuck(values));
    let lockstep = lockstep.beyond_chance();
    let at_one_lag = lags.at_best(samples.len());
    let counts =
        [(several, of), (repeats, of), (stuck.count() as u64, drew.count() as u64), (lockstep, of), (at_one_lag, of)];
    let named = NAMES.iter().zip(counts);
    named.map(|(name, (count, of))| Observation { name: (*name).to_owned(), count, of }).collect()
}

/// Whether the last draws are one value.
pub(super) fn is_stuck(values: &[u64]) -> bool {
    let tail = &values[values.len().saturating_sub(TAIL)..];
    values.len() > 1 && tail.iter().all(|value| *value == tail[0])
}

#[cfg(test)]
mod tests {
    use hitm_keys::rng::{Rand48, WordState, Xoshiro256PlusPlus};

    use super::*;

    fn counts(samples: &[Vec<u64>]) -> [(u64, u64); 5] {
        let observations = observe(samples);
        let names: Vec<_> = observations.iter().map(|observation| observation.name.as_str()).collect();
        assert_eq!(names, NAMES);
        [0, 1, 2, 3, 4].map(|i| (observations[i].count, observations[i].of))
    }

    fn stream<G: WordState>(seed: u64, skip: u64, count: usize) -> Vec<u64> {
        let mut generator = G::seeded(seed);
        generator.jump(skip);
        (0..count).map(|_| generator.draw()).collect()
    }

    #[test]
    fn counts_a_small_example_by_hand() {
        // 5 by both at one place; 7 twice by the first; 9 by both, one place apart: in so few draws chance could do that.
        let samples = [vec![5, 7, 7, 9], vec![5, 1, 9, 2]];
        assert_eq!(counts(&samples), [(4, 8), (1, 8), (0, 2), (0, 8), (0, 8)]);
    }

    #[test]
    fn independent_streams_have_nothing_in_common() {
        let samples: Vec<_> = (0..4).map(|worker| stream::<Xoshiro256PlusPlus>(worker, 0, 1000)).collect();
        assert_eq!(counts(&samples), [(0, 4000), (0, 4000), (0, 4), (0, 4000), (0, 4000)]);
    }

    #[test]
    fn equal_seeds_are_in_lockstep_at_a_small_lag_only() {
        for (lag, locked) in [(0, 2000), (3, 1994), (LAG as u64, 1984), (LAG as u64 + 1, 0)] {
            let samples = [stream::<Rand48>(1, 0, 1000), stream::<Rand48>(1, lag, 1000)];
            let both = (2000 - 2 * lag, 2000);
            assert_eq!(counts(&samples), [both, (0, 2000), (0, 2), (locked, 2000), both], "lag {lag}");
        }
    }

    /// Both draw ten keys all the time, each by itself: equal ones stand near each other by chance.
    #[test]
    fn hot_keys_are_no_lockstep() {
        for of in [10, 100, 1000] {
            let stream =
                |seed| stream::<Xoshiro256PlusPlus>(seed, 0, 5000).into_iter().map(|value| value % of).collect();
            let samples: [Vec<u64>; 2] = [stream(1), stream(2)];
            let lockstep = counts(&samples)[3].0;
            assert_eq!(lockstep, 0, "{of}");
            // Seeded alike it is whole.
            assert_eq!(counts(&[samples[0].clone(), samples[0].clone()])[3], (10_000, 10_000), "{of}");
        }
    }

    /// Three workers on one cycle, the third far behind, and one on its own.
    #[test]
    fn far_lags_are_found() {
        let samples = [
            stream::<Rand48>(1, 0, 1000),
            stream::<Rand48>(9, 0, 1000),
            stream::<Rand48>(1, 40, 1000),
            stream::<Rand48>(1, 700, 1000),
        ];
        let [several, _, _, lockstep, at_one_lag] = counts(&samples);
        // The first and the third share 960, the third and the fourth 340.
        assert_eq!(at_one_lag, (960 + 960 + 340, 4000));
        assert_eq!((several, lockstep), ((2300, 4000), (0, 4000)));
    }

    #[test]
    fn constant_tails_are_stuck() {
        let mut values = stream::<Rand48>(1, 0, 100);
        values.extend([4; TAIL]);
        let mut not_yet = stream::<Rand48>(2, 0, 100);
        not_yet.extend([6; TAIL - 1]);
        let [_, _, stuck, ..] = counts(&[values, not_yet, vec![3, 3], vec![3], vec![]]);
        assert_eq!(stuck, (2, 3));
    }

    #[test]
    fn no_draws_count_nothing() {
        assert_eq!(counts(&[]), [(0, 0); 5]);
        assert_eq!(counts(&[vec![], vec![]]), [(0, 0); 5]);
    }

    #[test]
    fn many_equal_draws_are_counted_without_pairing_them() {
        let samples = vec![vec![0; 1 << 14]; 16];
        let all = 16 << 14;
        assert_eq!(counts(&samples), [(all, all), (all - 16, all), (16, 16), (all, all), (0, all)]);
    }
}
