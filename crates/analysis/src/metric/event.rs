//! Events per operation and per time, and what a record may say of an event at all.

use hitm_experiment::Manifest;
use hitm_experiment::record::Record;

use super::{Absent, operations, tick_ns};

/// The least share of the time in which an event must have had its counter for an estimate: what it missed is scaled up from what it saw,
/// below this by more than a hundred, and with it each event that it saw by chance. Counters that are shared out evenly leave an event more:
/// a hundred sets would have to take turns.
pub const LEAST_RUNNING: f64 = 0.01;

/// How much longer than its trial an event may be enabled: it is switched on before the start and off after the end.
const MOST_ENABLED: f64 = 1.1;
/// What it may be beyond that, nanoseconds: a worker that waits for its turn before it reads.
const ENABLED_BESIDE_NS: f64 = 1e8;

/// No event happens more often than so many times a nanosecond: at 10 GHz ten a cycle.
const MOST_PER_NS: f64 = 100.0;
/// What a count may have beyond that, since a clock may start late: a count of a time of nearly nothing is no contradiction.
const MOST_BESIDE: f64 = 1e6;

/// The longest that an event of a trial can have been enabled, nanoseconds.
fn longest_ns(record: &Record, manifest: &Manifest) -> f64 {
    let first = record.workers.iter().map(|worker| worker.start_ticks).min().unwrap_or(0);
    let last = record.workers.iter().map(|worker| worker.end_ticks).max().unwrap_or(0);
    let wall = last.saturating_sub(first) as f64 * tick_ns(manifest).unwrap_or(0.0);
    // A trial that ran beside others took only its share of the budget.
    wall.max(record.took_ns as f64) * MOST_ENABLED + ENABLED_BESIDE_NS
}

/// Events per operation, as counted or scaled up.
pub(super) fn per_op(name: &str, scaled: bool, record: &Record, manifest: &Manifest) -> Result<f64, Absent> {
    let (total, part) = total(name, record, manifest)?;
    match (part, scaled) {
        (true, false) => Err(Absent::Multiplexed),
        (false, true) => Err(Absent::NotScaled),
        _ => Ok(total / operations(record)?),
    }
}

/// Events per millisecond of a worker's timed stretch.
pub(super) fn per_ms(name: &str, record: &Record, manifest: &Manifest) -> Result<f64, Absent> {
    let (total, part) = total(name, record, manifest)?;
    let ms = ms(record, tick_ns(manifest)?);
    match part {
        true => Err(Absent::Multiplexed),
        false if ms == 0.0 => Err(Absent::NoTime),
        false => Ok(total / ms),
    }
}

/// The timed stretches of all workers together, milliseconds.
pub(crate) fn ms(record: &Record, tick_ns: f64) -> f64 {
    let ticks = record.workers.iter().map(|worker| worker.end_ticks.saturating_sub(worker.start_ticks) as f64);
    ticks.sum::<f64>() * tick_ns / 1e6
}

/// What all workers counted, scaled up where an event had its counter for part of the time, and whether any had.
fn total(name: &str, record: &Record, manifest: &Manifest) -> Result<(f64, bool), Absent> {
    let longest_ns = longest_ns(record, manifest);
    if record.workers.is_empty() {
        return Err(Absent::NoWorkers);
    }
    let (mut total, mut part) = (0.0, false);
    for worker in &record.workers {
        let Some(count) = worker.events.get(name) else {
            return Err(if worker.absent.contains_key(name) { Absent::NotCounted } else { Absent::NotInPass });
        };
        // Nothing that is counted gives these, but records can be edited.
        let longer = count.running_ns > count.enabled_ns || count.enabled_ns as f64 > longest_ns;
        if longer || (count.running_ns == 0 && count.value > 0) {
            return Err(Absent::Contradicts);
        }
        if count.running_ns == 0 {
            return Err(Absent::NeverRan);
        }
        let most = |ns: u64| ns as f64 * MOST_PER_NS + MOST_BESIDE;
        let estimate = count.value as f64 * (count.enabled_ns as f64 / count.running_ns as f64);
        if count.value as f64 > most(count.running_ns) || estimate > most(count.enabled_ns) {
            return Err(Absent::TooFast);
        }
        if (count.running_ns as f64) < count.enabled_ns as f64 * LEAST_RUNNING {
            return Err(Absent::RanTooLittle);
        }
        part |= count.running_ns < count.enabled_ns;
        total += estimate;
    }
    Ok((total, part))
}
