//! `hitm check`: plan an experiment and verify each of its cells once.

use std::time::Duration;

use hitm_counters::Clock;
use hitm_experiment::record::Verification;
use hitm_kernels::Registry;
use hitm_runner::Checked;
use serde_json::json;

use crate::args::CheckArgs;
use crate::commands::Ended;
use crate::estimate::Estimate;
use crate::load::load;
use crate::output::{print, print_json};
use crate::problems::CliError;

pub(crate) fn check(registry: &Registry, args: &CheckArgs) -> Result<Ended, CliError> {
    let loaded = load(&args.experiment, &args.changes)?;
    let resolved = loaded.resolve(registry)?;
    let estimate = Estimate::of(&resolved);
    if !args.json.json {
        print(&format!("{}: {}\n", loaded.name, estimate.sentence()))?;
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
            "cells": cells,
            "failed": failed,
        }))?;
    } else if failed > 0 {
        print(&format!("{failed} of {} cells failed\n", cells.len()))?;
    } else {
        print(&format!("all {} cells hold\n", cells.len()))?;
    }
    Ok(if failed > 0 { Ended::Failed } else { Ended::Done })
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
    let pus: Vec<String> = checked.pus.iter().map(u32::to_string).collect();
    let shared = if checked.oversubscribed { " (more workers than PUs: they share)" } else { "" };
    format!("{} on PU {}{shared}: {word}", checked.cell, pus.join(" "))
}

fn as_json(checked: &Checked) -> serde_json::Value {
    let (verification, error) = match &checked.verification {
        Ok(verification) => (Some(verification), None),
        Err(error) => (None, Some(&error.0)),
    };
    json!({"id": checked.cell, "pus": checked.pus, "oversubscribed": checked.oversubscribed, "verification": verification, "error": error})
}
