//! How throughput grows with the workers: speed-up, efficiency, and the laws of scaling fitted to it.
//!
//! Three laws are fitted to the medians of throughput at each number of workers ([`Coefficients`]): linear, Amdahl's, and the Universal
//! Scalability Law. The one with the least corrected information criterion is told as the best (N. Sugiura, "Further analysis of the
//! data by Akaike's information criterion and the finite corrections", Communications in Statistics A7 (1978)); one with a coefficient
//! more that has as much support, a criterion at most 2 higher (K. P. Burnham, D. R. Anderson, *Model Selection and Multimodel
//! Inference*, 2nd ed., section 2.6), takes its place where that coefficient's interval leaves 0 out. With fewer points than the
//! criterion needs none is the best.
//!
//! Intervals are those of repetitions drawn again, all numbers of workers together, as in [`mod@crate::explain`]; where there are too few
//! repetitions, of the fit's residuals drawn again, widened by √(n/(n − p)) for the p coefficients (A. C. Davison, D. V. Hinkley,
//! *Bootstrap Methods and their Application*, 1997, section 6.2.3); where there are too few of those, there are none.

use std::collections::BTreeMap;

use hitm_experiment::seed::Streams;
use serde::Serialize;

use crate::interval::{CREDIBLE, estimate, median};
use crate::resample::{Batches, Drawn, FEWEST_BATCHES, FEWEST_DRAWS, Interval};
use crate::summary::Estimate;

mod law;

pub use law::{Coefficients, Residuals};
use law::{Fitted, Free, Point, bounded, unbounded};

/// One measured throughput.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    /// How many workers, more than 0.
    pub workers: f64,
    /// Which repetition: values of one were taken together.
    pub repetition: u32,
    /// Operations a second, or in any other unit, more than 0.
    pub throughput: f64,
}

/// A law of scaling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// X = λ·n.
    Linear,
    /// Amdahl's: X = λ·n / (1 + α·(n − 1)).
    Amdahl,
    /// The Universal Scalability Law: X = λ·n / (1 + α·(n − 1) + β·n·(n − 1)).
    Usl,
}

impl Law {
    /// All, the simplest first.
    pub const ALL: [Law; 3] = [Law::Linear, Law::Amdahl, Law::Usl];

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Law::Linear => "linear",
            Law::Amdahl => "Amdahl",
            Law::Usl => "USL",
        }
    }

    fn free(self) -> Free {
        Free { alpha: self != Law::Linear, beta: self == Law::Usl }
    }

    fn coefficients(self) -> usize {
        self as usize + 1
    }
}

/// Throughput at one number of workers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScalingPoint {
    /// How many workers.
    pub workers: f64,
    /// Their throughput.
    pub throughput: Estimate,
    /// Against one worker: of pairs from one repetition where one worker was measured, else against the fitted λ.
    pub speed_up: Estimate,
    /// The speed-up for each worker.
    pub efficiency: Estimate,
}

/// A law with its coefficients.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fit {
    /// Which.
    pub law: Law,
    /// λ, in the throughput's unit.
    pub lambda: Estimate,
    /// α, at least 0.
    pub alpha: Option<Estimate>,
    /// β, at least 0.
    pub beta: Option<Estimate>,
    /// The corrected information criterion; `None` with too few points for it.
    pub aicc: Option<f64>,
    /// The root of the mean square of the residuals, as a share of the throughput (of the greatest where the residuals are absolute).
    pub error: f64,
}

impl Fit {
    /// Its coefficients, without intervals.
    pub fn coefficients(&self) -> Coefficients {
        let median = |estimate: &Option<Estimate>| estimate.as_ref().map_or(0.0, |estimate| estimate.median);
        Coefficients { lambda: self.lambda.median, alpha: median(&self.alpha), beta: median(&self.beta) }
    }
}

/// Where throughput is greatest, by the Universal Scalability Law.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Peak {
    /// At how many workers.
    pub workers: Estimate,
    /// The throughput there.
    pub throughput: f64,
    /// Whether so many, or more, were measured.
    pub measured: bool,
}

/// What the data is like, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Finding {
    /// Workers do more together than each alone would, so that no law of these is one of it.
    Superlinear,
    /// No contention can be told.
    Linear,
    /// Throughput nears a limit.
    Saturating,
    /// Throughput falls beyond a peak.
    Peaking,
    /// Too few numbers of workers to tell the laws apart.
    Undecided,
}

/// What intervals come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Intervals {
    /// Repetitions drawn again.
    Repetitions,
    /// Residuals drawn again.
    Residuals,
    /// There are none: the law goes through nearly every point.
    None,
}

/// All of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scaling {
    /// Each number of workers, rising.
    pub points: Vec<ScalingPoint>,
    /// Whether the speed-up is against a measured worker, and not against the fitted λ.
    pub one_is_measured: bool,
    /// Each law, the simplest first.
    pub fits: Vec<Fit>,
    /// The best of them; `None` with too few points to tell.
    pub best: Option<Law>,
    /// What the data is like.
    pub finding: Finding,
    /// The peak, where the best law (with too few points to tell: the Universal Scalability Law) has one.
    pub peak: Option<Peak>,
    /// What intervals come from.
    pub intervals: Intervals,
}

/// Why there is no fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoFit {
    /// Fewer than three numbers of workers; how many there are.
    TooFew(usize),
    /// No law comes near the data.
    NotFound,
}

/// The fewest numbers of workers that a law is fitted to.
pub const FEWEST_POINTS: usize = 3;

/// Fits the laws to measured throughput. `unit` is its unit; `seed` fixes what is drawn for the intervals.
///
/// # Errors
/// When there are too few numbers of workers, or no law comes near.
///
/// # Panics
/// If a number of workers or a throughput is not a positive number.
pub fn scaling(values: &[Value], unit: &str, residuals: Residuals, seed: u64) -> Result<Scaling, NoFit> {
    let positive = |number: f64| number > 0.0 && number.is_finite();
    assert!(values.iter().all(|value| positive(value.workers) && positive(value.throughput)));
    let measured = Measured::of(values);
    let points = measured.points();
    if points.len() < FEWEST_POINTS {
        return Err(NoFit::TooFew(points.len()));
    }
    let resampled = measured.resampled();
    let mut fits = Vec::new();
    for law in Law::ALL {
        let fitted = bounded(&points, law.free(), residuals).ok_or(NoFit::NotFound)?;
        fits.push(fit(law, fitted, &points, &resampled, residuals, unit, seed));
    }
    let best = best(&fits);
    let usl = &fits[Law::Usl as usize];
    let peak = match best {
        Some(Law::Usl) | None => peak(usl.coefficients(), &points, &resampled, residuals, seed),
        Some(_) => None,
    };
    let (scaled, one_is_measured) = measured.scaled(usl.lambda.median, unit);
    let finding = match best {
        _ if is_superlinear(&scaled, &points, &resampled, residuals, seed) => Finding::Superlinear,
        None => Finding::Undecided,
        Some(Law::Linear) => Finding::Linear,
        Some(Law::Usl) if peak.is_some() => Finding::Peaking,
        Some(_) => Finding::Saturating,
    };
    let peak = peak.filter(|_| finding != Finding::Superlinear);
    let intervals = match &resampled {
        Some(_) => Intervals::Repetitions,
        None if usl.lambda.coverage > 0.0 || fits[0].lambda.coverage > 0.0 => Intervals::Residuals,
        None => Intervals::None,
    };
    Ok(Scaling { points: scaled, one_is_measured, fits, best, finding, peak, intervals })
}

/// Values by their number of workers, by the bits of it: positive numbers rise with their bits.
struct Measured(BTreeMap<u64, Vec<(u32, f64)>>);

/// Repetitions that can be drawn again.
struct Resampled {
    batches: Batches,
    drawn: Vec<(f64, Drawn)>,
}

impl Resampled {
    fn points(&self, times: &[u32]) -> Vec<Point> {
        self.drawn.iter().filter_map(|(workers, drawn)| Some((*workers, drawn.median(times)?))).collect()
    }
}

impl Measured {
    fn of(values: &[Value]) -> Self {
        let mut by_workers: BTreeMap<u64, Vec<(u32, f64)>> = BTreeMap::new();
        for value in values {
            by_workers.entry(value.workers.to_bits()).or_default().push((value.repetition, value.throughput));
        }
        Measured(by_workers)
    }

    fn points(&self) -> Vec<Point> {
        let point = |(workers, values): (&u64, &Vec<(u32, f64)>)| {
            Some((f64::from_bits(*workers), median(values.iter().map(|value| value.1).collect())?))
        };
        self.0.iter().filter_map(point).collect()
    }

    fn resampled(&self) -> Option<Resampled> {
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
    fn scaled(&self, lambda: f64, unit: &str) -> (Vec<ScalingPoint>, bool) {
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

/// Numbers of a fit, with the intervals that can be had: `numbers` gives them for a fit of that law to any points.
fn intervals<const N: usize>(
    law: Free,
    points: &[Point],
    resampled: &Option<Resampled>,
    residuals: Residuals,
    seed: u64,
    numbers: impl Fn(&[Point]) -> [Option<f64>; N],
) -> [Option<Interval>; N] {
    if let Some(resampled) = resampled {
        return resampled.batches.estimates(seed, 1, |times| numbers(&resampled.points(times)));
    }
    let mut drawn: [Vec<f64>; N] = std::array::from_fn(|_| Vec::new());
    let coefficients = 1 + usize::from(law.alpha) + usize::from(law.beta);
    let spare = points.len().saturating_sub(coefficients);
    if let Some(fitted) = bounded(points, law, residuals).filter(|_| spare >= 2) {
        let widened = (points.len() as f64 / spare as f64).sqrt();
        let at = |n: f64| fitted.coefficients.throughput(n);
        let off: Vec<f64> = points.iter().map(|&(n, measured)| widened * residuals.apart(at(n), measured)).collect();
        let streams = Streams::new(seed);
        for draw in 0..FEWEST_DRAWS as u64 * 5 {
            let again = |(place, (n, _)): (usize, &Point)| {
                let which = streams.stream("scaling", draw * points.len() as u64 + place as u64);
                (*n, residuals.moved(at(*n), off[(which % off.len() as u64) as usize]))
            };
            let points: Vec<Point> = points.iter().enumerate().map(again).collect();
            for (drawn, number) in drawn.iter_mut().zip(numbers(&points)) {
                drawn.extend(number.filter(|number| number.is_finite()));
            }
        }
    }
    let mut drawn = drawn.into_iter();
    numbers(points).map(|number| {
        let drawn = drawn.next().unwrap_or_default();
        Interval::of(number?, drawn, spare)
    })
}

fn fit(
    law: Law,
    fitted: Fitted,
    points: &[Point],
    resampled: &Option<Resampled>,
    residuals: Residuals,
    unit: &str,
    seed: u64,
) -> Fit {
    let numbers = |points: &[Point]| {
        let found = bounded(points, law.free(), residuals).map(|fitted| fitted.coefficients);
        [found.map(|found| found.lambda), found.map(|found| found.alpha), found.map(|found| found.beta)]
    };
    let n = points.len();
    let named = |interval: Option<Interval>, unit: &str| interval.map(|interval| interval.estimate(unit, n));
    let [lambda, alpha, beta] = intervals(law.free(), points, resampled, residuals, seed, numbers);
    let bare = |value: f64, unit: &str| Interval::bare(value).estimate(unit, n);
    Fit {
        law,
        lambda: named(lambda, unit).unwrap_or_else(|| bare(fitted.coefficients.lambda, unit)),
        alpha: named(alpha, "1").filter(|_| law.free().alpha),
        beta: named(beta, "1").filter(|_| law.free().beta),
        aicc: criterion(fitted.squares, n, law.coefficients()),
        error: (fitted.squares / n as f64).sqrt(),
    }
}

/// Criteria that are no further apart have as much support.
const AS_GOOD: f64 = 2.0;

fn best(fits: &[Fit]) -> Option<Law> {
    let criteria: Vec<(Law, f64)> = fits.iter().map(|fit| Some((fit.law, fit.aicc?))).collect::<Option<_>>()?;
    let (least, criterion) = criteria.iter().copied().min_by(|one, other| one.1.total_cmp(&other.1))?;
    let is_there = |estimate: &Option<Estimate>| {
        estimate.as_ref().is_some_and(|estimate| estimate.coverage >= CREDIBLE && estimate.low > 0.0)
    };
    let richer = criteria.iter().rev().find(|(law, of)| {
        let more = if *law == Law::Usl { &fits[*law as usize].beta } else { &fits[*law as usize].alpha };
        *law as usize > least as usize && *of <= criterion + AS_GOOD && is_there(more)
    });
    Some(richer.map_or(least, |(law, _)| *law))
}

/// n·ln(S/n) + 2k + 2k(k + 1)/(n − k − 1), with the residuals' variance among the k.
fn criterion(squares: f64, points: usize, coefficients: usize) -> Option<f64> {
    let (n, k) = (points as f64, (coefficients + 1) as f64);
    // Residuals below the arithmetic's own error are none.
    let variance = (squares / n).max(1e-24);
    (n > k + 1.0).then(|| n * variance.ln() + 2.0 * k + 2.0 * k * (k + 1.0) / (n - k - 1.0))
}

fn peak(
    usl: Coefficients,
    points: &[Point],
    resampled: &Option<Resampled>,
    residuals: Residuals,
    seed: u64,
) -> Option<Peak> {
    let at = usl.peak()?;
    let numbers = |points: &[Point]| {
        // Where a draw has no peak it is beyond every number.
        [bounded(points, Law::Usl.free(), residuals)
            .map(|fitted| fitted.coefficients.peak().unwrap_or(f64::MAX.sqrt()))]
    };
    let [interval] = intervals(Law::Usl.free(), points, resampled, residuals, seed, numbers);
    let mut workers = interval.unwrap_or(Interval::bare(at)).estimate("workers", points.len());
    if workers.high >= f64::MAX.sqrt() {
        // A peak that may as well be nowhere has no interval.
        (workers.low, workers.high, workers.coverage) = (at, at, 0.0);
    }
    let most = points.iter().map(|point| point.0).fold(0.0, f64::max);
    Some(Peak { workers, throughput: usl.throughput(at), measured: most >= at })
}

/// Whether some number of workers does credibly more than as many times one, or the law bends upwards beyond doubt.
fn is_superlinear(
    scaled: &[ScalingPoint],
    points: &[Point],
    resampled: &Option<Resampled>,
    residuals: Residuals,
    seed: u64,
) -> bool {
    let one = scaled.first().map(|point| point.workers);
    let above = |point: &ScalingPoint| point.efficiency.low > 1.0 && point.efficiency.coverage >= CREDIBLE;
    if one == Some(1.0) && scaled.iter().any(above) {
        return true;
    }
    let free = Law::Usl.free();
    let [alpha] = intervals(free, points, resampled, residuals, seed, |points| {
        [unbounded(points, free, residuals).map(|fitted| fitted.coefficients.alpha)]
    });
    alpha.map(|alpha| alpha.estimate("1", points.len())).is_some_and(|alpha| alpha.coverage > 0.0 && alpha.high < 0.0)
}
