//! What is asked and what comes back: definition, plan, record, manifest; plain data.
//!
//! A question is a TOML file ([`Definition`], as written), checked into an [`Experiment`], unfolded into a [`Plan`].
//! What a run gives back is a folder ([`run`]) with a [`Manifest`] and one [`Record`] a trial. This crate reaches
//! nothing else of the project, measures nothing and makes no system call besides reading and writing its files.

#![forbid(unsafe_code)]

pub mod manifest;
pub mod problem;
pub mod record;
pub mod value;

pub use manifest::Manifest;
pub use problem::{Place, Problem};
pub use record::Record;
pub use value::{Parameters, Value};
