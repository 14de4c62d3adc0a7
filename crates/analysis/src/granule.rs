//! The size of the unit that cores hand over, read off a sweep over the distance between counters.
//!
//! Below it two workers' counters share a unit and an update pays for its way; from it on they do not. So it is the smallest distance
//! from which on hardly anything is left of what the smallest distance costs more than the largest. What is left there, where it is
//! credible and gone at twice the distance, is the adjacent line: prefetchers that fetch lines in pairs.

use std::collections::BTreeMap;

use hitm_experiment::compare::same;
use hitm_experiment::{Manifest, Parameters, Value};

use crate::summary::{CellSummary, Comparison, Granule, Verdict};

/// The parameter that is the distance.
const STRIDE: &str = "stride";

/// The least ratio of the smallest distance to the largest that shows sharing at all.
const LEAST_RATIO: f64 = 1.5;

/// The most that may be left of the extra cost where nothing is shared.
const LEFT: f64 = 0.25;

/// The least ratio at one unit's distance that shows an adjacent-line effect.
const LEAST_ADJACENT: f64 = 1.05;

/// One sweep: cells that differ in their distance only, each with its comparison.
type Sweep<'a> = BTreeMap<u64, &'a Comparison>;

/// The granule that a run shows; `None` where it sweeps no distances, or where sharing shows no cost.
pub(crate) fn granule(manifest: &Manifest, cells: &[CellSummary], comparisons: &[Comparison]) -> Option<Granule> {
    let Some(Value::Integer(farthest)) = manifest.compare.baseline.get(STRIDE) else { return None };
    let farthest = u64::try_from(*farthest).ok()?;
    let by_id: BTreeMap<&str, &CellSummary> = cells.iter().map(|cell| (cell.id.as_str(), cell)).collect();
    let mut sweeps: BTreeMap<String, Sweep> = BTreeMap::new();
    for comparison in comparisons.iter().filter(|one| one.verdict != Verdict::TooFew && one.metric == "time_per_op") {
        let Some(cell) = by_id.get(comparison.cell.as_str()) else { continue };
        let Some(stride) = stride(&cell.parameters).filter(|stride| *stride < farthest) else { continue };
        if cell.placement.pus.len() >= 2 && !matches!(cell.parameters.get("base"), Some(Value::Integer(1..))) {
            sweeps.entry(others(&cell.parameters)).or_default().insert(stride, comparison);
        }
    }
    let shows = |sweep: &&Sweep| {
        let nearest = sweep.values().next();
        nearest.is_some_and(|one| one.verdict == Verdict::Slower && one.ratio.low > LEAST_RATIO)
    };
    let strength = |sweep: &Sweep| sweep.values().next().map_or(0.0, |one| one.ratio.median);
    let headline = |sweep: &&Sweep| {
        let cell = sweep.values().next().and_then(|one| by_id.get(one.cell.as_str()));
        let has = |(name, value): (&String, &Value)| {
            cell.is_some_and(|cell| cell.parameters.get(name).is_none_or(|own| same(own, value)))
        };
        manifest.compare.headline.iter().all(has)
    };
    let strongest = |a: &&Sweep, b: &&Sweep| strength(a).total_cmp(&strength(b));
    // What the question is about first, then whatever shows it.
    let asked = sweeps.values().filter(headline).filter(shows).max_by(strongest);
    read(manifest, asked.or_else(|| sweeps.values().filter(shows).max_by(strongest))?, farthest)
}

fn read(manifest: &Manifest, sweep: &Sweep, farthest: u64) -> Option<Granule> {
    let nearest = sweep.values().next()?;
    let limit = LEFT * nearest.difference.median;
    let shared = |one: &Comparison| one.difference.median > limit;
    let above = *sweep.iter().filter(|(_, one)| shared(one)).map(|(stride, _)| stride).max()?;
    // Where only the farthest of all is free, the granule may be larger still.
    let (&bytes, at) = sweep.range(above + 1..).next()?;
    let twice = sweep.range(bytes + 1..).next().map(|(_, one)| *one);
    let gone = twice.map_or(bytes * 2 == farthest, |one| one.verdict != Verdict::Slower);
    let left = at.verdict == Verdict::Slower && at.ratio.median >= LEAST_ADJACENT && gone;
    let told = manifest.line.bytes;
    Some(Granule {
        bytes,
        above,
        adjacent: left.then(|| at.difference.clone()),
        told,
        told_by: manifest.line.source.clone(),
        agrees: above < told && told <= bytes,
        cell: nearest.cell.clone(),
    })
}

fn stride(parameters: &Parameters) -> Option<u64> {
    match parameters.get(STRIDE) {
        Some(Value::Integer(stride)) => u64::try_from(*stride).ok(),
        _ => None,
    }
}

fn others(parameters: &Parameters) -> String {
    let others = parameters.iter().filter(|(name, _)| *name != STRIDE);
    others.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(",")
}
