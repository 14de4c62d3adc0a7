//! Parameters as given become parameters as a kernel takes them, or everything wrong with them is told.

mod common;

use common::parameters;
use hitm_experiment::Value;
use hitm_kernels::{DefaultValue, Entry, Registry, integer, text};

fn entry(name: &str) -> Entry {
    Registry::built_in().find(name).unwrap_or_else(|| panic!("{name} is built in")).clone()
}

#[test]
fn the_built_in_kernels_can_be_made_from_nothing() {
    let registry = Registry::built_in();
    let names: Vec<_> = registry.entries().iter().map(|entry| entry.name).collect();
    assert_eq!(
        names,
        [
            "sharing/counters",
            "sharing/one-counter",
            "latency/ping-pong",
            "rng/next",
            "keys/draw",
            "keys/transaction",
            "keys/unique",
            "keys/replay",
            "locking/transaction",
            "locking/simple",
            "overhead/empty"
        ]
    );
    for entry in registry.entries() {
        let resolved = entry.resolve(&parameters([])).expect("defaults are right");
        assert_eq!(resolved.len(), entry.parameters.len());
        assert_eq!(entry.resolve(&resolved), Ok(resolved), "{}: resolving twice changes nothing", entry.name);
        let to_be_given = entry.parameters.iter().any(|parameter| parameter.default == DefaultValue::ToBeGiven);
        assert_eq!(entry.make(&parameters([])).is_ok(), !to_be_given, "{}", entry.name);
    }
}

#[test]
fn defaults_fill_in_what_is_not_given() {
    let resolved = entry("sharing/counters").resolve(&parameters([("stride", 128.into())])).expect("right");
    assert_eq!(
        (integer(&resolved, "stride"), integer(&resolved, "base"), text(&resolved, "op")),
        (128, 0, "fetch-add")
    );
}

#[test]
fn everything_wrong_is_told_at_once() {
    let given = parameters([
        ("op", "fetchadd".into()),
        ("strdie", 64.into()),
        ("stride", 12.into()),
        ("base", Value::Float(8.0)),
        ("zzz", true.into()),
    ]);
    let faults = entry("sharing/counters").resolve(&given).expect_err("all wrong");
    let told: Vec<_> = faults.iter().map(|fault| [&*fault.parameter, &*fault.message, &*fault.cure]).collect();
    assert_eq!(
        told,
        [
            [
                "base",
                "base is a whole number, not the float 8",
                "give a whole number from 0 to 504, without quotes or a fraction"
            ],
            [
                "op",
                "op cannot be `fetchadd`",
                "did you mean `fetch-add`? It takes one of store, add, fetch-add, compare-exchange"
            ],
            ["strdie", "sharing/counters has no parameter `strdie`", "did you mean `stride`?"],
            ["stride", "stride = 12 is not a multiple of 8", "give 8 or 16"],
            ["zzz", "sharing/counters has no parameter `zzz`", "its parameters are op, stride, base, work"],
        ]
    );
}

#[test]
fn edges_of_ranges_and_steps() {
    let counters = entry("sharing/counters");
    for stride in [8, 504, 512] {
        assert!(counters.resolve(&parameters([("stride", stride.into())])).is_ok(), "{stride}");
    }
    for stride in [i64::MIN, -8, 0, 1, 7, 9, 513, 520, i64::MAX] {
        let faults = counters.resolve(&parameters([("stride", stride.into())])).expect_err("not a stride");
        assert_eq!(faults.len(), 1, "{stride}");
        assert!(!faults[0].cure.is_empty(), "{stride}");
    }
    let faults = entry("rng/next").resolve(&parameters([("work", 65_537.into())])).expect_err("too much");
    assert_eq!(faults[0].cure, "give a whole number from 0 to 65536");
    let faults = entry("overhead/empty").resolve(&parameters([("work", 1.into())])).expect_err("has none");
    assert_eq!(faults[0].cure, "leave it out: this kernel has no parameters");
}

#[test]
fn refused_combinations_are_faults_with_a_cure() {
    let given = parameters([("generator", "xoroshiro128+".into()), ("state", "shared-atomic".into())]);
    let faults = entry("rng/next").make(&given).err().expect("16 bytes are not atomic");
    assert_eq!(faults[0].parameter, "state");
    assert!(faults[0].message.contains("16 bytes") && faults[0].cure.contains("mutex"), "{faults:?}");
}

#[test]
fn mistyped_names_find_the_kernel_meant() {
    let registry = Registry::built_in();
    for (typed, meant) in [
        ("sharing/counter", Some("sharing/counters")),
        ("counters", Some("sharing/counters")),
        ("ping-pong", Some("latency/ping-pong")),
        ("pingpong", Some("latency/ping-pong")),
        ("rgn/next", Some("rng/next")),
        ("memory/bandwidth", None),
        ("", None),
    ] {
        assert_eq!(registry.suggest(typed), meant, "{typed}");
    }
}
