//! What the events come to.

use hitm_experiment::compare::same;

use super::correlate::spearman;
use super::losses::Losses;
use super::sentence::{
    beside, each, means, none_explains, nothing_counted, of_what, own_work, remarks, stands_for_more, too_few,
};
use super::{EXPLAINS, EventExplanation, Explained, Explanation, Part, RISES_WITH, Standing};
use crate::run::Run;
use crate::summary::{CellSummary, Estimate};
use crate::words::share_text;

/// A candidate and its share.
type Shared<'a> = (&'a EventExplanation, &'a Estimate);

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
        short: String::new(),
        verdict: Explained::TooFew,
        event: None,
        rising_with_it: Vec::new(),
        alone: losses.alone,
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
        explanation.sentence = explanation.sentence.trim_start().to_owned();
    }
    explanation
}

fn judge(losses: &Losses, cells: &[CellSummary], explanation: &mut Explanation) -> (Explained, String) {
    let candidates: Vec<&EventExplanation> =
        explanation.events.iter().filter(|event| event.standing == Standing::Candidate).collect();
    let known = losses.comparisons.iter().any(|against| against.known());
    if explanation.changed == 0 && known {
        let than = match (losses.alone, losses.fastest) {
            (true, _) => "the same with one worker",
            (_, Some(_)) => "the fastest",
            _ => "its baseline",
        };
        let sentence = format!("Nothing was lost that an event could explain: no cell is credibly slower than {than}.");
        return (Explained::NothingLost, sentence);
    }
    if candidates.is_empty() {
        // Where nothing is handed over there is nothing that a hardware event could explain, and nothing to regret.
        let text = if cells.iter().any(may_transfer) { nothing_counted(&explanation.events) } else { String::new() };
        return (Explained::NothingCounted, text);
    }
    if losses.comparisons.is_empty() {
        return (Explained::TooFew, "Too few cells to tell what explains a loss: there is nothing to compare.".into());
    }
    if explanation.changed == 0 {
        return (Explained::TooFew, "Too few repetitions to tell what was lost, let alone what explains it.".into());
    }
    let shared: Vec<Shared> = candidates.iter().filter_map(|event| Some((*event, event.share.as_ref()?))).collect();
    let Some((best, share)) = best(&shared) else {
        return (Explained::TooFew, too_few(&candidates, losses, explanation.saved));
    };
    let of = of_what(explanation);
    let event = best.name.clone();
    let passed_over = passed_over(&shared, best);
    if !explains(best, share) {
        explanation.short = none_explains(best, share, shared.len(), &of, &passed_over);
        explanation.event = Some(event);
        let sentence = explanation.short.clone() + own_work(losses);
        return (Explained::Unexplained, sentence);
    }
    let short = format!("{event} explains {} of {of}{}.{}", share_text(share), each(best), means(best, &candidates));
    let mut sentence = short.clone();
    let remarks = remarks(best, losses, candidates.len());
    let rising = rising(cells, best, share, &shared);
    sentence += &rise_with(best, &rising);
    sentence += &format!("{remarks}{passed_over}{}", own_work(losses));
    explanation.rising_with_it = rising.into_iter().map(|(event, _)| event.name.clone()).collect();
    explanation.event = Some(event);
    explanation.short = short;
    (Explained::Explained, sentence)
}

/// Kernels whose workers share nothing that they write.
const NOTHING_SHARED: [&str; 3] = ["keys/draw", "keys/replay", "overhead/empty"];

/// Whether lines may move between the workers of a cell.
fn may_transfer(cell: &CellSummary) -> bool {
    let own = cell.parameters.get("state").is_some_and(|state| same(state, &"thread-local".into()));
    cell.placement.pus.len() > 1 && !own && !NOTHING_SHARED.contains(&cell.kernel.as_str())
}

/// Whether an event with that share is an explanation: one whose cost cannot be is none.
fn explains(event: &EventExplanation, share: &Estimate) -> bool {
    event.too_dear.is_empty() && share.median >= EXPLAINS && (share.coverage == 0.0 || share.low > 0.0)
}

/// By share, and where two are equal by name.
fn by_share(a: &Shared, b: &Shared) -> std::cmp::Ordering {
    a.1.median.total_cmp(&b.1.median).then(b.0.name.cmp(&a.0.name))
}

/// The event to be named. Those with a cost that can be go before all others: of those that explain the losses, and whose intervals overlap
/// the largest share's, first comes one that counts transfers or conflicts, then another cause, then locked operations, and last one that only
/// tells where the time went. Where none explains them, the one with the largest share that is above zero.
fn best<'a>(shared: &[Shared<'a>]) -> Option<Shared<'a>> {
    let possible = || shared.iter().filter(|one| one.0.too_dear.is_empty() && one.1.median > 0.0);
    let first = |a: &&Shared, b: &&Shared| nearness(b.0).cmp(&nearness(a.0)).then_with(|| by_share(a, b));
    let best = possible().max_by(|a, b| by_share(a, b)).map(|largest| {
        let good = possible().filter(|one| explains(one.0, one.1) && overlap(one.1, largest.1));
        good.max_by(first).unwrap_or(largest)
    });
    best.or_else(|| shared.iter().max_by(|a, b| by_share(a, b))).copied()
}

/// An event that would account for more than the one named, if it did not cost more than it can.
fn passed_over(shared: &[Shared], best: &EventExplanation) -> String {
    match shared.iter().max_by(|a, b| by_share(a, b)) {
        Some((largest, share)) if largest.name != best.name && !largest.too_dear.is_empty() => {
            format!(" {} would account for {}, but {}.", largest.name, share_text(share), stands_for_more(largest))
        }
        _ => String::new(),
    }
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

/// Shares this near each other are equal where no interval tells how far they would be off: with a few repetitions they are by some
/// percentage points.
const NEAR: f64 = 0.05;

/// Whether two shares may as well be equal.
fn overlap(a: &Estimate, b: &Estimate) -> bool {
    let told = |share: &Estimate| share.coverage > 0.0 && share.high > share.low;
    let slack = if told(a) && told(b) { 0.0 } else { NEAR };
    a.low <= b.high + slack && b.low <= a.high + slack
}

/// The other candidates that account for as much and rise with the best over the cells.
fn rising<'a>(
    cells: &[CellSummary],
    best: &EventExplanation,
    share: &Estimate,
    shared: &[Shared<'a>],
) -> Vec<Shared<'a>> {
    let others = shared.iter().filter(|(event, _)| event.name != best.name);
    // What gave way since it costs too much is no rival.
    let as_good = others.filter(|(_, other)| overlap(other, share) && other.median > 0.0);
    let as_good = as_good.filter(|(event, _)| event.too_dear.is_empty());
    let together = as_good.filter(|(event, _)| {
        let points: Vec<(f64, f64)> =
            cells.iter().filter_map(|cell| Some((rate(cell, &best.name)?, rate(cell, &event.name)?))).collect();
        spearman(&points).is_some_and(|rho| rho >= RISES_WITH)
    });
    let mut rising: Vec<Shared> = together.copied().collect();
    rising.sort_by(|a, b| by_share(b, a));
    rising
}

/// Those that rise with the best in words. A symptom beside a cause leaves no doubt which of them costs the time.
fn rise_with(best: &EventExplanation, rising: &[Shared]) -> String {
    let expected = |one: &&Shared| best.part == Part::Cause && one.0.part == Part::Symptom;
    let (symptoms, rivals): (Vec<&Shared>, Vec<&Shared>) = rising.iter().partition(expected);
    let names = |of: &[&Shared]| {
        let names: Vec<String> =
            of.iter().map(|(event, share)| format!("{} ({})", event.name, share_text(share))).collect();
        format!("{} {} with {}", names.join(", "), if of.len() == 1 { "rises" } else { "rise" }, best.name)
    };
    let mut text = String::new();
    if !rivals.is_empty() {
        text += &format!(" {}, so which of them costs the time is not told.", names(&rivals));
    }
    if !symptoms.is_empty() {
        text += &format!(" {}, as a symptom does.", names(&symptoms));
    }
    text
}

/// What a cell counted of an event per operation.
fn rate(cell: &CellSummary, event: &str) -> Option<f64> {
    let metric = |suffix: &str| cell.metrics.get(&format!("{event}_per_op{suffix}"));
    Some(metric("").or_else(|| metric(" (scaled estimate)"))?.median)
}
