//! A run's folder: `manifest.json`, `experiment.toml`, `records.jsonl`, and `lock` while a process writes in it.

mod folder;
mod lines;
mod lock;
mod read;

use std::fmt;
use std::io;
use std::path::Path;

pub use folder::RunFolder;
pub use read::{Run, read_run};

use crate::problem::{Place, Problem};

/// The manifest's file.
pub const MANIFEST: &str = "manifest.json";
/// The experiment as run.
pub const EXPERIMENT: &str = "experiment.toml";
/// The records, one JSON line a trial.
pub const RECORDS: &str = "records.jsonl";
/// What a resumed run cut off its records: the piece of a line that a kill left.
pub const CUT: &str = "records.cut";
/// Names the process that writes in the folder.
pub const LOCK: &str = "lock";

/// What went wrong with a run's folder, where, and what cures it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunError(pub Problem);

impl RunError {
    pub(crate) fn new(path: &Path, message: impl Into<String>, cure: impl Into<String>) -> Self {
        let place = Place { source: path.display().to_string(), ..Place::default() };
        RunError(Problem::new(place, message, cure))
    }

    /// What the system refused, in words; `doing` as in "cannot {doing}".
    pub(crate) fn io(path: &Path, doing: &str, error: &io::Error) -> Self {
        use io::ErrorKind::*;
        let cure = match error.kind() {
            StorageFull | QuotaExceeded => "free some space, or write to another disk with --out",
            PermissionDenied => "permit it, or write elsewhere with --out",
            ReadOnlyFilesystem => "write elsewhere with --out",
            NotFound => "check the path",
            NotADirectory => "check the path: a part of it is a file",
            AlreadyExists => "something else has that name: choose another with --out",
            _ => "",
        };
        RunError::new(path, format!("cannot {doing}: {error}"), cure)
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for RunError {}

impl From<RunError> for Problem {
    fn from(error: RunError) -> Self {
        error.0
    }
}
