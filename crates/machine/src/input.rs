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
    /// One whose /sys (and perhaps /proc) was copied to a folder, as hwloc-gather-topology does.
    Sysfs(PathBuf),
    /// One that [`save`](crate::save) wrote.
    Json(PathBuf),
    /// One of [`hitm_topology::PRESETS`], by its name.
    Preset(String),
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

    /// Reads `this`, `xml:FILE`, `sysfs:DIR`, `json:FILE`, `preset:NAME` or `synthetic:TEXT`.
    fn from_str(text: &str) -> Result<Self, MachineError> {
        if text == "this" {
            return Ok(Input::This);
        }
        let (form, rest) = text.split_once(':').unwrap_or((text, ""));
        let named = |what: &str, input: fn(String) -> Input| {
            let rest = if matches!(form, "synthetic" | "preset") { rest.trim() } else { rest };
            if rest.is_empty() {
                return Err(MachineError::new(format!("`{form}:` {what}"), FORMS));
            }
            Ok(input(rest.to_owned()))
        };
        match form {
            "xml" => named("names no file", |file| Input::Xml(file.into())),
            "sysfs" => named("names no folder", |folder| Input::Sysfs(folder.into())),
            "json" => named("names no file", |file| Input::Json(file.into())),
            "preset" => named("names no machine", Input::Preset),
            "synthetic" => named("describes no machine", Input::Synthetic),
            _ => Err(MachineError::new(format!("`{}` does not name a machine", short(text)), FORMS)),
        }
    }
}

const FORMS: &str = "write this, xml:FILE (from `lstopo FILE.xml`), sysfs:DIR (a copied /sys), json:FILE (from `hitm machine \
                     --save FILE`), preset:NAME or synthetic:TEXT (such as `synthetic:package:2 core:10 pu:8`)";

/// The beginning of something long.
pub(crate) fn short(text: &str) -> String {
    if text.chars().count() <= 60 { text.to_owned() } else { text.chars().take(60).chain("…".chars()).collect() }
}

/// As it is read.
impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Input::This => f.write_str("this"),
            Input::Xml(file) => write!(f, "xml:{}", file.display()),
            Input::Sysfs(folder) => write!(f, "sysfs:{}", folder.display()),
            Input::Json(file) => write!(f, "json:{}", file.display()),
            Input::Preset(name) => write!(f, "preset:{name}"),
            Input::Synthetic(description) => write!(f, "synthetic:{description}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_reads_back() {
        let forms =
            ["this", "xml:a/b.xml", "xml:c:d.xml", "sysfs:/a b", "json:m.json", "preset:x", "synthetic:package:2 pu:8"];
        for text in forms {
            assert_eq!(text.parse::<Input>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn anything_else_is_answered_with_the_forms() {
        let wrong =
            ["", "This", "xml", "xml:", "synthetic:", "synthetic:  ", "preset:", "sysfs:", "json", "machine.xml"];
        for text in wrong {
            let error = text.parse::<Input>().unwrap_err();
            for form in ["this", "xml:FILE", "sysfs:DIR", "json:FILE", "preset:NAME", "synthetic:TEXT"] {
                assert!(error.cure.contains(form), "{text}: {error}");
            }
        }
    }
}
