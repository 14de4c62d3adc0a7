//! The few system calls that counting needs, behind a trait so that tests can script every refusal and odd reading.

#[cfg(test)]
pub(crate) mod fake;

#[cfg_attr(not(perf_bindings), path = "none.rs")]
mod linux;
mod usage;

use std::fmt;

pub(crate) use linux::Linux;
pub(crate) use usage::{Usage, thread_usage};

use crate::code::Code;
use crate::unavailable::Unavailable;

/// Whose instructions an event is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The thread's own code (`exclude_kernel`, `exclude_hv`).
    User,
    /// The thread's own code and what the kernel does for it.
    UserAndKernel,
}

/// Where an event's count comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// `perf_event_open`.
    Perf(Scope),
    /// Another call of the operating system, because perf_event refused.
    Instead {
        /// The call, such as `getrusage(RUSAGE_THREAD)`.
        call: &'static str,
        /// What perf_event said.
        because: Unavailable,
    },
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Perf(Scope::User) => f.write_str("perf_event, user mode"),
            Source::Perf(Scope::UserAndKernel) => f.write_str("perf_event, user and kernel mode"),
            Source::Instead { call, because } => write!(f, "{call}, because perf_event refuses: {}", because.reason()),
        }
    }
}

/// An open event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Handle(pub i32);

/// Whose events are counted, on any PU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The thread that opens them.
    ThisThread,
    /// A thread of any process, by its id.
    Thread(i32),
    /// The same and, from then on, all threads and processes that it starts; such an event is in no group.
    ThreadAndChildren(i32),
}

/// What is asked of `perf_event_open`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Request<'a> {
    pub code: &'a Code,
    pub scope: Scope,
    pub target: Target,
    /// The group's leader; `None` for an event that leads one itself, which then is the only one to open disabled.
    pub leader: Option<Handle>,
}

/// The kernel's counting, as far as it is used here. Errors are errno values.
pub(crate) trait Perf {
    /// Opens an event.
    fn open(&self, request: Request<'_>) -> Result<Handle, i32>;
    /// Closes one; it is not used again.
    fn close(&self, handle: Handle);
    /// Starts the group that this event leads.
    fn enable(&self, leader: Handle) -> Result<(), i32>;
    /// Stops it.
    fn disable(&self, leader: Handle) -> Result<(), i32>;
    /// Reads a whole group: number of events, time enabled, time running, one value each; of an event that follows children its value,
    /// time enabled, time running. Returns the bytes read.
    fn read(&self, leader: Handle, words: &mut [u64]) -> Result<usize, i32>;
    /// What the operating system accounts to the calling thread.
    fn usage(&self) -> Result<Usage, i32>;
    /// `/proc/sys/kernel/perf_event_paranoid`.
    fn paranoid(&self) -> Option<i32>;
}
