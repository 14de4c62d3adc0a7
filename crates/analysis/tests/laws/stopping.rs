//! A run may stop when all that decides is known as precisely as asked, and not before.

use hitm_analysis::{Precision, precision, summarize};
use hitm_experiment::manifest::{Session, Stopped};

use crate::synthetic::{Made, Noise, cell, manifest, shared_state};

#[test]
fn ratios_decide_where_there_is_a_baseline() {
    let of = |repetitions| {
        let (manifest, records) = shared_state(repetitions, &mut Noise(4));
        precision(&manifest, &records)
    };
    assert_eq!(of(0), Precision { worst: None, deciding: 2, settled: 0 });
    assert_eq!(of(1), Precision { worst: None, deciding: 2, settled: 0 });
    assert_eq!((of(7).deciding, of(7).settled), (2, 0), "fewer than the least repetitions");
    let many = of(40);
    assert!(many.reached() && many.worst.unwrap() < 0.02, "{many:?}");
}

#[test]
fn medians_decide_where_there_is_none_and_identical_trials_are_settled() {
    let cells = [1, 2].map(|workers| cell(workers, &[("state", "shared".into())]));
    let manifest = manifest(cells.to_vec());
    let mut records = vec![];
    for repetition in 0..8 {
        Made::new(0, repetition, 1, 10.0).into(&mut records);
        let wide = if repetition % 2 == 0 { 10.0 } else { 20.0 };
        Made::new(1, repetition, 2, wide).into(&mut records);
    }
    let found = precision(&manifest, &records);
    assert_eq!((found.deciding, found.settled, found.reached()), (2, 1, false));
    assert!((found.worst.unwrap() - 1.0 / 3.0).abs() < 1e-3);
    assert_eq!(summarize(&manifest, &records).precision, found.worst);
}

#[test]
fn fewer_repetitions_than_the_least_settle_nothing_however_precise() {
    let manifest = manifest(vec![cell(1, &[("state", "shared".into())])]);
    let records: Vec<_> = (0..8).map(|i| Made::new(0, i, 1, 10.0).record(u64::from(i))).collect();
    let of = |count: usize| precision(&manifest, &records[..count]);
    assert_eq!(of(7), Precision { worst: Some(0.0), deciding: 1, settled: 0 });
    assert!(of(8).reached());
}

#[test]
fn a_single_repetition_never_settles_even_if_no_more_are_asked_for() {
    let (mut manifest, records) = shared_state(1, &mut Noise(4));
    manifest.measure.min_repetitions = 1;
    manifest.compare.baseline.clear();
    assert_eq!(precision(&manifest, &records).settled, 0);
}

#[test]
fn a_cell_whose_metric_is_absent_keeps_the_run_from_being_known() {
    let (mut manifest, records) = shared_state(20, &mut Noise(4));
    manifest.compare.metric = "cycles_per_op".into();
    let found = precision(&manifest, &records);
    assert_eq!((found.deciding, found.settled, found.worst), (2, 0, None));
    let summary = summarize(&manifest, &records);
    assert!(summary.comparisons.is_empty());
    assert!(
        summary.cells[0].flags.iter().any(|flag| flag.name == "no-pairs" && flag.meaning.contains("cycles_per_op"))
    );
    manifest.compare.metric = "beauty".into();
    assert!(summarize(&manifest, &records).flags.iter().any(|flag| flag.name == "unknown-metric"));
    assert_eq!(precision(&manifest, &records).settled, 0);
}

#[test]
fn a_run_that_stopped_short_says_how_short() {
    let (mut manifest, records) = shared_state(7, &mut Noise(4));
    let session = Session {
        started_unix_ms: 0,
        ended_unix_ms: Some(1),
        stopped: Some(Stopped::Budget),
        budget_ns: 1,
        precision: 0.02,
    };
    manifest.sessions.push(session);
    let summary = summarize(&manifest, &records);
    let flag = summary.flags.iter().find(|flag| flag.name == "not-precise").unwrap();
    assert!(flag.meaning.contains("0 of 2 settled") && flag.meaning.contains("± 2.0 % asked"), "{}", flag.meaning);
    assert_eq!(summary.stopped, Some(Stopped::Budget));
}
