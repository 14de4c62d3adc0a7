//! Whether an event is the time by another name, by what it counts.

use hitm_experiment::manifest::EventInfo;

use super::DIFFERENT;
use super::event::counted;
use super::kind::is_time;
use super::losses::{Losses, at_level};
use crate::interval::median;
use crate::metric::Metric;
use crate::run::Run;

/// The fewest cells, and the least spread of their times as a factor, by which a clock is told.
const CELLS: usize = 3;
const SPREAD: f64 = 1.5;

/// Fewer cells, or times nearer each other, tell a clock by this factor, if it has the same rate in all of them: one of the processor's is
/// far steadier, and a cause is not there in the fast cells.
const EXACT: f64 = 1.01;

/// Of so many cells a clock has the same rate. A few may be off: their own clock was another, or they were disturbed.
const MOST: f64 = 0.75;

/// Whether an event counts as many a cycle or nanosecond in most cells, the fastest among them, though these take very
/// different times; in words. A cause is not there in the fast cells.
///
/// It is held against cycles and time counted in the same trials, and against how long it was itself enabled: the counters of a
/// thread stand still while that is off its PU, so load on the machine does not move these.
pub(super) fn is_clock(
    run: &Run,
    losses: &Losses,
    metrics: &[Metric],
    info: &EventInfo,
    rates: &[f64],
) -> Option<String> {
    let clocks = run.manifest.events.iter().filter(|other| is_time(other) && other.name != info.name);
    let counted = clocks.map(|other| (format!("each one of {}", other.name), counted(run, metrics, &other.name).rates));
    let enabled = std::iter::once(("each nanosecond".to_owned(), enabled_ns(run, &info.name)));
    let like = |(of, clock): (String, Vec<f64>)| {
        steady(&cells(run, losses, rates, &clock))
            .then(|| format!("it counts like a clock, as many for {of} in most cells"))
    };
    counted.chain(enabled).find_map(|(of, clock)| like((of, clock)))
}

/// How long an event was enabled in each trial, nanoseconds an operation; not a number where it was not.
fn enabled_ns(run: &Run, name: &str) -> Vec<f64> {
    let of = |trial: &crate::run::Trial| {
        let workers = &trial.record.workers;
        let enabled = workers.iter().filter_map(|worker| worker.events.get(name)).map(|count| count.enabled_ns as f64);
        let operations: f64 = workers.iter().map(|worker| worker.operations as f64).sum();
        let value = enabled.sum::<f64>() / operations;
        if trial.counted && value.is_finite() && value > 0.0 { value } else { f64::NAN }
    };
    run.trials.iter().map(of).collect()
}

/// The cells' medians of time per operation and of the event's rate over the clock's, over the trials that have both.
fn cells(run: &Run, losses: &Losses, rates: &[f64], clock: &[f64]) -> Vec<(f64, f64)> {
    let cell = |cell: usize| {
        let ratio =
            |i: usize| Some((losses.times[i], rates[i] / clock[i])).filter(|(t, r)| t.is_finite() && r.is_finite());
        let (times, ratios): (Vec<f64>, Vec<f64>) = at_level(run, cell).filter_map(ratio).unzip();
        Some((median(times)?, median(ratios)?))
    };
    (0..run.manifest.cells.len()).filter_map(cell).collect()
}

/// Whether most cells (time, rate), the fastest among them, have nearly the same rate over a wide range of times.
fn steady(cells: &[(f64, f64)]) -> bool {
    let Some(middle) = median(cells.iter().map(|cell| cell.1).collect()) else { return false };
    let within = |cell: &(f64, f64), factor: f64| cell.1 > 0.0 && cell.1.max(middle) <= cell.1.min(middle) * factor;
    let range = |times: &mut dyn Iterator<Item = f64>| {
        times.fold((f64::MAX, 0.0_f64), |(low, high), t| (low.min(t), high.max(t)))
    };
    let (low, high) = range(&mut cells.iter().map(|cell| cell.0));
    if cells.len() > 1 && high >= low * DIFFERENT && cells.iter().all(|cell| within(cell, EXACT)) {
        return true;
    }
    let near = |cell: &&(f64, f64)| within(cell, DIFFERENT);
    let same: Vec<f64> = cells.iter().filter(near).map(|cell| cell.0).collect();
    let fastest = cells.iter().min_by(|a, b| a.0.total_cmp(&b.0));
    let (low, high) = range(&mut same.iter().copied());
    same.len() >= CELLS
        && same.len() as f64 >= cells.len() as f64 * MOST
        && fastest.as_ref().is_some_and(near)
        && high >= low * SPREAD
}

#[cfg(test)]
mod tests {
    use super::steady;

    #[test]
    fn a_clock_is_the_same_in_most_cells_and_in_the_fastest() {
        let same = [(10.0, 2.5), (20.0, 2.5), (40.0, 2.45), (80.0, 2.6)];
        assert!(steady(&same));
        let mut odd = same;
        odd[3].1 = 4.0;
        assert!(steady(&odd), "one in four is off");
        odd[2].1 = 4.0;
        assert!(!steady(&odd));
        let cause = [(10.0, 0.0), (20.0, 2.5), (40.0, 2.5), (80.0, 2.5)];
        assert!(!steady(&cause), "not there in the fastest cell");
        assert!(!steady(&[]) && !steady(&same[..1]));
        let near = |times: [(f64, f64); 4]| steady(&times.map(|(time, rate)| (10.0 + time / 100.0, rate)));
        assert!(!near(same) && !near(same.map(|(time, _)| (time, 2.5))), "times too near each other to tell");
    }

    #[test]
    fn two_cells_tell_a_clock_that_is_exact() {
        assert!(steady(&[(10.0, 2.5), (20.0, 2.501)]));
        assert!(steady(&[(10.0, 2.5), (11.5, 2.49)]));
        assert!(!steady(&[(10.0, 2.5), (20.0, 2.6)]) && !steady(&[(10.0, 2.5), (10.5, 2.5)]));
    }
}
