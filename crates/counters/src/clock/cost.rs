//! What one look at a clock costs, and the smallest step it shows.

use std::hint::black_box;

use serde::{Deserialize, Serialize};

use super::Clock;

/// What looking at a clock costs on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClockCost {
    /// One look at the clock, nanoseconds: the least mean over a batch of looks.
    pub read_ns: f64,
    /// The least non-zero difference between two looks in a row, nanoseconds. Never below what one look takes on a clock whose tick is
    /// finer than that.
    pub step_ns: f64,
}

const BATCHES: usize = 20;
const READS: usize = 1_000;

/// Measures what a look at `clock` costs; takes about a millisecond.
#[must_use]
pub fn measure_overhead(clock: &Clock) -> ClockCost {
    let (mut least_batch, mut least_step) = (u64::MAX, u64::MAX);
    for _ in 0..BATCHES {
        let start = clock.now();
        for _ in 0..READS {
            black_box(clock.now());
        }
        least_batch = least_batch.min(clock.now().saturating_sub(start));
        let mut last = clock.now();
        for _ in 0..READS {
            let now = clock.now();
            if now > last {
                least_step = least_step.min(now - last);
            }
            last = now;
        }
    }
    // A clock so coarse that it never moved here still has its nominal tick.
    let step = if least_step == u64::MAX { 1 } else { least_step };
    ClockCost { read_ns: clock.ns(least_batch) / READS as f64, step_ns: clock.ns(step) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_positive_and_no_step_is_below_a_tick() {
        for clock in [Clock::detect(), Clock::os()] {
            let cost = measure_overhead(&clock);
            assert!(cost.read_ns.is_finite() && cost.read_ns >= 0.0, "{cost:?}");
            assert!(cost.step_ns.is_finite() && cost.step_ns >= clock.ns(1), "{cost:?}");
        }
    }
}
