//! What hitm must find and do on the emulated machines of `scripts/test-emulated`: the shapes, the script that a guest runs,
//! and the judge of what it said. It uses nothing of hitm's own, so that no fault is on both sides.

#![forbid(unsafe_code)]

pub mod counting;
pub mod judge;
pub mod log;
pub mod machines;
mod measured;
pub mod placing;
pub mod pmus;
pub mod script;
mod topology;
