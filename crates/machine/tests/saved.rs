//! Machines in files of our own: what is saved reads back as it was, and what is not sound is refused with its place.

mod trees;

use std::path::PathBuf;

use hitm_machine::{Input, MachineError, Topology, discover, save};
use hitm_topology::{CacheKind, PRESETS};
use proptest::prelude::*;
use serde_json::{Value, json};
use trees::{Folder, Tree, ours};

fn file(folder: &Folder) -> PathBuf {
    folder.path().join("machine.json")
}

fn read_back(topology: &Topology) -> Topology {
    let folder = Folder::new();
    save(topology, &file(&folder)).unwrap();
    let read = discover(&Input::Json(file(&folder))).unwrap();
    assert_eq!(read.source, format!("json:{}", file(&folder).display()));
    assert!(!read.is_this_machine);
    read
}

fn assert_same(topology: &Topology, read: Topology) {
    let read = Topology { source: topology.source.clone(), is_this_machine: topology.is_this_machine, ..read };
    assert_eq!(read, *topology);
}

/// The machine as a document, changed, and read.
fn changed(topology: &Topology, change: impl Fn(&mut Value)) -> Result<Topology, MachineError> {
    let folder = Folder::new();
    save(topology, &file(&folder)).unwrap();
    let mut document: Value = serde_json::from_str(&std::fs::read_to_string(file(&folder)).unwrap()).unwrap();
    change(&mut document);
    std::fs::write(file(&folder), document.to_string()).unwrap();
    discover(&Input::Json(file(&folder)))
}

#[test]
fn what_is_saved_reads_back() {
    let mut machines = vec![discover(&Input::This).unwrap()];
    machines.extend([ours::pseries_p8(), ours::powernv8(), ours::x86_skylake(), ours::arm64()].map(|tree| tree.read()));
    machines.extend(PRESETS.iter().map(|preset| discover(&Input::Preset(preset.name.into())).unwrap()));
    let odd = Tree::new().cpus("0-3", |cpu| (-1, i64::from(cpu / 2))).node(7, "", 5).offline("1").each(
        "0-3",
        "cpu_capacity",
        |cpu| (cpu / 2 + 1).to_string(),
    );
    machines.push(odd.read());
    for machine in machines {
        let read = read_back(&machine);
        assert_same(&read, read_back(&read));
        assert_same(&machine, read);
    }
}

#[test]
fn everything_unsound_is_told_with_its_place() {
    let machine = ours::x86_skylake().read();
    let wrong = changed(&machine, |document| {
        let machine = &mut document["machine"];
        machine["pus"][3]["os_index"] = json!(2);
        machine["pus"][5]["package"] = json!(9);
        machine["pus"][6]["online"] = json!(false);
        machine["pus"][15]["numa_node"] = json!(77);
        machine["pus"][9]["smt_index"] = json!(0);
        machine["pus"][11]["smt_index"] = json!(4000000000u32);
        machine["caches"][3]["pus"] = json!([]);
        machine["caches"][0]["level"] = json!(0);
        machine["caches"][1]["pus"] = json!([999]);
        machine["caches"][2]["pus"] = json!([5, 4]);
        machine["caches"][25]["pus"] = json!([0, 8]);
        machine["packages"] = json!([{ "os_index": 0 }, { "os_index": 1 }, { "os_index": 1 }]);
        let kind = |name: &str| json!({ "name": name, "evidence": "", "rank": 0, "max_mhz": null, "pus": [1] });
        machine["kinds"] = json!([kind("a"), kind("a")]);
    });
    let message = wrong.unwrap_err().message;
    for place in [
        "machine.pus[3]: 2 is listed before",
        "machine.pus[5].package: package 9",
        "machine.pus[6].allowed: an offline PU",
        "machine.pus[15].numa_node: node 77",
        "machine.pus[9].smt_index",
        "machine.caches[0].level: 0 is not in 1..=9",
        "machine.caches[1].pus: PU 999 is not listed in pus",
        "machine.caches[2].pus[1]: 4 is listed before or out of order",
        "machine.caches[25].pus: PU 0 is in another cache",
        "machine.packages[2]: 1 is listed before",
        "machine.pus[11].smt_index: 4000000000 is not its rank",
        "machine.caches[3].pus: there are none",
        "machine.kinds[1].name",
        "machine.kinds[1].pus: PU 1",
    ] {
        assert!(message.contains(place), "{place}: {message}");
    }
    // The first twenty only are told.
    let odd = changed(&machine, |document| {
        document["machine"]["caches"][4]["colour"] = json!("red");
        document["machine"]["spam"] = json!({ "eggs": 1 });
        document["extra"] = json!(null);
        document["machine"]["notes"] = json!(["good", "bad \u{1b}[31m"]);
        document["machine"]["architecture"] = json!("x\u{7}");
    });
    let message = odd.unwrap_err().message;
    for place in [
        "extra: no such key",
        "machine.spam: no such key",
        "machine.caches[4].colour: no such key",
        "machine.notes[1]: it holds control characters",
        "machine.architecture: it holds control characters",
    ] {
        assert!(message.contains(place), "{place}: {message}");
    }
    let absurd = changed(&machine, |document| document["machine"]["pus"][15]["os_index"] = json!(1 << 20));
    assert!(absurd.unwrap_err().message.contains("pus[15].os_index"));
}

#[test]
fn other_files_are_refused() {
    let machine = ours::arm64().read();
    let version = changed(&machine, |document| document["version"] = json!(2)).unwrap_err();
    assert!(version.message.contains("version 2") && version.cure.contains("again"), "{version}");
    let format = changed(&machine, |document| document["format"] = json!("other")).unwrap_err();
    assert!(format.message.contains("`format` is not `hitm-machine`"), "{format}");
    let kind = changed(&machine, |document| document["machine"]["caches"][0]["kind"] = json!("hot")).unwrap_err();
    assert!(kind.message.contains("line 1 column"), "{kind}");
    let none = changed(&machine, |document| document["machine"]["pus"] = json!([])).unwrap_err();
    assert!(none.message.contains("machine.pus: there are none"), "{none}");
    let folder = Folder::new();
    for text in ["", "{}", "[]", "null", "<topology/>", r#"{"format":"hitm-machine","version":1}"#, "\u{0}"] {
        std::fs::write(file(&folder), text).unwrap();
        let error = discover(&Input::Json(file(&folder))).unwrap_err();
        assert!(error.cure.contains("--save"), "{text}: {error}");
    }
    for path in [folder.path().to_owned(), "/nonexistent/machine.json".into()] {
        assert!(discover(&Input::Json(path.clone())).is_err());
        assert!(save(&machine, &path).is_err());
    }
}

#[test]
fn an_unsound_machine_is_not_saved() {
    let mut machine = ours::x86_skylake().read();
    machine.caches[0].pus.push(4000);
    let folder = Folder::new();
    let error = save(&machine, &file(&folder)).unwrap_err();
    assert!(error.message.contains("PU 4000") && !file(&folder).exists(), "{error}");
}

#[test]
fn saving_replaces_a_file_at_once_or_not_at_all() {
    let machine = ours::x86_skylake().read();
    let folder = Folder::new();
    let names = || std::fs::read_dir(folder.path()).unwrap().count();
    // What cannot be written leaves the old file, and nothing beside it.
    let mut unsound = machine.clone();
    unsound.pus[0].smt_index = 9;
    save(&machine, &file(&folder)).unwrap();
    let old = std::fs::read(file(&folder)).unwrap();
    assert!(save(&unsound, &file(&folder)).is_err());
    assert_eq!((std::fs::read(file(&folder)).unwrap(), names()), (old.clone(), 1));
    // A link stays a link.
    let link = folder.path().join("link.json");
    std::os::unix::fs::symlink("machine.json", &link).unwrap();
    save(&ours::arm64().read(), &link).unwrap();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink() && std::fs::read(file(&folder)).unwrap() != old);
    // Nothing is waited for.
    let pipe = folder.path().join("pipe");
    if std::process::Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
        assert!(save(&machine, &pipe).unwrap_err().message.contains("no plain file"));
    }
    for place in ["/dev/full", "/dev/null", "/"] {
        assert!(save(&machine, place.as_ref()).is_err(), "{place}");
    }
    assert_eq!(
        std::fs::read_dir(folder.path())
            .unwrap()
            .filter(|entry| { entry.as_ref().unwrap().file_name().to_string_lossy().ends_with(".part") })
            .count(),
        0
    );
}

#[test]
fn control_characters_of_a_source_are_taken_out() {
    let tree = Tree::new().cpus("0-1", |cpu| (0, i64::from(cpu)));
    let machine = tree.file("proc/hwloc-nofile-info", "Architecture: x\u{1b}[31m86\n").read();
    assert_eq!(machine.architecture.as_deref(), Some("x\u{fffd}[31m86"));
    assert_same(&machine, read_back(&machine));
}

fn garbage() -> impl Strategy<Value = String> {
    prop_oneof![
        "[0-9,-]{0,12}",
        "[0-9a-f,]{0,20}",
        "\\PC{0,8}",
        "[0-3]",
        Just("-1".to_owned()),
        Just("0-65535".to_owned()),
        Just("99999999999999999999".to_owned()),
    ]
}

const OF_CPU: [&str; 12] = [
    "topology/thread_siblings_list",
    "topology/core_cpus_list",
    "topology/core_id",
    "topology/physical_package_id",
    "online",
    "cache/index0/shared_cpu_list",
    "cache/index0/level",
    "cache/index0/size",
    "cache/index1/type",
    "cpu_capacity",
    "cpufreq/cpuinfo_max_freq",
    "regs/identification/midr_el1",
];
const OF_SYSTEM: [&str; 4] = ["cpu/online", "node/node0/cpulist", "node/node1/cpulist", "node/node1/meminfo"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever the files of a tree hold, what is made of them is sound: it can be saved and reads back.
    #[test]
    fn garbage_makes_no_unsound_machine(
        of_cpus in proptest::collection::vec((0..4u32, 0..OF_CPU.len(), garbage()), 0..24),
        of_system in proptest::collection::vec((0..OF_SYSTEM.len(), garbage()), 0..4),
    ) {
        let mut tree = Tree::new()
            .cpus("0-3", |cpu| (i64::from(cpu / 2), i64::from(cpu)))
            .cache(1, "Data", "32K", "64", &["0-1", "2-3"])
            .node(0, "0-1", 10)
            .node(1, "2-3", 10);
        for (cpu, which, text) in of_cpus {
            tree = tree.each(&cpu.to_string(), OF_CPU[which], |_| text.clone());
        }
        for (which, text) in of_system {
            tree = tree.file(&format!("sys/devices/system/{}", OF_SYSTEM[which]), text);
        }
        let machine = tree.read();
        assert_same(&machine, read_back(&machine));
        prop_assert!(machine.pus.iter().all(|pu| !pu.allowed || pu.online));
        let caches = machine.caches.iter().filter(|cache| cache.kind == CacheKind::Data);
        prop_assert!(caches.flat_map(|cache| &cache.pus).all(|pu| machine.pu(*pu).is_some()));
    }
}
