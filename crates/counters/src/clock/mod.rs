//! A clock that is cheap enough to be read between batches, named with its tick.

#[cfg(any(test, target_arch = "x86_64", target_arch = "aarch64", timebase_asm))]
mod compare;
mod cost;
pub(crate) mod os;
#[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
pub(crate) mod plain;
mod trust;

#[cfg_attr(target_arch = "x86_64", path = "x86.rs")]
#[cfg_attr(target_arch = "aarch64", path = "arm.rs")]
#[cfg_attr(target_arch = "powerpc64", path = "power.rs")]
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "powerpc64")), path = "other.rs")]
pub(crate) mod arch;

use std::fmt;
use std::sync::OnceLock;

pub use cost::{ClockCost, measure_overhead};
pub use os::thread_cpu_ns;

const NS_PER_S: f64 = 1e9;

/// A clock of the machine: a number of ticks since some fixed moment, the same for all its PUs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    ticker: Ticker,
    hz: f64,
    known: Known,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ticker {
    /// The architecture's own counter.
    Arch,
    /// `CLOCK_MONOTONIC_RAW`, in nanoseconds.
    Os,
}

/// How a clock's frequency is known.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(dead_code, reason = "each architecture has its own few")]
pub(crate) enum Known {
    /// A register or table of the machine states it.
    Stated(&'static str),
    /// It was compared with the OS clock over `over_ns`; the relative error is at most `error`.
    Compared { over_ns: u64, error: f64 },
    /// Its tick is a nanosecond by definition, and why no cheaper clock was taken.
    Nanoseconds(&'static str),
}

impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Known::Stated(by) => f.write_str(by),
            Known::Compared { over_ns, error } => {
                let ms = *over_ns as f64 / 1e6;
                write!(f, "compared with CLOCK_MONOTONIC_RAW over {ms:.1} ms, relative error at most {error:.0e}")
            }
            Known::Nanoseconds("") => f.write_str("CLOCK_MONOTONIC_RAW, nanoseconds by definition"),
            Known::Nanoseconds(why) => write!(f, "CLOCK_MONOTONIC_RAW, nanoseconds by definition; {why}"),
        }
    }
}

impl Clock {
    /// The cheapest clock that this machine's kernel trusts: the x86 TSC where it is invariant and the kernel has not given it up,
    /// Arm's generic timer, POWER's timebase, else the OS clock.
    ///
    /// The first call may take some 25 ms, for where the frequency is not stated it is measured; later calls give the same clock.
    #[must_use]
    pub fn detect() -> Clock {
        static DETECTED: OnceLock<Clock> = OnceLock::new();
        *DETECTED.get_or_init(|| match arch::detect() {
            Ok((hz, known)) => Clock { ticker: Ticker::Arch, hz, known },
            Err(why) => Clock { ticker: Ticker::Os, hz: NS_PER_S, known: Known::Nanoseconds(why) },
        })
    }

    /// The operating system's `CLOCK_MONOTONIC_RAW`, which no time daemon slews.
    #[must_use]
    pub fn os() -> Clock {
        Clock { ticker: Ticker::Os, hz: NS_PER_S, known: Known::Nanoseconds("") }
    }

    /// The ticks until now.
    ///
    /// Instructions that come earlier in the program have executed before the clock is read, except that stores may still wait in
    /// the core's store buffer; the compiler moves no memory access over the read. Later instructions may begin before it: the clock
    /// is meant to be read around batches of microseconds, where those few nanoseconds do not matter.
    #[inline]
    #[must_use]
    pub fn now(&self) -> u64 {
        match self.ticker {
            Ticker::Arch => arch::read(),
            Ticker::Os => os::read(),
        }
    }

    /// Ticks per second; positive and finite.
    #[must_use]
    pub fn hz(&self) -> f64 {
        self.hz
    }

    /// `tsc`, `timebase`, `cntvct` or `os`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self.ticker {
            Ticker::Arch => arch::NAME,
            Ticker::Os => "os",
        }
    }

    /// How the frequency is known; for the OS clock also why no cheaper clock was taken.
    #[must_use]
    pub fn source(&self) -> String {
        self.known.to_string()
    }

    /// The ticks in `ns` nanoseconds, to the nearest one; the largest `u64` where there are more.
    #[must_use]
    pub fn ticks(&self, ns: u64) -> u64 {
        match self.ticker {
            Ticker::Os => ns,
            Ticker::Arch => (ns as f64 * (self.hz / NS_PER_S)).round() as u64,
        }
    }

    /// The nanoseconds in `ticks` ticks.
    #[must_use]
    pub fn ns(&self, ticks: u64) -> f64 {
        ticks as f64 * (NS_PER_S / self.hz)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clocks() -> [Clock; 2] {
        [Clock::detect(), Clock::os()]
    }

    #[test]
    fn time_never_runs_backwards_on_one_thread() {
        for clock in clocks() {
            let mut last = clock.now();
            for _ in 0..10_000 {
                let now = clock.now();
                assert!(now >= last, "{} went from {last} to {now}", clock.name());
                last = now;
            }
        }
    }

    #[test]
    fn ticks_and_nanoseconds_invert_each_other() {
        for clock in clocks() {
            for ns in [0, 1, 999, 1_000_000, 3_600_000_000_000] {
                let back = clock.ns(clock.ticks(ns));
                let tick_ns = 1e9 / clock.hz();
                assert!((back - ns as f64).abs() <= tick_ns.max(ns as f64 * 1e-12), "{ns} ns came back as {back}");
            }
        }
    }

    #[test]
    fn more_nanoseconds_than_ticks_fit_saturate() {
        let fast = Clock { ticker: Ticker::Arch, hz: 5e9, known: Known::Stated("a test") };
        assert_eq!(fast.ticks(u64::MAX), u64::MAX);
        assert_eq!(fast.ticks(2), 10);
    }

    #[test]
    fn the_detected_clock_agrees_with_the_os() {
        let (clock, os) = (Clock::detect(), Clock::os());
        let (os_before, before, os_within) = (os.now(), clock.now(), os.now());
        std::thread::sleep(std::time::Duration::from_millis(5));
        let (os_until, after, os_after) = (os.now(), clock.now(), os.now());
        let ns = clock.ns(after - before);
        // The clock's stretch lies inside the outer bracket and outside the inner one, whatever ran in between.
        let slack = 1e-4 * ns + 2e9 / clock.hz();
        assert!(ns <= (os_after - os_before) as f64 + slack, "{ns} ns is longer than the OS saw");
        assert!(ns >= (os_until - os_within) as f64 - slack, "{ns} ns is shorter than the OS saw");
    }

    #[test]
    fn a_clock_detected_twice_is_one_clock_and_says_how_it_is_known() {
        assert_eq!(Clock::detect(), Clock::detect());
        for clock in clocks() {
            assert!(clock.hz().is_finite() && clock.hz() > 0.0);
            assert!(!clock.source().is_empty());
        }
        assert!(Clock::os().name() == "os" && Clock::os().source().contains("CLOCK_MONOTONIC_RAW"));
    }
}
