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

use serde::Serialize;

use crate::summary::Estimate;
use fits::{Ground, best};
use law::Free;
use measured::Measured;

mod fits;
mod law;
mod measured;
mod of_run;

pub use law::{Coefficients, Residuals};
pub use of_run::{Series, series};

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
    let ground = Ground { points: &points, resampled: resampled.as_ref(), residuals, seed };
    let fits = Law::ALL.iter().map(|law| ground.fit(*law, unit)).collect::<Option<Vec<_>>>().ok_or(NoFit::NotFound)?;
    let best = best(&fits);
    let usl = &fits[Law::Usl as usize];
    let (scaled, one_is_measured) = measured.scaled(usl.lambda.median, unit);
    let superlinear = ground.is_superlinear(&scaled);
    let peak = match best {
        Some(Law::Usl) | None if !superlinear => ground.peak(usl.coefficients()),
        _ => None,
    };
    let finding = match best {
        _ if superlinear => Finding::Superlinear,
        None => Finding::Undecided,
        Some(Law::Linear) => Finding::Linear,
        Some(Law::Usl) if peak.is_some() => Finding::Peaking,
        Some(_) => Finding::Saturating,
    };
    let intervals = match fits.iter().any(|fit| fit.lambda.coverage > 0.0) {
        _ if resampled.is_some() => Intervals::Repetitions,
        true => Intervals::Residuals,
        false => Intervals::None,
    };
    Ok(Scaling { points: scaled, one_is_measured, fits, best, finding, peak, intervals })
}
