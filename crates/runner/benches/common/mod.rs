//! What the benchmarks of trials share.

use std::process::ExitCode;

use hitm_counters::Vocabulary;
use hitm_experiment::{Definition, Problem};
use hitm_kernels::Registry;
use hitm_machine::{Input, discover};
use hitm_runner::{Resolved, resolve};

/// Binds an experiment to this machine and prints the rows of a benchmark.
pub fn run(name: &str, experiment: &str, rows: impl FnOnce(&Resolved) -> Result<(), String>) -> ExitCode {
    // `cargo bench` passes `--bench`; `cargo test --benches` does not, and then nothing is timed.
    if !std::env::args().any(|argument| argument == "--bench") {
        return ExitCode::SUCCESS;
    }
    match bound(name, experiment).and_then(|resolved| rows(&resolved)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn bound(name: &str, experiment: &str) -> Result<Resolved, String> {
    let told = |problems: Vec<Problem>| problems.iter().map(|problem| format!("{problem}\n")).collect::<String>();
    let experiment = Definition::read(name, experiment, &[]).and_then(|read| read.check()).map_err(told)?;
    let topology = discover(&Input::This).map_err(|error| error.to_string())?;
    resolve(experiment, &Registry::built_in(), topology, Vocabulary::here()).map_err(told)
}

/// The least value that at least this share of all reach.
pub fn percentile(values: &mut [f64], percent: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    values[(values.len() * percent).div_ceil(100) - 1]
}
