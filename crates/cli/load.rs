//! From what was typed to a checked experiment.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use hitm_counters::Vocabulary;
use hitm_experiment::manifest::CountingPass;
use hitm_experiment::{Definition, Experiment, Override, Place, Problem, Value};
use hitm_kernels::Registry;
use hitm_runner::{EventNames, Resolved, resolve};
use hitm_topology::Topology;

use crate::args::ChangeArgs;
use crate::problems::CliError;
use crate::shipped;
use crate::this_machine::this;

/// An experiment with the text it came from.
pub(crate) struct Loaded {
    /// Its name, such as `rng/shared-state`.
    pub name: String,
    /// Its text, which spans of later problems are of.
    pub text: String,
    /// The experiment as to be run, as far as it could be read.
    pub experiment: Experiment,
    /// What is wrong with its definition.
    problems: Vec<Problem>,
    /// Its TOML text with the changes in it, for the run folder.
    pub text_as_run: String,
}

impl Loaded {
    /// Binds the experiment to this machine.
    ///
    /// # Errors
    /// All that is wrong with it: in its definition, and with this machine, in the order of its text.
    pub(crate) fn resolve(&self, registry: &Registry) -> Result<Resolved, CliError> {
        self.resolve_on(registry, this()?, Vocabulary::here())
    }

    /// Binds the experiment to this machine for a run that goes on, and keeps to the passes that its manifest tells.
    ///
    /// # Errors
    /// As [`resolve`](Loaded::resolve); passes of other events.
    pub(crate) fn resolve_again(&self, registry: &Registry, passes: &[CountingPass]) -> Result<Resolved, CliError> {
        self.bind(registry, this()?, EventNames { vocabulary: Vocabulary::here(), passes: Some(passes) })
    }

    /// Binds the experiment to a machine, and to the events of one, that need not be at hand: good for looking at its plan.
    ///
    /// # Errors
    /// As [`resolve`](Loaded::resolve).
    pub(crate) fn resolve_on(
        &self,
        registry: &Registry,
        topology: Topology,
        vocabulary: &Vocabulary,
    ) -> Result<Resolved, CliError> {
        self.bind(registry, topology, vocabulary.into())
    }

    fn bind(&self, registry: &Registry, topology: Topology, names: EventNames<'_>) -> Result<Resolved, CliError> {
        let mut problems = self.problems.clone();
        let resolved = resolve(self.experiment.clone(), registry, topology, names);
        let resolved = resolved.map_err(|more| problems.extend(more));
        match resolved {
            Ok(resolved) if problems.is_empty() => Ok(resolved),
            _ => {
                problems.sort_by_key(|problem| problem.place.span.as_ref().map_or(usize::MAX, |span| span.start));
                problems.dedup();
                Err(self.error(problems))
            }
        }
    }

    /// Later problems with this experiment, shown in its text.
    pub(crate) fn error(&self, problems: Vec<Problem>) -> CliError {
        CliError::Input { problems, text: self.text.clone() }
    }
}

/// Reads a shipped experiment by its name, or any other from its file, with the changes of the command line.
///
/// # Errors
/// All that is wrong with either.
pub(crate) fn load(name: &str, changes: &ChangeArgs) -> Result<Loaded, CliError> {
    let (source, experiment_name, text) = read(name)?;
    load_text(source, &experiment_name, text, changes)
}

/// The same for a text that is at hand, such as a run folder's.
pub(crate) fn load_text(source: String, name: &str, text: String, changes: &ChangeArgs) -> Result<Loaded, CliError> {
    let overrides = overrides(changes)?;
    let definition = Definition::read(&source, &text, &overrides)
        .map_err(|problems| CliError::Input { problems, text: text.clone() })?;
    let (experiment, problems) = definition.check_all();
    let text_as_run = definition.text_as_run();
    Ok(Loaded { name: name.to_owned(), text, experiment, problems, text_as_run })
}

/// The source, the experiment's name and its text.
fn read(name: &str) -> Result<(String, String, String), CliError> {
    if let Some(text) = shipped::find(name) {
        return Ok((format!("experiments/{name}.toml"), name.to_owned(), text.to_owned()));
    }
    let path = Path::new(name);
    match fs::read_to_string(path) {
        Ok(text) => {
            let stem = path.file_stem().map_or_else(|| name.into(), |stem| stem.to_string_lossy());
            Ok((name.to_owned(), stem.into_owned(), text))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let known: Vec<&str> = shipped::EXPERIMENTS.iter().map(|(name, _)| *name).collect();
            let message = format!("there is no shipped experiment and no file {name:?}");
            Err(CliError::input(Problem::new(
                Place::default(),
                message,
                format!("give a TOML file, or one of {}", known.join(", ")),
            )))
        }
        Err(error) => {
            let place = Place { source: name.to_owned(), ..Place::default() };
            let cure = match error.kind() {
                ErrorKind::InvalidData => "an experiment is TOML text in UTF-8",
                ErrorKind::IsADirectory => {
                    "a run folder is shown with `hitm show` and continued with `hitm run --resume`"
                }
                _ => "give a TOML file that can be read",
            };
            Err(CliError::input(Problem::new(place, format!("the experiment cannot be read: {error}"), cure)))
        }
    }
}

/// All changes of the command line in the order of their weight: `--set` first, then the options made for one setting.
fn overrides(changes: &ChangeArgs) -> Result<Vec<Override>, CliError> {
    let mut overrides = Vec::new();
    let mut problems = Vec::new();
    for text in &changes.set {
        match Override::parse(text) {
            Ok(change) => overrides.push(change),
            Err(problem) => problems.push(problem),
        }
    }
    for (path, option, value) in [
        ("measure.budget", "--budget", &changes.budget),
        ("measure.precision", "--precision", &changes.precision),
        ("measure.oversubscribe", "--oversubscribe", &changes.oversubscribe),
    ] {
        let change =
            value.as_ref().map(|value| Override::new(path, value.as_str().into(), format!("{option} {value}")));
        overrides.extend(change);
    }
    overrides.extend(changes.seed.map(|seed| Override::new("seed", Value::Integer(seed), format!("--seed {seed}"))));
    for text in &changes.baseline {
        match text.split_once('=') {
            Some((parameter, value)) if !parameter.is_empty() => {
                let value = value.parse().map_or_else(|_| Value::from(value), Value::Integer);
                let path = format!("compare.baseline.{parameter}");
                overrides.push(Override::new(&path, value, format!("--baseline {text}")));
            }
            _ => problems.push(Problem::new(
                Place { source: format!("--baseline {text}"), ..Place::default() },
                "a baseline is a parameter and its value",
                "write it as PARAMETER=VALUE, such as state=thread-local",
            )),
        }
    }
    if problems.is_empty() { Ok(overrides) } else { Err(CliError::Input { problems, text: String::new() }) }
}
