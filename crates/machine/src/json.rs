//! A machine in a file of our own: what [`save`] writes reads back as the same topology.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use hitm_topology::Topology;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::input::{MachineError, short};
use crate::sound::faults;

const FORMAT: &str = "hitm-machine";
/// Raised whenever an older hitm would misread the file.
const VERSION: u32 = 1;
/// The largest file read, bytes; 4096 PUs have less than 2 MB.
const LIMIT: u64 = 256 << 20;
/// The most faults told of one file.
const MOST_FAULTS: usize = 20;

#[derive(Deserialize)]
struct Mark {
    format: String,
    version: u32,
}

#[derive(Deserialize)]
struct Document {
    machine: Topology,
}

#[derive(Serialize)]
struct Written<'a> {
    format: &'static str,
    version: u32,
    machine: &'a Topology,
}

/// Writes a topology to a file, which `json:FILE` reads back identically but for two fields: `source` is then the file, and
/// `is_this_machine` is false, for the file says nothing of the machine that it is read on.
/// An older file stays as it was until the new one is whole. Of what is no plain file only `/dev/stdout`, `/dev/stderr` and
/// `/dev/fd/N` are written to.
///
/// # Errors
/// The file cannot be written, or the topology is unsound and would not be read back.
pub fn save(topology: &Topology, path: &Path) -> Result<(), MachineError> {
    let refused = |why: String| {
        MachineError::new(format!("the machine cannot be saved to {}: {why}", path.display()), "give another file")
    };
    if let [first, ..] = faults(topology).as_slice() {
        return Err(refused(first.clone()));
    }
    let written = Written { format: FORMAT, version: VERSION, machine: topology };
    let mut text = serde_json::to_string_pretty(&written).map_err(|error| refused(error.to_string()))?;
    text.push('\n');
    write(path, text.as_bytes()).map_err(|error| refused(error.to_string()))
}

fn write(path: &Path, text: &[u8]) -> io::Result<()> {
    if path == Path::new("/dev/stdout") {
        return io::stdout().write_all(text).and_then(|()| io::stdout().flush());
    }
    if path == Path::new("/dev/stderr") || path.starts_with("/dev/fd") {
        return File::options().write(true).open(path)?.write_all(text);
    }
    // A link stays one: the file that it leads to is replaced.
    let path = match fs::metadata(path) {
        Ok(found) if found.is_dir() => return Err(io::Error::other("it is a folder")),
        // A pipe would wait for a reader.
        Ok(found) if !found.is_file() => return Err(io::Error::other("it is no plain file")),
        Ok(found) if found.permissions().readonly() => return Err(io::ErrorKind::PermissionDenied.into()),
        Ok(_) => fs::canonicalize(path)?,
        Err(_) => path.to_owned(),
    };
    let name = path.file_name().ok_or_else(|| io::Error::other("it names no file"))?;
    let mut beside = std::ffi::OsString::from(".");
    beside.push(name);
    beside.push(format!(".{}.part", std::process::id()));
    let beside = path.with_file_name(beside);
    let mut file = File::options().write(true).create_new(true).open(&beside)?;
    // A full disk may be told no earlier than when it is all there.
    let written = file.write_all(text).and_then(|()| file.sync_all()).and_then(|()| fs::rename(&beside, &path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Reads a file that [`save`] wrote.
///
/// # Errors
/// All that is wrong with it, each with its place.
pub(crate) fn read(path: &Path) -> Result<Topology, MachineError> {
    let cure = "give a file that `hitm machine --save FILE` wrote";
    let refused =
        |why: String| MachineError::new(format!("{} cannot be read as a machine: {why}", path.display()), cure);
    // Only plain files: a pipe would be waited for.
    let found = std::fs::metadata(path).map_err(|error| refused(error.to_string()))?;
    if !found.is_file() {
        return Err(refused("it is not a file".into()));
    }
    if found.len() > LIMIT {
        return Err(refused(format!("its {} bytes are more than any machine's", found.len())));
    }
    let text = std::fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
    let mark: Mark = serde_json::from_str(&text).map_err(|error| refused(error.to_string()))?;
    if mark.format != FORMAT {
        return Err(refused(format!("`format` is not `{FORMAT}`")));
    }
    if mark.version != VERSION {
        let message =
            format!("{} has version {} of the format, this hitm reads {VERSION}", path.display(), mark.version);
        return Err(MachineError::new(message, "save the machine again with this hitm"));
    }
    let document: Document = serde_json::from_str(&text).map_err(|error| refused(error.to_string()))?;
    let mut faults = faults(&document.machine);
    unknown(&text, &document.machine, &mut faults);
    if !faults.is_empty() {
        let more = faults.len().saturating_sub(MOST_FAULTS);
        let more = if more > 0 { format!(" | and {more} more") } else { String::new() };
        return Err(refused(format!("{}{more}", faults[..faults.len().min(MOST_FAULTS)].join(" | "))));
    }
    Ok(Topology { is_this_machine: false, ..document.machine })
}

/// Adds the keys that stand in the text and not in what was made of it.
fn unknown(text: &str, machine: &Topology, faults: &mut Vec<String>) {
    let known = serde_json::to_value(Written { format: FORMAT, version: VERSION, machine });
    if let (Ok(found), Ok(known)) = (serde_json::from_str::<Value>(text), known) {
        unknown_in("", &found, &known, faults);
    }
}

fn unknown_in(place: &str, found: &Value, known: &Value, faults: &mut Vec<String>) {
    match (found, known) {
        (Value::Object(found), Value::Object(known)) => {
            let dot = if place.is_empty() { "" } else { "." };
            for (key, value) in found {
                match known.get(key) {
                    Some(known) => unknown_in(&format!("{place}{dot}{key}"), value, known, faults),
                    None => faults.push(format!("{place}{dot}{}: no such key", short(&key.escape_debug().to_string()))),
                }
            }
        }
        (Value::Array(found), Value::Array(known)) => {
            for (i, (found, known)) in found.iter().zip(known).enumerate() {
                unknown_in(&format!("{place}[{i}]"), found, known, faults);
            }
        }
        _ => {}
    }
}
