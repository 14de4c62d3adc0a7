//! Parts of workers' time are shares of the whole, there also where no operation ended, and give the answer its reason.

use hitm_analysis::breakdown::OTHER;
use hitm_analysis::{CellSummary, summarize};
use hitm_experiment::manifest::{TallyForm, TallyInfo};
use hitm_experiment::{Manifest, Record};

use crate::synthetic::{Made, cell, compared, manifest};

fn tally(name: &str, form: TallyForm) -> TallyInfo {
    TallyInfo { name: name.into(), meaning: format!("{name}, made up"), form, more_is_better: false }
}

fn two_cells() -> Manifest {
    let cells = ["point", "range"].map(|manager| cell(2, &[("manager", manager.into())]));
    let tallies = vec![
        tally("working", TallyForm::Ticks),
        tally("waiting", TallyForm::Ticks),
        tally("timed_out", TallyForm::Ticks),
        tally("deadlocks", TallyForm::Count),
    ];
    let mut manifest = Manifest { tallies, ..compared(manifest(cells.to_vec()), "manager", "point") };
    manifest.compare.metric = "throughput".into();
    manifest
}

/// Gives every worker these shares of its time.
fn parted(mut record: Record, shares: &[(&str, f64)]) -> Record {
    for worker in &mut record.workers {
        let whole = (worker.end_ticks - worker.start_ticks) as f64;
        worker.tallies = shares.iter().map(|(name, share)| ((*name).to_owned(), (share * whole) as u64)).collect();
    }
    record
}

fn records(of: [&[(&str, f64)]; 2]) -> Vec<Record> {
    let mut records = Vec::new();
    for repetition in 0..10 {
        for (cell, shares) in of.iter().enumerate() {
            let ns = if cell == 0 { 5000.0 } else { 10.0 };
            let record = Made::new(cell, repetition, 2, ns).record(records.len() as u64);
            records.push(parted(record, shares));
        }
    }
    records
}

fn share(cell: &CellSummary, name: &str) -> Option<f64> {
    cell.breakdown.iter().find(|part| part.name == name).map(|part| part.share.median)
}

#[test]
fn parts_make_up_the_whole() {
    let shares: [&[(&str, f64)]; 2] = [&[("working", 0.1), ("waiting", 0.0), ("timed_out", 0.7)], &[("working", 0.9)]];
    let summary = summarize(&two_cells(), &records(shares));
    let [point, range] = &summary.cells[..] else { panic!("two cells") };
    for (name, known) in [("working", 0.1), ("waiting", 0.0), ("timed_out", 0.7), (OTHER, 0.2)] {
        assert!((share(point, name).unwrap() - known).abs() < 1e-6, "{name}: {:?}", point.breakdown);
    }
    assert_eq!(point.breakdown.last().unwrap().name, OTHER);
    // What is not told is absent, and the rest is still the whole.
    assert_eq!((share(range, "waiting"), share(range, "timed_out")), (None, None));
    let sum: f64 = range.breakdown.iter().map(|part| part.share.median).sum();
    assert!((sum - 1.0).abs() < 1e-6, "{:?}", range.breakdown);
}

#[test]
fn a_kernel_that_tells_nothing_has_no_parts() {
    let summary = summarize(&two_cells(), &records([&[], &[]]));
    assert!(summary.cells.iter().all(|cell| cell.breakdown.is_empty()));
    assert!(!summary.answer.contains("Why:"), "{}", summary.answer);
}

/// Parts that end a little after the last operation, and trials in which none ended.
#[test]
fn parts_are_shares_whatever_a_trial_is_like() {
    let mut all = records([&[("working", 0.6), ("timed_out", 0.7)], &[("waiting", 1.5)]]);
    for record in &mut all {
        for worker in &mut record.workers {
            worker.operations = 0;
            worker.stretches.iter_mut().for_each(|stretch| stretch.operations = 0);
        }
    }
    let summary = summarize(&two_cells(), &all);
    for cell in &summary.cells {
        assert!(!cell.breakdown.is_empty(), "shares are of time");
        for part in &cell.breakdown {
            assert!((0.0..=1.0).contains(&part.share.low) && (0.0..=1.0).contains(&part.share.high), "{part:?}");
        }
        assert_eq!(share(cell, OTHER), Some(0.0));
        let sum: f64 = cell.breakdown.iter().map(|part| part.share.median).sum();
        assert!((sum - 1.0).abs() < 1e-6, "{:?}", cell.breakdown);
    }
    let nothing = all.into_iter().map(|mut record| {
        record.workers.iter_mut().for_each(|worker| worker.end_ticks = worker.start_ticks);
        record
    });
    let summary = summarize(&two_cells(), &nothing.collect::<Vec<_>>());
    assert!(summary.is_finite());
}

#[test]
fn the_answer_gives_the_reason_that_intervals_support() {
    let told = |shares| summarize(&two_cells(), &records(shares)).answer;
    let answer = told([&[("working", 0.02), ("timed_out", 0.97)], &[("working", 0.9), ("timed_out", 0.01)]]);
    for part in ["Why: 97 % of the workers' time with manager=point is `timed_out` (timed_out)", "with manager=range 1"]
    {
        assert!(answer.contains(part), "{part} in {answer}");
    }
    let alike = told([&[("working", 0.5), ("timed_out", 0.45)], &[("working", 0.52), ("timed_out", 0.44)]]);
    assert!(!alike.contains("Why:"), "{alike}");
}
