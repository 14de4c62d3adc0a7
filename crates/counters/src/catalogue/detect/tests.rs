use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::*;

/// A machine of these files.
fn machine(files: &[(&str, &str)]) -> TempDir {
    let root = tempfile::tempdir().expect("a temporary folder");
    for (path, text) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    }
    root
}

/// PMU and microarchitecture, or the clause.
fn told(files: &[(&str, &str)]) -> Vec<(String, String)> {
    let root = machine(files);
    let one = |one: Detected| (one.pmu, one.uarch.map_or_else(|why| why, |uarch| uarch.name.clone()));
    detect(root.path()).into_iter().map(one).collect()
}

fn x86(vendor: &str, family: u32, model: u32, flags: &str) -> String {
    format!(
        "processor\t: 0\nvendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\nmodel name\t: of any name\n\
         stepping\t: 4\nflags\t\t: fpu vme {flags}\n\nprocessor\t: 1\nvendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\n"
    )
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(pmu, told)| ((*pmu).to_owned(), (*told).to_owned())).collect()
}

const CPU: (&str, &str) = ("sys/bus/event_source/devices/cpu/type", "4\n");

#[test]
fn x86_by_vendor_family_and_model() {
    for (vendor, family, model, expected) in [
        ("GenuineIntel", 6, 85, "skylake-sp"),
        ("GenuineIntel", 6, 106, "ice-lake-sp"),
        ("GenuineIntel", 6, 143, "sapphire-rapids"),
        ("GenuineIntel", 6, 207, "sapphire-rapids"),
        ("GenuineIntel", 6, 173, "granite-rapids"),
        ("AuthenticAMD", 23, 49, "zen2"),
        ("AuthenticAMD", 25, 1, "zen3"),
        ("AuthenticAMD", 25, 17, "zen4"),
        ("AuthenticAMD", 25, 97, "zen4"),
        ("AuthenticAMD", 26, 2, "zen5"),
        ("AuthenticAMD", 23, 1, "AuthenticAMD family 23 model 1 is not in the catalogue"),
        ("GenuineIntel", 6, 167, "GenuineIntel family 6 model 167 is not in the catalogue"),
        ("AuthenticAMD", 6, 85, "AuthenticAMD family 6 model 85 is not in the catalogue"),
    ] {
        let text = x86(vendor, family, model, "lahf_lm");
        assert_eq!(told(&[("proc/cpuinfo", &text), CPU]), pairs(&[("cpu", expected)]));
        // Without a PMU the cores are the same.
        assert_eq!(told(&[("proc/cpuinfo", &text)]), pairs(&[("cpu", expected)]));
    }
}

#[test]
fn a_masked_model_is_said_to_be_one() {
    let text = x86("AuthenticAMD", 15, 107, "hypervisor");
    let expected =
        "AuthenticAMD family 15 model 107 is not in the catalogue, and a virtual machine's host may have made it up";
    assert_eq!(told(&[("proc/cpuinfo", &text)]), pairs(&[("cpu", expected)]));
    let text = x86("GenuineIntel", 6, 143, "hypervisor");
    assert_eq!(told(&[("proc/cpuinfo", &text)]), pairs(&[("cpu", "sapphire-rapids")]));
}

#[test]
fn hybrid_kinds_by_the_pmus_there_are() {
    let text = x86("GenuineIntel", 6, 151, "");
    let core = ("sys/bus/event_source/devices/cpu_core/cpus", "0-15\n");
    let atom = ("sys/bus/event_source/devices/cpu_atom/cpus", "16-23\n");
    let both = told(&[("proc/cpuinfo", &text), core, atom]);
    assert_eq!(both, pairs(&[("cpu_core", "alder-lake-p"), ("cpu_atom", "alder-lake-e")]));
    assert_eq!(told(&[("proc/cpuinfo", &text), atom]), pairs(&[("cpu_atom", "alder-lake-e")]));
    // Efficiency cores switched off: the performance cores' PMU is plain `cpu`.
    assert_eq!(told(&[("proc/cpuinfo", &text), CPU]), pairs(&[("cpu", "alder-lake-p")]));
    assert_eq!(told(&[("proc/cpuinfo", &text)]), pairs(&[("cpu", "alder-lake-p")]));
    let alone = x86("GenuineIntel", 6, 190, "");
    assert_eq!(told(&[("proc/cpuinfo", &alone), CPU]), pairs(&[("cpu", "alder-lake-e")]));
    assert_eq!(told(&[("proc/cpuinfo", &alone)]), pairs(&[("cpu", "alder-lake-e")]));
}

#[test]
fn power_by_its_version_register() {
    for (cpu, pvr, expected) in [
        ("POWER8E (raw), altivec supported", "004b 0201", "power8"),
        ("POWER8 (architected), altivec supported", "004d 0200", "power8"),
        ("POWER8NVL (raw), altivec supported", "004c 0100", "power8"),
        ("POWER9, altivec supported", "004e 1202", "power9"),
        ("POWER10 (architected), altivec supported", "0080 0200", "power10"),
        (
            "POWER7 (raw), altivec supported",
            "003f 0201",
            "the POWER processor of version 0x003f is not in the catalogue",
        ),
    ] {
        let text = format!(
            "processor\t: 0\ncpu\t\t: {cpu}\nclock\t\t: 3425.000000MHz\nrevision\t: 2.1 (pvr {pvr})\n\n\
             timebase\t: 512000000\nplatform\t: PowerNV\nmodel\t\t: 8247-22L\nmachine\t\t: PowerNV 8247-22L\n"
        );
        assert_eq!(told(&[("proc/cpuinfo", &text), CPU]), pairs(&[("cpu", expected)]));
    }
}

const ARM: &str = "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd atomics\nCPU implementer\t: 0x41\n\
                   CPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n\n\
                   processor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n\n";

#[test]
fn arm_by_its_id_register_else_by_cpuinfo() {
    let pmu = ("sys/bus/event_source/devices/armv8_pmuv3_0/cpus", "0-1\n");
    assert_eq!(told(&[("proc/cpuinfo", ARM), pmu]), pairs(&[("armv8_pmuv3_0", "neoverse-n1")]));
    assert_eq!(told(&[("proc/cpuinfo", ARM)]), pairs(&[("armv8_pmuv3_0", "neoverse-n1")]));
    for (midr, expected) in [
        ("0x00000000413fd0c1\n", "neoverse-n1"),
        ("0x00000000410fd490\n", "neoverse-n2"),
        ("0x00000000411fd401\n", "neoverse-v1"),
        ("0x00000000410fd4f0\n", "neoverse-v2"),
        ("0x00000000481fd010\n", "the Arm core of implementer 0x48, part 0xd01 is not in the catalogue"),
    ] {
        let id = ("sys/devices/system/cpu/cpu0/regs/identification/midr_el1", midr);
        assert_eq!(told(&[("proc/cpuinfo", ARM), pmu, id]), pairs(&[("armv8_pmuv3_0", expected)]));
    }
}

#[test]
fn arm_kinds_by_the_cores_of_each_pmu() {
    let files = [
        ("sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "0x00000000410fd034\n"),
        ("sys/devices/system/cpu/cpu4/regs/identification/midr_el1", "0x00000000410fd4f0\n"),
        ("sys/bus/event_source/devices/armv8_cortex_a53/cpus", "0-3\n"),
        ("sys/bus/event_source/devices/armv8_neoverse_v2/cpus", "4,6\n"),
        ("sys/bus/event_source/devices/arm_cmn_0/cpumask", "0\n"),
        ("sys/devices/system/cpu/cpufreq/x", "\n"),
    ];
    let expected = [
        ("armv8_cortex_a53", "the Arm core of implementer 0x41, part 0xd03 is not in the catalogue"),
        ("armv8_neoverse_v2", "neoverse-v2"),
    ];
    assert_eq!(told(&files), pairs(&expected));
    let without_pmu = told(&files[..2]);
    assert_eq!(without_pmu, pairs(&[("armv8_pmuv3_0", expected[0].1), ("armv8_pmuv3_0", "neoverse-v2")]));
}

#[test]
fn what_tells_nothing_is_told() {
    let nothing = pairs(&[("cpu", "/proc/cpuinfo does not tell the processor")]);
    assert_eq!(told(&[]), nothing);
    for text in [
        "",
        "\0\u{fffd}",
        "vendor_id: GenuineIntel\n",
        "revision: 2.1 (pvr )\n",
        "revision: (pvr zz 1)",
        "model: 99999999999999\n",
    ] {
        assert_eq!(told(&[("proc/cpuinfo", text)]), nothing, "{text:?}");
    }
    let odd = [("sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "huh\n")];
    assert_eq!(told(&odd), nothing);
    assert_eq!(detect(Path::new("/nowhere")).len(), 1);
}

#[test]
fn this_machine_is_something_or_nothing() {
    for one in detect_here() {
        assert!(!one.pmu.is_empty());
        assert!(one.uarch.is_ok() || !one.uarch.unwrap_err().is_empty());
    }
}
