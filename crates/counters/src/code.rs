//! What is given to a PMU so that it counts something.

use std::fmt;

use serde::{Deserialize, Serialize};

/// `PERF_TYPE_HARDWARE`: the kernel's own names for what nearly every core PMU counts.
pub const TYPE_HARDWARE: u32 = 0;
/// `PERF_TYPE_SOFTWARE`: what the kernel itself counts.
pub const TYPE_SOFTWARE: u32 = 1;
/// `PERF_TYPE_TRACEPOINT`: passages of a place in the kernel.
pub const TYPE_TRACEPOINT: u32 = 2;
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

impl Code {
    /// Which of the kernel's own hardware events it is (`enum perf_hw_id`); `None` for a code of the processor. On hybrid processors
    /// the upper half of `config` names the PMU.
    #[must_use]
    pub fn generic(&self) -> Option<u64> {
        (self.pmu_type == TYPE_HARDWARE).then_some(self.config & 0xffff_ffff)
    }
}

impl fmt::Display for Code {
    /// As `perf` takes it: `cpu/config=0x1e058/`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/config={:#x}", self.pmu, self.config)?;
        for (name, value) in [("config1", self.config1), ("config2", self.config2)] {
            if value != 0 {
                write!(f, ",{name}={value:#x}")?;
            }
        }
        f.write_str("/")
    }
}
