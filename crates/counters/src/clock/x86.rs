//! The time stamp counter of x86-64, and the calibration chain in its instructions.

use core::arch::asm;
use core::arch::x86_64::{__cpuid_count, CpuidResult};
use std::fs;

use super::compare;
use super::trust::{self, crystal_hz};
use super::{Known, os};

pub(crate) const NAME: &str = "tsc";

/// Two dependent instructions of one cycle each: ROL by an immediate and ADD of two registers have latency 1 in Intel's Core line since
/// Nehalem and every AMD Zen (Fog, "Instruction tables"; uops.info). No MOV: its elimination is off on some Intel cores. No immediate
/// operand in ADD: Golden Cove may fold it away at rename.
pub(crate) const CYCLES_PER_STEP: Option<f64> = Some(2.0);
pub(crate) const CYCLES_SOURCE: &str =
    "a dependent ROL and ADD, 1 cycle each on Intel since Nehalem and on AMD Zen (Fog, Instruction tables; uops.info)";

/// `LFENCE; RDTSC`: LFENCE waits until all earlier instructions have completed locally (Intel SDM vol. 2, RDTSC; on AMD, Linux makes it
/// dispatch-serializing). RDTSCP waits alike but costs more, and not every virtual machine has it.
#[inline]
pub(crate) fn read() -> u64 {
    let (high, low): (u32, u32);
    // SAFETY: both instructions are in the x86-64 baseline and user mode may run them (Linux sets CR4.TSD only on request of the
    // process itself); they write the two outputs alone. Memory counts as clobbered, so the compiler moves nothing across.
    unsafe {
        asm!("lfence", "rdtsc", out("eax") low, out("edx") high, options(nostack, preserves_flags));
    }
    u64::from(high) << 32 | u64::from(low)
}

/// The TSC's frequency, or why it is not to be used.
pub(crate) fn detect() -> Result<(f64, Known), &'static str> {
    const CLOCKSOURCE: &str = "/sys/devices/system/clocksource/clocksource0";
    let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
    trust::tsc(
        &text("/proc/cpuinfo"),
        &text(&format!("{CLOCKSOURCE}/current_clocksource")),
        &text(&format!("{CLOCKSOURCE}/available_clocksource")),
    )?;
    let measured = compare::frequency(read, os::read).ok_or("the TSC does not advance evenly beside the OS clock")?;
    // The stated frequency is free of the comparison's noise, but hypervisors that scale the TSC state the host's.
    match stated_hz() {
        Some(hz) if (measured.hz / hz - 1.0).abs() <= measured.error + 1e-5 => {
            Ok((hz, Known::Stated("CPUID leaf 0x15, confirmed by comparison with CLOCK_MONOTONIC_RAW")))
        }
        _ => Ok((measured.hz, Known::Compared { over_ns: measured.over_ns, error: measured.error })),
    }
}

fn stated_hz() -> Option<f64> {
    if cpuid(0).eax < 0x15 {
        return None;
    }
    let leaf = cpuid(0x15);
    crystal_hz(leaf.eax, leaf.ebx, leaf.ecx)
}

#[allow(unused_unsafe, reason = "safe in newer Rust, unsafe in 1.85")]
fn cpuid(leaf: u32) -> CpuidResult {
    // SAFETY: CPUID is in the x86-64 baseline, and a leaf above the highest gives other numbers but no fault.
    unsafe { __cpuid_count(leaf, 0) }
}

/// `rounds` times eight steps of `x = x.rotate_left(7) + k`, in assembly so that an unoptimised build takes the same time.
pub(crate) fn chain(mut x: u64, k: u64, rounds: u64) -> u64 {
    if rounds == 0 {
        return x;
    }
    // SAFETY: touches the three registers and the flags alone; `rounds` is not 0, so the loop ends.
    unsafe {
        asm!(
            "2:",
            "rol {x}, 7", "add {x}, {k}", "rol {x}, 7", "add {x}, {k}", "rol {x}, 7", "add {x}, {k}", "rol {x}, 7", "add {x}, {k}",
            "rol {x}, 7", "add {x}, {k}", "rol {x}, 7", "add {x}, {k}", "rol {x}, 7", "add {x}, {k}", "rol {x}, 7", "add {x}, {k}",
            "dec {n}",
            "jnz 2b",
            x = inout(reg) x,
            k = in(reg) k,
            n = inout(reg) rounds => _,
            options(nomem, nostack),
        );
    }
    x
}
