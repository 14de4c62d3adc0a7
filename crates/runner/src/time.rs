//! The trial's time as a worker's kernel sees it.

use std::cell::Cell;
use std::time::{Duration, Instant};

use hitm_counters::Clock;
use hitm_kernels::Time;

/// One worker's.
#[derive(Debug)]
pub(crate) struct WorkerTime {
    clock: Clock,
    /// One moment on both clocks.
    base: (u64, Instant),
    ends: Cell<Instant>,
}

impl WorkerTime {
    /// A time before any part of the trial.
    pub(crate) fn new(clock: Clock) -> Self {
        let base = (clock.now(), Instant::now());
        WorkerTime { clock, base, ends: Cell::new(base.1) }
    }

    /// A part of the trial begins that ends at this reading of the clock.
    pub(crate) fn until(&self, ticks: u64) {
        self.ends.set(self.instant(ticks));
    }
}

impl Time for WorkerTime {
    fn now(&self) -> u64 {
        self.clock.now()
    }

    fn instant(&self, ticks: u64) -> Instant {
        let since = Duration::from_nanos(self.clock.ns(ticks.saturating_sub(self.base.0)) as u64);
        self.base.1.checked_add(since).unwrap_or(self.base.1)
    }

    fn ends(&self) -> Instant {
        self.ends.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_clocks_agree() {
        let clock = Clock::detect();
        let time = WorkerTime::new(clock);
        let soon = clock.now() + clock.ticks(5_000_000);
        time.until(soon);
        assert_eq!(time.ends(), time.instant(soon));
        let late = time.ends().saturating_duration_since(Instant::now());
        assert!(late <= Duration::from_millis(50), "{late:?}");
        assert_eq!(time.instant(0), time.base.1);
    }
}
