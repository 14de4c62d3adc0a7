//! Which event explains what was lost: made-up runs whose answer is known.

use hitm_analysis::{EventExplanation, Explained, Explanation, summarize};
use hitm_experiment::manifest::EventInfo;
use hitm_experiment::record::EventCount;
use hitm_experiment::{Manifest, Record};

use crate::synthetic::{CORE_GHZ, Made, Noise, cell, compared, manifest};

/// For how long the made-up trials count.
pub const ENABLED_NS: u64 = 20_000_000;

/// An event of a kind and role that was seen to move.
pub fn event(name: &str, kind: &str, role: &str) -> EventInfo {
    EventInfo {
        name: name.into(),
        kind: kind.into(),
        role: role.into(),
        unit: name.into(),
        moved: Some(true),
        ..EventInfo::default()
    }
}

/// What the cells of a made-up run take and count per operation, their baseline first.
pub struct Known<'a> {
    /// Nanoseconds per operation of each cell.
    pub ns: &'a [f64],
    /// Events per operation of each cell, by name.
    pub rates: &'a [(&'a str, &'a [f64])],
    pub repetitions: u32,
    /// The relative spread of the times and, apart from them, of the counts.
    pub noise: f64,
}

impl Known<'_> {
    pub fn manifest(&self, events: Vec<EventInfo>) -> Manifest {
        let cells = (0..self.ns.len()).map(|i| {
            let mut cell = cell(2, &[("sharing", (if i == 0 { "none" } else { "some" }).into())]);
            cell.id = format!("cell-{i}");
            if i > 0 {
                cell.parameters.insert("sharing".into(), format!("kind-{i}").as_str().into());
            }
            cell
        });
        let mut manifest = compared(manifest(cells.collect()), "sharing", "none");
        manifest.events = events;
        manifest
    }

    pub fn records(&self) -> Vec<Record> {
        let (mut records, mut noise) = (Vec::new(), Noise(5));
        for repetition in 0..self.repetitions {
            for (index, ns) in self.ns.iter().enumerate() {
                let made = Made::new(index, repetition, 2, ns * noise.factor(self.noise));
                let mut record = made.record(records.len() as u64);
                for worker in &mut record.workers {
                    worker.events.clear();
                    for (name, rates) in self.rates {
                        let value = (worker.operations as f64 * rates[index] * noise.factor(self.noise)) as u64;
                        worker.events.insert(
                            (*name).into(),
                            EventCount { value, enabled_ns: ENABLED_NS, running_ns: ENABLED_NS },
                        );
                    }
                }
                records.push(record);
            }
        }
        records
    }
}

pub fn explained(manifest: &Manifest, records: &[Record]) -> Explanation {
    let summary = summarize(manifest, records);
    assert!(summary.is_finite());
    summary.explanation.unwrap()
}

pub fn of<'a>(explanation: &'a Explanation, name: &str) -> &'a EventExplanation {
    explanation.of(name).unwrap()
}

pub const LINEAR: [f64; 6] = [20.0, 35.0, 50.0, 65.0, 80.0, 110.0];
/// One transfer every 15 ns beyond the first 20.
pub const TRANSFERS: [f64; 6] = [0.0, 1.0, 2.0, 3.0, 4.0, 6.0];

pub fn linear(noise: f64) -> Known<'static> {
    Known { ns: &LINEAR, rates: &[("store-transfer", &TRANSFERS)], repetitions: 12, noise }
}

pub fn transfers() -> Vec<EventInfo> {
    vec![event("store-transfer", "hardware", "transfer")]
}

#[test]
fn an_event_on_a_line_with_the_time_explains_it_all() {
    let run = linear(0.0);
    let explanation = explained(&run.manifest(transfers()), &run.records());
    let found = of(&explanation, "store-transfer");
    assert_eq!((explanation.verdict, explanation.event.as_deref()), (Explained::Explained, Some("store-transfer")));
    let close = |estimate: &Option<hitm_analysis::Estimate>, value: f64| {
        let estimate = estimate.as_ref().unwrap();
        assert!((estimate.median / value - 1.0).abs() < 1e-3 && estimate.coverage == 0.95, "{estimate:?}");
    };
    close(&found.cost, 15.0);
    close(&found.cost_cycles, 15.0 * CORE_GHZ);
    close(&found.share, 1.0);
    close(&found.over_cells, 1.0);
    close(&found.over_cells_pearson, 1.0);
    assert_eq!(found.cost_cycles.as_ref().unwrap().unit, "cycles (estimated)");
    // Values that are all the same have no interval to tell.
    let sentence = "store-transfer explains 100 % of the loss: 60.00 cycles (estimated) each, 15.00 ns.";
    assert!(explanation.sentence.starts_with(sentence), "{}", explanation.sentence);
    assert_eq!((explanation.comparisons, explanation.changed, explanation.fastest), (5, 5, None));
}

/// Ten cells lose 60 ns each, eight of them by four transfers of 15 ns; the rates that are near each other are of the two that pay
/// otherwise.
#[test]
fn four_fifths_are_four_fifths() {
    let ns = [20.0, 35.0, 50.0, 65.0, 80.0, 95.0, 110.0, 95.0, 20.0 + 75.0, 20.0 + 45.0];
    let transfers_of = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 5.0, 0.0, 0.0];
    // Lost: 15 + 30 + 45 + 60 + 75 + 90 + 75 = 390 by transfers, 120 by something else.
    let run = Known { ns: &ns, rates: &[("store-transfer", &transfers_of)], repetitions: 12, noise: 0.0 };
    let explanation = explained(&run.manifest(transfers()), &run.records());
    let found = of(&explanation, "store-transfer");
    let share = found.share.as_ref().unwrap();
    assert!((share.median - 390.0 / 510.0).abs() < 1e-3, "{share:?}");
    assert!((found.residual.as_ref().unwrap().median - 120.0 / 9.0).abs() < 0.05);
    assert!(explanation.sentence.contains("explains 76 %"), "{}", explanation.sentence);
}

#[test]
fn noise_widens_the_intervals_around_the_truth() {
    let run = linear(0.03);
    let explanation = explained(&run.manifest(transfers()), &run.records());
    let found = of(&explanation, "store-transfer");
    let (cost, share) = (found.cost.as_ref().unwrap(), found.share.as_ref().unwrap());
    assert!(cost.low < 15.0 && 15.0 < cost.high && cost.high - cost.low > 0.1, "{cost:?}");
    assert!(share.median > 0.9 && share.low < share.median && share.high <= 1.0, "{share:?}");
    assert_eq!((cost.n, cost.independent), (5, 12));
    let within = found.over_repetitions.as_ref().unwrap();
    assert!(within.low < 0.0 && within.high > 0.0, "noise of its own does not correlate: {within:?}");
}

#[test]
fn within_cells_only_what_moves_together_correlates() {
    let mut run = linear(0.0);
    run.repetitions = 30;
    let mut records = run.records();
    let mut noise = Noise(9);
    for record in &mut records {
        // Slower repetitions, by more transfers: as fast again, all in one.
        let factor = noise.factor(0.05);
        let made = Made::new(record.cell, record.repetition, 2, LINEAR[record.cell] * factor).record(record.trial);
        for (worker, new) in record.workers.iter_mut().zip(made.workers) {
            let rate = TRANSFERS[record.cell] * factor;
            worker.events.get_mut("store-transfer").unwrap().value = (rate * new.operations as f64) as u64;
            (worker.operations, worker.stretches) = (new.operations, new.stretches);
        }
    }
    let explanation = explained(&run.manifest(transfers()), &records);
    let within = of(&explanation, "store-transfer").over_repetitions.clone().unwrap();
    assert!(within.low > 0.7 && within.coverage == 0.95, "{within:?}");
}

#[test]
fn the_unit_of_an_event_changes_its_cost_and_nothing_else() {
    let (few, many) = (linear(0.02), linear(0.02));
    let few = explained(&few.manifest(transfers()), &few.records());
    let mut records = many.records();
    for worker in records.iter_mut().flat_map(|record| &mut record.workers) {
        worker.events.get_mut("store-transfer").unwrap().value *= 8;
    }
    let many = explained(&many.manifest(transfers()), &records);
    let (few, many) = (of(&few, "store-transfer"), of(&many, "store-transfer"));
    let ratio = few.cost.as_ref().unwrap().median / many.cost.as_ref().unwrap().median;
    assert!((ratio - 8.0).abs() < 1e-9);
    let (a, b) = (few.share.as_ref().unwrap(), many.share.as_ref().unwrap());
    assert!((a.median - b.median).abs() < 1e-9 && (a.low - b.low).abs() < 1e-9);
    assert_eq!(few.over_cells, many.over_cells);
}

#[test]
fn the_order_of_events_and_cells_does_not_matter() {
    let other = [0.5, 0.1, 0.7, 0.2, 0.9, 0.3];
    let run = Known {
        ns: &LINEAR,
        rates: &[("store-transfer", &TRANSFERS), ("other", &other)],
        repetitions: 10,
        noise: 0.02,
    };
    let events = || vec![event("store-transfer", "hardware", "transfer"), event("other", "hardware", "conflict")];
    let (manifest, records) = (run.manifest(events()), run.records());
    let before = explained(&manifest, &records);
    let mut turned = manifest.clone();
    turned.events.reverse();
    turned.cells.reverse();
    let mut turned_records = records.clone();
    for record in &mut turned_records {
        record.cell = manifest.cells.len() - 1 - record.cell;
    }
    let after = explained(&turned, &turned_records);
    assert_eq!((&before.sentence, &before.event), (&after.sentence, &after.event));
    for found in &before.events {
        let (a, b) = (found, of(&after, &found.name));
        for (a, b) in [(&a.cost, &b.cost), (&a.share, &b.share), (&a.over_cells, &b.over_cells)] {
            let (a, b) = (a.as_ref().unwrap(), b.as_ref().unwrap());
            assert!((a.median - b.median).abs() < 1e-9 && (a.low - b.low).abs() < 1e-9, "{a:?} {b:?}");
        }
    }
}

#[test]
fn of_two_that_rise_together_neither_is_taken_for_the_cause_alone() {
    let twice = TRANSFERS.map(|rate| rate * 2.0 + 0.1);
    let run = Known {
        ns: &LINEAR,
        rates: &[("store-transfer", &TRANSFERS), ("load-transfer-local", &twice)],
        repetitions: 12,
        noise: 0.01,
    };
    let mut events = transfers();
    events.push(event("load-transfer-local", "hardware", "transfer"));
    let explanation = explained(&run.manifest(events), &run.records());
    assert_eq!(explanation.rising_with_it.len(), 1, "{explanation:?}");
    assert!(explanation.sentence.contains("rises with store-transfer"), "{}", explanation.sentence);
}

#[test]
fn stalls_and_instructions_give_way_to_a_cause_that_is_as_good() {
    let stalls = LINEAR.map(|ns| (ns - 18.0) * 4.0);
    let run = Known {
        ns: &LINEAR,
        rates: &[("store-transfer", &TRANSFERS), ("stall-total", &stalls)],
        repetitions: 12,
        noise: 0.01,
    };
    let mut events = transfers();
    events.push(event("stall-total", "hardware", "stall"));
    let both = explained(&run.manifest(events.clone()), &run.records());
    assert_eq!(both.event.as_deref(), Some("store-transfer"), "{}", both.sentence);
    assert!(both.sentence.contains("rises with store-transfer, as a symptom does."), "{}", both.sentence);
    assert!(!both.sentence.contains("is not told"), "{}", both.sentence);
    let alone = explained(&run.manifest(events.split_off(1)), &run.records());
    assert!(alone.sentence.contains("not why: no cause was counted."), "{}", alone.sentence);
}

#[test]
fn an_event_that_does_not_follow_the_time_explains_nothing() {
    let flat = [1.0, 1.3, 0.8, 1.6, 1.1, 1.2];
    let run = Known { ns: &LINEAR, rates: &[("store-transfer", &flat)], repetitions: 12, noise: 0.01 };
    let explanation = explained(&run.manifest(transfers()), &run.records());
    assert_eq!(explanation.verdict, Explained::Unexplained, "{}", explanation.sentence);
    assert!(explanation.sentence.starts_with("No event explains it: of 1 candidate, store-transfer comes nearest"));
}
