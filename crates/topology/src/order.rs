//! The order in which a policy gives PUs to workers.

use std::collections::{BTreeMap, BTreeSet};

use crate::cores::{Core, interleaved, shared_caches};
use crate::fault::PlaceFault;
use crate::pairs::pairs;
use crate::policy::{Policy, Unit};
use crate::relation::Relations;
use crate::topology::{CoreKey, Topology};

/// All PUs of a policy in the order in which workers get them, out of `usable` ones; never empty unless those are.
pub(crate) fn order(topology: &Topology, policy: &Policy, usable: &[u32]) -> Result<Vec<u32>, PlaceFault> {
    let relations = Relations::new(topology);
    let cores = Core::all(topology, &relations, usable);
    match policy {
        Policy::List(list) => Ok(list.pus().to_vec()),
        Policy::Compact => Ok(cores.into_iter().flat_map(|core| core.pus).collect()),
        Policy::Cores => Ok(by_chunks(&cores, 1)),
        Policy::Scatter => Ok(scattered(&cores)),
        Policy::Pairs => Ok(pairs(&cores, &relations)),
        Policy::Smt(threads) => {
            let most = cores.iter().map(|core| core.pus.len()).max().unwrap_or(0);
            let wanted = *threads as usize;
            if wanted == 0 || wanted > most {
                return Err(PlaceFault::SmtTooWide { wanted: *threads, most });
            }
            Ok(by_chunks(&cores, wanted))
        }
        Policy::OnePer(unit) => one_per(topology, &relations, &cores, *unit),
    }
}

/// `wanted` PUs of each core that still has as many, in rounds over the cores; what then is left in rounds as well.
fn by_chunks(cores: &[Core], wanted: usize) -> Vec<u32> {
    let rounds = cores.iter().map(|core| core.pus.len().div_ceil(wanted)).max().unwrap_or(0);
    let mut order = Vec::new();
    for whole in [true, false] {
        for round in 0..rounds {
            for core in cores {
                if let Some(chunk) = core.pus.chunks(wanted).nth(round) {
                    if (chunk.len() == wanted) == whole {
                        order.extend_from_slice(chunk);
                    }
                }
            }
        }
    }
    order
}

fn scattered(cores: &[Core]) -> Vec<u32> {
    let packages = cores.chunk_by(|a, b| a.path[0] == b.path[0]).map(|package| {
        let cores: Vec<&Core> = package.iter().collect();
        let most = cores.iter().map(|core| core.pus.len()).max().unwrap_or(0);
        let mut order = Vec::new();
        for thread in 0..most {
            let with_thread: Vec<&Core> = cores.iter().copied().filter(|core| core.pus.len() > thread).collect();
            order.extend(spread(&with_thread, 1).into_iter().map(|core| core.pus[thread]));
        }
        order
    });
    interleaved(packages.collect())
}

/// Cores of one group in an order that takes its subgroups in turn. They come with subgroups side by side.
fn spread<'a>(cores: &[&'a Core], depth: usize) -> Vec<&'a Core> {
    let ended = cores.first().is_none_or(|core| depth >= core.path.len());
    if ended {
        return cores.to_vec();
    }
    // Beside clusters that share a cache, a core that shares none at this level takes its turn like a cluster; where none of
    // them shares any, the level says nothing.
    let level_says_nothing = cores.iter().all(|core| core.path[depth].is_none());
    let together = |a: &&Core, b: &&Core| {
        a.path[depth] == b.path[depth] && (depth < 2 || level_says_nothing || a.path[depth].is_some())
    };
    interleaved(cores.chunk_by(together).map(|group| spread(group, depth + 1)).collect())
}

/// What tells two units of a kind apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum UnitKey {
    Core(CoreKey),
    Numbered(u32),
}

/// The first PU of the first core in each unit, in the order of the cores.
fn one_per(topology: &Topology, relations: &Relations, cores: &[Core], unit: Unit) -> Result<Vec<u32>, PlaceFault> {
    let shared = shared_caches(topology, relations);
    let level = match unit {
        Unit::SharedCache => shared.iter().map(|(level, _)| *level).max(),
        Unit::Cache(level) => Some(level),
        _ => None,
    };
    // A PU without a node of its own may stand in a node's list.
    let mut beside: BTreeMap<u32, u32> = BTreeMap::new();
    for node in topology.numa_nodes.iter().rev() {
        beside.extend(node.pus.iter().map(|pu| (*pu, node.os_index)));
    }
    let key = |pu: u32| {
        let place = relations.place(pu)?;
        match unit {
            Unit::Core => Some(UnitKey::Core(place.core)),
            Unit::SharedCache | Unit::Cache(_) => {
                let cache = place.caches.iter().find(|cache| Some(cache.0) == level)?;
                Some(UnitKey::Numbered(cache.1))
            }
            Unit::Node => place.numa_node.or_else(|| beside.get(&pu).copied()).map(UnitKey::Numbered),
            Unit::Package => place.package.map(UnitKey::Numbered),
        }
    };
    let mut taken = BTreeSet::new();
    let pus = cores.iter().flat_map(|core| core.pus.iter().copied());
    let order: Vec<u32> = pus.filter(|pu| key(*pu).is_some_and(|key| taken.insert(key))).collect();
    if order.is_empty() { Err(missing(topology, unit, level)) } else { Ok(order) }
}

fn missing(topology: &Topology, unit: Unit, level: Option<u32>) -> PlaceFault {
    let levels: BTreeSet<u32> =
        topology.caches.iter().filter(|cache| cache.kind.holds_data()).map(|cache| cache.level).collect();
    let told: Vec<String> = levels.iter().map(|level| format!("one-per-l{level}")).collect();
    let caches =
        if told.is_empty() { "no data cache is told at all".to_owned() } else { format!("use {}", told.join(" or ")) };
    let (why, cure) = match (unit, level) {
        (Unit::SharedCache, None) if levels.is_empty() => {
            ("no data cache is told".to_owned(), "use one-per-core, one-per-node or one-per-package".to_owned())
        }
        (Unit::SharedCache, None) => (
            "no data cache is told to be shared by more than one core".to_owned(),
            format!("use one-per-core; {caches} for caches of one core"),
        ),
        (Unit::SharedCache | Unit::Cache(_), Some(level)) if levels.contains(&level) => {
            (format!("no usable PU has an L{level} above it"), "choose other PUs, or use one-per-core".to_owned())
        }
        (Unit::SharedCache | Unit::Cache(_), _) => {
            let level = level.map_or(String::new(), |level| format!("no L{level} that holds data is told"));
            (level, format!("{caches}, or use one-per-core"))
        }
        (Unit::Node, _) => {
            ("no NUMA node with usable PUs is told".to_owned(), "use one-per-package or one-per-core".to_owned())
        }
        (Unit::Package, _) => ("no package is told".to_owned(), "use one-per-node or one-per-core".to_owned()),
        (Unit::Core, _) => ("there is no usable PU".to_owned(), "let the process use at least one PU".to_owned()),
    };
    PlaceFault::NoneToPlaceOn { policy: Policy::OnePer(unit), why, cure }
}
