//! A run's records summed up.

use std::collections::BTreeSet;

use hitm_experiment::compare::Baseline;
use hitm_experiment::manifest::Stopped;
use hitm_experiment::{Manifest, Record};

use crate::answer::Ground;
use crate::compare::{self, Precision};
use crate::damage::Seen;
use crate::interval::estimate;
use crate::run::Run;
use crate::summary::{CellSummary, Flag, Granule, Level, Summary, Verdict};
use crate::words::{percent, share_of};
use crate::{cell, explain, flag, granule, metric, share};

/// Sums up a run. Every number in the summary is finite; what could not be had is absent with its reason.
pub fn summarize(manifest: &Manifest, records: &[Record]) -> Summary {
    let mut run = Run::read(manifest, records);
    run.find_flags();
    let metrics = metric::all(manifest);
    let moving = moving_events(records);
    let mut cells: Vec<_> =
        (0..manifest.cells.len()).map(|index| cell::summarize(&run, index, &metrics, &moving)).collect();
    let (comparisons, flags_by_cell) = compare::comparisons(&run);
    for (cell, flag) in flags_by_cell {
        // Without any trial there is no need to say that nothing could be paired.
        if cells[cell].repetitions > 0 {
            cells[cell].flags.push(flag);
        }
    }
    let levels = levels(&run);
    let level = run.level.map(|level| run.levels.name(level));
    let precision = compare::precision(&run);
    let granule = granule::granule(manifest, &cells, &comparisons);
    let explanation = explain::explain(&run, &metrics, &cells);
    let seen = Seen::new(manifest, &cells, &run.baselines);
    let shares = share::shares(&run);
    let of_shares = share::sentence(manifest, &cells, &shares);
    // The first figure is what the question is of.
    let asked = manifest.figures.first().map(|figure| figure.y.as_str());
    let shares_first = asked == Some("share");
    let values = seen.sentences();
    let damaged: Vec<Option<String>> = (0..cells.len()).map(|cell| seen.large(cell)).collect();
    let looked_at = |y: &str| cells.iter().any(|cell| cell.observations.contains_key(y));
    // Where no time was lost, large damage is the news.
    let lost = comparisons.iter().any(|one| one.verdict == Verdict::Slower);
    let values_first =
        !of_shares.is_empty() || asked.is_some_and(looked_at) || !lost && damaged.iter().any(Option::is_some);
    let before = if shares_first { of_shares + &values } else { values + &of_shares };
    for (cell, numbers) in cells.iter_mut().zip(damaged) {
        cell.flags.extend(numbers.map(|numbers| flag::DAMAGED_VALUES.flag(numbers)));
    }
    let answer = Ground::new(manifest, &cells, &comparisons, &levels, level, &before, values_first).answer();
    let answer = format!("{}{answer}{}", granule.as_ref().map_or(String::new(), apart), caveats(manifest, &cells));
    let summary = Summary {
        name: manifest.name.clone(),
        question: manifest.question.clone(),
        answer,
        flags: flags(&run, &levels, &precision, granule.as_ref()),
        granule,
        explanation,
        cells,
        comparisons,
        shares,
        levels,
        level: level.map(str::to_owned),
        trials: records.len() as u64,
        stopped: manifest.sessions.last().and_then(|session| session.stopped),
        precision: precision.worst,
    };
    debug_assert!(summary.is_finite(), "a summary holds a number that is not finite");
    summary
}

/// What a measured granule answers, before the rest.
fn apart(granule: &Granule) -> String {
    let Granule { bytes, told, told_by, .. } = granule;
    let agrees = if granule.agrees { "as" } else { "NOT as" };
    format!("Counters {bytes} bytes apart no longer share a line, {agrees} the {told} told by {told_by} say. ")
}

/// A cell whose workers ran together undisturbed for less of the time than this says too little of contention to go without a word.
const SELDOM_TOGETHER: f64 = 0.5;

/// What must be read with the answer.
fn caveats(manifest: &Manifest, cells: &[CellSummary]) -> String {
    let mut text = String::new();
    if is_debug_build(manifest) {
        text += " hitm was built WITHOUT OPTIMISATION (a debug build): its times are not those of real code.";
    }
    if cells.iter().any(|cell| cell.flags.iter().any(|flag| flag.name == flag::UNPINNED.name)) {
        text += " Workers could not be pinned, so they did not all run where the cells say.";
    }
    let oversubscribed = |cell: &&CellSummary| cell.flags.iter().any(|flag| flag.name == flag::OVERSUBSCRIBED.name);
    let several = cells.iter().filter(|cell| cell.placement.pus.len() > 1 && !oversubscribed(cell));
    let worst = several.filter_map(|cell| Some((cell, cell.overlap?))).min_by(|a, b| a.1.total_cmp(&b.1));
    if let Some((cell, overlap)) = worst.filter(|(_, overlap)| *overlap < SELDOM_TOGETHER) {
        text += &format!(
            " The workers of {} ran together undisturbed for {} of the time only, so contention may be understated.",
            cell.id,
            percent(overlap)
        );
    }
    text
}

/// Whether the program that measured was not optimised, as its profile tells; one that tells nothing is taken to be.
fn is_debug_build(manifest: &Manifest) -> bool {
    let profile = manifest.build.profile.replace('=', " ");
    profile.contains("opt-level 0") || profile == "debug"
}

/// How precisely a run knows what decides when it stops: the ratio of every cell to its baseline, or without any baseline every
/// cell's median, at the run's level.
pub fn precision(manifest: &Manifest, records: &[Record]) -> Precision {
    compare::precision(&Run::read(manifest, records))
}

/// The events that some worker of some trial read other than zero.
fn moving_events(records: &[Record]) -> BTreeSet<&str> {
    let mut moving = BTreeSet::new();
    for events in records.iter().flat_map(|record| &record.workers).map(|worker| &worker.events) {
        for (name, count) in events {
            if count.value > 0 && !moving.contains(name.as_str()) {
                moving.insert(name.as_str());
            }
        }
    }
    moving
}

fn levels(run: &Run) -> Vec<Level> {
    let (counts, all) = run.level_counts();
    let level = |(index, count): (usize, usize)| {
        let round_trip = estimate(run.round_trips(index), "ns")?;
        let share = if all == 0 { 0.0 } else { count as f64 / all as f64 };
        Some(Level { name: run.levels.name(index).to_owned(), round_trip, share })
    };
    counts.into_iter().enumerate().filter_map(level).collect()
}

fn flags(run: &Run, levels: &[Level], precision: &Precision, granule: Option<&Granule>) -> Vec<Flag> {
    let manifest = run.manifest;
    let mut flags = Vec::new();
    if is_debug_build(manifest) {
        flags.push(flag::DEBUG_BUILD.flag(&manifest.build.profile));
    }
    if levels.len() > 1 {
        let share = |level: &Level| {
            format!("{} of the trials at {} ({:.0} ns)", percent(level.share), level.name, level.round_trip.median)
        };
        let shares: Vec<String> = levels.iter().map(share).collect();
        flags.push(flag::LEVEL_FLIPS.flag(shares.join(", ")));
    }
    if let Some(granule) = granule.filter(|granule| !granule.agrees) {
        let numbers = format!("{} bytes measured, {} told by {}", granule.bytes, granule.told, granule.told_by);
        flags.push(flag::LINE_SIZE.flag(numbers));
    }
    if !manifest.left_out.is_empty() {
        flags.push(flag::LEFT_OUT.flag(manifest.left_out.join("; ")));
    }
    let ended =
        manifest.sessions.last().and_then(|session| session.stopped).is_some_and(|why| why != Stopped::Precision);
    if ended && !precision.reached() {
        let reached = precision.worst.map_or("nothing is known".to_owned(), |worst| format!("± {}", percent(worst)));
        let numbers = format!(
            "{reached} at worst, ± {} asked, {} of {} settled",
            percent(manifest.measure.precision),
            precision.settled,
            precision.deciding
        );
        flags.push(flag::NOT_PRECISE.flag(numbers));
    }
    if compare::metric(manifest).is_none() {
        flags.push(flag::UNKNOWN_METRIC.flag(format!("`{}`", manifest.compare.metric)));
    }
    if !manifest.compare.baseline.is_empty() {
        let lacks = |baseline: &&Baseline| matches!(baseline, Baseline::None | Baseline::Ambiguous(..));
        let without = run.baselines.iter().filter(lacks).count();
        if without > 0 {
            flags.push(flag::NO_BASELINE.flag(share_of(without, run.baselines.len(), "cells")));
        }
    }
    if run.strays > 0 {
        flags.push(flag::UNKNOWN_CELL.flag(format!("{} records", run.strays)));
    }
    flags
}
