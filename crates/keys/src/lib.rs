//! Random generators, and later key distributions, transactions and traces.

#![forbid(unsafe_code)]

pub mod rng;
