//! The measured loops, one file each, and the contract they share.

pub mod contract;
pub mod registry;

pub use contract::{Arena, Context, Done, Kernel, Setting, StopToken, Worker};
pub use registry::{DefaultValue, Entry, Fault, Parameter, ParameterKind, Refusal, Registry};
