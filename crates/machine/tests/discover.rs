//! Machines from hwloc: described ones and recorded ones.

#![cfg(feature = "hwloc")]

use std::path::PathBuf;

use hitm_machine::{Input, discover, fingerprint};
use hitm_topology::{CacheKind, Policy, Topology, place};

fn synthetic(description: &str) -> Topology {
    discover(&Input::Synthetic(description.into())).unwrap()
}

fn xml(name: &str, text: &str) -> Result<Topology, hitm_machine::MachineError> {
    let path: PathBuf = std::env::temp_dir().join(format!("hitm-{}-{name}.xml", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let found = discover(&Input::Xml(path.clone()));
    std::fs::remove_file(path).unwrap();
    found
}

#[test]
fn a_described_machine_has_what_is_described() {
    let topology = synthetic("package:2 numa:2 l3:5(size=8388608) l2:1(size=524288) l1d:1(size=65536) core:1 pu:8");
    let counts = topology.counts();
    assert_eq!((counts.pus, counts.cores, counts.packages, counts.numa_nodes), (160, 20, 2, 4));
    assert_eq!((counts.smt_min, counts.smt_max), (8, 8));
    let l3 = counts.caches.iter().find(|cache| cache.level == 3).unwrap();
    assert_eq!((l3.count, l3.kind, &l3.sizes_bytes[..]), (20, CacheKind::Unified, &[8388608][..]));
    assert!(!topology.is_this_machine);
    assert_eq!(topology.allowed().len(), 160);
    assert_eq!((topology.architecture.as_deref(), topology.os_name.as_deref()), (None, None));
    assert_eq!(topology.witness_pair(), Some([0, 80]));
    let compact = place(&topology, &Policy::Compact, 9).unwrap();
    assert_eq!(compact.pus, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(topology.pus.iter().filter(|pu| pu.smt_index == 7).count(), 20);
}

#[test]
fn what_a_description_leaves_out_is_noted() {
    let bare = synthetic("pu:4");
    for missing in ["no cores", "no packages", "no data caches"] {
        assert!(bare.notes.iter().any(|note| note.contains(missing)), "{missing}: {:?}", bare.notes);
    }
    assert_eq!(bare.counts().cores, 4, "each PU is a core of its own");
    assert_eq!(place(&bare, &Policy::Cores, 4).unwrap().pus, [0, 1, 2, 3]);
    let shallow = synthetic("package:1 l2:2 core:2 pu:1");
    assert!(shallow.notes.iter().any(|note| note.contains("no L3")), "{:?}", shallow.notes);
    assert!(bare.line_size().is_assumed());
}

#[test]
fn many_pus_are_no_trouble() {
    let topology = synthetic("package:4 l3:16 core:8 pu:8");
    assert_eq!(topology.counts().pus, 4096);
    assert_eq!(topology.witness_pair(), Some([0, 1024]));
}

#[test]
fn bad_descriptions_are_refused_with_the_form() {
    for description in
        ["x", "core:0", "pu:2 core:2", "package:2 (", "core:2 pu:99999999999", "core:70000 pu:1", "core:2\0 pu:1", "-1"]
    {
        let error = discover(&Input::Synthetic(description.into())).unwrap_err();
        assert!(error.message.contains("does not describe a machine"), "{description}: {error}");
        assert!(error.cure.contains("core:10 pu:8"), "{error}");
    }
}

/// Two packages of POWER8 as hwloc 2 writes it, with one core of two threads each; the core of the second package has the same
/// number, PU 2057 is disallowed and PU 8 is offline.
const POWER: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" cpuset="0x00000300,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,0x00000003" complete_cpuset="0x00000300,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,0x00000103" allowed_cpuset="0x00000100,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,0x00000003" nodeset="0x00000001" complete_nodeset="0x00000001" allowed_nodeset="0x00000001" gp_index="1">
    <info name="OSName" value="Linux"/>
    <info name="Architecture" value="ppc64le"/>
    <object type="NUMANode" os_index="0" cpuset="0x00000300,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,0x00000003" complete_cpuset="0x00000300,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,0x00000103" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="2" local_memory="1073741824"/>
    <object type="Package" os_index="0" cpuset="0x00000003" complete_cpuset="0x00000003" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="3">
      <object type="Core" os_index="8" cpuset="0x00000003" complete_cpuset="0x00000003" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="5">
        <object type="PU" os_index="0" cpuset="0x00000001" complete_cpuset="0x00000001" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="7"/>
        <object type="PU" os_index="1" cpuset="0x00000002" complete_cpuset="0x00000002" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="8"/>
      </object>
    </object>
    <object type="Package" os_index="1" cpuset="0x00000300,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,0x0" complete_cpuset="0x00000300,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,0x0" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="4">
      <object type="Core" os_index="8" cpuset="0x00000300,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,0x0" complete_cpuset="0x00000300,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,0x0" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="6">
        <object type="PU" os_index="2056" cpuset="0x00000100,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,0x0" complete_cpuset="0x00000100,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,0x0" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="9"/>
        <object type="PU" os_index="2057" cpuset="0x00000200,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,0x0" complete_cpuset="0x00000200,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,0x0" nodeset="0x00000001" complete_nodeset="0x00000001" gp_index="10"/>
      </object>
    </object>
  </object>
</topology>
"#;

#[test]
fn a_recorded_machine_is_itself_and_nothing_of_this_one() {
    let topology = xml("power", POWER).unwrap();
    assert!(!topology.is_this_machine);
    let states: Vec<_> = topology.pus.iter().map(|pu| (pu.os_index, pu.package, pu.online, pu.allowed)).collect();
    let expected = [
        (0, Some(0), true, true),
        (1, Some(0), true, true),
        (8, None, false, false),
        (2056, Some(1), true, true),
        (2057, Some(1), true, false),
    ];
    assert_eq!(states, expected);
    assert_eq!(topology.counts().cores, 2);
    assert_eq!(topology.architecture.as_deref(), Some("ppc64le"));
    assert_eq!(topology.line_size().bytes, 128);
    assert!(topology.line_size().is_assumed());
    assert_eq!(topology.numa_nodes[0].memory_bytes, Some(1 << 30));
    assert_eq!(topology.witness_pair(), Some([0, 2056]));
    let facts = fingerprint::facts(&topology);
    assert!(facts.iter().any(|fact| fact.name == "memory" && fact.value == "1 GiB"));
    assert!(facts.iter().all(|fact| fact.name != "kernel"));
}

#[test]
fn files_that_are_no_machines_are_refused() {
    for (name, text) in [("empty", ""), ("text", "hello"), ("other", "<svg/>"), ("cut", &POWER[..900])] {
        let error = xml(name, text).unwrap_err();
        assert!(error.message.contains("cannot be read as a machine"), "{name}: {error}");
        assert!(error.cure.contains("lstopo"), "{error}");
    }
    for path in ["/nonexistent/machine.xml", "/"] {
        assert!(discover(&Input::Xml(path.into())).is_err());
    }
}
