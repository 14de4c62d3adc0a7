//! What an explanation says of costs that cannot be, of symptoms, and of events that nobody has described.

use hitm_analysis::explain::MOST_TRANSFER_NS;
use hitm_analysis::{Explained, Part};
use hitm_experiment::Record;
use hitm_experiment::record::PingPong;

use crate::explain::{Known, LINEAR, TRANSFERS, event, explained, linear, of, transfers};
use crate::synthetic::TICKS_PER_NS;

/// As many transfers, one in so many of which is counted.
fn seldom(one_in: f64) -> [f64; 6] {
    TRANSFERS.map(|rate| rate / one_in)
}

/// The records with a ping-pong of that round trip around each trial, nanoseconds.
fn with_round_trip(mut records: Vec<Record>, ns: f64) -> Vec<Record> {
    for record in &mut records {
        let chunks = vec![(ns * 100.0 * TICKS_PER_NS) as u64; 3];
        let ping_pong = Some(PingPong { pus: [0, 1], round_trips: 100, chunks });
        (record.before.ping_pong, record.after.ping_pong) = (ping_pong.clone(), ping_pong);
    }
    records
}

#[test]
fn a_cost_above_what_a_transfer_can_take_is_told() {
    // 15 ns each, one in a hundred counted: 1500 ns, and two workers may take 1000.
    let rates = seldom(100.0);
    let run = Known { rates: &[("store-transfer", &rates)], ..linear(0.01) };
    let explanation = explained(&run.manifest(transfers()), &run.records());
    assert_eq!(explanation.event.as_deref(), Some("store-transfer"));
    // And explains nothing.
    assert_eq!(explanation.verdict, Explained::Unexplained);
    for sentence in [&explanation.sentence, &explanation.short] {
        let starts = "No event explains it: of 1 candidate, store-transfer comes nearest and would account for ";
        assert!(sentence.starts_with(starts), "{sentence}");
    }
    let sentence = &explanation.sentence;
    assert!(sentence.contains("more than a transfer can (1000 ns: the most that one is known to take"), "{sentence}");
    assert!(sentence.contains("it stands for something that is counted less often than it happens."), "{sentence}");
    // At what a transfer may cost nothing is said.
    let rates = seldom(MOST_TRANSFER_NS / LINEAR[0]);
    let run = Known { rates: &[("store-transfer", &rates)], ..linear(0.01) };
    let explanation = explained(&run.manifest(transfers()), &run.records());
    assert_eq!(of(&explanation, "store-transfer").too_dear, "");
    assert!(!explanation.sentence.contains("more than"), "{}", explanation.sentence);
}

#[test]
fn a_ping_pong_of_the_run_is_the_measure_of_what_a_transfer_can_take() {
    let rates = seldom(20.0);
    let run = Known { rates: &[("store-transfer", &rates)], ..linear(0.01) };
    let dear = |ns: f64| {
        let explanation = explained(&run.manifest(transfers()), &with_round_trip(run.records(), ns));
        of(&explanation, "store-transfer").too_dear.clone()
    };
    // 300 ns each.
    assert!(dear(100.0).contains("200 ns: the ping-pong round trip, 100 ns for each of 2 workers"), "{}", dear(100.0));
    assert_eq!(dear(200.0), "");
    // An access to memory may take longer than a line from a near cache.
    let memory = vec![event("store-transfer", "hardware", "memory")];
    let explanation = explained(&run.manifest(memory), &with_round_trip(run.records(), 100.0));
    assert_eq!(of(&explanation, "store-transfer").too_dear, "");
}

#[test]
fn what_costs_too_much_gives_way_to_what_may_cost_that() {
    let (rare, all) = (seldom(1000.0), TRANSFERS.map(|rate| rate + if rate == 2.0 { 0.4 } else { 0.0 }));
    let run =
        Known { ns: &LINEAR, rates: &[("a-rare-conflict", &rare), ("lock-loads", &all)], repetitions: 12, noise: 0.05 };
    let events = vec![event("a-rare-conflict", "hardware", "conflict"), event("lock-loads", "hardware", "locks")];
    let explanation = explained(&run.manifest(events.clone()), &run.records());
    assert_eq!(explanation.event.as_deref(), Some("lock-loads"), "{}", explanation.sentence);
    let (a, b) = (of(&explanation, "a-rare-conflict"), of(&explanation, "lock-loads"));
    assert!(!a.too_dear.is_empty() && b.too_dear.is_empty());
    assert_eq!(explanation.sentence.matches("a-rare-conflict").count(), 1, "{}", explanation.sentence);
    assert!(explanation.rising_with_it.is_empty() && !explanation.sentence.contains("is not told"));
    // A bus lock may.
    let mut events = events;
    events[0].name = "bus-locks".into();
    let mut records = run.records();
    for worker in records.iter_mut().flat_map(|record| &mut record.workers) {
        let count = worker.events.remove("a-rare-conflict").unwrap();
        worker.events.insert("bus-locks".into(), count);
    }
    assert_eq!(of(&explained(&run.manifest(events), &records), "bus-locks").too_dear, "");
}

#[test]
fn beside_a_symptom_stands_the_best_cause_or_that_there_is_none() {
    let stalls = LINEAR.map(|ns| (ns - 18.0) * 4.0);
    // Follows the time in the half of the cells.
    let some = [0.0, 0.0, 2.0, 3.0, 0.0, 6.0];
    let run = Known {
        ns: &LINEAR,
        rates: &[("stalls-total", &stalls), ("load-transfer-far", &some)],
        repetitions: 12,
        noise: 0.002,
    };
    let mut events = vec![event("stalls-total", "hardware", "stall")];
    let alone = explained(&run.manifest(events.clone()), &run.records());
    assert_eq!(of(&alone, "stalls-total").part, Part::Symptom);
    assert!(alone.sentence.contains("not why: no cause was counted."), "{}", alone.sentence);
    events.push(event("load-transfer-far", "hardware", "transfer"));
    let both = explained(&run.manifest(events), &run.records());
    assert_eq!(both.event.as_deref(), Some("stalls-total"), "{}", both.sentence);
    let said = "Stalls are where the time goes, not why: the best cause is load-transfer-far, 6";
    assert!(both.sentence.contains(said), "{}", both.sentence);
}

#[test]
fn a_stalled_cycle_costs_no_more_than_a_cycle() {
    let stalls = LINEAR.map(|ns| (ns - 18.0) * 0.4);
    let run = Known { rates: &[("stalls-total", &stalls)], ..linear(0.01) };
    let explanation = explained(&run.manifest(vec![event("stalls-total", "hardware", "stall")]), &run.records());
    assert!(
        explanation.sentence.contains("and a cycle costs one: it stands for something"),
        "{}",
        explanation.sentence
    );
    assert_eq!(explanation.verdict, Explained::Unexplained);
}

/// One whose cost cannot be never explains, whatever else there is: a possible one does where it accounts for enough, though its share be
/// far lower; else that comes nearest.
#[test]
fn a_cost_that_cannot_be_gives_way_even_where_shares_are_apart() {
    let rare = seldom(1000.0);
    let told = |other: [f64; 6]| {
        let rates: [(&str, &[f64]); 2] = [("store-transfer", &rare), ("lock-loads", &other)];
        let run = Known { ns: &LINEAR, rates: &rates, repetitions: 12, noise: 0.002 };
        let mut events = transfers();
        events.push(event("lock-loads", "hardware", "locks"));
        explained(&run.manifest(events), &run.records())
    };
    let most = told([0.0, 1.0, 0.0, 3.0, 4.0, 6.0]);
    assert_eq!((most.verdict, most.event.as_deref()), (Explained::Explained, Some("lock-loads")), "{}", most.sentence);
    assert!(
        of(&most, "store-transfer").share.as_ref().unwrap().low > of(&most, "lock-loads").share.as_ref().unwrap().high
    );
    let little = told([0.0, 1.0, 0.0, 3.0, 0.0, 0.0]);
    assert_eq!((little.verdict, little.event.as_deref()), (Explained::Unexplained, Some("lock-loads")));
    for part in
        ["lock-loads comes nearest with a cost that can be, and accounts for", " store-transfer would account for"]
    {
        assert!(little.short.contains(part), "{}", little.short);
    }
}

/// Without an interval, or with one of no width, nobody knows how far a share would be off: a hair decides nothing.
#[test]
fn a_symptom_never_beats_a_cause_by_a_hair() {
    let stalls = LINEAR.map(|ns| (ns - 20.0) * 4.0);
    let mut transfers_of = TRANSFERS;
    transfers_of[2] += 0.02;
    let mut events = transfers();
    events.push(event("stalls-total", "hardware", "stall"));
    for (repetitions, noise) in [(12, 0.0), (4, 0.001)] {
        let rates: [(&str, &[f64]); 2] = [("store-transfer", &transfers_of), ("stalls-total", &stalls)];
        let run = Known { ns: &LINEAR, rates: &rates, repetitions, noise };
        let mut manifest = run.manifest(events.clone());
        let told = explained(&manifest, &run.records());
        if told.verdict != Explained::TooFew {
            assert_eq!(told.event.as_deref(), Some("store-transfer"), "{}", told.sentence);
        }
        // Nor where the clock of the cores is not known, so that there is no cost in cycles: the share has its interval all the same.
        manifest.calibration.cycles_per_step = None;
        let told = explained(&manifest, &run.records());
        let share = of(&told, "store-transfer").share.as_ref();
        assert!(repetitions < 5 || share.is_some_and(|share| share.coverage > 0.9), "{share:?}");
        assert!(told.event.is_none_or(|event| event == "store-transfer"), "{}", told.sentence);
    }
}

#[test]
fn of_a_code_nobody_described_nothing_is_known() {
    let mut raw = event("store-transfer", "hardware", "memory");
    raw.traps = "hitm knows no more of it than its code: look its meaning up in the maker's manual".into();
    let run = linear(0.01);
    let explanation = explained(&run.manifest(vec![raw]), &run.records());
    let found = of(&explanation, "store-transfer");
    assert_eq!(
        (found.part, found.role.as_str()),
        (Part::Unknown, "unknown"),
        "what stands for its role is no knowledge"
    );
    assert!(explanation.sentence.contains("hitm knows nothing of the meaning of store-transfer"));
}

#[test]
fn too_few_cells_are_told_once_for_all_events_and_with_a_cure() {
    let seven: Vec<String> = (0..7).map(|number| format!("event-{number}")).collect();
    let two = [0.0, 1.0];
    let rates: Vec<(&str, &[f64])> = seven.iter().map(|name| (name.as_str(), two.as_slice())).collect();
    let run = Known { ns: &LINEAR[..2], rates: &rates, repetitions: 12, noise: 0.01 };
    let events = seven.iter().map(|name| event(name, "hardware", "transfer")).collect();
    let explanation = explained(&run.manifest(events), &run.records());
    assert_eq!(explanation.verdict, Explained::TooFew);
    let sentence = &explanation.sentence;
    assert!(sentence.matches("comparison").count() == 1 && !sentence.contains("event-3"), "{sentence}");
    assert!(sentence.contains("`hitm run rng/shared-state`"), "{sentence}");
}
