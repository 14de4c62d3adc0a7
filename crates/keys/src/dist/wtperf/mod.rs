//! The keys of wtperf, the benchmark of WiredTiger (bench/wtperf/wtperf.c).
//!
//! All take one [`word`](crate::stream::Stream::word) of 32 bits a key (of a generator that gives more, the lower ones). Keys are counted from 1 to a
//! range that grows with what was inserted; here it stands.

mod append;
pub(super) mod entries;
mod pareto;
mod truncated;
mod uniform;

pub use append::Append;
pub use pareto::Pareto;
pub use truncated::ParetoTruncated;
pub use uniform::Uniform;

/// What one word tells apart.
const WORDS: u64 = 1 << 32;

/// (1 + x)^−1.5: of Pareto's distribution of wtperf's shape what is beyond x times its scale.
fn beyond(x: f64) -> f64 {
    (1.0 + x).powf(-1.5)
}

/// The percentage that makes the scale, or why it is none.
fn percentage(percent: u64) -> Result<u64, crate::Refusal> {
    super::within("percent", percent, 1, 100)
}
