//! The ratio of two medians whose values were not taken together.

use hitm_experiment::seed::Streams;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use crate::interval::{AIM, median};
use crate::resample::{Batches, Drawn, FEWEST_BATCHES, Interval};
use crate::summary::Estimate;

/// How often both runs' repetitions are drawn again.
const DRAWS: u64 = 999;

/// The values of one cell, by repetition.
#[derive(Clone, Debug)]
pub struct Values {
    by_repetition: Vec<(u32, f64)>,
    batches: Batches,
    drawn: Drawn,
}

impl Values {
    /// `None` without any that is a number.
    pub fn of(mut by_repetition: Vec<(u32, f64)>) -> Option<Values> {
        by_repetition.retain(|(_, value)| value.is_finite());
        by_repetition.sort_by_key(|(repetition, _)| *repetition);
        // A repetition counts once in the order of time, whatever its passes.
        let mut series = by_repetition.clone();
        series.dedup_by_key(|(repetition, _)| *repetition);
        if series.is_empty() {
            return None;
        }
        let batches = Batches::of(&series);
        let batched =
            by_repetition.iter().filter_map(|(repetition, value)| Some((batches.batch(*repetition)?, *value)));
        let drawn = Drawn::of(batched, batches.number);
        Some(Values { by_repetition, batches, drawn })
    }

    /// The values in the order of time.
    pub(super) fn in_order(&self) -> Vec<f64> {
        self.by_repetition.iter().map(|(_, value)| *value).collect()
    }

    fn median(&self) -> f64 {
        median(self.in_order()).unwrap_or(0.0)
    }

    fn again(&self, streams: &Streams, draw: u64) -> Option<f64> {
        let k = self.batches.number;
        let mut times = vec![0_u32; k];
        for place in 0..k as u64 {
            times[(streams.stream("runs", draw * k as u64 + place) % k as u64) as usize] += 1;
        }
        self.drawn.median(&times)
    }
}

/// The second's median over the first's.
#[derive(Clone, Debug)]
pub struct Ratio {
    /// With its interval.
    pub estimate: Estimate,
    /// The standard error of its logarithm, and the degrees of freedom; `None` where there is no interval.
    spread: Option<(f64, f64)>,
}

impl Ratio {
    /// `None` where the first's median is 0, or the ratio is no number.
    pub fn of(before: &Values, after: &Values, seed: u64) -> Option<Ratio> {
        let value = after.median() / before.median();
        if !value.is_finite() {
            return None;
        }
        let batches = before.batches.number.min(after.batches.number);
        let n = before.by_repetition.len().min(after.by_repetition.len());
        if batches < FEWEST_BATCHES {
            return Some(Ratio { estimate: Interval::bare(value).estimate("ratio", n), spread: None });
        }
        let streams = [Streams::new(seed).within("before", 0), Streams::new(seed).within("after", 0)];
        let again = |draw: u64| {
            let ratio = after.again(&streams[1], draw)? / before.again(&streams[0], draw)?;
            ratio.is_finite().then_some(ratio)
        };
        let drawn: Vec<f64> = (0..DRAWS).filter_map(again).collect();
        let logarithms: Vec<f64> = drawn.iter().filter(|ratio| **ratio > 0.0).map(|ratio| ratio.ln()).collect();
        let spread = deviation(&logarithms).map(|error| (error, (batches - 1) as f64));
        let estimate = Interval::of(value, drawn, batches)?.estimate("ratio", n);
        Some(Ratio { estimate, spread })
    }

    /// The probability of a ratio so far from one, or farther, where there is none: of Student's t, on the ratio's logarithm. `None` where
    /// there is no interval.
    pub fn p(&self) -> Option<f64> {
        let (error, free) = self.spread?;
        let distance = if self.estimate.median > 0.0 { self.estimate.median.ln().abs() } else { f64::INFINITY };
        if error == 0.0 {
            return Some(if distance == 0.0 { 1.0 } else { 0.0 });
        }
        let t = StudentsT::new(0.0, 1.0, free).ok()?;
        Some((2.0 * (1.0 - t.cdf(distance / error))).clamp(0.0, 1.0))
    }
}

fn deviation(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (n - 1.0)).sqrt())
}

/// The geometric mean of ratios above 0, without an interval.
pub fn geometric_mean_of<'a>(ratios: impl Iterator<Item = &'a Estimate>) -> Option<Estimate> {
    let logarithms: Vec<f64> = ratios.filter(|ratio| ratio.median > 0.0).map(|ratio| ratio.median.ln()).collect();
    let n = logarithms.len();
    let mean = (n > 0).then(|| (logarithms.iter().sum::<f64>() / n as f64).exp())?;
    Some(Estimate { median: mean, low: mean, high: mean, unit: "ratio".to_owned(), n, independent: n, coverage: 0.0 })
}

/// The geometric mean of ratios above 0, with the interval that the errors of their logarithms make, independent of each other; without one
/// where some ratio has none.
pub fn geometric_mean<'a>(ratios: impl Iterator<Item = &'a Ratio>) -> Option<Estimate> {
    let above_zero: Vec<&Ratio> = ratios.filter(|ratio| ratio.estimate.median > 0.0).collect();
    if above_zero.is_empty() {
        return None;
    }
    let n = above_zero.len() as f64;
    let mean = above_zero.iter().map(|ratio| ratio.estimate.median.ln()).sum::<f64>() / n;
    let errors: Option<Vec<f64>> = above_zero.iter().map(|ratio| ratio.spread.map(|(error, _)| error)).collect();
    let error = errors.map(|errors| errors.iter().map(|error| error * error).sum::<f64>().sqrt() / n);
    let reach = error.map_or(0.0, |error| error * Normal::standard().inverse_cdf(0.5 + AIM / 2.0));
    Some(Estimate {
        median: mean.exp(),
        low: (mean - reach).exp(),
        high: (mean + reach).exp(),
        unit: "ratio".to_owned(),
        n: above_zero.len(),
        independent: above_zero.len(),
        coverage: if error.is_some() { AIM } else { 0.0 },
    })
}
