//! The measured loops, one file each, and the contract they share.
//!
//! [`contract`] says what a kernel is and [`registry`] how it is asked for; the folders hold the kernels by theme.
//! [`Registry::built_in`] has all of them.

#![deny(unsafe_code)] // One file may: `rng/libc48.rs`.

pub mod contract;
pub mod keys;
pub mod latency;
pub mod locking;
pub mod memory;
pub mod overhead;
pub mod registry;
pub mod rng;
pub mod sharing;
pub mod time;

mod built_in;
mod resolve;
mod work;

pub use contract::{Arena, Context, Done, Kernel, Notes, Setting, StopToken, Time, Worker};
pub use registry::{
    DefaultValue, Entry, Fault, Made, Parameter, ParameterKind, Refusal, Registry, Tally, integer, text,
};
pub use work::{WORK_CYCLES, work};

/// The most workers that a kernel without roles takes.
pub const MAX_WORKERS: usize = 1 << 16;
