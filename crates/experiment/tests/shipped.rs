//! The experiments that ship: each is a sound question, small enough to be answered within its budget.

use std::fs;
use std::path::{Path, PathBuf};

use hitm_experiment::plan::{KernelPlaces, Offer, PlannedCell};
use hitm_experiment::{Definition, Experiment, Override, Parameters, Problem};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments")
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            found.push(path);
        }
    }
}

fn shipped() -> Vec<(String, Definition, Experiment)> {
    let mut paths = Vec::new();
    files(&folder(), &mut paths);
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.strip_prefix(folder()).unwrap().with_extension("").display().to_string();
        let definition =
            Definition::read(&name, &fs::read_to_string(path).unwrap(), &[]).unwrap_or_else(|p| panic!("{p:#?}"));
        let experiment = definition.check().unwrap_or_else(|problems| panic!("{problems:#?}"));
        (name, definition, experiment)
    };
    paths.into_iter().map(read).collect()
}

fn as_given(_: &str, given: &Parameters, _: &KernelPlaces<'_>) -> Result<Parameters, Vec<Problem>> {
    Ok(given.clone())
}

fn offer(pus: u32) -> Offer {
    Offer::of_cores((0..pus).map(|pu| vec![pu]))
}

#[test]
fn all_of_them_are_there() {
    let names: Vec<String> = shipped().into_iter().map(|(name, ..)| name).collect();
    for name in [
        "latency/core-to-core",
        "quickstart",
        "rng/lrand48",
        "rng/shared-state",
        "rng/wiredtiger",
        "sharing/stride",
        "sharing/true-vs-false",
        "smt/scaling",
        "smt/siblings",
    ] {
        assert!(names.iter().any(|there| there == name), "{name}");
    }
}

#[test]
fn each_plans_on_machines_of_every_size() {
    for (name, _, experiment) in shipped() {
        assert!(!experiment.figures.is_empty(), "{name}");
        for (pus, threads) in [(1, 1), (2, 1), (2, 2), (3, 1), (160, 1), (160, 8)] {
            let cores = (0..pus / threads).map(|core| (core * threads..(core + 1) * threads).collect());
            let plan = match experiment.plan(&Offer::of_cores(cores), &as_given) {
                Ok(plan) => plan,
                Err(problems) if pus == 1 && problems[0].message.contains("pairs need two PUs") => continue,
                Err(problems) => panic!("{name} on {pus}: {problems:#?}"),
            };
            // What the machine does not have is no baseline.
            let is_baseline = |cell: &PlannedCell| {
                plan.compare.baseline.iter().all(|(name, value)| cell.parameters.get(name) == Some(value))
            };
            for (index, cell) in plan.cells.iter().enumerate() {
                let compared = plan.baseline_of(index).is_some() || is_baseline(cell);
                assert!(compared, "{name} on {pus}: {} has no baseline", cell.id);
            }
        }
    }
}

/// On two PUs, with as much again for observations, witnesses and re-runs.
#[test]
fn each_has_time_for_its_repetitions() {
    for (name, _, experiment) in shipped() {
        let cells = experiment.count(&offer(2)) as u64;
        let trial_ns = experiment.measure.duration_ns + experiment.measure.warm_up_ns + 3_000_000;
        // Twice twenty; where a trial must outlast waits of a second, six and half as many again: an interval takes six.
        let repetitions = if experiment.measure.duration_ns >= 1_000_000_000 { 9 } else { 40 };
        let needed = repetitions * cells * trial_ns;
        assert!(needed <= experiment.measure.budget_ns, "{name}: {needed} ns of {}", experiment.measure.budget_ns);
    }
}

#[test]
fn each_reads_back_as_run_with_an_override() {
    for (name, _, _) in shipped() {
        let text = fs::read_to_string(folder().join(format!("{name}.toml"))).unwrap();
        let set = [Override::parse("measure.budget=7s").unwrap()];
        let changed = Definition::read(&name, &text, &set).unwrap();
        let again = Definition::read(&name, &changed.text_as_run(), &[]).unwrap();
        assert_eq!(again.check().unwrap(), changed.check().unwrap(), "{name}");
        assert_eq!(again.check().unwrap().measure.budget_ns, 7_000_000_000);
    }
}

#[test]
fn each_folder_says_why_it_exists() {
    for (name, ..) in shipped() {
        let readme = folder().join(&name).with_file_name("README.md");
        let text = fs::read_to_string(&readme).unwrap_or_else(|error| panic!("{}: {error}", readme.display()));
        let file = name.rsplit('/').next().unwrap();
        assert!(text.contains(file), "{} does not name {file}", readme.display());
    }
}
