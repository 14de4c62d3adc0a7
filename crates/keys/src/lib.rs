//! What benchmarks of databases draw: random generators, the distributions of keys that they make of them, and the transactions that
//! they make of those.
//!
//! | module | what |
//! | --- | --- |
//! | [`rng`] | the generators |
//! | [`stream`] | their numbers as programs take them, counted where wanted |
//! | [`dist`] | distributions of keys, the originals' bit for bit and without their faults, by name |
//! | [`key_text`] | keys as the texts that benchmarks make of them |
//! | [`transaction`] | what one OLTP transaction draws |
//! | [`trace`] | key traces: logs, lists and block traces read, kept in a compact form, described, replayed |
//! | [`sysbench`] | sysbench 1.0.20 replayed: its seeding and its statements |

#![deny(unsafe_code)] // One file may: `trace/map.rs`.

pub mod dist;
pub mod key_text;
mod range;
mod refusal;
pub mod rng;
pub mod stream;
pub mod sysbench;
pub mod trace;
pub mod transaction;

pub use range::KeyRange;
pub use refusal::Refusal;
