//! What drawing keys costs: one key, one transaction's keys, keys that come once.

pub mod transaction;
pub mod unique;

mod counters;
mod transacting;
