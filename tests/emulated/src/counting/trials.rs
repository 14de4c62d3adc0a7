//! The records of a run, as far as they tell of events.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::log::Log;
use crate::measured::records;

/// A count as read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Count {
    pub value: u64,
    pub enabled_ns: u64,
    pub running_ns: u64,
}

/// What the only worker of a trial counted.
#[derive(Debug)]
pub(crate) struct Trial {
    /// Which it was, in words.
    pub name: String,
    pub cell: u64,
    pub pass: u64,
    pub pu: u64,
    pub operations: u64,
    pub counts: BTreeMap<String, Count>,
    pub absent: BTreeMap<String, String>,
}

/// The trials of a run.
///
/// # Errors
/// What is missing in a record.
pub(crate) fn trials(log: &Log, run: &str) -> Result<Vec<Trial>, String> {
    let trials: Vec<Trial> = records(log, run)?.iter().map(trial).collect::<Result<_, _>>()?;
    if trials.is_empty() { Err("it made no trial".to_owned()) } else { Ok(trials) }
}

fn trial(record: &Value) -> Result<Trial, String> {
    let name = format!("trial {}", record["trial"]);
    let worker = match record["workers"].as_array().map(Vec::as_slice) {
        Some([worker]) => worker,
        _ => return Err(format!("{name} has not one worker")),
    };
    if worker["pinned"] != true {
        return Err(format!("{name}: its worker was not pinned"));
    }
    let number = |of: &Value, field: &str| of[field].as_u64().ok_or_else(|| format!("{name} has no {field}"));
    let mut counts = BTreeMap::new();
    for (event, count) in worker["events"].as_object().ok_or_else(|| format!("{name} has no events"))? {
        let count = Count {
            value: number(count, "value")?,
            enabled_ns: number(count, "enabled_ns")?,
            running_ns: number(count, "running_ns")?,
        };
        counts.insert(event.clone(), count);
    }
    let reason = |(event, why): (&String, &Value)| (event.clone(), why.as_str().unwrap_or("").to_owned());
    Ok(Trial {
        cell: number(record, "cell")?,
        pass: number(record, "pass")?,
        pu: number(worker, "pu")?,
        operations: number(worker, "operations")?,
        counts,
        absent: worker["absent"].as_object().into_iter().flatten().map(reason).collect(),
        name,
    })
}

/// What the manifest says of an event.
///
/// # Errors
/// When it says nothing.
pub(crate) fn told<'m>(manifest: &'m Value, event: &str) -> Result<&'m Value, String> {
    let events = manifest["events"].as_array().ok_or("the manifest has no events")?;
    events.iter().find(|told| told["name"] == event).ok_or_else(|| format!("the manifest does not know {event}"))
}

/// What the explanation says of an event.
///
/// # Errors
/// When it says nothing.
pub(crate) fn explained<'s>(shown: &'s Value, event: &str) -> Result<&'s Value, String> {
    let events = shown["explanation"]["events"].as_array().ok_or("it explains nothing")?;
    events.iter().find(|told| told["name"] == event).ok_or_else(|| format!("the explanation does not know {event}"))
}

/// Whether a cell has a flag of this name whose meaning names this event.
pub(crate) fn flagged(cell: &Value, flag: &str, event: &str) -> bool {
    let mut flags = cell["flags"].as_array().into_iter().flatten().filter(|one| one["name"] == flag);
    flags.any(|one| one["meaning"].as_str().is_some_and(|meaning| meaning.contains(event)))
}
