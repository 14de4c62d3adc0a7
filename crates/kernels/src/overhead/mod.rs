//! What measuring itself costs.

pub mod empty;
