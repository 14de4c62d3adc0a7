//! The timebase of POWER, which all cores of a machine share; 512 MHz on POWER8 to 10.

use super::Known;

pub(crate) const NAME: &str = "timebase";

pub(crate) use super::plain::chain;
pub(crate) const CYCLES_PER_STEP: Option<f64> = None;
pub(crate) const CYCLES_SOURCE: &str =
    "the latencies of a rotate and an add differ between POWER generations and SMT modes";

/// `ISYNC; MFSPR 268`: ISYNC waits until earlier instructions have completed (Power ISA, book II).
#[cfg(timebase_asm)]
#[inline]
pub(crate) fn read() -> u64 {
    let ticks: u64;
    // SAFETY: user mode may read the timebase (Power ISA, book II, chapter Time Base); one register is written. Memory counts as clobbered, so the
    // compiler moves nothing across.
    unsafe {
        core::arch::asm!("isync", "mfspr {}, 268", out(reg) ticks, options(nostack, preserves_flags));
    }
    ticks
}

/// The timebase's frequency, or why it is not to be used.
#[cfg(timebase_asm)]
pub(crate) fn detect() -> Result<(f64, Known), &'static str> {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    if let Some(hz) = super::trust::timebase_hz(&cpuinfo) {
        return Ok((hz, Known::Stated("timebase in /proc/cpuinfo")));
    }
    let measured = super::compare::frequency(read, super::os::read)
        .ok_or("the timebase does not advance evenly beside the OS clock")?;
    Ok((measured.hz, Known::Compared { over_ns: measured.over_ns, error: measured.error }))
}

#[cfg(not(timebase_asm))]
pub(crate) use super::os::read;

/// Why the timebase is not used: this compiler cannot read it.
#[cfg(not(timebase_asm))]
pub(crate) fn detect() -> Result<(f64, Known), &'static str> {
    Err("the timebase is read when built with Rust 1.95 or later, where inline assembly for powerpc64 is stable")
}
