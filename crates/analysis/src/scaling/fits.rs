//! The laws fitted to points, each number with its interval.

use hitm_experiment::seed::Streams;

use super::law::{Coefficients, Free, Point, Residuals, bounded, unbounded};
use super::measured::Resampled;
use super::{Fit, Law, Peak, ScalingPoint};
use crate::interval::CREDIBLE;
use crate::resample::{FEWEST_DRAWS, Interval};

/// How often residuals are drawn again.
const DRAWS: u64 = FEWEST_DRAWS as u64 * 5;

/// What laws are fitted to, and how.
pub(super) struct Ground<'a> {
    pub(super) points: &'a [Point],
    pub(super) resampled: Option<&'a Resampled>,
    pub(super) residuals: Residuals,
    pub(super) seed: u64,
}

impl Ground<'_> {
    /// Numbers of a fit, with the intervals that can be had: `numbers` gives them for any points.
    fn intervals<const N: usize>(
        &self,
        law: Free,
        numbers: impl Fn(&[Point]) -> [Option<f64>; N],
    ) -> [Option<Interval>; N] {
        if let Some(resampled) = self.resampled {
            return resampled.batches.estimates(self.seed, 1, |times| numbers(&resampled.points(times)));
        }
        let (points, residuals) = (self.points, self.residuals);
        let mut drawn: [Vec<f64>; N] = std::array::from_fn(|_| Vec::new());
        let spare = points.len().saturating_sub(law.coefficients());
        if let Some(fitted) = bounded(points, law, residuals).filter(|_| spare >= 2) {
            let widened = (points.len() as f64 / spare as f64).sqrt();
            let at = |n: f64| fitted.coefficients.throughput(n);
            let off: Vec<f64> =
                points.iter().map(|&(n, measured)| widened * residuals.apart(at(n), measured)).collect();
            let streams = Streams::new(self.seed);
            for draw in 0..DRAWS {
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

    /// A law with its coefficients; `None` where none comes near.
    pub(super) fn fit(&self, law: Law, unit: &str) -> Option<Fit> {
        let fitted = bounded(self.points, law.free(), self.residuals)?;
        let [lambda, alpha, beta] = self.intervals(law.free(), |points| {
            let found = bounded(points, law.free(), self.residuals).map(|fitted| fitted.coefficients);
            [found.map(|found| found.lambda), found.map(|found| found.alpha), found.map(|found| found.beta)]
        });
        let n = self.points.len();
        let named = |interval: Option<Interval>, unit: &str| interval.map(|interval| interval.estimate(unit, n));
        Some(Fit {
            law,
            lambda: lambda.unwrap_or(Interval::bare(fitted.coefficients.lambda)).estimate(unit, n),
            alpha: named(alpha, "1").filter(|_| law.free().alpha),
            beta: named(beta, "1").filter(|_| law.free().beta),
            aicc: criterion(fitted.squares, n, law.free().coefficients()),
            error: (fitted.squares / n as f64).sqrt(),
        })
    }

    /// The peak of the Universal Scalability Law with these coefficients.
    pub(super) fn peak(&self, usl: Coefficients) -> Option<Peak> {
        let at = usl.peak()?;
        // Where a draw has no peak it is beyond every number.
        let nowhere = f64::MAX.sqrt();
        let [interval] = self.intervals(Law::Usl.free(), |points| {
            let fitted = bounded(points, Law::Usl.free(), self.residuals);
            [fitted.map(|fitted| fitted.coefficients.peak().unwrap_or(nowhere))]
        });
        let mut workers = interval.unwrap_or(Interval::bare(at)).estimate("workers", self.points.len());
        if workers.high >= nowhere {
            // A peak that may as well be nowhere has no interval.
            (workers.low, workers.high, workers.coverage) = (at, at, 0.0);
        }
        let most = self.points.iter().map(|point| point.0).fold(0.0, f64::max);
        Some(Peak { workers, throughput: usl.throughput(at), measured: most >= at })
    }

    /// Whether some number of workers does credibly more than as many times one, or the law bends upwards beyond doubt.
    pub(super) fn is_superlinear(&self, scaled: &[ScalingPoint]) -> bool {
        let above = |point: &ScalingPoint| point.efficiency.low > 1.0 && point.efficiency.coverage >= CREDIBLE;
        if scaled.first().is_some_and(|point| point.workers == 1.0) && scaled.iter().any(above) {
            return true;
        }
        let free = Law::Usl.free();
        let [alpha] = self.intervals(free, |points| {
            [unbounded(points, free, self.residuals).map(|fitted| fitted.coefficients.alpha)]
        });
        let alpha = alpha.map(|alpha| alpha.estimate("1", self.points.len()));
        alpha.is_some_and(|alpha| alpha.coverage > 0.0 && alpha.high < 0.0)
    }
}

/// Criteria that are no further apart have as much support.
const AS_GOOD: f64 = 2.0;

/// The law with the least criterion, or a richer one with as much support whose further coefficient is there; `None` where there are too few
/// points for the criterion of each.
pub(super) fn best(fits: &[Fit]) -> Option<Law> {
    let criteria: Vec<(Law, f64)> = fits.iter().map(|fit| Some((fit.law, fit.aicc?))).collect::<Option<_>>()?;
    let (least, criterion) = criteria.iter().copied().min_by(|one, other| one.1.total_cmp(&other.1))?;
    let is_there = |law: Law| {
        let fit = &fits[law as usize];
        let further = if law == Law::Usl { &fit.beta } else { &fit.alpha };
        further.as_ref().is_some_and(|estimate| estimate.coverage >= CREDIBLE && estimate.low > 0.0)
    };
    let richer = criteria
        .iter()
        .rev()
        .find(|(law, of)| *law as usize > least as usize && *of <= criterion + AS_GOOD && is_there(*law));
    Some(richer.map_or(least, |(law, _)| *law))
}

/// n·ln(S/n) + 2k + 2k(k + 1)/(n − k − 1), with the residuals' variance among the k.
fn criterion(squares: f64, points: usize, coefficients: usize) -> Option<f64> {
    let (n, k) = (points as f64, (coefficients + 1) as f64);
    // Residuals below the arithmetic's own error are none.
    let variance = (squares / n).max(1e-24);
    (n > k + 1.0).then(|| n * variance.ln() + 2.0 * k + 2.0 * k * (k + 1.0) / (n - k - 1.0))
}
