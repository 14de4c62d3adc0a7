//! What the whole-program tests share.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// The built program.
pub fn hitm() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hitm"));
    command.env("NO_COLOR", "1");
    command
}

/// A folder of this test's own, empty.
pub fn folder(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("the target's folder for tests is writable");
    path
}

/// An experiment that takes a moment: two cells of one worker each.
pub const MOMENT: &str = r#"
question = "Does it run?"
reading = "It does."
[kernel]
name = "sharing/counters"
op = ["store", "fetch-add"]
[placement]
workers = 1
[measure]
duration = "1ms"
warm_up = "200us"
min_repetitions = 3
max_repetitions = 3
budget = "30s"
samples = 0
[compare]
baseline = { op = "store" }
"#;

/// Writes an experiment into a folder and returns its path.
pub fn experiment(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("experiment.toml");
    fs::write(&path, text).expect("the test's folder is writable");
    path
}

/// Standard output as text.
pub fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("standard output is UTF-8")
}

/// Standard error as text.
pub fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("standard error is UTF-8")
}

/// Runs to the end and wants this exit code.
#[track_caller]
pub fn exits(command: &mut Command, code: i32) -> Output {
    let output = command.output().expect("the program starts");
    assert_eq!(
        output.status.code(),
        Some(code),
        "{command:?}\nstdout:\n{}\nstderr:\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// The records of a run, each line as JSON.
pub fn records(run: &Path) -> Vec<Value> {
    let text = fs::read_to_string(run.join("records.jsonl")).expect("a run has records");
    text.lines().map(|line| serde_json::from_str(line).expect("every line is JSON")).collect()
}

/// How often each (cell, repetition, attempt, purpose) was made.
pub fn trials(records: &[Value]) -> BTreeMap<(u64, u64, u64, String), usize> {
    let mut made = BTreeMap::new();
    for record in records {
        let number = |key: &str| record[key].as_u64().expect("a number");
        let purpose = record["purpose"].as_str().expect("a word").to_owned();
        *made.entry((number("cell"), number("repetition"), number("attempt"), purpose)).or_default() += 1;
    }
    made
}
