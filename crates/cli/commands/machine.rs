//! `hitm machine`: a topology, and a placement on it.

use std::fmt::Write as _;

use comfy_table::{ContentArrangement, Table, presets};
use hitm_experiment::{Place, Problem};
use hitm_machine::{Input, MachineError};
use hitm_topology::{Counts, Placement, Policy, Topology, place};
use serde_json::{Value, json};

use crate::args::MachineArgs;
use crate::commands::Ended;
use crate::output::{print, print_json, style};
use crate::problems::CliError;

pub(crate) fn machine(args: &MachineArgs) -> Result<Ended, CliError> {
    let given = |error: MachineError| {
        let place = Place { source: format!("--input {}", args.input), ..Place::default() };
        CliError::input(Problem::new(place, error.message, error.cure))
    };
    let input: Input = args.input.parse().map_err(given)?;
    let topology = hitm_machine::discover(&input).map_err(given)?;
    let placement = args.place.as_deref().map(|policy| placement(policy, args.workers, &topology)).transpose()?;
    if args.json.json {
        print_json(&as_json(&topology, placement.as_ref()))?;
    } else {
        print(&as_text(&topology, placement.as_ref()))?;
    }
    Ok(Ended::Done)
}

fn placement(policy: &str, workers: Option<usize>, topology: &Topology) -> Result<Placement, CliError> {
    let at = |source: String, message: String, cure: String| {
        Problem::new(Place { source, ..Place::default() }, message, cure)
    };
    let source = format!("--place {policy}");
    let policy: Policy = policy
        .parse()
        .map_err(|error: hitm_topology::PolicyError| CliError::input(at(source.clone(), error.message, error.cure)))?;
    let workers = workers.unwrap_or_else(|| topology.allowed().len());
    place(topology, &policy, workers).map_err(|faults| {
        let problems = faults.iter().map(|fault| at(source.clone(), fault.message(), fault.cure())).collect();
        CliError::Input { problems, text: String::new() }
    })
}

fn as_json(topology: &Topology, placement: Option<&Placement>) -> Value {
    let line = topology.line_size();
    let facts: serde_json::Map<String, Value> = if topology.is_this_machine {
        hitm_runner::facts(topology).into_iter().map(|fact| (fact.name, Value::String(fact.value))).collect()
    } else {
        serde_json::Map::new()
    };
    json!({
        "source": topology.source,
        "this_machine": topology.is_this_machine,
        "counts": topology.counts(),
        "line_size": { "bytes": line.bytes, "source": line.source },
        "pus": topology.pus,
        "caches": topology.caches,
        "notes": topology.notes,
        "facts": facts,
        "placement": placement.map(|placement| json!({
            "policy": placement.policy,
            "pus": placement.pus,
            "oversubscribed": placement.oversubscribed,
        })),
    })
}

fn as_text(topology: &Topology, placement: Option<&Placement>) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{}: {}", topology.source, counts(&topology.allowed_counts()));
    let line = topology.line_size();
    let _ = writeln!(text, "cache line: {} bytes ({})", line.bytes, line.source);
    for note in &topology.notes {
        let _ = writeln!(text, "note: {note}");
    }
    if topology.is_this_machine {
        for fact in hitm_runner::facts(topology) {
            let _ = writeln!(text, "{}: {}", fact.name, fact.value);
        }
    }
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(style().width as u16);
    let mut header = vec!["PU", "core", "package", "NUMA node", "SMT", "state"];
    header.extend(placement.map(|_| "workers"));
    table.set_header(header);
    let or_none = |value: Option<u32>| value.map_or("–".to_owned(), |value| value.to_string());
    for pu in &topology.pus {
        let state = match (pu.online, pu.allowed) {
            (false, _) => "offline",
            (true, false) => "not allowed",
            (true, true) => "",
        };
        let mut row = vec![
            pu.os_index.to_string(),
            or_none(pu.core),
            or_none(pu.package),
            or_none(pu.numa_node),
            pu.smt_index.to_string(),
            state.to_owned(),
        ];
        row.extend(placement.map(|placement| workers_on(placement, pu.os_index)));
        table.add_row(row);
    }
    let _ = writeln!(text, "\n{table}");
    if let Some(placement) = placement {
        let pus: Vec<String> = placement.pus.iter().map(u32::to_string).collect();
        let wrapped = if placement.oversubscribed { " (more workers than PUs: they share)" } else { "" };
        let _ = writeln!(text, "placement {}: {}{wrapped}", placement.policy, pus.join(" "));
    }
    text
}

fn counts(counts: &Counts) -> String {
    let many = |n: usize, one: &str| format!("{n} {one}{}", if n == 1 { "" } else { "s" });
    [
        many(counts.packages, "package"),
        many(counts.numa_nodes, "NUMA node"),
        many(counts.cores, "core"),
        many(counts.pus, "PU"),
    ]
    .join(", ")
}

fn workers_on(placement: &Placement, pu: u32) -> String {
    let workers = placement.pus.iter().enumerate().filter(|(_, placed)| **placed == pu);
    workers.map(|(worker, _)| worker.to_string()).collect::<Vec<_>>().join(" ")
}
