//! Where the workers of a trial meet, so that all start at one clock value.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread::yield_now;

use hitm_counters::Clock;

const CLOSED: u64 = 0;
const BROKEN: u64 = u64::MAX;

/// Spins before a waiting worker offers its PU to others: about a tenth of a millisecond.
const SPINS_BEFORE_YIELD: u32 = 20_000;

/// A line at which a fixed number of workers meet once. The last to arrive names the clock value at which all go.
#[repr(align(256))]
pub(crate) struct StartLine {
    arrived: AtomicUsize,
    start: AtomicU64,
    workers: usize,
    lead_ticks: u64,
    patient: bool,
}

/// A worker failed before the start, so that nobody starts.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Broken;

impl StartLine {
    /// A line for `workers`; `patient` when some of them share a PU and must give way to each other while they wait.
    pub(crate) fn new(workers: usize, clock: &Clock, patient: bool) -> Self {
        // The lead covers the time the last worker's word takes to reach all others: a transfer each, or a turn on the PU each.
        let lead_ns = if patient { (workers as u64 * 100_000).min(50_000_000) } else { 10_000 + workers as u64 * 500 };
        StartLine {
            arrived: AtomicUsize::new(0),
            start: AtomicU64::new(CLOSED),
            workers,
            lead_ticks: clock.ticks(lead_ns),
            patient,
        }
    }

    /// Waits for all and for the common start; the last to arrive does `ready` first. Returns the clock value of the start, the same
    /// for all workers.
    pub(crate) fn meet(&self, clock: &Clock, ready: impl FnOnce()) -> Result<u64, Broken> {
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.workers {
            ready();
            let start = clock.now() + self.lead_ticks;
            // A worker may have broken the line meanwhile; its word stands.
            let _ = self.start.compare_exchange(CLOSED, start, Ordering::AcqRel, Ordering::Acquire);
        }
        let mut spins = 0u32;
        let start = loop {
            match self.start.load(Ordering::Acquire) {
                CLOSED => self.pause(&mut spins),
                BROKEN => return Err(Broken),
                start => break start,
            }
        };
        while clock.now() < start {
            if self.patient {
                yield_now();
            } else {
                spin_loop();
            }
        }
        Ok(start)
    }

    /// Lets nobody start any more, and those who wait return [`Broken`].
    pub(crate) fn break_up(&self) {
        self.start.store(BROKEN, Ordering::Release);
    }

    fn pause(&self, spins: &mut u32) {
        *spins += 1;
        if self.patient || *spins >= SPINS_BEFORE_YIELD {
            *spins = 0;
            yield_now();
        } else {
            spin_loop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    fn starts(workers: usize, patient: bool) -> Vec<Result<u64, Broken>> {
        let clock = Clock::os();
        let line = StartLine::new(workers, &clock, patient);
        thread::scope(|scope| {
            let handles: Vec<_> = (0..workers).map(|_| scope.spawn(|| line.meet(&clock, || ()))).collect();
            handles.into_iter().map(|handle| handle.join().unwrap()).collect()
        })
    }

    #[test]
    fn all_workers_start_at_one_value() {
        for (workers, patient) in [(1, false), (2, false), (16, true)] {
            let starts = starts(workers, patient);
            assert!(starts.iter().all(|start| *start == starts[0] && start.is_ok()));
        }
    }

    #[test]
    fn a_broken_line_lets_nobody_wait_for_ever() {
        let clock = Clock::os();
        let line = StartLine::new(3, &clock, true);
        thread::scope(|scope| {
            let waiting: Vec<_> = (0..2).map(|_| scope.spawn(|| line.meet(&clock, || ()))).collect();
            line.break_up();
            for handle in waiting {
                assert_eq!(handle.join().unwrap(), Err(Broken));
            }
        });
    }
}
