//! A run's folder: written, killed, resumed, held by another, spoiled, and read again.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use hitm_experiment::manifest::{
    Build, CalibrationInfo, Cell, CellPlacement, ClockInfo, Compare, LineSize, Measure, Overheads, SCHEMA,
};
use hitm_experiment::record::{Purpose, Verification, Witness};
use hitm_experiment::run::{CUT, EXPERIMENT, LOCK, MANIFEST, RECORDS, RunFolder, read_run};
use hitm_experiment::{Manifest, Parameters, Problem, Record};

/// A folder of its own that goes with the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = format!("hitm-run-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).unwrap();
        Scratch(path)
    }

    fn run(&self) -> PathBuf {
        self.0.join("a").join("run")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn manifest(cells: usize) -> Manifest {
    let cell = |index: usize| Cell {
        id: format!("work={index}"),
        kernel: "rng/next".into(),
        operation: "draw".into(),
        parameters: Parameters::from([("work".to_owned(), (index as i64).into())]),
        varied: vec!["work".into()],
        placement: CellPlacement { policy: "cores".into(), pus: vec![0, 1], oversubscribed: false, cores: None },
        arena: None,
        inputs: Default::default(),
    };
    Manifest {
        schema: SCHEMA,
        name: "rng/shared-state".into(),
        question: "q".into(),
        reading: "r".into(),
        seed: u64::MAX,
        command: vec!["hitm".into(), "run".into()],
        sessions: Vec::new(),
        cells: (0..cells).map(cell).collect(),
        left_out: Vec::new(),
        measure: Measure {
            duration_ns: 20_000_000,
            warm_up_ns: 0,
            batch_ns: 10_000,
            precision: 0.02,
            budget_ns: 1,
            min_repetitions: 1,
            max_repetitions: 2,
            overlap: 0.95,
            retries: 0.25,
            events: Vec::new(),
            multiplex: false,
            samples: 0,
        },
        compare: Compare::default(),
        figures: Vec::new(),
        clock: ClockInfo { name: "tsc".into(), hz: 2.45e9, source: "cpuid".into() },
        calibration: CalibrationInfo { steps: 1000, cycles_per_step: None, source: "unknown".into() },
        events: Vec::new(),
        passes: Vec::new(),
        tallies: Vec::new(),
        overheads: Overheads::default(),
        machine: Vec::new(),
        line: LineSize { bytes: 64, source: "assumed".into() },
        topology: serde_json::Value::Null,
        findings: Vec::new(),
        build: Build {
            version: "0.1.0".into(),
            commit: String::new(),
            compiler: String::new(),
            target: String::new(),
            profile: String::new(),
            flags: String::new(),
            target_features: Vec::new(),
        },
    }
}

fn record(trial: u64, cell: usize, repetition: u32) -> Record {
    Record {
        trial,
        cell,
        repetition,
        attempt: 0,
        purpose: Purpose::Timing,
        pass: 0,
        beside: 0,
        started_unix_ms: 1,
        took_ns: 2,
        before: Witness::default(),
        after: Witness::default(),
        workers: Vec::new(),
        verification: Verification::Lost { expected: 10, found: 9 },
        observations: Vec::new(),
        histograms: Default::default(),
    }
}

/// A finished run of `records` trials over two cells.
fn written(path: &Path, records: u64) {
    let mut folder = RunFolder::create(path).unwrap();
    folder.write_experiment("question = \"q\"\n").unwrap();
    folder.write_manifest(&manifest(2)).unwrap();
    for trial in 0..records {
        folder.append(&record(trial, trial as usize % 2, trial as u32 / 2)).unwrap();
    }
    folder.finish().unwrap();
}

fn append(path: &Path, bytes: &[u8]) {
    fs::OpenOptions::new().append(true).open(path).unwrap().write_all(bytes).unwrap();
}

fn names(path: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn what_is_written_reads_back() {
    let scratch = Scratch::new();
    written(&scratch.run(), 5);
    let run = read_run(&scratch.run()).unwrap();
    assert_eq!(run.manifest, manifest(2));
    assert_eq!(run.experiment.as_deref(), Some("question = \"q\"\n"));
    assert_eq!(run.records.len(), 5);
    assert_eq!(run.records[3], record(3, 1, 1));
    assert_eq!(run.warnings, []);
    // No lock and no draft is left.
    assert_eq!(names(&scratch.run()), [EXPERIMENT, MANIFEST, RECORDS]);
}

#[test]
fn a_line_cut_by_a_kill_is_set_aside_and_nothing_else_is_lost() {
    let whole = {
        let scratch = Scratch::new();
        written(&scratch.run(), 3);
        fs::read(scratch.run().join(RECORDS)).unwrap()
    };
    let second = whole.iter().position(|b| *b == b'\n').unwrap() + 1;
    let third = second + whole[second..].iter().position(|b| *b == b'\n').unwrap() + 1;
    // None of the third line, its first byte, half of it, all but its last brace, all but its end.
    for length in [third, third + 1, (third + whole.len()) / 2, whole.len() - 2, whole.len() - 1] {
        let scratch = Scratch::new();
        written(&scratch.run(), 0);
        fs::write(scratch.run().join(RECORDS), &whole[..length]).unwrap();
        let read = read_run(&scratch.run()).unwrap();
        assert_eq!((read.records.len(), read.warnings.len()), (2, usize::from(length > third)));

        let (mut folder, run) = RunFolder::resume(&scratch.run()).unwrap();
        assert_eq!((run.records.len(), folder.records()), (2, 2));
        folder.append(&record(2, 0, 1)).unwrap();
        folder.finish().unwrap();
        assert_eq!(fs::read(scratch.run().join(RECORDS)).unwrap(), whole);
        let cut = fs::read(scratch.run().join(CUT)).unwrap_or_default();
        let piece = [&whole[third..length], b"\n"].concat();
        assert_eq!(cut, if length > third { piece } else { Vec::new() });
        assert_eq!(read_run(&scratch.run()).unwrap().warnings, []);
    }
}

#[test]
fn bad_lines_are_told_and_the_rest_is_read() {
    let scratch = Scratch::new();
    written(&scratch.run(), 2);
    let file = scratch.run().join(RECORDS);
    append(&file, b"{\"trial\": 7}\n\xff\xfe\n");
    for again in [record(2, 9, 0), record(3, 1, 0), record(4, 0, 1)] {
        append(&file, &[serde_json::to_vec(&again).unwrap(), b"\n".to_vec()].concat());
    }
    append(&file, b"not at all\n");
    let run = read_run(&scratch.run()).unwrap();
    assert_eq!(run.records.iter().map(|r| r.trial).collect::<Vec<_>>(), [0, 1, 4]);
    let told: Vec<&str> = run.warnings.iter().map(|w| w.message.as_str()).collect();
    for (told, expected) in told.iter().zip([
        "line 3: this is no record",
        "line 4: this is no record",
        "line 5: there is no cell 9",
        "line 6: cell 1 has this trial of repetition 0 already",
        "line 8: this is no record",
    ]) {
        assert!(told.starts_with(expected), "{told}");
    }
    assert_eq!(told.len(), 5);
    // The middle stays where it is; only the end is set aside.
    drop(RunFolder::resume(&scratch.run()).unwrap());
    assert_eq!(fs::read(scratch.run().join(CUT)).unwrap(), b"not at all\n\n");
    assert_eq!(read_run(&scratch.run()).unwrap().warnings.len(), 4);
    // Warnings are counted when there are many.
    append(&file, &b"x\n".repeat(1000));
    let warnings = read_run(&scratch.run()).unwrap().warnings;
    assert_eq!(warnings.len(), 21);
    assert!(warnings[20].message.starts_with("984 more lines"), "{}", warnings[20]);
}

#[test]
fn folders_that_are_not_ours_are_left_alone() {
    let scratch = Scratch::new();
    fs::write(scratch.0.join("thesis.tex"), "x").unwrap();
    for problem in
        [RunFolder::create(&scratch.0).err(), RunFolder::resume(&scratch.0).err(), read_run(&scratch.0).err()]
    {
        let problem = Problem::from(problem.unwrap());
        assert!(!problem.cure.is_empty(), "{problem}");
    }
    assert_eq!(names(&scratch.0), ["thesis.tex"]);
    let told = RunFolder::create(&scratch.0.join("thesis.tex")).err().unwrap().to_string();
    assert!(told.contains("cannot make the run's folder"), "{told}");
    let told = read_run(&scratch.0).unwrap_err().to_string();
    assert!(told.contains("it has no manifest.json and no records.jsonl"), "{told}");
    assert!(read_run(&scratch.0.join("nothing")).is_err());
    assert!(read_run(&scratch.0.join("thesis.tex")).unwrap_err().to_string().contains("this is a file"));

    written(&scratch.run(), 1);
    let told = RunFolder::create(&scratch.run()).err().unwrap().to_string();
    assert!(told.contains("has records already") && told.contains("--resume"), "{told}");
    // A run that was killed before its first record can be begun again.
    let fresh = scratch.0.join("fresh");
    written(&fresh, 0);
    written(&fresh, 1);
    fs::remove_file(fresh.join(EXPERIMENT)).unwrap();
    assert!(RunFolder::resume(&fresh).err().unwrap().to_string().contains("experiment.toml is not there"));
}

#[test]
fn a_newer_or_broken_manifest_is_told() {
    let scratch = Scratch::new();
    written(&scratch.run(), 1);
    let file = scratch.run().join(MANIFEST);
    for (text, expected) in [
        ("{\"schema\": 99, \"build\": {\"version\": \"7.1\"}}", "read it with hitm 7.1 or later"),
        ("{\"schema\": 1}", "cannot be read: missing field"),
        ("{}", "does not say its schema"),
        ("{\"schema\"", "cannot be read: EOF"),
    ] {
        fs::write(&file, text).unwrap();
        let told = read_run(&scratch.run()).unwrap_err().to_string();
        assert!(told.contains(expected), "{told}");
    }
}

#[test]
fn a_manifest_that_would_not_read_again_is_not_written() {
    let scratch = Scratch::new();
    written(&scratch.run(), 1);
    let (folder, _) = RunFolder::resume(&scratch.run()).unwrap();
    let mut bad = manifest(2);
    bad.clock.hz = f64::NAN;
    assert!(folder.write_manifest(&bad).unwrap_err().to_string().contains("not finite"));
    assert_eq!(read_run(&scratch.run()).unwrap().manifest, manifest(2));
}

/// A process that waits until it is told to end.
fn child() -> Child {
    Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().unwrap()
}

/// The lock that this process leaves, as if process `pid` had left it.
fn lock_of(path: &Path, pid: u32) -> String {
    let folder = RunFolder::resume(path).unwrap().0;
    let mut lock: serde_json::Value = serde_json::from_slice(&fs::read(path.join(LOCK)).unwrap()).unwrap();
    drop(folder);
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let start: u64 = stat[stat.rfind(')').unwrap()..].split(' ').nth(20).unwrap().parse().unwrap();
    lock["pid"] = pid.into();
    lock["start_ticks"] = start.into();
    lock.to_string()
}

#[test]
fn a_second_writer_is_refused_until_the_first_is_gone() {
    let scratch = Scratch::new();
    written(&scratch.run(), 1);
    // This process itself.
    let held = RunFolder::resume(&scratch.run()).unwrap().0;
    let expected = format!("process {} is writing in this run", std::process::id());
    assert!(RunFolder::resume(&scratch.run()).err().unwrap().to_string().contains(&expected));
    assert!(RunFolder::create(&scratch.run()).err().unwrap().to_string().contains(&expected));
    assert_eq!(read_run(&scratch.run()).unwrap().records.len(), 1);
    drop(held);
    assert!(!scratch.run().join(LOCK).exists());

    if !Path::new("/proc/self/stat").exists() {
        return;
    }
    // Another process: alive, killed but not waited for, gone, and its id taken by a later one.
    let mut other = child();
    let lock = lock_of(&scratch.run(), other.id());
    fs::write(scratch.run().join(LOCK), &lock).unwrap();
    let told = RunFolder::resume(&scratch.run()).err().unwrap().to_string();
    assert!(told.contains(&format!("process {} is writing", other.id())), "{told}");
    assert_eq!(fs::read_to_string(scratch.run().join(LOCK)).unwrap(), lock);
    other.kill().unwrap();
    while !fs::read_to_string(format!("/proc/{}/stat", other.id())).unwrap().contains(") Z ") {
        std::thread::yield_now();
    }
    drop(RunFolder::resume(&scratch.run()).unwrap());
    other.wait().unwrap();
    fs::write(scratch.run().join(LOCK), &lock).unwrap();
    drop(RunFolder::resume(&scratch.run()).unwrap());
    // A lock without a name in it is nobody's to take.
    fs::write(scratch.run().join(LOCK), "").unwrap();
    assert!(RunFolder::resume(&scratch.run()).err().unwrap().to_string().contains("remove"));
}

#[test]
fn of_many_that_find_a_stale_lock_one_gets_it() {
    if !Path::new("/proc/self/stat").exists() {
        return;
    }
    let scratch = Scratch::new();
    written(&scratch.run(), 1);
    let mut gone = child();
    let lock = lock_of(&scratch.run(), gone.id());
    gone.kill().unwrap();
    gone.wait().unwrap();
    fs::write(scratch.run().join(LOCK), &lock).unwrap();
    let path = scratch.run();
    let taken: Vec<Option<RunFolder>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| RunFolder::resume(&path).ok().map(|(f, _)| f))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(taken.iter().flatten().count(), 1);
}

#[test]
fn a_full_disk_is_told_with_what_was_kept() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let scratch = Scratch::new();
    let path = scratch.run();
    fs::create_dir_all(&path).unwrap();
    std::os::unix::fs::symlink("/dev/full", path.join(RECORDS)).unwrap();
    let mut folder = RunFolder::create(&path).unwrap();
    let told = Problem::from(folder.append(&record(0, 0, 0)).unwrap_err());
    assert!(told.message.contains("cannot write a record") && told.message.contains("kept: the 0 records"), "{told}");
    assert!(told.cure.contains("free some space"), "{told}");
}

#[test]
fn a_hundred_thousand_records_read_back() {
    let scratch = Scratch::new();
    written(&scratch.run(), 0);
    let line = serde_json::to_string(&record(0, 0, 777_777)).unwrap();
    let (head, tail) = line.split_once("777777").unwrap();
    let text: String = (0..100_000).map(|repetition| format!("{head}{repetition}{tail}\n")).collect();
    fs::write(scratch.run().join(RECORDS), text).unwrap();
    let run = read_run(&scratch.run()).unwrap();
    assert_eq!(run.warnings, []);
    assert!(run.records.iter().map(|record| record.repetition).eq(0..100_000));
}
