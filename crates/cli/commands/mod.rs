//! One file a command: parse, call, print.

use std::path::Path;

use hitm_experiment::run::{Run, read_run};

use crate::problems::CliError;
use crate::stderr::tell;

pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod fit;
pub(crate) mod keys;
pub(crate) mod list;
pub(crate) mod machine;
mod picture;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod show;

/// How a command ended that was not stopped by bad input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// All was done.
    Done,
    /// It was done, and what it found is a failure; it was told.
    Failed,
    /// It was done, and this machine cannot count hardware events.
    NoCounting,
    /// A signal ended it.
    Signal(i32),
}

/// Reads a run folder and tells on standard error what of it could not be read.
pub(crate) fn read(folder: &Path) -> Result<Run, CliError> {
    let run = read_run(folder).map_err(|error| CliError::input(error.0))?;
    for warning in &run.warnings {
        tell(format!("warning: {warning}"));
    }
    Ok(run)
}
