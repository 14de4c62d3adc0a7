//! A trace's keys are taken as they stand in it.

mod common;

use std::path::Path;

use common::{kernel, lay_out, parameters, sample, verify};
use hitm_experiment::Value;
use hitm_experiment::record::Verification;
use hitm_kernels::{Fault, Kernel, Registry, Setting};
use hitm_keys::trace::{Access, Writer};

/// 1000 keys of three threads that take turns: key 10 · i of thread i % 3.
fn trace(folder: &tempfile::TempDir) -> String {
    let path = folder.path().join("t.keys");
    let mut writer = Writer::create(&path).unwrap();
    (0..1000).for_each(|i| writer.push(Access { key: 10 * i, thread: Some(i % 3) }).unwrap());
    writer.finish().unwrap();
    path.to_str().unwrap().to_owned()
}

fn of(path: &str, streams: &str, work: i64) -> Box<dyn Kernel> {
    kernel("keys/replay", [("trace", path.into()), ("streams", streams.into()), ("work", work.into())])
}

fn faults(trace: impl Into<Value>) -> Vec<Fault> {
    let registry = Registry::built_in();
    registry.find("keys/replay").unwrap().make(&parameters([("trace", trace.into())])).err().expect("it is refused")
}

#[test]
fn workers_take_their_keys_and_begin_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(&folder);
    for (streams, of_two, of_three) in [
        // Of two workers the first has threads 0 and 2.
        ("thread", [0, 20, 30], [0, 30, 60]),
        ("round-robin", [0, 20, 40], [0, 30, 60]),
        ("partition", [0, 10, 20], [0, 10, 20]),
    ] {
        let (samples, observations, verification) = sample(&*of(&path, streams, 3), 2, 2500);
        assert_eq!(verification, Verification::Exact);
        assert_eq!(samples[0].len(), 2500);
        assert_eq!(samples[0][..3], of_two, "{streams}");
        let own = if streams == "thread" { 667 } else { 500 };
        assert_eq!(samples[0][own..2 * own], samples[0][..own], "{streams}");
        let seen = |name| observations.iter().find(|seen| seen.name == name).map(|seen| seen.count);
        assert_eq!(seen("drawn-by-several-workers"), Some(0), "no key is in two streams");
        let (samples, ..) = sample(&*of(&path, streams, 0), 3, 3);
        assert_eq!(samples[0], of_three, "{streams}");
    }
}

#[test]
fn places_are_held_to_the_keys_taken() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(&folder);
    for streams in ["thread", "round-robin", "partition"] {
        for work in [0, 2] {
            let kernel = of(&path, streams, work);
            for batches in [&[vec![1, 2, 0, 5000]][..], &[vec![0], vec![334], vec![333, 1]]] {
                assert_eq!(verify(&*kernel, batches), Verification::Exact, "{streams} {work}");
            }
            let arena = lay_out(&*kernel, 1);
            common::run(&*arena, &[vec![5]], &Default::default());
            assert!(matches!(arena.verify(&[6]), Verification::Wrong { .. }));
        }
    }
}

#[test]
fn more_workers_than_threads_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(&folder);
    let setting = Setting { workers: 4, line_bytes: 64, seed: 7, common_seed: 5 };
    let told = of(&path, "thread", 0).lay_out(&setting).err().expect("three threads are not four");
    assert!(told.contains("3 threads for 4 workers") && told.contains("partition"), "{told}");
    assert!(of(&path, "partition", 0).lay_out(&setting).is_ok());
}

#[test]
fn what_is_no_trace_is_refused_before_any_trial() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(&folder);
    let whole = std::fs::read(&path).unwrap();
    let bad = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    for (given, told) in [
        (String::new(), "no trace is given"),
        ("/nowhere/t.keys".to_owned(), "cannot be read"),
        (folder.path().to_str().unwrap().to_owned(), "is no file"),
        (bad("text", b"5\n6\n"), "no trace in the compact form"),
        (bad("cut", &whole[..whole.len() - 1]), "is cut off"),
    ] {
        let faults = faults(given.as_str());
        assert_eq!((faults.len(), faults[0].parameter.as_str()), (1, "trace"));
        assert!(faults[0].message.contains(told), "{faults:?}");
        assert!(faults[0].cure.contains("hitm keys import"), "{faults:?}");
    }
    assert!(faults(5)[0].cure.contains("in quotes"));
    // A trace that was put in another's place is read anew.
    let kept = of(&path, "partition", 0);
    std::fs::remove_file(&path).unwrap();
    assert!(!Path::new(&path).exists() && faults(path.as_str())[0].message.contains("cannot be read"));
    assert_eq!(verify(&*kept, &[vec![2000]]), Verification::Exact);
}
