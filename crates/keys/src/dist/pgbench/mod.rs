//! The random functions of pgbench, bit for bit as PostgreSQL 15 and later draw them (src/bin/pgbench/pgbench.c, src/common/pg_prng.c).
//!
//! Each client has a xoroshiro128** of its own. Keys are 64 bits with a sign there; here from 0 on. Checked against pgbench 15.18 itself
//! (`tests/distributions/pgbench.rs`).
//!
//! What only rounding could bring, a key beyond the last one, is drawn as the last one.

mod client;
pub(super) mod entries;
mod exponential;
mod gaussian;
mod uniform;
mod zipfian;

pub use client::Client;
pub use exponential::Exponential;
pub use gaussian::Gaussian;
pub use uniform::Uniform;
pub use zipfian::Zipfian;

use crate::{KeyRange, Refusal};

/// Refuses what pgbench refuses as too large, or cannot hold.
fn bigint(range: KeyRange) -> Result<(), Refusal> {
    if range.high() <= i64::MAX as u64 && range.keys() <= i64::MAX as u128 {
        return Ok(());
    }
    let why = format!("{range} does not fit into the bigint that pgbench counts keys in");
    let cure = "give at most 9223372036854775807 keys up to 9223372036854775807, or ask for exact/uniform";
    Err(Refusal::new("range", why, cure))
}

/// The key at this share of a range, cut as C cuts it.
#[inline]
fn at(range: KeyRange, share: f64) -> u64 {
    range.low() + ((range.keys() as f64 * share) as u64).min(range.span())
}

/// The range, and a parameter in its limits, or all that is wrong.
fn checked(range: KeyRange, name: &str, parameter: f64, least: f64, most: f64, cure: &str) -> Result<(), Vec<Refusal>> {
    let fits = (least..=most).contains(&parameter);
    let wrong = (!fits).then(|| Refusal::new(name, format!("{parameter} is not among {least} to {most}"), cure));
    let refusals: Vec<_> = bigint(range).err().into_iter().chain(wrong).collect();
    if refusals.is_empty() { Ok(()) } else { Err(refusals) }
}
