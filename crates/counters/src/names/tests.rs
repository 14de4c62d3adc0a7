use std::fs;
use std::path::Path;

use super::*;

/// A machine whose /sys has these files, and tracepoints that can be read.
fn machine(files: &[(&str, &str)]) -> (tempfile::TempDir, Vocabulary) {
    let root = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder above")).expect("made");
        fs::write(path, text).expect("written");
    }
    let vocabulary = Vocabulary::read(root.path());
    (root, vocabulary)
}

const DEVICES: &str = "sys/bus/event_source/devices";

fn devices(files: &[(&str, &str)]) -> (tempfile::TempDir, Vocabulary) {
    let files: Vec<(String, &str)> = files.iter().map(|(path, text)| (format!("{DEVICES}/{path}"), *text)).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    machine(&files)
}

fn codes(vocabulary: &Vocabulary, name: &str) -> Vec<String> {
    let event = vocabulary.event(name).unwrap_or_else(|error| panic!("{error}; {}", error.cure()));
    event
        .codes()
        .unwrap_or_else(|why| panic!("{name}: {why}"))
        .iter()
        .map(|code| format!("{} {code}", code.pmu_type))
        .collect()
}

#[test]
fn names_of_the_kernel_are_taken_with_their_aliases() {
    let bare = Vocabulary::bare();
    for row in STANDARD {
        assert_eq!(bare.event(row.name).map(|event| event.name().to_owned()), Ok(row.name.to_owned()));
        for alias in row.aliases {
            assert_eq!(
                bare.event(&format!(" {alias}\t")).map(|event| event.name().to_owned()),
                Ok(row.name.to_owned())
            );
        }
    }
    assert_eq!(codes(&bare, "cycles"), ["0 cpu/config=0x0/"]);
    assert_eq!(codes(&bare, "cs"), ["1 software/config=0x3/"]);
}

#[test]
fn raw_codes_and_terms_are_the_cores() {
    let bare = Vocabulary::bare();
    assert_eq!(codes(&bare, "r04d2"), ["4 cpu/config=0x4d2/"]);
    assert_eq!(codes(&bare, "rFFC0"), ["4 cpu/config=0xffc0/"]);
    assert_eq!(codes(&bare, "cpu/config=0x1e058,config1=0x7/"), ["4 cpu/config=0x1e058,config1=0x7/"]);
    for wrong in ["r", "rxyz", "r11112222333344445", "cpu/config=0x1/u", "cpu/nosuchterm=1/", "cpu//", "cpu/config=zz/"]
    {
        assert!(bare.event(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_pmu_of_the_machine_says_where_terms_go_and_which_names_it_has() {
    let (_root, machine) = devices(&[
        ("cpu/type", "4\n"),
        ("cpu/format/event", "config:0-7\n"),
        ("cpu/format/umask", "config:8-15\n"),
        ("cpu/format/ldlat", "config1:0-15\n"),
        ("cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n"),
        ("cpu/events/mem-loads.unit", "things\n"),
        ("uncore_imc/type", "14\n"),
        ("uncore_imc/cpumask", "0\n"),
        ("uncore_imc/format/event", "config:0-7\n"),
        ("msr/type", "9\n"),
        ("msr/format/event", "config:0-63\n"),
        ("msr/events/tsc", "event=0x00\n"),
    ]);
    assert_eq!(codes(&machine, "cpu/event=0xd2,umask=0x04/"), ["4 cpu/config=0x4d2/"]);
    assert_eq!(codes(&machine, "mem-loads"), ["4 cpu/config=0x1cd,config1=0x3/"]);
    assert_eq!(codes(&machine, "cpu/mem-loads/"), ["4 cpu/config=0x1cd,config1=0x3/"]);
    assert_eq!(codes(&machine, "msr/tsc/"), ["9 msr/config=0x0/"]);
    assert_eq!(machine.event("msr/tsc/").map(|event| event.kind()), Ok(Kind::Other));
    let absent = |name: &str| machine.event(name).map(|event| event.codes().unwrap_err().reason());
    assert!(absent("uncore_imc/event=1/").unwrap().contains("not for one thread"));
    assert!(absent("nopmu/event=1/").unwrap().contains("has no PMU `nopmu`; it has cpu, msr, uncore_imc"));
    let error = machine.event("cpu/event=0x100,umsk=1/").unwrap_err();
    assert!(error.why.contains("8 bits") && error.why.contains("`umsk`"), "both faults: {error}");
    assert_eq!(machine.event("mem-load").unwrap_err().suggestions, ["mem-loads"]);
}

#[test]
fn a_hybrid_machine_has_a_code_for_each_kind_of_core() {
    let (_root, machine) = devices(&[
        ("cpu_core/type", "4\n"),
        ("cpu_core/cpus", "0-15\n"),
        ("cpu_core/format/event", "config:0-7\n"),
        ("cpu_atom/type", "10\n"),
        ("cpu_atom/cpus", "16-23\n"),
        ("cpu_atom/format/event", "config:0-7\n"),
    ]);
    assert_eq!(codes(&machine, "instructions"), ["0 cpu_atom/config=0xa00000001/", "0 cpu_core/config=0x400000001/"]);
    assert_eq!(codes(&machine, "r3c"), ["10 cpu_atom/config=0x3c/", "4 cpu_core/config=0x3c/"]);
    assert_eq!(codes(&machine, "cpu_atom/event=0x3c/"), ["10 cpu_atom/config=0x3c/"]);
    assert!(machine.cores()[0].has(20) && !machine.cores()[0].has(15));
}

#[test]
fn tracepoints_have_the_number_that_the_kernel_gives() {
    let (_root, machine) = machine(&[
        ("sys/kernel/tracing/events/sched/sched_switch/id", "314\n"),
        ("sys/kernel/tracing/events/sched/sched_wakeup/id", "what\n"),
    ]);
    assert_eq!(codes(&machine, "sched:sched_switch"), ["2 tracepoint/config=0x13a/"]);
    assert_eq!(machine.event("sched:sched_swich").unwrap_err().suggestions, ["sched:sched_switch"]);
    assert!(machine.event("sched:sched_wakeup").unwrap().codes().unwrap_err().reason().contains("no number"));
    let (_root, closed) = self::machine(&[]);
    let event = closed.event("sched:sched_switch").expect("an event, though it cannot be counted");
    assert!(event.codes().unwrap_err().reason().contains("cannot be read"), "{event:?}");
}

#[test]
fn lists_take_blanks_and_tell_every_fault() {
    let bare = Vocabulary::bare();
    let names = |list: &str| {
        bare.list(list).map(|events| events.iter().map(|event| event.name().to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(names("instructions,cache-misses, cs").unwrap(), ["instructions", "cache-misses", "context-switches"]);
    assert_eq!(names("cpu/event=0xd2,umask=0x04/, r1").unwrap(), ["cpu/event=0xd2,umask=0x04/", "r1"]);
    assert_eq!(names("  ").unwrap(), Vec::<String>::new());
    let errors = names("instructions,,cycels,cs,context-switches").unwrap_err();
    let said: Vec<_> = errors.iter().map(|error| format!("{error}; {}", error.cure())).collect();
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(said[0].contains("item 2"), "{said:?}");
    assert_eq!(said[1], "\"cycels\" is no event; did you mean cycles?");
    assert_eq!(said[2], "\"context-switches\" is there twice; name each event once");
}

#[test]
fn odd_names_never_panic() {
    let bare = Vocabulary::bare();
    for odd in [
        "/",
        "//",
        ":",
        "::",
        "a:b:c",
        "cpu/",
        "r",
        "é",
        "../../etc:passwd",
        &"x".repeat(100_000),
        "\0",
        "cpu/=/",
        "cpu/a=/",
    ] {
        let _ = bare.event(odd);
        let _ = Vocabulary::read(Path::new("/nonexistent")).event(odd);
    }
}
