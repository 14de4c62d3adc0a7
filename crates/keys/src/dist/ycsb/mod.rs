//! The distributions of YCSB, by the formulas of its Java classes in core/src/main/java/site/ycsb/generator.
//!
//! YCSB draws from Java's `ThreadLocalRandom`, which takes no seed, so any [`Stream`](crate::stream::Stream) stands in: units where it
//! calls `nextDouble`, bits where it calls `nextLong`. Its numbers are Java's `long`s: a range beyond 2⁶³ − 1 is refused. `Math.pow`
//! may round its last bit another way than the C library's.
//!
//! `Math.abs` of Java leaves the smallest `long` negative, which makes one draw in 2⁶⁴ a key below the range (pingcap/go-ycsb#19 is the
//! same in Go); here it counts as 2⁶³.

pub(super) mod entries;
mod exponential;
mod hash;
mod hotspot;
mod latest;
mod scrambled;
mod sequential;
mod uniform;
mod zipfian;

pub use exponential::Exponential;
pub use hash::hash;
pub use hotspot::Hotspot;
pub use latest::Latest;
pub use scrambled::ScrambledZipfian;
pub use sequential::Sequential;
pub use uniform::Uniform;
pub use zipfian::Zipfian;

use crate::{KeyRange, Refusal};

/// 1000 records counted from 0, as many as YCSB has when nothing is said.
const THOUSAND: KeyRange = KeyRange::constant(0, 999);

/// Refuses what a Java `long` does not hold, and more keys than it counts.
fn java_long(range: KeyRange) -> Result<(), Refusal> {
    if range.high() <= i64::MAX as u64 && range.keys() <= i64::MAX as u128 {
        return Ok(());
    }
    let why = format!("{range} does not fit into the long that YCSB counts keys in");
    let cure = "give at most 9223372036854775807 keys up to 9223372036854775807, or ask for exact/uniform";
    Err(Refusal::new("range", why, cure))
}

/// Refuses what is no share.
fn share_of(setting: &str, share: f64) -> Result<f64, Refusal> {
    if (0.0..=1.0).contains(&share) {
        return Ok(share);
    }
    Err(Refusal::new(setting, format!("{share} is not among 0 to 1"), "give 0 to 1, such as 0.2"))
}
