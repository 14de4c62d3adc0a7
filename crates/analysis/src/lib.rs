//! Records to summaries, comparisons and verdicts. Reads plain data only; measures nothing.

#![forbid(unsafe_code)]

pub mod summary;

pub use summary::{CellSummary, Comparison, Estimate, Flag, Level, Summary, Verdict};
