//! `hitm compare`: cells of a run against a baseline among them, or run against run.

use std::collections::BTreeSet;
use std::path::Path;

use hitm_analysis::Verdict;
use hitm_analysis::runs::{Across, Incomparable, Side, across, within};
use hitm_experiment::run::Run;
use hitm_experiment::{Manifest, Parameters, Place, Problem, suggest};

use crate::args::CompareArgs;
use crate::commands::{Ended, read};
use crate::output::{print, print_json, style};
use crate::problems::CliError;
use crate::stderr::tell;

pub(crate) fn compare(args: &CompareArgs) -> Result<Ended, CliError> {
    let limit = args.fail_if.as_deref().map(limit).transpose().map_err(CliError::input)?;
    if args.runs.len() > 1 && !args.baseline.is_empty() {
        let message = "a baseline is of one run; of several runs the first is what the others are compared with";
        return Err(CliError::input(at("--baseline", message, "give one run, or leave it out")));
    }
    let runs = args.runs.iter().map(|folder| read(folder)).collect::<Result<Vec<Run>, CliError>>()?;
    let names: Vec<String> = args.runs.iter().map(|folder| name(folder)).collect();
    let sides: Vec<Side> = runs
        .iter()
        .zip(&names)
        .map(|(run, name)| Side { name, manifest: &run.manifest, records: &run.records })
        .collect();
    let Some((&first, others)) = sides.split_first() else { return Ok(Ended::Done) };
    let metric = args.metric.as_deref();
    let mut found = Vec::new();
    let refused = |why, side: &Side| told(why, first.manifest, side.name);
    if others.is_empty() {
        let baseline = baseline(&args.baseline, first.manifest)?;
        found.push(within(first, baseline.as_ref(), metric).map_err(|why| refused(why, &first))?);
    }
    for other in others {
        found.push(across(first, *other, metric, args.seed).map_err(|why| refused(why, other))?);
    }
    write(args, &found)?;
    let beyond: Vec<&str> = limit.map_or(Vec::new(), |limit| found.iter().flat_map(|one| slower(one, limit)).collect());
    if beyond.is_empty() {
        return Ok(Ended::Done);
    }
    tell(format!("{}: {}", args.fail_if.as_deref().unwrap_or_default(), beyond.join("; ")));
    Ok(Ended::Failed)
}

fn write(args: &CompareArgs, found: &[Across]) -> Result<(), CliError> {
    if args.json {
        return print_json(&found);
    }
    let one = |across: &Across| match (args.markdown, args.csv) {
        (true, _) => hitm_report::across_markdown(across),
        (_, true) => hitm_report::across_csv(across),
        _ => hitm_report::across(across, style()),
    };
    print(&found.iter().map(one).collect::<Vec<_>>().join("\n"))
}

/// The folder's last name, or what was typed.
fn name(folder: &Path) -> String {
    folder.file_name().map_or_else(|| folder.display().to_string(), |name| name.to_string_lossy().into_owned())
}

fn at(source: &str, message: impl Into<String>, cure: impl Into<String>) -> Problem {
    Problem::new(Place { source: source.to_owned(), ..Place::default() }, message, cure)
}

/// The share by which a cell must be slower, of `slower` or `slower>3%`.
fn limit(text: &str) -> Result<f64, Problem> {
    let source = format!("--fail-if {text}");
    let refused = || at(&source, "this is no condition", "write slower, or slower>3%");
    let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let rest = plain.strip_prefix("slower").ok_or_else(refused)?;
    if rest.is_empty() {
        return Ok(0.0);
    }
    let percent = rest.strip_prefix('>').and_then(|rest| rest.strip_suffix('%')).ok_or_else(refused)?;
    let percent: f64 = percent.parse().map_err(|_| refused())?;
    if percent.is_finite() && percent >= 0.0 { Ok(percent / 100.0) } else { Err(refused()) }
}

/// The cells that are credibly slower, and by more than this share.
fn slower(across: &Across, limit: f64) -> Vec<&str> {
    let beyond = |ratio: f64| if across.more_is_better { ratio < 1.0 - limit } else { ratio > 1.0 + limit };
    let cells = across.cells.iter().filter(|cell| cell.verdict == Verdict::Slower);
    cells
        .filter(|cell| cell.ratio.as_ref().is_some_and(|ratio| beyond(ratio.median)))
        .map(|cell| cell.cell.as_str())
        .collect()
}

/// The baseline's parameters, of values that the run's cells have. `None` where none is given.
fn baseline(typed: &[String], manifest: &Manifest) -> Result<Option<Parameters>, CliError> {
    let (mut parameters, mut problems) = (Parameters::new(), Vec::new());
    for text in typed {
        let source = format!("--baseline {text}");
        let Some((name, value)) = text.split_once('=').map(|(name, value)| (name.trim(), value.trim())) else {
            problems.push(at(&source, "this has no `=`", "write NAME=VALUE, such as state=thread-local"));
            continue;
        };
        let values = || manifest.cells.iter().filter_map(|cell| cell.parameters.get(name));
        match values().find(|own| own.to_string() == value) {
            Some(own) => {
                parameters.insert(name.to_owned(), own.clone());
            }
            None if values().next().is_none() => {
                let names: BTreeSet<&str> =
                    manifest.cells.iter().flat_map(|cell| &cell.varied).map(String::as_str).collect();
                problems.push(at(&source, format!("no cell has a parameter `{name}`"), suggest::cure(name, names)));
            }
            None => {
                let there: BTreeSet<String> = values().map(ToString::to_string).collect();
                let cure = suggest::cure(value, there.iter().map(String::as_str));
                problems.push(at(&source, format!("no cell has {name}={value}"), cure));
            }
        }
    }
    match problems.is_empty() {
        true => Ok((!typed.is_empty()).then_some(parameters)),
        false => Err(CliError::Input { problems, text: String::new() }),
    }
}

fn told(why: Incomparable, manifest: &Manifest, name: &str) -> CliError {
    CliError::input(match why {
        Incomparable::NoMetric(metric) => {
            let known = hitm_analysis::metric::all(manifest).into_iter().map(|metric| metric.name.into_owned());
            let known: Vec<String> = known.collect();
            let cure = suggest::cure(&metric, known.iter().map(String::as_str));
            at("--metric", format!("the run has no metric `{metric}`"), cure)
        }
        Incomparable::NothingInCommon => at(
            name,
            "no cell of it is in the first run, with values in both",
            "compare runs of one experiment, or such that have cells of the same parameters",
        ),
        Incomparable::NoBaseline { ambiguous: 0 } => {
            at(name, "no cell can be compared with a baseline", "give --baseline NAME=VALUE of one that was measured")
        }
        Incomparable::NoBaseline { ambiguous } => at(
            name,
            format!("{ambiguous} cells have several cells with the baseline's parameters"),
            "name more parameters of it, so that one is left for each",
        ),
    })
}
