//! What a run in the guest must have done: workers on the PUs they were placed on, work that the state agrees with, an end.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::judge::{pus, same};
use crate::log::Log;
use crate::machines::{Machine, Phase};
use crate::placing::{self, Asked};
use crate::script;

/// The checks of a phase's runs.
pub(crate) fn checks(machine: &Machine, phase: &Phase, log: &Log, check: &mut impl FnMut(String, Result<(), String>)) {
    let name = phase.name;
    let measured = script::measured(machine, phase);
    if measured.is_empty() {
        return;
    }
    check("a short experiment runs to its end".into(), ended(log, name));
    check(format!("its {} cells are placed as promised", measured.len()), placed(machine, phase, log, &measured));
    check("its workers were pinned, and ran where they were placed".into(), ran(log, name));
    check("its state is what the work must leave".into(), verified(log, name));
    if name == "booted" && machine.is_quick() {
        check("quickstart runs to its end".into(), quickstart(log, name));
        check("smt/scaling fills the same cores with more and more threads".into(), smt(machine, phase, log));
        check("pairs run alone, and disjoint ones at the same time".into(), pairs(log, name));
        let cores = machine.online_cores(phase);
        check("the kernel itself saw the workers where they were placed".into(), seen(&cores, log, name));
    }
}

fn ended(log: &Log, name: &str) -> Result<(), String> {
    log.output(&format!("{name}/run"))?;
    let shown = log.json(&format!("{name}/show"))?;
    // One repetition of each cell was asked for.
    same("it stopped for", Some("repetitions"), shown["stopped"].as_str())
}

fn placed(machine: &Machine, phase: &Phase, log: &Log, measured: &[Asked]) -> Result<(), String> {
    let shown = log.json(&format!("{}/show", phase.name))?;
    let cells = shown["cells"].as_array().ok_or("it has no cells")?;
    same("cells", measured.len(), cells.len())?;
    for asked in measured {
        let is = |cell: &&Value| {
            let parameters = &cell["parameters"];
            parameters["placement"].as_str() == Some(asked.policy.as_str())
                && parameters["workers"].as_u64() == Some(asked.workers as u64)
        };
        let cell = cells.iter().find(is).ok_or_else(|| format!("no cell {} × {}", asked.policy, asked.workers))?;
        let holds = pus(&cell["placement"]["pus"]).and_then(|pus| placing::hold(machine, phase, asked, &pus));
        holds.map_err(|why| format!("{} × {}: {why}", asked.policy, asked.workers))?;
    }
    Ok(())
}

/// The records that a run's step printed.
pub(crate) fn records(log: &Log, name: &str) -> Result<Vec<Value>, String> {
    let text = log.output(&format!("{name}/records"))?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| serde_json::from_str(line).map_err(|error| format!("a record is no JSON: {error}"))).collect()
}

/// Every worker of every trial, against the placement of the trial's cell.
fn ran(log: &Log, name: &str) -> Result<(), String> {
    let shown = log.json(&format!("{name}/show"))?;
    let mut placements = BTreeMap::new();
    for cell in shown["cells"].as_array().ok_or("it has no cells")? {
        placements.insert(cell["index"].as_u64().ok_or("a cell has no index")?, pus(&cell["placement"]["pus"])?);
    }
    let mut without_trial: Vec<u64> = placements.keys().copied().collect();
    for record in records(log, name)? {
        let cell = record["cell"].as_u64().ok_or("a record has no cell")?;
        without_trial.retain(|index| *index != cell);
        let placed = placements.get(&cell).ok_or_else(|| format!("a record of cell {cell}, which is not there"))?;
        let workers = record["workers"].as_array().ok_or("a record has no workers")?;
        same("workers", placed.len(), workers.len())?;
        for (worker, pu) in workers.iter().zip(placed) {
            let at = format!("trial {}, the worker placed on PU {pu}", record["trial"]);
            same(&format!("{at}: pinned"), Some(true), worker["pinned"].as_bool())?;
            for field in ["pu", "pu_at_start", "pu_at_end"] {
                same(&format!("{at}: {field}"), Some(u64::from(*pu)), worker[field].as_u64())?;
            }
        }
        // One worker may not come to run in so short a trial: the emulator has fewer PUs than the guest.
        if workers.iter().all(|worker| worker["operations"].as_u64().unwrap_or(0) == 0) {
            return Err(format!("trial {}: no worker did anything", record["trial"]));
        }
    }
    same("cells without a trial", Vec::new(), without_trial)
}

fn verified(log: &Log, name: &str) -> Result<(), String> {
    for record in records(log, name)? {
        same(&format!("trial {}", record["trial"]), Some("exact"), record["verification"]["is"].as_str())?;
    }
    Ok(())
}

fn quickstart(log: &Log, name: &str) -> Result<(), String> {
    log.output(&format!("{name}/quickstart"))?;
    let shown = log.json(&format!("{name}/quickstart/show"))?;
    match shown["stopped"].as_str() {
        Some("budget" | "precision" | "repetitions") => Ok(()),
        other => Err(format!("it stopped for {other:?}")),
    }
}

/// Each number of threads a core that the machine has, on all cores, each with that many.
fn smt(machine: &Machine, phase: &Phase, log: &Log) -> Result<(), String> {
    let cores = machine.online_cores(phase);
    let most = cores.iter().map(Vec::len).max().unwrap_or(0);
    let checked = log.json(&format!("{}/smt", phase.name))?;
    same("failed cells", Some(0), checked["failed"].as_u64())?;
    for threads in [1, 2, 4, 8].into_iter().filter(|threads| *threads <= most) {
        let word = format!("threads_per_core={threads}");
        let cells = checked["cells"].as_array().ok_or("it has no cells")?;
        let mut of = cells.iter().filter(|cell| cell["id"].as_str().is_some_and(|id| id.split(',').any(|w| w == word)));
        let cell = of.next().ok_or_else(|| format!("no cell {word}"))?;
        let placed = pus(&cell["pus"])?;
        for core in &cores {
            let on_core = placed.iter().filter(|pu| core.contains(pu)).count();
            same(&format!("{word}: workers on the core of PU {}", core[0]), threads, on_core)?;
        }
        same(&format!("{word}: workers"), threads * cores.len(), placed.len())?;
    }
    Ok(())
}

/// Every cell once; trials that ran beside others, on other PUs than they.
fn pairs(log: &Log, name: &str) -> Result<(), String> {
    log.output(&format!("{name}/pairs"))?;
    let shown = log.json(&format!("{name}/pairs/show"))?;
    let cells = shown["cells"].as_array().ok_or("it has no cells")?.len();
    let records = records(log, &format!("{name}/pairs"))?;
    same("records", cells, records.len())?;
    let mut groups: Vec<Vec<&Value>> = Vec::new();
    for record in &records {
        let together = |other: &&Value| (&other["before"], &other["after"]) == (&record["before"], &record["after"]);
        match groups.iter_mut().find(|group| group.iter().all(&together)) {
            Some(group) => group.push(record),
            None => groups.push(vec![record]),
        }
    }
    for group in &groups {
        let mut used = Vec::new();
        for record in group {
            let beside = record["beside"].as_u64().unwrap_or(0);
            same(&format!("trial {}: others beside it", record["trial"]), group.len() as u64 - 1, beside)?;
            for worker in record["workers"].as_array().ok_or("a record has no workers")? {
                same("pinned", Some(true), worker["pinned"].as_bool())?;
                used.push(worker["pu"].as_u64().ok_or("a worker has no PU")?);
            }
        }
        used.sort_unstable();
        used.dedup();
        same("PUs of trials at the same time", 2 * group.len(), used.len())?;
    }
    if groups.iter().all(|group| group.len() == 1) {
        return Err("no two pairs ran at the same time".to_owned());
    }
    Ok(())
}

/// At some look of the kernel's own files, each PU of the list had a thread that may run there only, and did.
fn seen(cores: &[Vec<u32>], log: &Log, name: &str) -> Result<(), String> {
    log.output(&format!("{name}/watched"))?;
    let text = log.output(&format!("{name}/watched/seen"))?;
    let list: Vec<u32> = placing::list(cores);
    let mut best: Vec<u32> = Vec::new();
    for look in text.split("@@ look") {
        let missing = |pu: &&u32| !held(look).contains(pu);
        let there: Vec<u32> = list.iter().filter(|pu| !missing(pu)).copied().collect();
        if there.len() == list.len() {
            return Ok(());
        }
        if there.len() > best.len() {
            best = there;
        }
    }
    Err(format!("of the PUs {list:?} at most {best:?} were seen with their worker at once"))
}

/// The PUs that some thread is bound to alone and was last seen running on.
fn held(look: &str) -> Vec<u32> {
    let thread = |path: &str| path.split('/').nth(4).map(str::to_owned);
    let mut bound = BTreeMap::new();
    let mut on = Vec::new();
    for line in look.lines() {
        let Some((path, said)) = line.split_once(':') else { continue };
        if let Some(list) = said.strip_prefix("Cpus_allowed_list:") {
            // A thread that may run on several PUs has a list that is no number.
            if let (Some(thread), Ok(pu)) = (thread(path), list.trim().parse::<u32>()) {
                bound.insert(thread, pu);
            }
        } else if path.ends_with("/stat") {
            // `processor` is field 39 of proc_pid_stat(5); the name, field 2, may hold blanks and is in parentheses.
            let fields = said.rsplit_once(") ").map(|(_, rest)| rest);
            let pu = fields.and_then(|rest| rest.split(' ').nth(36)).and_then(|pu| pu.parse::<u32>().ok());
            on.extend(thread(path).zip(pu));
        }
    }
    on.into_iter().filter(|(thread, pu)| bound.get(thread) == Some(pu)).map(|(_, pu)| pu).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::machines::MACHINES;

    fn step(name: &str, out: &str) -> String {
        format!("@@ step {name} 0\n{out}\n@@ errors\n\n@@ end\n")
    }

    #[test]
    fn threads_that_are_not_on_all_cores_alike_are_seen() {
        let machine = MACHINES.iter().find(|machine| machine.name == "x86").unwrap();
        let phase = &machine.phases[0];
        let cores = machine.online_cores(phase);
        let pus = |threads: usize| cores.iter().flat_map(|core| core[..threads].to_vec()).collect::<Vec<u32>>();
        let found = |ones: Vec<u32>, failed: u64| {
            let cells = [(1, ones), (2, pus(2))]
                .map(|(threads, pus)| json!({"id": format!("kernel=k,threads_per_core={threads}"), "pus": pus}));
            let text = step("booted/smt", &json!({"failed": failed, "cells": cells}).to_string());
            smt(machine, phase, &Log::read(&text))
        };
        assert_eq!(found(pus(1), 0), Ok(()));
        assert!(found(pus(1), 1).is_err());
        assert!(found(pus(1)[1..].to_vec(), 0).is_err());
        let mut twice = pus(1);
        twice[0] = cores[1][1];
        assert!(found(twice, 0).is_err());
    }

    #[test]
    fn pairs_that_share_a_pu_or_never_ran_together_are_seen() {
        let record = |trial: u64, round: u64, beside: u64, pus: [u64; 2]| {
            let workers = pus.map(|pu| json!({"pu": pu, "pinned": true}));
            json!({"trial": trial, "beside": beside, "before": round, "after": round + 1, "workers": workers})
        };
        let found = |records: &[Value]| {
            let lines: Vec<String> = records.iter().map(Value::to_string).collect();
            let shown = json!({"cells": records}).to_string();
            let text =
                step("b/pairs", "") + &step("b/pairs/show", &shown) + &step("b/pairs/records", &lines.join("\n"));
            pairs(&Log::read(&text), "b")
        };
        let alone = record(0, 0, 0, [0, 1]);
        assert_eq!(found(&[alone.clone(), record(1, 1, 1, [0, 1]), record(2, 1, 1, [2, 3])]), Ok(()));
        assert!(found(&[alone.clone(), record(1, 1, 1, [0, 1]), record(2, 1, 1, [1, 3])]).is_err());
        assert!(found(&[alone.clone(), record(1, 1, 0, [0, 1]), record(2, 1, 1, [2, 3])]).is_err());
        assert!(found(&[alone.clone(), record(1, 1, 0, [0, 1])]).is_err());
    }
}
