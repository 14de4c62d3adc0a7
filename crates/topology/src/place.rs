//! Placing workers on PUs.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::list::{PU_LIMIT, PuList};
use crate::policy::Policy;
use crate::relation::Relations;
use crate::topology::{CoreKey, Topology};

/// The most workers that are placed: 2^20.
pub const MAX_WORKERS: usize = PU_LIMIT as usize;

/// Which PU each worker is pinned to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placement {
    /// The policy that made it.
    pub policy: Policy,
    /// The PU of each worker, by OS index; the index is the worker.
    pub pus: Vec<u32>,
    /// Whether there are more workers than PUs to place them on, so that some share one.
    pub oversubscribed: bool,
}

/// Why workers cannot be placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceFault {
    /// There are no workers to place.
    NoWorkers,
    /// There are more workers than [`MAX_WORKERS`].
    TooManyWorkers {
        /// How many.
        workers: usize,
    },
    /// No PU may be used.
    NoAllowedPus,
    /// The list names PUs that the machine does not have.
    Absent {
        /// Their OS indexes.
        pus: PuList,
        /// The PUs that may be used; `None` when there are none.
        allowed: Option<PuList>,
    },
    /// The list names PUs that are offline.
    Offline {
        /// Their OS indexes.
        pus: PuList,
    },
    /// The list names PUs that are online but that this process may not use.
    Disallowed {
        /// Their OS indexes.
        pus: PuList,
        /// The PUs that may be used; `None` when there are none.
        allowed: Option<PuList>,
    },
    /// No core has as many allowed PUs as `smt-N` wants.
    SmtTooWide {
        /// What the policy wants.
        wanted: u32,
        /// The most allowed PUs that a core has.
        most: usize,
    },
}

impl PlaceFault {
    /// What is wrong, without a full stop.
    pub fn message(&self) -> String {
        match self {
            PlaceFault::NoWorkers => "there are no workers to place".into(),
            PlaceFault::TooManyWorkers { workers } => format!("{workers} workers are more than can be placed"),
            PlaceFault::NoAllowedPus => "no PU is online and allowed".into(),
            PlaceFault::Absent { pus, .. } => format!("this machine has no PU {pus}"),
            PlaceFault::Offline { pus } => format!("PU {pus} is offline"),
            PlaceFault::Disallowed { pus, .. } => {
                format!("PU {pus} is online but outside the set that this process may use (cpuset or affinity mask)")
            }
            PlaceFault::SmtTooWide { wanted, most } => {
                format!("smt-{wanted} wants {wanted} PUs of a core, but no core has more than {most} allowed")
            }
        }
    }

    /// What cures it, without a full stop.
    pub fn cure(&self) -> String {
        let allowed_ones = |allowed: &Option<PuList>| match allowed {
            Some(allowed) => format!("use PUs out of {allowed}"),
            None => "let the process use at least one PU".into(),
        };
        match self {
            PlaceFault::NoWorkers => "ask for at least 1 worker".into(),
            PlaceFault::TooManyWorkers { .. } => format!("ask for at most {MAX_WORKERS}"),
            PlaceFault::NoAllowedPus => "widen the process's cpuset or affinity mask (taskset -p)".into(),
            PlaceFault::Absent { allowed, .. } => allowed_ones(allowed),
            PlaceFault::Offline { pus } => {
                let first = pus.pus()[0];
                format!("bring it online (echo 1 > /sys/devices/system/cpu/cpu{first}/online) or leave it out")
            }
            PlaceFault::Disallowed { allowed, .. } => {
                format!("{}, or widen the cpuset or affinity mask (taskset)", allowed_ones(allowed))
            }
            PlaceFault::SmtTooWide { most, .. } => format!("use smt-{most} or less, or switch SMT on"),
        }
    }
}

impl fmt::Display for PlaceFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.message(), self.cure())
    }
}

impl std::error::Error for PlaceFault {}

/// Puts workers on the allowed PUs of a topology. When there are more workers than PUs the order begins again and the
/// placement says that it is oversubscribed. The same topology and policy always give the same order, and fewer workers get
/// the beginning of what more would get.
///
/// # Errors
/// Every fault found. No worker is ever put on another PU than the policy says.
pub fn place(topology: &Topology, policy: &Policy, workers: usize) -> Result<Placement, Vec<PlaceFault>> {
    let mut faults = Vec::new();
    match workers {
        0 => faults.push(PlaceFault::NoWorkers),
        1..=MAX_WORKERS => {}
        _ => faults.push(PlaceFault::TooManyWorkers { workers }),
    }
    let order = match order(topology, policy) {
        Ok(order) => order,
        Err(more) => {
            faults.extend(more);
            Vec::new()
        }
    };
    if !faults.is_empty() {
        return Err(faults);
    }
    let oversubscribed = workers > order.len();
    let pus = order.into_iter().cycle().take(workers).collect();
    Ok(Placement { policy: policy.clone(), pus, oversubscribed })
}

/// All PUs of a policy in the order in which workers get them; never empty.
fn order(topology: &Topology, policy: &Policy) -> Result<Vec<u32>, Vec<PlaceFault>> {
    if let Policy::List(list) = policy {
        return listed(topology, list);
    }
    let cores = Core::all(topology);
    if cores.is_empty() {
        return Err(vec![PlaceFault::NoAllowedPus]);
    }
    match policy {
        Policy::List(_) => unreachable!("answered above"),
        Policy::Compact => Ok(cores.into_iter().flat_map(|core| core.pus).collect()),
        Policy::Cores => Ok(by_chunks(&cores, 1)),
        Policy::Scatter => Ok(scattered(&cores)),
        Policy::Smt(threads) => {
            let most = cores.iter().map(|core| core.pus.len()).max().unwrap_or(0);
            let wanted = *threads as usize;
            if wanted == 0 || wanted > most {
                return Err(vec![PlaceFault::SmtTooWide { wanted: *threads, most }]);
            }
            Ok(by_chunks(&cores, wanted))
        }
    }
}

fn listed(topology: &Topology, list: &PuList) -> Result<Vec<u32>, Vec<PlaceFault>> {
    let states: BTreeMap<u32, (bool, bool)> =
        topology.pus.iter().map(|pu| (pu.os_index, (pu.online, pu.allowed))).collect();
    let (mut absent, mut offline, mut disallowed) = (Vec::new(), Vec::new(), Vec::new());
    for pu in list.pus() {
        match states.get(pu) {
            None => absent.push(*pu),
            Some((false, _)) => offline.push(*pu),
            Some((true, false)) => disallowed.push(*pu),
            Some((true, true)) => {}
        }
    }
    let allowed = || PuList::new(topology.allowed()).ok();
    let mut faults = Vec::new();
    if let Ok(pus) = PuList::new(absent) {
        faults.push(PlaceFault::Absent { pus, allowed: allowed() });
    }
    if let Ok(pus) = PuList::new(offline) {
        faults.push(PlaceFault::Offline { pus });
    }
    if let Ok(pus) = PuList::new(disallowed) {
        faults.push(PlaceFault::Disallowed { pus, allowed: allowed() });
    }
    if faults.is_empty() { Ok(list.pus().to_vec()) } else { Err(faults) }
}

/// A core's allowed PUs by ascending OS index (never none), and what it is in.
struct Core {
    pus: Vec<u32>,
    /// Its package, its NUMA node, then its caches from the highest level to the lowest, each named by its first PU.
    path: Vec<Option<u32>>,
    key: CoreKey,
}

impl Core {
    /// The cores with allowed PUs, neighbours side by side.
    fn all(topology: &Topology) -> Vec<Core> {
        let relations = Relations::new(topology);
        let mut levels: Vec<u32> = topology.caches.iter().map(|cache| cache.level).collect();
        levels.sort_unstable();
        levels.dedup();
        let mut cores: BTreeMap<CoreKey, Core> = BTreeMap::new();
        for pu in topology.allowed() {
            let Some(place) = relations.place(pu) else { continue };
            let core = cores.entry(place.core).or_insert_with(|| {
                let mut path = vec![place.package, place.numa_node];
                let at_level = |level: &u32| place.caches.iter().find(|cache| cache.0 == *level).map(|cache| cache.1);
                path.extend(levels.iter().rev().map(at_level));
                Core { pus: Vec::new(), path, key: place.core }
            });
            core.pus.push(pu);
        }
        let mut cores: Vec<Core> = cores.into_values().collect();
        // Within the innermost thing that they share, cores keep the order of their numbers. A cache of a core's own orders
        // nothing: its first PU would put OS numbering above core numbering.
        let mut sharers: BTreeMap<(usize, Option<u32>), usize> = BTreeMap::new();
        for core in &cores {
            for (depth, part) in core.path.iter().enumerate().skip(2) {
                *sharers.entry((depth, *part)).or_default() += 1;
            }
        }
        for core in &mut cores {
            for (depth, part) in core.path.iter_mut().enumerate().skip(2) {
                if sharers.get(&(depth, *part)) == Some(&1) {
                    *part = None;
                }
            }
        }
        cores.sort_by(|a, b| (&a.path, a.key, a.pus[0]).cmp(&(&b.path, b.key, b.pus[0])));
        cores
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

fn interleaved<T: Copy>(lists: Vec<Vec<T>>) -> Vec<T> {
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    (0..longest).flat_map(|i| lists.iter().filter_map(move |list| list.get(i).copied())).collect()
}
