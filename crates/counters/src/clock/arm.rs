//! The virtual counter of Arm's generic timer, and the calibration chain in AArch64's instructions.

use core::arch::asm;

use super::{Known, compare, os};

pub(crate) const NAME: &str = "cntvct";

/// Two dependent instructions of one cycle each (Arm's Neoverse N1, N2, V1 and V2 software optimization guides: EXTR with one register,
/// which is ROR by an immediate, and ADD of two registers have latency 1). AArch64's ADD cannot rotate its operand, so they stay two.
pub(crate) const CYCLES_PER_STEP: Option<f64> = Some(2.0);
pub(crate) const CYCLES_SOURCE: &str =
    "a dependent ROR and ADD, 1 cycle each (Arm Neoverse N1, N2, V1 and V2 software optimization guides)";

/// `ISB; MRS CNTVCT_EL0`: without the barrier the read may be executed early (Arm Architecture Reference Manual, the generic timer's chapter).
#[inline]
pub(crate) fn read() -> u64 {
    let ticks: u64;
    // SAFETY: Linux lets user mode read CNTVCT_EL0 (CNTKCTL_EL1.EL0VCTEN; the vDSO does the same) and emulates it where an erratum
    // forbids; one register is written. Memory counts as clobbered, so the compiler moves nothing across.
    unsafe {
        asm!("isb", "mrs {}, cntvct_el0", out(reg) ticks, options(nostack, preserves_flags));
    }
    ticks
}

fn stated_hz() -> u64 {
    let hz: u64;
    // SAFETY: Linux lets user mode read CNTFRQ_EL0 together with the counter; one register is written.
    unsafe {
        asm!("mrs {}, cntfrq_el0", out(reg) hz, options(nomem, nostack, preserves_flags));
    }
    hz
}

/// The counter's frequency, or why it is not to be used.
pub(crate) fn detect() -> Result<(f64, Known), &'static str> {
    // The register only holds what the firmware wrote there, and some firmware forgets.
    let hz = stated_hz() & 0xffff_ffff;
    if (1_000_000..=4_000_000_000).contains(&hz) {
        return Ok((hz as f64, Known::Stated("register CNTFRQ_EL0")));
    }
    let measured =
        compare::frequency(read, os::read).ok_or("CNTVCT_EL0 does not advance evenly beside the OS clock")?;
    Ok((measured.hz, Known::Compared { over_ns: measured.over_ns, error: measured.error }))
}

/// `rounds` times eight steps of `x = x.rotate_left(7) + k`, in assembly so that an unoptimised build takes the same time.
pub(crate) fn chain(mut x: u64, k: u64, rounds: u64) -> u64 {
    if rounds == 0 {
        return x;
    }
    // SAFETY: touches the three registers and the flags alone; `rounds` is not 0, so the loop ends. ROR by 57 is a rotation left by 7.
    unsafe {
        asm!(
            "2:",
            "ror {x}, {x}, #57", "add {x}, {x}, {k}", "ror {x}, {x}, #57", "add {x}, {x}, {k}",
            "ror {x}, {x}, #57", "add {x}, {x}, {k}", "ror {x}, {x}, #57", "add {x}, {x}, {k}",
            "ror {x}, {x}, #57", "add {x}, {x}, {k}", "ror {x}, {x}, #57", "add {x}, {x}, {k}",
            "ror {x}, {x}, #57", "add {x}, {x}, {k}", "ror {x}, {x}, #57", "add {x}, {x}, {k}",
            "subs {n}, {n}, #1",
            "b.ne 2b",
            x = inout(reg) x,
            k = in(reg) k,
            n = inout(reg) rounds => _,
            options(nomem, nostack),
        );
    }
    x
}
