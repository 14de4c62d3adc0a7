//! Of the attempts at one repetition the best counts; a wrong one never does; the order of the records does not matter.

use hitm_analysis::summarize;
use hitm_experiment::Manifest;
use hitm_experiment::record::Verification;

use crate::synthetic::{Made, Noise, cell, manifest, shared_state};

fn one_cell() -> Manifest {
    manifest(vec![cell(2, &[("state", "shared".into())])])
}

fn attempt(number: u32, ns: f64, held_up: &[(f64, f64)]) -> Made {
    let mut made = Made::new(0, 0, 2, ns);
    (made.attempt, made.held_up) = (number, held_up.to_vec());
    made
}

#[test]
fn the_attempt_with_the_best_overlap_counts_and_the_others_are_kept() {
    let mut records = vec![];
    attempt(0, 10.0, &[(0.1, 0.5)]).into(&mut records);
    attempt(1, 20.0, &[(0.1, 0.2)]).into(&mut records);
    attempt(2, 30.0, &[(0.1, 0.3)]).into(&mut records);
    let cell = &summarize(&one_cell(), &records).cells[0];
    assert_eq!((cell.metrics["time_per_op"].n, cell.repetitions), (1, 1));
    assert!((cell.metrics["time_per_op"].median - 20.0).abs() < 0.01);
    assert_eq!(cell.trials.iter().map(|point| point.counted).collect::<Vec<_>>(), [false, true, false]);
}

#[test]
fn of_equal_attempts_the_later_counts() {
    let mut records = vec![];
    attempt(0, 10.0, &[]).into(&mut records);
    attempt(1, 20.0, &[]).into(&mut records);
    let cell = &summarize(&one_cell(), &records).cells[0];
    assert_eq!(cell.trials.iter().map(|point| point.counted).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn a_wrong_trial_never_counts_and_gives_way_to_a_right_one() {
    let mut records = vec![];
    attempt(0, 10.0, &[(0.1, 0.9)]).into(&mut records);
    attempt(1, 20.0, &[]).into(&mut records);
    records[1].verification = Verification::Wrong { what: "5 expected, 4 found".into() };
    let right = &summarize(&one_cell(), &records).cells[0];
    assert!((right.metrics["time_per_op"].median - 10.0).abs() < 0.01);
    records.remove(0);
    let wrong = &summarize(&one_cell(), &records).cells[0];
    assert!(wrong.absent["time_per_op"].contains("none of its 1 timing trials counts"), "{:?}", wrong.absent);
    assert!(wrong.verification.contains("5 expected, 4 found"));
    assert!(wrong.flags.iter().any(|flag| flag.name == "wrong"));
}

#[test]
fn passes_of_one_repetition_all_count_and_pair_with_their_own() {
    let (manifest, records) = shared_state(10, &mut Noise(1));
    let mut both = records.clone();
    both.extend(records.iter().cloned().map(|mut record| {
        (record.pass, record.trial) = (1, record.trial + 1000);
        record
    }));
    let summary = summarize(&manifest, &both);
    assert_eq!((summary.cells[0].repetitions, summary.cells[0].metrics["time_per_op"].n), (10, 20));
    assert!(summary.comparisons.iter().all(|comparison| comparison.pairs == 20));
}

#[test]
fn the_order_of_the_records_does_not_matter() {
    let (manifest, mut records) = shared_state(12, &mut Noise(2));
    let mut again = attempt(1, 30.0, &[]);
    again.cell = 1;
    again.level(50.0, 50.0).into(&mut records);
    let expected = summarize(&manifest, &records);
    let mut noise = Noise(9);
    for _ in 0..5 {
        for i in (1..records.len()).rev() {
            records.swap(i, noise.next() as usize % (i + 1));
        }
        assert_eq!(summarize(&manifest, &records), expected);
    }
}

#[test]
fn records_of_cells_that_are_not_there_are_told() {
    let summary = summarize(&one_cell(), &[Made::new(7, 0, 2, 10.0).record(0)]);
    assert_eq!((summary.trials, summary.flags[0].name.as_str()), (1, "unknown-cell"));
}
