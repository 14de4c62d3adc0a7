//! What of this machine helps or hinders measuring, what it does to a measurement, and the command that cures it.

mod kernel;

use hitm_topology::{PuList, Topology};
use serde::{Deserialize, Serialize};

use crate::cgroup;
use crate::cpuset;
use crate::files::Files;
use crate::fingerprint::rounded;
use crate::hypervisor::{Hypervisor, hypervisor};
use crate::pin::{PinError, pin_current_thread};
use crate::settings;
use crate::usage;

/// Something about the machine that matters to a measurement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What was looked at, such as `governor` or `steal`.
    pub name: String,
    /// How it bears on measuring.
    pub level: Level,
    /// What was found.
    pub found: String,
    /// What it does to a measurement.
    pub effect: String,
    /// The command or setting that cures it; empty where there is nothing to cure or no cure.
    pub cure: String,
}

/// How a finding bears on measuring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// As it should be.
    Good,
    /// Worth knowing.
    Note,
    /// It makes numbers worse.
    Warning,
    /// Something cannot be measured at all.
    Missing,
}

/// All findings, in a fixed order. Of a machine other than this only one: that it cannot be measured.
pub fn findings(topology: &Topology) -> Vec<Finding> {
    findings_in(topology, &Files::this_machine(), &try_pinning)
}

type TryPinning<'a> = &'a dyn Fn(u32) -> Result<(), PinError>;

fn findings_in(topology: &Topology, files: &Files, pin: TryPinning) -> Vec<Finding> {
    if !topology.is_this_machine {
        return vec![finding(
            "machine",
            Level::Missing,
            format!("{} is not the machine at hand", topology.source),
            "placements can be looked at; nothing can be measured",
            "run on the machine itself",
        )];
    }
    vec![
        enough_pus(topology),
        pinning(topology, pin),
        cpuset(topology, files),
        offline(topology),
        virtual_machine(files),
        steal(topology, files),
        load(files),
        quota(topology, files),
        kernel::smt(topology, files),
        kernel::governor(topology, files),
        kernel::boost(files),
        kernel::isolated(topology, files),
        kernel::huge_pages(files),
        kernel::numa_balancing(topology, files),
        kernel::address_randomisation(files),
        kernel::clock_source(files),
    ]
}

fn finding(name: &str, level: Level, found: impl Into<String>, effect: &str, cure: impl Into<String>) -> Finding {
    Finding { name: name.into(), level, found: found.into(), effect: effect.into(), cure: cure.into() }
}

fn unknown(name: &str, why: &str, effect: &str) -> Finding {
    finding(name, Level::Note, format!("unknown ({why})"), effect, "")
}

fn list(pus: &[u32]) -> String {
    PuList::new(pus.iter().copied()).map_or_else(|_| "none".into(), |list| list.to_string())
}

fn enough_pus(topology: &Topology) -> Finding {
    let counts = topology.allowed_counts();
    let found = format!("{} allowed PUs on {} cores", counts.pus, counts.cores);
    let cure = "allow the process more PUs (taskset, cpuset, docker --cpuset-cpus), or use a larger machine";
    match (counts.pus, counts.cores) {
        (0 | 1, _) => finding(
            "pus",
            Level::Missing,
            found,
            "workers cannot run at the same time: no transfer between cores can be measured",
            cure,
        ),
        (_, 1) => finding(
            "pus",
            Level::Warning,
            found,
            "SMT siblings share their caches: no line is transferred between them",
            cure,
        ),
        _ => finding("pus", Level::Good, found, "workers can run at the same time on different cores", ""),
    }
}

/// Pins a thread that ends right after.
fn try_pinning(pu: u32) -> Result<(), PinError> {
    std::thread::scope(|scope| scope.spawn(|| pin_current_thread(pu)).join().unwrap_or(Ok(())))
}

fn pinning(topology: &Topology, pin: TryPinning) -> Finding {
    let effect = "workers that wander between PUs measure another placement than the one asked for";
    let allowed = topology.allowed();
    // The last one too: its mask is the longest.
    let ends = [allowed.first(), allowed.last()];
    let faults: Vec<PinError> = ends.into_iter().flatten().filter_map(|pu| pin(*pu).err()).collect();
    match (allowed.is_empty(), faults.first()) {
        (true, _) => finding("pinning", Level::Missing, "no allowed PU to pin to", effect, ""),
        (_, Some(fault)) => finding("pinning", Level::Missing, fault.message(), effect, fault.cure()),
        (_, None) => finding("pinning", Level::Good, "threads can be pinned", "workers stay on their PUs", ""),
    }
}

fn cpuset(topology: &Topology, files: &Files) -> Finding {
    let disallowed: Vec<u32> =
        topology.pus.iter().filter(|pu| pu.online && !pu.allowed).map(|pu| pu.os_index).collect();
    if disallowed.is_empty() {
        return finding("cpuset", Level::Good, "every online PU is allowed", "the whole machine can be measured", "");
    }
    let effect = "workers are placed on the allowed PUs only; whoever uses the others shares caches with them";
    let found = format!("{} online PUs are not allowed: {}", disallowed.len(), list(&disallowed));
    let Some(cpuset) = cpuset::cpuset(files) else {
        let cure = "widen the affinity mask (taskset -p), or the cpuset of the control group or container";
        return finding("cpuset", Level::Note, found, effect, cure);
    };
    // The kernel keeps every mask inside the cpuset, so what is inside it and yet not allowed is the mask's doing.
    let (by_mask, by_cpuset): (Vec<u32>, Vec<u32>) = disallowed.iter().partition(|pu| cpuset.pus.contains(pu));
    let mut why = Vec::new();
    let mut cures = Vec::new();
    if !by_cpuset.is_empty() {
        why.push(format!("{} outside {}", list(&by_cpuset), cpuset.what));
        cures.push("widen the cpuset of the control group or container (docker --cpuset-cpus)");
    }
    if !by_mask.is_empty() {
        why.push(format!("{} outside the affinity mask that the process began with", list(&by_mask)));
        cures.push("widen the affinity mask (taskset -c)");
    }
    finding("cpuset", Level::Note, format!("{found} ({})", why.join("; ")), effect, cures.join("; "))
}

fn offline(topology: &Topology) -> Finding {
    let offline: Vec<u32> = topology.pus.iter().filter(|pu| !pu.online).map(|pu| pu.os_index).collect();
    let Some(first) = offline.first() else {
        return finding("offline pus", Level::Good, "none", "all PUs of the machine can be used", "");
    };
    finding(
        "offline pus",
        Level::Note,
        format!("{} PUs are offline: {}", offline.len(), list(&offline)),
        "cores may have fewer SMT threads than they could",
        format!("echo 1 | sudo tee /sys/devices/system/cpu/cpu{first}/online, and so for the others"),
    )
}

fn virtual_machine(files: &Files) -> Finding {
    match hypervisor(files) {
        Hypervisor::Present(what) => finding(
            "hypervisor",
            Level::Warning,
            what,
            "the host moves virtual PUs between its cores, so transfers change between near and far while they are \
             measured; the topology may not be the host's",
            "read ratios taken in one block rather than absolute times; for those use bare metal or pinned virtual PUs",
        ),
        Hypervisor::NoneSeen => finding("hypervisor", Level::Good, "none seen", "PUs are hardware threads", ""),
        Hypervisor::Unknown(why) => {
            unknown("hypervisor", &why, "virtual PUs can move between cores while they are measured")
        }
    }
}

fn steal(topology: &Topology, files: &Files) -> Finding {
    let effect = "stolen time lengthens operations and breaks the overlap of workers";
    let allowed = topology.allowed();
    let Some(times) = usage::cpu_times(files) else {
        return unknown("steal", "no /proc/stat", effect);
    };
    let Some(stolen) = usage::steal_of(&times, &allowed) else {
        return unknown("steal", "/proc/stat does not tell it for each allowed PU", effect);
    };
    let total: u64 = allowed.iter().filter_map(|pu| times.get(pu)).fold(0, |sum, time| sum.saturating_add(time.total));
    let share = if total == 0 { 0.0 } else { stolen as f64 / total as f64 * 100.0 };
    let found = format!("{}% of the allowed PUs' time since boot ({stolen} ticks)", rounded(share));
    let cure = "stop other virtual machines of the host, or have virtual PUs pinned to cores of their own";
    match share {
        share if share >= 0.5 => finding("steal", Level::Warning, found, effect, cure),
        _ if stolen > 0 => finding("steal", Level::Note, found, effect, cure),
        _ => finding("steal", Level::Good, found, "no hypervisor has taken time so far", ""),
    }
}

fn load(files: &Files) -> Finding {
    let effect = "other programs interrupt workers and use the caches they share";
    match settings::load_averages(files) {
        Err(why) => unknown("load", &why, effect),
        Ok([one, five]) => {
            let found = format!("load average {} over 1 minute, {} over 5", rounded(one), rounded(five));
            if one >= 0.5 {
                finding("load", Level::Warning, found, effect, "stop what `top` shows, and wait a minute")
            } else {
                finding("load", Level::Good, found, "little else runs", "")
            }
        }
    }
}

fn quota(topology: &Topology, files: &Files) -> Finding {
    let name = "cgroup quota";
    let pus = topology.allowed().len();
    let cpus = match cgroup::quota(files) {
        Ok(Some(cpus)) => cpus,
        Ok(None) => return finding(name, Level::Good, "none", "workers are not throttled", ""),
        Err(why) => {
            return unknown(name, &why, "workers may be throttled: all of them stop when their time is used up");
        }
    };
    // Never `2 CPUs`, which would read as a count.
    let number = rounded(cpus);
    let number = if number.contains('.') { number } else { format!("{number}.0") };
    if cpus >= pus as f64 {
        let effect = "there is a quota, but the allowed PUs cannot use it up";
        return finding(name, Level::Note, format!("quota {number} CPUs for {pus} PUs"), effect, "");
    }
    finding(
        name,
        Level::Warning,
        format!("quota {number} CPUs < {pus} PUs: throttling will be measured"),
        "when the workers' time in a period is used up all of them stop",
        "raise the group's cpu.max (docker run without --cpus, no CPU limit in Kubernetes), or use fewer workers",
    )
}

// The machines that they look at are described ones.
#[cfg(all(test, feature = "hwloc"))]
mod tests;
