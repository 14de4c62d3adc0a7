//! Measured throughput, by the number of workers and by repetition.

use std::collections::BTreeMap;

use super::law::Point;
use super::{ScalingPoint, Value};
use crate::interval::{estimate, median};
use crate::resample::{Batches, Drawn, FEWEST_BATCHES};

/// Values by their number of workers, by the bits of it: positive numbers rise with their bits.
pub(super) struct Measured(BTreeMap<u64, Vec<(u32, f64)>>);

/// Repetitions that can be drawn again.
pub(super) struct Resampled {
    pub(super) batches: Batches,
    drawn: Vec<(f64, Drawn)>,
}

impl Resampled {
    /// The medians where repetitions count so often.
    pub(super) fn points(&self, times: &[u32]) -> Vec<Point> {
        self.drawn.iter().filter_map(|(workers, drawn)| Some((*workers, drawn.median(times)?))).collect()
    }
}

impl Measured {
    pub(super) fn of(values: &[Value]) -> Self {
        let mut by_workers: BTreeMap<u64, Vec<(u32, f64)>> = BTreeMap::new();
        for value in values {
            by_workers.entry(value.workers.to_bits()).or_default().push((value.repetition, value.throughput));
        }
        Measured(by_workers)
    }

    /// The median at each number of workers, rising.
    pub(super) fn points(&self) -> Vec<Point> {
        let point = |(workers, values): (&u64, &Vec<(u32, f64)>)| {
            Some((f64::from_bits(*workers), median(values.iter().map(|value| value.1).collect())?))
        };
        self.0.iter().filter_map(point).collect()
    }

    /// The repetitions to be drawn again; `None` where they are too few.
    pub(super) fn resampled(&self) -> Option<Resampled> {
        // By how much each repetition was above the medians: what the machine did then.
        let mut above: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for ((_, typical), values) in self.points().iter().zip(self.0.values()) {
            for (repetition, throughput) in values {
                above.entry(*repetition).or_default().push((throughput / typical).ln());
            }
        }
        let series = above.into_iter().filter_map(|(repetition, above)| Some((repetition, median(above)?)));
        let batches = Batches::of(&series.collect::<Vec<_>>());
        if batches.number < FEWEST_BATCHES {
            return None;
        }
        let drawn = |(workers, values): (&u64, &Vec<(u32, f64)>)| {
            let batched = values.iter().filter_map(|(repetition, value)| Some((batches.batch(*repetition)?, *value)));
            (f64::from_bits(*workers), Drawn::of(batched, batches.number))
        };
        let drawn = self.0.iter().map(drawn).collect();
        let enough = self.0.values().all(|values| values.len() >= FEWEST_BATCHES);
        enough.then_some(Resampled { batches, drawn })
    }

    /// Each number of workers against one, and whether one was measured; else `lambda` stands for it.
    pub(super) fn scaled(&self, lambda: f64, unit: &str) -> (Vec<ScalingPoint>, bool) {
        let one: Option<BTreeMap<u32, f64>> =
            self.0.get(&1_f64.to_bits()).map(|values| values.iter().copied().collect());
        let point = |(workers, values): (&u64, &Vec<(u32, f64)>)| {
            let workers = f64::from_bits(*workers);
            let of_one = |repetition: &u32| one.as_ref().map_or(Some(lambda), |one| one.get(repetition).copied());
            let ratios: Vec<f64> =
                values.iter().filter_map(|(repetition, value)| Some(value / of_one(repetition)?)).collect();
            let each = ratios.iter().map(|ratio| ratio / workers).collect();
            Some(ScalingPoint {
                workers,
                throughput: estimate(values.iter().map(|value| value.1).collect(), unit)?,
                speed_up: estimate(ratios, "×")?,
                efficiency: estimate(each, "share")?,
            })
        };
        (self.0.iter().filter_map(point).collect(), one.is_some())
    }
}
