//! The commands that measure nothing.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{MOMENT, err, exits, experiment, folder, hitm, out};

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&out(&exits(hitm().args(args), 0))).expect("strict JSON")
}

#[test]
fn list_tells_all_that_can_be_asked_for() {
    let all = json(&["list", "--json"]);
    let names = |what: &str| -> Vec<String> {
        let entries = all[what].as_array().unwrap();
        entries.iter().map(|entry| entry["name"].as_str().unwrap().to_owned()).collect()
    };
    for kernel in ["sharing/counters", "sharing/one-counter", "latency/ping-pong", "rng/next", "overhead/empty"] {
        assert!(names("kernels").iter().any(|name| name == kernel), "{kernel}");
    }
    for experiment in [
        "quickstart",
        "rng/shared-state",
        "rng/lrand48",
        "rng/wiredtiger",
        "sharing/stride",
        "sharing/true-vs-false",
        "latency/core-to-core",
    ] {
        assert!(names("experiments").iter().any(|name| name == experiment), "{experiment}");
    }
    for event in all["events"].as_array().unwrap() {
        assert!(!event["meaning"].as_str().unwrap().is_empty());
    }
    let text = out(&exits(hitm().arg("list"), 0));
    assert!(text.contains("rng/next") && text.contains("quickstart") && text.contains("task-clock"));
}

#[test]
fn a_described_machine_is_previewed_without_this_one() {
    let machine = json(&[
        "machine",
        "--input",
        "synthetic:package:2 numa:1 l3:1 core:10 pu:8",
        "--place",
        "cores",
        "--workers",
        "20",
        "--json",
    ]);
    assert_eq!(machine["this_machine"], false);
    assert_eq!(machine["facts"].as_object().unwrap().len(), 0);
    assert_eq!(machine["pus"].as_array().unwrap().len(), 160);
    let pus = machine["placement"]["pus"].as_array().unwrap();
    let core = |pu: &Value| {
        let pu = machine["pus"].as_array().unwrap().iter().find(|other| other["os_index"] == *pu).unwrap();
        (pu["package"].clone(), pu["core"].clone())
    };
    let cores: std::collections::BTreeSet<String> = pus.iter().map(|pu| format!("{:?}", core(pu))).collect();
    assert_eq!((pus.len(), cores.len()), (20, 20));
}

#[test]
fn this_machine_has_a_line_and_at_least_one_pu() {
    let machine = json(&["machine", "--json"]);
    assert!(machine["line_size"]["bytes"].as_u64().unwrap() >= 16);
    assert!(!machine["line_size"]["source"].as_str().unwrap().is_empty());
    assert!(machine["pus"].as_array().unwrap().iter().any(|pu| pu["allowed"] == true));
}

#[test]
fn only_allowed_pus_are_used() {
    let machine = json(&["machine", "--json"]);
    let allowed: Vec<u64> = machine["pus"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|pu| pu["allowed"] == true)
        .map(|pu| pu["os_index"].as_u64().unwrap())
        .collect();
    let (first, last) = (allowed[0].to_string(), allowed[allowed.len() - 1].to_string());
    if first == last {
        eprintln!("one PU only: nothing to forbid");
        return;
    }
    let folder = folder("allowed");
    let file = experiment(&folder, &MOMENT.replace("workers = 1", "workers = [\"all\"]"));
    let run = folder.join("run");
    let hitm = env!("CARGO_BIN_EXE_hitm");
    let on_last = |args: &[&str]| {
        let mut command = Command::new("taskset");
        command.args(["-c", &last, hitm]).args(args).env("NO_COLOR", "1");
        command
    };
    exits(on_last(&["run", "-q"]).arg(&file).arg("--out").arg(&run), 0);
    for record in crate::support::records(&run) {
        let workers = record["workers"].as_array().unwrap();
        assert_eq!(workers.len(), 1);
        assert_eq!(workers[0]["pu_at_end"].to_string(), last);
    }
    let policy = format!("placement.policy=\"{first}\"");
    let told = err(&exits(on_last(&["run", "-q", "--set", &policy]).arg(&file).arg("--out").arg(folder.join("no")), 2));
    assert!(told.contains(&first), "{told}");
}

#[test]
fn doctor_finds_something_and_says_what_it_does() {
    let output = hitm().args(["doctor", "--json"]).output().unwrap();
    let findings: Value = serde_json::from_str(&out(&output)).unwrap();
    let findings = findings.as_array().unwrap();
    for name in ["pinning", "clock", "measured line size"] {
        assert!(findings.iter().any(|finding| finding["name"] == name), "{name}");
    }
    for finding in findings {
        assert!(!finding["found"].as_str().unwrap().is_empty(), "{finding}");
        let bad = finding["level"] == "warning" || finding["level"] == "missing";
        assert!(!bad || !finding["effect"].as_str().unwrap().is_empty(), "{finding}");
    }
}

#[test]
fn a_plan_for_another_machine_says_where_workers_would_run() {
    let plan = json(&["check", "smt/scaling", "--input", "preset:power8-2s10c8t", "--json"]);
    let cells = plan["cells"].as_array().unwrap();
    assert_eq!((cells.len(), plan["left_out"].as_array().unwrap().len()), (12, 0));
    assert_eq!(cells[3]["pus"].as_array().unwrap().len(), 160);
    assert_eq!(cells[0]["pus"][1], 8);
    let plan = json(&["check", "smt/scaling", "--input", "preset:graviton3-64c", "--json"]);
    assert!(plan["left_out"][0].as_str().unwrap().contains("no SMT"), "{plan}");
    let text = out(&exits(hitm().args(["check", "latency/core-to-core", "--input", "preset:epyc-2s64c2t"]), 0));
    assert!(
        text.contains("the cells as on preset:epyc-2s64c2t") && text.contains("one repetition of all takes about"),
        "{text}"
    );
    let told = err(&exits(hitm().args(["check", "quickstart", "--input", "preset:none"]), 2));
    assert!(told.contains("--input preset:none"), "{told}");
    let listed = ["check", "quickstart", "--input", "preset:c5.2xlarge", "--set", "placement.policy=\"0-3,99\""];
    let told = err(&exits(hitm().args(listed), 2));
    assert!(told.contains("this machine has no PU 99"), "{told}");
    assert!(json(&["list", "presets", "--json"])["presets"].as_array().unwrap().len() >= 6);
}

#[test]
fn every_shipped_experiment_holds() {
    let trace = crate::traces::imported(&folder("looking-trace"));
    let trace = format!("kernel.trace={}", trace.display());
    for experiment in json(&["list", "experiments", "--json"])["experiments"].as_array().unwrap() {
        let name = experiment["name"].as_str().unwrap();
        // Those of engines need a build with them: scripts/test-engines checks them.
        let lacks =
            [("engines/rocksdb-", cfg!(feature = "rocksdb")), ("engines/wiredtiger-", cfg!(feature = "wiredtiger"))];
        if lacks.iter().any(|(engine, built_in)| name.starts_with(engine) && !built_in) {
            continue;
        }
        // The one that needs something to be given.
        let given = if name == "keys/replay" { vec!["--set", &trace] } else { vec![] };
        let checked = json(&[&["check", name, "--json"], &given[..]].concat());
        assert_eq!(checked["failed"], 0, "{name}: {checked}");
        assert!(!checked["cells"].as_array().unwrap().is_empty());
    }
}

#[test]
fn completions_and_the_manual_name_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let script = out(&exits(hitm().args(["completions", shell]), 0));
        assert!(script.contains("doctor") && script.contains("resume"), "{shell}");
    }
    let page = out(&exits(hitm().arg("man"), 0));
    for command in ["list", "machine", "doctor", "check", "run", "show", "report", "export"] {
        assert!(page.contains(&format!("hitm {command}")) || page.contains(&format!("hitm\\-{command}")), "{command}");
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let mut child = hitm().arg("list").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", err(&output));
    assert_eq!(err(&output), "");
}

/// Whoever reads standard error may be gone: that stops nothing and changes no exit code.
#[test]
fn a_closed_standard_error_stops_nothing() {
    let folder = folder("closed-stderr");
    let file = experiment(&folder, MOMENT);
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    exits(hitm().arg("run").arg(&file).arg("--out").arg(folder.join("run")).stderr(full()), 0);
    exits(hitm().args(["run", "no-such-experiment"]).stderr(full()), 2);
    exits(hitm().arg("show").arg(folder.join("nowhere")).stderr(full()), 2);
}
