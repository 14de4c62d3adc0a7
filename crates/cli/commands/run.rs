//! `hitm run`: from a question to a run folder and its answer.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use hitm_analysis::summarize;
use hitm_counters::Clock;
use hitm_experiment::manifest::{Manifest, Session as SessionInfo, Stopped};
use hitm_experiment::record::{Record, Verification};
use hitm_experiment::run::{EXPERIMENT, RunError, RunFolder};
use hitm_kernels::Registry;
use hitm_runner::{Failure, Interrupt, Progress, Resolved, Session, Setup, unix_ms};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;

use crate::args::{ChangeArgs, RunArgs};
use crate::build::build;
use crate::commands::Ended;
use crate::estimate::Estimate;
use crate::load::{Loaded, load, load_text};
use crate::output::{print, print_json, style};
use crate::problems::CliError;
use crate::progress::{Quiet, Shown};
use crate::resume::{budget_left, same_run};
use crate::stderr::tell;

pub(crate) fn run(registry: &Registry, args: &RunArgs, command: &[OsString]) -> Result<Ended, CliError> {
    match (&args.resume, &args.experiment) {
        (Some(folder), _) => resume(registry, args, folder),
        (None, Some(experiment)) => fresh(registry, args, experiment, command),
        (None, None) => unreachable!("clap requires one of them"),
    }
}

fn fresh(registry: &Registry, args: &RunArgs, name: &str, command: &[OsString]) -> Result<Ended, CliError> {
    let (loaded, resolved) = bound(registry, name, &args.changes)?;
    let estimate = Estimate::of(&resolved);
    if let Some(problem) = estimate.problem() {
        return Err(loaded.error(vec![problem]));
    }
    let path = args.out.clone().unwrap_or_else(|| default_folder(&loaded.name));
    let interrupt = interrupt()?;
    let clock = Clock::detect();
    let setup = Setup {
        name: loaded.name.clone(),
        seed: loaded.experiment.seed,
        command: command_line(command),
        build: build(),
    };
    let folder = RunFolder::create(&path).map_err(|error| CliError::input(error.0))?;
    for left_out in &resolved.plan.left_out {
        say(args, &format!("left out: {left_out}"));
    }
    say(args, &format!("{}: {}\n→ {}", loaded.name, estimate.sentence(), path.display()));
    let mut manifest = match hitm_runner::manifest(&resolved, clock, setup, &interrupt) {
        Ok(manifest) => manifest,
        Err(problems) => {
            folder.abandon();
            return Err(loaded.error(problems));
        }
    };
    folder.write_experiment(&loaded.text_as_run).map_err(CliError::from)?;
    measure(args, &resolved, &mut manifest, folder, Vec::new(), clock, &interrupt)
}

/// The experiment bound to this machine, with what it leaves to the budget written down, so that a resumed run has the same cells
/// whatever its budget.
fn bound(registry: &Registry, name: &str, changes: &ChangeArgs) -> Result<(Loaded, Resolved), CliError> {
    let loaded = load(name, changes)?;
    let resolved = loaded.resolve(registry)?;
    let Some(pairs_of_each) = resolved.plan.pairs_of_each else { return Ok((loaded, resolved)) };
    let all = resolved.plan.cells.len().max(1);
    let mut settled = changes.clone();
    settled.set.push(format!("placement.pairs_of_each={}", pairs_of_each.min(all)));
    let loaded = load(name, &settled)?;
    let resolved = loaded.resolve(registry)?;
    Ok((loaded, resolved))
}

fn resume(registry: &Registry, args: &RunArgs, path: &Path) -> Result<Ended, CliError> {
    let (folder, run) = RunFolder::resume(path).map_err(|error| CliError::input(error.0))?;
    for warning in &run.warnings {
        tell(format!("warning: {warning}"));
    }
    let source = path.join(EXPERIMENT).display().to_string();
    let text = run.experiment.unwrap_or_default();
    let loaded = load_text(source, &run.manifest.name, text, &args.changes)?;
    let resolved = loaded.resolve_again(registry, &run.manifest.passes)?;
    let clock = Clock::detect();
    same_run(&run.manifest, &resolved, clock, path)?;
    let spent_ns: u64 = run.records.iter().map(|record| record.took_ns).fold(0, u64::saturating_add);
    budget_left(spent_ns, &resolved, path)?;
    let mut manifest = run.manifest;
    say(args, &format!("{}: goes on after {} trials\n→ {}", manifest.name, run.records.len(), path.display()));
    manifest.measure = resolved.measure().clone();
    measure(args, &resolved, &mut manifest, folder, run.records, clock, &interrupt()?)
}

/// The command line as it can be typed elsewhere: the program by its name alone.
fn command_line(words: &[OsString]) -> Vec<String> {
    let program = words.first().and_then(|word| Path::new(word).file_name()).unwrap_or(OsStr::new("hitm"));
    let rest = words.iter().skip(1).map(OsString::as_os_str);
    std::iter::once(program).chain(rest).map(|word| word.to_string_lossy().into_owned()).collect()
}

fn measure(
    args: &RunArgs,
    resolved: &Resolved,
    manifest: &mut Manifest,
    mut folder: RunFolder,
    mut records: Vec<Record>,
    clock: Clock,
    interrupt: &Interrupt,
) -> Result<Ended, CliError> {
    manifest.sessions.push(SessionInfo {
        started_unix_ms: unix_ms(),
        ended_unix_ms: None,
        stopped: None,
        budget_ns: resolved.measure().budget_ns,
        precision: resolved.measure().precision,
    });
    folder.write_manifest(manifest).map_err(CliError::from)?;
    let shown = (!args.quiet).then(|| Shown::new(resolved.measure().budget_ns));
    let ran = {
        let mut sink = |record: &Record| folder.append(record);
        let mut session = Session::new(resolved, manifest, &mut sink, &mut records, clock);
        match shown {
            Some(mut shown) => {
                let ran = session.run(interrupt, &mut shown);
                shown.finish();
                ran
            }
            None => session.run(interrupt, &mut Quiet as &mut dyn Progress),
        }
    };
    if let Some(session) = manifest.sessions.last_mut() {
        session.ended_unix_ms = Some(unix_ms());
        session.stopped = Some(*ran.as_ref().unwrap_or(&Stopped::Failed));
    }
    // The records are what must not be lost; a manifest that cannot be rewritten still tells all but why the run ended.
    let path = folder.path().to_owned();
    let closed = folder.write_manifest(manifest).and_then(|()| folder.finish());
    let stopped = ran.map_err(|error| failure(error, &path))?;

    let summary = summarize(manifest, &records);
    if args.json {
        print_json(&summary)?;
    } else {
        print(&hitm_report::terminal(&summary, manifest, style()))?;
    }
    closed.map_err(CliError::from)?;
    if stopped == Stopped::Interrupted {
        tell(format!("interrupted; go on with `hitm run --resume {}`", path.display()));
    }
    let wrong = records.iter().filter(|record| matches!(record.verification, Verification::Wrong { .. })).count();
    if wrong > 0 {
        tell(format!("error: {wrong} trials left a state that their operations cannot explain; see the flags"));
    }
    Ok(match (stopped, interrupt.signal()) {
        (Stopped::Interrupted, Some(signal)) => Ended::Signal(signal),
        _ if wrong > 0 => Ended::Failed,
        _ => Ended::Done,
    })
}

/// What ended a run before its plan did, and how to go on with what is kept.
fn failure(failure: Failure, path: &Path) -> CliError {
    let (message, cure) = match failure {
        Failure::Run(RunError(problem)) => {
            (format!("{}: {}", problem.place.source, problem.message), format!("{}; ", problem.cure))
        }
        Failure::Trial { cell, why } => (format!("{cell}: {why}"), String::new()),
    };
    let kept = format!("the trials before it are kept: go on with `hitm run --resume {}`", path.display());
    CliError::Failed { message, cure: format!("{cure}{kept}") }
}

fn say(args: &RunArgs, text: &str) {
    if !args.quiet {
        tell(text);
    }
}

/// Ends the run after the trial in flight on the first signal, and at once on the second.
fn interrupt() -> Result<Interrupt, CliError> {
    let interrupt = Interrupt::default();
    let again = Arc::new(AtomicBool::new(false));
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&again))
            .and_then(|_| flag::register(signal, Arc::clone(&again)))
            .and_then(|_| flag::register_usize(signal, Arc::clone(&interrupt.0), signal as usize))
            .map_err(|error| CliError::failed(format!("signals cannot be caught: {error}")))?;
    }
    // Unhandled it would end the process at a limit on the size of files; handled, writing says so.
    flag::register(SIGXFSZ, Arc::default())
        .map_err(|error| CliError::failed(format!("signals cannot be caught: {error}")))?;
    Ok(interrupt)
}

/// The first of `results/<experiment>-1`, `-2`, … that is not there.
fn default_folder(name: &str) -> PathBuf {
    let name: String =
        name.chars().map(|c| if c.is_alphanumeric() || c == '-' || c == '_' { c } else { '-' }).collect();
    let numbered = |number: u32| PathBuf::from("results").join(format!("{name}-{number}"));
    (1..).map(numbered).find(|path| !path.exists()).expect("some number is free")
}
