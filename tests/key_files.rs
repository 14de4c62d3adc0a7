//! Files of keys and what they are made of: damaged, changed, in each other's way.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::support::{err, exits, folder, hitm, out};

fn list(folder: &Path, name: &str, keys: impl Iterator<Item = u64>) -> PathBuf {
    let path = folder.join(name);
    let text: String = keys.map(|key| format!("{key}\n")).collect();
    std::fs::write(&path, text).unwrap();
    path
}

fn import(from: &Path, to: &Path) {
    exits(hitm().args(["keys", "import"]).arg(from).arg("--out").arg(to), 0);
}

#[test]
fn a_small_packed_file_that_is_damaged_is_refused_as_a_large_one_is() {
    let folder = folder("damaged-keys");
    for count in [3_u64, 400, 200_000] {
        let text: String = (0..count).map(|key| format!("{key}\n")).collect();
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gzip.write_all(text.as_bytes()).unwrap();
        let mut packed = gzip.finish().unwrap();
        // The checksum of the text.
        let at = packed.len() - 6;
        packed[at] ^= 0xff;
        let path = folder.join(format!("{count}.gz"));
        std::fs::write(&path, &packed).unwrap();
        let told = err(&exits(hitm().args(["keys", "import"]).arg(&path).arg("--out").arg(folder.join("o.keys")), 2));
        assert!(told.contains("gzip") || told.contains("damaged"), "{count}: {told}");
        assert!(!folder.join("o.keys").exists());
    }
}

#[test]
fn a_run_does_not_go_on_with_another_trace() {
    let folder = folder("changed-trace");
    let (trace, run) = (folder.join("t.keys"), folder.join("run"));
    import(&list(&folder, "first", 1..1000), &trace);
    let given = format!("kernel.trace={}", trace.display());
    let short =
        ["--set", "measure.max_repetitions=1", "--set", "measure.min_repetitions=1", "--set", "placement.workers=1"];
    exits(
        hitm().args(["run", "keys/replay", "--budget", "20s", "--set", &given]).args(short).arg("--out").arg(&run),
        0,
    );
    import(&list(&folder, "second", [7, 7, 7].into_iter()), &trace);
    let told = err(&exits(hitm().args(["run", "--budget", "40s", "--resume"]).arg(&run), 2));
    assert!(told.contains("kernel.trace") && told.contains("999 keys from 1 to 999"), "{told}");
}

#[test]
fn no_file_takes_the_place_of_what_is_read() {
    let folder = folder("same-file");
    let source = list(&folder, "list", 1..100);
    let before = std::fs::read(&source).unwrap();
    let told = err(&exits(hitm().args(["keys", "import"]).arg(&source).arg("--out").arg(&source), 2));
    assert!(told.contains("it is the trace"), "{told}");
    assert_eq!(std::fs::read(&source).unwrap(), before);
    let trace = folder.join("t.keys");
    import(&source, &trace);
    let before = std::fs::read(&trace).unwrap();
    let describe =
        |flags: &[&std::ffi::OsStr]| err(&exits(hitm().args(["keys", "describe"]).arg(&trace).args(flags), 2));
    let told = describe(&["--svg".as_ref(), trace.as_os_str()]);
    assert!(told.contains("take the place of the file that is read"), "{told}");
    let told = describe(&["--svg".as_ref(), "s".as_ref(), "--png".as_ref(), "s".as_ref()]);
    assert!(told.contains("take the place of --svg"), "{told}");
    assert_eq!(std::fs::read(&trace).unwrap(), before);
}

#[test]
fn settings_that_mean_nothing_are_told() {
    let folder = folder("meaningless");
    let source = list(&folder, "list", 1..100);
    let import = ["--table", "nosuch", "--column", "a", "--thread-column", "b", "--ranges", "all"];
    let told =
        err(&exits(hitm().args(["keys", "import"]).arg(&source).arg("--out").arg(folder.join("o")).args(import), 2));
    for flag in ["--table", "--column", "--thread-column", "--ranges all"] {
        assert!(told.contains(flag), "{flag}: {told}");
    }
    let trace = folder.join("t.keys");
    self::import(&source, &trace);
    let told = err(&exits(hitm().args(["keys", "describe"]).arg(&trace).args(["--seed", "5", "--range", "1..3"]), 2));
    assert!(told.contains("--seed") && told.contains("--range"), "{told}");
    let twice = ["keys", "draw", "--dist", "exact/zipf", "--set", "theta=1", "--set", "theta=2"];
    assert!(err(&exits(hitm().args(twice), 2)).contains("given twice"));
}

#[test]
fn a_pipe_is_no_file_of_keys_and_nothing_waits_for_it() {
    let folder = folder("pipe");
    let pipe = folder.join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let told = err(&exits(hitm().args(["keys", "describe"]).arg(&pipe), 2));
    assert!(told.contains("is no file"), "{told}");
    let given = format!("kernel.trace={}", pipe.display());
    assert!(err(&exits(hitm().args(["check", "keys/replay", "--set", &given]), 2)).contains("is no file"));
    let drawn = out(&exits(hitm().args(["keys", "draw", "--dist", "exact/uniform", "--count", "1"]), 0));
    assert_eq!(drawn.lines().count(), 1);
}
