//! Each flag is raised by its own cause, and a quiet trial has none.

use hitm_analysis::{flag, summarize, trial};
use hitm_experiment::record::{EventCount, Verification};
use hitm_experiment::{Manifest, Record};

use crate::synthetic::{Made, Noise, cell, manifest, shared_state};

fn names(record: &Record, manifest: &Manifest) -> Vec<String> {
    trial::flags(record, manifest).into_iter().map(|flag| flag.name).collect()
}

#[test]
fn each_flag_of_a_trial_has_its_cause() {
    let manifest = manifest(vec![cell(2, &[("state", "shared".into())])]);
    let quiet = Made::new(0, 0, 2, 10.0).level(50.0, 52.0).record(0);
    assert_eq!(names(&quiet, &manifest), [""; 0]);
    type Cause = fn(&mut Record);
    let causes: [(&str, Cause); 14] = [
        ("interrupted", |r| r.workers[1].interruptions = 1),
        ("switched", |r| r.workers[1].involuntary_switches = Some(1)),
        ("moved", |r| r.workers[1].pu_at_end = Some(0)),
        ("moved", |r| r.workers[1].pu_at_start = Some(0)),
        ("unpinned", |r| r.workers[0].pinned = false),
        ("stolen", |r| r.after.steal_ticks = Some(8)),
        ("throttled", |r| r.after.throttled_periods = Some(2)),
        ("level-changed", |r| r.after.ping_pong.as_mut().unwrap().chunks.iter_mut().for_each(|chunk| *chunk *= 6)),
        ("clock-changed", |r| r.workers[0].calibration_after_ticks = r.workers[0].calibration_after_ticks * 104 / 100),
        ("late-start", |r| r.workers[1].start_ticks = r.workers[1].end_ticks / 90),
        ("wrong", |r| r.verification = Verification::Wrong { what: "12 expected, 11 found".into() }),
        ("blocked", |r| r.workers[0].voluntary_switches = Some(3)),
        ("multiplexed", |r| {
            let half = EventCount { value: 5, enabled_ns: 100, running_ns: 50 };
            r.workers[0].events.insert("cycles".into(), half);
        }),
        ("mixed-pmus", |r| r.workers[1].pmu = "cpu_atom".into()),
    ];
    for (name, cause) in causes {
        let mut record = quiet.clone();
        cause(&mut record);
        assert_eq!(names(&record, &manifest), [name]);
        let meaning = &trial::flags(&record, &manifest)[0].meaning;
        assert!(meaning.ends_with('.') && meaning.contains(flag::definition(name).unwrap().meaning), "{meaning}");
    }
    let mut held = Made::new(0, 0, 2, 10.0);
    held.held_up = vec![(0.2, 0.3)];
    assert_eq!(names(&held.record(0), &manifest), ["little-overlap", "interrupted", "switched"]);
}

#[test]
fn what_the_os_does_not_tell_raises_nothing() {
    let manifest = manifest(vec![cell(1, &[("state", "shared".into())])]);
    let mut record = Made::new(0, 0, 1, 10.0).record(0);
    (record.before.steal_ticks, record.after.throttled_periods) = (None, None);
    let worker = &mut record.workers[0];
    (worker.pu_at_start, worker.pu_at_end, worker.involuntary_switches, worker.voluntary_switches) =
        (None, None, None, None);
    (worker.calibration_before_ticks, worker.calibration_after_ticks) = (0, 0);
    assert_eq!(names(&record, &manifest), [""; 0]);
}

#[test]
fn more_workers_than_pus_are_not_called_disturbed() {
    let mut manifest = manifest(vec![cell(2, &[("state", "shared".into())])]);
    manifest.cells[0].placement.oversubscribed = true;
    let mut records = vec![];
    for repetition in 0..8 {
        Made::new(0, repetition, 2, 10.0).into(&mut records);
        records.last_mut().unwrap().workers.iter_mut().for_each(|worker| worker.stretches.clear());
    }
    assert_eq!(names(&records[0], &manifest), ["whole-trial", "oversubscribed"]);
    let summary = summarize(&manifest, &records);
    assert!(summary.cells[0].trials.iter().all(|point| !point.disturbed && point.counted));
    assert_eq!(summary.cells[0].metrics["time_per_op"].n, 8);
}

#[test]
fn a_cells_flags_tell_the_share_of_its_trials() {
    let manifest = manifest(vec![cell(1, &[("state", "shared".into())])]);
    let mut records: Vec<Record> = (0..10).map(|i| Made::new(0, i, 1, 0.1).record(u64::from(i))).collect();
    for record in &mut records[..3] {
        record.workers[0].involuntary_switches = Some(2);
    }
    // A clock far from the others on this PU, though it did not change during the trial.
    let worker = &mut records[9].workers[0];
    (worker.calibration_before_ticks, worker.calibration_after_ticks) = (9_000, 9_000);
    let cell = &summarize(&manifest, &records).cells[0];
    let meaning =
        |name: &str| &cell.flags.iter().find(|flag| flag.name == name).unwrap_or_else(|| panic!("{name}")).meaning;
    // Six of them in ten trials of 20 ms.
    let switched = meaning("switched");
    assert!(switched.starts_with("3 of 10 trials (30 %), 0.030 times a ms of a worker: "), "{switched}");
    assert!(meaning("clock-changed").starts_with("1 of 10 trials (10 %): "));
    // 0.1 ns at 4 GHz.
    assert!(meaning("optimised-away").contains("0.4"));
    // A switch that left the overlap high disturbs nothing.
    assert_eq!(cell.trials.iter().filter(|point| point.disturbed).count(), 1);
}

#[test]
fn why_a_worker_ran_unpinned_is_told_with_the_flag() {
    let manifest = manifest(vec![cell(2, &[("state", "a".into())])]);
    let mut records = vec![];
    for block in 0..6 {
        Made::new(0, block, 2, 20.0).into(&mut records);
    }
    records[3].workers[1].pinned = false;
    records[3].workers[1].unpinned = "cannot pin a thread to PU 1: not here".to_owned();
    let flags = &summarize(&manifest, &records).cells[0].flags;
    let flag = flags.iter().find(|flag| flag.name == "unpinned").unwrap();
    assert!(flag.meaning.contains("1 of 6 trials") && flag.meaning.contains("PU 1, not here"), "{}", flag.meaning);
}

#[test]
fn a_build_without_optimisation_is_told_with_the_answer() {
    let (mut manifest, records) = shared_state(12, &mut Noise(6));
    for (profile, debug) in [("debug opt-level=0", true), ("debug", true), ("release opt-level=3", false), ("", false)]
    {
        manifest.build.profile = profile.into();
        let summary = summarize(&manifest, &records);
        assert_eq!(summary.flags.iter().any(|flag| flag.name == "debug-build"), debug, "{profile}");
        assert_eq!(summary.answer.contains("WITHOUT OPTIMISATION"), debug, "{profile}");
    }
}
