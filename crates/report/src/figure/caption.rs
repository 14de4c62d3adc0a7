//! What is to be seen in a plot, in a sentence or two.

use hitm_analysis::{CellSummary, Comparison, Verdict};
use hitm_experiment::Manifest;

use super::data::Data;
use crate::names::{Index, cell_label, difference, operation, varied};
use crate::number::{ratio, sentence_in};
use crate::text::count;

/// The finding of a plot.
pub(crate) fn of(index: &Index, manifest: &Manifest, data: &Data) -> String {
    if data.is_empty() {
        return data.why_empty();
    }
    let varied = varied(manifest);
    let operation = operation(index.summary);
    let observed = data.points().any(|point| point.cell.observations.contains_key(&data.y));
    let compared = !observed && (data.y == manifest.compare.metric || data.y == "extra" || data.y == "ratio");
    let comparisons: Vec<(&CellSummary, &Comparison)> = data
        .points()
        .filter_map(|point| Some((point.cell, index.comparison(&point.cell.id)?)))
        .filter(|_| compared)
        .collect();
    let mut sentences = Vec::new();
    if data.x == "stride" {
        sentences.extend(step(data, manifest));
    }
    if comparisons.is_empty() {
        sentences.push(extremes(data, &varied));
    } else {
        sentences.push(largest(index, &comparisons, &varied, operation));
    }
    if !data.harmless.is_empty() {
        sentences.push(format!("Less than 0.1 % was seen with {}.", data.harmless.join("; ")));
    }
    let not_shown = data.not_shown();
    if !not_shown.is_empty() {
        sentences.push(not_shown);
    }
    sentences.join(" ")
}

/// The comparison with the largest effect that its interval supports.
fn largest(index: &Index, comparisons: &[(&CellSummary, &Comparison)], varied: &[String], operation: &str) -> String {
    let credible = |(_, c): &&(&CellSummary, &Comparison)| matches!(c.verdict, Verdict::Faster | Verdict::Slower);
    let size = |c: &Comparison| c.difference.median.abs();
    let best = comparisons.iter().filter(credible).max_by(|a, b| size(a.1).total_cmp(&size(b.1)));
    let Some((cell, comparison)) = best else {
        let few = comparisons.iter().filter(|(_, c)| c.verdict == Verdict::TooFew).count();
        return match few {
            0 => "No cell differs credibly from its baseline.".to_owned(),
            _ => format!("No credible difference yet: {} had too few pairs.", count(few as u64, "comparison")),
        };
    };
    format!(
        "The largest difference: {} takes {} than {} ({}).",
        cell_label(cell, varied),
        difference(comparison, operation),
        index.baseline_label(comparison, varied),
        ratio(&comparison.ratio)
    )
}

/// The least and the largest value, and whether their intervals tell them apart.
fn extremes(data: &Data, varied: &[String]) -> String {
    let mut points: Vec<_> = data.points().collect();
    points.sort_by(|a, b| a.estimate.median.total_cmp(&b.estimate.median));
    let (Some(least), Some(most)) = (points.first(), points.last()) else { return String::new() };
    let text = |point: &super::data::Point| {
        format!("{} at {}", sentence_in(&point.estimate, &data.scale), cell_label(point.cell, varied))
    };
    let what = crate::text::capital(&data.y_title);
    if points.len() == 1 {
        return format!("{what} is {}.", text(least));
    }
    if least.estimate.median == most.estimate.median {
        return format!("{what} is {} everywhere.", sentence_in(&least.estimate, &data.scale));
    }
    let apart = least.estimate.high < most.estimate.low;
    let note = if apart { "" } else { "; their intervals overlap" };
    format!("{what} goes from {} to {}{note}.", text(least), text(most))
}

/// Where along the stride the first series falls most, beside the machine's line size.
fn step(data: &Data, manifest: &Manifest) -> Option<String> {
    let bytes = manifest.line.bytes;
    let falls = data.series.iter().flat_map(|series| {
        series.points.windows(2).filter_map(move |pair| {
            let apart = pair[1].estimate.high < pair[0].estimate.low && pair[1].estimate.median > 0.0;
            apart.then(|| (pair[0].estimate.median / pair[1].estimate.median, pair, &series.label))
        })
    });
    let higher_is_better = data.y == "throughput";
    if higher_is_better {
        return None;
    }
    let (_, pair, label) = falls.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let of = if label.is_empty() { String::new() } else { format!(" ({label})") };
    Some(format!(
        "It falls most between a stride of {} and of {} bytes{of}: from {} to {}; this machine's line is {bytes} bytes.",
        pair[0].x,
        pair[1].x,
        sentence_in(&pair[0].estimate, &data.scale),
        sentence_in(&pair[1].estimate, &data.scale),
    ))
}
