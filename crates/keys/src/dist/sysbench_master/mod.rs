//! What sysbench's development branch has beside [1.0.20](super::sysbench_1_0_20) (src/sb_rand.c on GitHub).

mod zipfian;

pub use zipfian::Zipfian;

use super::sysbench_1_0_20::narrow;
use super::{Entry, Parameter, bound};
use crate::KeyRange;
use crate::rng::{WordState, Xoroshiro128Plus};
use crate::sysbench::thread_stream;

pub(super) const ENTRIES: &[Entry] = &[Entry {
    name: "sysbench-master/zipfian",
    summary: "The k-th key in proportion to k^-exp",
    fault: "a range of all 32 bits wraps to none (refused here); exact/zipf takes any",
    generator: Xoroshiro128Plus::NAME,
    parameters: &[Parameter { name: "exp", default: 0.8, help: "exponent, 0 (all alike) or more; 1 too" }],
    range: KeyRange::TEN_THOUSAND,
    build: |asked| bound(Zipfian::new(asked.range, asked.number("exp")), thread_stream(asked.seed, 0)),
}];
