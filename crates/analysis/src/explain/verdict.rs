//! What the events come to, in plain words.

use super::correlate::spearman;
use super::losses::Losses;
use super::{EXPLAINS, EventExplanation, Explained, Explanation, RISES_WITH, Standing};
use crate::run::Run;
use crate::summary::{CellSummary, Estimate};
use crate::words::{percent, plural, quantity};

/// Below so many comparisons that changed, chance alone makes one of several events fit.
const FEW: usize = 6;

/// Draws the conclusion.
pub(super) fn conclude(
    run: &Run,
    losses: &Losses,
    cells: &[CellSummary],
    events: Vec<EventExplanation>,
) -> Explanation {
    let changed = losses.changed().count();
    let mut explanation = Explanation {
        sentence: String::new(),
        verdict: Explained::TooFew,
        event: None,
        rising_with_it: Vec::new(),
        fastest: losses.fastest.map(|cell| run.manifest.cells[cell].id.clone()),
        comparisons: losses.comparisons.len(),
        changed,
        saved: losses.saved(),
        events,
    };
    let (verdict, sentence) = judge(losses, cells, &mut explanation);
    explanation.verdict = verdict;
    explanation.sentence = sentence;
    if changed > 0 {
        explanation.sentence += &beside(&explanation.events);
    }
    explanation
}

fn judge(losses: &Losses, cells: &[CellSummary], explanation: &mut Explanation) -> (Explained, String) {
    let candidates: Vec<&EventExplanation> =
        explanation.events.iter().filter(|event| event.standing == Standing::Candidate).collect();
    let known = losses.comparisons.iter().any(|against| against.known());
    if explanation.changed == 0 && known {
        let than = if losses.fastest.is_some() { "the fastest" } else { "its baseline" };
        let sentence = format!("Nothing was lost that an event could explain: no cell is credibly slower than {than}.");
        return (Explained::NothingLost, sentence);
    }
    if candidates.is_empty() {
        return (Explained::NothingCounted, nothing_counted(&explanation.events));
    }
    if losses.comparisons.is_empty() {
        return (Explained::TooFew, "Too few cells to tell what explains a loss: there is nothing to compare.".into());
    }
    if explanation.changed == 0 {
        return (Explained::TooFew, "Too few repetitions to tell what was lost, let alone what explains it.".into());
    }
    let shared: Vec<(&EventExplanation, &Estimate)> =
        candidates.iter().filter_map(|event| Some((*event, event.share.as_ref()?))).collect();
    let Some((best, share)) = best(&shared) else {
        let sentence = format!(
            "Too few cells to tell what explains the time {}: {}.",
            if explanation.saved { "saved" } else { "lost" },
            candidates.iter().map(|event| format!("{} has {}", event.name, event.why)).collect::<Vec<_>>().join("; ")
        );
        return (Explained::TooFew, sentence);
    };
    let of = of_what(explanation);
    let known = share.coverage > 0.0;
    let explains = share.median >= EXPLAINS && (!known || share.low > 0.0);
    let event = best.name.clone();
    if !explains {
        let tried = plural(shared.len(), "candidate");
        let sentence = format!(
            "No event explains it: of {tried}, {event} comes nearest and accounts for {} of {of}.",
            share_text(share)
        ) + own_work(losses);
        explanation.event = Some(event);
        return (Explained::Unexplained, sentence);
    }
    let mut sentence = format!("{event} explains {} of {of}{}.", share_text(share), each(best));
    let remarks = remarks(best, losses, candidates.len());
    let rising = rising(cells, best, share, &shared);
    if !rising.is_empty() {
        let names: Vec<String> = rising.iter().map(|(name, share)| format!("{name} ({})", share_text(share))).collect();
        sentence += &format!(
            " {} with it, so which of them costs the time is not told.",
            match names.as_slice() {
                [one] => format!("{one} rises"),
                several => format!("{} rise", several.join(", ")),
            }
        );
    }
    sentence += &remarks;
    sentence += own_work(losses);
    explanation.rising_with_it = rising.into_iter().map(|(name, _)| name.to_owned()).collect();
    explanation.event = Some(event);
    (Explained::Explained, sentence)
}

/// What must be said where all cells are held against the fastest: what these do more by themselves is no loss of sharing, and
/// counts as one all the same.
fn own_work(losses: &Losses) -> &'static str {
    match losses.fastest {
        Some(_) => {
            " That loss holds what the cells do more by themselves, such as longer work; a run with a baseline (--baseline) holds each against \
             one that does the same."
        }
        None => "",
    }
}

/// Of what the share is.
fn of_what(explanation: &Explanation) -> String {
    let what = if explanation.saved { "time saved" } else { "loss" };
    match &explanation.fastest {
        Some(fastest) => format!("the {what} against {fastest}, the fastest"),
        None => format!("the {what}"),
    }
}

/// The event with the largest share; of those whose intervals overlap its, first one that counts transfers or conflicts, then another
/// cause, then locked operations, and last one that only tells where the time went.
fn best<'a>(shared: &[(&'a EventExplanation, &'a Estimate)]) -> Option<(&'a EventExplanation, &'a Estimate)> {
    let by_share = |a: &&(&EventExplanation, &Estimate), b: &&(&EventExplanation, &Estimate)| {
        a.1.median.total_cmp(&b.1.median).then(b.0.name.cmp(&a.0.name))
    };
    let largest = shared.iter().max_by(by_share)?;
    let as_good = |one: &&(&EventExplanation, &Estimate)| overlap(one.1, largest.1);
    let good = shared.iter().filter(as_good).filter(|one| one.1.median >= EXPLAINS);
    let first = |a: &&(&EventExplanation, &Estimate), b: &&(&EventExplanation, &Estimate)| {
        nearness(b.0).cmp(&nearness(a.0)).then_with(|| by_share(a, b))
    };
    Some(*good.max_by(first).unwrap_or(largest))
}

/// How far an event is from the cause of a transfer's cost: the nearer is named.
fn nearness(event: &EventExplanation) -> u8 {
    match event.role.as_str() {
        "transfer" | "conflict" => 0,
        "locks" => 2,
        "stall" | "instructions" => 3,
        _ => 1,
    }
}

fn overlap(a: &Estimate, b: &Estimate) -> bool {
    a.low <= b.high && b.low <= a.high
}

/// The other candidates that account for as much and rise with the best over the cells.
fn rising<'a>(
    cells: &[CellSummary],
    best: &EventExplanation,
    share: &Estimate,
    shared: &[(&'a EventExplanation, &'a Estimate)],
) -> Vec<(&'a str, &'a Estimate)> {
    let others = shared.iter().filter(|(event, _)| event.name != best.name);
    let as_good = others.filter(|(_, other)| overlap(other, share) && other.median > 0.0);
    let together = as_good.filter(|(event, _)| {
        let points: Vec<(f64, f64)> =
            cells.iter().filter_map(|cell| Some((rate(cell, &best.name)?, rate(cell, &event.name)?))).collect();
        spearman(&points).is_some_and(|rho| rho >= RISES_WITH)
    });
    let mut rising: Vec<(&str, &Estimate)> = together.map(|(event, share)| (event.name.as_str(), *share)).collect();
    rising.sort_by(|a, b| b.1.median.total_cmp(&a.1.median).then(a.0.cmp(b.0)));
    rising
}

/// What a cell counted of an event per operation.
fn rate(cell: &CellSummary, event: &str) -> Option<f64> {
    let metric = |suffix: &str| cell.metrics.get(&format!("{event}_per_op{suffix}"));
    Some(metric("").or_else(|| metric(" (scaled estimate)"))?.median)
}

/// `: 61 cycles (estimated) [57 … 66] each, 15 ns [14 … 16]`.
fn each(event: &EventExplanation) -> String {
    let text = |cost: &Estimate| if cost.coverage > 0.0 { quantity(cost) } else { alone(cost) };
    match (&event.cost_cycles, &event.cost) {
        // A cycle costs a cycle: of what is counted in cycles the time says it all.
        (Some(cycles), Some(ns)) => format!(": {} each, {}", text(cycles), text(ns)),
        (None, Some(ns)) => format!(": {} each", text(ns)),
        _ => String::new(),
    }
}

/// The value of an estimate without an interval.
fn alone(estimate: &Estimate) -> String {
    let text = quantity(estimate);
    text.split(" [").next().unwrap_or(&text).to_owned()
}

/// `83 % [74 … 90]`.
fn share_text(share: &Estimate) -> String {
    let bare = |share: f64| percent(share).trim_end_matches(" %").to_owned();
    match share.coverage > 0.0 {
        true => format!("{} [{} … {}]", percent(share.median), bare(share.low), bare(share.high)),
        false => percent(share.median),
    }
}

fn remarks(best: &EventExplanation, losses: &Losses, candidates: usize) -> String {
    let mut text = String::new();
    match best.role.as_str() {
        "stall" => text += " It tells where the cores waited, not for what.",
        "instructions" => text += " More instructions for one operation: retries, or spinning.",
        "locks" => text += " Locked operations cost by themselves, whether or not anybody is in the way.",
        _ => {}
    }
    if best.scaled {
        text += " Its counts are scaled estimates: it shared a counter.";
    }
    let all = losses.comparisons.len();
    if best.comparisons < all {
        text += &format!(" It was counted in {} of {all} comparisons.", best.comparisons);
    }
    // Those that did not change tell nothing of a cost.
    let changed = losses.changed().count().min(best.comparisons);
    if changed < FEW && candidates > 1 {
        let changed = plural(changed, "comparison");
        text += &format!(" With {changed} that changed and {candidates} candidates chance may do that.");
    }
    if best.share.as_ref().is_some_and(|share| share.coverage == 0.0) {
        text += " Too few repetitions, or too much drift, for an interval.";
    }
    text
}

fn nothing_counted(events: &[EventExplanation]) -> String {
    let unverified: Vec<&str> = events
        .iter()
        .filter(|event| {
            event.standing == Standing::UnverifiedZero && !matches!(event.kind.as_str(), "software" | "tracepoint")
        })
        .map(|event| event.name.as_str())
        .collect();
    let counted = events
        .iter()
        .any(|event| matches!(event.standing, Standing::Zero | Standing::NoCause) && event.kind != "software");
    match (unverified.is_empty(), counted) {
        (false, _) => format!(
            "Nothing here can explain transfers: {} only ever read zero and {} never seen to move.",
            unverified.join(", "),
            if unverified.len() == 1 { "was" } else { "were" }
        ),
        (true, true) => "No event explains it: those counted are time by another name, or stayed zero.".to_owned(),
        (true, false) => "No hardware event was counted, so nothing here can explain transfers.".to_owned(),
    }
}

/// What the operating system did more of where time was lost.
fn beside(events: &[EventExplanation]) -> String {
    let mut text = String::new();
    for event in events.iter().filter(|event| event.standing == Standing::Beside) {
        let (topic, means) = match (event.role.as_str(), event.name.as_str()) {
            ("scheduling", _) => ("Scheduling", "workers were taken off their PUs"),
            (_, "page-faults" | "minor-faults" | "major-faults") => {
                ("Paging", "memory was touched for the first time, or moved")
            }
            _ => continue,
        };
        let rises = [("over cells", &event.over_cells), ("over repetitions", &event.over_repetitions)];
        let rises = rises.into_iter().find_map(|(over, rho)| {
            let rho = rho.as_ref().filter(|rho| rho.coverage > 0.0 && rho.low > 0.0)?;
            Some(format!("Spearman {:.2} [{:.2} … {:.2}] {over}", rho.median, rho.low, rho.high))
        });
        if let Some(rises) = rises {
            text += &format!(" {topic}: {} rise with the time ({rises}): {means}.", event.name);
        }
    }
    text
}
