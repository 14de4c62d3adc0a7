//! Architectures without a counter that is known here: the OS clock serves.

use super::Known;

pub(crate) const NAME: &str = "os";

pub(crate) use super::os::read;
pub(crate) use super::plain::chain;
pub(crate) const CYCLES_PER_STEP: Option<f64> = None;
pub(crate) const CYCLES_SOURCE: &str = "the latencies of a rotate and an add are not known for this architecture";

/// Why there is no cheaper clock.
pub(crate) fn detect() -> Result<(f64, Known), &'static str> {
    Err("no counter of this architecture is known here")
}
