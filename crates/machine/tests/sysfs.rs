//! Copied /sys trees: which PUs there are, on which cores, and which of them may be used, where tools of this field went wrong.

mod trees;

use hitm_machine::{Input, discover};
use hitm_topology::CacheKind;
use trees::look::{caches, placed, says};
use trees::{Tree, ours, pus};

#[test]
fn pus_above_a_thousand_are_pus_like_others() {
    // powerpc-utils#34: 1280 threads of SMT8.
    let power = Tree::new().cpus("0-1279", |cpu| (i64::from(cpu / 320), i64::from(cpu / 8))).read();
    assert_eq!((power.counts().pus, power.counts().cores, power.counts().packages), (1280, 160, 4));
    assert_eq!(placed(&power, "1279", 1), [1279]);
    assert_eq!(placed(&power, "cores", 160).last(), Some(&1272));
}

#[test]
fn core_ids_are_no_indexes() {
    // powerpc-utils PR104, plasma-simpleMonitor#63: core ids 0-6 and 8-14 in each of two packages.
    let id = |cpu: u32| i64::from(if cpu % 14 < 7 { cpu % 14 } else { cpu % 14 + 1 });
    for tree in [
        Tree::new().cpus("0-27", |cpu| (i64::from(cpu / 14), id(cpu))),
        // Without siblings package and core id are all there is.
        Tree::new().cpus("0-27", |cpu| (i64::from(cpu / 14), id(cpu))).without(&["siblings", "siblings_list"]),
    ] {
        let machine = tree.read();
        assert_eq!((machine.counts().cores, machine.counts().packages, machine.counts().smt_max), (28, 2, 1));
        assert_eq!(machine.pus.iter().filter(|pu| pu.package == Some(1)).count(), 14);
    }
}

#[test]
fn siblings_taken_offline_leave_whole_cores() {
    // RecoilEngine PR2555: SMT off by taking the odd ids offline; likwid#320: the same with 8.
    for (cpus, odd, allowed) in [("0-15", "1,3,5,7,9,11,13,15", 0x5555u32), ("0-7", "1,3,5,7", 0x55)] {
        let tree = Tree::new().cpus(cpus, |cpu| (0, i64::from(cpu / 2))).cache_of_cores(1, "Data", "32K", "64");
        let machine = tree.offline(odd).read();
        let expected: Vec<u32> = (0..16).filter(|pu| allowed & (1 << pu) != 0).collect();
        assert_eq!(machine.allowed(), expected);
        assert_eq!((machine.counts().cores, machine.counts().smt_max), (expected.len(), 1));
        assert_eq!(machine.pus.iter().filter(|pu| !pu.online && !pu.allowed).count(), pus(odd).len());
    }
}

#[test]
fn cpu_0_need_not_be_there() {
    // hwloc#450: CPU 0 offline; seastar PR3279: CPU 0 absent.
    let tree = || {
        Tree::new()
            .cpus("0-11", |cpu| (0, i64::from(cpu / 2)))
            .cache(3, "Unified", "16M", "64", &["0-5", "6-11"])
            .cache_of_cores(2, "Unified", "512K", "64")
    };
    let offline = tree().offline("0").read();
    assert_eq!(offline.allowed(), (1..12).collect::<Vec<_>>());
    assert_eq!(caches(&offline, 3, CacheKind::Unified), [(1..6).collect::<Vec<_>>(), (6..12).collect()]);
    assert_eq!((offline.counts().cores, offline.line_size().bytes), (6, 64));
    let absent = tree().without(&["cpu/cpu0"]).file("sys/devices/system/cpu/online", "1-11");
    let absent = absent.file("sys/devices/system/cpu/present", "1-11").read();
    assert_eq!(absent.pus.first().map(|pu| pu.os_index), Some(1));
    assert_eq!(absent.counts().cores, 6);
}

#[test]
fn a_core_with_a_thread_offline_is_a_core() {
    // hwloc#522: CPU 1 offline, its sibling 49 stays.
    let machine = Tree::new().cpus("0-95", |cpu| (0, i64::from(cpu % 48))).offline("1").read();
    assert_eq!((machine.counts().cores, machine.counts().pus), (48, 95));
    let one_each = placed(&machine, "cores", 48);
    assert!(one_each.contains(&49) && !one_each.contains(&1), "{one_each:?}");
    assert!(!machine.pu(1).unwrap().online);
    // A kernel that goes on naming the offline sibling keeps it in its core.
    let named = Tree::new().cpus("0-3", |cpu| (0, i64::from(cpu % 2))).offline("1");
    let named = named.each("3", "topology/thread_siblings_list", |_| "1,3".into()).read();
    assert_eq!(named.pu(1).unwrap().core, named.pu(3).unwrap().core);
    assert_eq!((named.pu(3).unwrap().smt_index, named.pu(1).unwrap().package), (1, Some(0)));
}

#[test]
fn offline_and_disallowed_pus_are_told_apart() {
    // likwid#447 on A64FX: 0-1 online but not allowed, 2-11 offline, core ids with holes.
    let machine = Tree::new()
        .cpus("0-59", |cpu| (i64::from(cpu / 15), i64::from(cpu + cpu / 3)))
        .offline("2-11")
        .file("proc/self/status", "Name:\tcp\nCpus_allowed_list:\t12-59\n")
        .read();
    assert_eq!((machine.pus.len(), machine.counts().pus, machine.allowed_counts().pus), (60, 50, 48));
    assert_eq!(machine.allowed().first(), Some(&12));
    assert!(
        says(&machine, "PUs 0-1 are not allowed: they are outside the process's affinity mask"),
        "{:?}",
        machine.notes
    );
}

#[test]
fn neighbouring_numbers_are_no_siblings() {
    // likwid#46: 24 CPUs of 2 × 12 cores, even cores first, SMT off.
    let machine = Tree::new().cpus("0-23", |cpu| (i64::from(cpu / 6 % 2), i64::from(cpu % 6 * 2 + cpu / 12))).read();
    assert_eq!((machine.counts().cores, machine.counts().packages, machine.counts().smt_max), (24, 2, 1));
    assert_eq!(placed(&machine, "compact", 3), [0, 1, 2]);
    // c2clat PR5, powercontrol#27: siblings are neighbours, or half the machine apart.
    let near = Tree::new().cpus("0-7", |cpu| (0, i64::from(cpu / 2))).read();
    let far = Tree::new().cpus("0-7", |cpu| (0, i64::from(cpu % 4))).read();
    for policy in ["cores", "scatter"] {
        assert_eq!(pus_of(&placed(&near, policy, 4)), pus("0,2,4,6"));
        assert_eq!(pus_of(&placed(&far, policy, 4)), pus("0-3"));
    }
    let epyc = "0,32,8,40,16,48,24,56,4,36";
    let machine = Tree::new().cpus("0-63", |cpu| (0, i64::from(cpu % 32))).read();
    assert_eq!(placed(&machine, epyc, 10), [0, 32, 8, 40, 16, 48, 24, 56, 4, 36]);
}

fn pus_of(list: &[u32]) -> std::collections::BTreeSet<u32> {
    list.iter().copied().collect()
}

#[test]
fn a_machine_without_cores_packages_or_caches_says_so() {
    // ompi#141, and guests that tell next to nothing.
    let bare = Tree::new().bare_cpus("0-3").read();
    assert_eq!((bare.counts().pus, bare.counts().cores), (4, 4));
    for missing in ["no cores", "no packages", "no NUMA nodes", "no data caches"] {
        assert!(says(&bare, missing), "{missing}: {:?}", bare.notes);
    }
    assert_eq!(placed(&bare, "cores", 4), [0, 1, 2, 3]);
    // Package −1 is no package.
    let nowhere = Tree::new().cpus("0-7", |cpu| (-1, i64::from(cpu / 4))).read();
    assert_eq!((nowhere.counts().packages, nowhere.counts().cores, nowhere.counts().smt_max), (0, 2, 4));
    assert!(says(&nowhere, "no packages"));
    // Some cores told and some not.
    let mixed = Tree::new().bare_cpus("4-5").cpus("0-3", |cpu| (0, i64::from(cpu / 2))).read();
    assert_eq!(mixed.counts().cores, 4);
}

#[test]
fn a_tree_is_found_where_people_put_it() {
    let tree = ours::x86_skylake().write();
    let whole = tree.read().unwrap();
    // With a folder around it, as hwloc's archives unpack; and /sys alone.
    let around = trees::Folder::new();
    std::os::unix::fs::symlink("/proc", around.path().join("proc-of-the-host")).unwrap();
    std::fs::create_dir(around.path().join("machine")).unwrap();
    std::fs::rename(tree.path().join("sys"), around.path().join("machine/sys")).unwrap();
    std::fs::remove_file(around.path().join("proc-of-the-host")).unwrap();
    let inner = around.read().unwrap();
    let sys = discover(&Input::Sysfs(around.path().join("machine/sys"))).unwrap();
    for other in [inner, sys] {
        assert_eq!(other.pus, whole.pus);
        assert_eq!((other.caches, other.architecture), (whole.caches.clone(), None));
    }
}

#[test]
fn nothing_of_the_host_gets_in() {
    let tree = Tree::new().cpus("0-3", |cpu| (0, i64::from(cpu))).write();
    let system = tree.path().join("sys/devices/system");
    // Links as in a copied /sys, and some that lead out of it.
    std::os::unix::fs::symlink("/sys/devices/system/node", system.join("node")).unwrap();
    std::os::unix::fs::symlink("/sys/devices/system/cpu/cpu0/cache", system.join("cpu/cpu0/cache")).unwrap();
    std::os::unix::fs::symlink("../../../../../../../../../proc", tree.path().join("proc")).unwrap();
    let topology = tree.read().unwrap();
    assert!(!topology.is_this_machine);
    assert_eq!((topology.architecture, topology.line, topology.caches), (None, None, vec![]));
    assert!(topology.numa_nodes.is_empty() && topology.kinds.is_empty());
    assert_eq!(topology.pus.iter().filter(|pu| pu.allowed).count(), 4);
}

#[test]
fn folders_that_are_no_machines_are_refused_with_the_way_to_make_one() {
    let empty = trees::Folder::new();
    let no_cpu = Tree::new().file("sys/devices/system/cpu/uevent", "").write();
    for folder in
        [empty.path(), no_cpu.path(), std::path::Path::new("/nonexistent"), std::path::Path::new("/etc/passwd")]
    {
        let error = discover(&Input::Sysfs(folder.to_owned())).unwrap_err();
        assert!(error.message.contains("cannot be read as a machine"), "{error}");
        assert!(error.cure.contains("hwloc-gather-topology"), "{error}");
    }
}

#[test]
fn lists_alone_are_no_machine() {
    // A million PUs that no folder tells of.
    let lists = Tree::new().file("sys/devices/system/cpu/online", "0-1048575\n");
    let error = lists.write().read().unwrap_err();
    assert!(error.message.contains("lists 1048576 PUs but has no folder sys/devices/system/cpu/cpuN"), "{error}");
}

#[test]
fn lists_that_cannot_be_read_are_noted_all_alike() {
    let tree = || Tree::new().cpus("0-3", |cpu| (0, i64::from(cpu)));
    let whole = tree().read().pus;
    let long = "0".repeat(17 << 20);
    for name in ["online", "present", "possible"] {
        let path = format!("sys/devices/system/cpu/{name}");
        for text in ["0-zz", "0-4294967295", "\u{1b}[2J", "3-0", &long] {
            let machine = tree().file(&path, text).read();
            assert_eq!(machine.pus, whole, "{name} {text:.20}");
            let note = machine.notes.iter().find(|note| note.contains(&path)).unwrap();
            assert!(note.ends_with("taken as not told") && !note.contains('\u{1b}'), "{note}");
        }
        let folder = tree().write();
        std::fs::remove_file(folder.path().join(&path)).unwrap();
        std::fs::create_dir(folder.path().join(&path)).unwrap();
        let machine = folder.read().unwrap();
        assert_eq!(machine.pus, whole);
        assert!(says(&machine, &path), "{:?}", machine.notes);
        std::fs::remove_dir(folder.path().join(&path)).unwrap();
        let made = std::process::Command::new("mkfifo").arg(folder.path().join(&path)).status();
        if made.is_ok_and(|status| status.success()) {
            let machine = folder.read().unwrap();
            assert_eq!(machine.pus, whole);
            assert!(says(&machine, "it is not a file"), "{:?}", machine.notes);
        }
    }
    let masked = tree().file("proc/self/status", "Cpus_allowed_list:\t0-x\n").read();
    assert!(masked.pus == whole && says(&masked, "Cpus_allowed_list"), "{:?}", masked.notes);
}

#[test]
fn pus_that_are_present_without_a_folder_are_offline() {
    let tree = || Tree::new().cpus("0-3", |cpu| (0, i64::from(cpu))).file("sys/devices/system/cpu/present", "0-7");
    let machine = tree().file("sys/devices/system/cpu/possible", "0-15").read();
    assert_eq!((machine.pus.len(), machine.counts().pus, machine.allowed().len()), (8, 4, 4));
    assert!(machine.pus[4..].iter().all(|pu| !pu.online && pu.core.is_none()));
    assert!(says(&machine, "4 PUs are present") && says(&machine, "8 more PUs are possible"), "{:?}", machine.notes);
    let absurd = tree().file("sys/devices/system/cpu/present", "0-1048575").read();
    assert!(absurd.pus.len() == 4 && says(&absurd, "1048572 more PUs"), "{:?}", absurd.notes);
    let beyond = tree().file("sys/devices/system/cpu/cpu1048576/online", "1").read();
    assert!(says(&beyond, "1 folders of PUs from 1048576 on"), "{:?}", beyond.notes);
}

#[test]
fn a_machine_all_offline_says_so() {
    let machine = Tree::new().cpus("0-3", |cpu| (0, i64::from(cpu))).offline("0-3").read();
    assert!(machine.allowed().is_empty() && says(&machine, "every PU is offline"), "{:?}", machine.notes);
    assert!(!says(&machine, "no PU is told") && !says(&machine, "no cores"));
}
