//! What a kernel tallies becomes metrics by its form, and where nothing ended the throughput is 0 and a time is absent.

use hitm_analysis::{metric, summarize, trial};
use hitm_experiment::manifest::{TallyForm, TallyInfo};
use hitm_experiment::{Manifest, Record};

use crate::synthetic::{Made, TICKS_PER_NS, cell, compared, manifest};

fn tally(name: &str, form: TallyForm) -> TallyInfo {
    TallyInfo { name: name.into(), meaning: "made up".into(), form, more_is_better: false }
}

fn told() -> Manifest {
    let tallies = vec![
        tally("deadlocks", TallyForm::Count),
        tally("waiting", TallyForm::Ticks),
        tally("overtaken_most", TallyForm::Most),
        tally("wait", TallyForm::Histogram),
    ];
    Manifest { tallies, ..manifest(vec![cell(2, &[])]) }
}

fn value(name: &str, record: &Record, manifest: &Manifest) -> Result<f64, String> {
    let metric = metric::named(manifest, name).unwrap_or_else(|| panic!("{name} is a metric"));
    metric.value(record, trial::rates(record), manifest).map_err(|absent| absent.to_string())
}

#[test]
fn each_form_has_its_metric() {
    let manifest = told();
    let mut record = Made::new(0, 0, 2, 10.0).record(0);
    for (worker, [operations, deadlocks, waiting, most]) in
        record.workers.iter_mut().zip([[10, 3, 1000, 4], [30, 1, 3000, 9]])
    {
        worker.operations = operations;
        worker.tallies = [("deadlocks", deadlocks), ("waiting", waiting), ("overtaken_most", most)]
            .map(|(name, sum)| (name.to_owned(), sum))
            .into();
        (worker.cpu_ns, worker.run_delay_ns) = (Some(100), Some(300));
    }
    record.histograms.insert("wait".into(), vec![[100, 50], [200, 49], [1000, 1]]);
    let of = |name: &str| value(name, &record, &manifest).unwrap();
    assert_eq!(of("deadlocks_per_op"), 0.1);
    assert!((of("waiting_per_op") - 100.0 / TICKS_PER_NS).abs() < 1e-9);
    assert_eq!(of("overtaken_most"), 9.0);
    assert_eq!((of("cpu_time_per_op"), of("run_delay_per_op")), (5.0, 15.0));
    for (name, ticks) in [("wait_p50", 100.0), ("wait_p99", 200.0), ("wait_max", 1000.0)] {
        assert!((of(name) - ticks / TICKS_PER_NS).abs() < 1e-9, "{name}");
    }
}

#[test]
fn what_is_not_told_is_absent_and_not_zero() {
    let manifest = told();
    let mut record = Made::new(0, 0, 2, 10.0).record(0);
    for name in ["deadlocks_per_op", "waiting_per_op", "overtaken_most", "wait_p99"] {
        assert!(value(name, &record, &manifest).unwrap_err().contains("does not tell"), "{name}");
    }
    record.workers[0].tallies.insert("deadlocks".into(), 1);
    assert!(value("deadlocks_per_op", &record, &manifest).is_err(), "one worker's is not all workers'");
    assert!(value("cpu_time_per_op", &record, &manifest).unwrap_err().contains("operating system"));
    record.histograms.insert("wait".into(), vec![]);
    assert!(value("wait_p50", &record, &manifest).unwrap_err().contains("never happened"));
}

/// All of a trial's workers waited to its end.
fn idle(record: Record) -> Record {
    let mut record = record;
    for worker in &mut record.workers {
        worker.operations = 0;
        for stretch in &mut worker.stretches {
            stretch.operations = 0;
        }
    }
    record
}

#[test]
fn where_nothing_ended_the_throughput_is_0_and_nothing_is_infinite() {
    let cells = ["point", "range"].map(|manager| cell(2, &[("manager", manager.into())]));
    for idle_cell in [0, 1] {
        let mut manifest = compared(manifest(cells.to_vec()), "manager", "point");
        manifest.compare.metric = "throughput".into();
        let mut records = Vec::new();
        for repetition in 0..8 {
            for cell in 0..2 {
                let record = Made::new(cell, repetition, 2, 10.0).record(records.len() as u64);
                records.push(if cell == idle_cell { idle(record) } else { record });
            }
        }
        let summary = summarize(&manifest, &records);
        assert_eq!(summary.cells[idle_cell].metrics["throughput"].median, 0.0);
        assert!(summary.cells[idle_cell].absent["time_per_op"].contains("no operation"));
        assert!(summary.cells[idle_cell].absent["cpu_time_per_op"].contains("account"), "absent for its own reason");
        let json = serde_json::to_string(&summary).expect("it can be written");
        assert!(!json.contains("inf") && !json.contains("NaN"), "{json}");
        for comparison in &summary.comparisons {
            assert!(comparison.ratio.median.is_finite());
        }
        let flagged = |name: &str| summary.cells[idle_cell].flags.iter().any(|flag| flag.name == name);
        assert!(flagged("nothing-ended"), "{:?}", summary.cells[idle_cell].flags);
        if idle_cell == 0 {
            assert!(summary.comparisons.is_empty(), "there is no ratio to nothing");
        }
    }
}

/// A baseline that did nothing in some trials has no ratio there, and that is told: the others alone say too little.
#[test]
fn pairs_without_a_ratio_are_told() {
    let cells = ["point", "range"].map(|manager| cell(2, &[("manager", manager.into())]));
    let mut manifest = compared(manifest(cells.to_vec()), "manager", "point");
    manifest.compare.metric = "throughput".into();
    let mut records = Vec::new();
    for repetition in 0..10 {
        for cell in 0..2 {
            let record = Made::new(cell, repetition, 2, 10.0).record(records.len() as u64);
            records.push(if cell == 0 && repetition < 3 { idle(record) } else { record });
        }
    }
    let summary = summarize(&manifest, &records);
    assert_eq!((summary.comparisons.len(), summary.comparisons[0].pairs), (1, 7));
    let meaning = |cell: usize, name: &str| {
        let flag = summary.cells[cell].flags.iter().find(|flag| flag.name == name);
        flag.unwrap_or_else(|| panic!("{name}: {:?}", summary.cells[cell].flags)).meaning.clone()
    };
    assert!(meaning(1, "zero-baseline").starts_with("3 of 10 pairs"), "{}", meaning(1, "zero-baseline"));
    assert!(meaning(0, "nothing-ended").starts_with("3 of 10 trials"), "{}", meaning(0, "nothing-ended"));
}
