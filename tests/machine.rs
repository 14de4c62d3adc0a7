//! `hitm machine`: other machines and placements on them.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::support::{err, exits, folder, hitm, out};

fn json(args: &[&str]) -> Value {
    let output = exits(hitm().arg("machine").args(args).arg("--json"), 0);
    serde_json::from_str(&out(&output)).expect("strict JSON")
}

fn placed(machine: &Value) -> Vec<u64> {
    machine["placement"]["pus"].as_array().unwrap().iter().map(|pu| pu.as_u64().unwrap()).collect()
}

#[test]
fn a_preset_is_placed_on_with_every_policy() {
    let power8 = |policy: &str, workers: &str| {
        json(&["--input", "preset:power8-2s10c8t", "--place", policy, "--workers", workers])
    };
    let machine = power8("pairs", "6");
    assert_eq!(placed(&machine), [0, 8, 80, 88, 16, 24]);
    assert_eq!((&machine["counts"]["pus"], &machine["line_size"]["bytes"]), (&160.into(), &128.into()));
    assert_eq!(machine["line_sizes"].as_array().unwrap().len(), 3);
    assert_eq!(placed(&power8("one-per-package", "3")), [0, 80, 0]);
    assert_eq!(power8("one-per-package", "3")["placement"]["oversubscribed"], true);
    for policy in ["compact", "cores", "scatter", "smt-4", "one-per-core", "one-per-l2", "one-per-node", "0-159"] {
        let machine = power8(policy, "2");
        assert_eq!(machine["placement"]["policy"], policy);
        assert_eq!(placed(&machine).len(), 2);
    }
    let m1 = json(&["--input", "preset:apple-m1-hybrid"]);
    assert_eq!(m1["placement"], Value::Null);
    assert_eq!((&m1["pus"][0]["kind"], &m1["pus"][7]["kind"]), (&"efficiency".into(), &"performance".into()));
    assert_eq!(m1["kinds"].as_array().unwrap().len(), 2);
}

#[test]
fn without_a_number_each_pu_that_the_policy_offers_gets_a_worker() {
    let all = |args: &[&str]| placed(&json(&[&["--input", "preset:epyc-2s64c2t", "--place"], args].concat()));
    assert_eq!(all(&["compact"]).len(), 256);
    assert_eq!(all(&["one-per-cache"]).len(), 16);
    let inside = all(&["cores", "--within", "l3:9", "--within", "pus:0-255:3"]);
    assert_eq!(inside.iter().copied().collect::<BTreeSet<u64>>(), BTreeSet::from([9, 12, 15, 138, 141]));
    let within = json(&["--input", "preset:c5.2xlarge", "--place", "0", "--within", "core:4"]);
    assert_eq!(within["placement"]["within"][0], "core:4");
}

#[test]
fn a_saved_machine_is_the_same_machine() {
    let file = folder("saved").join("machine.json");
    let (path, input) = (file.to_str().unwrap().to_owned(), format!("json:{}", file.display()));
    let mut before = json(&["--input", "preset:apple-m1-hybrid", "--place", "scatter", "--save", &path]);
    let mut after = json(&["--input", &input, "--place", "scatter"]);
    assert_eq!(after["source"], input.as_str());
    before["source"].take();
    after["source"].take();
    assert_eq!(before, after);
}

#[test]
fn pictures_are_written_and_drawn() {
    let folder = folder("pictures");
    let (svg, png) = (folder.join("m.svg"), folder.join("m.png"));
    let mut command = hitm();
    command.args(["machine", "--input", "preset:c5.9xlarge", "--place", "cores", "--workers", "4", "--picture"]);
    let output = exits(command.env("COLUMNS", "80").arg("--svg").arg(&svg).arg("--png").arg(&png), 0);
    let text = out(&output);
    assert!(text.contains("┌ package 0 · NUMA node 0 · L3 ─") && text.contains("[3=w3 21]"), "{text}");
    assert!(text.lines().skip_while(|line| !line.starts_with('┌')).all(|line| line.chars().count() <= 80), "{text}");
    assert!(fs::read_to_string(&svg).unwrap().contains("<title>PU 3: worker 3</title>"));
    assert_eq!(&fs::read(&png).unwrap()[1..4], b"PNG");
    assert!(err(&output).contains("m.svg") && err(&output).contains("m.png"));
    let nowhere = folder.join("no/such/folder.svg");
    let told = err(&exits(hitm().args(["machine", "--input", "preset:c5.9xlarge", "--svg"]).arg(nowhere), 1));
    assert!(told.contains("cannot be written") && told.contains("--svg"), "{told}");
}

#[test]
fn the_table_of_a_large_machine_has_a_row_a_core() {
    let args = ["machine", "--input", "preset:xeon-2s40c2t", "--place", "cores", "--workers", "81"];
    let text = out(&exits(hitm().args(args), 0));
    assert!(text.contains("0=0 80=80") && text.contains("PU=worker"), "{text}");
    assert!(text.lines().count() < 100, "{} lines", text.lines().count());
    let text = out(&exits(hitm().args(["machine", "--input", "preset:c5.2xlarge"]), 0));
    assert!(
        text.lines().filter(|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit())).count() == 8,
        "{text}"
    );
}

#[test]
fn all_that_is_wrong_is_told_at_once() {
    let told = |args: &[&str]| err(&exits(hitm().arg("machine").args(args), 2));
    let wrong = ["--input", "preset:power9", "--place", "neighbours", "--within", "socket:0", "--within", "core:x"];
    let said = told(&wrong);
    for part in
        ["preset:power9", "power8-2s10c8t", "--place neighbours", "--within socket:0", "--within core:x", "4 problems"]
    {
        assert!(said.contains(part), "{part} is not in {said}");
    }
    let m1 = ["--input", "preset:apple-m1-hybrid", "--place"];
    let said =
        told(&[&m1[..], &["one-per-l3", "--workers", "0", "--within", "kind:big", "--within", "pus:7-8"]].concat());
    for part in [
        "--workers 0",
        "--within kind:big",
        "kind:efficiency or kind:performance",
        "--within pus:7-8",
        "no PU 8",
        "one-per-l3",
        "one-per-l2",
    ] {
        assert!(said.contains(part), "{part} is not in {said}");
    }
    let said = told(&[&m1[..], &["cores", "--workers", "9", "--oversubscribe", "refuse"]].concat());
    assert!(said.contains("9 workers are more than the 8 PUs"), "{said}");
    told(&["--input", "preset:c5.2xlarge", "--within", "package:0"]);
    told(&["--input", "preset:c5.2xlarge", "--picture", "--json"]);
}
