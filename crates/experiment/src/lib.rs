//! What is asked and what comes back: definition, plan, record, manifest; plain data.
//!
//! A question is a TOML file ([`Definition`], as written), checked into an [`Experiment`], unfolded into a [`Plan`].
//! What a run gives back is a folder ([`run`]) with a [`Manifest`] and one [`Record`] a trial. This crate reaches
//! nothing else of the project, measures nothing and makes no system call besides reading and writing its files.

#![forbid(unsafe_code)]

mod check;
pub mod compare;
pub mod definition;
pub mod experiment;
mod fields;
pub mod manifest;
pub mod overrides;
pub mod placement;
pub mod plan;
pub mod problem;
pub mod record;
pub mod run;
pub mod seed;
pub mod suggest;
mod tree;
pub mod units;
pub mod value;

pub use definition::Definition;
pub use experiment::Experiment;
pub use manifest::Manifest;
pub use overrides::Override;
pub use plan::Plan;
pub use problem::{Place, Problem};
pub use record::Record;
pub use value::{Parameters, Value};
