use super::*;
use crate::files::tests::Tree;
use crate::pin::PinFault;
use crate::{Input, discover};

/// A described machine that passes for this one, with its last `disallowed` PUs taken away.
fn machine(description: &str, disallowed: usize) -> Topology {
    let mut topology = discover(&Input::Synthetic(description.into())).unwrap();
    topology.is_this_machine = true;
    for pu in topology.pus.iter_mut().rev().take(disallowed) {
        pu.allowed = false;
    }
    topology
}

fn of(topology: &Topology, files: &[(&str, &str)]) -> Vec<Finding> {
    findings_in(topology, &Tree::new(files).files(), &|_| Ok(()))
}

fn get<'a>(findings: &'a [Finding], name: &str) -> &'a Finding {
    findings.iter().find(|finding| finding.name == name).unwrap()
}

const CGROUP: [(&str, &str); 2] =
    [("/proc/self/cgroup", "0::/\n"), ("/proc/self/mountinfo", "25 1 0:22 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")];

#[test]
fn a_quiet_machine_is_good_and_a_noisy_one_is_cured() {
    let topology = machine("package:1 core:4 pu:1", 0);
    let at = |governor: &'static str, rest: [&'static str; 6]| {
        let [load, boost, thp, balancing, isolated, stat] = rest;
        let mut files = vec![
            ("/proc/loadavg", load),
            ("/sys/devices/system/cpu/cpufreq/boost", boost),
            ("/sys/kernel/mm/transparent_hugepage/enabled", thp),
            ("/proc/sys/kernel/numa_balancing", balancing),
            ("/sys/devices/system/cpu/isolated", isolated),
            ("/proc/stat", stat),
            ("/proc/cpuinfo", "flags : fpu\n"),
            ("/proc/self/status", "Name:\tx\n"),
            ("/proc/sys/kernel/randomize_va_space", "0\n"),
            ("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"),
            ("/sys/devices/system/cpu/smt/active", "0\n"),
            ("/sys/devices/system/cpu/smt/control", "off\n"),
        ];
        for cpu in ["0", "1", "2", "3"] {
            let path = format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor");
            files.push((String::leak(path), governor));
        }
        of(&topology, &files)
    };
    let none_stolen = "cpu0 9 0 0 90 0 0 0 0\ncpu1 9 0 0 90 0 0 0 0\ncpu2 9 0 0 90 0 0 0 0\ncpu3 9 0 0 90 0 0 0 0\n";
    let quiet = at("performance\n", ["0.01 0.02 0.00 1/9 7", "0", "always [madvise] never", "0", "1-3", none_stolen]);
    for finding in &quiet {
        assert_eq!((finding.level, finding.cure.as_str()), (Level::Good, ""), "{finding:?}");
    }
    let stolen = "cpu0 9 0 0 90 0 0 0 1\ncpu1 9 0 0 90 0 0 0 1\ncpu2 9 0 0 90 0 0 0 1\ncpu3 9 0 0 90 0 0 0 1\n";
    let noisy = at("powersave\n", ["3.00 1.00 0.00 4/9 7", "1", "[always] madvise never", "1", "", stolen]);
    for name in ["governor", "load", "steal"] {
        assert_eq!(get(&noisy, name).level, Level::Warning, "{name}");
        assert!(!get(&noisy, name).cure.is_empty());
    }
    for name in ["boost", "transparent huge pages", "isolated pus"] {
        assert_eq!(get(&noisy, name).level, Level::Note, "{name}");
    }
    assert_eq!(get(&noisy, "steal").found, "1% of the allowed PUs' time since boot (4 ticks)");
    assert_eq!(get(&noisy, "numa balancing").level, Level::Good, "one node has nothing to balance");
    assert_eq!(
        get(&of(&machine("package:2 core:2 pu:1", 0), &[("/proc/sys/kernel/numa_balancing", "1\n")]), "numa balancing")
            .level,
        Level::Good
    );
    let two_nodes = machine("numa:2 core:2 pu:1", 0);
    let balanced = of(&two_nodes, &[("/proc/sys/kernel/numa_balancing", "1\n")]);
    assert_eq!(get(&balanced, "numa balancing").cure, "sudo sysctl kernel.numa_balancing=0");
}

#[test]
fn what_cannot_be_read_is_unknown_never_good() {
    let bare = of(&machine("numa:2 core:2 pu:1", 0), &[]);
    for name in [
        "hypervisor",
        "steal",
        "load",
        "cgroup quota",
        "smt",
        "governor",
        "boost",
        "isolated pus",
        "numa balancing",
        "address randomisation",
        "clock source",
    ] {
        let finding = get(&bare, name);
        assert_eq!(finding.level, Level::Note, "{name}");
        assert!(finding.found.starts_with("unknown (no /"), "{finding:?}");
    }
}

#[test]
fn a_quota_below_the_pus_will_be_measured() {
    let topology = machine("core:64 pu:1", 0);
    let with = |max: &'static str| of(&topology, &[CGROUP[0], CGROUP[1], ("/sys/fs/cgroup/cpu.max", max)]);
    let short = with("200000 100000\n");
    assert_eq!(get(&short, "cgroup quota").found, "quota 2.0 CPUs < 64 PUs: throttling will be measured");
    assert_eq!(get(&short, "cgroup quota").level, Level::Warning);
    assert!(get(&with("50000 100000\n"), "cgroup quota").found.starts_with("quota 0.5 CPUs < 64 PUs"));
    assert_eq!(get(&with("max 100000\n"), "cgroup quota").level, Level::Good);
    assert_eq!(get(&with("6400000 100000\n"), "cgroup quota").level, Level::Note);
}

#[test]
fn too_few_pus_are_missing() {
    let few = |disallowed| of(&machine("core:2 pu:2", disallowed), &[]);
    assert_eq!(get(&few(0), "pus").level, Level::Good);
    assert_eq!(get(&few(2), "pus").level, Level::Warning, "both are one core's");
    assert_eq!(get(&few(3), "pus").level, Level::Missing);
    assert_eq!(get(&few(4), "pinning").level, Level::Missing);
    assert_eq!(get(&few(2), "cpuset").found, "2 online PUs are not allowed: 2-3");
    assert_eq!(get(&few(0), "smt").level, Level::Note);
}

#[test]
fn what_keeps_the_process_from_a_pu_is_told() {
    let topology = machine("core:8 pu:1", 5);
    let group = [CGROUP[0], CGROUP[1], ("/sys/fs/cgroup/cpuset.cpus.effective", "0-5\n")];
    let told = of(&topology, &group);
    let found = &get(&told, "cpuset").found;
    assert!(found.starts_with("5 online PUs are not allowed: 3-7 (6-7 outside the cpuset /sys/fs/cgroup"), "{found}");
    assert!(found.ends_with("3-5 outside the affinity mask that the process began with)"), "{found}");
    let cure = &get(&told, "cpuset").cure;
    assert!(cure.contains("--cpuset-cpus") && cure.contains("taskset"), "{cure}");
    let untold = of(&topology, &[]);
    assert_eq!(get(&untold, "cpuset").found, "5 online PUs are not allowed: 3-7");
}

#[test]
fn a_refused_pin_is_told_with_its_cure() {
    let refuse = |pu| Err(PinError { pu, errno: Some(libc::ENOSYS), fault: PinFault::Unsupported });
    let findings = findings_in(&machine("core:2 pu:1", 0), &Tree::new(&[]).files(), &refuse);
    let pinning = get(&findings, "pinning");
    assert_eq!(pinning.level, Level::Missing);
    assert!(pinning.found.contains("errno 38") && !pinning.cure.is_empty(), "{pinning:?}");
}

#[test]
fn another_machine_cannot_be_measured() {
    let topology = discover(&Input::Synthetic("core:2 pu:1".into())).unwrap();
    let findings = findings(&topology);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].level, Level::Missing);
}

#[test]
fn this_machine_has_a_finding_of_each_name() {
    let before = crate::process_allowed();
    let findings = findings(&discover(&Input::This).unwrap());
    assert_eq!(findings.len(), 16);
    assert!(findings.iter().all(|finding| !finding.found.is_empty() && !finding.effect.is_empty()));
    assert_eq!(crate::process_allowed(), before);
}

#[test]
fn layouts_that_change_and_slow_timers_are_told() {
    let topology = machine("package:1 core:4 pu:1", 0);
    let files = [
        ("/proc/sys/kernel/randomize_va_space", "2\n"),
        ("/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n"),
    ];
    let findings = of(&topology, &files);
    let layout = get(&findings, "address randomisation");
    assert!(layout.level == Level::Note && layout.cure.starts_with("setarch -R"), "{layout:?}");
    let timer = get(&findings, "clock source");
    assert!(timer.level == Level::Warning && timer.cure.contains("echo tsc"), "{timer:?}");
}
