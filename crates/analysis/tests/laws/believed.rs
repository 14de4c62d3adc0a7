//! What is said holds only where it was measured: no wide interval is called none, no trial counts that measured something else.

use hitm_analysis::{Verdict, summarize};

use crate::synthetic::{Made, Noise, cell, compared, manifest, shared_state};

#[test]
fn an_interval_that_holds_one_and_much_else_is_not_known() {
    let verdict = |noise_share: f64| {
        let cells = ["shared", "local"].map(|state| cell(2, &[("state", state.into())]));
        let manifest = compared(manifest(cells.to_vec()), "state", "local");
        let (mut records, mut noise) = (vec![], Noise(3));
        for block in 0..9 {
            for of in [0, 1] {
                Made::new(of, block, 2, 10.0 * noise.factor(noise_share)).into(&mut records);
            }
        }
        let summary = summarize(&manifest, &records);
        (summary.comparisons[0].verdict, summary.answer)
    };
    assert_eq!(verdict(0.02).0, Verdict::NoCredibleChange);
    let (wide, answer) = verdict(0.6);
    assert_eq!(wide, Verdict::NotKnown);
    assert!(answer.starts_with("Not known yet"), "{answer}");
}

/// Trials in which the workers were never undisturbed measured turns: they count only where there is nothing better.
#[test]
fn trials_of_which_nothing_was_undisturbed_stand_back_behind_clean_ones() {
    let manifest = manifest(vec![cell(2, &[("state", "shared".into())])]);
    let median = |clean: u32, turns: u32| {
        let mut records = vec![];
        for repetition in 0..clean + turns {
            Made::new(0, repetition, 2, if repetition < clean { 10.0 } else { 900.0 }).into(&mut records);
            if repetition >= clean {
                records.last_mut().unwrap().workers.iter_mut().for_each(|worker| worker.stretches.clear());
            }
        }
        let time = summarize(&manifest, &records).cells[0].metrics["time_per_op"].clone();
        (time.n, time.high)
    };
    let (n, high) = median(6, 20);
    assert!(n == 6 && high < 11.0, "{n}, {high}");
    let (n, high) = median(5, 20);
    assert!(n == 25 && high > 800.0, "{n}, {high}");
}

/// Two workers that did not run where a pair's cell says have not measured that pair.
#[test]
fn a_pair_is_measured_only_by_workers_that_were_there() {
    let pair = cell(2, &[("pus", "0+1".into())]);
    let manifest = manifest(vec![pair, cell(2, &[("state", "a".into())])]);
    let mut records = vec![];
    for repetition in 0..8 {
        for of in [0, 1] {
            Made::new(of, repetition, 2, 20.0).into(&mut records);
            let worker = &mut records.last_mut().unwrap().workers[1];
            match repetition % 2 {
                0 => (worker.pu_at_start, worker.pu_at_end) = (Some(0), Some(0)),
                _ => (worker.pinned, worker.unpinned) = (false, "not here".into()),
            }
        }
    }
    let summary = summarize(&manifest, &records);
    assert!(summary.cells[0].metrics.is_empty() && summary.cells[0].absent.contains_key("time_per_op"));
    assert_eq!(summary.cells[1].repetitions, 8);
    assert!(summary.answer.contains("could not be pinned"), "{}", summary.answer);
}

#[test]
fn an_answer_from_workers_that_were_seldom_together_says_so() {
    let manifest = manifest(vec![cell(2, &[("state", "shared".into())])]);
    let answer = |held_up: (f64, f64)| {
        let mut records = vec![];
        for repetition in 0..8 {
            Made { held_up: vec![held_up], ..Made::new(0, repetition, 2, 20.0) }.into(&mut records);
        }
        summarize(&manifest, &records).answer
    };
    assert!(
        answer((0.1, 0.8)).contains("ran together undisturbed for 30 % of the time only"),
        "{}",
        answer((0.1, 0.8))
    );
    assert!(!answer((0.1, 0.3)).contains("understated"), "{}", answer((0.1, 0.3)));
}

/// Absent is not the median: an interval that there is none of is null.
#[test]
fn in_json_an_interval_that_is_not_there_is_null() {
    let (manifest, records) = shared_state(1, &mut Noise(6));
    let json = serde_json::to_value(summarize(&manifest, &records)).unwrap();
    let one = &json["cells"][0]["metrics"]["time_per_op"];
    assert!(one["low"].is_null() && one["high"].is_null() && one["median"].is_f64() && one["coverage"] == 0.0, "{one}");
    let (manifest, records) = shared_state(12, &mut Noise(6));
    let json = serde_json::to_value(summarize(&manifest, &records)).unwrap();
    let many = &json["cells"][0]["metrics"]["time_per_op"];
    assert!(many["low"].as_f64() < many["high"].as_f64() && many["coverage"].as_f64() > Some(0.9), "{many}");
}
