//! Laws of scaling fitted to tables of anybody's.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use serde_json::Value;

use crate::support::{MOMENT, exits, experiment, folder, hitm, out};

/// SPEC SDM91 on a SPARCcenter 2000, as the R package `usl` documents it.
const SDM91: &str = "load,throughput\n1,64.9\n18,995.9\n36,1652.4\n72,1853.2\n108,1828.9\n144,1775.0\n216,1702.2\n";

fn fitted(name: &str, text: &str, more: &[&str]) -> Value {
    let folder = folder(name);
    let file = folder.join("t.csv");
    fs::write(&file, text).unwrap();
    let output = exits(hitm().args(["fit", "usl", "--json", "--csv"]).arg(&file).args(more), 0);
    serde_json::from_str(&out(&output)).unwrap()
}

#[test]
fn a_published_fit_comes_out() {
    let found = fitted("fit-published", SDM91, &["--residuals", "absolute"]);
    let usl = &found["scaling"]["fits"][2];
    for (name, known) in [("lambda", 89.995_238), ("alpha", 0.027_728_5), ("beta", 0.000_104_4)] {
        let got = usl[name]["median"].as_f64().unwrap();
        assert!((got / known - 1.0).abs() < 1e-3, "{name}: {got}");
    }
    assert_eq!((&found["columns"]["workers"], &found["values"]), (&"load".into(), &7.into()));
}

/// Commas, semicolons and tabs, headings or none, other columns, remarks, empty lines, repetitions, and a byte-order mark.
#[test]
fn tables_of_many_looks_are_one() {
    let plain = "1,100\n2,190\n4,340\n1,102\n2,188\n4,343\n";
    let first = fitted("fit-plain", plain, &[]);
    assert_eq!(first["values"], 6);
    for (index, (text, more)) in [
        (format!("Threads, QPS\n{plain}"), &[][..]),
        (format!("\u{feff}# by hand\n\nthreads,qps\n{plain}\n"), &[]),
        (plain.replace(',', ";"), &[]),
        (plain.replace(',', "\t"), &[]),
        (plain.replace('\n', ",7\n"), &["--workers", "1", "--throughput", "2"]),
        (
            format!(
                "ms,clients,\"tps, 1/s\"\n{}",
                plain.replace('\n', "\n3,").trim_end_matches("3,").replacen("1,", "3,1,", 1)
            ),
            &[],
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let found = fitted(&format!("fit-look-{index}"), &text, more);
        let medians = |found: &Value| found["scaling"]["fits"][2]["lambda"]["median"].as_f64();
        assert_eq!((medians(&found), &found["values"]), (medians(&first), &first["values"]), "{text}");
    }
}

#[test]
fn what_cannot_be_fitted_is_told_line_by_line() {
    let folder = folder("fit-bad");
    let told = |text: &str, more: &[&str]| {
        let file = folder.join("t.csv");
        fs::write(&file, text).unwrap();
        let output = exits(hitm().args(["fit", "usl", "--csv"]).arg(&file).args(more), 2);
        String::from_utf8(output.stderr).unwrap()
    };
    for (text, more, parts) in [
        ("", &[][..], &["nothing in it"][..]),
        ("Threads, QPS\n", &[], &["needs 3 different numbers of workers", "are 0"]),
        ("1,5\n2,9\n", &[], &["are 2"]),
        (
            "Threads,QPS\n1,0\n2,x\n4\n-8,5\ninf,3\n",
            &[],
            &["t.csv:2", "QPS is 0", "t.csv:3", "`x`", "t.csv:4", "t.csv:5", "t.csv:6", "5 problems"],
        ),
        ("a,b,c\n1,2,3\n", &[], &["--workers", "--throughput", "a, b, c"]),
        ("Threads,QPS\n1,2\n", &["--workers", "QPS"], &["cannot be both"]),
        ("Threads,QPS\n1,2\n", &["--throughput", "9"], &["--throughput 9", "no such column"]),
    ] {
        let message = told(text, more);
        for part in parts {
            assert!(message.contains(part), "{text:?}: {part} in {message}");
        }
    }
    let nowhere = exits(hitm().args(["fit", "usl", "--csv", "/nowhere/t.csv"]), 2);
    assert!(String::from_utf8(nowhere.stderr).unwrap().contains("cannot be read"));
}

/// Data that one law goes through leaves nothing to the others but the arithmetic's dust, which is told as none.
#[test]
fn what_is_nothing_is_told_as_nothing() {
    let rows: String =
        [1, 2, 4, 8, 16, 32].map(|n| format!("{n},{}\n", f64::from(n) / (1.0 + 0.1 * f64::from(n - 1)))).concat();
    let found = fitted("fit-dust", &rows, &[]);
    assert_eq!(
        (&found["scaling"]["best"], &found["scaling"]["fits"][2]["beta"]["median"]),
        (&"amdahl".into(), &0.0.into())
    );
}

/// Cells of a run that differ in their number of workers alone are one series; one with too few numbers is told beside those that are fitted.
#[test]
fn a_run_is_fitted_series_by_series() {
    let folder = folder("fit-run");
    let text = MOMENT.replace("workers = 1", "workers = [1, 2, 3]");
    assert_ne!(text, MOMENT, "the experiment has a worker");
    let (file, run) = (experiment(&folder, &text), folder.join("run"));
    exits(hitm().arg("run").arg(&file).arg("-q").arg("--out").arg(&run), 0);
    let output = exits(hitm().args(["fit", "usl", "--json"]).arg(&run), 0);
    let found: Value = serde_json::from_str(&out(&output)).unwrap();
    let series = found["series"].as_array().unwrap();
    let labels: Vec<&str> = series.iter().map(|one| one["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["op=store", "op=fetch-add"]);
    for one in series {
        let workers: Vec<f64> = one["scaling"]["points"]
            .as_array()
            .unwrap()
            .iter()
            .map(|point| point["workers"].as_f64().unwrap())
            .collect();
        assert_eq!(workers, [1.0, 2.0, 3.0]);
    }
    assert!(out(&exits(hitm().args(["fit", "usl"]).arg(&run), 0)).contains("op=store"));
    let (file, few) = (experiment(&folder, MOMENT), folder.join("few"));
    exits(hitm().arg("run").arg(&file).arg("-q").arg("--out").arg(&few), 0);
    let told = exits(hitm().args(["fit", "usl"]).arg(&few), 2);
    assert!(String::from_utf8(told.stderr).unwrap().contains("op=store: a law needs 3 different numbers of workers"));
    exits(hitm().args(["fit", "usl"]), 2);
}

#[test]
fn a_table_comes_from_standard_input() {
    let mut child =
        hitm().args(["fit", "usl", "--csv", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(SDM91.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && text.contains("peaks at") && text.contains("USL (best)"), "{text}");
}
