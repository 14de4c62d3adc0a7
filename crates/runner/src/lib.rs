//! Binds a plan to this machine, runs it, writes records, decides when it knows enough.
//!
//! [`resolve()`] binds every name and reports all problems at once; [`manifest`] measures what measuring costs;
//! [`Session`] runs the blocks trial by trial; [`check()`] makes each cell once without timing.

#![forbid(unsafe_code)]

mod batches;
pub mod check;
mod crew;
mod error;
mod events;
mod metrics;
mod offer;
pub mod prepare;
pub mod resolve;
pub mod session;
mod start_line;
mod stimulus;
mod stretches;
mod time;
pub mod trial;
mod try_out;
mod witness;
mod worker;

pub use check::{Checked, check};
pub use events::{EventNames, event_infos, least_repetitions};
pub use prepare::{Setup, facts, findings, manifest};
pub use resolve::{Resolved, ResolvedCell, resolve};
pub use session::{Failure, Interrupt, Progress, Session, Sink, State, unix_ms};
