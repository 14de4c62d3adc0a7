//! `hitm check`: plan an experiment and verify each of its cells once.

use std::fmt::Write as _;
use std::time::Duration;

use hitm_counters::{Clock, Vocabulary};
use hitm_experiment::manifest::CellPlacement;
use hitm_experiment::record::Verification;
use hitm_kernels::Registry;
use hitm_runner::{Checked, Resolved, ResolvedCell};
use hitm_topology::PuList;
use serde_json::json;

use crate::args::CheckArgs;
use crate::commands::Ended;
use crate::counting;
use crate::estimate::Estimate;
use crate::load::{Loaded, load};
use crate::output::{print, print_json};
use crate::problems::CliError;
use crate::this_machine::given;

pub(crate) fn check(registry: &Registry, args: &CheckArgs) -> Result<Ended, CliError> {
    let loaded = load(&args.experiment, &args.changes)?;
    let topology = given(&args.input).map_err(CliError::input)?;
    let vocabulary = counting::vocabulary(&args.input, args.uarch.as_deref())?;
    let here = topology.is_this_machine && vocabulary.is_at_hand();
    let resolved = loaded.resolve_on(registry, topology, &vocabulary)?;
    let estimate = Estimate::of(&resolved);
    if !args.json.json {
        let left_out: String = resolved.plan.left_out.iter().map(|why| format!("left out: {why}\n")).collect();
        print(&format!("{left_out}{}: {}\n", loaded.name, estimate.sentence()))?;
    }
    if !here {
        return planned(&loaded, &resolved, &estimate, &vocabulary, args.json.json);
    }
    if !args.json.json {
        print(&format!("{}cells:\n", counting::text(&resolved.counting, &vocabulary)))?;
    }
    let mut cells = Vec::new();
    let mut printed = Ok(());
    hitm_runner::check(&resolved, Clock::detect(), loaded.experiment.seed, |checked| {
        if !args.json.json && printed.is_ok() {
            printed = print(&format!("  {}\n", line(&checked)));
        }
        cells.push(checked);
    });
    printed?;
    let failed = cells.iter().filter(|checked| is_failure(checked)).count();
    if args.json.json {
        let cells: Vec<_> = cells.iter().map(as_json).collect();
        print_json(&json!({
            "name": loaded.name,
            "block_ns": Duration::as_nanos(&estimate.block) as u64,
            "left_out": resolved.plan.left_out,
            "cells": cells,
            "counting": counting::as_json(&resolved.counting, &vocabulary),
            "failed": failed,
        }))?;
    } else {
        let held = match failed {
            0 => format!("all {} cells hold\n", cells.len()),
            _ => format!("{failed} of {} cells failed\n", cells.len()),
        };
        print(&held)?;
    }
    Ok(if failed > 0 { Ended::Failed } else { Ended::Done })
}

/// Cells of a plan that are printed.
const SHOWN: usize = 12;

/// The plan for a machine that is not this one: where its workers would run, and what they would count.
fn planned(
    loaded: &Loaded,
    resolved: &Resolved,
    estimate: &Estimate,
    vocabulary: &Vocabulary,
    json: bool,
) -> Result<Ended, CliError> {
    if json {
        let cell = |cell: &ResolvedCell| {
            let CellPlacement { pus, oversubscribed, .. } = &cell.placement;
            json!({"id": cell.planned.id, "pus": pus, "oversubscribed": oversubscribed})
        };
        print_json(&json!({
            "name": loaded.name,
            "block_ns": Duration::as_nanos(&estimate.block) as u64,
            "left_out": resolved.plan.left_out,
            "cells": resolved.cells.iter().map(cell).collect::<Vec<_>>(),
            "counting": counting::as_json(&resolved.counting, vocabulary),
        }))?;
        return Ok(Ended::Done);
    }
    let mut text = counting::text(&resolved.counting, vocabulary);
    text.push_str("cells:\n");
    for cell in resolved.cells.iter().take(SHOWN) {
        let _ = writeln!(text, "  {}", place(&cell.planned.id, &cell.placement.pus, cell.placement.oversubscribed));
    }
    if resolved.cells.len() > SHOWN {
        let _ = writeln!(text, "  … and {} more cells (--json has all)", resolved.cells.len() - SHOWN);
    }
    let events =
        vocabulary.cores().iter().map(|core| core.uarch.as_ref().map_or("an unknown processor", |uarch| &uarch.title));
    let events = events.collect::<Vec<_>>().join(" and ");
    let cells = match resolved.topology.is_this_machine {
        true => "this machine (--input takes another)",
        false => &resolved.topology.source,
    };
    print(&format!("{text}planned only: the events as on {events}, the cells as on {cells}\n"))?;
    Ok(Ended::Done)
}

fn place(id: &str, pus: &[u32], oversubscribed: bool) -> String {
    let each = |pus: &[u32]| pus.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    // A list that names each PU once can be written short.
    let short = |pus: &[u32]| PuList::new(pus.iter().copied()).map_or_else(|_| each(pus), |list| list.to_string());
    let turn = (1..=pus.len()).find(|turn| pus.iter().zip(&pus[*turn..]).all(|(one, again)| one == again));
    let list = match turn {
        Some(turn) if turn < pus.len() => format!("{}, in turns", short(&pus[..turn])),
        _ => short(pus),
    };
    let shared = if oversubscribed { " (more workers than PUs: they share)" } else { "" };
    format!("{id}: {} on PU {list}{shared}", count(pus.len()))
}

fn count(workers: usize) -> String {
    if workers == 1 { "1 worker".to_owned() } else { format!("{workers} workers") }
}

fn is_failure(checked: &Checked) -> bool {
    matches!(checked.verification, Err(_) | Ok(Verification::Wrong { .. }))
}

fn line(checked: &Checked) -> String {
    let word = match &checked.verification {
        Ok(Verification::Exact) => "exact".to_owned(),
        Ok(Verification::Lost { expected, found }) => {
            format!("lost {} of {expected} updates, as racing workers may", expected.saturating_sub(*found))
        }
        Ok(Verification::Wrong { what }) => format!("WRONG: {what}"),
        Ok(Verification::Unverifiable { why }) => format!("not verifiable: {why}"),
        Err(error) => format!("FAILED: {}", error.0),
    };
    format!("{}: {word}", place(&checked.cell, &checked.pus, checked.oversubscribed))
}

fn as_json(checked: &Checked) -> serde_json::Value {
    let (verification, error) = match &checked.verification {
        Ok(verification) => (Some(verification), None),
        Err(error) => (None, Some(&error.0)),
    };
    json!({"id": checked.cell, "pus": checked.pus, "oversubscribed": checked.oversubscribed, "verification": verification, "error": error})
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn places_that_repeat_are_told_once() {
        for (pus, told) in [
            (&[0][..], "1 worker on PU 0"),
            (&[0, 1, 2, 3], "4 workers on PU 0-3"),
            (&[1, 0, 3], "3 workers on PU 1,0,3"),
            (&[0, 0, 0], "3 workers on PU 0, in turns"),
            (&[0, 1, 0, 1, 0], "5 workers on PU 0-1, in turns"),
            (&[0, 4, 0], "3 workers on PU 0,4, in turns"),
            (&[0, 1, 1], "3 workers on PU 0 1 1"),
        ] {
            assert_eq!(place("c", pus, false), format!("c: {told}"));
        }
    }
}
