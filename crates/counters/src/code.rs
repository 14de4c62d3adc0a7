//! What is given to a PMU so that it counts something.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::event::{Kind, STANDARD};
use crate::names::cache;
use crate::schedule::generic_name;

/// `PERF_TYPE_HARDWARE`: the kernel's own names for what nearly every core PMU counts.
pub const TYPE_HARDWARE: u32 = 0;
/// `PERF_TYPE_SOFTWARE`: what the kernel itself counts.
pub const TYPE_SOFTWARE: u32 = 1;
/// `PERF_TYPE_TRACEPOINT`: passages of a place in the kernel.
pub const TYPE_TRACEPOINT: u32 = 2;
/// `PERF_TYPE_HW_CACHE`: the kernel's own names for accesses and misses of caches.
pub const TYPE_CACHE: u32 = 3;
/// `PERF_TYPE_RAW`: the processor's own codes, counted by the core's PMU.
pub const TYPE_RAW: u32 = 4;

/// The encoding of an event for one PMU.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Code {
    /// The PMU's folder below `/sys/bus/event_source/devices`, such as `cpu`, `cpu_core`, `armv8_pmuv3_0` or `software`.
    pub pmu: String,
    /// `perf_event_attr.type`.
    pub pmu_type: u32,
    /// `perf_event_attr.config`.
    pub config: u64,
    /// `perf_event_attr.config1`, such as the request and response of an Intel offcore event.
    pub config1: u64,
    /// `perf_event_attr.config2`.
    pub config2: u64,
    /// The counters that can count it, bit `n` for counter `n`; `None` where only the PMU's own rules tell.
    pub counters: Option<u64>,
    /// The maker's name for it, such as `PM_STCX_FAIL`; empty where it has none.
    pub native: String,
}

/// What the kernel's own events leave of `config`: its upper half chooses a kind of core on hybrid processors.
const KERNELS_OWN: u64 = 0xffff_ffff;

impl Code {
    /// Which of the kernel's own hardware events it is (`enum perf_hw_id`); `None` for a code of the processor. On hybrid processors
    /// the upper half of `config` names the PMU.
    #[must_use]
    pub fn generic(&self) -> Option<u64> {
        (self.pmu_type == TYPE_HARDWARE).then_some(self.config & KERNELS_OWN)
    }

    /// Whether it is one of the kernel's events of caches (`PERF_TYPE_HW_CACHE`), which it has a code for on some processors.
    #[must_use]
    pub fn is_of_a_cache(&self) -> bool {
        self.pmu_type == TYPE_CACHE
    }

    /// Whether the kernel itself turns it into the processor's own code, so that its bits say nothing of the PMU.
    pub(crate) fn is_the_kernels(&self) -> bool {
        [TYPE_HARDWARE, TYPE_CACHE].contains(&self.pmu_type)
    }

    fn name_of_the_kernel(&self) -> Option<String> {
        match self.pmu_type {
            TYPE_HARDWARE => generic_name(self.config & KERNELS_OWN).map(str::to_owned),
            TYPE_SOFTWARE => {
                let row = STANDARD.iter().find(|row| row.kind == Kind::Software && row.config == self.config);
                row.map(|row| row.name.to_owned())
            }
            TYPE_CACHE => cache::name(self.config & KERNELS_OWN),
            _ => None,
        }
    }
}

impl fmt::Display for Code {
    /// As `perf` takes it: `cpu/config=0x1e058/`, or by name where that is what the kernel takes: `cpu/cycles/`, `page-faults`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = self.name_of_the_kernel() {
            return if self.pmu_type == TYPE_SOFTWARE { f.write_str(&name) } else { write!(f, "{}/{name}/", self.pmu) };
        }
        write!(f, "{}/config={:#x}", self.pmu, self.config)?;
        for (name, value) in [("config1", self.config1), ("config2", self.config2)] {
            if value != 0 {
                write!(f, ",{name}={value:#x}")?;
            }
        }
        f.write_str("/")
    }
}
