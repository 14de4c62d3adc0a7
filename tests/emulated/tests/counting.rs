//! The judge of what was counted: a console in order passes, and each thing that may be wrong with it fails.

use hitm_emulated::counting;
use hitm_emulated::log::Log;
use hitm_emulated::machines::{Machine, Phase};
use hitm_emulated::pmus::Pmu;
use serde_json::{Value, json};

const PMU: Pmu = Pmu {
    uarch: "small-1",
    counted: &["cycles", "instructions"],
    idle: &["stalls", "failures"],
    refused: &[("ref-cycles", "EOPNOTSUPP")],
    passes: 2,
    icount: true,
};

const NO_PMU: Pmu = Pmu {
    counted: &[],
    idle: &[],
    refused: &[("cycles", "ENOENT"), ("store-transfer", "ENOENT")],
    passes: 1,
    icount: false,
    ..PMU
};

const fn machine(pmu: &'static Pmu) -> Machine {
    Machine {
        name: "small",
        packages: 1,
        cores: 2,
        threads: 1,
        nodes: None,
        line_bytes: None,
        processor: "",
        pmu,
        phases: &[Phase { name: "booted", offline: &[] }],
    }
}

const SOFTWARE: [&str; 3] = ["task-clock", "context-switches", "sched:sched_switch"];
const WORK: [u64; 3] = [0, 200, 400];

fn step(name: &str, code: i32, out: &str) -> String {
    format!("@@ step booted/{name} {code}\n{out}\n@@ errors\n\n@@ end\n")
}

/// One worker on the last PU that counted these, over the same time, but for `stalls` where events take turns.
fn record(trial: usize, cell: usize, pass: usize, events: &[&str], turns: bool) -> Value {
    let operations = if cell == 0 { 1_000_000 } else { 20_000 };
    let instructions = operations * (30 + 5 * WORK[cell]);
    let count = |event: &&str| {
        let value = match *event {
            "stalls" | "failures" | "context-switches" | "sched:sched_switch" => 0,
            "instructions" => instructions,
            _ => instructions + 7,
        };
        let enabled = instructions + 4000;
        let running = if turns && *event == "stalls" { enabled / 2 } else { enabled };
        ((*event).to_owned(), json!({"value": value, "enabled_ns": enabled, "running_ns": running}))
    };
    let counts: serde_json::Map<String, Value> = events.iter().map(count).collect();
    let worker = json!({"pu": 1, "pinned": true, "operations": operations, "events": counts});
    json!({"trial": trial, "cell": cell, "pass": pass, "workers": [worker]})
}

fn lines(records: &[Value]) -> String {
    records.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
}

fn manifest(passes: &[Vec<&str>]) -> String {
    let event = |name: &str, moved: Option<bool>, code: &str| json!({"name": name, "moved": moved, "codes": [code], "unavailable": null});
    let refused = |name: &str, why: &str| json!({"name": name, "unavailable": {"reason": why, "cure": "sudo sysctl kernel.perf_event_paranoid=1"}});
    let mut switches = event("context-switches", Some(true), "");
    switches["source"] = "getrusage(RUSAGE_THREAD), because perf_event refuses".into();
    let events = [
        event("task-clock", Some(true), ""),
        switches,
        event("sched:sched_switch", Some(true), ""),
        event("cycles", Some(true), "cpu/config=0x600f4/"),
        event("instructions", Some(true), "cpu/config=0x500fa/"),
        event("stalls", Some(false), "cpu/config=0x1001a/"),
        event("failures", Some(false), "cpu/config=0x1001c/"),
        refused("ref-cycles", "the PMU does not support it (EOPNOTSUPP)"),
        refused("cpu-migrations", "perf_event_paranoid is 2"),
    ];
    let passes: Vec<Value> = passes.iter().map(|events| json!({"events": events})).collect();
    json!({"events": events, "passes": passes}).to_string()
}

fn shown(turns: bool) -> String {
    let metric = |event: &str| match (event, turns) {
        ("stalls", true) => "stalls_per_op (scaled estimate)".to_owned(),
        _ => format!("{event}_per_op"),
    };
    let events =
        ["task-clock", "context-switches", "sched:sched_switch", "cycles", "instructions", "stalls", "failures"];
    let metrics: serde_json::Map<String, Value> = events.iter().map(|event| (metric(event), json!({}))).collect();
    let mut flags =
        vec![json!({"name": "unverified-zero", "meaning": "`stalls`, `failures`: an event read zero here"})];
    if turns {
        flags.push(json!({"name": "multiplexed", "meaning": "events took turns"}));
    }
    let cell = json!({"id": "c", "metrics": metrics, "absent": {"ref-cycles_per_op": "EOPNOTSUPP; ask for another"}, "flags": flags});
    let standing = |event: &&str| {
        let standing = if ["stalls", "failures"].contains(event) { "unverified-zero" } else { "candidate" };
        json!({"name": event, "standing": standing, "scaled": turns && *event == "stalls"})
    };
    let mut told: Vec<Value> = events.iter().map(standing).collect();
    told.push(json!({"name": "ref-cycles", "standing": "absent", "scaled": false}));
    let explanation = json!({"verdict": "explained", "event": "instructions", "rising_with_it": [], "events": told});
    json!({"cells": [cell], "explanation": explanation}).to_string()
}

fn doctor(level: &str, found: &str) -> String {
    json!([{"name": "pinning", "level": "good"}, {"name": "pmu", "level": level, "found": found}]).to_string()
}

fn uarchs() -> String {
    let all = json!([{"name": "small-1", "this_machine": true}, {"name": "small-2", "this_machine": false}]);
    step("uarchs", 0, &json!({"uarchs": all}).to_string())
}

fn console() -> String {
    let with = |more: &[&'static str]| [&SOFTWARE, more].concat();
    let passes = [with(&["cycles", "instructions", "stalls"]), with(&["cycles", "instructions", "failures"])];
    let trials: Vec<Value> =
        (0..6).map(|trial| record(trial, trial % 3, trial / 3, &passes[trial / 3], false)).collect();
    let all = with(&["cycles", "instructions", "stalls", "failures"]);
    let users = ["task-clock", "context-switches", "cycles"];
    uarchs()
        + &step("doctor", 0, &doctor("note", "cycles, instructions open; not ref-cycles"))
        + &step("passes", 0, "")
        + &step("passes/manifest", 0, &manifest(&passes))
        + &step("passes/records", 0, &lines(&trials))
        + &step("passes/show", 0, &shown(false))
        + &step("turns", 0, "")
        + &step("turns/manifest", 0, &manifest(std::slice::from_ref(&all)))
        + &step("turns/records", 0, &lines(&[record(0, 2, 0, &all, true)]))
        + &step("turns/show", 0, &shown(true))
        + &step("user", 0, "")
        + &step("user/manifest", 0, &manifest(&[users.to_vec()]))
        + &step("user/records", 0, &lines(&[record(0, 0, 0, &users, false)]))
        + &step("user/doctor", 3, &doctor("missing", "nothing opens (EACCES): perf_event_paranoid is 3"))
}

fn without_a_pmu() -> String {
    let why = "this machine shows no PMU for it (ENOENT)";
    let mut events: Vec<Value> = SOFTWARE.iter().map(|name| json!({"name": name, "moved": true})).collect();
    let names = ["cycles", "store-transfer"];
    events.extend(names.map(|name| json!({"name": name, "unavailable": {"reason": why, "cure": "run on bare metal"}})));
    let manifest = json!({"events": events, "passes": [{"events": SOFTWARE}]}).to_string();
    let absent: serde_json::Map<String, Value> =
        names.iter().map(|name| (format!("{name}_per_op"), why.into())).collect();
    let told = names.map(|name| json!({"name": name, "standing": "absent"}));
    let shown = json!({"cells": [{"id": "c", "metrics": {}, "absent": absent, "flags": []}],
        "explanation": {"verdict": "nothing-counted", "event": null, "rising_with_it": [], "events": told}});
    uarchs()
        + &step("doctor", 3, &doctor("missing", why))
        + &step("passes", 0, "")
        + &step("passes/manifest", 0, &manifest)
        + &step("passes/records", 0, &lines(&[record(0, 0, 0, &SOFTWARE, false)]))
        + &step("passes/show", 0, &shown.to_string())
}

fn wrong(machine: &Machine, console: &str) -> Vec<String> {
    let mut failed = Vec::new();
    counting::checks(machine, "booted", &Log::read(console), &mut |what, found: Result<(), String>| {
        failed.extend(found.err().map(|why| format!("{what}: {why}")));
    });
    failed
}

fn each_fails(machine: &Machine, good: &str, faults: &[(&str, &str)]) {
    assert_eq!(wrong(machine, good), Vec::<String>::new());
    for (what, with) in faults {
        let bad = good.replacen(what, with, 1);
        assert_ne!(bad, good, "{what} is not in the console");
        assert_ne!(wrong(machine, &bad), Vec::<String>::new(), "{with} passes for {what}");
    }
}

#[test]
fn whatever_is_wrong_with_what_was_counted_fails() {
    let faults = [
        (r#""name":"small-2","this_machine":false"#, r#""name":"small-2","this_machine":true"#),
        ("booted/doctor 0", "booted/doctor 3"),
        ("booted/doctor 0", "booted/doctor 1"),
        ("booted/passes 0", "booted/passes 1"),
        (r#""level":"note""#, r#""level":"missing""#),
        (r#""level":"good""#, r#""level":"missing""#),
        // Counted on one counter, by the next pass's code.
        (r#""cycles","instructions","stalls"]}"#, r#""cycles","instructions","stalls","failures"]}"#),
        (r#""name":"cycles","unavailable":null"#, r#""name":"loops","unavailable":null"#),
        (r#""moved":false,"name":"failures""#, r#""moved":true,"name":"failures""#),
        (r#""moved":true,"name":"cycles""#, r#""moved":false,"name":"cycles""#),
        (r#""moved":true,"name":"sched:sched_switch""#, r#""moved":false,"name":"sched:sched_switch""#),
        ("(EOPNOTSUPP)", "(EINVAL)"),
        ("EOPNOTSUPP; ask", "0; ask"),
        (r#""ref-cycles_per_op":"#, r#""other_per_op":"#),
        (r#""stalls_per_op":{}"#, r#""stalls_per_op":{},"ref-cycles_per_op":{}"#),
        (r#""meaning":"`stalls`, `failures`:"#, r#""meaning":"`stalls`:"#),
        (r#""standing":"unverified-zero""#, r#""standing":"zero""#),
        (r#""standing":"absent""#, r#""standing":"zero""#),
        (r#""event":"instructions""#, r#""event":"stalls""#),
        (r#""rising_with_it":[]"#, r#""rising_with_it":["failures"]"#),
        (r#""pass":1"#, r#""pass":0"#),
        (r#""pinned":true"#, r#""pinned":false"#),
        (r#""pu":1"#, r#""pu":0"#),
        ("multiplexed", "mixed-pmus"),
        ("stalls_per_op (scaled estimate)", "stalls_per_op"),
        (r#""scaled":true"#, r#""scaled":false"#),
        ("booted/user/doctor 3", "booted/user/doctor 0"),
        ("perf_event_paranoid is 3", "it is so"),
        ("@@ step booted/user/records", "@@ stall"),
    ];
    each_fails(&machine(&PMU), &console(), &faults);
}

#[test]
fn counts_that_break_their_laws_fail() {
    let good = console();
    let running = |turns: bool, event: &str| {
        let key = if turns { "booted/turns/records" } else { "booted/passes/records" };
        let at = good.find(key).expect("the records") + good[good.find(key).expect("them")..].find(event).expect("it");
        let from = at + good[at..].find("\"running_ns\":").expect("its time") + "\"running_ns\":".len();
        let to = from + good[from..].find([',', '}']).expect("its end");
        (from, to)
    };
    let with = |(from, to): (usize, usize), value: &str| format!("{}{value}{}", &good[..from], &good[to..]);
    let whole = {
        let (from, to) = running(true, "\"cycles\"");
        good[from..to].to_owned()
    };
    for (what, bad) in [
        ("a time of its own", with(running(false, "\"cycles\""), "5")),
        ("more time than there was", with(running(true, "\"stalls\""), "99999999999")),
        ("no turns", with(running(true, "\"stalls\""), &whole)),
        // 3 % more instructions in each unit of the largest work, and a zero of what counts.
        ("a slope that bends", good.replace(r#""value":40600000"#, r#""value":42000000"#)),
        ("no instructions", good.replace(r#""value":20600000"#, r#""value":0"#)),
        (
            "a refused event with a count",
            good.replace(
                r#""events":{"context"#,
                r#""events":{"ref-cycles":{"enabled_ns":1,"running_ns":1,"value":1},"context"#,
            ),
        ),
    ] {
        assert_ne!(bad, good, "{what}: nothing was changed");
        assert_ne!(wrong(&machine(&PMU), &bad), Vec::<String>::new(), "{what} passes");
    }
}

#[test]
fn a_machine_without_a_pmu_says_so_once_for_all() {
    let faults = [
        ("booted/doctor 3", "booted/doctor 0"),
        (r#""level":"missing""#, r#""level":"note""#),
        ("nothing-counted", "explained"),
        (r#""absent":{"cycles_per_op""#, r#""absent":{"cycle_per_op""#),
    ];
    let good = without_a_pmu();
    each_fails(&machine(&NO_PMU), &good, &faults);
    let other = good.replace(
        r#""name":"store-transfer","unavailable":{"cure":"run on bare metal","reason":"this machine"#,
        r#""name":"store-transfer","unavailable":{"cure":"run on bare metal","reason":"POWER8"#,
    );
    assert_ne!(other, good);
    assert_ne!(wrong(&machine(&NO_PMU), &other), Vec::<String>::new());
}
