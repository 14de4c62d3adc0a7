//! A machine as plain data, and placement on it.
//!
//! A [`Topology`] lists the processing units (PUs) of one machine with the cores, caches, NUMA nodes and packages that they
//! share. [`place`] puts workers on it by a [`Policy`]; [`Relations`] says what two PUs share. Nothing here asks the
//! operating system or hwloc anything: whoever discovers a machine, live or recorded, fills in the data.

#![forbid(unsafe_code)]

mod counts;
mod line;
mod list;
mod place;
mod policy;
mod relation;
mod topology;

pub use counts::{CacheLevel, Counts};
pub use line::LineSize;
pub use list::{ListFault, ListFaults, PU_LIMIT, PuList};
pub use place::{MAX_WORKERS, PlaceFault, Placement, place};
pub use policy::{Policy, PolicyError};
pub use relation::{Relation, Relations};
pub use topology::{Cache, CacheKind, Kind, NumaNode, Package, Pu, Topology};
