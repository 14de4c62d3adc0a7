//! The emulated machines: what QEMU was asked for, which is what hitm must find.

use crate::pmus::{self, Pmu};

/// A machine as QEMU was asked for it: PUs are numbered without gaps, first through a core's threads, then through a package's
/// cores, then through the packages. The commands are in `scripts/emulated/machines`.
pub struct Machine {
    /// Its name, as `scripts/test-emulated` takes it.
    pub name: &'static str,
    /// Packages.
    pub packages: u32,
    /// Cores of each package.
    pub cores: u32,
    /// Threads of each core.
    pub threads: u32,
    /// NUMA nodes, one for each package; `None` where QEMU was not asked for any.
    pub nodes: Option<u32>,
    /// The line size in bytes that its kernel or its processor tells; `None` where it tells none, so that hitm has to say that it assumes one.
    pub line_bytes: Option<u64>,
    /// What some fact about it must say, so that what ran is what was meant.
    pub processor: &'static str,
    /// What its PMU counts.
    pub pmu: &'static Pmu,
    /// What it is put through, in this order, in one boot.
    pub phases: &'static [Phase],
}

/// A state of the machine: some of its PUs are offline.
pub struct Phase {
    /// Its name.
    pub name: &'static str,
    /// The offline PUs.
    pub offline: &'static [u32],
}

/// All PUs online, as booted or again.
const fn whole(name: &'static str) -> Phase {
    Phase { name, offline: &[] }
}

/// The machines.
pub const MACHINES: &[Machine] = &[
    Machine {
        name: "p8",
        packages: 2,
        cores: 2,
        threads: 8,
        nodes: Some(2),
        line_bytes: Some(128),
        processor: "POWER8",
        pmu: &pmus::POWER8,
        phases: &[
            whole("booted"),
            Phase { name: "smt4", offline: &[4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31] },
            // Cores of 8, 7 without its first thread, none and one thread.
            Phase { name: "uneven", offline: &[8, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 28, 29, 30, 31] },
            Phase {
                name: "smt1",
                offline: &[
                    1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 22, 23, 25, 26, 27, 28, 29, 30,
                    31,
                ],
            },
            whole("again"),
        ],
    },
    Machine {
        name: "p9",
        packages: 1,
        cores: 2,
        threads: 4,
        nodes: None,
        line_bytes: Some(128),
        processor: "POWER9",
        pmu: &pmus::POWER9,
        phases: &[
            whole("booted"),
            Phase { name: "smt2", offline: &[2, 3, 6, 7] },
            Phase { name: "uneven", offline: &[0, 1, 5, 6, 7] },
            whole("again"),
        ],
    },
    Machine {
        name: "x86",
        packages: 2,
        cores: 4,
        threads: 2,
        nodes: Some(2),
        line_bytes: Some(64),
        processor: "Skylake",
        pmu: &pmus::SKYLAKE,
        phases: &[
            whole("booted"),
            // Its first PU cannot be taken offline.
            Phase { name: "uneven", offline: &[2, 4, 5, 9] },
            Phase { name: "smt1", offline: &[1, 3, 5, 7, 9, 11, 13, 15] },
            whole("again"),
        ],
    },
    Machine {
        name: "a64",
        packages: 1,
        cores: 2,
        threads: 2,
        nodes: None,
        line_bytes: Some(64),
        processor: "",
        pmu: &pmus::NEOVERSE,
        phases: &[whole("booted"), Phase { name: "uneven", offline: &[2] }, whole("again")],
    },
    Machine {
        name: "a64smt",
        packages: 2,
        cores: 4,
        threads: 2,
        nodes: Some(2),
        line_bytes: Some(64),
        processor: "",
        pmu: &pmus::NEOVERSE_FREE,
        phases: &[
            whole("booted"),
            Phase { name: "uneven", offline: &[2, 4, 5, 9] },
            Phase { name: "smt1", offline: &[1, 3, 5, 7, 9, 11, 13, 15] },
            whole("again"),
        ],
    },
];

impl Machine {
    /// The machine of this name.
    pub fn named(name: &str) -> Option<&'static Machine> {
        MACHINES.iter().find(|machine| machine.name == name)
    }

    /// All its PUs, online or not.
    pub fn pus(&self) -> u32 {
        self.packages * self.cores * self.threads
    }

    /// The number of a PU's core, over all packages.
    pub fn core_of(&self, pu: u32) -> u32 {
        pu / self.threads
    }

    /// Whether its second takes about a second: the longer runs are left to such machines.
    pub fn is_quick(&self) -> bool {
        !self.pmu.icount
    }

    /// A PU's package.
    pub fn package_of(&self, pu: u32) -> u32 {
        pu / self.threads / self.cores
    }

    /// The online PUs of each core that has any, by ascending number.
    pub fn online_cores(&self, phase: &Phase) -> Vec<Vec<u32>> {
        let cores = (0..self.packages * self.cores).map(|core| {
            let pus = core * self.threads..(core + 1) * self.threads;
            pus.filter(|pu| !phase.offline.contains(pu)).collect::<Vec<u32>>()
        });
        cores.filter(|pus| !pus.is_empty()).collect()
    }
}

impl Phase {
    /// Whether all PUs are online.
    pub fn is_whole(&self) -> bool {
        self.offline.is_empty()
    }
}
