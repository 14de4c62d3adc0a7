//! How far a number would be off had other repetitions been made: batches of repetitions, drawn again.
//!
//! Repetitions are drawn with replacement, for all cells together, since those of one block share what the machine did meanwhile (B. Efron,
//! "Bootstrap methods: another look at the jackknife", Annals of Statistics 7 (1979)). Neighbours in time are alike, so what is drawn are batches
//! of consecutive repetitions, as many as the repetitions are worth independent ones, at most [`MOST_BATCHES`] (E. Carlstein, "The use
//! of subseries values for estimating the variance of a general statistic from a stationary sequence", Annals of Statistics 14 (1986)). The
//! interval is that of percentiles, further out for few batches (T. C. Hesterberg, "What teachers should know about the bootstrap",
//! The American Statistician 69 (2015), expanded percentile interval).

use hitm_experiment::seed::Streams;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use crate::dependence::independent;
use crate::interval::{AIM, median};
use crate::summary::Estimate;

/// The most batches: more would cost time and tell little more (B. Schmeiser, "Batch size effects in the analysis of simulation
/// output", Operations Research 30 (1982)).
pub const MOST_BATCHES: usize = 24;

/// With fewer batches no interval is given.
pub const FEWEST_BATCHES: usize = 5;

/// How often batches are drawn again: as often as time allows.
const MOST_DRAWS: usize = 999;
pub(crate) const FEWEST_DRAWS: usize = 199;
const WORK: usize = 4_000_000;

/// Repetitions in batches.
#[derive(Clone, Debug)]
pub(crate) struct Batches {
    /// The repetitions, in order.
    repetitions: Vec<u32>,
    pub number: usize,
}

impl Batches {
    /// Puts repetitions into batches by how long a series of them, one value each in the order of time, stays on one side.
    pub fn of(series: &[(u32, f64)]) -> Batches {
        let repetitions: Vec<u32> = series.iter().map(|(repetition, _)| *repetition).collect();
        let values: Vec<f64> = series.iter().map(|(_, value)| *value).collect();
        let worth = median(values.clone()).map_or(0, |median| independent(&values, median));
        Batches { number: worth.min(MOST_BATCHES).min(repetitions.len()), repetitions }
    }

    /// The batch of a repetition.
    pub fn batch(&self, repetition: u32) -> Option<usize> {
        let place = self.repetitions.binary_search(&repetition).ok()?;
        Some(place * self.number / self.repetitions.len())
    }

    /// A statistic of how often each batch counts, with its interval: `statistic` is first asked with each once. `work` is what one
    /// answer costs, about; `None` where it has no value. Where no interval can be had, the ends are the value and the coverage is 0.
    pub fn estimates<const N: usize>(
        &self,
        seed: u64,
        work: usize,
        statistic: impl Fn(&[u32]) -> [Option<f64>; N],
    ) -> [Option<Interval>; N] {
        let k = self.number;
        let once = statistic(&vec![1; k]);
        let mut drawn: [Vec<f64>; N] = std::array::from_fn(|_| Vec::new());
        if k >= FEWEST_BATCHES {
            let draws = (WORK / work.max(1)).clamp(FEWEST_DRAWS, MOST_DRAWS);
            let streams = Streams::new(seed);
            let mut number = 0;
            for _ in 0..draws {
                let mut times = vec![0_u32; k];
                for _ in 0..k {
                    // Of 64 bits the remainder is even enough for at most two dozen.
                    times[(streams.stream("explain", number) % k as u64) as usize] += 1;
                    number += 1;
                }
                for (drawn, value) in drawn.iter_mut().zip(statistic(&times)) {
                    drawn.extend(value.filter(|value| value.is_finite()));
                }
            }
        }
        let mut drawn = drawn.into_iter();
        once.map(|value| {
            // Taken whether or not there is a value: the next one's draws are its own.
            let drawn = drawn.next().unwrap_or_default();
            Interval::of(value?, drawn, k)
        })
    }
}

/// A value with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    value: f64,
    low: f64,
    high: f64,
    batches: usize,
    coverage: f64,
}

impl Interval {
    /// A value that has none.
    pub fn bare(value: f64) -> Interval {
        Interval { value, low: value, high: value, batches: 0, coverage: 0.0 }
    }

    /// The value with the percentiles of what was drawn; `None` for a value that is no number.
    pub fn of(value: f64, mut drawn: Vec<f64>, batches: usize) -> Option<Interval> {
        if !value.is_finite() {
            return None;
        }
        // A statistic that is missing in many draws has no percentiles.
        if drawn.len() < FEWEST_DRAWS * 9 / 10 {
            return Some(Interval { value, low: value, high: value, batches, coverage: 0.0 });
        }
        drawn.sort_unstable_by(f64::total_cmp);
        let tail = (tail(batches) * (drawn.len() + 1) as f64).floor().max(1.0) as usize;
        let (low, high) = (drawn[tail - 1].min(value), drawn[drawn.len() - tail].max(value));
        Some(Interval { value, low, high, batches, coverage: AIM })
    }

    /// As an estimate of `n` values in a unit.
    pub fn estimate(self, unit: &str, n: usize) -> Estimate {
        let Interval { value, low, high, batches, coverage } = self;
        Estimate { median: value, low, high, unit: unit.to_owned(), n, independent: batches, coverage }
    }
}

/// The share of the draws beyond each end.
fn tail(batches: usize) -> f64 {
    let free = (batches.max(2) - 1) as f64;
    let normal = Normal::standard();
    match StudentsT::new(0.0, 1.0, free) {
        Ok(t) => normal.cdf(-((free + 1.0) / free).sqrt() * t.inverse_cdf(0.5 + AIM / 2.0)),
        Err(_) => (1.0 - AIM) / 2.0,
    }
}

/// Values of one quantity of one cell, sorted, each with its batch: their median for any number of times that batches count.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drawn(Vec<(f64, usize)>);

impl Drawn {
    /// One value a batch: the median of its own.
    pub fn of(values: impl Iterator<Item = (usize, f64)>, batches: usize) -> Drawn {
        let mut by_batch = vec![Vec::new(); batches];
        for (batch, value) in values.filter(|(_, value)| value.is_finite()) {
            by_batch[batch].push(value);
        }
        let medians = by_batch.into_iter().enumerate().filter_map(|(batch, values)| Some((median(values)?, batch)));
        let mut medians: Vec<(f64, usize)> = medians.collect();
        medians.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        Drawn(medians)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The median; `None` where no batch with a value was drawn.
    pub fn median(&self, times: &[u32]) -> Option<f64> {
        let all: u32 = self.0.iter().map(|(_, batch)| times[*batch]).sum();
        if all == 0 {
            return None;
        }
        let (mut sum, mut low) = (0, None);
        for (value, batch) in &self.0 {
            sum += times[*batch];
            if low.is_none() && sum >= all.div_ceil(2) {
                low = Some(*value);
            }
            if sum > all / 2 {
                return low.map(|low| low / 2.0 + value / 2.0);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_drawn_batches_are_medians() {
        let drawn = Drawn::of([(0, 3.0), (1, 1.0), (2, 9.0), (2, 11.0)].into_iter(), 4);
        assert_eq!(drawn.median(&[1, 1, 1, 1]), Some(3.0));
        assert_eq!(drawn.median(&[0, 2, 2, 0]), Some(5.5));
        assert_eq!(drawn.median(&[0, 1, 3, 0]), Some(10.0));
        assert_eq!(drawn.median(&[0, 0, 0, 4]), None);
    }

    /// The standard normal's tail at √(n/(n − 1))·t, with t(0.975; 9) = 2.262 and t(0.975; 4) = 2.776 of the tables.
    #[test]
    fn few_batches_reach_further_out() {
        assert!((tail(10) - 0.00855).abs() < 1e-4, "{}", tail(10));
        assert!((tail(5) - 0.00096).abs() < 1e-4, "{}", tail(5));
        assert!((tail(1000) - 0.0249).abs() < 1e-4);
    }

    /// The interval of a mean of independent values, against its known standard error.
    #[test]
    fn the_interval_of_a_mean_is_about_two_standard_errors() {
        let values: Vec<f64> = (0..20).map(|i| f64::from(i * 7 % 20)).collect();
        let series: Vec<(u32, f64)> = values.iter().enumerate().map(|(i, v)| (i as u32, *v)).collect();
        let batches = Batches { repetitions: series.iter().map(|s| s.0).collect(), number: 20 };
        let mean =
            |times: &[u32]| [Some(times.iter().zip(&values).map(|(t, v)| f64::from(*t) * v).sum::<f64>() / 20.0)];
        let [interval] = batches.estimates(1, 1, mean);
        let interval = interval.unwrap();
        // s = 5.916, s/√20 = 1.323, t(0.975; 19) = 2.093.
        assert_eq!(interval.value, 9.5);
        assert!((interval.high - 9.5 - 2.77).abs() < 0.4 && (9.5 - interval.low - 2.77).abs() < 0.4, "{interval:?}");
        assert_eq!(batches.estimates(1, 1, mean), [Some(interval)], "the seed fixes it");
    }

    #[test]
    fn a_statistic_without_a_value_leaves_the_others_their_intervals() {
        let batches = Batches { repetitions: (0..20).collect(), number: 20 };
        let sum = |times: &[u32]| times.iter().zip(0..).map(|(n, i)| f64::from(*n) * f64::from(i)).sum::<f64>();
        let [none, some] = batches.estimates(1, 1, |times| [None, Some(sum(times))]);
        let [alone] = batches.estimates(1, 1, |times| [Some(sum(times))]);
        assert_eq!((none, some), (None, alone));
        assert_eq!(some.unwrap().coverage, AIM);
    }

    #[test]
    fn repetitions_that_drift_make_fewer_batches_and_too_few_give_no_interval() {
        let jumping: Vec<(u32, f64)> = (0..40).map(|i| (i, f64::from(i % 2))).collect();
        assert_eq!(Batches::of(&jumping).number, MOST_BATCHES);
        let drifting: Vec<(u32, f64)> = (0..40).map(|i| (i, f64::from(i))).collect();
        let few = Batches::of(&drifting);
        assert!(few.number < FEWEST_BATCHES, "{few:?}");
        let [interval] = few.estimates(1, 1, |_| [Some(7.0)]);
        assert_eq!(interval.unwrap().coverage, 0.0);
        assert_eq!((few.batch(0), few.batch(40)), (Some(0), None));
    }
}
