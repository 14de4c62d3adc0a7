//! What this machine tells besides its topology: who is offline, who is allowed, the size of a line.

use std::collections::BTreeSet;

use hitm_topology::{LineSize, PU_LIMIT, Pu, Topology};

use crate::files::Files;
use crate::sysconf;

/// Adds to what hwloc tells of this machine: who is allowed, who is offline, and the line size where hwloc has none.
pub(crate) fn complete(topology: &mut Topology, mask: &[u32], files: &Files) {
    let cpus = |name: &str| files.pus(&format!("/sys/devices/system/cpu/{name}"));
    let (online, present, possible) = (cpus("online"), cpus("present"), cpus("possible"));
    let mask: BTreeSet<u32> = mask.iter().copied().collect();
    let listed: BTreeSet<u32> = topology.pus.iter().map(|pu| pu.os_index).collect();
    let untold: BTreeSet<u32> =
        present.iter().flatten().chain(&mask).copied().filter(|pu| !listed.contains(pu) && *pu < PU_LIMIT).collect();
    topology.pus.extend(untold.into_iter().map(Pu::offline));
    topology.pus.sort_by_key(|pu| pu.os_index);
    for pu in &mut topology.pus {
        if let Some(online) = &online {
            pu.online = online.contains(&pu.os_index);
        }
        if mask.is_empty() {
            pu.allowed &= pu.online;
        } else {
            // The kernel takes offline PUs out of every mask it gives.
            pu.online |= mask.contains(&pu.os_index) && online.is_none();
            pu.allowed = pu.online && mask.contains(&pu.os_index);
        }
    }
    if mask.is_empty() {
        topology
            .notes
            .push("the OS does not tell the process's affinity mask, so hwloc's allowed PUs are taken".into());
    }
    let lone = topology.pus.iter().filter(|pu| pu.online && pu.core.is_none()).count();
    if lone > 0 && topology.pus.iter().any(|pu| pu.core.is_some()) {
        topology
            .notes
            .push(format!("hwloc does not tell the core of {lone} online PUs; each counts as a core of its own"));
    }
    let offline = topology.pus.iter().filter(|pu| !pu.online).count();
    if offline > 0 {
        topology.notes.push(format!("{offline} PUs are offline; what they belong to is mostly not told"));
    }
    if let Some(more) = possible.zip(present).map(|(possible, present)| possible.len().saturating_sub(present.len())) {
        if more > 0 {
            topology.notes.push(format!("{more} more PUs are possible but not plugged in"));
        }
    }
    topology.line = line_of_sys(topology, files).or_else(|| {
        files.are_real().then(sysconf::line_bytes).flatten().and_then(|bytes| LineSize::told(bytes, "sysconf"))
    });
}

/// The largest `coherency_line_size` of the lowest level that an allowed PU's data caches tell: PU 0 need not be there.
fn line_of_sys(topology: &Topology, files: &Files) -> Option<LineSize> {
    topology.allowed().into_iter().find_map(|pu| {
        let caches = (0..16).filter_map(|index| {
            let of = |name: &str| files.read(&format!("/sys/devices/system/cpu/cpu{pu}/cache/index{index}/{name}"));
            let bytes: u64 = of("coherency_line_size").ok()?.parse().ok()?;
            let level: u32 = of("level").ok()?.parse().ok()?;
            let holds_data = of("type").is_ok_and(|kind| kind != "Instruction");
            (holds_data && LineSize::is_plausible(bytes)).then_some((level, std::cmp::Reverse(bytes)))
        });
        let (level, std::cmp::Reverse(bytes)) = caches.min()?;
        LineSize::told(bytes, format!("/sys cpu{pu} L{level} coherency_line_size"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::tests::Tree;

    fn online_pu(os_index: u32, core: u32) -> Pu {
        Pu { core: Some(core), online: true, allowed: true, ..Pu::offline(os_index) }
    }

    #[test]
    fn offline_and_disallowed_pus_are_listed_and_never_allowed() {
        // hwloc shows the online ones; the process may use 2 and 3; 8 to 15 are not plugged in.
        let tree = Tree::new(&[
            ("/sys/devices/system/cpu/possible", "0-15\n"),
            ("/sys/devices/system/cpu/present", "0-7\n"),
            ("/sys/devices/system/cpu/online", "0-3,5\n"),
        ]);
        let mut topology = Topology {
            pus: vec![online_pu(0, 0), online_pu(1, 0), online_pu(2, 1), online_pu(3, 1)],
            ..Topology::default()
        };
        complete(&mut topology, &[2, 3], &tree.files());
        let states: Vec<_> = topology.pus.iter().map(|pu| (pu.os_index, pu.online, pu.allowed)).collect();
        let expected = [
            (0, true, false),
            (1, true, false),
            (2, true, true),
            (3, true, true),
            (4, false, false),
            (5, true, false),
            (6, false, false),
            (7, false, false),
        ];
        assert_eq!(states, expected);
        assert_eq!(topology.notes.len(), 3, "{:?}", topology.notes);
        assert!(topology.notes[2].starts_with("8 more PUs are possible"));
    }

    #[test]
    fn without_sys_and_without_a_mask_hwloc_is_believed() {
        let nothing = Tree::new(&[]);
        let mut topology =
            Topology { pus: vec![online_pu(0, 0), Pu { allowed: false, ..online_pu(1, 1) }], ..Topology::default() };
        complete(&mut topology, &[], &nothing.files());
        assert_eq!(topology.allowed(), [0]);
        assert_eq!(topology.line, None);
        complete(&mut topology, &[1, 9], &nothing.files());
        assert_eq!(topology.allowed(), [1, 9]);
    }

    #[test]
    fn the_line_size_is_that_of_a_pu_that_is_there() {
        let at = |index: u32, name: &str| format!("/sys/devices/system/cpu/cpu9/cache/index{index}/{name}");
        let tree = Tree::new(&[
            (&at(0, "level"), "1\n"),
            (&at(0, "type"), "Instruction\n"),
            (&at(0, "coherency_line_size"), "32\n"),
            (&at(1, "level"), "2\n"),
            (&at(1, "type"), "Unified\n"),
            (&at(1, "coherency_line_size"), "256\n"),
            (&at(2, "level"), "1\n"),
            (&at(2, "type"), "Data\n"),
            (&at(2, "coherency_line_size"), "128\n"),
            (&at(3, "level"), "0\n"),
            (&at(3, "type"), "Data\n"),
            (&at(3, "coherency_line_size"), "0\n"),
        ]);
        let mut topology = Topology { pus: vec![online_pu(4, 0), online_pu(9, 1)], ..Topology::default() };
        complete(&mut topology, &[4, 9], &tree.files());
        assert_eq!(topology.line_size(), LineSize { bytes: 128, source: "/sys cpu9 L1 coherency_line_size".into() });
    }
}
