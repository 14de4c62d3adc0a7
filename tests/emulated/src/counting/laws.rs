//! Laws that counts obey on any machine, whatever its emulator makes of caches and clocks.

use std::collections::BTreeSet;

use serde_json::Value;

use super::asked::WORK;
use super::trials::{Count, Trial};
use crate::judge::same;
use crate::pmus::Pmu;

/// How far the instructions of a unit of work may be apart: what the harness does between batches and the kernel's own operations are in
/// them, and nothing else.
const APART: f64 = 0.02;

/// Units of work that a trial must have done before it says anything.
const ENOUGH: u64 = 1_000_000;

/// Each unit of work takes as many instructions as the next: from one size of work to the next they grow by the same for each unit.
pub(crate) fn instructions_scale(trials: &[Trial]) -> Result<(), String> {
    let per_operation = |cell: usize| {
        let mut of: Vec<f64> = Vec::new();
        for (trial, count) in of_event(trials, "instructions").filter(|(trial, _)| trial.cell == cell as u64) {
            // A busy host leaves a trial too little: another pass has more.
            if cell > 0 && trial.operations.saturating_mul(WORK[cell]) < ENOUGH {
                continue;
            }
            of.push(count.value as f64 / trial.operations as f64);
        }
        // The fewest: a trial that the host disturbed has more of what lies between batches.
        of.into_iter()
            .min_by(f64::total_cmp)
            .ok_or_else(|| format!("no trial with work = {} did {ENOUGH} units", WORK[cell]))
    };
    let found: Vec<f64> = (0..WORK.len()).map(per_operation).collect::<Result<_, String>>()?;
    let slope = |from: usize, to: usize| (found[to] - found[from]) / (WORK[to] - WORK[from]) as f64;
    let whole = slope(0, WORK.len() - 1);
    if whole < 1.0 {
        return Err(format!("{whole} instructions for a unit of work, which is at least two steps: {found:?}"));
    }
    for cell in 1..WORK.len() {
        let part = slope(cell - 1, cell);
        if (part / whole - 1.0).abs() > APART {
            let (from, to) = (WORK[cell - 1], WORK[cell]);
            return Err(format!(
                "{part:.3} a unit from {from} to {to} units, {whole:.3} over all: {found:?} an operation"
            ));
        }
    }
    Ok(())
}

/// With `-icount shift=0` an instruction takes a nanosecond.
pub(crate) fn instructions_are_nanoseconds(trials: &[Trial]) -> Result<(), String> {
    for (trial, count) in of_event(trials, "instructions") {
        let share = count.value as f64 / count.running_ns as f64;
        // What the kernel does on this PU, and the other PUs while they are not idle, take nanoseconds of their own.
        if !(0.5..=1.0).contains(&share) {
            return Err(format!("{}: {} in {} ns", trial.name, count.value, count.running_ns));
        }
    }
    Ok(())
}

/// They count in every trial that has them; how many of them there are means nothing.
pub(crate) fn positive(trials: &[Trial], event: &str) -> Result<(), String> {
    match of_event(trials, event).find(|(_, count)| count.value == 0) {
        Some((trial, _)) => Err(format!("{}: 0 {event}", trial.name)),
        None if of_event(trials, event).next().is_none() => Err(format!("no trial counted {event}")),
        None => Ok(()),
    }
}

/// The trials that counted an event, each with its count.
fn of_event<'t>(trials: &'t [Trial], event: &'t str) -> impl Iterator<Item = (&'t Trial, &'t Count)> {
    trials.iter().filter_map(move |trial| trial.counts.get(event).map(|count| (trial, count)))
}

/// What a trial counts without taking turns is counted over one and the same time, all of it.
pub(crate) fn same_time(trials: &[Trial]) -> Result<(), String> {
    for trial in trials {
        let times: BTreeSet<(u64, u64)> =
            trial.counts.values().map(|count| (count.enabled_ns, count.running_ns)).collect();
        if times.len() != 1 || times.iter().any(|(enabled, running)| enabled != running || *running == 0) {
            return Err(format!("{}: (enabled, running) ns are {times:?}", trial.name));
        }
    }
    Ok(())
}

/// What takes turns runs for some of the time, never for more than it was enabled; and some of it did take turns.
pub(crate) fn turns(trials: &[Trial], hardware: &[&str]) -> Result<(), String> {
    for trial in trials {
        for (event, count) in &trial.counts {
            if count.running_ns == 0 || count.running_ns > count.enabled_ns {
                return Err(format!("{}: {event} ran {} of {} ns", trial.name, count.running_ns, count.enabled_ns));
            }
        }
        let took_turns =
            |event: &&str| trial.counts.get(*event).is_some_and(|count| count.running_ns < count.enabled_ns);
        if !hardware.iter().any(took_turns) {
            return Err(format!("{}: all its events ran all the time, though they do not fit at once", trial.name));
        }
    }
    Ok(())
}

/// Every pass of the manifest is made by some trial, which counts all of its events and misses none; every event that counts is in one.
pub(crate) fn passes(pmu: &Pmu, manifest: &Value, trials: &[Trial]) -> Result<(), String> {
    let passes = manifest["passes"].as_array().ok_or("the manifest has no passes")?;
    same("passes", pmu.passes, passes.len())?;
    let mut counted: BTreeSet<&str> = BTreeSet::new();
    for (index, pass) in passes.iter().enumerate() {
        let events: BTreeSet<&str> =
            pass["events"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut made = trials.iter().filter(|trial| trial.pass == index as u64).peekable();
        if made.peek().is_none() {
            return Err(format!("no trial made pass {index}"));
        }
        for trial in made {
            if !trial.absent.is_empty() {
                return Err(format!("{}: absent {:?}", trial.name, trial.absent));
            }
            let there: BTreeSet<&str> = trial.counts.keys().map(String::as_str).collect();
            same(&format!("{}, of pass {index}", trial.name), &events, &there)?;
        }
        counted.extend(events);
    }
    let due = pmu.counted.iter().chain(pmu.idle);
    match due.copied().find(|event| !counted.contains(event)) {
        Some(event) => Err(format!("{event} is in no pass")),
        None => Ok(()),
    }
}

/// On POWER bits 16 to 19 of a code name its counter (1 to 4; 5 and 6 count nothing else; 0 leaves the choice to the kernel).
pub(crate) fn one_event_a_counter(manifest: &Value) -> Result<(), String> {
    let counter = |event: &Value| {
        let codes = manifest["events"].as_array()?.iter().find(|told| told["name"] == *event)?["codes"].as_array()?;
        let code = codes.first()?.as_str()?.strip_prefix("cpu/config=0x")?.strip_suffix('/')?;
        Some((u64::from_str_radix(code, 16).ok()? >> 16) & 15).filter(|counter| *counter > 0)
    };
    for pass in manifest["passes"].as_array().into_iter().flatten() {
        let mut taken = BTreeSet::new();
        for event in pass["events"].as_array().into_iter().flatten() {
            if counter(event).is_some_and(|counter| !taken.insert(counter)) {
                return Err(format!("two events on the counter of {event} in {}", pass["events"]));
            }
        }
    }
    Ok(())
}
