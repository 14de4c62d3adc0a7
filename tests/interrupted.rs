//! Runs that end before their plan does.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{MOMENT, err, exits, experiment, folder, hitm, records, trials};

/// Enough repetitions that a run can be caught in the middle.
fn long() -> String {
    MOMENT.replace("min_repetitions = 3", "min_repetitions = 40").replace("max_repetitions = 3", "max_repetitions = 40")
}

/// Starts a run and waits until it has written some records.
fn started(file: &Path, run: &Path) -> Child {
    let child = hitm()
        .arg("run")
        .arg(file)
        .arg("-q")
        .arg("--out")
        .arg(run)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let patience = Instant::now() + Duration::from_secs(60);
    let written = |run: &Path| fs::read_to_string(run.join("records.jsonl")).map_or(0, |text| text.lines().count());
    while written(run) < 5 {
        assert!(Instant::now() < patience, "no records after a minute");
        sleep(Duration::from_millis(2));
    }
    child
}

fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").arg(format!("-{name}")).arg(child.id().to_string()).status();
    assert!(status.expect("kill is there").success());
}

#[track_caller]
fn is_complete(run: &Path) {
    let made = trials(&records(run));
    for cell in 0..2 {
        for repetition in 0..40 {
            assert_eq!(made.get(&(cell, repetition, 0, "timing".to_owned())), Some(&1), "cell {cell}, {repetition}");
        }
    }
    assert!(made.values().all(|times| *times == 1));
}

#[test]
fn a_killed_run_resumes_to_complete_records() {
    let folder = folder("killed");
    let file = experiment(&folder, &long());
    let run = folder.join("run");
    let mut child = started(&file, &run);
    signal(&child, "KILL");
    child.wait().unwrap();
    assert!(records(&run).len() < 80, "it was caught in the middle");
    exits(hitm().args(["run", "-q", "--resume"]).arg(&run), 0);
    is_complete(&run);
    // Once more there is nothing to do, and nothing is done.
    exits(hitm().args(["run", "-q", "--resume"]).arg(&run), 0);
    is_complete(&run);
}

#[test]
fn a_resumed_run_goes_on_in_the_order_of_its_plan() {
    let folder = folder("resumed-order");
    let file = experiment(&folder, &long());
    let (whole, run) = (folder.join("whole"), folder.join("run"));
    exits(hitm().arg("run").arg(&file).arg("-q").arg("--out").arg(&whole), 0);
    let mut child = started(&file, &run);
    signal(&child, "KILL");
    child.wait().unwrap();
    exits(hitm().args(["run", "-q", "--resume"]).arg(&run), 0);
    let order = |run: &Path| -> Vec<(Option<u64>, Option<u64>)> {
        let first = |record: &Value| record["attempt"] == 0;
        let records = records(run).into_iter().filter(first);
        records.map(|record| (record["repetition"].as_u64(), record["cell"].as_u64())).collect()
    };
    assert_eq!(order(&run), order(&whole));
}

#[test]
fn a_record_cut_in_the_middle_is_told_and_made_again() {
    let folder = folder("cut");
    let file = experiment(&folder, &long());
    let run = folder.join("run");
    let mut child = started(&file, &run);
    signal(&child, "KILL");
    child.wait().unwrap();
    let mut file = OpenOptions::new().append(true).open(run.join("records.jsonl")).unwrap();
    file.write_all(br#"{"trial":99,"cell":0,"repet"#).unwrap();
    let shown = exits(hitm().arg("show").arg(&run), 0);
    assert!(err(&shown).contains("warning"), "{}", err(&shown));
    exits(hitm().args(["run", "-q", "--resume"]).arg(&run), 0);
    is_complete(&run);
}

#[test]
fn signals_finish_the_line_and_give_their_exit_code() {
    for (name, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        let folder = folder(&format!("signal-{name}"));
        let file = experiment(&folder, &long());
        let run = folder.join("run");
        let mut child = started(&file, &run);
        signal(&child, name);
        assert_eq!(child.wait().unwrap().code(), Some(code));
        let manifest: Value = serde_json::from_str(&fs::read_to_string(run.join("manifest.json")).unwrap()).unwrap();
        assert_eq!(manifest["sessions"][0]["stopped"], "interrupted");
        assert!(fs::read_to_string(run.join("records.jsonl")).unwrap().ends_with('\n'));
        exits(hitm().args(["run", "-q", "--resume"]).arg(&run), 0);
        is_complete(&run);
    }
}

#[test]
fn a_second_process_on_a_folder_is_refused() {
    let folder = folder("second");
    let file = experiment(&folder, &long());
    let run = folder.join("run");
    let mut child = started(&file, &run);
    let refused = exits(hitm().args(["run", "-q", "--resume"]).arg(&run), 2);
    assert!(err(&refused).contains(&child.id().to_string()), "{}", err(&refused));
    signal(&child, "INT");
    child.wait().unwrap();
}

/// A limit on the size of files stands in for a full disk: writing beyond it fails in the middle of a line.
#[test]
fn a_full_disk_keeps_what_was_measured() {
    let folder = folder("full-disk");
    let file = experiment(&folder, &long());
    let run = folder.join("run");
    let script = "ulimit -f 64; exec \"$0\" \"$@\"";
    let output = exits(
        Command::new("bash")
            .args(["-c", script, env!("CARGO_BIN_EXE_hitm"), "run", "-q"])
            .arg(&file)
            .arg("--out")
            .arg(&run),
        1,
    );
    assert!(err(&output).contains("records.jsonl"), "{}", err(&output));
    let kept = records(&run).len();
    assert!(kept > 0 && kept < 80, "{kept}");
    exits(hitm().args(["run", "-q", "--resume"]).arg(&run), 0);
    is_complete(&run);
}

#[test]
fn an_edited_run_is_not_gone_on_with() {
    let folder = folder("edited");
    let file = experiment(&folder, MOMENT);
    let run = folder.join("run");
    exits(hitm().arg("run").arg(&file).arg("-q").arg("--out").arg(&run), 0);
    let (text, written) = (run.join("experiment.toml"), fs::read(run.join("records.jsonl")).unwrap());
    let original = fs::read_to_string(&text).unwrap();
    for (from, to) in [
        ("name = \"sharing/counters\"", "name = \"sharing/counters\"\nwork = 7"),
        ("duration = \"1ms\"", "duration = \"2ms\""),
        ("[kernel]", "seed = 99\n[kernel]"),
    ] {
        let edited = if to.starts_with("seed") { format!("seed = 99\n{original}") } else { original.replace(from, to) };
        assert_ne!(edited, original, "{from}");
        fs::write(&text, edited).unwrap();
        let told = err(&exits(hitm().args(["run", "-q", "--resume"]).arg(&run), 2));
        assert!(told.contains("differ"), "{told}");
    }
    assert_eq!(fs::read(run.join("records.jsonl")).unwrap(), written);
}

#[test]
fn a_budget_that_is_used_up_is_told() {
    let folder = folder("used-up");
    let file = experiment(&folder, &long());
    let run = folder.join("run");
    exits(
        hitm()
            .arg("run")
            .arg(&file)
            .args(["-q", "--budget", "100ms", "--set", "measure.retries=\"0%\""])
            .arg("--out")
            .arg(&run),
        0,
    );
    let told = err(&exits(hitm().args(["run", "-q", "--budget", "10ms", "--resume"]).arg(&run), 2));
    assert!(told.contains("has used") && told.contains("--budget"), "{told}");
    exits(hitm().args(["run", "-q", "--budget", "60s", "--resume"]).arg(&run), 0);
    is_complete(&run);
}
