//! Reading a run again, whatever a kill, a full disk or an editor did to it.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{EXPERIMENT, MANIFEST, RECORDS, RunError};
use crate::manifest::{Manifest, SCHEMA};
use crate::problem::{Place, Problem};
use crate::record::{Purpose, Record};

/// A run as read.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Its folder.
    pub path: PathBuf,
    /// What was asked, on what machine.
    pub manifest: Manifest,
    /// The experiment as run; `None` when the file is not there.
    pub experiment: Option<String>,
    /// The trials, in the order of their ending, each once.
    pub records: Vec<Record>,
    /// What could not be used and why; the rest was read all the same.
    pub warnings: Vec<Problem>,
}

/// The most warnings about single lines; what is beyond is counted.
const MOST_WARNINGS: usize = 20;

/// Reads a run's folder; also while a process writes in it.
///
/// # Errors
/// When it is no run's folder, lacks its manifest or records, cannot be read, or was written by a newer version. Lines that
/// cannot be read are no error but a warning.
pub fn read_run(path: &Path) -> Result<Run, RunError> {
    read(path).map(|(run, _)| run)
}

/// Reads a run and tells how many bytes of its records are whole.
pub(super) fn read(path: &Path) -> Result<(Run, u64), RunError> {
    let about = fs::metadata(path).map_err(|error| RunError::io(path, "open the run", &error))?;
    if !about.is_dir() {
        return Err(RunError::new(path, "a run is a folder, and this is a file", "name the folder that `--out` named"));
    }
    let missing: Vec<&str> = [MANIFEST, RECORDS].into_iter().filter(|name| !path.join(name).exists()).collect();
    if !missing.is_empty() {
        let told = format!("this is no run's folder: it has no {}", missing.join(" and no "));
        return Err(RunError::new(path, told, "name a folder that `hitm run` made"));
    }
    let manifest = manifest(&path.join(MANIFEST))?;
    let experiment = match fs::read_to_string(path.join(EXPERIMENT)) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(RunError::io(&path.join(EXPERIMENT), "read the experiment", &error)),
    };
    let file = path.join(RECORDS);
    let bytes = fs::read(&file).map_err(|error| RunError::io(&file, "read the records", &error))?;
    let Lines { records, warnings, whole } = records(&file, &bytes, manifest.cells.len());
    Ok((Run { path: path.to_owned(), manifest, experiment, records, warnings }, whole))
}

fn manifest(file: &Path) -> Result<Manifest, RunError> {
    let bytes = fs::read(file).map_err(|error| RunError::io(file, "read the manifest", &error))?;
    let cure = "take the run again, or restore the file";
    let broken = |error: serde_json::Error| RunError::new(file, format!("this manifest cannot be read: {error}"), cure);
    let value: serde_json::Value = serde_json::from_slice(&bytes).map_err(broken)?;
    match value.get("schema").and_then(serde_json::Value::as_u64) {
        None => return Err(RunError::new(file, "this manifest does not say its schema", cure)),
        Some(newer) if newer > u64::from(SCHEMA) => {
            let by = value.pointer("/build/version").and_then(serde_json::Value::as_str).unwrap_or("a newer version");
            let told = format!("this run has schema {newer}, and this hitm reads up to {SCHEMA}");
            return Err(RunError::new(file, told, format!("read it with hitm {by} or later")));
        }
        Some(_) => {}
    }
    serde_json::from_value(value).map_err(broken)
}

struct Lines {
    records: Vec<Record>,
    warnings: Vec<Problem>,
    /// Bytes up to the end of the last line that can be read.
    whole: u64,
}

fn records(file: &Path, bytes: &[u8], cells: usize) -> Lines {
    let mut found = Lines { records: Vec::new(), warnings: Vec::new(), whole: 0 };
    let mut seen: HashSet<(usize, u32, u32, Purpose, u32)> = HashSet::new();
    let mut bad: Vec<Problem> = Vec::new();
    let mut unused = 0usize;
    let mut start = 0;
    for (index, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let span = start..start + line.len();
        start = span.end;
        let warning = |message: String, cure: &str| {
            let place = Place { source: file.display().to_string(), path: String::new(), span: Some(span.clone()) };
            Problem::new(place, format!("line {}: {message}", index + 1), cure)
        };
        let Some(text) = line.strip_suffix(b"\n") else {
            let told = "it is cut in the middle, and its trial is lost";
            bad.push(warning(told.to_owned(), "`hitm run --resume` cuts it off and runs the trial again"));
            continue;
        };
        let record: Record = match serde_json::from_slice(text) {
            Ok(record) => record,
            Err(error) => {
                bad.push(warning(format!("this is no record: {error}"), "its trial is left out"));
                continue;
            }
        };
        // A bad line with a good one behind it was not cut by a kill.
        found.warnings.append(&mut bad);
        found.whole = span.end as u64;
        if record.cell >= cells {
            found.warnings.push(warning(format!("there is no cell {}", record.cell), "its trial is left out"));
        } else if !seen.insert((record.cell, record.repetition, record.attempt, record.purpose, record.pass)) {
            let told = format!("cell {} has this trial of repetition {} already", record.cell, record.repetition);
            found.warnings.push(warning(told, "the first one counts"));
        } else {
            found.records.push(record);
        }
        if found.warnings.len() > MOST_WARNINGS {
            unused += found.warnings.len() - MOST_WARNINGS;
            found.warnings.truncate(MOST_WARNINGS);
        }
    }
    unused += (found.warnings.len() + bad.len()).saturating_sub(MOST_WARNINGS);
    found.warnings.append(&mut bad);
    found.warnings.truncate(MOST_WARNINGS);
    if unused > 0 {
        let place = Place { source: file.display().to_string(), ..Place::default() };
        found.warnings.push(Problem::new(place, format!("{unused} more lines could not be used"), ""));
    }
    found
}
