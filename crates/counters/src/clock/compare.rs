//! The frequency of a counter by comparison with the OS clock.

/// How long to compare at least; the best brackets of some 50 ns then leave a relative error of a few 1e-6.
const AT_LEAST_NS: u64 = 25_000_000;
/// How long to go on when the brackets were wide.
const AT_MOST_NS: u64 = 400_000_000;
const AIMED_ERROR: f64 = 1e-5;
const TRIES: usize = 64;

/// A frequency found by comparison.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frequency {
    /// Ticks per second.
    pub hz: f64,
    /// How long was compared, nanoseconds.
    pub over_ns: u64,
    /// The largest relative error that the brackets leave open.
    pub error: f64,
}

/// One moment on both clocks: the OS was read between `ticks - half` and `ticks + half`.
#[derive(Clone, Copy, Debug)]
struct Moment {
    ns: u64,
    ticks: f64,
    half: f64,
}

/// Compares `counter` with `os` (nanoseconds) until the error is below 1e-5 or 0.4 s have passed. `None` when either stands still or
/// runs backwards, or when a virtual machine paused so that nothing better than 1e-3 came out.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64", timebase_asm))]
pub(super) fn frequency(counter: impl Fn() -> u64, os: impl Fn() -> u64) -> Option<Frequency> {
    // Both clocks run on while this thread sleeps: one is invariant and the other the kernel's.
    compare(counter, os, |ns| std::thread::sleep(std::time::Duration::from_nanos(ns)))
}

fn compare(counter: impl Fn() -> u64, os: impl Fn() -> u64, sleep: impl Fn(u64)) -> Option<Frequency> {
    let start = moment(&counter, &os)?;
    let mut slept = 0;
    loop {
        sleep(AT_LEAST_NS);
        slept += AT_LEAST_NS;
        let end = moment(&counter, &os)?;
        let over_ns = end.ns.checked_sub(start.ns)?;
        let ticks = end.ticks - start.ticks;
        if over_ns == 0 || ticks <= 0.0 {
            return None;
        }
        let error = (start.half + end.half) / ticks;
        if error <= AIMED_ERROR || slept >= AT_MOST_NS {
            let hz = ticks * 1e9 / over_ns as f64;
            return (error <= 1e-3 && (1e6..=1e11).contains(&hz)).then_some(Frequency { hz, over_ns, error });
        }
    }
}

/// Reads the OS clock between two reads of the counter, several times, and keeps the tightest.
fn moment(counter: &impl Fn() -> u64, os: &impl Fn() -> u64) -> Option<Moment> {
    let mut best: Option<(u64, u64, u64)> = None;
    for _ in 0..TRIES {
        let (before, ns, after) = (counter(), os(), counter());
        let width = after.checked_sub(before)?;
        if best.is_none_or(|(least, ..)| width < least) {
            best = Some((width, before, ns));
        }
    }
    best.map(|(width, before, ns)| {
        let half = width as f64 / 2.0;
        Moment { ns, ticks: before as f64 + half, half: half.max(0.5) }
    })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// A counter of `hz`, exact to the tick, beside an OS clock; every look takes `look_ns` of their common time.
    fn simulated(hz: f64, look_ns: u64) -> Option<Frequency> {
        let now = Cell::new(1_000_000_000_u64);
        let look = || {
            now.set(now.get() + look_ns);
            now.get()
        };
        compare(|| (look() as f64 * (hz / 1e9)) as u64, look, |ns| now.set(now.get() + ns))
    }

    #[test]
    fn finds_the_frequency_within_its_stated_error() {
        for hz in [25e6, 512e6, 1e9, 2.6e9] {
            let found = simulated(hz, 20).expect("an even counter");
            assert!((found.hz / hz - 1.0).abs() <= found.error, "{hz}: {found:?}");
            assert!(found.error <= AIMED_ERROR, "{hz}: {found:?}");
        }
    }

    #[test]
    fn looks_longer_where_a_look_is_slow_and_refuses_a_clock_of_milliseconds() {
        let slow = simulated(1e9, 1_000).expect("an even counter");
        assert!(slow.over_ns > 2 * AT_LEAST_NS, "{slow:?}");
        assert!(simulated(1e3, 20).is_none());
    }

    #[test]
    fn refuses_a_clock_that_stands_still_or_runs_backwards() {
        let time = Cell::new(0_u64);
        let up = || {
            time.set(time.get() + 1_000);
            time.get()
        };
        let down = || u64::MAX - up();
        assert!(compare(|| 7, up, |_| {}).is_none());
        assert!(compare(down, up, |_| {}).is_none());
        assert!(compare(up, || 7, |_| {}).is_none());
        assert!(compare(up, down, |_| {}).is_none());
    }
}
