//! Metrics follow their formulas, and what is absent, zero or estimated says so.

use hitm_analysis::{UNVERIFIED_ZERO, metric, summarize, trial};
use hitm_experiment::manifest::UnavailableInfo;
use hitm_experiment::record::{EventCount, Observation, Purpose, Stretch, Verification};
use hitm_experiment::{Manifest, Record};

use crate::synthetic::{CORE_GHZ, Made, TICKS_PER_NS, cell, manifest};

fn one_cell(workers: usize) -> Manifest {
    manifest(vec![cell(workers, &[("state", "shared".into())])])
}

fn value(name: &str, record: &Record, manifest: &Manifest) -> Result<f64, String> {
    let metric = metric::named(manifest, name).unwrap();
    metric.value(record, trial::rates(record), manifest).map_err(|absent| absent.to_string())
}

fn close(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 1e-4
}

#[test]
fn rates_give_time_throughput_ticks_cycles_and_fairness() {
    let manifest = one_cell(2);
    let mut made = Made::new(0, 0, 2, 10.0);
    made.ns[1] = 30.0;
    let record = made.record(0);
    let of = |name: &str| value(name, &record, &manifest).unwrap();
    let sum = 1.0 / 10.0 + 1.0 / 30.0;
    assert!(close(of("time_per_op"), 2.0 / sum));
    assert!(close(of("throughput"), sum * 1e9));
    assert!(close(of("reference_ticks_per_op"), 2.0 / sum * TICKS_PER_NS));
    assert!(close(of("core_clock"), CORE_GHZ));
    assert!(close(of("cycles_per_op_estimated"), 2.0 / sum * CORE_GHZ));
    assert!(close(of("fairness"), sum * sum / (2.0 * (0.01 + 1.0 / 900.0))));
    assert!(close(value("fairness", &Made::new(0, 0, 8, 3.0).record(0), &one_cell(8)).unwrap(), 1.0));
}

#[test]
fn values_rest_on_the_joint_stretches_and_on_the_whole_trial_only_without_them() {
    let manifest = one_cell(2);
    let mut made = Made::new(0, 0, 2, 10.0);
    (made.alone_ns, made.held_up) = (2.0, vec![(0.2, 0.7)]);
    let mut record = made.record(0);
    assert!(close(trial::overlap(&record).unwrap(), 0.5));
    assert!(close(value("time_per_op", &record, &manifest).unwrap(), 10.0));
    for worker in &mut record.workers {
        worker.stretches.clear();
    }
    assert_eq!(trial::overlap(&record), Some(0.0));
    // Half of the time 10 ns, the rest alone at 2 ns or not at all.
    let expected = 2.0 / (0.5 / 10.0 + 0.5 / 2.0 + 0.5 / 10.0);
    assert!(close(value("time_per_op", &record, &manifest).unwrap(), expected));
    assert!(trial::flags(&record, &manifest).iter().any(|flag| flag.name == "whole-trial"));
}

#[test]
fn workers_that_ran_one_after_the_other_do_not_overlap() {
    let mut record = Made::new(0, 0, 2, 10.0).record(0);
    let end = record.workers[0].end_ticks;
    for (worker, from) in record.workers.iter_mut().zip([0, end]) {
        (worker.start_ticks, worker.end_ticks) = (from, from + end);
        worker.stretches = vec![Stretch { start_ticks: from, end_ticks: from + end, operations: worker.operations }];
    }
    assert_eq!(trial::overlap(&record), Some(0.0));
    record.workers.truncate(1);
    assert_eq!(trial::overlap(&record), Some(1.0));
}

#[test]
fn no_operation_no_time_and_no_worker_are_absent() {
    let manifest = one_cell(2);
    let mut record = Made::new(0, 0, 2, 10.0).record(0);
    for worker in &mut record.workers {
        (worker.operations, worker.stretches) = (0, vec![]);
    }
    assert_eq!(value("time_per_op", &record, &manifest), Err("no operation was done".into()));
    assert_eq!(value("page-faults_per_op", &record, &manifest), Err("no operation was done".into()));
    for worker in &mut record.workers {
        worker.end_ticks = worker.start_ticks;
    }
    assert!(value("throughput", &record, &manifest).unwrap_err().contains("no time"));
    record.workers.clear();
    assert!(value("fairness", &record, &manifest).unwrap_err().contains("no worker"));
    let summary = summarize(&manifest, &[record]);
    assert!(summary.cells[0].absent["time_per_op"].contains("no worker"));
}

/// Sets what every worker of every trial counted.
fn counting(event: &str, counts: &[EventCount]) -> Vec<Record> {
    let of = |(i, count): (usize, &EventCount)| {
        let mut record = Made::new(0, i as u32, 2, 10.0).record(i as u64);
        for worker in &mut record.workers {
            worker.events.insert(event.into(), *count);
        }
        record
    };
    counts.iter().enumerate().map(of).collect()
}

#[test]
fn counted_scaled_zero_and_absent_are_told_apart() {
    let mut manifest = one_cell(2);
    let count = |value, percent: u64| EventCount { value, enabled_ns: 20_000_000, running_ns: percent * 200_000 };
    let operations = 2_000_000.0;
    let of = |manifest: &Manifest, counts: &[EventCount]| {
        let summary = summarize(manifest, &counting("page-faults", counts));
        summary.cells.into_iter().next().unwrap()
    };
    let counted = of(&manifest, &[count(4_000_000, 100); 3]);
    assert_eq!(counted.metrics["page-faults_per_op"].median, 4_000_000.0 / operations);
    assert!(!counted.metrics.contains_key("page-faults_per_op (scaled estimate)"));
    let scaled = of(&manifest, &[count(1_000_000, 25); 3]);
    assert_eq!(scaled.metrics["page-faults_per_op (scaled estimate)"].median, 4_000_000.0 / operations);
    assert!(scaled.metrics["page-faults_per_op (scaled estimate)"].unit.contains("scaled estimate"));
    assert!(scaled.absent["page-faults_per_op"].contains("shared a counter"), "{:?}", scaled.absent);
    let never = of(&manifest, &[count(0, 0); 3]);
    assert!(never.absent["page-faults_per_op"].contains("never ran"));
    let zero = of(&manifest, &[count(0, 100); 3]);
    // A zero that nobody can verify is no number.
    assert!(!zero.metrics.contains_key("page-faults_per_op"));
    assert_eq!(zero.absent["page-faults_per_op"], UNVERIFIED_ZERO);
    let scaled_zero = of(&manifest, &[count(0, 25); 3]);
    assert!(!scaled_zero.metrics.contains_key("page-faults_per_op (scaled estimate)"));
    let unverified = |cell: &hitm_analysis::CellSummary| cell.flags.iter().any(|flag| flag.name == "unverified-zero");
    assert!(unverified(&zero) && !unverified(&counted));
    let seen_once = of(&manifest, &[count(0, 100), count(0, 100), count(1, 100)]);
    assert!(!unverified(&seen_once), "the event was seen to move");
    manifest.events[0].moved = Some(true);
    let verified = of(&manifest, &[count(0, 100); 3]);
    assert!(!unverified(&verified), "it was seen to move before the first trial");
    assert_eq!(verified.metrics["page-faults_per_op"].median, 0.0);
    manifest.events[0].moved = Some(false);
    assert!(unverified(&of(&manifest, &[count(0, 100); 3])));
    assert_eq!(zero.absent["cycles_per_op"], "this machine has no PMU; run on bare metal");
    manifest.events.clear();
    assert!(of(&manifest, &[]).absent["cycles_per_op"].contains("not asked for"));
}

#[test]
fn what_software_counts_is_also_a_rate_of_time() {
    let mut manifest = one_cell(2);
    let count = EventCount { value: 30, enabled_ns: 20_000_000, running_ns: 20_000_000 };
    let cell = |manifest: &Manifest| {
        let cells = summarize(manifest, &counting("page-faults", &[count; 3])).cells;
        cells.into_iter().next().unwrap()
    };
    // Thirty in the 20 ms of each worker.
    let rate = cell(&manifest).metrics["page-faults_per_ms"].clone();
    assert_eq!((rate.median, rate.unit.as_str()), (1.5, "faults/ms"));
    manifest.events[0].kind = "hardware".into();
    assert!(!cell(&manifest).metrics.contains_key("page-faults_per_ms"));
}

#[test]
fn a_workers_own_reason_is_told() {
    let mut manifest = one_cell(1);
    manifest.events[0].unavailable = None::<UnavailableInfo>;
    let mut record = Made::new(0, 0, 1, 10.0).record(0);
    record.workers[0].events.clear();
    record.workers[0].absent.insert("page-faults".into(), "permission denied on PU 0".into());
    assert_eq!(summarize(&manifest, &[record]).cells[0].absent["page-faults_per_op"], "permission denied on PU 0");
}

#[test]
fn cycles_are_estimated_only_where_a_step_is_known() {
    let mut manifest = one_cell(1);
    manifest.calibration.cycles_per_step = None;
    let summary = summarize(&manifest, &[Made::new(0, 0, 1, 10.0).record(0)]);
    assert!(summary.cells[0].absent["cycles_per_op_estimated"].contains("made up"));
    assert!(summary.cells[0].metrics.contains_key("time_per_op"));
}

#[test]
fn observations_and_lost_updates_become_shares() {
    let manifest = one_cell(2);
    let mut records = vec![];
    for repetition in 0..9 {
        Made::new(0, repetition, 2, 10.0).into(&mut records);
        records.last_mut().unwrap().verification = Verification::Lost { expected: 1000, found: 900 };
        let mut observation = Made::new(0, repetition, 2, 99.0).record(records.len() as u64);
        observation.purpose = Purpose::Observation;
        observation.observations = vec![
            Observation { name: "drawn-by-several-workers".into(), count: 40 + u64::from(repetition), of: 100 },
            Observation { name: "nothing".into(), count: 0, of: 0 },
        ];
        records.push(observation);
    }
    let summary = summarize(&manifest, &records);
    let cell = &summary.cells[0];
    assert!(close(cell.observations["drawn-by-several-workers"].median, 0.44));
    assert_eq!((cell.observations.len(), cell.repetitions, cell.trials.len(), summary.trials), (1, 9, 9, 18));
    assert!(close(cell.metrics["time_per_op"].median, 10.0), "observation trials are not timed");
    let lost = cell.flags.iter().find(|flag| flag.name == "lost-updates").unwrap();
    assert!(lost.meaning.contains("10 %") && cell.verification.contains("10 %"), "{lost:?} {}", cell.verification);
}

#[test]
fn counts_that_contradict_themselves_give_no_number() {
    let manifest = one_cell(2);
    let of = |counted, enabled_ns, running_ns| {
        let count = EventCount { value: counted, enabled_ns, running_ns };
        let records = counting("page-faults", &[count]);
        let scaled = value("page-faults_per_op (scaled estimate)", &records[0], &manifest);
        (value("page-faults_per_op", &records[0], &manifest), scaled)
    };
    for (count, enabled, running) in [(5, 100, 101), (5, 100, 0), (0, 0, 7)] {
        let (plain, scaled) = of(count, enabled, running);
        assert!(plain.unwrap_err().contains("contradicts itself"), "{count} {enabled} {running}");
        assert!(scaled.unwrap_err().contains("contradicts itself"), "{count} {enabled} {running}");
    }
    let most = 100 * 1_000 + 1_000_000;
    assert!(of(most, 1_000, 1_000).0.is_ok());
    for running in [1_000, 999] {
        let (plain, scaled) = of(most + 1, 1_000, running);
        assert!(plain.unwrap_err().contains("more than anything can") && scaled.is_err());
    }
    // Longer than the trial of 20 ms took, by more than its beginning and end: no overflow.
    for enabled in [u64::MAX, 200_000_000] {
        assert!(of(7, enabled, enabled).0.unwrap_err().contains("longer than the trial took"));
    }
    assert!(of(7, 30_000_000, 30_000_000).0.is_ok());
    assert!(of(u64::MAX, u64::MAX, u64::MAX).0.is_err());
}

#[test]
fn what_was_scaled_up_is_held_to_what_can_be() {
    let manifest = one_cell(2);
    let of = |counted, running_ns| {
        let count = EventCount { value: counted, enabled_ns: 20_000_000, running_ns };
        value("page-faults_per_op (scaled estimate)", &counting("page-faults", &[count])[0], &manifest)
    };
    // A hundred each nanosecond of the 20 ms: a count that is possible in a quarter of them, and four times that.
    assert!(of(500_000_000, 5_000_000).is_ok());
    assert!(of(500_500_000, 5_000_000).unwrap_err().contains("more than anything can"));
    // Of less than a hundredth of the time nothing is scaled up.
    assert!(of(1_000, 200_000).is_ok());
    for running in [199_999, 1] {
        assert!(of(1, running).unwrap_err().contains("less than 1 % of the time"), "{running}");
    }
}
