//! Events: named, planned, counted or told why not.

use serde_json::Value;

use crate::support::{MOMENT, err, exits, experiment, folder, hitm, out, records};

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&out(&exits(hitm().args(arguments), 0))).expect("strict JSON")
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("{key} of {value}"))
}

#[test]
fn every_microarchitecture_shows_its_events_with_codes_and_sources() {
    let uarchs = json(&["list", "uarchs", "--json"]);
    let uarchs: Vec<&str> = uarchs["uarchs"].as_array().unwrap().iter().map(|uarch| text(uarch, "name")).collect();
    assert!(uarchs.len() >= 17 && uarchs.contains(&"power8") && uarchs.contains(&"zen4"), "{uarchs:?}");
    for uarch in uarchs {
        let list = json(&["list", "events", "--uarch", uarch, "--json"]);
        let events = list["uarch"]["events"].as_array().unwrap();
        assert!(!events.is_empty());
        for event in events {
            assert!(text(event, "config").starts_with("0x"), "{event}");
            assert!(!text(event, "meaning").is_empty() && !text(event, "source").is_empty(), "{event}");
        }
        let shown = out(&exits(hitm().args(["list", "events", "--uarch", uarch]), 0));
        assert!(events.iter().all(|event| shown.contains(text(event, "config"))), "{uarch}");
    }
}

#[test]
fn power8_counts_in_passes_that_fit_and_names_what_linux_refuses() {
    let plan = json(&["check", "rng/shared-state", "--uarch", "power8", "--json"]);
    let passes = plan["counting"]["passes"].as_array().unwrap();
    assert!(passes.len() > 1, "{passes:?}");
    for pass in passes {
        let events = pass["events"].as_array().unwrap();
        let names: Vec<&str> = events.iter().map(|event| text(event, "name")).collect();
        assert!(names.contains(&"cycles") && names.contains(&"instructions"), "{names:?}");
        // A counter is named by bits 16 to 19 of the code, and holds one event.
        let mut counters: Vec<u64> = events
            .iter()
            .filter_map(|event| {
                u64::from_str_radix(
                    event["codes"][0].as_str()?.strip_prefix("cpu/config=0x")?.trim_end_matches('/'),
                    16,
                )
                .ok()
            })
            .map(|code| (code >> 16) & 0xf)
            .collect();
        counters.sort_unstable();
        assert!(counters.windows(2).all(|pair| pair[0] != pair[1]), "{events:?}");
    }
    let refused = plan["counting"]["refused"].to_string();
    for code in ["0x536088", "0x53608a", "0x537088", "0x54708c", "0x54708e", "0x53708a"] {
        assert!(refused.contains(code), "{code}: {refused}");
    }
    let shown = out(&exits(
        hitm().args(["check", "rng/shared-state", "--uarch", "power8", "--set", "measure.events=store-transfer"]),
        0,
    ));
    assert!(shown.contains("store-transfer") && shown.contains("count ll-sc-failures, the nearest"), "{shown}");
}

#[test]
fn what_cannot_be_counted_is_absent_with_one_reason_and_stops_nothing() {
    let folder = folder("absent-events");
    let file = experiment(&folder, MOMENT);
    let run = folder.join("run");
    let asked = r#"measure.events=["cycles","instructions","store-transfer","context-switches"]"#;
    let output = exits(hitm().arg("run").arg(&file).arg("--out").arg(&run).args(["--set", asked]), 0);
    let manifest: Value = serde_json::from_str(&std::fs::read_to_string(run.join("manifest.json")).unwrap()).unwrap();
    let mut absent = 0;
    for event in manifest["events"].as_array().unwrap() {
        let name = text(event, "name");
        let why = &event["unavailable"];
        if why.is_null() {
            // It counts: some record has it, as read.
            let counted = records(&run).iter().any(|record| record["workers"][0]["events"][name]["value"].is_u64());
            assert!(counted, "{name}");
        } else {
            absent += 1;
            assert!(!text(why, "reason").is_empty() && !text(why, "cure").is_empty(), "{event}");
            assert!(records(&run).iter().all(|record| record["workers"][0]["events"].get(name).is_none()), "{name}");
        }
    }
    let shown = out(&output);
    // A machine without a PMU says so once, however many events were asked for.
    if absent == 3 {
        assert_eq!(shown.matches("\nabsent: ").count(), 1, "{shown}");
    }
    for pass in manifest["passes"].as_array().unwrap() {
        assert!(!pass["events"].as_array().unwrap().is_empty());
    }
}

#[test]
fn the_names_that_no_event_has_are_told_all_at_once() {
    let folder = folder("event-names");
    let file = experiment(&folder, MOMENT);
    let asked = r#"measure.events=["cycels","store-transfers","cpu/nosuch=1/","cs","context-switches"]"#;
    let told = err(&exits(hitm().arg("check").arg(&file).args(["--set", asked]), 2));
    for said in ["did you mean cycles?", "did you mean", "nosuch", "\"context-switches\" is there twice"] {
        assert!(told.contains(said), "{said}: {told}");
    }
    let empty =
        err(&exits(hitm().arg("check").arg(&file).args(["--set", "measure.events=\"instructions,,cycles\""]), 2));
    assert!(empty.contains("item 2"), "{empty}");
    exits(hitm().arg("check").arg(&file).args(["--set", "measure.events=\"instructions, cycles , cs\""]), 0);
    let unknown = err(&exits(hitm().args(["list", "events", "--uarch", "pwer8"]), 2));
    assert!(unknown.contains("power8"), "{unknown}");
}

#[test]
fn names_of_other_processors_and_pmus_are_absent_not_refused() {
    let folder = folder("foreign-events");
    let file = experiment(&folder, MOMENT);
    // An experiment goes to many machines: what one of them lacks is no fault of the experiment.
    let asked = r#"measure.events=["nopmu/event=1/","r04d2","cpu/config=0x1e058/","nosuchcpu::EVENT","task-clock"]"#;
    let plan: Value =
        serde_json::from_str(&out(&exits(hitm().arg("check").arg(&file).args(["--json", "--set", asked]), 0))).unwrap();
    let missing = plan["counting"]["not_counted"].to_string();
    assert!(missing.contains("nopmu") && missing.contains("nosuchcpu"), "{missing}");
}

/// Doctor's exit code says whether pinning and counting are possible.
#[test]
fn doctors_exit_code_tells_whether_it_can_pin_and_count() {
    let output = hitm().args(["doctor", "--look", "--json"]).output().unwrap();
    let findings: Value = serde_json::from_str(&out(&output)).unwrap();
    let missing = |name: &str| {
        findings.as_array().unwrap().iter().any(|finding| finding["name"] == name && finding["level"] == "missing")
    };
    let expected = match (missing("pinning"), missing("pmu")) {
        (true, _) => 1,
        (false, true) => 3,
        (false, false) => 0,
    };
    assert_eq!(output.status.code(), Some(expected));
}

/// A limit of descriptors below what the workers' events need is raised where that may be, and told before the first trial where not.
#[test]
fn descriptors_are_planned_before_the_run() {
    let folder = folder("descriptors");
    let file = experiment(&folder, MOMENT);
    let shell = |limits: &str, workers: &str| {
        let mut command = std::process::Command::new("sh");
        let program = env!("CARGO_BIN_EXE_hitm");
        let script =
            format!("{limits}; exec \"{program}\" check '{}' --set placement.workers={workers}", file.display());
        command.arg("-c").arg(script);
        command
    };
    let many = "measure.events=[\"task-clock\",\"cs\",\"migrations\",\"faults\",\"minor-faults\",\"major-faults\"]";
    let told = exits(&mut shell("ulimit -n 100", &format!("30 --set '{many}'")), 2);
    let told = err(&told);
    assert!(told.contains("needs 244 file descriptors and this process may have 100"), "{told}");
    assert!(told.contains("30 workers") && told.contains("ulimit -Hn 244"), "{told}");
    exits(&mut shell("ulimit -Sn 100", &format!("30 --set '{many}'")), 0);
}

#[test]
fn one_code_under_two_names_is_told() {
    let folder = folder("one-code");
    let file = experiment(&folder, MOMENT);
    let asked = r#"measure.events=["r04d2","r4d2","cpu/event=0xd2,umask=4/"]"#;
    let told = out(&exits(hitm().arg("check").arg(&file).args(["--uarch", "zen4", "--set", asked]), 0));
    assert!(told.contains("not counted: r4d2, cpu/event=0xd2,umask=4/: it is the same count as `r04d2`"), "{told}");
    // A set leaves out what is asked for by itself.
    let beside = r#"measure.events=["contention","PM_STCX_FAIL"]"#;
    let check = |extra: &[&str]| {
        let output = exits(hitm().arg("check").arg(&file).args(["--json", "--set", beside]).args(extra), 0);
        serde_json::from_str::<Value>(&out(&output)).unwrap()["counting"]["passes"].to_string()
    };
    let passes = check(&["--uarch", "power8"]);
    assert!(passes.contains("PM_STCX_FAIL") && !passes.contains("ll-sc-failures"), "{passes}");
}

#[test]
fn more_passes_than_repetitions_are_told_before_the_run() {
    let folder = folder("few-repetitions");
    let file = experiment(&folder, MOMENT);
    let few = ["--uarch", "power8", "--set", "measure.min_repetitions=1", "--set", "measure.max_repetitions=1"];
    let told = err(&exits(hitm().arg("check").arg(&file).args(few), 2));
    assert!(told.contains("2 passes") && told.contains("max_repetitions"), "{told}");
}

#[test]
fn a_run_whose_events_stand_for_something_else_here_does_not_go_on() {
    let folder = folder("other-events");
    let file = experiment(&folder, MOMENT);
    let run = folder.join("run");
    exits(hitm().arg("run").arg(&file).arg("--out").arg(&run), 0);
    let path = run.join("manifest.json");
    let mut manifest: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    for event in manifest["events"].as_array_mut().unwrap() {
        if event["name"] == "context-switches" {
            event["codes"] = serde_json::json!(["software/config=0x7/"]);
        }
    }
    std::fs::write(&path, manifest.to_string()).unwrap();
    let told = err(&exits(hitm().args(["run", "--budget", "90s", "--resume"]).arg(&run), 2));
    assert!(told.contains("what the event `context-switches` stands for"), "{told}");
}

#[test]
fn a_metric_that_cannot_be_had_is_told_before_the_run() {
    let folder = folder("absent-metric");
    let file = experiment(&folder, MOMENT);
    let asked = ["--uarch", "power8", "--set", "measure.events=[\"store-transfer\"]"];
    let metric = ["--set", "compare.metric=store-transfer_per_op"];
    let told = err(&exits(hitm().arg("check").arg(&file).args(asked).args(metric), 2));
    assert!(told.contains("cannot be had here") && told.contains("ll-sc-failures"), "{told}");
}

#[test]
fn what_software_counts_is_named_by_its_rate_of_time_too() {
    let folder = folder("rate-metric");
    let file = experiment(&folder, MOMENT);
    let check = |metric: &str, code| {
        let metric = format!("compare.metric={metric}");
        let asked = ["--set", "measure.events=[\"cs\",\"task-clock\"]", "--set", &metric];
        exits(hitm().arg("check").arg(&file).args(asked), code)
    };
    check("context-switches_per_ms", 0);
    check("task-clock_per_ms", 2);
}

#[test]
fn a_run_that_goes_on_keeps_to_its_passes() {
    let folder = folder("kept-passes");
    let file = experiment(&folder, MOMENT);
    let run = folder.join("run");
    let asked = "measure.events=[\"task-clock\",\"cs\"]";
    exits(hitm().arg("run").arg(&file).arg("--out").arg(&run).args(["--set", asked]), 0);
    let path = run.join("manifest.json");
    let mut manifest: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    manifest["passes"] = serde_json::json!([{"events": ["nope"], "companions": []}]);
    std::fs::write(&path, manifest.to_string()).unwrap();
    let told = err(&exits(hitm().args(["run", "--budget", "90s", "--resume"]).arg(&run), 2));
    assert!(told.contains("its passes count \"nope\""), "{told}");
}
