//! Whatever the records hold, a summary is made, and every number in it is finite.

use hitm_analysis::{precision, summarize, trial};
use hitm_experiment::record::{EventCount, Observation, Purpose, Stretch, Verification};
use hitm_experiment::{Manifest, Record};
use proptest::prelude::*;

use crate::explain::event;
use crate::synthetic::{Made, Noise, cell, compared, manifest};

/// Numbers where sums, products and quotients go wrong.
fn wild(noise: &mut Noise) -> u64 {
    match noise.next() % 6 {
        0 => 0,
        1 => 1,
        2 => u64::MAX,
        3 => u64::MAX / 2,
        4 => noise.next() % 1_000_000_000,
        _ => noise.next(),
    }
}

fn hz() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        Just(-1.0),
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(1e-300),
        Just(1e-299),
        Just(1e-290),
        Just(1e300),
        Just(2.5e9)
    ]
}

fn record() -> impl Strategy<Value = Record> {
    (0..4usize, 0..3usize, 0..3u32, any::<bool>(), 0..4usize, any::<u64>()).prop_map(
        |(workers, cell, repetition, timing, stretches, seed)| {
            let mut record = Made::new(cell, repetition, workers, 10.0).level(50.0, 50.0).record(seed);
            let mut noise = Noise(seed);
            let mut take = || wild(&mut noise);
            record.purpose = if timing { Purpose::Timing } else { Purpose::Observation };
            record.verification = match take() % 3 {
                0 => Verification::Exact,
                1 => Verification::Lost { expected: take(), found: take() },
                _ => Verification::Unverifiable { why: "made up".into() },
            };
            record.observations = vec![Observation { name: "share".into(), count: take(), of: take() }];
            let ping_pong = record.after.ping_pong.as_mut().unwrap();
            (ping_pong.round_trips, ping_pong.chunks) = (take(), vec![take(); (take() % 3) as usize]);
            record.after.steal_ticks = Some(take());
            for (i, worker) in record.workers.iter_mut().enumerate() {
                (worker.start_ticks, worker.end_ticks, worker.operations) = (take(), take(), take());
                (worker.calibration_before_ticks, worker.calibration_after_ticks) = (take(), take());
                // Now and then a worker with a stretch too few, which no record of ours has.
                let count = if take() % 5 == 0 { stretches.saturating_sub(i) } else { stretches };
                let stretch = |_| Stretch { start_ticks: take(), end_ticks: take(), operations: take() };
                worker.stretches = (0..count).map(stretch).collect();
                let count = EventCount { value: take(), enabled_ns: take(), running_ns: take() };
                worker.events.insert("page-faults".into(), count);
                let count = EventCount { value: take(), enabled_ns: take(), running_ns: take() };
                worker.events.insert("store-transfer".into(), count);
            }
            record
        },
    )
}

fn three_cells() -> Manifest {
    let cells = ["shared", "local", "mutex"].map(|state| cell(2, &[("state", state.into())]));
    compared(manifest(cells.to_vec()), "state", "local")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn nothing_in_a_summary_is_not_finite(
        records in prop::collection::vec(record(), 0..24),
        hz in hz(),
        metric in prop::sample::select(vec!["time_per_op", "throughput", "page-faults_per_op", "core_clock", "fairness"]),
        baseline in any::<bool>(),
        per_step in prop::option::of(prop::sample::select(vec![0.0, 1.0, -1.0, f64::NAN, 1e300])),
    ) {
        let mut manifest = three_cells();
        manifest.clock.hz = hz;
        manifest.compare.metric = metric.into();
        manifest.calibration.cycles_per_step = per_step;
        manifest.events.push(event("store-transfer", "hardware", "transfer"));
        if !baseline {
            manifest.compare.baseline.clear();
        }
        let summary = summarize(&manifest, &records);
        prop_assert!(summary.is_finite());
        prop_assert!(precision(&manifest, &records).worst.is_none_or(f64::is_finite));
        let text = serde_json::to_string(&summary).unwrap();
        prop_assert!(!text.contains("\"median\":null") && !summary.answer.contains("NaN") && !summary.answer.contains("inf"));
        let explanation = summary.explanation.as_ref().unwrap();
        prop_assert!(!explanation.sentence.contains("NaN") && !explanation.sentence.contains("inf"));
        let shares = explanation.events.iter().filter_map(|event| event.share.as_ref());
        for share in shares {
            prop_assert!(-1.0 <= share.low && share.low <= share.median && share.median <= share.high && share.high <= 1.0);
        }
        for estimate in summary.cells.iter().flat_map(|cell| cell.metrics.values()) {
            prop_assert!(estimate.low <= estimate.median && estimate.median <= estimate.high);
        }
        for cell in &summary.cells {
            for metric in hitm_analysis::metric::all(&manifest) {
                let scaled = metric.name.contains("scaled");
                let (has, lacks) = (cell.metrics.contains_key(&*metric.name), cell.absent.contains_key(&*metric.name));
                prop_assert!(has != lacks || scaled && !has, "{} has {has} lacks {lacks}", metric.name);
            }
        }
        for record in &records {
            prop_assert!(trial::overlap(record).is_none_or(|overlap| (0.0..=1.0).contains(&overlap)));
            trial::flags(record, &manifest);
        }
    }
}

#[test]
fn no_trial_and_no_cell_are_summed_up() {
    let summary = summarize(&three_cells(), &[]);
    assert!(summary.cells.iter().all(|cell| cell.metrics.is_empty() && cell.flags[0].name == "no-trials"));
    assert!(summary.cells[0].absent["time_per_op"].contains("no timing trial"));
    assert!(summarize(&manifest(vec![]), &[]).cells.is_empty());
}

#[test]
fn one_trial_is_its_own_median_with_no_coverage() {
    let records = [Made::new(0, 0, 2, 10.0).record(0)];
    let summary = summarize(&three_cells(), &records);
    let time = &summary.cells[0].metrics["time_per_op"];
    assert_eq!((time.low, time.high, time.n, time.coverage), (time.median, time.median, 1, 0.0));
    assert!(summary.cells[0].flags.iter().any(|flag| flag.name == "few-repetitions"));
    assert!(summary.cells[0].flags.iter().any(|flag| flag.name == "no-pairs"));
}

#[test]
fn identical_trials_have_an_interval_without_width() {
    let records: Vec<Record> = (0..20).map(|i| Made::new(0, i, 2, 10.0).record(u64::from(i))).collect();
    let time = &summarize(&three_cells(), &records).cells[0].metrics["time_per_op"];
    assert_eq!((time.low, time.high), (time.median, time.median));
    assert!(time.coverage >= 0.95);
}
