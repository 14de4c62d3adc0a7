//! What hitm tells of events: which it cannot count and why, which zeros nobody can verify, which counts are estimates.

use serde_json::Value;

use super::asked::USERS;
use super::trials::{Trial, explained, flagged, told};
use crate::judge::same;
use crate::log::{Log, tail};
use crate::pmus::Pmu;

/// Of all processors of the catalogue it is this one.
pub(crate) fn uarch(log: &Log, step: &str, pmu: &Pmu) -> Result<(), String> {
    let listed = log.json(step)?;
    let all = listed["uarchs"].as_array().ok_or("no microarchitectures")?;
    let here: Vec<&str> =
        all.iter().filter(|one| one["this_machine"] == true).filter_map(|one| one["name"].as_str()).collect();
    same("this machine", vec![pmu.uarch], here)
}

/// Exit code 0 where hardware counts, 3 where it does not; what it says of the PMU holds `words`.
pub(crate) fn doctor(log: &Log, step: &str, opens: bool, words: &[&str]) -> Result<(), String> {
    let said = log.step(step)?;
    let findings: Value = serde_json::from_str(&said.out).map_err(|error| format!("{error}: {}", tail(&said.err)))?;
    let all = findings.as_array().ok_or("no findings")?;
    let one = |name: &str| all.iter().find(|one| one["name"] == name).ok_or_else(|| format!("no finding {name}"));
    same("pinning", Some("good"), one("pinning")?["level"].as_str())?;
    let pmu = one("pmu")?;
    let levels: &[&str] = if opens { &["good", "note"] } else { &["missing"] };
    let level = pmu["level"].as_str().unwrap_or("");
    if !levels.contains(&level) {
        return Err(format!("pmu is {level} and not {levels:?}: {}", pmu["found"]));
    }
    let found = pmu["found"].as_str().unwrap_or("");
    if let Some(word) = words.iter().find(|word| !found.contains(**word)) {
        return Err(format!("it does not say `{word}`: {found}"));
    }
    same("exit code", if opens { 0 } else { 3 }, said.code)
}

/// An event that opened, ran and read 0 in every trial, and did not move when it was tried before, is told as a zero that nobody can
/// verify; one that counted is not. The machine's idle events are such zeros, and no cell shows one without its flag.
pub(crate) fn zeros(pmu: &Pmu, manifest: &Value, shown: &Value, trials: &[Trial]) -> Result<(), String> {
    for event in pmu.idle.iter().chain(pmu.counted) {
        let idle = pmu.idle.contains(event);
        let values = trials.iter().filter_map(|trial| trial.counts.get(*event)).map(|count| count.value);
        same(&format!("{event} is 0 in all records"), idle, values.clone().all(|value| value == 0))?;
        same(&format!("{event} moved when tried"), Some(!idle), told(manifest, event)?["moved"].as_bool())?;
        let standing = explained(shown, event)?["standing"].as_str();
        same(&format!("{event} stands as an unverified zero"), idle, standing == Some("unverified-zero"))?;
        let metric = format!("{event}_per_op");
        for cell in
            shown["cells"].as_array().into_iter().flatten().filter(|cell| cell["metrics"].get(&metric).is_some())
        {
            let flag = flagged(cell, "unverified-zero", &format!("`{event}`"));
            same(&format!("{event} is flagged in {}", cell["id"]), idle, flag)?;
        }
    }
    Ok(())
}

/// Nothing that did not count explains anything.
pub(crate) fn explanation(pmu: &Pmu, shown: &Value) -> Result<(), String> {
    let explanation = &shown["explanation"];
    let named = explanation["rising_with_it"].as_array().into_iter().flatten().chain([&explanation["event"]]);
    for event in named.filter_map(Value::as_str) {
        if !pmu.counted.contains(&event) {
            return Err(format!("{event} explains the time, but it counts nothing here"));
        }
    }
    match (pmu.opens(), explanation["verdict"].as_str()) {
        (false, Some("nothing-counted")) | (true, Some(_)) => Ok(()),
        (_, verdict) => Err(format!("the verdict is {verdict:?}: {}", explanation["sentence"])),
    }
}

/// An event that cannot be counted has its reason in the manifest and beside every cell, and no number anywhere.
pub(crate) fn refused(pmu: &Pmu, manifest: &Value, shown: &Value, trials: &[Trial]) -> Result<(), String> {
    for (event, words) in pmu.refused {
        let why = &told(manifest, event)?["unavailable"];
        let reason = why["reason"].as_str().unwrap_or("");
        if !reason.contains(words) || why["cure"].as_str().is_none_or(str::is_empty) {
            return Err(format!("{event}: not `{words}` and a cure, but {why}"));
        }
        if let Some(trial) = trials.iter().find(|trial| trial.counts.contains_key(*event)) {
            return Err(format!("{} counted {event}", trial.name));
        }
        for cell in shown["cells"].as_array().ok_or("no cells")? {
            let metric = format!("{event}_per_op");
            // What has a number of its own, estimated otherwise, need not be named.
            let absent = cell["absent"][metric.as_str()].as_str().unwrap_or("");
            let metrics = cell["metrics"].as_object().ok_or("a cell has no metrics")?;
            if let Some(number) =
                metrics.keys().find(|name| **name == metric || name.starts_with(&format!("{metric} ")))
            {
                return Err(format!("{event} has a number: {number}"));
            }
            if !absent.contains(words) {
                return Err(format!("cell {}: `{absent}` does not say `{words}`", cell["id"]));
            }
        }
        let standing = explained(shown, event)?["standing"].as_str();
        same(&format!("{event} in the explanation"), Some("absent"), standing)?;
    }
    Ok(())
}

/// Where there is no PMU at all, that is the one reason, whatever was asked for.
pub(crate) fn one_reason(pmu: &Pmu, manifest: &Value) -> Result<(), String> {
    let mut reasons = Vec::new();
    // What the processor has not is told so all the same.
    for (event, _) in pmu.refused.iter().filter(|(_, words)| !words.starts_with("not on")) {
        reasons.push(told(manifest, event)?["unavailable"]["reason"].to_string());
    }
    reasons.dedup();
    same("reasons", 1, reasons.len()).map_err(|why| format!("{why}: {reasons:?}"))
}

/// Counts of events that took turns are scaled, and named so wherever they are.
pub(crate) fn estimates(shown: &Value, trials: &[Trial]) -> Result<(), String> {
    let cell = &shown["cells"][0];
    if !flagged(cell, "multiplexed", "") {
        return Err("the cell is not flagged multiplexed".to_owned());
    }
    let in_turn = |event: &String| {
        let mut counts = trials.iter().filter_map(|trial| trial.counts.get(event));
        counts.any(|count| count.running_ns < count.enabled_ns)
    };
    let all: Vec<&String> = trials.iter().flat_map(|trial| trial.counts.keys()).collect();
    for event in all {
        same(&format!("{event} is scaled"), Some(in_turn(event)), explained(shown, event)?["scaled"].as_bool())?;
        let plain = cell["metrics"].get(format!("{event}_per_op")).is_some();
        let named = cell["metrics"].get(format!("{event}_per_op (scaled estimate)")).is_some();
        // A zero that nobody can verify is no number.
        let unverified = explained(shown, event)?["standing"].as_str() == Some("unverified-zero");
        let due = if unverified && !plain && !named { (false, false) } else { (!in_turn(event), in_turn(event)) };
        same(&format!("{event} has a plain number, an estimate"), due, (plain, named))?;
    }
    Ok(())
}

/// A user at `perf_event_paranoid` 2 counts his own code; the switches come from another call, which is named, and migrations are absent.
pub(crate) fn user(pmu: &Pmu, manifest: &Value, trials: &[Trial]) -> Result<(), String> {
    let [task, switches, migrations, cycles] = USERS;
    for trial in trials {
        let there: Vec<&str> = trial.counts.keys().map(String::as_str).collect();
        let mut due = vec![task, switches];
        due.extend(pmu.counted.iter().filter(|event| **event == cycles));
        due.sort_unstable();
        same(&trial.name, due, there)?;
    }
    let why = &told(manifest, migrations)?["unavailable"];
    for (field, words) in [("reason", "perf_event_paranoid is 2"), ("cure", "perf_event_paranoid=1")] {
        if !why[field].as_str().unwrap_or("").contains(words) {
            return Err(format!("{migrations}: its {field} is not `{words}` but {why}"));
        }
    }
    let source = told(manifest, switches)?["source"].as_str().unwrap_or("");
    if source.contains("getrusage") { Ok(()) } else { Err(format!("{switches} come from `{source}`, not getrusage")) }
}
