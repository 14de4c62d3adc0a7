//! A machine from its /sys (and /proc): this one's or a copied one's, without hwloc and without asking any processor.
//!
//! Sources: Linux `Documentation/ABI/stable/sysfs-devices-system-cpu`, `…/testing/sysfs-devices-system-cpu`,
//! `Documentation/admin-guide/cputopology.rst`, `Documentation/ABI/stable/sysfs-devices-node`.

mod about;
mod caches;
mod cpus;
mod device_tree;
pub(crate) mod kinds;
pub(crate) mod nodes;
mod recorded;
mod sets;

use hitm_topology::{Package, PuList, Topology};

use crate::cpuset;
use crate::files::Files;

pub(crate) use recorded::recorded;

/// What the tree tells. All online PUs are taken as allowed but for those that the tree's own cpuset and mask leave out.
///
/// # Errors
/// Why it is no machine's tree.
pub(crate) fn read(files: &Files) -> Result<Topology, String> {
    let sets = sets::Sets::default();
    let mut said = Vec::new();
    let mut pus = cpus::read(files, &sets, &mut said)?;
    if pus.is_empty() {
        return Err("it tells no CPU: neither sys/devices/system/cpu/cpu0 nor sys/devices/system/cpu/online".into());
    }
    let numa_nodes = nodes::read(files, &sets, &mut pus, &mut said);
    let mut caches = caches::read(files, &sets, &pus, &mut said);
    device_tree::add_caches(files, &pus, &mut caches);
    let kinds = kinds::read(files, &pus);
    let mut packages: Vec<u32> = pus.iter().filter_map(|pu| pu.package).collect();
    packages.sort_unstable();
    packages.dedup();

    // This process's own mask and cpuset are asked of the kernel, as they were at its start.
    let restrictions = if files.are_real() { Vec::new() } else { cpuset::restrictions(files, &mut said) };
    for restriction in restrictions {
        let mut left_out = Vec::new();
        for pu in pus.iter_mut().filter(|pu| pu.allowed && restriction.pus.binary_search(&pu.os_index).is_err()) {
            pu.allowed = false;
            left_out.push(pu.os_index);
        }
        if let Ok(list) = PuList::new(left_out) {
            said.push(format!("PUs {list} are not allowed: they are outside {}", restriction.what));
        }
    }
    Ok(Topology {
        reader: "/sys".into(),
        architecture: about::architecture(files),
        os_name: Some("Linux".into()),
        pus,
        packages: packages.into_iter().map(|os_index| Package { os_index }).collect(),
        numa_nodes,
        caches,
        kinds,
        notes: said,
        ..Topology::default()
    })
}
