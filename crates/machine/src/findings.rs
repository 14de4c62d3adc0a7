//! What of this machine helps or hinders measuring, what it does to a measurement, and the command that cures it.

use hitm_topology::{PuList, Topology};
use serde::{Deserialize, Serialize};

use crate::cgroup;
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
        cpuset(topology),
        offline(topology),
        virtual_machine(files),
        steal(topology, files),
        load(files),
        quota(topology, files),
        smt(topology, files),
        governor(topology, files),
        boost(files),
        isolated(topology, files),
        huge_pages(files),
        numa_balancing(topology, files),
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
        (_, Some(fault)) => finding("pinning", Level::Warning, fault.message(), effect, fault.cure()),
        (_, None) => finding("pinning", Level::Good, "threads can be pinned", "workers stay on their PUs", ""),
    }
}

fn cpuset(topology: &Topology) -> Finding {
    let disallowed: Vec<u32> =
        topology.pus.iter().filter(|pu| pu.online && !pu.allowed).map(|pu| pu.os_index).collect();
    if disallowed.is_empty() {
        return finding("cpuset", Level::Good, "every online PU is allowed", "the whole machine can be measured", "");
    }
    finding(
        "cpuset",
        Level::Note,
        format!("{} online PUs are not allowed: {}", disallowed.len(), list(&disallowed)),
        "workers are placed on the allowed PUs only; whoever uses the others shares caches with them",
        "widen the affinity mask (taskset -p), or the cpuset of the control group or container",
    )
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
    let pus = topology.allowed().len();
    match cgroup::quota(files) {
        None => finding("cgroup quota", Level::Good, "none", "workers are not throttled", ""),
        Some(cpus) => {
            let enough = cpus >= pus as f64;
            let than = if enough { "for" } else { "<" };
            let effect = if enough {
                "there is a quota, but the allowed PUs cannot use it up"
            } else {
                "when the workers' time in a period is used up all of them stop: throttling will be measured"
            };
            let level = if enough { Level::Note } else { Level::Warning };
            let cure = "raise the group's cpu.max (docker run without --cpus, no CPU limit in Kubernetes), or use fewer workers";
            finding(
                "cgroup quota",
                level,
                format!("quota {} CPUs {than} {pus} PUs", rounded(cpus)),
                effect,
                if enough { "" } else { cure },
            )
        }
    }
}

fn smt(topology: &Topology, files: &Files) -> Finding {
    let most = topology.counts().smt_max;
    let effect = "SMT siblings share a core: their times depend on each other, and no line is transferred between them";
    match settings::smt(files) {
        Err(why) if most <= 1 => unknown("smt", &why, effect),
        Ok(smt) if !smt.active && most <= 1 => finding(
            "smt",
            Level::Good,
            format!("not active (control: {})", smt.control),
            "each PU is a core of its own",
            "",
        ),
        _ => finding(
            "smt",
            Level::Note,
            format!("active, up to {most} threads a core"),
            effect,
            "place with `cores` to keep siblings free, or echo off | sudo tee /sys/devices/system/cpu/smt/control",
        ),
    }
}

fn governor(topology: &Topology, files: &Files) -> Finding {
    let effect = "the clock follows the load, so the first trials and short ones are slower";
    match settings::governors(files, &topology.allowed()) {
        Err(why) => unknown("governor", &why, effect),
        Ok(governors) => {
            let words: Vec<String> =
                governors.iter().map(|(governor, count)| format!("{governor} on {count} PUs")).collect();
            let found = words.join(", ");
            if governors.keys().all(|governor| governor == "performance") {
                finding("governor", Level::Good, found, "the clock does not wait for load", "")
            } else {
                finding("governor", Level::Warning, found, effect, "sudo cpupower frequency-set -g performance")
            }
        }
    }
}

fn boost(files: &Files) -> Finding {
    let effect = "the clock depends on how many cores are busy and how warm they are: more workers, slower ones";
    match settings::boost(files) {
        Err(why) => unknown("boost", &why, effect),
        Ok(boost) if boost.on => finding("boost", Level::Note, "on", effect, boost.switch_off),
        Ok(_) => finding("boost", Level::Good, "off", "all cores keep to their nominal clock", ""),
    }
}

fn isolated(topology: &Topology, files: &Files) -> Finding {
    let effect = "isolated PUs are left alone by the scheduler, so pinned workers there are hardly interrupted";
    match files.pus("/sys/devices/system/cpu/isolated") {
        None => unknown("isolated pus", "no /sys/devices/system/cpu/isolated", effect),
        Some(isolated) if isolated.is_empty() => finding(
            "isolated pus",
            Level::Note,
            "none",
            "the scheduler may put other threads on the workers' PUs",
            "boot with isolcpus=LIST nohz_full=LIST for the quietest numbers, and start with taskset -c LIST",
        ),
        Some(isolated) => {
            let allowed = topology.allowed();
            let usable = isolated.iter().filter(|pu| allowed.contains(pu)).count();
            let found = format!("{} ({usable} of them allowed)", list(&isolated));
            if usable > 0 {
                finding("isolated pus", Level::Good, found, effect, "")
            } else {
                let cure = format!("start with taskset -c {} to use them", list(&isolated));
                finding("isolated pus", Level::Note, found, effect, cure)
            }
        }
    }
}

fn huge_pages(files: &Files) -> Finding {
    let effect = "arenas may get huge pages or not from one trial to the next, which changes their TLB misses";
    match settings::transparent_huge_pages(files) {
        Err(why) => unknown("transparent huge pages", &why, effect),
        Ok(choice) if choice == "always" => finding(
            "transparent huge pages",
            Level::Note,
            choice,
            effect,
            "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
        ),
        Ok(choice) => finding("transparent huge pages", Level::Good, choice, "arenas have pages of one size", ""),
    }
}

fn numa_balancing(topology: &Topology, files: &Files) -> Finding {
    let effect =
        "the kernel unmaps and moves pages to see who uses them: extra page faults, and memory that changes its node";
    match files.read("/proc/sys/kernel/numa_balancing") {
        Err(_) if topology.numa_nodes.len() <= 1 => {
            finding("numa balancing", Level::Good, "one NUMA node", "pages have nowhere to move", "")
        }
        Err(why) => unknown("numa balancing", &why, effect),
        Ok(value) if value == "0" => {
            finding("numa balancing", Level::Good, "off", "pages stay where they were touched", "")
        }
        Ok(_) if topology.numa_nodes.len() <= 1 => {
            finding("numa balancing", Level::Good, "on, with one NUMA node", "pages have nowhere to move", "")
        }
        Ok(_) => finding("numa balancing", Level::Warning, "on", effect, "sudo sysctl kernel.numa_balancing=0"),
    }
}

#[cfg(test)]
mod tests;
