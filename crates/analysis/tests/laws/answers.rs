//! The answer says what the comparisons say, and says so when they say nothing.

use hitm_analysis::summarize;

use crate::synthetic::{Made, Noise, cell, compared, manifest, shared_state};

#[test]
fn the_largest_cost_with_the_most_workers_is_told_with_interval_unit_and_level() {
    let (manifest, records) = shared_state(40, &mut Noise(6));
    let answer = summarize(&manifest, &records).answer;
    let start = "At 2 workers and work=64 state=shared-racy costs 11";
    assert!(answer.starts_with(start), "{answer}");
    for part in [" ns [", " … ", "] more per draw than state=thread-local, 4.", "ping-pong round trip 5"] {
        assert!(answer.contains(part), "{part} in {answer}");
    }
}

#[test]
fn no_change_is_called_none() {
    let (manifest, mut records) = shared_state(0, &mut Noise(6));
    let mut noise = Noise(8);
    for repetition in 0..20 {
        for (cell, workers) in [(0, 1), (1, 2), (2, 1), (3, 2)] {
            Made::new(cell, repetition, workers, 36.0 * noise.factor(0.05)).into(&mut records);
        }
    }
    let answer = summarize(&manifest, &records).answer;
    assert!(answer.starts_with("No credible change at 2 workers: ") && answer.contains("1.0"), "{answer}");
}

#[test]
fn no_data_and_too_few_data_are_told() {
    let (manifest, _) = shared_state(0, &mut Noise(6));
    assert_eq!(summarize(&manifest, &[]).answer, "There is no answer yet: no timing trial counts.");
    let (manifest, records) = shared_state(3, &mut Noise(6));
    let answer = summarize(&manifest, &records).answer;
    assert!(answer.starts_with("There is no answer yet: too few pairs at 2 workers (3 for "), "{answer}");
}

#[test]
fn a_saving_and_a_rate_are_told_in_their_direction() {
    let cells = ["padded", "packed"].map(|state| cell(2, &[("state", state.into())]));
    let mut manifest = compared(manifest(cells.to_vec()), "state", "packed");
    let mut records = vec![];
    for repetition in 0..10 {
        Made::new(0, repetition, 2, 2.0).into(&mut records);
        Made::new(1, repetition, 2, 10.0).into(&mut records);
    }
    let answer = summarize(&manifest, &records).answer;
    assert!(answer.contains("state=padded costs 8.000 ns less per draw than state=packed"), "{answer}");
    manifest.compare.metric = "throughput".into();
    let answer = summarize(&manifest, &records).answer;
    assert!(answer.contains("throughput of state=padded is 5.000× that of state=packed"), "{answer}");
}

#[test]
fn without_a_baseline_the_ends_of_the_scale_are_told() {
    let cells = ["0+1", "0+2"].map(|pair| cell(2, &[("pus", pair.into())]));
    let manifest = manifest(cells.to_vec());
    let mut records = vec![];
    for repetition in 0..10 {
        Made::new(0, repetition, 2, 50.0).into(&mut records);
        Made::new(1, repetition, 2, 310.0).into(&mut records);
    }
    let answer = summarize(&manifest, &records).answer;
    assert!(
        answer.contains("from 50.00 ns") && answer.contains("to 310.0 ns") && answer.contains("pus=0+2"),
        "{answer}"
    );
}
