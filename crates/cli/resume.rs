//! Whether a run may go on here and now.

use std::path::Path;
use std::time::Duration;

use hitm_counters::{Clock, Event};
use hitm_experiment::manifest::{EventInfo, Fact, Manifest, Measure};
use hitm_experiment::{Place, Problem};
use hitm_runner::{Resolved, ResolvedCell};

use crate::build::build;
use crate::estimate::time;
use crate::problems::CliError;

/// Refuses to add records of another machine, clock or question to a run: its paired blocks would pair what does not belong together.
pub(crate) fn same_run(manifest: &Manifest, resolved: &Resolved, clock: Clock, path: &Path) -> Result<(), CliError> {
    let mut differs = Vec::new();
    let planned = |cell: &ResolvedCell| (cell.planned.id.clone(), cell.planned.parameters.clone());
    if !resolved
        .cells
        .iter()
        .map(planned)
        .eq(manifest.cells.iter().map(|cell| (cell.id.clone(), cell.parameters.clone())))
    {
        differs.push(
            "the cells or their parameters (experiment.toml was edited, this process may use other PUs, or this hitm has \
             other defaults)"
                .to_owned(),
        );
    } else if !resolved.cells.iter().map(|cell| &cell.placement).eq(manifest.cells.iter().map(|cell| &cell.placement)) {
        differs.push("the PUs that the workers would be placed on".to_owned());
    }
    let inputs = resolved.cells.iter().map(|cell| cell.kernel.inputs());
    for (now, then) in inputs.zip(&manifest.cells) {
        let changed = then.inputs.iter().find(|(name, then)| now.get(*name) != Some(*then));
        if let Some((name, then)) = changed {
            differs.push(format!("what `kernel.{name}` names ({then} then)"));
            break;
        }
    }
    // These decide when a run stops; everything else of the method decides what a trial is.
    let (now, then) = (resolved.measure(), &manifest.measure);
    let then = Measure {
        precision: now.precision,
        budget_ns: now.budget_ns,
        min_repetitions: now.min_repetitions,
        max_repetitions: now.max_repetitions,
        ..then.clone()
    };
    if *now != then {
        differs.push("the settings of [measure]".to_owned());
    }
    if let Some(event) = other_event(manifest, resolved) {
        differs.push(format!("what the event `{event}` stands for (another processor, or other PMUs)"));
    }
    if resolved.experiment.seed != manifest.seed {
        differs.push(format!("the seed ({} then)", manifest.seed));
    }
    let model = |facts: &[Fact]| facts.iter().find(|fact| fact.name == "cpu model").map(|fact| fact.value.clone());
    if model(&manifest.machine) != model(&hitm_runner::facts(&resolved.topology)) {
        differs.push("the CPU model".to_owned());
    }
    let drift = (clock.hz() / manifest.clock.hz - 1.0).abs();
    if clock.name() != manifest.clock.name || drift.is_nan() || drift > 1e-3 {
        differs.push(format!("the clock ({} at {:.0} Hz then)", manifest.clock.name, manifest.clock.hz));
    }
    let build = build();
    if build.version != manifest.build.version {
        differs.push(format!("hitm's version ({} then)", manifest.build.version));
    } else if (&build.compiler, &build.profile, &build.flags)
        != (&manifest.build.compiler, &manifest.build.profile, &manifest.build.flags)
    {
        differs.push(format!("how hitm was built ({}, {} then)", manifest.build.compiler, manifest.build.profile));
    }
    if differs.is_empty() {
        return Ok(());
    }
    let place = Place { source: path.display().to_string(), ..Place::default() };
    let message = format!("this run cannot go on here, since these differ: {}", differs.join("; "));
    Err(CliError::input(Problem::new(place, message, "start a new run, and keep this one as it is")))
}

/// An event of the run that this machine does not have, or has by another code: its counts would be of something else.
fn other_event(manifest: &Manifest, resolved: &Resolved) -> Option<String> {
    let now = |name: &str| resolved.events.iter().find(|event| event.name() == name);
    let codes = |event: &Event| event.codes().unwrap_or_default().iter().map(ToString::to_string).collect::<Vec<_>>();
    let differs = |then: &&EventInfo| {
        // Versions that told no codes told no kind either.
        now(&then.name).is_none_or(|event| !then.kind.is_empty() && codes(event) != then.codes)
    };
    let gone = manifest.events.iter().find(differs).map(|then| then.name.clone());
    let new = || resolved.events.iter().find(|event| manifest.events.iter().all(|then| then.name != event.name()));
    gone.or_else(|| new().map(|event| event.name().to_owned()))
}

/// Refuses a budget that earlier sessions have used up: nothing would be measured.
pub(crate) fn budget_left(spent_ns: u64, resolved: &Resolved, path: &Path) -> Result<(), CliError> {
    let (spent, budget) = (Duration::from_nanos(spent_ns), Duration::from_nanos(resolved.measure().budget_ns));
    if spent < budget {
        return Ok(());
    }
    let place = Place { source: path.display().to_string(), ..Place::default() };
    let message = format!("this run has used {} of its budget of {}", time(spent), time(budget));
    let cure = format!("give more in all, such as `--budget {}s`", spent.as_secs() * 2 + 10);
    Err(CliError::input(Problem::new(place, message, cure)))
}
