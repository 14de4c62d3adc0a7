//! A judge that cannot condemn is none: a console of a machine in order passes, and each thing that may be wrong with it fails.

use std::fmt::Write as _;

use hitm_emulated::judge::judge;
use hitm_emulated::log::Log;
use hitm_emulated::machines::{MACHINES, Machine, Phase};
use hitm_emulated::placing::{self, Asked, asked, hold};
use hitm_emulated::pmus::POWER8;
use hitm_emulated::script;
use serde_json::json;

const SMALL: Machine = Machine {
    name: "small",
    packages: 2,
    cores: 2,
    threads: 2,
    nodes: Some(2),
    line_bytes: Some(64),
    processor: "Small",
    pmu: &POWER8,
    phases: &[Phase { name: "uneven", offline: &[2] }],
};

fn step(name: &str, code: i32, out: &str, err: &str) -> String {
    format!("@@ step {name} {code}\n{out}\n@@ errors\n{err}\n@@ end\n")
}

/// A placement that keeps its promise on SMALL with PU 2 offline: cores of PUs 0 1, 3, 4 5, 6 7.
fn kept(asked: &Asked) -> Vec<u32> {
    let order: Vec<u32> = match asked.policy.as_str() {
        "cores" => vec![0, 3, 4, 6, 1, 5, 7],
        "scatter" => vec![0, 4, 3, 6, 1, 5, 7],
        "compact" | "smt-2" => vec![0, 1, 4, 5, 3, 6, 7],
        list => list.split(',').map(|pu| pu.parse().expect("a list of PUs")).collect(),
    };
    order[..asked.workers].to_vec()
}

fn console() -> String {
    let phase = &SMALL.phases[0];
    let mut text = String::from("[    1.0] the kernel's own words\n");
    let core = |pu: u32| ["0-1", "0-1", "", "3", "4-5", "4-5", "6-7", "6-7"][pu as usize];
    let mut siblings = String::from("/sys/devices/system/cpu/online:0-1,3-7\n");
    for pu in [0, 1, 3, 4, 5, 6, 7] {
        let _ = writeln!(siblings, "/sys/devices/system/cpu/cpu{pu}/topology/thread_siblings_list:{}", core(pu));
    }
    text += &step("uneven/siblings", 0, &siblings, "");
    let pus: Vec<_> = (0..8)
        .map(|pu| match pu {
            2 => json!({"os_index": 2, "online": false, "allowed": false, "smt_index": 0}),
            _ => json!({"os_index": pu, "online": true, "allowed": true, "core": pu / 2 % 2, "package": pu / 4,
                "numa_node": pu / 4, "smt_index": if pu == 3 { 0 } else { pu % 2 }}),
        })
        .collect();
    let counts = json!({"pus": 7, "cores": 4, "packages": 2, "numa_nodes": 2, "smt_min": 1, "smt_max": 2});
    let machine = json!({"counts": counts, "pus": pus, "line_size": {"bytes": 64, "source": "L1d"}});
    text += &step("uneven/machine", 0, &machine.to_string(), "");
    for asked in asked(&SMALL, phase) {
        let placed = json!({"placement": {"pus": kept(&asked)}}).to_string();
        text += &step(&format!("uneven/place/{}/{}", asked.policy, asked.workers), 0, &placed, "");
    }
    for command in ["place", "run"] {
        text += &step(&format!("uneven/refused/{command}"), 2, "", "error: PU 2 is offline");
    }
    let (mut cells, mut records) = (Vec::new(), String::new());
    for (index, asked) in script::measured(&SMALL, phase).iter().enumerate() {
        let pus = kept(asked);
        let worker = |pu: &u32| json!({"pu": pu, "pinned": true, "pu_at_start": pu, "pu_at_end": pu, "operations": 5});
        let workers: Vec<_> = pus.iter().map(worker).collect();
        let record = json!({"trial": index, "cell": index, "workers": workers, "verification": {"is": "exact"}});
        let _ = writeln!(records, "{record}");
        cells.push(json!({"index": index, "placement": {"pus": pus},
            "parameters": {"placement": asked.policy, "workers": asked.workers}}));
    }
    text += &step("uneven/run", 0, "", "");
    text += &step("uneven/records", 0, &records, "");
    text + &step("uneven/show", 0, &json!({"stopped": "repetitions", "cells": cells}).to_string(), "")
}

fn wrong(console: &str) -> Vec<String> {
    let checks = judge(&SMALL, &Log::read(console));
    checks.into_iter().filter_map(|check| check.found.err().map(|why| format!("{}: {why}", check.what))).collect()
}

#[test]
fn a_machine_in_order_passes() {
    assert_eq!(wrong(&console()), Vec::<String>::new());
}

#[test]
fn whatever_is_wrong_fails() {
    let good = console();
    for (what, with) in [
        ("online:0-1,3-7", "online:0-7"),
        ("thread_siblings_list:4-5", "thread_siblings_list:4"),
        (r#""smt_max":2"#, r#""smt_max":3"#),
        (r#""cores":4"#, r#""cores":3"#),
        (r#""numa_node":1"#, r#""numa_node":0"#),
        (r#""online":false"#, r#""online":true"#),
        (r#""allowed":true"#, r#""allowed":false"#),
        (r#""source":"L1d""#, r#""source":"assumed""#),
        (r#""bytes":64"#, r#""bytes":0"#),
        (r#"{"pus":[0,3,4,6]}"#, r#"{"pus":[0,1,4,6]}"#),
        (r#"{"pus":[7,5,3,1]}"#, r#"{"pus":[7,5,3,2]}"#),
        ("uneven/refused/run 2", "uneven/refused/run 0"),
        ("PU 2 is offline", "this machine has no PU 2"),
        ("uneven/run 0", "uneven/run 1"),
        (r#""stopped":"repetitions""#, r#""stopped":null"#),
        (r#""pinned":true"#, r#""pinned":false"#),
        (r#""pu_at_end":4"#, r#""pu_at_end":5"#),
        (r#""operations":5"#, r#""operations":0"#),
        (r#""is":"exact""#, r#""is":"wrong""#),
        ("@@ step uneven/show 0", "@@ stall"),
    ] {
        let bad = good.replace(what, with);
        assert_ne!(bad, good, "{what} is not in the console");
        assert_ne!(wrong(&bad), Vec::<String>::new(), "{with} passes for {what}");
    }
}

#[test]
fn a_cell_without_a_trial_and_a_console_cut_short_fail() {
    let good = console();
    let first = good.lines().find(|line| line.contains(r#""trial":0"#)).expect("a record");
    assert_eq!(wrong(&good.replace(first, "")).len(), 1);
    let half = &good[..good.len() / 2];
    assert!(wrong(half).iter().any(|why| why.contains("the guest never came to the end of uneven/show")));
}

#[test]
fn broken_promises_of_each_policy_are_seen() {
    let phase = &SMALL.phases[0];
    for (policy, pus) in [
        ("compact", &[0, 4][..]),
        ("compact", &[0, 0]),
        ("compact", &[0, 2]),
        ("cores", &[0, 1]),
        ("cores", &[1, 3, 4, 6]),
        ("cores", &[0, 3, 4]),
        ("scatter", &[0, 3]),
        ("scatter", &[0, 1, 4]),
        ("smt-2", &[0, 4, 6, 3]),
        ("7,5,3,1", &[7, 5, 1, 3]),
    ] {
        let workers = if policy == "cores" && pus.len() == 3 { 4 } else { pus.len() };
        let asked = Asked { policy: policy.to_owned(), workers };
        assert!(hold(&SMALL, phase, &asked, pus).is_err(), "{policy} may not place on {pus:?}");
    }
}

#[test]
fn the_machines_and_their_phases_are_in_order() {
    for machine in MACHINES {
        assert_eq!(machine.phases[0].name, "booted", "{}: what is looked at once is looked at there", machine.name);
        for phase in machine.phases {
            assert!(phase.offline.iter().all(|pu| *pu < machine.pus()), "{} {}", machine.name, phase.name);
            let cores = machine.online_cores(phase);
            assert!(cores.len() >= 2, "{} {} has too few cores to place on", machine.name, phase.name);
            assert_eq!(placing::list(&cores).len(), cores.len());
        }
        assert!(script::script(machine).ends_with("echo '@@ done'\n"));
    }
}
