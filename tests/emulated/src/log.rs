//! What a guest's console said, step by step.

use std::collections::BTreeMap;

use serde_json::Value;

/// What one command did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Its exit code.
    pub code: i32,
    /// What it printed.
    pub out: String,
    /// What it printed on standard error.
    pub err: String,
}

/// All steps of a boot by name. A step that did not end is not among them.
pub struct Log(BTreeMap<String, Step>);

impl Log {
    /// Reads a console; what is outside of steps is the kernel's and left out.
    pub fn read(console: &str) -> Log {
        let mut steps = BTreeMap::new();
        let mut open: Option<(String, Step)> = None;
        let mut in_errors = false;
        for line in console.lines() {
            if let Some(head) = line.strip_prefix("@@ step ") {
                in_errors = false;
                let (name, code) = head.rsplit_once(' ').unwrap_or((head, ""));
                // A code that cannot be read is no success.
                open = Some((name.to_owned(), Step { code: code.parse().unwrap_or(-1), ..Step::default() }));
            } else if line == "@@ errors" {
                in_errors = true;
            } else if line == "@@ end" {
                steps.extend(open.take());
            } else if let Some((_, step)) = &mut open {
                let into = if in_errors { &mut step.err } else { &mut step.out };
                into.push_str(line);
                into.push('\n');
            }
        }
        Log(steps)
    }

    /// A step that ended.
    ///
    /// # Errors
    /// Says so when it did not.
    pub fn step(&self, name: &str) -> Result<&Step, String> {
        self.0.get(name).ok_or_else(|| format!("the guest never came to the end of {name}"))
    }

    /// What a successful step printed.
    ///
    /// # Errors
    /// What it said, when it failed.
    pub fn output(&self, name: &str) -> Result<&str, String> {
        let step = self.step(name)?;
        if step.code != 0 {
            return Err(format!("{name} ended with {}: {}", step.code, tail(&step.err)));
        }
        Ok(&step.out)
    }

    /// The JSON that a successful step printed.
    ///
    /// # Errors
    /// What it said when it failed, or where its output is no JSON.
    pub fn json(&self, name: &str) -> Result<Value, String> {
        serde_json::from_str(self.output(name)?).map_err(|error| format!("{name} printed no JSON: {error}"))
    }
}

/// The end of a text, in one line.
pub fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines[lines.len().saturating_sub(4)..].join(" | ")
}
