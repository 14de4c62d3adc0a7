//! Which machine is meant.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Which machine is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// The one that this process runs on.
    This,
    /// One that hwloc recorded in an XML file (`lstopo FILE.xml`).
    Xml(PathBuf),
    /// One described in hwloc's synthetic form, such as `package:2 core:10 pu:8`.
    Synthetic(String),
}

/// Why a machine cannot be had, and what cures it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineError {
    /// What is wrong, without a full stop.
    pub message: String,
    /// What cures it, without a full stop.
    pub cure: String,
}

impl MachineError {
    pub(crate) fn new(message: impl Into<String>, cure: impl Into<String>) -> Self {
        MachineError { message: message.into(), cure: cure.into() }
    }
}

impl fmt::Display for MachineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.message, self.cure)
    }
}

impl std::error::Error for MachineError {}

impl FromStr for Input {
    type Err = MachineError;

    /// Reads `this`, `xml:FILE` or `synthetic:TEXT`.
    fn from_str(text: &str) -> Result<Self, MachineError> {
        const FORMS: &str = "write this, xml:FILE (from `lstopo FILE.xml`) or synthetic:TEXT (such as \
                             `synthetic:package:2 core:10 pu:8`)";
        if text == "this" {
            return Ok(Input::This);
        }
        match text.split_once(':') {
            Some(("xml", "")) => Err(MachineError::new("xml: names no file", FORMS)),
            Some(("xml", file)) => Ok(Input::Xml(file.into())),
            Some(("synthetic", description)) if description.trim().is_empty() => {
                Err(MachineError::new("synthetic: describes no machine", FORMS))
            }
            Some(("synthetic", description)) => Ok(Input::Synthetic(description.trim().to_owned())),
            _ => Err(MachineError::new(format!("`{text}` does not name a machine"), FORMS)),
        }
    }
}

/// As it is read.
impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Input::This => f.write_str("this"),
            Input::Xml(file) => write!(f, "xml:{}", file.display()),
            Input::Synthetic(description) => write!(f, "synthetic:{description}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_forms_read_back() {
        for text in ["this", "xml:a/b.xml", "xml:c:d.xml", "synthetic:package:2 core:10 pu:8"] {
            assert_eq!(text.parse::<Input>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn anything_else_is_answered_with_the_forms() {
        for text in ["", "This", "xml", "xml:", "synthetic:", "synthetic:  ", "preset:power8", "machine.xml"] {
            let error = text.parse::<Input>().unwrap_err();
            assert!(error.cure.contains("xml:FILE") && error.cure.contains("synthetic:TEXT"), "{text}: {error}");
        }
    }
}
