use std::fs;
use std::path::Path;

use super::*;
use crate::event::from_row;

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
    assert_eq!(codes(&bare, "cycles"), ["0 cpu/cycles/"]);
    assert_eq!(codes(&bare, "cs"), ["1 context-switches"]);
}

#[test]
fn raw_codes_and_terms_are_the_cores() {
    let bare = Vocabulary::bare();
    assert_eq!(codes(&bare, "r04d2"), ["4 cpu/config=0x4d2/"]);
    assert_eq!(codes(&bare, "rFFC0"), ["4 cpu/config=0xffc0/"]);
    assert_eq!(codes(&bare, "cpu/config=0x1e058,config1=0x7/"), ["4 cpu/config=0x1e058,config1=0x7/"]);
    for wrong in [
        "r",
        "rxyz",
        "r+1",
        "cpu/config=+1/",
        "cpu/config=0x+1/",
        "r11112222333344445",
        "cpu/config=0x1/u",
        "cpu/nosuchterm=1/",
        "cpu//",
        "cpu/config=zz/",
    ] {
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
    assert_eq!(codes(&machine, "instructions"), ["0 cpu_atom/instructions/", "0 cpu_core/instructions/"]);
    for (name, configs) in
        [("instructions", [0xa_0000_0001, 0x4_0000_0001]), ("LLC-load-misses", [0xa_0001_0002, 0x4_0001_0002])]
    {
        let event = machine.event(name).expect("the kernel's own");
        assert_eq!(event.codes().expect("codes").iter().map(|code| code.config).collect::<Vec<_>>(), configs, "{name}");
    }
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
    let why = event.codes().unwrap_err();
    assert!(why.reason().contains("no tracefs is mounted") && why.cure().contains("mount -t tracefs"), "{why}");
    // Somebody else's folder, in which nothing tells a wrong name from a right one.
    let (root, hidden) = self::machine(&[("sys/kernel/tracing/events", "not a folder")]);
    let event = hidden.event("sched:sched_switch").expect("an event, though it cannot be counted");
    let why = event.codes().unwrap_err();
    assert!(why.reason().contains("cannot be read") && why.cure().contains("root"), "{why}");
    drop(root);
    for name in ["MEM_LOAD_RETIRED:L3_HIT", "cycles:sched_switch", "store-transfer:foo", "sched:", "a:b:c"] {
        assert!(closed.event(name).is_err(), "{name}");
    }
    let cure = closed.event("MEM_LOAD_RETIRED:L3_HIT").unwrap_err().cure();
    assert!(cure.contains("::MEM_LOAD_RETIRED:L3_HIT"), "{cure}");
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

#[test]
fn modifiers_are_refused_and_no_tracepoints() {
    let bare = Vocabulary::bare();
    for (name, plain) in [
        ("cycles:u", "cycles"),
        ("instructions:k", "instructions"),
        ("r04d2:u", "r04d2"),
        ("store-transfer:ukhpppPSDGHIWe", "store-transfer"),
        ("skx::MEM_LOAD_RETIRED:L3_HIT:u", "skx::MEM_LOAD_RETIRED:L3_HIT"),
        ("skx::MEM_LOAD_RETIRED.L3_HIT:k=1:c=2", "skx::MEM_LOAD_RETIRED.L3_HIT:c=2"),
        ("perf::PERF_COUNT_SW_CONTEXT_SWITCHES:period=9", "perf::PERF_COUNT_SW_CONTEXT_SWITCHES"),
    ] {
        let error = bare.event(name).expect_err(name);
        assert!(error.why.contains("modifiers such as :u are not taken"), "{error}");
        assert_eq!(error.suggestions, [plain]);
    }
    for tracepoint in ["sched:sched_switch", "irq:e"] {
        assert_eq!(bare.event(tracepoint).map(|event| event.kind()), Ok(Kind::Tracepoint), "{tracepoint}");
    }
    assert!(bare.event(&"u:".repeat(100_000)).is_err());
}

/// What decides how an event is opened and what it is taken for.
fn nature(event: &Event) -> (Kind, Privilege, Fallback, Role, String, String) {
    let it = event.definition();
    (it.kind, it.privilege, it.fallback, it.role, it.meaning.clone(), format!("{:?}", it.codes))
}

#[test]
fn a_code_that_the_kernel_defines_is_its_standard_event_whatever_its_name() {
    let (_root, machine) = devices(&[("software/type", "1\n"), ("tracepoint/type", "2\n"), ("cpu/type", "4\n")]);
    for row in STANDARD.iter().filter(|row| row.kind == Kind::Software) {
        let name = format!("software/config={}/", row.config);
        let typed = machine.event(&name).expect("an event");
        assert_eq!(typed.name(), name);
        assert_eq!(nature(&typed), nature(&machine.event(row.name).expect("an event")), "{name}");
    }
    let cgroup_switches = machine.event("software/config=11/").expect("an event");
    assert_eq!((cgroup_switches.kind(), cgroup_switches.definition().privilege), (Kind::Software, Privilege::All));
    let tracepoint = machine.event("tracepoint/config=314/").expect("an event");
    assert_eq!((tracepoint.kind(), tracepoint.definition().privilege), (Kind::Tracepoint, Privilege::All));
    let of_type = |pmu_type, config| {
        let code = Code { pmu: "libpfm".to_owned(), pmu_type, ..machine.cores[0].code([config, 0, 0]) };
        machine.typed("x::Y", code, String::new(), "libpfm4")
    };
    assert_eq!(nature(&of_type(0, 1)), nature(&from_row(&STANDARD[7], &[("cpu", 4)])));
    for (pmu_type, kind) in [(0, Kind::Hardware), (3, Kind::Hardware), (TYPE_RAW, Kind::Hardware), (77, Kind::Other)] {
        let event = of_type(pmu_type, 0xfff);
        let pmu = event.codes().map(|codes| codes[0].pmu.clone());
        assert_eq!((event.kind(), pmu), (kind, Ok(if pmu_type == 77 { "libpfm" } else { "cpu" }.to_owned())));
    }
}

#[test]
fn only_names_with_a_pmu_are_asked_of_libpfm() {
    let bare = Vocabulary::bare();
    for name in ["CYCLES", "PERF_COUNT_SW_CONTEXT_SWITCHES"] {
        assert!(bare.event(name).is_err(), "{name}");
    }
    let switches = Vocabulary::here().event("perf::PERF_COUNT_SW_CONTEXT_SWITCHES").expect("an event");
    match switches.codes() {
        Ok(_) => assert_eq!(nature(&switches), nature(&bare.event("context-switches").expect("an event"))),
        Err(why) => assert!(matches!(why, Unavailable::NoLibpfm { installed: false, .. }), "{why}"),
    }
    // What this machine's libpfm says is nothing of another machine's.
    let elsewhere = bare.event("perf::PERF_COUNT_SW_CONTEXT_SWITCHES").expect("an event");
    assert!(matches!(elsewhere.codes(), Err(Unavailable::NoLibpfm { .. })), "{elsewhere:?}");
}

#[test]
fn names_of_other_processors_are_absent_not_unknown() {
    let power8 = Vocabulary::of(catalogue::uarch("power8").expect("one of the catalogue"));
    for name in ["MACHINE_CLEARS.MEMORY_ORDERING", "zen3::RETIRED_LOCK_INSTRUCTIONS.BUS_LOCK"] {
        let event = power8.event(name).unwrap_or_else(|error| panic!("{error}"));
        let why = event.codes().unwrap_err();
        assert!(matches!(why, Unavailable::NotOnProcessor { .. }) && why.reason().contains("an event of "), "{why}");
    }
    assert!(power8.event("power8::PM_STCX_FAIL").is_ok_and(|event| event.codes().is_ok()));
    assert!(power8.event("MACHINE_CLEARS.MEMORY_ORDERNG").is_err());
    // Where nothing is known of the processor, its codes are not.
    let why = Vocabulary::bare().event("PM_STCX_FAIL").expect("an event").codes().unwrap_err().clone();
    assert!(matches!(why, Unavailable::UnknownProcessor { .. }), "{why}");
}

#[test]
fn mistyped_codes_are_put_right() {
    let bare = Vocabulary::bare();
    for (typed, meant) in [
        ("0x1e058", "r1e058"),
        ("r0x1e058", "r1e058"),
        ("R1e058", "r1e058"),
        ("1E058", "r1e058"),
        ("event=0xd2,umask=0x04", "cpu/event=0xd2,umask=0x04/"),
        ("cpu/event=0xd2", "cpu/event=0xd2/"),
    ] {
        let error = bare.event(typed).expect_err(typed);
        assert_eq!(error.suggestions, [meant], "{typed}: {error}");
    }
}

#[test]
fn terms_of_power_are_known_without_its_folder() {
    let of = |name| Vocabulary::of(catalogue::uarch(name).expect("one of the catalogue"));
    assert_eq!(codes(&of("power9"), "cpu/pmc=1,unit=14,pmcxsel=0x58/"), ["4 cpu/config=0x1e058/"]);
    assert_eq!(codes(&of("power8"), "cpu/event=0x1e058/"), ["4 cpu/config=0x1e058/"]);
    assert!(of("power8").event("cpu/combine=2/").is_err() && of("power9").event("cpu/combine=2/").is_ok());
    assert!(of("neoverse-n1").event("armv8_pmuv3_0/pmc=1/").is_err() || of("neoverse-n1").event("cpu/pmc=1/").is_err());
    assert_eq!(codes(&of("zen4"), "cpu/cycles/"), ["0 cpu/cycles/"]);
}

#[test]
fn a_name_without_end_is_cut() {
    let error = Vocabulary::bare().event(&"é".repeat(1_000_000)).expect_err("no event");
    assert!(error.to_string().len() < 2000 && error.why.contains("at most 512"), "{}", error.why);
}
