//! The kernel's settings that matter to a measurement, each read once for the fingerprint and the findings.

use std::collections::BTreeMap;

use crate::files::Files;

/// A setting's value, or why it is not known.
pub(crate) type Setting<T = String> = Result<T, String>;

/// What /sys says of SMT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Smt {
    /// Whether any core runs more than one thread now.
    pub active: bool,
    /// The kernel's word: `on`, `off`, `forceoff`, `notsupported`, `notimplemented`.
    pub control: String,
}

pub(crate) fn smt(files: &Files) -> Setting<Smt> {
    let active = files.read("/sys/devices/system/cpu/smt/active")? == "1";
    let control = files.read("/sys/devices/system/cpu/smt/control").unwrap_or_else(|_| "unknown".into());
    Ok(Smt { active, control })
}

/// The frequency governors of these PUs, each with how many have it.
pub(crate) fn governors(files: &Files, pus: &[u32]) -> Setting<BTreeMap<String, usize>> {
    let mut governors = BTreeMap::new();
    let mut why = "no PU is listed".to_owned();
    for pu in pus {
        match files.read(&format!("/sys/devices/system/cpu/cpu{pu}/cpufreq/scaling_governor")) {
            Ok(governor) => *governors.entry(governor).or_default() += 1,
            Err(error) => why = error,
        }
    }
    if governors.is_empty() { Err(why) } else { Ok(governors) }
}

/// Whether cores may run above their nominal clock, and the file that says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Boost {
    pub on: bool,
    /// What to run to switch it off.
    pub switch_off: &'static str,
}

pub(crate) fn boost(files: &Files) -> Setting<Boost> {
    // intel_pstate has a file of its own, with the opposite sense.
    const NO_TURBO: &str = "/sys/devices/system/cpu/intel_pstate/no_turbo";
    const BOOST: &str = "/sys/devices/system/cpu/cpufreq/boost";
    if let Ok(no_turbo) = files.read(NO_TURBO) {
        let switch_off = "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo";
        return Ok(Boost { on: no_turbo == "0", switch_off });
    }
    let switch_off = "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost";
    files.read(BOOST).map(|boost| Boost { on: boost == "1", switch_off })
}

/// The word in brackets of a file such as `always [madvise] never`.
pub(crate) fn transparent_huge_pages(files: &Files) -> Setting {
    let text = files.read("/sys/kernel/mm/transparent_hugepage/enabled")?;
    let chosen = text.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(word, _)| word.to_owned());
    chosen.ok_or_else(|| format!("`{text}` marks no choice"))
}

pub(crate) fn clock_source(files: &Files) -> Setting {
    files.read("/sys/devices/system/clocksource/clocksource0/current_clocksource")
}

/// All memory, bytes.
pub(crate) fn memory_bytes(files: &Files) -> Setting<u64> {
    let text = files.read("/proc/meminfo")?;
    let kilobytes = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kilobytes.and_then(|kilobytes| kilobytes.checked_mul(1024)).ok_or_else(|| "no MemTotal in /proc/meminfo".into())
}

/// The load averages of the last minute and the last five; `None` where the text is none.
pub(crate) fn load_averages(files: &Files) -> Setting<[f64; 2]> {
    let text = files.read("/proc/loadavg")?;
    let mut numbers = text.split(' ').map_while(|word| word.parse().ok().filter(|load: &f64| load.is_finite()));
    match (numbers.next(), numbers.next()) {
        (Some(one), Some(five)) => Ok([one, five]),
        _ => Err(format!("`{text}` is no load average")),
    }
}

/// The kernel's boot parameters that matter to a measurement. The others stay out: they can hold what a published run must
/// not show.
pub(crate) fn boot_settings(files: &Files) -> Setting {
    const NAMES: [&str; 25] = [
        "amd_pstate",
        "clocksource",
        "cpuidle.off",
        "default_hugepagesz",
        "hugepages",
        "hugepagesz",
        "idle",
        "intel_idle.max_cstate",
        "intel_pstate",
        "irqaffinity",
        "isolcpus",
        "maxcpus",
        "mitigations",
        "nmi_watchdog",
        "nohz",
        "nohz_full",
        "nosmt",
        "nr_cpus",
        "numa_balancing",
        "powersave",
        "preempt",
        "processor.max_cstate",
        "rcu_nocbs",
        "smt-enabled",
        "transparent_hugepage",
    ];
    let text = files.read("/proc/cmdline")?;
    let ours = text.split_whitespace().take_while(|word| *word != "--").filter(|word| {
        let name = word.split('=').next().unwrap_or(word);
        NAMES.contains(&name)
    });
    let ours: Vec<&str> = ours.collect();
    Ok(if ours.is_empty() { "none that matter".into() } else { ours.join(" ") })
}

/// The processor's name; where cores differ each name with how many PUs have it.
pub(crate) fn cpu_model(files: &Files) -> Setting {
    let text = files.read("/proc/cpuinfo")?;
    // x86 and others; POWER; Arm has numbers only.
    for name in ["model name", "cpu", "cpu model", "Processor"] {
        if let Some(models) = counted(values(&text, name)) {
            return Ok(models);
        }
    }
    let parts = values(&text, "CPU implementer").zip(values(&text, "CPU part"));
    let parts: Vec<String> =
        parts.map(|(implementer, part)| format!("Arm implementer {implementer} part {part}")).collect();
    counted(parts.iter().map(String::as_str)).ok_or_else(|| "/proc/cpuinfo names none".into())
}

/// The microcode or firmware revision.
pub(crate) fn microcode(files: &Files) -> Setting {
    let text = files.read("/proc/cpuinfo")?;
    for name in ["microcode", "revision", "CPU revision"] {
        if let Some(revisions) = counted(values(&text, name)) {
            return Ok(revisions);
        }
    }
    Err("/proc/cpuinfo names none".into())
}

/// The values of all lines `name : value`.
fn values<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    text.lines().filter_map(move |line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name && !value.trim().is_empty()).then(|| value.trim())
    })
}

/// `A` where all are alike, else `4 x A, 2 x B`; `None` of none.
fn counted<'a>(values: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    match counts.len() {
        0 => None,
        1 => counts.into_keys().next().map(str::to_owned),
        _ => Some(counts.iter().map(|(value, count)| format!("{count} x {value}")).collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::tests::Tree;

    #[test]
    fn processors_name_themselves_in_their_own_ways() {
        let model = |text| cpu_model(&Tree::new(&[("/proc/cpuinfo", text)]).files());
        assert_eq!(model("model name\t: A B\nmodel name\t: A B\n"), Ok("A B".into()));
        assert_eq!(
            model("cpu\t\t: POWER8 (architected), altivec supported\n"),
            Ok("POWER8 (architected), altivec supported".into())
        );
        let big_little = "CPU implementer : 0x41\nCPU part : 0xd03\nCPU implementer : 0x41\nCPU part : 0xd09\n\
                          CPU implementer : 0x41\nCPU part : 0xd03\n";
        assert_eq!(
            model(big_little),
            Ok("2 x Arm implementer 0x41 part 0xd03, 1 x Arm implementer 0x41 part 0xd09".into())
        );
        assert_eq!(model(""), Err("/proc/cpuinfo names none".into()));
    }

    #[test]
    fn boot_parameters_that_do_not_matter_stay_out() {
        let of = |text| boot_settings(&Tree::new(&[("/proc/cmdline", text)]).files()).unwrap();
        let text = "BOOT_IMAGE=/vmlinuz root=UUID=1 isolcpus=2-7 nosmt password=x mitigations=off -- nohz=off\n";
        assert_eq!(of(text), "isolcpus=2-7 nosmt mitigations=off");
        assert_eq!(of("quiet\n"), "none that matter");
    }

    #[test]
    fn boost_is_read_in_both_senses() {
        let of = |path: &str, text: &str| boost(&Tree::new(&[(path, text)]).files()).unwrap().on;
        assert!(of("/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n"));
        assert!(!of("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n"));
        assert!(of("/sys/devices/system/cpu/cpufreq/boost", "1\n"));
        assert!(!of("/sys/devices/system/cpu/cpufreq/boost", "0\n"));
        assert!(boost(&Tree::new(&[]).files()).is_err());
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let tree = Tree::new(&[
            ("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"),
            ("/proc/loadavg", "0.50 1.25 3.00 1/90 77\n"),
            ("/proc/meminfo", "MemTotal:       24683656 kB\nMemFree: 1 kB\n"),
            ("/sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "powersave\n"),
            ("/sys/devices/system/cpu/smt/active", "1\n"),
            ("/sys/devices/system/cpu/smt/control", "on\n"),
        ]);
        let files = tree.files();
        assert_eq!(transparent_huge_pages(&files), Ok("madvise".into()));
        assert_eq!(load_averages(&files), Ok([0.5, 1.25]));
        assert_eq!(memory_bytes(&files), Ok(24683656 * 1024));
        assert_eq!(governors(&files, &[2, 3]), Ok(BTreeMap::from([("powersave".into(), 1)])));
        assert_eq!(smt(&files), Ok(Smt { active: true, control: "on".into() }));
        let nothing = Tree::new(&[("/proc/loadavg", "NaN 1\n")]);
        let files = nothing.files();
        assert!(load_averages(&files).is_err());
        assert_eq!(
            clock_source(&files).unwrap_err(),
            "no /sys/devices/system/clocksource/clocksource0/current_clocksource"
        );
        assert!(smt(&files).is_err() && memory_bytes(&files).is_err() && governors(&files, &[0]).is_err());
    }
}
