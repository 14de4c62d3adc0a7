//! Discovery by hwloc: the only place that knows it.

mod read;
mod xml;

use std::path::Path;

use hitm_topology::Topology;
use hwlocality::errors::RawHwlocError;
use hwlocality::topology::Topology as Hwloc;
use hwlocality::topology::builder::{BuildFlags, TopologyBuilder, TypeFilter};

use crate::input::MachineError;

/// The most PUs that a synthetic description may have.
const SYNTHETIC_LIMIT: u64 = 1 << 14;
/// The most of anything that it may put side by side: hwloc's time grows with the cube of that (7 s for 4096 cores).
const SIDE_BY_SIDE_LIMIT: u64 = 1 << 10;
/// The largest XML file read, bytes; hwloc's own of 4096 PUs has about 2 MB.
const XML_LIMIT: u64 = 256 << 20;

/// This machine as hwloc sees it, PUs outside the process's cpuset included.
pub(crate) fn this_machine() -> Result<Topology, MachineError> {
    let failed = |why: &dyn std::fmt::Display| {
        let cure = "check that libhwloc 2.8 or later is installed and that no HWLOC_ variable is set";
        MachineError::new(format!("hwloc cannot read this machine: {why}"), cure)
    };
    // The x86 component asks each processor by binding a thread to it, and hangs where a real-time process holds one. All
    // that it tells stands in /sys as well.
    let builder = TopologyBuilder::new().without_component("x86").map_err(|error| failed(&error))?;
    let hwloc = built(builder).map_err(|error| failed(&error))?;
    if !hwloc.is_this_system() {
        return Err(MachineError::new(
            "hwloc's environment names another machine than this",
            "unset HWLOC_XMLFILE, HWLOC_SYNTHETIC, HWLOC_FSROOT and HWLOC_THISSYSTEM; name the other machine as xml:FILE",
        ));
    }
    let mut topology = read::read(&hwloc);
    // Kernels built without NUMA have no such folder; hwloc then makes up a node.
    if topology.numa_nodes.len() == 1 && !Path::new("/sys/devices/system/node").exists() {
        without_nodes(&mut topology);
    }
    let version = read::root_info(&hwloc, "hwlocVersion").unwrap_or_else(|| "of unknown version".into());
    topology.source = format!("this machine (hwloc {version})");
    Ok(topology)
}

/// A machine that hwloc recorded.
fn from_xml(xml: &str) -> Result<Topology, String> {
    let builder = TopologyBuilder::new().from_xml(xml).map_err(|error| error.to_string())?;
    built(builder).map(|hwloc| read::read(&hwloc))
}

/// A machine in hwloc's synthetic form.
fn from_synthetic(description: &str) -> Result<Topology, String> {
    let builder = TopologyBuilder::new().from_synthetic(description).map_err(|error| error.to_string())?;
    built(builder).map(|hwloc| read::read(&hwloc))
}

fn built(builder: TopologyBuilder) -> Result<Hwloc, String> {
    let flags = BuildFlags::INCLUDE_DISALLOWED | BuildFlags::DONT_CHANGE_BINDING;
    let builder = builder.with_flags(flags).map_err(|error| error.to_string())?;
    let builder = builder.with_cpu_icache_type_filter(TypeFilter::KeepAll).map_err(in_words)?;
    builder.build().map_err(in_words)
}

/// Without the library's own names.
fn in_words(error: RawHwlocError) -> String {
    match error.errno {
        Some(errno) => format!("hwloc refuses it ({})", std::io::Error::from_raw_os_error(errno.0)),
        None => "hwloc refuses it".into(),
    }
}

pub(crate) fn recorded(path: &Path) -> Result<Topology, MachineError> {
    let refused = |why: String| {
        let message = format!("{} cannot be read as a machine: {why}", path.display());
        MachineError::new(message, "give an XML file that hwloc wrote (`lstopo FILE.xml`)")
    };
    // Only plain files: a pipe would be waited for.
    let found = std::fs::metadata(path).map_err(|error| refused(error.to_string()))?;
    if !found.is_file() {
        return Err(refused("it is not a file".into()));
    }
    if found.len() > XML_LIMIT {
        return Err(refused(format!("its {} bytes are more than any machine's", found.len())));
    }
    let xml = std::fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
    let faults = xml::faults(&xml);
    if !faults.is_empty() {
        return Err(refused(faults.join(" | ")));
    }
    from_xml(&xml).map_err(refused)
}

pub(crate) fn described(description: &str) -> Result<Topology, MachineError> {
    let refused = |why: String| {
        let message = format!("`{description}` does not describe a machine: {why}");
        MachineError::new(message, "describe it as hwloc does, such as `package:2 numa:1 l3:1 core:10 pu:8`")
    };
    let numbers = numbers_described(description);
    if numbers.iter().any(|number| *number > SIDE_BY_SIDE_LIMIT) {
        return Err(refused(format!("it puts more than {SIDE_BY_SIDE_LIMIT} of something side by side")));
    }
    if numbers
        .iter()
        .try_fold(1u64, |product, number| product.checked_mul(*number))
        .is_none_or(|pus| pus > SYNTHETIC_LIMIT)
    {
        return Err(refused(format!("it would have more than {SYNTHETIC_LIMIT} PUs")));
    }
    let mut topology = from_synthetic(description).map_err(refused)?;
    // hwloc gives each cache lines of 64 bytes, which nobody described.
    topology.caches.iter_mut().for_each(|cache| cache.line_bytes = None);
    let words = description.to_ascii_lowercase();
    if !words.contains("numa") && !words.contains("node") {
        without_nodes(&mut topology);
    }
    Ok(topology)
}

/// Takes away the NUMA node that hwloc makes up where none is told.
fn without_nodes(topology: &mut Topology) {
    topology.numa_nodes.clear();
    topology.pus.iter_mut().for_each(|pu| pu.numa_node = None);
}

/// The numbers of a synthetic description, one a level, so that no machine is begun that takes for ever; those in brackets
/// (attributes and memory beside) are left out. What it does not understand hwloc refuses.
fn numbers_described(description: &str) -> Vec<u64> {
    let mut depth = 0u32;
    let plain: String = description
        .chars()
        .filter_map(|character| match character {
            '(' | '[' => {
                depth += 1;
                Some(' ')
            }
            ')' | ']' => {
                depth = depth.saturating_sub(1);
                Some(' ')
            }
            _ => (depth == 0).then_some(character),
        })
        .collect();
    let number = |level: &str| {
        let number = level.rsplit(':').next().unwrap_or("");
        let all_digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        all_digits.then(|| number.parse().unwrap_or(u64::MAX))
    };
    plain.split_whitespace().filter_map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_weighed_before_they_are_built() {
        assert_eq!(numbers_described("package:2 numa:1 l3:1 core:10 pu:8"), [2, 1, 1, 10, 8]);
        assert_eq!(numbers_described("package:2 [numa(memory=8GB)] l3:5(size=8388608) core:1 pu:8"), [2, 5, 1, 8]);
        assert_eq!(numbers_described("2 3 4"), [2, 3, 4]);
        assert_eq!(numbers_described("pu:99999999999999999999"), [u64::MAX]);
        for text in ["core:1025 pu:1", "package:1000 core:1000 pu:1000", "core:1024 pu:1024"] {
            assert!(described(text).is_err(), "{text}");
        }
    }
}
