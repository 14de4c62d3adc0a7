//! The non-uniform numbers of TPC-C (Standard Specification, clause 2.1.6), which names no generator: any
//! [`Stream`](crate::stream::Stream) stands in.

mod constants;
pub(super) mod entries;
mod nurand;

pub use constants::{Constants, LAST_NAME_A};
pub use nurand::Nurand;
