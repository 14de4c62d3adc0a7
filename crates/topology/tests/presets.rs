//! The machines that can be had by name.

use std::collections::BTreeSet;

use hitm_topology::{CacheKind, PRESETS, Topology, place, preset};

fn of(name: &str) -> Topology {
    preset(name).unwrap()
}

#[test]
fn every_preset_is_whole() {
    let names: BTreeSet<&str> = PRESETS.iter().map(|preset| preset.name).collect();
    assert_eq!(names.len(), PRESETS.len());
    for named in PRESETS {
        let topology = of(named.name);
        assert_eq!(topology.source, format!("preset:{}", named.name));
        assert!(!topology.is_this_machine && !named.summary.ends_with('.'));
        let listed: BTreeSet<u32> = topology.pus.iter().map(|pu| pu.os_index).collect();
        assert_eq!(listed.len(), topology.pus.len(), "{}", named.name);
        assert!(topology.pus.is_sorted_by_key(|pu| pu.os_index));
        assert!(named.summary.contains(&format!("{} PUs", listed.len())), "{}", named.summary);
        for (level, kind) in [(1, CacheKind::Instruction), (1, CacheKind::Data), (2, CacheKind::Unified)] {
            let caches = topology.caches.iter().filter(|cache| cache.level == level && cache.kind == kind);
            let mut above: Vec<u32> = caches.flat_map(|cache| cache.pus.clone()).collect();
            above.sort_unstable();
            assert!(above.into_iter().eq(listed.iter().copied()), "{}: L{level}{kind}", named.name);
        }
        assert!(!topology.line_size().is_assumed());
        assert_eq!(place(&topology, &"scatter".parse().unwrap(), listed.len()).unwrap().pus.len(), listed.len());
    }
    assert_eq!(preset("power9"), None);
}

#[test]
fn each_has_the_shape_that_its_name_says() {
    // Packages, nodes, cores, PUs, threads of a core, last-level caches, line.
    let shapes = [
        ("power8-2s10c8t", (2, 2, 20, 160, 8, 20, 128)),
        ("c5.2xlarge", (1, 1, 4, 8, 2, 1, 64)),
        ("c5.9xlarge", (1, 1, 18, 36, 2, 1, 64)),
        ("epyc-2s64c2t", (2, 2, 128, 256, 2, 16, 64)),
        ("xeon-2s40c2t", (2, 2, 80, 160, 2, 2, 64)),
        ("graviton3-64c", (1, 1, 64, 64, 1, 1, 64)),
        ("apple-m1-hybrid", (1, 0, 8, 8, 1, 2, 128)),
    ];
    assert_eq!(shapes.len(), PRESETS.len());
    for (name, shape) in shapes {
        let topology = of(name);
        let counts = topology.counts();
        let last = counts.caches.last().unwrap().count;
        let found = (counts.packages, counts.numa_nodes, counts.cores, counts.pus, counts.smt_max, last);
        let line = topology.line_size().bytes;
        assert_eq!((found.0, found.1, found.2, found.3, found.4, found.5, line), shape, "{name}");
        assert_eq!(counts.smt_min, counts.smt_max);
    }
}

#[test]
fn siblings_are_where_each_system_numbers_them() {
    let siblings = |name: &str, pu: u32| {
        let topology = of(name);
        topology.within(&[format!("core:{pu}").parse().unwrap()]).unwrap()
    };
    assert_eq!(siblings("power8-2s10c8t", 83), [80, 81, 82, 83, 84, 85, 86, 87]);
    assert_eq!(siblings("c5.2xlarge", 0), [0, 4]);
    assert_eq!(siblings("c5.9xlarge", 17), [17, 35]);
    assert_eq!(siblings("epyc-2s64c2t", 192), [64, 192]);
    assert_eq!(siblings("xeon-2s40c2t", 40), [40, 120]);
    let m1 = of("apple-m1-hybrid");
    let sizes = |pu: u32| -> Vec<Option<u64>> {
        m1.caches
            .iter()
            .filter(|cache| cache.pus.contains(&pu) && cache.kind.holds_data())
            .map(|cache| cache.size_bytes)
            .collect()
    };
    assert_eq!(sizes(0), [Some(64 << 10), Some(4 << 20)]);
    assert_eq!(sizes(7), [Some(128 << 10), Some(12 << 20)]);
    assert_eq!(m1.kinds.iter().map(|kind| kind.rank).collect::<Vec<_>>(), [0, 1]);
}
