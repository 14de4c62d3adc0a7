//! Records to summaries, comparisons and verdicts. Reads plain data only; measures nothing.
//!
//! [`summarize`] makes a [`Summary`] of a run's manifest and records; [`precision`] tells the runner whether it knows enough.
//! What is derived is defined in one place each: [`metric`] (values of a trial), [`trial`] (its overlap, rates and flags),
//! [`level`] (which transfer level held), [`interval`] (median and interval), [`dependence`] (what values that drift together are worth), [`compare`] (pairs and verdicts), [`granule`] (the measured line size), [`mod@explain`] (which event
//! explains what was lost), [`observed`] (what was
//! seen in the values), [`breakdown`] (where workers' time went), [`runs`] (run against run), [`mod@scaling`] (speed-up, and the laws of scaling), [`flag`] (what a flag means).

#![forbid(unsafe_code)]

mod answer;
pub mod breakdown;
mod cell;
pub mod compare;
mod damage;
pub mod dependence;
pub mod explain;
pub mod flag;
pub mod granule;
pub mod interval;
pub mod level;
pub mod metric;
pub mod observed;
mod resample;
mod run;
pub mod runs;
pub mod scaling;
mod share;
mod summarize;
pub mod summary;
pub mod trial;
mod words;

pub use cell::UNVERIFIED_ZERO;
pub use compare::Precision;
pub use explain::{EventExplanation, Explained, Explanation, Part, Standing};
pub use metric::Metric;
pub use summarize::{precision, summarize};
pub use summary::{CellSummary, Comparison, Estimate, Flag, Granule, Level, Share, Summary, TimePart, Verdict};
