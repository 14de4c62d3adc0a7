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
    if name == "booted" {
        check("doctor finds that pinning is possible".into(), log.json(&format!("{name}/doctor")).map(|_| ()));
        check("quickstart runs to its end".into(), quickstart(log, name));
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

fn records(log: &Log, name: &str) -> Result<Vec<Value>, String> {
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
