//! The PUs, and the cores and packages that they are of.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use hitm_topology::{PU_LIMIT, Pu};

use super::sets::{PuSet, Sets};
use crate::files::Files;

const CPU: &str = "/sys/devices/system/cpu";

/// PUs without folders that are still listed, each offline; twice what Linux can be built for.
const MOST_WITHOUT_FOLDER: usize = 1 << 14;

/// Die, cluster and core id: a core id alone repeats in each.
type CoreId = (Option<i64>, Option<i64>, i64);

/// The PUs by ascending OS index. A PU is what has a folder; online is what the kernel says, not what has a topology.
///
/// # Errors
/// The tree has lists of PUs and nothing else.
pub(super) fn read(files: &Files, sets: &Sets, said: &mut Vec<String>) -> Result<Vec<Pu>, String> {
    let mut listed = |name: &str| {
        files.list(&format!("{CPU}/{name}")).unwrap_or_else(|why| {
            said.push(format!("{why}; it is taken as not told"));
            None
        })
    };
    let (online, present, possible) = (listed("online"), listed("present"), listed("possible"));
    let mut numbers = files.numbered(CPU, "cpu");
    let all = numbers.len();
    numbers.retain(|number| *number < PU_LIMIT);
    if numbers.len() < all {
        said.push(format!("{} folders of PUs from {PU_LIMIT} on are left out", all - numbers.len()));
    }
    // What has no folder here; nothing else is looked for there.
    let mut unplugged = BTreeSet::new();
    if numbers.is_empty() {
        // A copy of the lists alone is no topology; a running kernel that hides the folders still tells its PUs.
        let told = present.filter(|pus| !pus.is_empty()).or(online.clone()).unwrap_or_default();
        if files.are_real() || told.is_empty() {
            numbers = told;
            numbers.sort_unstable();
        } else {
            return Err(format!("it lists {} PUs but has no folder sys/devices/system/cpu/cpuN of any", told.len()));
        }
    } else {
        let known: BTreeSet<u32> = numbers.iter().copied().chain(online.iter().flatten().copied()).collect();
        unplugged = present.iter().flatten().copied().filter(|pu| !known.contains(pu)).collect();
        if unplugged.len() > MOST_WITHOUT_FOLDER {
            said.push(format!("{} more PUs are said to be present; they are left out", unplugged.len()));
            unplugged.clear();
        }
        let plugged: BTreeSet<u32> = known.into_iter().chain(present.iter().flatten().copied()).collect();
        let more = possible.iter().flatten().filter(|pu| present.is_some() && !plugged.contains(pu)).count();
        // Of this machine they are told besides.
        if more > 0 && !files.are_real() {
            said.push(format!("{more} more PUs are possible but not plugged in"));
        }
    }
    if let (Some(online), false) = (&online, numbers.is_empty()) {
        let known: BTreeSet<u32> = numbers.iter().copied().collect();
        let bare = online.iter().filter(|pu| !known.contains(pu)).count();
        if bare > 0 {
            said.push(format!("{bare} more PUs are said to be online, but nothing is told of them; they are left out"));
        }
    }
    sets.up_to(numbers.last().copied().unwrap_or(0));
    let online: Option<BTreeSet<u32>> = online.map(|online| online.into_iter().collect());

    let mut pus = Vec::with_capacity(numbers.len());
    let mut siblings: Vec<Option<PuSet>> = Vec::with_capacity(numbers.len());
    let mut core_ids: Vec<Option<CoreId>> = Vec::with_capacity(numbers.len());
    let mut torn = 0;
    for os_index in numbers {
        let at = |name: &str| format!("{CPU}/cpu{os_index}/{name}");
        let number = |name: &str| files.read(&at(name)).ok().and_then(|text| text.parse::<i64>().ok());
        let switch = number("online").map(|switch| switch != 0);
        let in_list = online.as_ref().map(|online| online.contains(&os_index));
        torn += usize::from(switch.zip(in_list).is_some_and(|(switch, in_list)| switch != in_list));
        let online = switch.unwrap_or(true) && in_list.unwrap_or(true);
        let set = |stem: &str| sets.of(files, &at(&format!("topology/{stem}_list")), &at(&format!("topology/{stem}")));
        // core_cpus has replaced thread_siblings in 5.3.
        siblings.push(set("core_cpus").or_else(|| set("thread_siblings")).filter(|set| !set.is_empty()));
        let siblings_told = siblings.last().is_some_and(Option::is_some);
        let id = (!siblings_told).then(|| number("topology/core_id").filter(|id| *id >= 0)).flatten();
        core_ids.push(id.map(|id| (number("topology/die_id"), number("topology/cluster_id"), id)));
        pus.push(Pu {
            os_index,
            core: None,
            package: number("topology/physical_package_id").and_then(|id| u32::try_from(id).ok()),
            numa_node: None,
            smt_index: 0,
            online,
            allowed: online,
        });
    }
    if torn > 0 {
        said.push(format!("for {torn} PUs the list of online PUs and their own files differ; they count as offline"));
    }
    form_cores(&mut pus, &siblings, &core_ids, said);
    let lone = pus.iter().filter(|pu| pu.online && pu.core.is_none()).count();
    if lone > 0 && !files.are_real() && pus.iter().any(|pu| pu.core.is_some()) {
        said.push(format!("the cores of {lone} online PUs are not told; each counts as a core of its own"));
    }
    if !unplugged.is_empty() {
        said.push(format!("{} PUs are present but nothing is told of them; they count as offline", unplugged.len()));
        pus.extend(unplugged.into_iter().map(Pu::offline));
        pus.sort_by_key(|pu| pu.os_index);
    }
    Ok(pus)
}

/// Cores are what their PUs call siblings, else what has one core id in one package, die and cluster; never what has neighbouring numbers.
fn form_cores(pus: &mut [Pu], siblings: &[Option<PuSet>], core_ids: &[Option<CoreId>], said: &mut Vec<String>) {
    let place: HashMap<u32, usize> = pus.iter().enumerate().map(|(i, pu)| (pu.os_index, i)).collect();
    // Each PU points to an earlier one of its core; those that point to themselves name the cores.
    let mut first: Vec<usize> = (0..pus.len()).collect();
    let mut told: Vec<bool> = vec![false; pus.len()];
    let mut disagree = BTreeSet::new();
    let mut by_id: BTreeMap<(Option<u32>, CoreId), usize> = BTreeMap::new();
    for i in 0..pus.len() {
        if let Some(set) = &siblings[i] {
            told[i] = true;
            for other in set.iter().filter_map(|pu| place.get(pu).copied()) {
                told[other] = true;
                join(&mut first, i, other);
                if siblings[other].as_ref().is_some_and(|theirs| theirs != set) {
                    disagree.insert(pus[other].os_index.max(pus[i].os_index));
                }
            }
        } else if let Some(id) = core_ids[i] {
            told[i] = true;
            let other = *by_id.entry((pus[i].package, id)).or_insert(i);
            join(&mut first, i, other);
        }
    }
    if !disagree.is_empty() {
        said.push(format!("{} PUs name other siblings than these name; all of them count as one core", disagree.len()));
    }
    // An offline PU that its siblings still name has no package of its own.
    let mut packages: HashMap<usize, u32> = HashMap::new();
    let mut torn = BTreeSet::new();
    for (i, pu) in pus.iter().enumerate() {
        if let Some(package) = pu.package {
            let root = root(&mut first, i);
            if *packages.entry(root).or_insert(package) != package {
                torn.insert(root);
            }
        }
    }
    if !torn.is_empty() {
        let cores = torn.len();
        said.push(format!("the siblings of {cores} cores are in several packages; they count as a core in each"));
    }
    let mut numbers: BTreeMap<(Option<u32>, usize), u32> = BTreeMap::new();
    let mut threads: BTreeMap<u32, u32> = BTreeMap::new();
    for i in 0..pus.len() {
        if !told[i] {
            continue;
        }
        let root = root(&mut first, i);
        pus[i].package = pus[i].package.or_else(|| packages.get(&root).copied());
        let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        let core = *numbers.entry((pus[i].package, root)).or_insert(next);
        pus[i].core = Some(core);
        let thread = threads.entry(core).or_default();
        pus[i].smt_index = *thread;
        *thread += 1;
    }
}

fn root(first: &mut [usize], mut i: usize) -> usize {
    while first[i] != i {
        first[i] = first[first[i]];
        i = first[i];
    }
    i
}

fn join(first: &mut [usize], a: usize, b: usize) {
    let (a, b) = (root(first, a), root(first, b));
    first[a.max(b)] = a.min(b);
}
