//! Every kind of bad input: told with its place and cure, exit code 2, nothing written.

use std::fs;

use crate::support::{MOMENT, err, exits, experiment, folder, hitm};

/// Runs a changed [`MOMENT`] and wants all of `told` on standard error.
#[track_caller]
fn refused(test: &str, text: &str, args: &[&str], told: &[&str]) {
    let folder = folder(test);
    let file = experiment(&folder, text);
    for command in ["check", "run"] {
        let mut hitm = hitm();
        hitm.arg(command).arg(&file).args(args);
        if command == "run" {
            hitm.arg("--out").arg(folder.join("run"));
        }
        let told_here = err(&exits(&mut hitm, 2));
        for part in told {
            assert!(told_here.contains(part), "{command}: no {part:?} in\n{told_here}");
        }
        assert!(!told_here.contains("panicked"), "{told_here}");
        assert!(!folder.join("run").exists(), "nothing was measured, so nothing is left");
    }
}

#[test]
fn unknown_keys_kernels_and_events_are_told_together() {
    let text = MOMENT
        .replace("sharing/counters", "sharing/countres")
        .replace("samples = 0", "samples = 0\nevents = [\"cicles\"]");
    refused("unknown-names", &text, &[], &["sharing/countres", "sharing/counters", "cicles"]);
    let text = MOMENT.replace("duration =", "duratoin =").replace("question =", "qestion =");
    refused("unknown-keys", &text, &[], &["duratoin", "qestion"]);
}

/// Faults of the text, of its values, of the kernel's parameters and of what refers to them, in one go.
#[test]
fn faults_of_every_stage_are_told_together() {
    let text = MOMENT
        .replace("reading = ", "raeding = ")
        .replace("budget = \"30s\"", "budgt = \"30s\"\nprecision = \"200%\"")
        .replace("op = [\"store\"", "strid = 8\nop = [\"store\"")
        + "\n[[figure]]\nkind = \"curve\"\ntitle = \"t\"\nx = \"op\"\ny = \"cycels\"\n";
    refused("every-stage", &text, &[], &["raeding", "budgt", "200%", "strid", "cycels"]);
}

#[test]
fn wrong_types_are_told_with_their_line() {
    let text = MOMENT.replace("min_repetitions = 3", "min_repetitions = \"many\"");
    refused("wrong-type", &text, &[], &["min_repetitions", "experiment.toml:"]);
    refused("not-toml", "question = ", &[], &["experiment.toml"]);
}

#[test]
fn impossible_parameters_are_told_with_their_range() {
    refused("stride", &MOMENT.replace("op = [", "stride = 12\nop = ["), &[], &["stride", "12", "8"]);
    refused("huge-stride", MOMENT, &["--set", "kernel.stride=4096"], &["stride", "4096", "512"]);
    refused("unknown-word", MOMENT, &["--set", "kernel.op=sotre"], &["sotre", "store"]);
    refused("no-parameter", MOMENT, &["--set", "kernel.strid=8"], &["strid", "stride"]);
}

#[test]
fn pus_that_are_not_there_are_no_other_pus() {
    refused("absent-pu", MOMENT, &["--set", "placement.policy=\"100000\""], &["100000"]);
    refused("bad-policy", MOMENT, &["--set", "placement.policy=comapct"], &["comapct", "compact"]);
}

#[test]
fn no_budget_and_too_small_a_budget_are_told_before_the_start() {
    refused("zero-budget", MOMENT, &["--budget", "0s"], &["budget"]);
    refused("bad-budget", MOMENT, &["--budget", "soon"], &["soon"]);
}

#[test]
fn a_plan_far_beyond_its_budget_is_told_with_its_estimate() {
    let folder = folder("million");
    let strides: Vec<String> = (1..=64).map(|i| (i * 8).to_string()).collect();
    let text = MOMENT
        .replace("op = [", &format!("stride = [{}]\nbase = [0, 8, 16, 24, 32, 40, 48, 56]\nop = [", strides.join(",")))
        .replace("baseline = { op = \"store\" }", "")
        .replace("duration = \"1ms\"", "duration = \"1s\"");
    let file = experiment(&folder, &text);
    let told = err(&exits(hitm().arg("run").arg(&file).args(["--budget", "60s", "--out"]).arg(folder.join("run")), 2));
    assert!(told.contains("1024 cells") && told.contains("--budget"), "{told}");
}

#[test]
fn too_many_workers_can_be_refused() {
    refused(
        "refuse",
        &MOMENT.replace("workers = 1", "workers = 4000"),
        &["--oversubscribe", "refuse"],
        &["4000", "PUs"],
    );
}

#[test]
fn a_baseline_must_be_there() {
    refused("baseline", MOMENT, &["--baseline", "op=compare-exchange"], &["baseline"]);
    refused("baseline-form", MOMENT, &["--baseline", "nothing"], &["PARAMETER=VALUE"]);
}

#[test]
fn files_and_folders_that_cannot_be_used_are_named() {
    let folder = folder("folders");
    let file = experiment(&folder, MOMENT);
    let told = err(&exits(hitm().args(["run", "no/such/experiment"]), 2));
    assert!(told.contains("no/such/experiment") && told.contains("quickstart"), "{told}");
    for command in ["show", "report", "export"] {
        let told = err(&exits(hitm().arg(command).arg(folder.join("nowhere")), 2));
        assert!(told.contains("nowhere"), "{told}");
        let told = err(&exits(hitm().arg(command).arg(&folder), 2));
        assert!(told.contains("manifest.json"), "{told}");
    }
    fs::write(folder.join("taken"), "a file").unwrap();
    let told = err(&exits(hitm().arg("run").arg(&file).arg("--out").arg(folder.join("taken")), 2));
    assert!(told.contains("taken"), "{told}");
    let told = err(&exits(hitm().arg("run").arg(&file).args(["--out", "/proc/hitm-run"]), 2));
    assert!(told.contains("/proc/hitm-run"), "{told}");
    fs::write(&file, [0xff, 0xfe, 0x00]).unwrap();
    let told = err(&exits(hitm().arg("run").arg(&file), 2));
    assert!(told.contains("UTF-8"), "{told}");
}

/// A stack is of the parts of workers' time: of kernels that tell them, and of nothing else.
#[test]
fn a_stack_of_what_has_no_parts_is_refused() {
    let with = |figure: &str| format!("{MOMENT}\n[[figure]]\nkind = \"stack\"\ntitle = \"Where?\"\n{figure}");
    refused("stack-none", &with("x = \"op\""), &[], &["figure.0.kind", "locking/transaction"]);
    refused("stack-y", &with("x = \"op\"\ny = \"throughput\""), &[], &["figure.0.y", "leave `y` out"]);
    refused("stack-x", &with(""), &[], &["figure.0.x", "is missing"]);
}

/// What a build lacks is known, and said with the package that it takes.
#[test]
#[cfg(not(any(feature = "rocksdb", feature = "wiredtiger")))]
fn engines_that_are_not_built_in_say_what_they_need() {
    for (experiment, parts) in [
        ("engines/rocksdb-locks", ["--features rocksdb", "librocksdb-dev"]),
        ("engines/wiredtiger-small-btree", ["--features wiredtiger", "libwiredtiger-dev"]),
    ] {
        for command in ["check", "run"] {
            let told = err(&exits(hitm().args([command, experiment]), 2));
            for part in parts {
                assert!(told.contains(part), "{command} {experiment}: no {part} in\n{told}");
            }
        }
    }
}
