//! Machines that people speak of, for plans and previews: what their vendors and the Linux kernel tell of them, not measured.

use crate::build::{Build, CacheSpec};
use crate::topology::{CacheKind, Topology};

/// A machine that can be had by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// The microarchitecture of its cores, by the event catalogue's name; `None` where the catalogue has none.
    pub uarch: Option<&'static str>,
    /// What it is, one line without a full stop.
    pub summary: &'static str,
}

/// All presets.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "power8-2s10c8t",
        uarch: Some("power8"),
        summary: "IBM POWER8, 2 packages × 10 cores × SMT8, 160 PUs, 128-byte lines",
    },
    Preset { name: "c5.2xlarge", uarch: Some("skylake-sp"), summary: "AWS EC2 c5.2xlarge, 4 cores × SMT2, 8 PUs" },
    Preset { name: "c5.9xlarge", uarch: Some("skylake-sp"), summary: "AWS EC2 c5.9xlarge, 18 cores × SMT2, 36 PUs" },
    Preset {
        name: "epyc-2s64c2t",
        uarch: Some("zen3"),
        summary: "AMD EPYC 7003 (Milan), 2 packages × 64 cores × SMT2, 256 PUs, 16 L3 caches",
    },
    Preset {
        name: "xeon-2s40c2t",
        uarch: Some("ice-lake-sp"),
        summary: "Intel Xeon Platinum 8380 (Ice Lake), 2 packages × 40 cores × SMT2, 160 PUs",
    },
    Preset {
        name: "graviton3-64c",
        uarch: Some("neoverse-v1"),
        summary: "AWS Graviton3, 64 cores without SMT, 64 PUs, one L3",
    },
    Preset {
        name: "apple-m1-hybrid",
        uarch: None,
        summary: "Apple M1, 4 efficiency and 4 performance cores, 8 PUs, no L3, 128-byte lines",
    },
];

/// The preset of that name; `None` for a name that is not in [`PRESETS`].
pub fn preset(name: &str) -> Option<Topology> {
    let make = match name {
        "power8-2s10c8t" => power8,
        "c5.2xlarge" => c5_2xlarge,
        "c5.9xlarge" => c5_9xlarge,
        "epyc-2s64c2t" => epyc,
        "xeon-2s40c2t" => xeon,
        "graviton3-64c" => graviton3,
        "apple-m1-hybrid" => apple_m1,
        _ => return None,
    };
    let mut build = Build::new(&format!("preset:{name}"));
    make(&mut build);
    Some(build.done())
}

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

fn cache(level: u32, kind: CacheKind, size_bytes: impl Into<Option<u64>>, line: u64) -> CacheSpec {
    CacheSpec { level, kind, size_bytes: size_bytes.into(), line_bytes: Some(line) }
}

/// L1 instruction and data caches of each core, and an L2 for each `cores_each`.
fn inner(build: &mut Build, sizes: [u64; 3], line: u64, cores_each: usize) {
    let [instruction, data, second] = sizes;
    build.caches(1, cache(1, CacheKind::Instruction, instruction, line));
    build.caches(1, cache(1, CacheKind::Data, data, line));
    build.caches(cores_each, cache(2, CacheKind::Unified, second, line));
}

/// Packages × cores, each package its own NUMA node; `pus` gives a core's PUs by its number in the machine.
fn packages(build: &mut Build, packages: u32, cores: u32, pus: impl Fn(u32) -> Vec<u32>) {
    for core in 0..packages * cores {
        let package = Some(core / cores);
        build.core(package, package, &pus(core));
    }
}

/// Caches: IBM, Power System S822 technical overview (REDP-5102), table 2-1 and section 2.1 (L1 32 KB and 64 KB, L2 512 KB, an
/// 8 MB region of L3 for each core); <https://en.wikichip.org/wiki/ibm/microarchitectures/power8> tells the same. Linux tells
/// each region as an L3 of its core. Lines: `arch/powerpc/include/asm/cache.h` (`L1_CACHE_SHIFT` 7). Siblings 8k to 8k + 7:
/// `cpu_thread_in_core` in `arch/powerpc/include/asm/cputhreads.h`.
fn power8(build: &mut Build) {
    build.told_by("preset", "ppc64le", "Linux");
    packages(build, 2, 10, |core| (8 * core..8 * core + 8).collect());
    inner(build, [32 * KIB, 64 * KIB, 512 * KIB], 128, 1);
    build.caches(1, cache(3, CacheKind::Unified, 8 * MIB, 128));
    build.note(
        "each core's 8 MB region of L3 counts as its own L3, as Linux tells it; a core may use the others' as well",
    );
    build.note(
        "machines with two chips in a package have four NUMA nodes, and firmware may number nodes and cores with holes",
    );
}

/// 8 vCPUs are 4 cores: EC2 counts two vCPUs a core where there is SMT.
fn c5_2xlarge(build: &mut Build) {
    c5(build, 4);
}

/// 18 cores for 36 vCPUs, as for [`c5_2xlarge`].
fn c5_9xlarge(build: &mut Build) {
    c5(build, 18);
}

/// Siblings k and k + n, as EC2 numbers them (<https://github.com/szilard/GBM-perf/issues/42> shows it by `lstopo`). L1 and L2 of
/// Skylake and Cascade Lake: Intel support article 000027820, second column of its table.
fn c5(build: &mut Build, cores: u32) {
    build.told_by("preset", "x86_64", "Linux");
    packages(build, 1, cores, |core| vec![core, core + cores]);
    inner(build, [32 * KIB, 32 * KIB, MIB], 64, 1);
    build.caches(cores as usize, cache(3, CacheKind::Unified, None, 64));
    build.note("the size of the L3 is left open: c5 instances run on Skylake and on Cascade Lake processors, which differ in it");
}

/// An L3 of 32 MB for each chip of 8 cores: AnandTech 17323 on Milan-X, which adds 64 MB to them. L2: club386.com on the EPYC 7003
/// series (512 KB, and 64 KB of L1, which AMD halves between instructions and data). Siblings k and k + 128 as Linux numbers
/// them, with one NUMA node a socket (NPS1).
fn epyc(build: &mut Build) {
    build.told_by("preset", "x86_64", "Linux");
    packages(build, 2, 64, |core| vec![core, core + 128]);
    inner(build, [32 * KIB, 32 * KIB, 512 * KIB], 64, 1);
    build.caches(8, cache(3, CacheKind::Unified, 32 * MIB, 64));
    build.note("one NUMA node a package (NPS1); the firmware can split a package into 2 or 4");
}

/// Caches: Intel support article 000027820, first column of its table (1.5 MB of L3 a core, 60 MB for 40). Numbered package by
/// package, siblings k and k + 80, as Linux does on most two-socket Intel servers (autonomys/subspace issue 2456 shows one).
fn xeon(build: &mut Build) {
    build.told_by("preset", "x86_64", "Linux");
    packages(build, 2, 40, |core| vec![core, core + 80]);
    inner(build, [32 * KIB, 48 * KIB, 1280 * KIB], 64, 1);
    build.caches(40, cache(3, CacheKind::Unified, 60 * MIB, 64));
    build.note(
        "some vendors' firmware numbers the packages' cores in turn (even PUs in package 0, odd ones in package 1)",
    );
    build.note("one NUMA node a package; sub-NUMA clustering is off");
}

/// Caches: <https://en.wikichip.org/wiki/AWS_Graviton3>. Lines: 64 bytes on Graviton2 and Graviton4
/// (<https://learn.arm.com/learning-paths/servers-and-cloud-computing/memory-subsystem/cache-hierarchy>), and on all cores of Arm's
/// own design.
fn graviton3(build: &mut Build) {
    build.told_by("preset", "aarch64", "Linux");
    packages(build, 1, 64, |core| vec![core]);
    inner(build, [64 * KIB, 64 * KIB, MIB], 64, 1);
    build.caches(64, cache(3, CacheKind::Unified, 32 * MIB, 64));
}

/// PUs 0-3 are the efficiency cores: <https://github.com/open-mpi/hwloc/pull/475>. Caches for each kind:
/// <https://github.com/open-mpi/hwloc/issues/507> and the `hw.perflevel` values in
/// <https://github.com/dotnet/runtime/pull/75881>, and for the efficiency cores <https://github.com/open-mpi/hwloc/issues/454>.
/// Lines: `hw.cachelinesize`.
fn apple_m1(build: &mut Build) {
    build.told_by("preset", "arm64", "Darwin");
    for pu in 0..4 {
        build.core(Some(0), None, &[pu]);
    }
    inner(build, [128 * KIB, 64 * KIB, 4 * MIB], 128, 4);
    for pu in 4..8 {
        build.core(Some(0), None, &[pu]);
    }
    inner(build, [192 * KIB, 128 * KIB, 12 * MIB], 128, 4);
    build.kind("efficiency", "hw.perflevel1", &[0, 1, 2, 3]);
    build.kind("performance", "hw.perflevel0", &[4, 5, 6, 7]);
    build.note("no L3 is told: the system-level cache is no cache of the cores");
    build.note("no NUMA nodes are told");
    build.note("clocks are not told: macOS does not say them");
}
