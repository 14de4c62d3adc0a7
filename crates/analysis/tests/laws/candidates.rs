//! What may explain a loss and what may not: who counts it, whether it was seen to move, how it was counted, and against what.

use hitm_analysis::{Explained, Standing, summarize};
use hitm_experiment::manifest::{Cell, EventInfo, UnavailableInfo};

use crate::explain::{ENABLED_NS, Known, LINEAR, TRANSFERS, event, explained, linear, of, transfers};
use crate::synthetic::cell;

#[test]
fn zeros_are_verified_or_not_and_absent_is_neither() {
    let run = Known { ns: &LINEAR, rates: &[("store-transfer", &[0.0; 6])], repetitions: 8, noise: 0.0 };
    let mut events = transfers();
    let standing = |events: &[EventInfo]| {
        let explanation = explained(&run.manifest(events.to_vec()), &run.records());
        (of(&explanation, "store-transfer").standing, explanation.sentence)
    };
    assert_eq!(standing(&events).0, Standing::Zero);
    for moved in [None, Some(false)] {
        events[0].moved = moved;
        let (standing, sentence) = standing(&events);
        assert_eq!(standing, Standing::UnverifiedZero);
        assert!(
            sentence.contains("of store-transfer 0 was counted, and it was never seen to count here"),
            "{sentence}"
        );
    }
    events[0].unavailable = Some(UnavailableInfo { reason: "no PMU".into(), cure: String::new() });
    let explanation = explained(&run.manifest(events), &run.records());
    let absent = of(&explanation, "store-transfer");
    assert_eq!((absent.standing, absent.why.as_str(), &absent.over_cells), (Standing::Absent, "no PMU", &None));
    assert!(explanation.sentence.starts_with("No hardware event was counted"), "{}", explanation.sentence);
}

#[test]
fn multiplexed_counts_are_used_where_there_are_no_others_and_named() {
    let run = linear(0.01);
    let mut records = run.records();
    for worker in records.iter_mut().flat_map(|record| &mut record.workers) {
        let count = worker.events.get_mut("store-transfer").unwrap();
        (count.value, count.running_ns) = (count.value / 4, ENABLED_NS / 4);
    }
    let explanation = explained(&run.manifest(transfers()), &records);
    assert!(of(&explanation, "store-transfer").scaled);
    assert!(explanation.sentence.contains("scaled estimates"), "{}", explanation.sentence);
    // Half of the repetitions counted all the time: these alone are used.
    for record in records.iter_mut().filter(|record| record.repetition % 2 == 0) {
        for worker in &mut record.workers {
            let count = worker.events.get_mut("store-transfer").unwrap();
            (count.value, count.running_ns) = (count.value * 4, ENABLED_NS);
        }
    }
    let explanation = explained(&run.manifest(transfers()), &records);
    let found = of(&explanation, "store-transfer");
    assert!(!found.scaled && found.cost.as_ref().unwrap().independent == 6, "{found:?}");
}

#[test]
fn events_of_different_passes_each_have_their_own_repetitions() {
    let run = Known {
        ns: &LINEAR,
        rates: &[("store-transfer", &TRANSFERS), ("failed", &TRANSFERS)],
        repetitions: 16,
        noise: 0.01,
    };
    let mut records = run.records();
    for record in &mut records {
        record.pass = record.repetition % 2;
        let out = if record.pass == 0 { "failed" } else { "store-transfer" };
        record.workers.iter_mut().for_each(|worker| assert!(worker.events.remove(out).is_some()));
    }
    let mut events = transfers();
    events.push(event("failed", "hardware", "conflict"));
    let explanation = explained(&run.manifest(events), &records);
    for found in &explanation.events {
        assert!((found.cost.as_ref().unwrap().median - 15.0).abs() < 0.5, "{found:?}");
        assert_eq!(found.cost.as_ref().unwrap().independent, 8);
    }
    assert_eq!(explanation.rising_with_it.len(), 1);
}

#[test]
fn nothing_lost_and_too_few_say_so() {
    let flat = Known { ns: &[20.0; 5], rates: &[("store-transfer", &TRANSFERS)], repetitions: 12, noise: 0.01 };
    let explanation = explained(&flat.manifest(transfers()), &flat.records());
    assert_eq!(explanation.verdict, Explained::NothingLost, "{}", explanation.sentence);
    let two = Known { ns: &LINEAR[..3], rates: &[("store-transfer", &TRANSFERS)], repetitions: 12, noise: 0.01 };
    let explanation = explained(&two.manifest(transfers()), &two.records());
    assert_eq!(explanation.verdict, Explained::TooFew);
    assert!(explanation.sentence.contains("store-transfer has 2 comparisons"), "{}", explanation.sentence);
    assert!(explanation.sentence.ends_with("as `hitm run rng/shared-state` does."), "{}", explanation.sentence);
    assert!(of(&explanation, "store-transfer").share.is_none());
    let mut once = linear(0.01);
    once.repetitions = 2;
    let explanation = explained(&once.manifest(transfers()), &once.records());
    assert_eq!(explanation.verdict, Explained::TooFew, "{}", explanation.sentence);
    // Sixteen times the same loss is one.
    let same =
        Known { ns: &[20.0, 50.0, 50.0, 50.0], rates: &[("store-transfer", &[0.0, 2.0, 2.0, 2.0])], ..linear(0.01) };
    let explanation = explained(&same.manifest(transfers()), &same.records());
    assert_eq!(explanation.verdict, Explained::TooFew, "{}", explanation.sentence);
    assert!(
        explanation.sentence.contains("More cells that differ in both would tell: vary"),
        "{}",
        explanation.sentence
    );
}

#[test]
fn without_a_baseline_the_fastest_cell_is_one_and_named() {
    let run = linear(0.01);
    let mut manifest = run.manifest(transfers());
    manifest.compare.baseline.clear();
    let explanation = explained(&manifest, &run.records());
    assert_eq!(explanation.fastest.as_deref(), Some("cell-0"));
    assert!(explanation.sentence.contains("of the loss against cell-0, the fastest"), "{}", explanation.sentence);
}

/// Cells with longer work lose nothing to sharing by it.
#[test]
fn without_a_baseline_cells_are_held_against_the_same_with_one_worker() {
    let (mut cells, mut ns, mut rates) = (Vec::new(), Vec::new(), Vec::new());
    for work in [0, 500] {
        for workers in [1, 2, 3, 4] {
            let transfers = if workers == 1 { 0.0 } else { workers as f64 * 0.5 };
            cells.push(cell(workers, &[("work", work.into())]));
            ns.push(10.0 + work as f64 * 0.5 + transfers * 40.0);
            rates.push(transfers);
        }
    }
    let run = Known { ns: &ns, rates: &[("store-transfer", &rates)], repetitions: 12, noise: 0.002 };
    let mut manifest = run.manifest(transfers());
    manifest.compare.baseline.clear();
    manifest.cells = cells;
    let explanation = explained(&manifest, &run.records());
    assert!(explanation.alone && explanation.fastest.is_none() && explanation.comparisons == 6);
    assert!(explanation.sentence.contains("of the loss against one worker"), "{}", explanation.sentence);
    assert!(!explanation.sentence.contains("--baseline"), "{}", explanation.sentence);
    let found = of(&explanation, "store-transfer");
    let (cost, share) = (found.cost.as_ref().unwrap(), found.share.as_ref().unwrap());
    assert!((cost.median - 40.0).abs() < 1.0 && share.median > 0.95, "{found:?}");
    // Without cells of one worker the fastest it is, and the work is a loss as well.
    manifest.cells.iter_mut().for_each(|cell| {
        let more = cell.parameters["workers"].as_number().unwrap() as i64 + 1;
        cell.parameters.insert("workers".into(), more.into());
    });
    let explanation = explained(&manifest, &run.records());
    assert!(!explanation.alone && explanation.fastest.is_some(), "{}", explanation.sentence);
}

#[test]
fn time_saved_is_explained_as_well() {
    let ns = [110.0, 95.0, 65.0, 50.0, 35.0, 20.0];
    let rates = [6.0, 5.0, 3.0, 2.0, 1.0, 0.0];
    let run = Known { ns: &ns, rates: &[("store-transfer", &rates)], repetitions: 12, noise: 0.01 };
    let explanation = explained(&run.manifest(transfers()), &run.records());
    assert!(explanation.saved && explanation.sentence.contains("of the time saved"), "{}", explanation.sentence);
}

#[test]
fn a_run_that_asks_for_no_event_has_no_explanation() {
    let run = linear(0.0);
    assert_eq!(summarize(&run.manifest(vec![]), &run.records()).explanation, None);
    let without_records = summarize(&run.manifest(transfers()), &[]).explanation.unwrap();
    assert_eq!(without_records.verdict, Explained::NothingCounted);
    assert_eq!(without_records.events[0].standing, Standing::Absent);
}

#[test]
fn software_is_set_beside_and_never_explains_transfers() {
    let run = Known { ns: &LINEAR, rates: &[("context-switches", &TRANSFERS)], repetitions: 12, noise: 0.01 };
    for (kind, role) in [("software", "scheduling"), ("tracepoint", "scheduling"), ("", "scheduling")] {
        let explanation = explained(&run.manifest(vec![event("context-switches", kind, role)]), &run.records());
        assert_eq!((explanation.verdict, explanation.event.as_deref()), (Explained::NothingCounted, None));
        let found = of(&explanation, "context-switches");
        assert!(found.standing == Standing::Beside && found.share.is_none() && found.cost.is_none());
        assert!(found.over_cells.as_ref().unwrap().median > 0.99);
        let sentence = &explanation.sentence;
        assert!(sentence.starts_with("No hardware event was counted, so nothing here can explain transfers."));
        assert!(sentence.contains("Scheduling: context-switches rise with the time"), "{sentence}");
    }
}

#[test]
fn where_nothing_is_shared_no_event_is_missed() {
    let run = linear(0.01);
    let events = [event("context-switches", "software", "scheduling")];
    let said = |change: &dyn Fn(&mut Cell)| {
        let mut manifest = run.manifest(events.to_vec());
        manifest.cells.iter_mut().for_each(change);
        explained(&manifest, &run.records()).sentence
    };
    assert!(said(&|_| {}).starts_with("No hardware event"));
    assert_eq!(said(&|cell| cell.placement.pus.truncate(1)), "");
    assert_eq!(said(&|cell| cell.kernel = "keys/draw".into()), "");
    assert_eq!(said(&|cell| drop(cell.parameters.insert("state".into(), "thread-local".into()))), "");
    // One cell that shares is enough.
    let one_shares = |cell: &mut Cell| {
        let state = if cell.id == "cell-3" { "mutex" } else { "thread-local" };
        cell.parameters.insert("state".into(), state.into());
    };
    assert!(said(&one_shares).starts_with("No hardware event"));
}

#[test]
fn what_happens_so_often_a_second_does_not_rise_with_the_time() {
    let ticks = LINEAR.map(|ns| ns * 1e-3);
    let run = Known { ns: &LINEAR, rates: &[("context-switches", &ticks)], repetitions: 12, noise: 0.01 };
    let explanation =
        explained(&run.manifest(vec![event("context-switches", "software", "scheduling")]), &run.records());
    assert!(!explanation.sentence.contains("Scheduling"), "{}", explanation.sentence);
    // Nor does hardware that ticks explain anything.
    let explanation = explained(&run.manifest(vec![event("context-switches", "hardware", "memory")]), &run.records());
    let found = of(&explanation, "context-switches");
    assert!(found.standing == Standing::NoCause && found.why.contains("like a clock"), "{found:?}");
}

#[test]
fn time_by_another_name_is_no_candidate() {
    let run = Known { ns: &LINEAR, rates: &[("cycles", &LINEAR.map(|ns| ns * 4.0))], repetitions: 12, noise: 0.01 };
    let explanation = explained(&run.manifest(vec![event("cycles", "hardware", "cycles")]), &run.records());
    assert_eq!(of(&explanation, "cycles").standing, Standing::NoCause);
    assert_eq!(explanation.verdict, Explained::NothingCounted, "{}", explanation.sentence);
}

#[test]
fn counted_cycles_are_no_estimate() {
    let cycles = LINEAR.map(|ns| ns * 3.0);
    let rates: [(&str, &[f64]); 2] = [("store-transfer", &TRANSFERS), ("cycles", &cycles)];
    let run = Known { ns: &LINEAR, rates: &rates, repetitions: 12, noise: 0.0 };
    let mut events = transfers();
    events.push(event("cycles", "hardware", "cycles"));
    let explanation = explained(&run.manifest(events), &run.records());
    let cost = of(&explanation, "store-transfer").cost_cycles.clone().unwrap();
    assert!(cost.unit == "cycles" && (cost.median - 45.0).abs() < 0.1, "{cost:?}");
}
