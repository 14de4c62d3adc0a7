//! Names that cannot be taken.

use std::error::Error;
use std::fmt;

/// A name that no event has, or an item of a list that is empty or there twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownEvent {
    /// The name as written, without blanks around it.
    pub name: String,
    /// Why it is refused, as a clause: `is no event`.
    pub why: String,
    /// Names that come near it, the nearest first; may be empty.
    pub suggestions: Vec<String>,
}

const TWICE: &str = "is there twice";

impl UnknownEvent {
    pub(super) fn new(name: &str, why: impl Into<String>) -> UnknownEvent {
        UnknownEvent { name: name.to_owned(), why: why.into(), suggestions: Vec::new() }
    }

    pub(super) fn twice(name: &str) -> UnknownEvent {
        UnknownEvent::new(name, TWICE)
    }

    /// What to write instead.
    #[must_use]
    pub fn cure(&self) -> String {
        match self.suggestions.as_slice() {
            [] if self.name.contains('/') => "put its terms right, or give the whole code as config=0x…".to_owned(),
            [] if self.why == TWICE => "name each event once".to_owned(),
            [] => "see `hitm list events` for names, or write a code: r04d2, cpu/event=0xd2,umask=0x04/".to_owned(),
            [one] => format!("did you mean {one}?"),
            several => format!("did you mean one of {}?", several.join(", ")),
        }
    }
}

impl fmt::Display for UnknownEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.name, self.why)
    }
}

impl Error for UnknownEvent {}
