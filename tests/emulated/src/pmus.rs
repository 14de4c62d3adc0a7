//! What the PMUs of the emulated machines count, which is what hitm must find. It was looked up in the guests by system calls of their
//! own; cycles, misses and stalls of an emulator mean nothing, so only that they count or stay 0 is written down.

/// What a guest's PMU counts, and how hitm is asked for it.
pub struct Pmu {
    /// The processor's name in hitm's catalogue.
    pub uarch: &'static str,
    /// The hardware events that count.
    pub counted: &'static [&'static str],
    /// Those that open, run and read 0 whatever is done.
    pub idle: &'static [&'static str],
    /// Those that cannot be counted, each with words that its reason must hold.
    pub refused: &'static [(&'static str, &'static str)],
    /// Trials that it takes to count all of these, each as many of them as fit at once.
    pub passes: usize,
    /// Whether QEMU counts each instruction, and lets it take a nanosecond (`-icount shift=0`).
    pub icount: bool,
}

impl Pmu {
    /// Whether anything of it counts.
    pub fn opens(&self) -> bool {
        !self.counted.is_empty()
    }

    /// All hardware events that hitm is asked for.
    pub fn asked(&self) -> Vec<&'static str> {
        let refused = self.refused.iter().map(|(name, _)| *name);
        self.counted.iter().chain(self.idle).copied().chain(refused).collect()
    }
}

const EOPNOTSUPP: &str = "EOPNOTSUPP";
const ENOENT: &str = "ENOENT";

/// Three of the events that read 0 are on the first of its counters, so it takes three passes.
pub const POWER8: Pmu = Pmu {
    uarch: "power8",
    counted: &["cycles", "instructions"],
    idle: &[
        "cache-references",
        "cache-misses",
        "branches",
        "branch-misses",
        "ll-sc-failures",
        "ll-sc-loads",
        "load-hit-store",
        "stalls-total",
    ],
    refused: &[("ref-cycles", EOPNOTSUPP), ("store-transfer", "not on IBM POWER8")],
    passes: 3,
    icount: false,
};

/// The same.
pub const POWER9: Pmu = Pmu {
    uarch: "power9",
    counted: &["cycles", "instructions"],
    idle: &["ll-sc-failures", "load-transfer-local", "stalls-total", "stalls-transfer"],
    refused: &[("ref-cycles", EOPNOTSUPP), ("store-transfer", "not on IBM POWER9")],
    passes: 3,
    icount: false,
};

/// QEMU has no PMU for it: whatever is asked for, that is the reason.
pub const SKYLAKE: Pmu = Pmu {
    uarch: "skylake-sp",
    counted: &[],
    idle: &[],
    refused: &[
        ("cycles", ENOENT),
        ("instructions", ENOENT),
        ("ref-cycles", ENOENT),
        ("cache-misses", ENOENT),
        ("branches", ENOENT),
        ("load-transfer-local", ENOENT),
        ("store-transfer", ENOENT),
        ("memory-ordering-clears", ENOENT),
        ("ll-sc-failures", "not on Intel Skylake-SP"),
        ("stalls-l3-miss", ENOENT),
    ],
    passes: 1,
    icount: false,
};

/// It counts six events beside cycles, and those asked for that count are seven.
pub const NEOVERSE: Pmu = Pmu {
    uarch: "neoverse-n1",
    counted: &["cycles", "instructions"],
    idle: &["ll-sc-failures", "ll-sc-successes", "ll-sc-loads", "l1-invalidations", "remote-accesses", "stalls-total"],
    refused: &[
        ("ref-cycles", ENOENT),
        ("cache-misses", ENOENT),
        ("branches", ENOENT),
        ("store-transfer", "not on Arm Neoverse N1"),
    ],
    passes: 2,
    icount: true,
};

/// Without `-icount` its counter of instructions stands still, by the processor's code; the kernel's own name for them finds nothing.
pub const NEOVERSE_FREE: Pmu = Pmu {
    counted: &["cycles"],
    idle: &[
        "instructions",
        "ll-sc-failures",
        "ll-sc-successes",
        "ll-sc-loads",
        "l1-invalidations",
        "remote-accesses",
        "stalls-total",
    ],
    icount: false,
    ..NEOVERSE
};
