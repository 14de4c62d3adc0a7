//! The experiments that ship, embedded so that they are there wherever the binary is.

/// Names (`rng/shared-state`) with their TOML text, sorted by name.
pub(crate) const EXPERIMENTS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/experiments.rs"));

/// The text of a shipped experiment.
pub(crate) fn find(name: &str) -> Option<&'static str> {
    EXPERIMENTS.iter().find(|(shipped, _)| *shipped == name).map(|(_, text)| *text)
}
