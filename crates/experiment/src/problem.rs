//! What is wrong with an input, where, and what cures it.

use std::fmt;
use std::ops::Range;

/// Where a problem lies.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Place {
    /// The file, or the command-line argument as typed (`--set kernel.work=-1`); empty when neither.
    pub source: String,
    /// The dotted TOML path (`kernel.work`), or empty.
    pub path: String,
    /// The bytes of `source` that are meant, where it is a file whose text is at hand.
    pub span: Option<Range<usize>>,
}

impl Place {
    /// Whether this is a command-line argument.
    pub fn is_argument(&self) -> bool {
        self.source.starts_with("--")
    }
}

/// One thing that is wrong with what was asked. Problems are gathered and reported all at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it is.
    pub place: Place,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// What cures it, in one sentence without a full stop; empty when nothing is known to.
    pub cure: String,
}

impl Problem {
    /// A problem at a place.
    pub fn new(place: Place, message: impl Into<String>, cure: impl Into<String>) -> Self {
        Problem { place, message: message.into(), cure: cure.into() }
    }
}

/// One line, for plain output and logs; the command line draws the snippet as well.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { source, path, .. } = &self.place;
        match (source.is_empty(), path.is_empty()) {
            (false, false) => write!(f, "{source}: {path}: ")?,
            (false, true) => write!(f, "{source}: ")?,
            (true, false) => write!(f, "{path}: ")?,
            (true, true) => {}
        }
        f.write_str(&self.message)?;
        if !self.cure.is_empty() {
            write!(f, "; {}", self.cure)?;
        }
        Ok(())
    }
}
