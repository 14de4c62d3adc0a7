//! The words of a conclusion.

use super::losses::Losses;
use super::{EventExplanation, Explanation, FEWEST_LOSSES, Part, Standing};
use crate::summary::Estimate;
use crate::words::{plain, plural, quantity, share_text};

/// Below so many comparisons that changed, chance alone makes one of several events fit.
const FEW: usize = 6;

/// What must be said where all cells are held against the fastest: what these do more by themselves is no loss of sharing, and
/// counts as one all the same.
pub(super) fn own_work(losses: &Losses) -> &'static str {
    match losses.fastest {
        Some(_) => {
            " That loss holds what the cells do more by themselves, such as longer work; a run with a baseline (--baseline) holds each against \
             one that does the same."
        }
        None => "",
    }
}

/// Of what the share is.
pub(super) fn of_what(explanation: &Explanation) -> String {
    let what = if explanation.saved { "time saved" } else { "loss" };
    match &explanation.fastest {
        _ if explanation.alone => format!("the {what} against one worker"),
        Some(fastest) => format!("the {what} against {fastest}, the fastest"),
        None => format!("the {what}"),
    }
}

/// `: 61 cycles (estimated) [57 … 66] each, 15 ns [14 … 16]`.
pub(super) fn each(event: &EventExplanation) -> String {
    let text = |cost: &Estimate| if cost.coverage > 0.0 { quantity(cost) } else { plain(cost) };
    match (&event.cost_cycles, &event.cost) {
        (Some(cycles), Some(ns)) => format!(": {} each, {}", text(cycles), text(ns)),
        (None, Some(ns)) => format!(": {} each", text(ns)),
        _ => String::new(),
    }
}

/// What the event that explains it is and is not: what must never be left out.
pub(super) fn means(best: &EventExplanation, candidates: &[&EventExplanation]) -> String {
    match (best.part, best.role.as_str()) {
        (Part::Symptom, "stall") => format!(" Stalls are where the time goes, not why:{}", best_cause(candidates)),
        (Part::Symptom, _) => {
            let cause = best_cause(candidates);
            format!(" More instructions for one operation are retries, or spinning, and not why:{cause}")
        }
        (Part::Unknown, _) => {
            format!(" hitm knows nothing of the meaning of {}: see the maker's manual.", best.name)
        }
        (_, "locks") => " Locked operations cost by themselves, whether or not anybody is in the way.".to_owned(),
        _ => String::new(),
    }
}

/// That none of so many candidates explains the losses, which comes nearest, and which would if it could cost that much.
pub(super) fn none_explains(
    nearest: &EventExplanation,
    share: &Estimate,
    tried: usize,
    of: &str,
    passed_over: &str,
) -> String {
    let (tried, name, share) = (plural(tried, "candidate"), &nearest.name, share_text(share));
    let told = match (nearest.too_dear.is_empty(), passed_over.is_empty()) {
        (true, true) => format!("{name} comes nearest and accounts for {share} of {of}."),
        (true, false) => {
            format!("{name} comes nearest with a cost that can be, and accounts for {share} of {of}.{passed_over}")
        }
        (false, _) => {
            format!("{name} comes nearest and would account for {share} of {of}, but {}.", stands_for_more(nearest))
        }
    };
    format!("No event explains it: of {tried}, {told}")
}

/// How far to trust that.
pub(super) fn remarks(best: &EventExplanation, losses: &Losses, candidates: usize) -> String {
    let mut text = String::new();
    if best.scaled {
        text += &format!(" The counts of {} are scaled estimates: it shared a counter.", best.name);
    }
    let all = losses.comparisons.len();
    if best.comparisons < all {
        text += &format!(" {} was counted in {} of {all} comparisons.", best.name, best.comparisons);
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

/// Why a cost is too high, and what that means.
pub(super) fn stands_for_more(event: &EventExplanation) -> String {
    format!("{}: it stands for something that is counted less often than it happens", event.too_dear)
}

/// The cause that accounts for the most beside a symptom.
fn best_cause(candidates: &[&EventExplanation]) -> String {
    let causes = || candidates.iter().filter(|event| event.part == Part::Cause);
    let shared = causes().filter_map(|event| Some((event, event.share.as_ref()?))).filter(|(_, s)| s.median > 0.0);
    let best = shared.max_by(|a, b| a.1.median.total_cmp(&b.1.median).then(b.0.name.cmp(&a.0.name)));
    match best {
        Some((event, share)) if event.too_dear.is_empty() => {
            format!(" the best cause is {}, {}.", event.name, share_text(share))
        }
        Some((event, share)) => {
            format!(" the best cause is {}, {}, but {}.", event.name, share_text(share), stands_for_more(event))
        }
        None if causes().next().is_some() => " none of the causes that were counted accounts for any of it.".to_owned(),
        None => " no cause was counted.".to_owned(),
    }
}

/// What a run lacks whose events have no share.
pub(super) fn too_few(candidates: &[&EventExplanation], losses: &Losses, saved: bool) -> String {
    let what = if saved { "saved" } else { "lost" };
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for event in candidates {
        match reasons.iter_mut().find(|(why, _)| *why == event.why) {
            Some((_, names)) => names.push(&event.name),
            None => reasons.push((&event.why, vec![&event.name])),
        }
    }
    let why = match reasons.as_slice() {
        [(why, names)] if names.len() > 1 => format!("each event has {why}"),
        several => {
            let told = several.iter().map(|(why, names)| {
                format!("{} {} {why}", names.join(", "), if names.len() > 1 { "have" } else { "has" })
            });
            told.collect::<Vec<_>>().join("; ")
        }
    };
    let all = losses.comparisons.len();
    let held =
        format!("This run holds {} against {}", plural(all, "cell"), if all == 1 { "another" } else { "others" });
    let held = if all < FEWEST_LOSSES { held } else { "More cells that differ in both would tell".to_owned() };
    let cure = "vary one more parameter, as `hitm run rng/shared-state` does";
    format!("Too few cells to tell what explains the time {what}: {why}. {held}: {cure}.")
}

pub(super) fn nothing_counted(events: &[EventExplanation]) -> String {
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
            "Nothing here can explain transfers: of {} 0 was counted, and {} never seen to count here.",
            unverified.join(", "),
            if unverified.len() == 1 { "it was" } else { "they were" }
        ),
        (true, true) => "No event explains it: those counted are time by another name, or stayed zero.".to_owned(),
        (true, false) => "No hardware event was counted, so nothing here can explain transfers.".to_owned(),
    }
}

/// What the operating system did more of where time was lost.
pub(super) fn beside(events: &[EventExplanation]) -> String {
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
