//! `hitm run`: from a question to a run folder and its answer.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use hitm_analysis::summarize;
use hitm_counters::Clock;
use hitm_experiment::manifest::{Build, Fact, Manifest, Measure, Session as SessionInfo, Stopped};
use hitm_experiment::record::{Record, Verification};
use hitm_experiment::run::{EXPERIMENT, RunError, RunFolder};
use hitm_experiment::{Place, Problem};
use hitm_kernels::Registry;
use hitm_runner::{Failure, Interrupt, Progress, Resolved, ResolvedCell, Session, Setup, resolve, unix_ms};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use crate::args::RunArgs;
use crate::commands::{Ended, machine::this};
use crate::load::{load, load_text};
use crate::output::{print, print_json, style};
use crate::problems::CliError;
use crate::progress::{Quiet, Shown};
use crate::stderr::tell;

pub(crate) fn run(registry: &Registry, args: &RunArgs, command: &[OsString]) -> Result<Ended, CliError> {
    match (&args.resume, &args.experiment) {
        (Some(folder), _) => resume(registry, args, folder),
        (None, Some(experiment)) => fresh(registry, args, experiment, command),
        (None, None) => unreachable!("clap requires one of them"),
    }
}

fn fresh(registry: &Registry, args: &RunArgs, name: &str, command: &[OsString]) -> Result<Ended, CliError> {
    let loaded = load(name, &args.changes)?;
    let topology = this()?;
    let resolved = resolve(loaded.experiment.clone(), registry, topology).map_err(|problems| loaded.error(problems))?;
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
    say(args, &format!("{}: {}\n→ {}", loaded.name, estimate.sentence(), path.display()));
    let mut manifest = match hitm_runner::manifest(&resolved, clock, setup) {
        Ok(manifest) => manifest,
        Err(problems) => {
            folder.abandon();
            return Err(loaded.error(problems));
        }
    };
    folder.write_experiment(&loaded.text_as_run).map_err(CliError::from)?;
    measure(args, &resolved, &mut manifest, folder, Vec::new(), clock, &interrupt)
}

fn resume(registry: &Registry, args: &RunArgs, path: &Path) -> Result<Ended, CliError> {
    let (folder, run) = RunFolder::resume(path).map_err(|error| CliError::input(error.0))?;
    for warning in &run.warnings {
        tell(format!("warning: {warning}"));
    }
    let source = path.join(EXPERIMENT).display().to_string();
    let text = run.experiment.unwrap_or_default();
    let loaded = load_text(source, &run.manifest.name, text, &args.changes)?;
    let topology = this()?;
    let resolved = resolve(loaded.experiment.clone(), registry, topology).map_err(|problems| loaded.error(problems))?;
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

/// Refuses to add records of another machine, clock or question to a run: its paired blocks would pair what does not belong together.
fn same_run(manifest: &Manifest, resolved: &Resolved, clock: Clock, path: &Path) -> Result<(), CliError> {
    let mut differs = Vec::new();
    let planned = |cell: &ResolvedCell| (cell.planned.id.clone(), cell.planned.parameters.clone());
    if !resolved
        .cells
        .iter()
        .map(planned)
        .eq(manifest.cells.iter().map(|cell| (cell.id.clone(), cell.parameters.clone())))
    {
        differs.push(
            "the cells or their parameters (experiment.toml was edited, or this hitm has other defaults)".to_owned(),
        );
    } else if !resolved.cells.iter().map(|cell| &cell.placement).eq(manifest.cells.iter().map(|cell| &cell.placement)) {
        differs.push("the PUs that the workers would be placed on".to_owned());
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
        let mut session = Session::new(resolved, manifest, &mut folder, &mut records, clock);
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

/// Refuses a budget that earlier sessions have used up: nothing would be measured.
fn budget_left(spent_ns: u64, resolved: &Resolved, path: &Path) -> Result<(), CliError> {
    let (spent, budget) = (Duration::from_nanos(spent_ns), Duration::from_nanos(resolved.measure().budget_ns));
    if spent < budget {
        return Ok(());
    }
    let place = Place { source: path.display().to_string(), ..Place::default() };
    let message = format!("this run has used {} of its budget of {}", time(spent), time(budget));
    let cure = format!("give more in all, such as `--budget {}s`", spent.as_secs() * 2 + 10);
    Err(CliError::input(Problem::new(place, message, cure)))
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
    Ok(interrupt)
}

/// The first of `results/<experiment>-1`, `-2`, … that is not there.
fn default_folder(name: &str) -> PathBuf {
    let name: String =
        name.chars().map(|c| if c.is_alphanumeric() || c == '-' || c == '_' { c } else { '-' }).collect();
    let numbered = |number: u32| PathBuf::from("results").join(format!("{name}-{number}"));
    (1..).map(numbered).find(|path| !path.exists()).expect("some number is free")
}

fn build() -> Build {
    let features = env!("HITM_TARGET_FEATURES");
    Build {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: env!("HITM_COMMIT").to_owned(),
        compiler: env!("HITM_COMPILER").to_owned(),
        target: env!("HITM_TARGET").to_owned(),
        profile: env!("HITM_PROFILE").to_owned(),
        flags: env!("HITM_FLAGS").to_owned(),
        target_features: features.split(',').filter(|feature| !feature.is_empty()).map(str::to_owned).collect(),
    }
}

/// How long a plan takes, before it starts.
pub(crate) struct Estimate {
    cells: usize,
    /// One repetition of every cell.
    pub block: Duration,
    budget: Duration,
    min_repetitions: u32,
    max_repetitions: u32,
}

impl Estimate {
    /// From the plan's durations and what a trial costs around them.
    pub(crate) fn of(resolved: &Resolved) -> Self {
        let measure = resolved.measure();
        let cells = resolved.cells.iter().map(|cell| {
            // Threads, witnesses and verification: seen to take 1 to 2 ms at 2 workers, some 50 µs more a worker, and some 6 ms a
            // worker where they take turns on a PU.
            let each = if cell.placement.oversubscribed { 6_000_000 } else { 50_000 };
            let around = 1_500_000 + cell.placement.pus.len() as u64 * each;
            measure.duration_ns + measure.warm_up_ns + around
        });
        Estimate {
            cells: resolved.cells.len(),
            block: Duration::from_nanos(cells.sum()),
            budget: Duration::from_nanos(measure.budget_ns),
            min_repetitions: measure.min_repetitions,
            max_repetitions: measure.max_repetitions,
        }
    }

    /// The plan in one sentence.
    pub(crate) fn sentence(&self) -> String {
        let least = self.block * self.min_repetitions;
        let fit = self.budget.as_secs_f64() / self.block.as_secs_f64().max(1e-9);
        let repetitions = fit.min(f64::from(self.max_repetitions));
        let warning = if least > self.budget {
            let trials = self.cells as u64 * u64::from(self.min_repetitions);
            let reps = self.min_repetitions;
            format!("; the {reps} repetitions asked for at least are {trials} trials and take about {}", time(least))
        } else {
            String::new()
        };
        format!(
            "{}, one repetition of all takes about {}; the budget of {} is enough for about {repetitions:.0}{warning}",
            cells(self.cells),
            time(self.block),
            time(self.budget)
        )
    }

    /// What is wrong with a plan of which not even one repetition fits into its budget.
    fn problem(&self) -> Option<Problem> {
        (self.block > self.budget).then(|| {
            Problem::new(
                Place { path: "measure.budget".to_owned(), ..Place::default() },
                format!(
                    "{} cells take about {} for one repetition of each, more than the budget of {}",
                    self.cells,
                    time(self.block),
                    time(self.budget)
                ),
                format!(
                    "give `--budget {}s` for the {} repetitions asked for at least, or vary fewer values",
                    (self.block * self.min_repetitions).as_secs() + 1,
                    self.min_repetitions
                ),
            )
        })
    }
}

fn cells(count: usize) -> String {
    if count == 1 { "1 cell".to_owned() } else { format!("{count} cells") }
}

/// A time as a person says it.
fn time(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    match seconds {
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s if s < 120.0 => format!("{s:.1} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}
