//! The facts of a machine that its numbers must be read with.

use hitm_topology::{CacheLevel, Counts, PuList, Topology};
use serde::{Deserialize, Serialize};

use crate::cgroup;
use crate::files::Files;
use crate::hypervisor::{Hypervisor, hypervisor};
use crate::settings::{self, Setting};
use crate::sysconf;

/// A fact of the machine in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// What it is about, such as `cpu model`.
    pub name: String,
    /// What it is; `unknown (why)` where it could not be read.
    pub value: String,
}

/// The facts of the topology's machine, in the order to be shown. Of a recorded or synthetic machine only what the topology
/// itself tells: nothing of the machine at hand.
pub fn facts(topology: &Topology) -> Vec<Fact> {
    facts_in(topology, &Files::this_machine())
}

fn facts_in(topology: &Topology, files: &Files) -> Vec<Fact> {
    let mut facts = vec![fact("source", &topology.source)];
    if topology.is_this_machine {
        facts.extend(of_processor(topology, files));
    } else {
        facts.push(fact("architecture", told(topology.architecture.as_deref())));
        facts.push(fact("os", told(topology.os_name.as_deref())));
    }
    facts.extend(of_topology(topology));
    if topology.is_this_machine {
        facts.extend(of_settings(topology, files));
    }
    facts
}

fn of_processor(topology: &Topology, files: &Files) -> Vec<Fact> {
    let os = files.read("/etc/os-release").and_then(|text| {
        let name = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
        name.map(|name| name.trim_matches('"').to_owned()).ok_or_else(|| "/etc/os-release names none".into())
    });
    let kernel = files.read("/proc/sys/kernel/osrelease").map(|release| {
        format!("{} {release}", files.read("/proc/sys/kernel/ostype").unwrap_or_default()).trim().to_owned()
    });
    let architecture = topology.architecture.clone().unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let hypervisor = match hypervisor(files) {
        Hypervisor::Present(what) => what,
        Hypervisor::NoneSeen => "none seen".into(),
        Hypervisor::Unknown(why) => unknown(&why),
    };
    let product = ["sys_vendor", "product_name"].map(|name| files.read(&format!("/sys/class/dmi/id/{name}")));
    let product = match product {
        [Ok(vendor), Ok(product)] => Ok(format!("{vendor} {product}")),
        [Err(why), _] | [_, Err(why)] => files.read("/proc/device-tree/model").map_err(|_| why),
    };
    vec![
        fact("cpu model", or_unknown(settings::cpu_model(files))),
        fact("microcode", or_unknown(settings::microcode(files))),
        fact("architecture", architecture),
        fact("product", or_unknown(product)),
        fact("hypervisor", hypervisor),
        fact("os", or_unknown(os)),
        fact("kernel", or_unknown(kernel)),
    ]
}

fn of_topology(topology: &Topology) -> Vec<Fact> {
    let (all, allowed) = (topology.counts(), topology.allowed_counts());
    let count = |of: fn(&Counts) -> usize| {
        let (all, allowed) = (of(&all), of(&allowed));
        if all == allowed { all.to_string() } else { format!("{all}, {allowed} of them allowed") }
    };
    let offline = topology.pus.iter().filter(|pu| !pu.online).count();
    let offline = if offline == 0 { String::new() } else { format!(", {offline} offline") };
    let or_untold = |number: String| if number == "0" { "unknown (not told)".into() } else { number };
    let memory = topology.numa_nodes.iter().filter_map(|node| node.memory_bytes);
    let memory = memory.fold(0u64, |sum, bytes| sum.saturating_add(bytes));

    let mut facts = vec![
        fact("pus", format!("{}{offline}", count(|counts| counts.pus))),
        fact("cores", count(|counts| counts.cores)),
        fact("packages", or_untold(count(|counts| counts.packages))),
        fact("numa nodes", or_untold(count(|counts| counts.numa_nodes))),
        fact(
            "threads per core",
            match (all.smt_min, all.smt_max) {
                (min, max) if min == max => max.to_string(),
                (min, max) => format!("{min} to {max}"),
            },
        ),
    ];
    let caches: Vec<String> = all.caches.iter().map(cache_words).collect();
    let caches = if caches.is_empty() { "unknown (none told)".into() } else { caches.join(", ") };
    facts.push(fact("caches", caches));
    let line = topology.line_size();
    facts.push(fact("line size", format!("{} bytes ({})", line.bytes, line.source)));
    if !topology.is_this_machine && memory > 0 {
        facts.push(fact("memory", bytes_words(memory)));
    }
    facts
}

fn of_settings(topology: &Topology, files: &Files) -> Vec<Fact> {
    let allowed = topology.allowed();
    let smt = settings::smt(files).map(|smt| {
        let active = if smt.active { "active" } else { "not active" };
        format!("{active} (control: {})", smt.control)
    });
    let governor = settings::governors(files, &allowed).map(|governors| {
        let words: Vec<String> = match governors.len() {
            1 => governors.into_keys().collect(),
            _ => governors.iter().map(|(governor, count)| format!("{governor} on {count} PUs")).collect(),
        };
        words.join(", ")
    });
    let boost = settings::boost(files).map(|boost| if boost.on { "on" } else { "off" }.to_owned());
    let quota = match cgroup::quota(files) {
        Ok(Some(cpus)) => format!("{} CPUs", rounded(cpus)),
        Ok(None) => "none".into(),
        Err(why) => unknown(&why),
    };
    let page_bytes = bytes_words(sysconf::page_bytes());
    vec![
        fact("smt", or_unknown(smt)),
        fact("governor", or_unknown(governor)),
        fact("boost", or_unknown(boost)),
        fact("cgroup quota", quota),
        fact("allowed pus", PuList::new(allowed).map_or_else(|_| "none".into(), |list| list.to_string())),
        fact("memory", or_unknown(settings::memory_bytes(files).map(bytes_words))),
        fact("page size", page_bytes),
        fact("transparent huge pages", or_unknown(settings::transparent_huge_pages(files))),
        fact("clock source", or_unknown(settings::clock_source(files))),
        fact("boot settings", or_unknown(settings::boot_settings(files))),
    ]
}

fn fact(name: &str, value: impl Into<String>) -> Fact {
    Fact { name: name.into(), value: value.into() }
}

fn or_unknown(value: Setting) -> String {
    match value {
        Ok(value) if !value.is_empty() => value,
        Ok(_) => unknown("it is empty"),
        Err(why) => unknown(&why),
    }
}

fn unknown(why: &str) -> String {
    format!("unknown ({why})")
}

fn told(value: Option<&str>) -> String {
    value.map_or_else(|| unknown("not recorded"), str::to_owned)
}

/// As in `2 x L3 32 MiB`; a level with several sizes gives them all.
fn cache_words(cache: &CacheLevel) -> String {
    let sizes: Vec<String> = cache.sizes_bytes.iter().map(|bytes| bytes_words(*bytes)).collect();
    let sizes = if sizes.is_empty() { "of unknown size".into() } else { sizes.join(" or ") };
    format!("{} x L{}{} {sizes}", cache.count, cache.level, cache.kind)
}

/// In the largest binary unit of which it is at least one.
fn bytes_words(bytes: u64) -> String {
    let units = [(1u64 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match units.iter().find(|(size, _)| bytes >= *size) {
        Some((size, unit)) => format!("{} {unit}", rounded(bytes as f64 / *size as f64)),
        None => format!("{bytes} B"),
    }
}

/// With up to two decimals.
pub(crate) fn rounded(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::tests::Tree;
    use crate::{Input, discover};

    fn value<'a>(facts: &'a [Fact], name: &str) -> Option<&'a str> {
        facts.iter().find(|fact| fact.name == name).map(|fact| fact.value.as_str())
    }

    #[test]
    fn numbers_read_as_people_write_them() {
        assert_eq!(bytes_words(49152), "48 KiB");
        assert_eq!(bytes_words(503316480), "480 MiB");
        assert_eq!(bytes_words(25276063744), "23.54 GiB");
        assert_eq!(bytes_words(1), "1 B");
        assert_eq!((rounded(2.0), rounded(0.5), rounded(100.0)), ("2".into(), "0.5".into(), "100".into()));
    }

    #[cfg(feature = "hwloc")]
    #[test]
    fn a_recorded_machine_has_its_own_facts_only() {
        let input = Input::Synthetic("package:2 numa:1 l3:1 core:10 pu:8".into());
        let facts = facts(&discover(&input).unwrap());
        assert_eq!(value(&facts, "pus"), Some("160"));
        assert_eq!(value(&facts, "cores"), Some("20"));
        assert_eq!(value(&facts, "threads per core"), Some("8"));
        for name in ["cpu model", "kernel", "hypervisor", "governor", "cgroup quota", "clock source"] {
            assert_eq!(value(&facts, name), None, "{name}");
        }
        assert_eq!(value(&facts, "architecture"), Some("unknown (not recorded)"));
    }

    #[test]
    fn each_fact_is_read_or_says_why_not() {
        let topology = discover(&Input::This).unwrap();
        let bare = facts_in(&topology, &Tree::new(&[]).files());
        for name in [
            "cpu model",
            "microcode",
            "hypervisor",
            "kernel",
            "governor",
            "boost",
            "smt",
            "cgroup quota",
            "clock source",
        ] {
            assert!(value(&bare, name).unwrap().starts_with("unknown ("), "{name}");
        }
        let tree = Tree::new(&[
            ("/proc/sys/kernel/ostype", "Linux\n"),
            ("/proc/sys/kernel/osrelease", "6.1.0\n"),
            ("/etc/os-release", "NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 13\"\n"),
            ("/proc/cpuinfo", "model name : Z\nflags : fpu\nmicrocode : 0xb\n"),
        ]);
        let facts = facts_in(&topology, &tree.files());
        assert_eq!(value(&facts, "kernel"), Some("Linux 6.1.0"));
        assert_eq!(value(&facts, "os"), Some("Debian GNU/Linux 13"));
        assert_eq!(value(&facts, "hypervisor"), Some("none seen"));
        assert_eq!(value(&facts, "microcode"), Some("0xb"));
        let mut names: Vec<&str> = facts.iter().map(|fact| fact.name.as_str()).collect();
        assert!(facts.iter().all(|fact| !fact.value.is_empty()));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), facts.len());
    }
}
