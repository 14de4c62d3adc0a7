//! A time of a trial that needs no runner: for tests of kernels, and for programs that run a worker by themselves.

use std::time::{Duration, Instant};

use crate::contract::Time;

/// The operating system's clock, a nanosecond a tick.
#[derive(Clone, Copy, Debug)]
pub struct OsTime {
    began: Instant,
    ends: Instant,
}

impl OsTime {
    /// A trial that begins now and lasts so long.
    pub fn lasting(duration: Duration) -> OsTime {
        let began = Instant::now();
        OsTime { began, ends: began + duration }
    }
}

impl Time for OsTime {
    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn instant(&self, ticks: u64) -> Instant {
        self.began + Duration::from_nanos(ticks)
    }

    fn ends(&self) -> Instant {
        self.ends
    }
}
