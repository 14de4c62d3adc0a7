//! Four machines that a real kernel of an emulated machine told, in the words of the builder.

use super::Tree;

/// POWER8 as a guest (pseries): 2 packages × 2 cores × SMT8, Linux 6.1. Only L1 is told.
pub fn pseries_p8() -> Tree {
    power8(|cpu| (i64::from(cpu / 16), i64::from(cpu / 8 * 8)), |cpu| cpu)
        .node(0, "0-15", 997696)
        .node(1, "16-31", 1034944)
        .file("proc/cpuinfo", "processor\t: 0\ncpu\t\t: POWER8 (architected), altivec supported\n")
}

/// POWER8 without a hypervisor (powernv): the same with gaps between the hardware's thread numbers.
pub fn powernv8() -> Tree {
    let thread = |cpu: u32| [8, 16, 136, 144][cpu as usize / 8] + cpu % 8;
    power8(move |cpu| (i64::from(cpu / 16), i64::from(thread(cpu) / 8 * 8)), thread)
        .node(0, "0-15", 948032)
        .node(1, "16-31", 1030784)
        .file("proc/cpuinfo", "processor\t: 0\ncpu\t\t: POWER8, altivec supported\n")
}

fn power8(place: impl Fn(u32) -> (i64, i64), thread: impl Fn(u32) -> u32) -> Tree {
    let mut tree = Tree::new()
        .cpus("0-31", place)
        .cache_of_cores(1, "Data", "32K", "128")
        .cache_of_cores(1, "Instruction", "32K", "128")
        .each("0-31", "physical_id", |cpu| thread(cpu).to_string())
        .file("proc/version", "Linux version 6.1.0-50-powerpc64le (debian-kernel@lists.debian.org)\n");
    for core in 0..4 {
        let node = format!("proc/device-tree/cpus/PowerPC,POWER8@{:x}", thread(core * 8));
        let cells = |cells: &[u32]| cells.iter().flat_map(|cell| cell.to_be_bytes()).collect::<Vec<u8>>();
        let numbers: Vec<u32> = (0..8).map(|i| thread(core * 8 + i)).collect();
        tree = tree
            .file(&format!("{node}/ibm,ppc-interrupt-server#s"), cells(&numbers))
            .file(&format!("{node}/d-cache-size"), cells(&[32768]))
            .file(&format!("{node}/d-cache-line-size"), cells(&[128]))
            .file(&format!("{node}/i-cache-size"), cells(&[32768]))
            .file(&format!("{node}/i-cache-line-size"), cells(&[128]));
    }
    tree
}

/// A Skylake server: 2 packages × 4 cores × SMT2, an L3 for each package.
pub fn x86_skylake() -> Tree {
    Tree::new()
        .cpus("0-15", |cpu| (i64::from(cpu / 8), i64::from(cpu % 8 / 2)))
        .cache_of_cores(1, "Data", "32K", "64")
        .cache_of_cores(1, "Instruction", "32K", "64")
        .cache_of_cores(2, "Unified", "4096K", "64")
        .cache(3, "Unified", "16384K", "64", &["0-7", "8-15"])
        .node(0, "0-7", 996620)
        .node(1, "8-15", 1029896)
        .file("proc/cpuinfo", "vendor_id\t: GenuineIntel\nflags\t\t: fpu lm\n")
}

/// An Arm machine: 2 packages × 2 clusters × 2 cores × SMT2, whose caches have neither sizes nor line sizes, and whose core ids
/// repeat in each cluster.
pub fn arm64() -> Tree {
    let each: Vec<String> = (0..16).map(|cpu| cpu.to_string()).collect();
    let each: Vec<&str> = each.iter().map(String::as_str).collect();
    Tree::new()
        .cpus("0-15", |cpu| (i64::from(cpu / 8), i64::from(cpu / 2)))
        .each("0-15", "topology/core_id", |cpu| (cpu / 2 % 2).to_string())
        .cache(1, "Data", "", "", &each)
        .cache(1, "Instruction", "", "", &each)
        .node(0, "0-7", 1007608)
        .node(1, "8-15", 1026964)
        .file("proc/cpuinfo", "CPU implementer\t: 0x41\nCPU architecture: 8\n")
}
