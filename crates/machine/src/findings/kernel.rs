//! Findings from the kernel's settings.

use hitm_topology::Topology;

use super::{Finding, Level, finding, list, unknown};
use crate::files::Files;
use crate::settings;

pub(super) fn smt(topology: &Topology, files: &Files) -> Finding {
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

pub(super) fn governor(topology: &Topology, files: &Files) -> Finding {
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

pub(super) fn boost(files: &Files) -> Finding {
    let effect = "the clock depends on how many cores are busy and how warm they are: more workers, slower ones";
    match settings::boost(files) {
        Err(why) => unknown("boost", &why, effect),
        Ok(boost) if boost.on => finding("boost", Level::Note, "on", effect, boost.switch_off),
        Ok(_) => finding("boost", Level::Good, "off", "all cores keep to their nominal clock", ""),
    }
}

pub(super) fn isolated(topology: &Topology, files: &Files) -> Finding {
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

pub(super) fn huge_pages(files: &Files) -> Finding {
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

pub(super) fn numa_balancing(topology: &Topology, files: &Files) -> Finding {
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

pub(super) fn address_randomisation(files: &Files) -> Finding {
    let effect = "where libc, stacks and heaps lie changes from run to run, so what lies there (as the state of rng/lrand48) may share \
                  its line with something else each time; arenas have their places by the seed";
    match files.read("/proc/sys/kernel/randomize_va_space") {
        Err(why) => unknown("address randomisation", &why, effect),
        Ok(value) if value == "0" => {
            finding("address randomisation", Level::Good, "off", "each run finds the same layout", "")
        }
        Ok(_) => {
            finding("address randomisation", Level::Note, "on", effect, "setarch -R hitm run …, for runs of one layout")
        }
    }
}

pub(super) fn clock_source(files: &Files) -> Finding {
    let folder = "/sys/devices/system/clocksource/clocksource0";
    let effect = "reading the time may take a system call or a trip to a slow timer, in the programs measured as well";
    match files.read(&format!("{folder}/current_clocksource")) {
        Err(why) => unknown("clock source", &why, effect),
        Ok(source) if ["hpet", "acpi_pm", "refined-jiffies", "jiffies", "pit"].contains(&source.as_str()) => {
            let cure = format!(
                "echo tsc | sudo tee {folder}/current_clocksource, if dmesg does not say that the TSC is unstable"
            );
            finding("clock source", Level::Warning, source, effect, cure)
        }
        Ok(source) => finding("clock source", Level::Good, source, "the kernel reads its time cheaply", ""),
    }
}
