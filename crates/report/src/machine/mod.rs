//! A machine as a picture: packages, NUMA nodes, shared caches, cores and PUs, nested as the data says, with the workers of a
//! placement drawn in.

mod layout;
mod svg;
mod text;
mod tree;

pub use svg::svg;
pub use text::text;

use hitm_topology::{Placement, Topology};

use crate::number::trim;
use crate::text::{clean, count};

/// What the machine has, as one line.
fn contents(topology: &Topology) -> String {
    let counts = topology.counts();
    let many =
        [(counts.packages, "package"), (counts.numa_nodes, "NUMA node"), (counts.cores, "core"), (counts.pus, "PU")];
    let told = many.iter().filter(|(n, _)| *n > 0).map(|(n, noun)| count(*n as u64, noun));
    let usable = topology.allowed().len();
    let (offline, barred) = (topology.pus.iter().filter(|pu| !pu.online).count(), counts.pus - usable);
    let missing = [(barred, "of them not allowed"), (offline, "more offline")];
    let missing = missing.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}"));
    told.chain(missing).collect::<Vec<_>>().join(", ")
}

/// What is placed on it, as one line.
fn placed(placement: &Placement) -> String {
    let within: Vec<String> = placement.within.iter().map(ToString::to_string).collect();
    let within = if within.is_empty() { String::new() } else { format!(" within {}", within.join(" and ")) };
    let sharing = if placement.oversubscribed { "; more workers than PUs to place them on" } else { "" };
    clean(&format!("{} by {}{within}{sharing}", count(placement.pus.len() as u64, "worker"), placement.policy))
}

/// A size in memory, in the unit that reads best.
fn bytes(size: u64) -> String {
    let in_unit = |unit: u64| trim(&format!("{:.2}", size as f64 / unit as f64)).to_owned();
    if size >= 1 << 20 { format!("{} MiB", in_unit(1 << 20)) } else { format!("{} KiB", in_unit(1 << 10)) }
}

/// What is drawn on a PU with these workers: the first, and how many more.
fn workers(workers: &[usize]) -> String {
    match workers {
        [] => String::new(),
        [one] => format!("w{one}"),
        [first, more @ ..] => format!("w{first}+{}", more.len()),
    }
}
