//! hitm: a laboratory for what sharing a cache line costs on many-core machines.
//!
//! As a library it is one call, [`run`], which takes the kernels that can be asked for. A crate of your own adds its kernels
//! to [`Registry::built_in`] and gets placement, method, counters, verification, records and report like the built-in ones: see
//! `examples/own-kernel`.

#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

mod args;
mod build;
mod color;
mod commands;
mod counting;
mod estimate;
mod line_probe;
mod load;
mod output;
mod problems;
mod progress;
mod resume;
mod shipped;
mod stderr;
mod this_machine;

pub use hitm_engines as engines;
pub use hitm_experiment::record::{Observation, Verification};
pub use hitm_experiment::{Parameters, Value};
pub use hitm_kernels as kernels;
pub use hitm_kernels::Registry;

use args::{Cli, Command};
use commands::Ended;

/// Runs one command line (`args` with the program's name first) over the kernels of `registry`, and returns the exit code: 0 done;
/// 1 failed, what was measured is kept; 2 bad input; 129, 130 and 143 ended by a signal, what was measured is kept.
pub fn run(registry: &Registry, args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(error) => {
            // Nothing is left to do when even the message cannot be written.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    let ended = match cli.command {
        Command::List(args) => commands::list::list(registry, &args),
        Command::Machine(args) => commands::machine::machine(&args),
        Command::Doctor(args) => commands::doctor::doctor(&args),
        Command::Check(args) => commands::check::check(registry, &args),
        Command::Run(run) => commands::run::run(registry, &run, &args),
        Command::Show(args) => commands::show::show(&args),
        Command::Report(args) => commands::report::report(&args),
        Command::Compare(args) => commands::compare::compare(&args),
        Command::Export(args) => commands::export::export(&args),
        Command::Fit(args) => commands::fit::fit(&args),
        Command::Keys(args) => commands::keys::keys(&args),
        Command::Completions { shell } => commands::completions::completions(shell),
        Command::Man => commands::completions::man(),
    };
    match ended {
        Ok(Ended::Done) => ExitCode::SUCCESS,
        Ok(Ended::Failed) => ExitCode::FAILURE,
        Ok(Ended::NoCounting) => ExitCode::from(3),
        Ok(Ended::Signal(signal)) => ExitCode::from(128u8.wrapping_add(signal as u8)),
        Err(error) => error.report(),
    }
}
