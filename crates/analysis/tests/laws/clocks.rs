//! Time by another name never explains a loss, and of causes that are as good the nearest is named.

use hitm_analysis::{Explained, Standing};

use crate::explain::{Known, LINEAR, TRANSFERS, event, explained, linear, of, transfers};

/// Cycles whose clock slows down in the slow cells, as it does where more cores are busy.
fn slowing() -> [f64; 6] {
    let mut cycles = LINEAR.map(|ns| ns * 3.0);
    cycles.iter_mut().enumerate().for_each(|(i, cycles)| *cycles *= 1.0 - 0.06 * i as f64);
    cycles
}

#[test]
fn what_counts_as_cycles_do_is_no_candidate_whatever_the_clock() {
    let cycles = slowing();
    let rates: [(&str, &[f64]); 3] = [("r003c", &cycles), ("cycles", &cycles), ("store-transfer", &TRANSFERS)];
    let run = Known { ns: &LINEAR, rates: &rates, repetitions: 12, noise: 0.01 };
    let mut events = transfers();
    events.extend([event("r003c", "hardware", "memory"), event("cycles", "hardware", "cycles")]);
    let explanation = explained(&run.manifest(events), &run.records());
    let found = of(&explanation, "r003c");
    assert!(found.standing == Standing::NoCause && found.why.contains("one of cycles"), "{found:?}");
    assert_eq!(explanation.event.as_deref(), Some("store-transfer"), "{}", explanation.sentence);
}

#[test]
fn an_event_with_the_code_of_cycles_is_cycles() {
    let cycles = slowing();
    let run = Known { ns: &LINEAR, rates: &[("r003c", &cycles)], repetitions: 12, noise: 0.01 };
    let (mut raw, mut known) = (event("r003c", "hardware", "memory"), event("cycles", "hardware", "cycles"));
    (raw.codes, known.codes) = (vec!["cpu/config=0x3c/".into()], vec!["cpu/config=0x3c/".into()]);
    let explanation = explained(&run.manifest(vec![raw, known]), &run.records());
    let found = of(&explanation, "r003c");
    assert!(found.standing == Standing::NoCause && found.why.contains("cycles by another name"), "{found:?}");
}

/// The processor's own clock is one in a run of two cells too, and by its name in one of a single cell.
#[test]
fn a_clock_is_no_candidate_in_a_short_run() {
    let ticks = LINEAR.map(|ns| ns * 2.5);
    for (name, cells) in [("a-clock", 2), ("msr/tsc/", 1), ("msr/mperf/", 1), ("r0", 1)] {
        let run = Known { ns: &LINEAR[..cells], rates: &[(name, &ticks[..cells])], repetitions: 3, noise: 0.0 };
        let mut clock = event(name, "other", "memory");
        if name == "r0" {
            clock.codes = vec!["msr/config=0x0/".into()];
        }
        let explanation = explained(&run.manifest(vec![clock]), &run.records());
        assert_eq!(of(&explanation, name).standing, Standing::NoCause, "{name} {}", explanation.sentence);
    }
}

/// Under load an operation takes longer than its worker runs; a counter stands still meanwhile.
#[test]
fn a_clock_is_held_against_how_long_it_was_enabled() {
    let run = Known { ns: &LINEAR, rates: &[("lock-loads", &LINEAR)], repetitions: 12, noise: 0.01 };
    let mut records = run.records();
    for record in &mut records {
        let ran = [1.0, 0.5, 0.9, 0.6, 1.0, 0.7][record.cell];
        for count in record.workers.iter_mut().flat_map(|worker| worker.events.values_mut()) {
            for part in [&mut count.value, &mut count.enabled_ns, &mut count.running_ns] {
                *part = (*part as f64 * ran) as u64;
            }
        }
    }
    let explanation = explained(&run.manifest(vec![event("lock-loads", "hardware", "locks")]), &records);
    let found = of(&explanation, "lock-loads");
    assert!(found.standing == Standing::NoCause && found.why.contains("nanosecond"), "{found:?}");
    assert_eq!(explanation.event, None);
}

/// Where nearly all time is transfers they are as many a nanosecond in every slow cell, but not in the fast one.
#[test]
fn a_cause_that_takes_nearly_all_the_time_stays_one() {
    let ns = [5.0, 60.0, 120.0, 180.0, 240.0, 360.0].map(|ns| ns + 1.0);
    let cycles = ns.map(|ns| ns * 3.0);
    let rates: [(&str, &[f64]); 2] = [("store-transfer", &TRANSFERS), ("cycles", &cycles)];
    let run = Known { ns: &ns, rates: &rates, repetitions: 12, noise: 0.01 };
    let mut events = transfers();
    events.push(event("cycles", "hardware", "cycles"));
    let explanation = explained(&run.manifest(events), &run.records());
    assert_eq!(explanation.event.as_deref(), Some("store-transfer"), "{}", explanation.sentence);
}

#[test]
fn transfers_are_named_before_locks_that_rise_with_them() {
    for role in ["locks", "stall", "instructions", "memory"] {
        // A stalled cycle costs a cycle, a transfer sixty.
        let each = if role == "stall" { 60.0 } else { 1.0 };
        let locks = TRANSFERS.map(|rate| (rate + 1.0) * each);
        let run = Known {
            ns: &LINEAR,
            rates: &[("a-lock", &locks), ("store-transfer", &TRANSFERS)],
            repetitions: 12,
            noise: 0.01,
        };
        let mut events = vec![event("a-lock", "hardware", role)];
        events.extend(transfers());
        let explanation = explained(&run.manifest(events), &run.records());
        assert_eq!(explanation.event.as_deref(), Some("store-transfer"), "{role}: {}", explanation.sentence);
        assert_eq!(explanation.rising_with_it, ["a-lock"], "{role}");
    }
}

#[test]
fn chance_is_told_by_the_comparisons_that_changed() {
    // Four cells lose, five are as fast as their baseline.
    let ns = [20.0, 35.0, 50.0, 65.0, 80.0, 20.0, 20.0, 20.0, 20.0, 20.0];
    let rates = [0.0, 1.0, 2.0, 3.0, 4.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let other = [1.0, 0.3, 1.7, 0.2, 1.1, 0.4, 0.9, 0.6, 1.4, 0.8];
    let run = Known { ns: &ns, rates: &[("store-transfer", &rates), ("other", &other)], repetitions: 12, noise: 0.02 };
    let mut events = transfers();
    events.push(event("other", "hardware", "memory"));
    let explanation = explained(&run.manifest(events), &run.records());
    assert!((explanation.comparisons, explanation.changed) == (9, 4), "{}", explanation.sentence);
    assert!(explanation.sentence.contains("With 4 comparisons that changed and 2 candidates chance may do that."));
}

#[test]
fn without_a_baseline_the_cells_own_work_is_spoken_of() {
    let run = linear(0.01);
    let with = run.manifest(transfers());
    let mut without = with.clone();
    without.compare.baseline.clear();
    let told = |manifest| explained(manifest, &run.records());
    assert!(!told(&with).sentence.contains("(--baseline)"));
    let told = told(&without);
    assert!(told.verdict == Explained::Explained && told.sentence.contains("(--baseline)"), "{}", told.sentence);
}
