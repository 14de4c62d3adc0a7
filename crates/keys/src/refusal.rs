//! What cannot be drawn, and what to ask for instead.

use std::fmt;

/// Why a distribution, a transaction or a seed cannot be had as asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The setting to change: `range`, `seed`, `iter`, …
    pub setting: String,
    /// Why it cannot be, one sentence without a full stop.
    pub why: String,
    /// What to give instead, one sentence without a full stop.
    pub cure: String,
}

impl Refusal {
    /// A refusal of one setting.
    pub fn new(setting: impl Into<String>, why: impl Into<String>, cure: impl Into<String>) -> Self {
        Refusal { setting: setting.into(), why: why.into(), cure: cure.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.setting, self.why, self.cure)
    }
}
