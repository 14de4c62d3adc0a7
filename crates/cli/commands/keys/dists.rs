//! `hitm keys dists`: what can be drawn and replayed.

use std::fmt::Write as _;

use hitm_keys::dist::{Entry, Parameter, entries};
use hitm_keys::sysbench::Workload;
use serde_json::{Value, json};

use super::typed::Problems;
use crate::commands::Ended;
use crate::output::{print, print_json};
use crate::problems::CliError;

pub(super) fn dists(part: &str, as_json: bool) -> Result<Ended, CliError> {
    let dists: Vec<&Entry> = entries().filter(|entry| entry.name.contains(part)).collect();
    let workloads: Vec<_> = Workload::ALL.iter().filter(|workload| workload.name.contains(part)).collect();
    if dists.is_empty() && workloads.is_empty() {
        let mut problems = Problems::default();
        problems.add(part, "no distribution and no workload has this in its name", "leave it out to see all");
        problems.none()?;
    }
    if as_json {
        let workloads: Vec<_> = workloads.iter().map(|workload| json!({"name": workload.name})).collect();
        print_json(&json!({"dists": dists.into_iter().map(dist_json).collect::<Vec<_>>(), "workloads": workloads}))?;
        return Ok(Ended::Done);
    }
    let mut text = String::from("distributions (hitm keys draw --dist NAME)\n");
    for entry in dists {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {:<34} {}", entry.name, entry.summary);
        if !entry.fault.is_empty() {
            let _ = writeln!(text, "    fault: {}", entry.fault);
        }
        for Parameter { name, default, help } in entry.parameters {
            let _ = writeln!(text, "    {name:<10} {help}; default {default}");
        }
    }
    text.push_str("\nworkloads (hitm keys sql --workload NAME)\n");
    for workload in workloads {
        let _ = writeln!(text, "  {}", workload.name);
    }
    print(&text)?;
    Ok(Ended::Done)
}

fn dist_json(entry: &Entry) -> Value {
    let parameters: Vec<_> = entry
        .parameters
        .iter()
        .map(|parameter| json!({"name": parameter.name, "default": parameter.default, "help": parameter.help}))
        .collect();
    json!({
        "name": entry.name,
        "summary": entry.summary,
        "fault": entry.fault,
        "generator": entry.generator,
        "range": {"low": entry.range.low(), "high": entry.range.high()},
        "parameters": parameters,
    })
}
