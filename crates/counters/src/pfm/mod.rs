//! libpfm4, opened at run time where it is installed: its names for what processors count.

#[cfg_attr(perf_bindings, path = "library.rs")]
#[cfg_attr(not(perf_bindings), path = "none.rs")]
mod library;

pub(crate) use library::encode;

/// Why libpfm gives no code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Error {
    /// It is not installed, or cannot be used; why, as a clause.
    NoLibrary(String),
    /// It knows the name, but not for this processor; why, as a clause.
    NotHere(String),
    /// It refuses the name; why, as a clause.
    Refused(String),
}
