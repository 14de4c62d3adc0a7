//! The kernel of another crate goes the whole way: placed, measured, verified, recorded, shown.

use std::path::Path;
use std::process::Command;

#[test]
fn it_is_measured_like_the_built_in_ones() {
    let run = Path::new(env!("CARGO_TARGET_TMPDIR")).join("own-kernel-run");
    let _ = std::fs::remove_dir_all(&run);
    let own = || Command::new(env!("CARGO_BIN_EXE_own-kernel"));
    let output = own()
        .args(["run", concat!(env!("CARGO_MANIFEST_DIR"), "/spin-lock.toml"), "-q", "--json"])
        .args([
            "--set",
            "measure.duration=1ms",
            "--set",
            "measure.min_repetitions=2",
            "--set",
            "measure.max_repetitions=2",
        ])
        .arg("--out")
        .arg(&run)
        .output()
        .unwrap();
    let (text, told) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{told}");
    for part in ["critical section", "own/spin-lock", "time_per_op", "\"verdict\""] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
    let records = std::fs::read_to_string(run.join("records.jsonl")).unwrap();
    assert!(records.lines().all(|line| line.contains(r#""verification":{"is":"exact"}"#)));
    let listed = own().arg("list").output().unwrap();
    assert!(String::from_utf8_lossy(&listed.stdout).contains("own/spin-lock"));
}
