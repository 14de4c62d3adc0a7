//! Strips of a cell's trials in time: every point a trial, by repetition, coloured by its transfer level.

use hitm_analysis::{CellSummary, Summary};
use serde::Serialize;

use crate::figure::canvas::n;
use crate::names::TIME;
use crate::number::{Scale, significant};
use crate::text::clean;

/// The most strips; what is left out is said.
const MOST_STRIPS: usize = 48;
/// The most points of a strip; of more, the extremes of each bin are kept.
const MOST_POINTS: usize = 600;

const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 54.0;
const PAD: f64 = 6.0;

#[derive(Serialize)]
pub(crate) struct Strips {
    strips: Vec<Strip>,
    /// The levels with their classes, for the legend.
    levels: Vec<(String, String)>,
    more: usize,
    thinned: bool,
}

#[derive(Serialize)]
struct Strip {
    cell: String,
    /// The vertical reach in words.
    reach: String,
    svg: String,
}

/// A point of a strip.
#[derive(Clone, Copy)]
struct Dot {
    x: f64,
    y: f64,
    /// Index in the summary's levels; `None` where unknown or changing.
    level: Option<usize>,
    disturbed: bool,
}

/// The strips of the first cells.
pub(crate) fn strips(summary: &Summary) -> Strips {
    let with_trials: Vec<&CellSummary> = summary.cells.iter().filter(|cell| !cell.trials.is_empty()).collect();
    let mut thinned = false;
    let strips = with_trials.iter().take(MOST_STRIPS).filter_map(|cell| strip(summary, cell, &mut thinned)).collect();
    let mut levels: Vec<(String, String)> =
        summary.levels.iter().enumerate().map(|(number, level)| (clean(&level.name), class(Some(number)))).collect();
    levels.push(("unknown or changing".to_owned(), class(None)));
    Strips { strips, levels, more: with_trials.len().saturating_sub(MOST_STRIPS), thinned }
}

fn class(level: Option<usize>) -> String {
    level.map_or("unknown".to_owned(), |number| format!("level{}", number % 3))
}

fn strip(summary: &Summary, cell: &CellSummary, thinned: &mut bool) -> Option<Strip> {
    let dots: Vec<Dot> = cell
        .trials
        .iter()
        .filter_map(|trial| {
            let y = trial.time_per_op.filter(|time| time.is_finite())?;
            let level = trial.level.as_ref().and_then(|name| summary.levels.iter().position(|l| l.name == *name));
            Some(Dot { x: f64::from(trial.repetition), y, level, disturbed: trial.disturbed })
        })
        .collect();
    let first = dots.first()?;
    let fold = |pick: fn(&Dot) -> f64, better: fn(f64, f64) -> f64| dots.iter().map(pick).fold(pick(first), better);
    let (x0, x1) = (fold(|d| d.x, f64::min), fold(|d| d.x, f64::max));
    let (y0, y1) = (fold(|d| d.y, f64::min), fold(|d| d.y, f64::max));
    let place = |low: f64, high: f64, value: f64| if high > low { (value - low) / (high - low) } else { 0.5 };
    let kept = thin(&dots);
    *thinned |= kept.len() < dots.len();

    let groups = summary.levels.len().min(3);
    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" aria-hidden=\"true\">");
    for level in (0..groups).map(Some).chain([None]) {
        for disturbed in [false, true] {
            let mut path = String::new();
            let is = |dot: &&Dot| dot.level.map(|level| level % 3) == level && dot.disturbed == disturbed;
            for dot in kept.iter().filter(is) {
                let x = PAD + (WIDTH - 2.0 * PAD) * place(x0, x1, dot.x);
                let y = HEIGHT - PAD - (HEIGHT - 2.0 * PAD) * place(y0, y1, dot.y);
                if disturbed {
                    path.push_str(&format!("M{} {}l6 6m0-6l-6 6", n(x - 3.0), n(y - 3.0)));
                } else {
                    path.push_str(&format!("M{} {}h0", n(x), n(y)));
                }
            }
            if !path.is_empty() {
                let kind = if disturbed { "disturbed" } else { "calm" };
                svg.push_str(&format!("<path class=\"{kind} {}\" d=\"{path}\"/>", class(level)));
            }
        }
    }
    svg.push_str("</svg>");
    let unit = cell.metrics.get(TIME).map_or("ns", |estimate| estimate.unit.as_str());
    let scale = Scale::common(unit, [y0, y1]).unwrap_or_else(|| Scale::of(unit, y1));
    let text = |value: f64| significant(scale.apply(value), 3);
    let reach = format!("{} to {} {}, {} trials", text(y0), text(y1), scale.unit, dots.len());
    Some(Strip { cell: clean(&cell.id), reach, svg })
}

/// At most [`MOST_POINTS`] of them: the least and the largest of each bin, and a disturbed one where it has any.
fn thin(dots: &[Dot]) -> Vec<Dot> {
    if dots.len() <= MOST_POINTS {
        return dots.to_vec();
    }
    let bin = dots.len().div_ceil(MOST_POINTS / 3);
    let mut kept = Vec::with_capacity(MOST_POINTS);
    for bin in dots.chunks(bin) {
        kept.extend(bin.iter().min_by(|a, b| a.y.total_cmp(&b.y)));
        kept.extend(bin.iter().max_by(|a, b| a.y.total_cmp(&b.y)));
        kept.extend(bin.iter().find(|dot| dot.disturbed));
    }
    kept
}
