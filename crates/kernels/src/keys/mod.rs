//! What keys cost: one drawn, those of a transaction, those that come once, those of a trace.

pub mod draw;
pub mod replay;
pub mod transaction;
pub mod unique;

mod counters;
pub(crate) mod origin;
pub(crate) mod recorded;
pub(crate) mod set;
pub(crate) mod source;
mod transacting;
