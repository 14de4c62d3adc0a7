//! A loop of a known number of core cycles: its time tells the clock that the core really had.

use std::hint::black_box;

use crate::clock::{Clock, arch};

/// Steps in one turn of the loop.
const UNROLLED: u64 = 8;
const TRIES: usize = 5;

/// The calibration loop: `x = x.rotate_left(7) + k`, each step waiting for the one before, with nothing in memory.
///
/// Changes of the frequency, throttling and a thread that loses its PU show in it. A busy SMT thread on the same core may slow it a little:
/// the two compete for issue slots, of which the chain needs one a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calibration {
    steps: u64,
}

impl Calibration {
    /// The loop with as many steps as `clock` needs to time it within about 0.2 %: some 20 µs, or 90 µs on a clock of less than 100 MHz.
    #[must_use]
    pub fn for_clock(clock: &Clock) -> Calibration {
        Calibration { steps: if clock.hz() < 1e8 { 1 << 17 } else { 1 << 15 } }
    }

    /// The steps of one timing.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Core cycles that a step takes; `None` where that is not known, so that no core clock can be told from the loop's time.
    #[must_use]
    pub fn cycles_per_step() -> Option<f64> {
        arch::CYCLES_PER_STEP
    }

    /// Why a step takes that many cycles, or why that is not known.
    #[must_use]
    pub fn source() -> &'static str {
        arch::CYCLES_SOURCE
    }

    /// The ticks of `clock` that [`steps`](Self::steps) steps take: the least of five tries, one look at the clock included.
    #[must_use]
    pub fn time(&self, clock: &Clock) -> u64 {
        let mut least = u64::MAX;
        for _ in 0..TRIES {
            let (x, k) = (black_box(0x9e37_79b9_7f4a_7c15), black_box(0xd1b5_4a32_d192_ed03));
            let start = clock.now();
            black_box(arch::chain(x, k, self.steps / UNROLLED));
            least = least.min(clock.now().saturating_sub(start));
        }
        least
    }

    /// The core clock in Hz at which [`steps`](Self::steps) steps take `ticks` of `clock`; `None` where the cycles of a step are not
    /// known or the loop took no time.
    #[must_use]
    pub fn core_hz(&self, clock: &Clock, ticks: u64) -> Option<f64> {
        let cycles = Self::cycles_per_step()? * self.steps as f64;
        (ticks > 0).then(|| cycles / ticks as f64 * clock.hz())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::plain;

    #[test]
    fn the_assembly_computes_the_chain() {
        for rounds in [0, 1, 2, 1000] {
            for (x, k) in [(0, 0), (1, 0), (0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03), (u64::MAX, u64::MAX)] {
                assert_eq!(arch::chain(x, k, rounds), plain::chain(x, k, rounds), "{x:#x} {k:#x} {rounds}");
            }
        }
        assert_eq!(plain::chain(1, 0, 1), 1 << 56);
    }

    #[test]
    fn the_core_clock_is_cycles_by_time() {
        let clock = Clock::os();
        let calibration = Calibration::for_clock(&clock);
        assert_eq!(calibration.steps() % UNROLLED, 0);
        assert_eq!(calibration.core_hz(&clock, 0), None);
        let at = calibration.core_hz(&clock, calibration.steps());
        assert_eq!(at, Calibration::cycles_per_step().map(|cycles| cycles * 1e9));
    }

    #[test]
    fn a_timing_takes_time() {
        let clock = Clock::detect();
        let ticks = Calibration::for_clock(&clock).time(&clock);
        // No core runs the chain above 20 GHz, whatever else the machine does.
        assert!(clock.ns(ticks) > Calibration::for_clock(&clock).steps() as f64 * 2.0 / 20.0, "{ticks} ticks");
    }
}
