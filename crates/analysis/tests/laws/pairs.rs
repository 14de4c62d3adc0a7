//! Ratios from pairs hold under what breaks ratios of medians: drift, level flips, a neighbour on one PU.

use hitm_analysis::{Comparison, Verdict, interval, summarize};
use hitm_experiment::{Manifest, Record};

use crate::synthetic::{Made, Noise, cell, compared, manifest};

/// Two cells of two workers: the first is compared with the second.
fn two_cells() -> Manifest {
    let cells = ["shared", "local"].map(|state| cell(2, &[("state", state.into())]));
    compared(manifest(cells.to_vec()), "state", "local")
}

fn only(manifest: &Manifest, records: &[Record]) -> Comparison {
    let mut comparisons = summarize(manifest, records).comparisons;
    assert_eq!(comparisons.len(), 1);
    comparisons.remove(0)
}

/// The ratio that a harness without pairs would print.
fn ratio_of_medians(manifest: &Manifest, records: &[Record]) -> f64 {
    let metric = hitm_analysis::metric::named(manifest, "time_per_op").unwrap();
    let median = |cell| {
        let of_cell = records.iter().filter(|record| record.cell == cell);
        let values = of_cell.map(|record| metric.value(record, hitm_analysis::trial::rates(record), manifest).unwrap());
        interval::median(values.collect()).unwrap()
    };
    median(0) / median(1)
}

#[test]
fn drift_that_both_cells_share_divides_out() {
    let (manifest, mut records, mut noise) = (two_cells(), vec![], Noise(7));
    for block in 0..40 {
        let drift = 1.0 + f64::from(block) / 10.0;
        Made::new(0, block, 2, 20.0 * drift * noise.factor(0.01)).into(&mut records);
        Made::new(1, block, 2, 5.0 * drift * noise.factor(0.01)).into(&mut records);
    }
    let found = only(&manifest, &records);
    assert!(found.ratio.low < 4.0 && 4.0 < found.ratio.high, "{found:?}");
    assert!(interval::relative_half_width(&found.ratio).unwrap() < 0.01, "{found:?}");
    let summary = summarize(&manifest, &records);
    let alone = interval::relative_half_width(&summary.cells[0].metrics["time_per_op"]).unwrap();
    assert!(alone > 0.2, "the median alone must show the drift: {alone}");
    assert_eq!((found.verdict, found.pairs), (Verdict::Slower, 40));
}

/// The shared cell costs 20 ns near and 120 far, the local one 5 and 6. The level flips within blocks too, so that the shared
/// cell's trials are mostly far and the local one's mostly near.
#[test]
fn levels_that_flip_between_trials_do_not_mix() {
    let (manifest, mut records, mut noise) = (two_cells(), vec![], Noise(11));
    let round_trip = |far: bool, noise: &mut Noise| if far { 315.0 } else { 52.0 } * noise.factor(0.08);
    for block in 0..70 {
        let (shared_far, local_far) = match block % 7 {
            0 | 1 => (false, false),
            2 => (false, true),
            3 => (true, true),
            _ => (true, false),
        };
        for (cell, far, ns) in [(0, shared_far, [20.0, 120.0]), (1, local_far, [5.0, 6.0])] {
            let ns = ns[usize::from(far)] * noise.factor(0.02);
            let made = Made::new(cell, block, 2, ns);
            made.level(round_trip(far, &mut noise), round_trip(far, &mut noise)).into(&mut records);
        }
    }
    let naive = ratio_of_medians(&manifest, &records);
    assert!((20.0..30.0).contains(&naive), "without pairs and levels: {naive}");
    let found = only(&manifest, &records);
    assert_eq!((found.level.as_deref(), found.pairs), (Some("near"), 20));
    assert!((found.ratio.median - 4.0).abs() < 0.1, "{found:?}");
    let by_level = |level: &str| found.difference_by_level[level].median;
    assert!((by_level("near") - 15.0).abs() < 1.0 && (by_level("far") - 114.0).abs() < 4.0, "{found:?}");
    let summary = summarize(&manifest, &records);
    assert!((summary.cells[0].metrics["time_per_op"].median - 20.0).abs() < 1.0);
    assert!(summary.flags.iter().any(|flag| flag.name == "level-flips"));
}

#[test]
fn a_trial_in_which_the_level_changed_is_in_no_pair() {
    let (manifest, mut records) = (two_cells(), vec![]);
    for block in 0..20 {
        let (after, ns) = if block < 6 { (315.0, 70.0) } else { (52.0, 20.0) };
        Made::new(0, block, 2, ns).level(52.0, after).into(&mut records);
        Made::new(1, block, 2, 5.0).level(52.0, 52.0).into(&mut records);
    }
    let found = only(&manifest, &records);
    assert_eq!((found.pairs, found.ratio.high), (14, 4.0));
}

#[test]
fn too_few_pairs_at_the_level_are_pooled_and_say_so() {
    let (manifest, mut records) = (two_cells(), vec![]);
    for block in 0..8 {
        // The baseline is far in half of the blocks and the other cell with it; more trials are near.
        let level = if block % 2 == 0 { 52.0 } else { 315.0 };
        Made::new(0, block, 2, 20.0).level(level, level).into(&mut records);
        Made::new(1, block, 2, 5.0).level(level, level).into(&mut records);
    }
    let summary = summarize(&manifest, &records);
    assert_eq!((summary.comparisons[0].pairs, summary.comparisons[0].level.as_deref()), (8, None));
    assert!(summary.cells[0].flags.iter().any(|flag| flag.name == "levels-mixed"));
}

/// A neighbour takes the second worker's PU for half of every trial. Meanwhile the first runs alone and fast, and a harness
/// that divides all operations by all time loses half of the ratio.
#[test]
fn a_neighbour_on_one_pu_does_not_change_the_ratio() {
    let run = |held_up: &dyn Fn(&mut Noise) -> Vec<(f64, f64)>| {
        let (manifest, mut records, mut noise) = (two_cells(), vec![], Noise(3));
        for block in 0..30 {
            for (cell, ns, alone_ns) in [(0, 9.0, 2.0), (1, 2.0, 2.0)] {
                let mut made = Made::new(cell, block, 2, ns * noise.factor(0.03));
                (made.alone_ns, made.held_up) = (alone_ns, held_up(&mut noise));
                made.into(&mut records);
            }
        }
        (only(&manifest, &records), manifest, records)
    };
    let (quiet, ..) = run(&|_| vec![]);
    let (busy, manifest, mut records) = run(&|noise| {
        let from = 0.1 * noise.unit();
        vec![(from, from + 0.25), (from + 0.4, from + 0.65)]
    });
    assert!((busy.ratio.median / quiet.ratio.median - 1.0).abs() < 0.02, "{busy:?} against {quiet:?}");
    assert!(busy.ratio.low <= quiet.ratio.high && quiet.ratio.low <= busy.ratio.high);
    let names: Vec<_> = summarize(&manifest, &records).cells[0].flags.iter().map(|flag| flag.name.clone()).collect();
    for expected in ["little-overlap", "interrupted", "switched"] {
        assert!(names.iter().any(|name| name == expected), "{expected} in {names:?}");
    }
    for worker in records.iter_mut().flat_map(|record| &mut record.workers) {
        worker.stretches.clear();
    }
    let whole = only(&manifest, &records);
    assert!(whole.ratio.median < 0.8 * quiet.ratio.median, "the whole trial would have understated it: {whole:?}");
}

#[test]
fn verdicts_need_enough_pairs_and_follow_the_better_direction() {
    let run = |pairs: u32, shared: f64, metric: &str| {
        let (mut manifest, mut records, mut noise) = (two_cells(), vec![], Noise(5));
        manifest.compare.metric = metric.into();
        for block in 0..pairs {
            Made::new(0, block, 2, shared * noise.factor(0.02)).into(&mut records);
            Made::new(1, block, 2, 10.0 * noise.factor(0.02)).into(&mut records);
        }
        only(&manifest, &records).verdict
    };
    assert_eq!(run(4, 20.0, "time_per_op"), Verdict::TooFew);
    assert_eq!(run(1, 20.0, "time_per_op"), Verdict::TooFew);
    assert_eq!(run(5, 20.0, "time_per_op"), Verdict::Slower);
    assert_eq!(run(20, 5.0, "time_per_op"), Verdict::Faster);
    assert_eq!(run(20, 20.0, "throughput"), Verdict::Slower);
    assert_eq!(run(20, 5.0, "throughput"), Verdict::Faster);
    assert_eq!(run(20, 10.0, "time_per_op"), Verdict::NoCredibleChange);
}

/// Over many seeds the interval of the ratio holds the truth as often as its coverage says, though the noise is skewed.
#[test]
fn intervals_hold_the_truth_at_their_rate() {
    let manifest = two_cells();
    let (mut held, mut coverage, runs) = (0, 0.0, 400);
    for seed in 0..runs {
        let (mut records, mut noise) = (vec![], Noise(seed));
        // A half-sided heavy tail with a median of 0.
        let mut skewed = || {
            let u = noise.unit();
            if u < 0.5 { -0.02 * (1.0 - 2.0 * u) } else { 0.05 / (2.0 * (1.0 - u)).max(1e-3) - 0.05 }
        };
        for block in 0..15 {
            Made::new(0, block, 2, 40.0 * (1.0 + skewed())).into(&mut records);
            Made::new(1, block, 2, 10.0).into(&mut records);
        }
        let found = only(&manifest, &records);
        held += u32::from(found.ratio.low <= 4.0 + 1e-4 && 4.0 - 1e-4 <= found.ratio.high);
        coverage += found.ratio.coverage / runs as f64;
    }
    let (rate, sd) = (f64::from(held) / runs as f64, (coverage * (1.0 - coverage) / runs as f64).sqrt());
    assert!((rate - coverage).abs() < 4.0 * sd, "{rate} against {coverage} ± {sd}");
}

/// Noise that lasts for some twenty blocks, as a drifting machine's does: the interval still holds the truth nearly as often as
/// it says, the run says that it drifted, and an interval that took the pairs as independent would miss the truth every third time.
#[test]
fn intervals_are_wide_enough_for_noise_that_lasts() {
    let manifest = two_cells();
    let (mut held, mut held_if_independent, mut flagged, runs) = (0, 0, 0, 200);
    for seed in 0..runs {
        let (mut records, mut noise, mut lasting) = (vec![], Noise(seed), 0.0);
        let mut ratios = vec![];
        for block in 0..400 {
            lasting = 0.9 * lasting + 0.02 * (noise.unit() + noise.unit() - 1.0);
            Made::new(0, block, 2, 40.0 * (1.0 + lasting)).into(&mut records);
            Made::new(1, block, 2, 10.0).into(&mut records);
            ratios.push(4.0 * (1.0 + lasting));
        }
        let summary = summarize(&manifest, &records);
        let ratio = &summary.comparisons[0].ratio;
        held += u32::from(ratio.low <= 4.0 && 4.0 <= ratio.high);
        flagged += u32::from(summary.cells[0].flags.iter().any(|flag| flag.name == "drifted"));
        ratios.sort_unstable_by(f64::total_cmp);
        // The ranks of 400 independent values.
        held_if_independent += u32::from(ratios[180] <= 4.0 && 4.0 <= ratios[219]);
    }
    let share = |count: u32| f64::from(count) / runs as f64;
    assert!(share(held) >= 0.88, "held in {}", share(held));
    assert!(share(held_if_independent) <= 0.7, "independent: {}", share(held_if_independent));
    assert!(share(flagged) >= 0.99, "flagged in {}", share(flagged));
}
