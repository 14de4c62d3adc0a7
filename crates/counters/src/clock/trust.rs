//! What the machine and its kernel say about a counter: text and registers in, a verdict out.

/// Whether the TSC ticks at one rate through all power states and the kernel takes it for a clock; the reason where not.
///
/// A kernel that has marked the TSC unstable drops it from `available_clocksource`. With kvm-clock or Hyper-V's page as the current
/// source the TSC is still listed when the guest trusts it.
#[cfg(any(test, target_arch = "x86_64"))]
pub(super) fn tsc(cpuinfo: &str, current: &str, available: &str) -> Result<(), &'static str> {
    let flags = cpuinfo.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == "flags").then_some(value)
    });
    let Some(flags) = flags else {
        return Err("/proc/cpuinfo does not tell whether the TSC is invariant");
    };
    let has = |wanted: &str| flags.split_whitespace().any(|flag| flag == wanted);
    if !has("constant_tsc") || !has("nonstop_tsc") {
        return Err("the TSC is not invariant (constant_tsc and nonstop_tsc in /proc/cpuinfo)");
    }
    if current.trim().is_empty() && available.trim().is_empty() {
        return Err("/sys does not tell whether the kernel trusts the TSC (clocksource0)");
    }
    if current.trim() != "tsc" && !available.split_whitespace().any(|source| source == "tsc") {
        return Err("the kernel does not trust the TSC: it is not among its available clock sources");
    }
    Ok(())
}

/// The TSC's frequency from CPUID leaf 0x15 (Intel SDM vol. 2, CPUID): crystal `ecx` Hz times `ebx` / `eax`. `None` where a part is not
/// enumerated or the result is no plausible TSC.
#[cfg(any(test, target_arch = "x86_64"))]
pub(super) fn crystal_hz(eax: u32, ebx: u32, ecx: u32) -> Option<f64> {
    if eax == 0 || ebx == 0 || ecx == 0 {
        return None;
    }
    let hz = f64::from(ecx) * f64::from(ebx) / f64::from(eax);
    (1e8..=1e11).contains(&hz).then_some(hz)
}

/// The `timebase` line of a POWER machine's `/proc/cpuinfo`, ticks per second.
#[cfg(any(test, timebase_asm))]
pub(super) fn timebase_hz(cpuinfo: &str) -> Option<f64> {
    let hz: f64 = cpuinfo.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        if key.trim() == "timebase" { value.trim().parse().ok() } else { None }
    })?;
    (1e6..=1e11).contains(&hz).then_some(hz)
}

#[cfg(test)]
mod tests {
    use super::*;

    const INVARIANT: &str = "processor\t: 0\nflags\t\t: fpu tsc constant_tsc nonstop_tsc\n";

    #[test]
    fn the_tsc_needs_both_flags_and_the_kernels_trust() {
        assert_eq!(tsc(INVARIANT, "tsc\n", "tsc hpet acpi_pm \n"), Ok(()));
        assert_eq!(tsc(INVARIANT, "kvm-clock\n", "tsc kvm-clock \n"), Ok(()));
        assert_eq!(tsc(INVARIANT, "hyperv_clocksource_tsc_page\n", "hyperv_clocksource_tsc_page tsc\n"), Ok(()));
        assert!(tsc(INVARIANT, "hpet\n", "hpet acpi_pm \n").unwrap_err().contains("not trust"));
        assert!(tsc(INVARIANT, "kvm-clock\n", "kvm-clock \n").unwrap_err().contains("not trust"));
        assert!(tsc(INVARIANT, "", "").unwrap_err().contains("/sys"));
        assert!(tsc("flags : fpu tsc constant_tsc", "tsc", "tsc").unwrap_err().contains("not invariant"));
        assert!(
            tsc("flags : fpu tsc nonstop_tsc_s3 constant_tsc", "tsc", "tsc").unwrap_err().contains("not invariant")
        );
        assert!(tsc("", "tsc", "tsc").unwrap_err().contains("/proc/cpuinfo"));
    }

    #[test]
    fn crystal_times_ratio() {
        // Skylake client: 24 MHz × 216 / 2; a leaf without its crystal (Skylake-SP) states nothing.
        assert_eq!(crystal_hz(2, 216, 24_000_000), Some(2_592_000_000.0));
        assert_eq!(crystal_hz(2, 216, 0), None);
        assert_eq!(crystal_hz(0, 216, 24_000_000), None);
        assert_eq!(crystal_hz(u32::MAX, 1, 24_000_000), None);
    }

    #[test]
    fn timebase_of_power() {
        assert_eq!(timebase_hz("processor\t: 0\n\ntimebase\t: 512000000\nplatform\t: PowerNV\n"), Some(512e6));
        assert_eq!(timebase_hz("timebase\t: 0\n"), None);
        assert_eq!(timebase_hz("timebase\t: many\n"), None);
        assert_eq!(timebase_hz("platform\t: PowerNV\n"), None);
    }
}
