//! Reading a run again, whatever a kill, a full disk or an editor did to it.

use std::collections::HashSet;
use std::fs;
use std::io::{self, BufRead};
use std::ops::Range;
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

/// Whether this is a run's folder, by the files in it.
pub(super) fn is_run(path: &Path) -> Result<(), RunError> {
    let about = fs::metadata(path).map_err(|error| RunError::io(path, "open the run", &error))?;
    if !about.is_dir() {
        return Err(RunError::new(path, "a run is a folder, and this is a file", "name the folder that `--out` named"));
    }
    let missing: Vec<&str> = [MANIFEST, RECORDS].into_iter().filter(|name| !path.join(name).exists()).collect();
    if !missing.is_empty() {
        let told = format!("this is no run's folder: it has no {}", missing.join(" and no "));
        return Err(RunError::new(path, told, "name a folder that `hitm run` made"));
    }
    Ok(())
}

/// Reads a run and tells how many bytes of its records are whole.
pub(super) fn read(path: &Path) -> Result<(Run, u64), RunError> {
    is_run(path)?;
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

/// One line as parsed.
struct Line {
    span: Range<usize>,
    parsed: Result<Record, String>,
}

fn records(file: &Path, bytes: &[u8], cells: usize) -> Lines {
    let lines = parse_all(bytes);
    let count = lines.iter().map(Vec::len).sum();
    let mut found = Lines { records: Vec::with_capacity(count), warnings: Vec::new(), whole: 0 };
    let mut seen: HashSet<(usize, u32, u32, Purpose, u32)> = HashSet::with_capacity(count);
    let mut bad: Vec<Problem> = Vec::new();
    let mut unused = 0usize;
    for (index, Line { span, parsed }) in lines.into_iter().flatten().enumerate() {
        let warning = |message: String, cure: &str| {
            let place = Place { source: file.display().to_string(), path: String::new(), span: Some(span.clone()) };
            Problem::new(place, format!("line {}: {message}", index + 1), cure)
        };
        if bytes[span.clone()].last() != Some(&b'\n') {
            let told = "it is cut in the middle, and its trial is lost";
            bad.push(warning(told.to_owned(), "`hitm run --resume` cuts it off and runs the trial again"));
            continue;
        }
        let record = match parsed {
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
        unused += found.warnings.len().saturating_sub(MOST_WARNINGS);
        found.warnings.truncate(MOST_WARNINGS);
    }
    found.warnings.append(&mut bad);
    unused += found.warnings.len().saturating_sub(MOST_WARNINGS);
    found.warnings.truncate(MOST_WARNINGS);
    if unused > 0 {
        let place = Place { source: file.display().to_string(), ..Place::default() };
        found.warnings.push(Problem::new(place, format!("{unused} more lines could not be used"), ""));
    }
    found
}

/// Parses all lines, in parts: long files in a few threads, since parsing is most of what `hitm show` waits for.
fn parse_all(bytes: &[u8]) -> Vec<Vec<Line>> {
    const WORTH_A_THREAD: usize = 1 << 20;
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8).min(bytes.len() / WORTH_A_THREAD);
    if threads < 2 {
        return vec![parse(bytes, 0..bytes.len())];
    }
    let end_of_line = |from: usize| from + line(&bytes[from..]).len();
    let ends = (1..=threads).map(|part| end_of_line((bytes.len() - 1) / threads * part));
    let ends: Vec<usize> = ends.take(threads - 1).chain([bytes.len()]).collect();
    let starts = [0].into_iter().chain(ends.clone());
    std::thread::scope(|scope| {
        let parts: Vec<_> =
            starts.zip(&ends).map(|(start, &end)| scope.spawn(move || parse(bytes, start..end.max(start)))).collect();
        let joined = |part: std::thread::ScopedJoinHandle<'_, Vec<Line>>| {
            part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        parts.into_iter().map(joined).collect()
    })
}

fn parse(bytes: &[u8], part: Range<usize>) -> Vec<Line> {
    let mut start = part.start;
    // Most lines are about as long as the first, and hardly any record is shorter than this.
    let usual = line(&bytes[part.clone()]).len().max(512);
    let mut lines = Vec::with_capacity(part.len() / usual + 1);
    while start < part.end {
        let text = line(&bytes[start..part.end]);
        let span = start..start + text.len();
        start = span.end;
        lines.push(Line { span, parsed: serde_json::from_slice(text).map_err(|error| error.to_string()) });
    }
    lines
}

/// The first line of a text, its end included.
fn line(text: &[u8]) -> &[u8] {
    // Finds the end many bytes at a time, and cannot fail on a slice.
    let length = BufRead::skip_until(&mut &*text, b'\n').unwrap_or(text.len());
    &text[..length]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_files_are_parsed_to_the_same_lines() {
        // Short lines around one that is longer than a thread's part, and none at the very end.
        let short = format!("\"{}\"\n", "y".repeat(2000));
        let mut text = short.repeat(700);
        text.push_str(&format!("\"{}\"\n", "x".repeat(3 << 20)));
        text.push_str(&short.repeat(700));
        text.push_str("cut");
        let spans = |lines: Vec<Line>| lines.into_iter().map(|line| line.span).collect::<Vec<_>>();
        let bytes = text.as_bytes();
        let all = parse_all(bytes).into_iter().flatten().collect();
        assert_eq!(spans(all), spans(parse(bytes, 0..bytes.len())));
    }
}
