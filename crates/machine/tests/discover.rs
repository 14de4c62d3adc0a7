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
    for missing in ["no cores", "no packages", "no NUMA nodes", "no data caches"] {
        assert!(bare.notes.iter().any(|note| note.contains(missing)), "{missing}: {:?}", bare.notes);
    }
    assert_eq!(bare.counts().cores, 4, "each PU is a core of its own");
    assert_eq!(place(&bare, &Policy::Cores, 4).unwrap().pus, [0, 1, 2, 3]);
    let shallow = synthetic("package:1 l2:2 core:2 pu:1");
    assert!(shallow.notes.iter().any(|note| note.contains("no L3")), "{:?}", shallow.notes);
    assert!(bare.line_size().is_assumed());
    // hwloc would say 64 bytes and one node, neither of which is described.
    let cached = synthetic("package:2 l3:1 core:2 pu:1");
    assert!(cached.line_size().is_assumed() && cached.caches.iter().all(|cache| cache.line_bytes.is_none()));
    assert!(cached.numa_nodes.is_empty() && cached.pus.iter().all(|pu| pu.numa_node.is_none()));
    assert_eq!(synthetic("package:2 [numa] core:2 pu:1").counts().numa_nodes, 2);
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

/// The file with one place changed, and what is said of it.
fn changed(from: &str, to: &str) -> String {
    assert!(POWER.contains(from), "{from}");
    xml("changed", &POWER.replacen(from, to, 1)).unwrap_err().message
}

#[test]
fn what_hwloc_would_fall_over_is_refused_with_object_and_attribute() {
    // An object of each type without each of its sets: libhwloc 2.9 ends the process for many of these.
    for (kind, index) in [("Machine", 0), ("NUMANode", 0), ("Package", 0), ("Core", 8), ("PU", 0)] {
        let start = POWER.find(&format!("type=\"{kind}\"")).unwrap();
        let (before, object) = POWER.split_at(start);
        for set in ["cpuset", "complete_cpuset", "nodeset", "complete_nodeset"] {
            let object = object.replacen(&format!(" {set}="), " other=", 1);
            let message = xml("sets", &format!("{before}{object}")).unwrap_err().message;
            assert!(
                message.contains(&format!(", {kind} os_index=\"{index}\": it has no attribute `{set}`")),
                "{message}"
            );
        }
    }
    let pu = "type=\"PU\" os_index=\"1\" cpuset=\"0x00000002\"";
    let with = |index: &str, set: &str| changed(pu, &format!("type=\"PU\"{index} cpuset=\"{set}\""));
    for number in ["4000000000", "-1", "x", "", "1048576"] {
        let message = with(&format!(" os_index=\"{number}\""), "0x00000002");
        assert!(message.contains("PU os_index=\"") && message.contains("no whole number below 1048576"), "{message}");
    }
    assert!(with("", "0x00000002").contains("PU: it has no attribute `os_index`"));
    assert!(with(" os_index=\"7\"", "0x00000002").contains("`cpuset` is not PU 7 alone"));
    assert!(with(" os_index=\"0\"", "0x00000002").contains("another PU has os_index 0 too"));
    for set in ["garbage", "", "0x123456789", "0-3"] {
        assert!(with(" os_index=\"1\"", set).contains("`cpuset` is no set such as"), "{set}");
    }
    assert!(with(" os_index=\"1\"", "0x00000004").contains("line 9, Core os_index=\"8\": `cpuset` is not what the"));
    assert!(changed("gp_index=\"8\"", "gp_index=\"7\"").contains("another object has gp_index 7 too"));
    assert!(with(" os_index=\"1\"", "0xf...f").contains("its PUs have no end"));
}

#[test]
fn what_hwloc_refuses_is_told_without_its_librarys_names() {
    // All is told but what hwloc alone asks for: a cache's depth.
    let message = changed("type=\"Core\"", "type=\"L2Cache\"");
    assert!(message.ends_with("hwloc refuses it (Invalid argument (os error 22))"), "{message}");
}

/// As hwloc 1 writes it: no version, sockets, and no sets of nodes on a machine without NUMA nodes.
const FIRST: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc.dtd">
<topology>
  <object type="Machine" os_index="0" cpuset="0x00000003" complete_cpuset="0x00000003" online_cpuset="0x00000003" allowed_cpuset="0x00000001" local_memory="8000000000">
    <object type="Socket" os_index="0" cpuset="0x00000003" complete_cpuset="0x00000003" online_cpuset="0x00000003" allowed_cpuset="0x00000003">
      <object type="Cache" cpuset="0x00000003" complete_cpuset="0x00000003" online_cpuset="0x00000003" allowed_cpuset="0x00000003" cache_size="8388608" depth="3" cache_linesize="64">
        <object type="Core" os_index="0" cpuset="0x00000003" complete_cpuset="0x00000003" online_cpuset="0x00000003" allowed_cpuset="0x00000003">
          <object type="PU" os_index="0" cpuset="0x00000001" complete_cpuset="0x00000001" online_cpuset="0x00000001" allowed_cpuset="0x00000001"/>
          <object type="PU" os_index="1" cpuset="0x00000002" complete_cpuset="0x00000002" online_cpuset="0x00000002" allowed_cpuset="0x00000002"/>
        </object>
      </object>
    </object>
  </object>
</topology>
"#;

#[test]
fn files_of_hwloc_1_are_read() {
    let topology = xml("first", FIRST).unwrap();
    assert_eq!((topology.counts().pus, topology.counts().cores, topology.counts().packages), (2, 1, 1));
    assert_eq!(topology.allowed(), [0]);
    assert_eq!(topology.line_size().source, "hwloc L3");
}
