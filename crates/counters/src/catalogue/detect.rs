//! Which microarchitecture a machine's cores have, told by the files that Linux shows of them.

mod cpuinfo;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::Path;

use super::{Uarch, uarchs};
use cpuinfo::Processor;

/// The cores behind one PMU.
#[derive(Clone, Debug, PartialEq)]
pub struct Detected {
    /// The PMU's folder below `/sys/bus/event_source/devices`; where the machine has none, the one that such cores usually have.
    pub pmu: String,
    /// What the machine says it is, such as `GenuineIntel family 6 model 143`; empty where it says nothing.
    pub found: String,
    /// Which microarchitecture, or why that is not known, as a clause that names what was found.
    pub uarch: Result<&'static Uarch, String>,
}

/// The microarchitectures of this machine, one a core PMU: more than one on a hybrid processor, never none.
#[must_use]
pub fn detect_here() -> Vec<Detected> {
    detect(Path::new("/"))
}

/// Those of the machine whose `/proc` and `/sys` lie below `root`.
#[must_use]
pub fn detect(root: &Path) -> Vec<Detected> {
    let text = fs::read(root.join("proc/cpuinfo"));
    let text = text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let devices = root.join("sys/bus/event_source/devices");
    let masked = cpuinfo::is_virtual(&text);
    let arm = arm_pmus(root, &devices, &text);
    if !arm.is_empty() {
        return arm.into_iter().map(|(pmu, processor)| detected(pmu, &processor, of(&processor), masked)).collect();
    }
    let Some(processor) = cpuinfo::processor(&text) else {
        let why = "/proc/cpuinfo does not tell the processor".to_owned();
        return vec![Detected { pmu: "cpu".to_owned(), found: String::new(), uarch: Err(why) }];
    };
    let candidates = of(&processor);
    let there = |pmu: &str| !pmu.is_empty() && devices.join(pmu).is_dir();
    let hybrid: Vec<&'static Uarch> =
        candidates.iter().copied().filter(|uarch| there(&uarch.detect.hybrid_pmu)).collect();
    if hybrid.is_empty() {
        // One kind of core, though the processor may be sold with two: the PMU is not named after the kind.
        return vec![detected("cpu".to_owned(), &processor, candidates, masked)];
    }
    hybrid.into_iter().map(|uarch| detected(uarch.detect.hybrid_pmu.clone(), &processor, vec![uarch], masked)).collect()
}

/// The microarchitectures that say they are found in such a processor.
fn of(processor: &Processor) -> Vec<&'static Uarch> {
    uarchs().iter().filter(|uarch| processor.is(&uarch.detect)).collect()
}

fn detected(pmu: String, processor: &Processor, candidates: Vec<&'static Uarch>, masked: bool) -> Detected {
    let found = processor.to_string();
    let uarch = candidates.first().copied().ok_or_else(|| {
        let masked = if masked { ", and a virtual machine's host may have made it up" } else { "" };
        format!("{found} is not in the catalogue{masked}")
    });
    Detected { pmu, found, uarch }
}

/// Arm: each core PMU with the core that it belongs to. Where there is no PMU, each kind of core with the PMU that it usually has.
fn arm_pmus(root: &Path, devices: &Path, cpuinfo: &str) -> Vec<(String, Processor)> {
    let cores = arm_cores(root, cpuinfo);
    let folders = fs::read_dir(devices).into_iter().flatten().flatten();
    let mut names: Vec<String> = folders.filter_map(|folder| folder.file_name().into_string().ok()).collect();
    names.retain(|name| name.starts_with("armv8_") || name.starts_with("armv9_"));
    names.sort_unstable();
    let core_of = |pmu: &String| {
        let list = fs::read_to_string(devices.join(pmu).join("cpus")).unwrap_or_default();
        let first: Option<u32> = list.trim().split([',', '-']).next().and_then(|number| number.parse().ok());
        let core = cores.iter().find(|(cpu, _)| Some(*cpu) == first).or(cores.first());
        core.map(|(_, processor)| (pmu.clone(), processor.clone()))
    };
    let mut found: Vec<(String, Processor)> = names.iter().filter_map(core_of).collect();
    if found.is_empty() {
        for (_, processor) in cores {
            if !found.iter().any(|(_, other)| *other == processor) {
                let pmu = of(&processor).first().map_or("armv8_pmuv3_0", |uarch| uarch.pmu.name.as_str());
                found.push((pmu.to_owned(), processor));
            }
        }
    }
    found
}

/// Every core by its OS index: from its main ID register, else from `/proc/cpuinfo`.
fn arm_cores(root: &Path, cpuinfo: &str) -> Vec<(u32, Processor)> {
    let folders = fs::read_dir(root.join("sys/devices/system/cpu")).into_iter().flatten().flatten();
    let core = |folder: fs::DirEntry| {
        let cpu: u32 = folder.file_name().to_str()?.strip_prefix("cpu")?.parse().ok()?;
        let text = fs::read_to_string(folder.path().join("regs/identification/midr_el1")).ok()?;
        let midr = u64::from_str_radix(text.trim().trim_start_matches("0x"), 16).ok()?;
        Some((cpu, Processor::from_midr(midr)))
    };
    let mut cores: Vec<(u32, Processor)> = folders.filter_map(core).collect();
    cores.sort_unstable_by_key(|(cpu, _)| *cpu);
    if cores.is_empty() { cpuinfo::arm_cores(cpuinfo) } else { cores }
}
