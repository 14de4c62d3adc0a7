//! `hitm keys import` and `describe`, and the trace replayed: from a server's log to a run.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{err, exits, folder, hitm, out, records};

fn log(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/keys/tests/data").join(name)
}

fn one_thread() -> PathBuf {
    log("sysbench-1.0.20_oltp_read_write_special_seed42_size10000_200.general.log.gz")
}

fn two_threads() -> PathBuf {
    log("sysbench-1.0.20_oltp_read_write_special_seed42_size10000_2threads_2000.general_log.tsv.gz")
}

fn import(trace: &Path, out: &Path) -> Command {
    let mut command = hitm();
    command.args(["keys", "import"]).arg(trace).arg("--out").arg(out);
    command
}

/// A trace of two threads at a place of its own.
pub fn imported(folder: &Path) -> PathBuf {
    let keys = folder.join("t.keys");
    exits(&mut import(&two_threads(), &keys), 0);
    keys
}

#[test]
fn a_log_is_imported_and_described() {
    let folder = folder("traces-describe");
    let keys = folder.join("one.keys");
    let told = out(&exits(&mut import(&one_thread(), &keys), 0));
    for part in ["3600 keys of 1 thread", "4030 lines", "general-log, gzip", "3600 statements, 0 of them without a key"]
    {
        assert!(told.contains(part), "{told}");
    }
    let told = out(&exits(import(&two_threads(), &keys).arg("--json"), 0));
    let told: Value = serde_json::from_str(&told).expect("strict JSON");
    assert_eq!(
        (told["keys"].as_u64(), told["threads"].as_u64(), told["bad_lines"].as_u64()),
        (Some(36_000), Some(2), Some(0))
    );
    assert_eq!((told["format"].as_str(), told["packing"].as_str()), (Some("general-log-table"), Some("gzip")));

    let text = out(&exits(hitm().args(["keys", "describe"]).arg(&keys), 0));
    for part in
        ["36000 draws of", "2 threads", "no Zipf's law", "working set", "hottest keys: 5", "471 (53.1", "no lockstep"]
    {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    let [svg, png] = ["t.svg", "t.png"].map(|name| folder.join(name));
    let mut describe = hitm();
    describe.args(["keys", "describe", "--json"]).arg(&keys).arg("--svg").arg(&svg).arg("--png").arg(&png);
    let about = out(&exits(&mut describe, 0));
    assert!(fs::read_to_string(svg).unwrap().contains("by the law") && fs::read(png).unwrap().starts_with(b"\x89PNG"));
    let about: Value = serde_json::from_str(&about).expect("strict JSON");
    assert_eq!(about["keys"], 36_000);
    assert_eq!((&about["zipf"]["fits"], &about["compared"]["in_lockstep"]), (&Value::Bool(false), &Value::from(0)));
    let octaves = about["octaves"].as_array().unwrap();
    assert_eq!(octaves.iter().map(|octave| octave["times"].as_u64().unwrap()).sum::<u64>(), 36_000);
    let expected: f64 = octaves.iter().map(|octave| octave["zipf"].as_f64().unwrap()).sum();
    assert!((expected - 1.0).abs() < 1e-9);
    assert_eq!(about["threads"][0]["thread"], 472);
}

#[test]
fn a_distribution_is_described_as_a_trace_is() {
    let describe = |args: &str, code| {
        let output = exits(hitm().args(["keys", "describe"]).args(args.split(' ')), code);
        (out(&output), err(&output))
    };
    let (text, _) = describe("--dist exact/uniform --count 100000 --seed 3", 0);
    assert!(text.contains("no skew") && !text.contains("thread "), "{text}");
    let (text, _) = describe("--dist exact/uniform --range 1..10000000 --count 10000 --seed 3", 0);
    assert!(text.contains("too few draws a key to tell skew"), "{text}");
    let (text, _) = describe("--dist exact/zipf --range 1..100000 --set theta=0.8 --count 10000 --seed 3", 0);
    for part in ["Zipf's law fits", "with 95 % confidence", "(1 window)", "(1 % of the different ones)", "of the draws"]
    {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    let (text, told) = describe("--dist exact/permutation --range 1..50 --count 60", 1);
    assert!(text.contains("50 different keys") && told.contains("50 of 60"), "{text}{told}");
    let (_, told) = describe("--dist exact/unifrom --range 9..1 --count 0 --seed x --set h", 2);
    for part in ["exact/uniform", "1..9", "--count", "--seed", "--set h", "5 problems"] {
        assert!(told.contains(part), "no {part:?} in\n{told}");
    }
    describe("", 2);
}

#[test]
fn what_cannot_be_imported_leaves_nothing_behind() {
    let folder = folder("traces-bad");
    let keys = folder.join("t.keys");
    fs::write(&keys, "before").unwrap();
    let bad: String =
        (0..100).map(|line| if line % 2 == 0 { "5\r\n".to_owned() } else { format!("-{line}\r\n") }).collect();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let whole = fs::read(one_thread()).unwrap();
    for (trace, args, told) in [
        (
            file("bad", bad.as_bytes()),
            "",
            &["bad:2: `-1` is negative", "bad:20:", "50 bad lines, of which the first 10", "--skip-bad"][..],
        ),
        (file("cut.gz", &whole[..whole.len() / 2]), "", &["ends in the middle", "whole lines were read before"]),
        (file("empty", b""), "", &["it is empty"]),
        (file("words", b"hello world\n"), "", &["--format"]),
        (file("table", b"a,b\n1,2\n"), "--format csv --thread-column c", &["--column", "a, b", "--thread-column"]),
        (
            folder.join("none"),
            "--format pcap --block-bytes x",
            &["none: it cannot be read", "blkparse", "--block-bytes", "3 problems"],
        ),
        (one_thread(), "--column key", &["none of its 3600 statements names a key in `key`", "--column"]),
        (one_thread(), "--table other", &["no statement is about `other`"]),
        (folder.clone(), "", &["it cannot be read"]),
    ] {
        let output = exits(import(&trace, &keys).args(args.split(' ').filter(|arg| !arg.is_empty())), 2);
        let all = err(&output);
        assert_eq!(out(&output), "");
        for part in told {
            assert!(all.contains(part), "{}: no {part:?} in\n{all}", trace.display());
        }
    }
    assert_eq!(fs::read_to_string(&keys).unwrap(), "before");
    let left = exits(import(&folder.join("bad"), &keys).arg("--skip-bad"), 0);
    assert!(out(&left).contains("50 keys") && err(&left).contains("50 bad lines were left out"));
    let told = err(&exits(&mut import(&one_thread(), &folder.join("no/t.keys")), 2));
    assert!(told.contains("--out") && told.contains("cannot be written"), "{told}");
    let hidden = fs::read_dir(&folder)
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with('.'));
    assert_eq!(hidden.count(), 0);
}

/// Keys drawn into a pipe come back as they were drawn.
#[test]
fn what_is_drawn_can_be_imported_from_a_pipe() {
    let keys = folder("traces-pipe").join("t.keys");
    let draw = "keys draw --dist sysbench-1.0.20/special --count 5000 --seed 7";
    let drawn = out(&exits(hitm().args(draw.split(' ')), 0));
    let mut child = import(Path::new("-"), &keys).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(drawn.as_bytes()).unwrap();
    assert!(out(&child.wait_with_output().unwrap()).contains("5000 keys"));
    let about = out(&exits(hitm().args(["keys", "describe", "--json"]).arg(&keys), 0));
    let of = format!("keys describe --json --dist {}", &draw["keys draw --dist ".len()..]);
    let (about, mut same): (Value, Value) = (
        serde_json::from_str(&about).unwrap(),
        serde_json::from_str(&out(&exits(hitm().args(of.split(' ')), 0))).unwrap(),
    );
    for field in ["name", "threads"] {
        same[field] = about[field].clone();
    }
    assert_eq!(about, same);
}

#[test]
fn a_trace_is_replayed() {
    let folder = folder("traces-replay");
    let keys = imported(&folder);
    let run = folder.join("run");
    let set = format!("kernel.trace={}", keys.display());
    let short =
        ["measure.duration=1ms", "measure.warm_up=200us", "measure.min_repetitions=3", "measure.max_repetitions=3"];
    let mut command = hitm();
    command.args(["run", "keys/replay", "--quiet", "--set", &set, "--budget", "60s", "--out"]).arg(&run);
    for set in short {
        command.args(["--set", set]);
    }
    command.args(["--set", "kernel.streams=[thread,round-robin,partition]", "--set", "placement.workers=[1,2]"]);
    exits(&mut command, 0);
    let records = records(&run);
    assert!(records.iter().all(|record| record["verification"]["state"].as_str().unwrap_or("exact") == "exact"));
    let shown: Value = serde_json::from_str(&out(&exits(hitm().args(["show", "--json"]).arg(&run), 0))).unwrap();
    assert_eq!(shown["cells"].as_array().unwrap().len(), 3 * 2 * 2);
}

#[test]
fn no_trace_or_a_bad_one_is_refused_before_the_first_trial() {
    let folder = folder("traces-refused");
    let keys = imported(&folder);
    let whole = fs::read(&keys).unwrap();
    fs::write(folder.join("cut.keys"), &whole[..whole.len() - 100]).unwrap();
    fs::write(folder.join("log"), "5\n6\n").unwrap();
    for command in ["check", "run"] {
        let told = err(&exits(hitm().args([command, "keys/replay"]).current_dir(&folder), 2));
        assert!(told.contains("no trace is given") && told.contains("--set kernel.trace=t.keys"), "{told}");
        for (trace, why) in [
            ("none.keys", "cannot be read"),
            ("cut.keys", "is cut off"),
            ("log", "no trace in the compact form"),
            ("5", "in quotes"),
        ] {
            let set = format!("kernel.trace={trace}");
            let told = err(&exits(hitm().args([command, "keys/replay", "--set", &set]).current_dir(&folder), 2));
            assert!(told.contains(why) && told.contains(&set), "{command} {trace}: {told}");
        }
    }
    let told = err(&exits(hitm().args(["keys", "describe", "cut.keys"]).current_dir(&folder), 2));
    assert!(told.contains("cut.keys is cut off"), "{told}");
    let checked =
        hitm().args(["check", "keys/replay", "--set", "kernel.trace=t.keys"]).current_dir(&folder).output().unwrap();
    assert!(out(&checked).contains("cells hold"), "{}", err(&checked));
}

/// What `hitm keys sql` prints is a trace; what is none of keys says so once.
#[test]
fn statements_are_imported_and_no_list_is_told_once() {
    let folder = folder("traces-statements");
    let keys = folder.join("t.keys");
    let sql =
        hitm().args(["keys", "sql", "--workload", "sysbench-1.0.20/oltp_read_write", "--transactions", "20"]).output();
    fs::write(folder.join("sql"), sql.unwrap().stdout).unwrap();
    let told = out(&exits(&mut import(&folder.join("sql"), &keys), 0));
    assert!(told.contains("360 keys of 1 thread") && told.contains("(statements)"), "{told}");
    fs::write(folder.join("words"), "none\n".repeat(100)).unwrap();
    let told = err(&exits(import(&folder.join("words"), &keys).args(["--format", "keys"]), 2));
    assert_eq!(told.matches("none").count(), 1, "{told}");
    assert!(told.contains("this is not a list of keys") && told.contains("100 of its lines are bad"), "{told}");
}
