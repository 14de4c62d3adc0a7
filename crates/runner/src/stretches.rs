//! From the workers' looks at the clock to the stretches in which none of them was interrupted.
//!
//! A worker that was preempted, stolen from or throttled shows one batch that took far longer than its neighbours. What the
//! others did meanwhile was not contended and must not count either; so stretches are found for all workers together, and within one
//! each worker counts only its whole batches.

use hitm_experiment::record::Stretch;

use crate::batches::BatchLog;

/// How many neighbours a batch is held against.
const WINDOW: usize = 31;

/// How often its neighbours' median cost a batch must take to count as interrupted. A change of the transfer level (5 to 7
/// times) must not, so it must also be [`LEAST_EXCESS_NS`] late.
const EXCESS: f64 = 4.0;

/// How much later than its neighbours an interrupted batch ends, at least, in nanoseconds: longer than an interrupt's handler or a batch
/// whose transfers became slow, shorter than the shortest turn that a scheduler gives to another thread.
pub(crate) const LEAST_EXCESS_NS: u64 = 100_000;

/// A stretch of fewer whole batches than this of any worker is left out.
const LEAST_BATCHES: usize = 3;

/// What was found for one worker.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Undisturbed {
    /// The joint stretches; the i-th of every worker belong together.
    pub stretches: Vec<Stretch>,
    /// Batches in which this worker was interrupted.
    pub interruptions: u64,
    /// Ticks that they took.
    pub interrupted_ticks: u64,
}

/// Finds the joint stretches of all workers of a trial; one result a worker, in order.
pub(crate) fn undisturbed(logs: &[&BatchLog], least_excess_ticks: u64) -> Vec<Undisturbed> {
    let mut found: Vec<Undisturbed> = logs.iter().map(|_| Undisturbed::default()).collect();
    let mut gaps = Vec::new();
    for (log, found) in logs.iter().zip(&mut found) {
        for (start, end) in interruptions(log, least_excess_ticks) {
            found.interruptions += 1;
            found.interrupted_ticks += end - start;
            gaps.push((start, end));
        }
    }
    gaps.sort_unstable();
    let begin = logs.iter().map(|log| log.start_ticks).max().unwrap_or(0);
    let end = logs.iter().map(|log| log.end_ticks()).min().unwrap_or(0);
    let mut cursors = vec![0; logs.len()];
    for (from, to) in complement(&gaps, begin, end) {
        let whole: Option<Vec<Stretch>> =
            logs.iter().zip(&mut cursors).map(|(log, cursor)| whole_batches(log, cursor, from, to)).collect();
        if let Some(whole) = whole {
            for (found, stretch) in found.iter_mut().zip(whole) {
                found.stretches.push(stretch);
            }
        }
    }
    found
}

/// The batches of one worker that took so long that something else ran meanwhile, as (start, end).
fn interruptions(log: &BatchLog, least_excess_ticks: u64) -> Vec<(u64, u64)> {
    let mut start = log.start_ticks;
    let spans: Vec<(u64, u64, f64)> = log
        .batches
        .iter()
        .map(|batch| {
            let span = (start, batch.end_ticks, (batch.end_ticks - start) as f64 / batch.operations.max(1) as f64);
            start = batch.end_ticks;
            span
        })
        .collect();
    let mut neighbours = Vec::with_capacity(WINDOW);
    let mut found = Vec::new();
    for (index, &(start, end, cost)) in spans.iter().enumerate() {
        let took = end - start;
        if took <= least_excess_ticks {
            continue;
        }
        let first = index.saturating_sub(WINDOW / 2).min(spans.len().saturating_sub(WINDOW));
        neighbours.clear();
        neighbours.extend(spans[first..spans.len().min(first + WINDOW)].iter().map(|span| span.2));
        neighbours.sort_unstable_by(f64::total_cmp);
        let usual = neighbours[neighbours.len() / 2];
        let excess = took as f64 * (1.0 - usual / cost);
        if cost > EXCESS * usual && excess > least_excess_ticks as f64 {
            found.push((start, end));
        }
    }
    found
}

/// What lies between the gaps, which are sorted by start and may overlap.
fn complement(gaps: &[(u64, u64)], begin: u64, end: u64) -> Vec<(u64, u64)> {
    let mut free = Vec::new();
    let mut from = begin;
    for &(gap_start, gap_end) in gaps {
        if gap_start > from {
            free.push((from, gap_start.min(end)));
        }
        from = from.max(gap_end);
    }
    if from < end {
        free.push((from, end));
    }
    free.retain(|(from, to)| from < to);
    free
}

/// A worker's whole batches in `[from, to]`, as one stretch. `cursor` is where the search goes on, since stretches come in order.
fn whole_batches(log: &BatchLog, cursor: &mut usize, from: u64, to: u64) -> Option<Stretch> {
    let start_of = |index: usize| if index == 0 { log.start_ticks } else { log.batches[index - 1].end_ticks };
    while *cursor < log.batches.len() && start_of(*cursor) < from {
        *cursor += 1;
    }
    let first = *cursor;
    let mut operations = 0;
    while *cursor < log.batches.len() && log.batches[*cursor].end_ticks <= to {
        operations += log.batches[*cursor].operations;
        *cursor += 1;
    }
    if *cursor < first + LEAST_BATCHES {
        return None;
    }
    Some(Stretch { start_ticks: start_of(first), end_ticks: log.batches[*cursor - 1].end_ticks, operations })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batches::Batch;

    /// A worker whose batches of 10 operations take `costs` ticks each.
    fn log(start_ticks: u64, costs: &[u64]) -> BatchLog {
        let mut end_ticks = start_ticks;
        let batches = costs
            .iter()
            .map(|cost| {
                end_ticks += cost;
                Batch { end_ticks, operations: 10 }
            })
            .collect();
        BatchLog { start_ticks, batches }
    }

    fn rate(stretches: &[Stretch]) -> f64 {
        let operations: u64 = stretches.iter().map(|s| s.operations).sum();
        let ticks: u64 = stretches.iter().map(|s| s.end_ticks - s.start_ticks).sum();
        operations as f64 / ticks as f64
    }

    #[test]
    fn an_undisturbed_trial_is_one_stretch_that_all_share() {
        let (a, b) = (log(5, &[100; 50]), log(17, &[90; 50]));
        let found = undisturbed(&[&a, &b], 1000);
        assert_eq!(found[0].stretches.len(), 1);
        assert_eq!(found[1].stretches.len(), 1);
        assert_eq!(found[0].interruptions + found[1].interruptions, 0);
        let (a, b) = (found[0].stretches[0], found[1].stretches[0]);
        assert!(a.start_ticks >= 17 && a.end_ticks <= 17 + 90 * 50);
        assert_eq!((b.start_ticks, b.end_ticks, b.operations), (17, 17 + 4500, 500));
    }

    /// While b is away, a is uncontended and three times as fast: that must not count.
    #[test]
    fn what_a_worker_did_while_another_was_away_does_not_count() {
        let mut a = vec![90; 100];
        a.extend(vec![30; 1000]);
        a.extend(vec![90; 100]);
        let mut b = vec![90; 100];
        b.push(30_000);
        b.extend(vec![90; 100]);
        let (a, b) = (log(0, &a), log(0, &b));
        let found = undisturbed(&[&a, &b], 2000);
        assert_eq!((found[0].interruptions, found[1].interruptions), (0, 1));
        assert_eq!(found[1].interrupted_ticks, 30_000);
        assert_eq!(found[0].stretches.len(), 2);
        for worker in &found {
            assert!((rate(&worker.stretches) - 10.0 / 90.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_change_of_the_transfer_level_is_no_interruption() {
        let mut costs = vec![50; 200];
        costs.extend(vec![320; 200]);
        let worker = log(0, &costs);
        let found = undisturbed(&[&worker], 500);
        assert_eq!(found[0].interruptions, 0);
        assert_eq!(found[0].stretches.len(), 1);
    }

    #[test]
    fn workers_that_never_ran_together_share_no_stretch() {
        let (a, b) = (log(0, &[10; 10]), log(1_000, &[10; 10]));
        for worker in undisturbed(&[&a, &b], 100) {
            assert!(worker.stretches.is_empty());
        }
        assert!(undisturbed(&[&log(0, &[]), &log(0, &[10; 10])], 100)[1].stretches.is_empty());
    }

    #[test]
    fn stretches_of_all_workers_pair_by_index_and_lie_in_order() {
        let mut a = vec![100; 60];
        a[20] = 9_000;
        let mut b = vec![100; 150];
        b[5] = 7_000;
        b[100] = 8_000;
        let (a, b) = (log(3, &a), log(9, &b));
        let found = undisturbed(&[&a, &b], 1000);
        assert_eq!(found[0].stretches.len(), found[1].stretches.len());
        for worker in &found {
            for pair in worker.stretches.windows(2) {
                assert!(pair[0].end_ticks <= pair[1].start_ticks);
            }
        }
        for (a, b) in found[0].stretches.iter().zip(&found[1].stretches) {
            assert!(a.start_ticks < b.end_ticks && b.start_ticks < a.end_ticks);
        }
    }
}
