//! A machine as plain data, and placement on it.
//!
//! A [`Topology`] lists the processing units (PUs) of one machine with the cores, caches, NUMA nodes and packages that they
//! share. [`place`] puts workers on it by a [`Policy`], [`place_within`] on a part of it; [`Relations`] says what two PUs share;
//! [`preset()`] gives machines that people speak of. Nothing here asks the operating system or hwloc anything: whoever discovers a
//! machine, live or recorded, fills in the data.

#![forbid(unsafe_code)]

mod build;
mod cores;
mod counts;
mod fault;
mod inside;
mod line;
mod list;
mod order;
mod pairs;
mod place;
mod policy;
mod preset;
mod relation;
mod topology;
mod within;

pub use build::{Build, CacheSpec};
pub use counts::{CacheLevel, Counts};
pub use fault::PlaceFault;
pub use line::LineSize;
pub use list::{ListFault, ListFaults, MAX_WORKERS, PU_LIMIT, PuList};
pub use place::{Placement, place, place_within};
pub use policy::{Policy, PolicyError, Unit};
pub use preset::{PRESETS, Preset, preset};
pub use relation::{Relation, Relations};
pub use topology::{Cache, CacheKind, Kind, NumaNode, Package, Pu, Topology};
pub use within::{Within, WithinError};
