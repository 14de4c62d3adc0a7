//! The kinds of cores of a hybrid machine, on evidence only: the kernel's own lists, its capacities, or the processors' names.
//! Clocks are no evidence: favoured cores of one kind may turbo higher.

use std::collections::BTreeMap;

use hitm_topology::{Kind, Pu};

use super::about::architecture;
use crate::files::Files;

const CPU: &str = "/sys/devices/system/cpu";

/// The kinds, the most efficient first; none where all PUs are alike or nothing tells.
pub(crate) fn read(files: &Files, pus: &[Pu]) -> Vec<Kind> {
    let found = [by_pmu, by_capacity, by_part].into_iter().map(|by| by(files, pus)).find(|kinds| kinds.len() > 1);
    let mut kinds = found.unwrap_or_default();
    for (kind, rank) in kinds.iter_mut().zip(0..) {
        kind.rank = rank;
        kind.max_mhz = kind.pus.iter().filter_map(|pu| max_mhz(files, *pu)).max();
    }
    kinds
}

fn kind(name: String, evidence: String, pus: Vec<u32>) -> Kind {
    Kind { name, evidence, rank: 0, max_mhz: None, pus }
}

/// Intel's hybrid machines have a PMU for each kind (`arch/x86/events/intel/core.c`), which lists its PUs.
fn by_pmu(files: &Files, pus: &[Pu]) -> Vec<Kind> {
    let names = [("cpu_lowpower", "low-power"), ("cpu_atom", "efficiency"), ("cpu_core", "performance")];
    let of_pmu = |(pmu, name): (&str, &str)| {
        let paths = [format!("/sys/devices/{pmu}/cpus"), format!("/sys/bus/event_source/devices/{pmu}/cpus")];
        let (path, mut of_pmu) = paths.into_iter().find_map(|path| files.pus(&path).map(|pus| (path, pus)))?;
        of_pmu.retain(|listed| pus.iter().any(|pu| pu.os_index == *listed));
        of_pmu.sort_unstable();
        (!of_pmu.is_empty()).then(|| kind(name.into(), path, of_pmu))
    };
    names.into_iter().filter_map(of_pmu).collect()
}

/// The scheduler's capacities, 1024 the greatest. On x86 they follow the turbo clocks and tell no kinds.
fn by_capacity(files: &Files, pus: &[Pu]) -> Vec<Kind> {
    let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for pu in pus {
        let capacity = files.read(&format!("{CPU}/cpu{}/cpu_capacity", pu.os_index)).ok();
        if let Some(capacity) = capacity.and_then(|text| text.parse().ok()).filter(|capacity| *capacity > 0) {
            groups.entry(capacity).or_default().push(pu.os_index);
        }
    }
    if groups.len() < 2 || is_x86(files) {
        return Vec::new();
    }
    let evidence = format!("{CPU}/cpu*/cpu_capacity");
    groups.into_iter().map(|(capacity, pus)| kind(format!("capacity {capacity}"), evidence.clone(), pus)).collect()
}

fn is_x86(files: &Files) -> bool {
    let architecture = if files.are_real() { Some(std::env::consts::ARCH.to_owned()) } else { architecture(files) };
    architecture.is_some_and(|architecture| matches!(architecture.as_str(), "x86_64" | "x86" | "i686" | "i386"))
}

/// Arm's processors each tell their implementer and part (bits 31:24 and 15:4 of `midr_el1`).
fn by_part(files: &Files, pus: &[Pu]) -> Vec<Kind> {
    let mut groups: BTreeMap<(u64, u64), Vec<u32>> = BTreeMap::new();
    for pu in pus {
        let midr = files.read(&format!("{CPU}/cpu{}/regs/identification/midr_el1", pu.os_index)).ok();
        let midr = midr.and_then(|text| u64::from_str_radix(text.trim_start_matches("0x"), 16).ok());
        if let Some(midr) = midr {
            groups.entry((midr >> 24 & 0xff, midr >> 4 & 0xfff)).or_default().push(pu.os_index);
        }
    }
    let evidence = format!("{CPU}/cpu*/regs/identification/midr_el1");
    let name = |implementer: u64, part: u64| format!("implementer {implementer:#04x} part {part:#05x}");
    let kinds = groups.into_iter().map(|((maker, part), pus)| kind(name(maker, part), evidence.clone(), pus));
    let mut kinds: Vec<Kind> = kinds.collect();
    // Which of them is faster only the clocks tell.
    kinds.sort_by_key(|kind| kind.pus.iter().filter_map(|pu| max_mhz(files, *pu)).max());
    kinds
}

fn max_mhz(files: &Files, pu: u32) -> Option<u32> {
    let of_pu = files.read(&format!("{CPU}/cpu{pu}/cpufreq/cpuinfo_max_freq"));
    let text = of_pu.or_else(|_| files.read(&format!("{CPU}/cpufreq/policy{pu}/cpuinfo_max_freq"))).ok()?;
    let kilohertz: u64 = text.parse().ok()?;
    u32::try_from(kilohertz / 1000).ok().filter(|mhz| *mhz > 0)
}
