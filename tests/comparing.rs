//! Cells against a baseline, run against run, and conditions for a continuous integration.

use serde_json::Value;

use crate::support::{MOMENT, err, exits, experiment, folder, hitm, out};

#[test]
fn runs_are_held_against_each_other_in_every_form() {
    let folder = folder("compare-runs");
    let file = experiment(&folder, MOMENT);
    let [one, other] = ["one", "other"].map(|name| folder.join(name));
    for run in [&one, &other] {
        exits(hitm().arg("run").arg(&file).arg("-q").arg("--out").arg(run), 0);
    }
    let compare = |args: &[&str]| out(&exits(hitm().arg("compare").arg(&one).arg(&other).args(args), 0));
    let text = compare(&[]);
    assert!(text.starts_with("Time per operation of other against one: "), "{text}");
    assert!(compare(&["--markdown"]).contains("| op | before"), "{}", compare(&["--markdown"]));
    let csv = compare(&["--csv"]);
    assert_eq!(csv.lines().next().unwrap().split(',').count(), 4 + 3 * 7, "{csv}");
    assert_eq!(csv.lines().count(), 3);
    let found: Value = serde_json::from_str(&compare(&["--json"])).unwrap();
    assert_eq!(found[0]["cells"].as_array().unwrap().len(), 2);
    // Three repetitions are too few for any verdict, so nothing is slower.
    compare(&["--fail-if", "slower>5%"]);
    let within = out(&exits(hitm().arg("compare").arg(&one).args(["--baseline", "op=fetch-add", "--json"]), 0));
    let found: Value = serde_json::from_str(&within).unwrap();
    assert_eq!((&found[0]["before"], found[0]["cells"].as_array().unwrap().len()), (&"op=fetch-add".into(), 1));
}

#[test]
fn what_cannot_be_compared_is_refused_with_its_cure() {
    let folder = folder("compare-bad");
    let (file, run) = (experiment(&folder, MOMENT), folder.join("run"));
    exits(hitm().arg("run").arg(&file).arg("-q").arg("--out").arg(&run), 0);
    let refused = |args: &[&str]| err(&exits(hitm().arg("compare").arg(&run).args(args), 2));
    for (args, parts) in [
        (&["--baseline", "op=stor"][..], &["no cell has op=stor", "store"][..]),
        (&["--baseline", "opp=store"], &["no cell has a parameter `opp`", "op"]),
        (&["--baseline", "op"], &["NAME=VALUE"]),
        (&["--metric", "throughputt"], &["no metric", "throughput"]),
        (&["--fail-if", "faster>5%"], &["no condition", "slower>3%"]),
        (&["--fail-if", "slower>x%"], &["no condition"]),
        (&["/nowhere/run"], &["/nowhere/run"]),
    ] {
        let told = refused(args);
        for part in parts {
            assert!(told.contains(part), "{args:?}: {part} in {told}");
        }
    }
    let two = err(&exits(hitm().arg("compare").arg(&run).arg(&run).args(["--baseline", "op=store"]), 2));
    assert!(two.contains("a baseline is of one run"), "{two}");
}
