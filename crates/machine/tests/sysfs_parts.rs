//! Copied /sys trees: caches, NUMA nodes and kinds of cores, where tools of this field went wrong.

mod trees;

use hitm_machine::Topology;
use hitm_topology::CacheKind;
use trees::look::{caches, cores, placed, says};
use trees::{Tree, ours};

#[test]
fn the_four_machines_of_our_own_are_what_they_are() {
    let eight = |first: u32| (first..first + 8).collect::<Vec<u32>>();
    for (tree, source) in [(ours::pseries_p8(), "/sys L1d"), (ours::powernv8(), "/sys L1d")] {
        let power = tree.read();
        assert_eq!(cores(&power), [eight(0), eight(8), eight(16), eight(24)]);
        let counts = power.counts();
        assert_eq!((counts.pus, counts.packages, counts.numa_nodes, counts.smt_min, counts.smt_max), (32, 2, 2, 8, 8));
        assert_eq!((power.line_size().bytes, power.line_size().source.as_str()), (128, source));
        assert_eq!(caches(&power, 1, CacheKind::Data), [eight(0), eight(8), eight(16), eight(24)]);
        assert_eq!(power.architecture.as_deref(), Some("ppc64le"));
        assert!(says(&power, "no L3"));
    }
    let skylake = ours::x86_skylake().read();
    assert_eq!(cores(&skylake), (0..8).map(|core| vec![2 * core, 2 * core + 1]).collect::<Vec<_>>());
    assert_eq!(caches(&skylake, 3, CacheKind::Unified), [eight(0), eight(8)]);
    assert_eq!(skylake.notes, Vec::<String>::new());
    let arm = ours::arm64().read();
    assert_eq!(cores(&arm), (0..8).map(|core| vec![2 * core, 2 * core + 1]).collect::<Vec<_>>());
    assert!(arm.caches.iter().all(|cache| cache.size_bytes.is_none() && cache.line_bytes.is_none()));
    assert!(arm.line_size().is_assumed() && says(&arm, "line sizes are not told"));
}

#[test]
fn kinds_of_cores_each_have_their_own_caches_and_clocks() {
    // hwloc#507: an Apple M1, whose clocks are not told.
    let m1 = Tree::new()
        .cpus("0-7", |cpu| (0, i64::from(cpu)))
        .cache(1, "Data", "64K", "64", &["0", "1", "2", "3"])
        .cache(1, "Data", "128K", "64", &["4", "5", "6", "7"])
        .cache(2, "Unified", "4M", "128", &["0-3"])
        .cache(2, "Unified", "12M", "128", &["4-7"])
        .each("0-7", "cpu_capacity", |cpu| if cpu < 4 { "446".into() } else { "1024".into() })
        .read();
    let kinds: Vec<_> =
        m1.kinds.iter().map(|kind| (kind.name.as_str(), kind.rank, kind.max_mhz, kind.pus.clone())).collect();
    assert_eq!(kinds, [("capacity 446", 0, None, vec![0, 1, 2, 3]), ("capacity 1024", 1, None, vec![4, 5, 6, 7])]);
    assert_eq!(caches(&m1, 2, CacheKind::Unified).len(), 2);
    assert!(says(&m1, "no L3") && !says(&m1, "no kinds"));
    // google/benchmark#1385: big.LITTLE is 4 × 1512 MHz and 2 × 2016 MHz.
    let clock = |cpu: u32| if cpu < 4 { "1512000".into() } else { "2016000".into() };
    let part = |cpu: u32| format!("0x00000000410f{}4\n", if cpu < 4 { "d03" } else { "d09" });
    let little = || Tree::new().cpus("0-5", |cpu| (0, i64::from(cpu))).each("0-5", "cpufreq/cpuinfo_max_freq", clock);
    let big_little = little().each("0-5", "regs/identification/midr_el1", part).read();
    let groups: Vec<_> = big_little.kinds.iter().map(|kind| (kind.pus.len(), kind.max_mhz)).collect();
    assert_eq!(groups, [(4, Some(1512)), (2, Some(2016))]);
    assert!(little().read().kinds.is_empty(), "clocks alone are no evidence");
}

#[test]
fn hybrid_kinds_need_the_kernels_word() {
    // hwloc PR591: the PMUs list the PUs of each kind; hwloc#444: a part of such a machine has one kind.
    let cpus = |tree: Tree, pmu: &str, list: &str| tree.file(&format!("sys/devices/{pmu}/cpus"), list);
    let tree = || Tree::new().cpus("0-7", |cpu| (0, i64::from(if cpu < 4 { cpu / 2 } else { cpu })));
    let hybrid = cpus(cpus(tree(), "cpu_core", "0-3\n"), "cpu_atom", "4-7\n").read();
    let kinds: Vec<_> = hybrid.kinds.iter().map(|kind| (kind.name.as_str(), kind.rank, kind.pus.len())).collect();
    assert_eq!(kinds, [("efficiency", 0, 4), ("performance", 1, 4)]);
    assert_eq!(hybrid.kinds[0].evidence, "/sys/devices/cpu_atom/cpus");
    let part = cpus(cpus(tree(), "cpu_core", "0-7\n"), "cpu_atom", "8-15\n").read();
    assert!(part.kinds.is_empty(), "{:?}", part.kinds);
    // On x86 capacities follow the turbo clocks of favoured cores.
    let turbo = tree().file("proc/cpuinfo", "vendor_id\t: GenuineIntel\nflags\t: lm\n");
    let turbo = turbo.each("0-7", "cpu_capacity", |cpu| (1000 + cpu).to_string()).read();
    assert!(turbo.kinds.is_empty());
}

#[test]
fn memory_without_pus_and_pus_without_memory_are_nodes() {
    let machine = Tree::new()
        .cpus("0-7", |cpu| (0, i64::from(cpu)))
        .node(0, "0-3", 1 << 20)
        .node(8, "4-7", 0)
        .node(250, "", 4 << 20)
        .read();
    let nodes: Vec<_> =
        machine.numa_nodes.iter().map(|node| (node.os_index, node.memory_bytes, node.pus.len())).collect();
    assert_eq!(nodes, [(0, Some(1 << 30), 4), (8, Some(0), 4), (250, Some(4 << 30), 0)]);
    assert_eq!(machine.counts().numa_nodes, 2);
    assert_eq!(placed(&machine, "one-per-node", 2), [0, 4]);
}

#[test]
fn old_kernels_masks_tell_the_same_as_lists() {
    let tree = || {
        Tree::new()
            .cpus("0-71", |cpu| (i64::from(cpu % 2), i64::from(cpu / 2 % 18)))
            .cache_of_cores(1, "Data", "32K", "64")
            .node(0, "0-70:2", 1024)
            .node(1, "1-71:2", 1024)
            .offline("3,70")
    };
    let (lists, masks) = (tree().read(), tree().with_masks().read());
    assert_eq!(Topology { source: String::new(), ..masks }, Topology { source: String::new(), ..lists });
}

#[test]
fn what_pus_tell_differently_is_noted_and_never_counted_twice() {
    // hwloc#450 again: half of a core says that its L3 is another.
    let tree = Tree::new().cpus("0-3", |cpu| (0, i64::from(cpu / 2))).cache(3, "Unified", "8M", "64", &["0-3"]);
    let torn = tree.each("3", "cache/index0/shared_cpu_list", |_| "2-3".into()).read();
    assert_eq!(caches(&torn, 3, CacheKind::Unified), [vec![0, 1, 2], vec![3]]);
    assert!(says(&torn, "told differently"), "{:?}", torn.notes);
    let tree = Tree::new().cpus("0-3", |cpu| (0, i64::from(cpu / 2)));
    let torn = tree.each("1", "topology/thread_siblings_list", |_| "1".into()).read();
    assert_eq!(torn.counts().cores, 2);
    assert!(says(&torn, "other siblings"), "{:?}", torn.notes);
    let tree = Tree::new().cpus("0-3", |cpu| (0, i64::from(cpu))).each("2", "online", |_| "0".into());
    assert_eq!(tree.read().allowed(), [0, 1, 3]);
}

#[test]
fn a_power_machines_device_tree_fills_in_its_caches() {
    let cells = |cells: &[u32]| cells.iter().flat_map(|cell| cell.to_be_bytes()).collect::<Vec<u8>>();
    let mut tree = Tree::new().cpus("0-15", |cpu| (-1, i64::from(cpu / 4)));
    // Two cores to an L2, all four to an L3; the hardware numbers threads by eights.
    for core in 0..4u32 {
        let node = format!("proc/device-tree/cpus/PowerPC,POWER7@{:x}", core * 8);
        let threads: Vec<u32> = (0..4).map(|thread| core * 8 + thread).collect();
        tree = tree
            .file(&format!("{node}/ibm,ppc-interrupt-server#s"), cells(&threads))
            .file(&format!("{node}/d-cache-size"), cells(&[32768]))
            .file(&format!("{node}/d-cache-line-size"), cells(&[128]))
            .file(&format!("{node}/l2-cache"), cells(&[0x200 + core / 2]));
    }
    for (handle, size, next) in [(0x200, 262144, 0x300), (0x201, 262144, 0x300), (0x300, 4194304, 0x200)] {
        let node = format!("proc/device-tree/cpus/cache@{handle:x}");
        tree = tree
            .file(&format!("{node}/ibm,phandle"), cells(&[handle]))
            .file(&format!("{node}/cache-unified"), "")
            .file(&format!("{node}/d-cache-size"), cells(&[size]))
            .file(&format!("{node}/next-level-cache"), cells(&[next]));
    }
    let machine = tree.each("0-15", "physical_id", |cpu| (cpu / 4 * 8 + cpu % 4).to_string()).read();
    assert_eq!(caches(&machine, 1, CacheKind::Data).len(), 4);
    assert_eq!(caches(&machine, 2, CacheKind::Unified), [(0..8).collect::<Vec<_>>(), (8..16).collect()]);
    assert_eq!(caches(&machine, 3, CacheKind::Unified), [(0..16).collect::<Vec<_>>()]);
    assert_eq!(machine.line_size().bytes, 128);
    // The L3 names an L2 as its next: a circle, and no fourth level.
    assert_eq!(machine.caches.iter().map(|cache| cache.level).max(), Some(3));
}

#[test]
fn data_that_conflict_are_noted() {
    let tree = || Tree::new().cpus("0-3", |cpu| (0, i64::from(cpu / 2)));
    let nodes = tree().node(0, "0-2", 1024).node(1, "1-3", 1024).read();
    assert!(says(&nodes, "2 times a PU is listed in another NUMA node"), "{:?}", nodes.notes);
    let torn =
        Tree::new()
            .cpus("0-3", |cpu| (i64::from(cpu % 2), 0))
            .each("0-3", "topology/thread_siblings_list", |_| "0-3".into());
    let torn = torn.read();
    assert!(says(&torn, "the siblings of 1 cores are in several packages"), "{:?}", torn.notes);
    let lines = tree().cache(1, "Data", "32K", "64", &["0", "1"]).cache(1, "Data", "32K", "128", &["2", "3"]).read();
    assert!(says(&lines, "the line sizes of the L1 caches differ"), "{:?}", lines.notes);
    assert_eq!(lines.line_size().bytes, 128);
    let shared = tree().cache(2, "Unified", "1M", "64", &["0-3"]);
    let shared = shared.each("3", "cache/index0/coherency_line_size", |_| "128".into()).read();
    assert!(says(&shared, "those that share an L2 cache tell different line sizes"), "{:?}", shared.notes);
    let cores = tree().without(&["siblings_list"]).each("2-3", "topology/core_id", |_| "x".into()).read();
    assert!(says(&cores, "the cores of 2 online PUs are not told"), "{:?}", cores.notes);
    let sound = tree().node(0, "0-3", 1024).cache(1, "Data", "32K", "64", &["0-1", "2-3"]).read();
    assert_eq!(sound.notes, ["no L3 cache is told"]);
}
