//! What `hitm machine` must say of the machine.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::judge::same;
use crate::log::Log;
use crate::machines::{Machine, Phase};

/// Whether the guest's kernel has the cores that QEMU was asked for, and the PUs offline that were taken offline: without that
/// nothing else says anything about hitm.
pub(crate) fn guest(machine: &Machine, phase: &Phase, log: &Log) -> Result<(), String> {
    let said = log.output(&format!("{}/siblings", phase.name))?;
    let of = |pu: u32| {
        let place = format!("/cpu{pu}/topology/thread_siblings_list:");
        said.lines().find_map(|line| line.split_once(place.as_str())).map(|(_, list)| list.trim().to_owned())
    };
    for core in machine.online_cores(phase) {
        for &pu in &core {
            same(&format!("the kernel's siblings of PU {pu}"), Some(ranges(&core)), of(pu))?;
        }
    }
    let online: Vec<u32> = machine.online_cores(phase).concat();
    let told = said.lines().find_map(|line| line.split_once("/cpu/online:")).map(|(_, list)| list.trim().to_owned());
    same("the kernel's online PUs", Some(ranges(&online)), told)
}

/// PUs as the kernel writes them: `0-3,8`.
fn ranges(pus: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &pu in pus {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == pu => *last = pu,
            _ => runs.push((pu, pu)),
        }
    }
    let text = |(first, last): &(u32, u32)| if first == last { format!("{first}") } else { format!("{first}-{last}") };
    runs.iter().map(text).collect::<Vec<_>>().join(",")
}

/// The checks of `hitm machine --json`.
pub(crate) fn found(machine: &Machine, phase: &Phase, log: &Log, check: &mut impl FnMut(String, Result<(), String>)) {
    let json = log.json(&format!("{}/machine", phase.name));
    let on = |look: &dyn Fn(&Value) -> Result<(), String>| json.as_ref().map_err(Clone::clone).and_then(look);
    let cores = machine.online_cores(phase);
    let wanted = counts(machine, &cores);
    let words: Vec<String> = wanted.iter().map(|(name, count)| format!("{name} {count}")).collect();
    check(words.join(", "), on(&|json| counted(json, &wanted)));
    check("online, offline and allowed PUs are told apart".into(), on(&|json| states(machine, phase, json)));
    check("siblings and packages are the kernel's".into(), on(&|json| siblings(machine, &cores, json)));
    if machine.nodes.is_some() {
        check("each PU is on its NUMA node".into(), on(&|json| nodes(machine, &cores, json)));
    }
    check("the line size is told, or said to be assumed".into(), on(&|json| line(machine, json)));
    if phase.name == "booted" && !machine.processor.is_empty() {
        check(format!("it is told as {}", machine.processor), on(&|json| processor(machine, json)));
    }
}

fn counts(machine: &Machine, cores: &[Vec<u32>]) -> Vec<(&'static str, usize)> {
    let mut packages: Vec<u32> = cores.iter().map(|pus| machine.package_of(pus[0])).collect();
    packages.dedup();
    let mut counts = vec![
        ("pus", cores.iter().map(Vec::len).sum()),
        ("cores", cores.len()),
        ("packages", packages.len()),
        ("smt_min", cores.iter().map(Vec::len).min().unwrap_or(0)),
        ("smt_max", cores.iter().map(Vec::len).max().unwrap_or(0)),
    ];
    if machine.nodes.is_some() {
        counts.push(("numa_nodes", packages.len()));
    }
    counts
}

fn counted(json: &Value, wanted: &[(&str, usize)]) -> Result<(), String> {
    for (name, count) in wanted {
        same(name, Some(*count as u64), json["counts"][*name].as_u64())?;
    }
    Ok(())
}

/// A PU's row; `None` when it has none or several.
fn row(json: &Value, pu: u32) -> Option<&Value> {
    let mut rows = json["pus"].as_array()?.iter().filter(|row| row["os_index"].as_u64() == Some(pu.into()));
    rows.next().filter(|_| rows.next().is_none())
}

fn states(machine: &Machine, phase: &Phase, json: &Value) -> Result<(), String> {
    for pu in 0..machine.pus() {
        let row = row(json, pu).ok_or_else(|| format!("PU {pu} has not one row"))?;
        let online = !phase.offline.contains(&pu);
        same(&format!("PU {pu} is online"), Some(online), row["online"].as_bool())?;
        if online {
            same(&format!("PU {pu} is allowed"), Some(true), row["allowed"].as_bool())?;
        }
    }
    same("rows", Some(machine.pus() as usize), json["pus"].as_array().map(Vec::len))
}

fn siblings(machine: &Machine, cores: &[Vec<u32>], json: &Value) -> Result<(), String> {
    let mut told: BTreeMap<(u64, u64), Vec<u32>> = BTreeMap::new();
    for &pu in cores.iter().flatten() {
        let row = row(json, pu).ok_or_else(|| format!("PU {pu} has not one row"))?;
        let key = row["package"].as_u64().zip(row["core"].as_u64());
        told.entry(key.ok_or_else(|| format!("PU {pu} has no package or no core"))?).or_default().push(pu);
    }
    let mut groups: Vec<Vec<u32>> = told.values().cloned().collect();
    groups.sort();
    same("cores", cores.to_vec(), groups)?;
    let package = |pus: &[u32]| told.iter().find(|(_, told)| *told == pus).map(|((package, _), _)| *package);
    for pair in cores.windows(2) {
        let together = machine.package_of(pair[0][0]) == machine.package_of(pair[1][0]);
        let what = format!("PU {} and {} are in one package", pair[0][0], pair[1][0]);
        same(&what, together, package(&pair[0]) == package(&pair[1]))?;
    }
    for core in cores {
        for (index, &pu) in core.iter().enumerate() {
            let told = row(json, pu).and_then(|row| row["smt_index"].as_u64());
            same(&format!("PU {pu}'s place among its core's online threads"), Some(index as u64), told)?;
        }
    }
    Ok(())
}

fn nodes(machine: &Machine, cores: &[Vec<u32>], json: &Value) -> Result<(), String> {
    for &pu in cores.iter().flatten() {
        let told = row(json, pu).and_then(|row| row["numa_node"].as_u64());
        same(&format!("PU {pu}'s node"), Some(machine.package_of(pu).into()), told)?;
    }
    Ok(())
}

fn line(machine: &Machine, json: &Value) -> Result<(), String> {
    let line = &json["line_size"];
    let source = line["source"].as_str().unwrap_or("");
    match machine.line_bytes {
        Some(bytes) => {
            same("bytes", Some(bytes), line["bytes"].as_u64())?;
            same("assumed though the kernel tells it", false, source.starts_with("assumed"))
        }
        None if source.starts_with("assumed") => Ok(()),
        None => Err(format!("nothing tells it, but hitm has it from `{source}`")),
    }
}

fn processor(machine: &Machine, json: &Value) -> Result<(), String> {
    let facts = json["facts"].to_string();
    if facts.contains(machine.processor) { Ok(()) } else { Err(format!("not among its facts: {facts}")) }
}
