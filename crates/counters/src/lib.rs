//! Hardware events and clocks of one thread, read raw.
//!
//! A [`Clock`] counts ticks as cheaply as the machine allows and says how its frequency is known; a [`Calibration`] is a loop of a
//! known number of core cycles, whose time tells the clock that the core really had. [`ThreadEvents`] counts [`Event`]s of the
//! thread that opens it, in one read a group; what cannot be counted comes back as [`Unavailable`] with its cure, never as a zero.
//! Nothing here is scaled, averaged or derived.

mod calibration;
pub mod catalogue;
mod clock;
mod code;
mod descriptors;
mod event;
mod findings;
mod group;
mod names;
mod opening;
mod perf;
mod pfm;
mod plan;
mod process;
mod rules;
pub mod schedule;
mod settle;
mod snapshot;
mod unavailable;

pub use calibration::Calibration;
pub use clock::{Clock, ClockCost, measure_overhead, thread_cpu_ns};
pub use code::Code;
pub use descriptors::{TooFewDescriptors, make_room};
pub use event::{Event, Kind, Role};
pub use findings::{Finding, Level, findings};
pub use group::{Pass, ThreadEvents, read_cost};
pub use names::{CONTENTION, CoreKind, UnknownEvent, Vocabulary};
pub use opening::{plan_for, probe};
pub use perf::{Scope, Source};
pub use plan::{CountingPlan, plan, refused_codes};
pub use process::{AttachError, Follow, ProcessEvents};
pub use settle::{Settled, descriptors, settle};
pub use snapshot::{Count, Snapshot};
pub use unavailable::Unavailable;
