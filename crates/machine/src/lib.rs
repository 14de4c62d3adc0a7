//! The live or recorded machine: discovery, pinning, fingerprint, containers.
//!
//! [`discover`] makes a [`Topology`] of this machine, or of another by what was recorded of it (an hwloc XML file, a copied /sys,
//! a file that [`save`] wrote), by its description or by its name. The other modules ask the running machine only: [`pin`]
//! binds threads to PUs, [`usage`] tells who else used them, [`mod@pages`] where memory lies, [`fingerprint`] and [`findings`]
//! what to know about the machine before believing its numbers. All of it is Linux's.

mod cgroup;
mod complete;
mod cpuid;
mod cpuset;
mod discover;
mod files;
pub mod findings;
pub mod fingerprint;
#[cfg(feature = "hwloc")]
mod hwloc;
#[cfg(not(feature = "hwloc"))]
#[path = "without_hwloc.rs"]
mod hwloc;
mod hypervisor;
mod input;
mod json;
mod links;
mod mask;
mod notes;
pub mod pages;
pub mod pin;
mod preset;
mod settings;
mod sound;
mod sys;
mod sysconf;
pub mod usage;

pub use discover::discover;
pub use findings::{Finding, Level};
pub use fingerprint::Fact;
pub use hitm_topology::Topology;

pub use input::{Input, MachineError};
pub use json::save;
pub use pages::{Pages, pages};
pub use pin::{PinError, PinFault, current_pu, pin_current_thread, process_allowed};
pub use usage::{Switches, quota, steal_ticks, thread_switches, throttled_periods};
