//! What sharing a line of counters costs.

pub mod counters;
pub mod one_counter;

mod update;
