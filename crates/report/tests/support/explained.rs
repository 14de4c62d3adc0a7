//! A made-up run whose loss is explained: states × workers at two amounts of work, with events of every sort, through `summarize`.

use hitm_analysis::summarize;
use hitm_experiment::manifest::{Cell, EventInfo, UnavailableInfo};
use hitm_experiment::record::EventCount;
use hitm_experiment::{Manifest, Record, Value};

use super::Run;

#[path = "../../../analysis/tests/laws/synthetic.rs"]
pub mod synthetic;

use synthetic::{Made, Noise, cell, compared, manifest};

const REPETITIONS: u32 = 14;

fn event(name: &str, kind: &str, role: &str) -> EventInfo {
    EventInfo {
        name: name.to_owned(),
        meaning: format!("what {name} counts"),
        kind: kind.to_owned(),
        role: role.to_owned(),
        unit: name.to_owned(),
        moved: Some(true),
        ..EventInfo::default()
    }
}

/// A cell's time beyond its work, and the transfers that it makes, per operation.
fn cost(state: &str, workers: i64, work: i64) -> (f64, f64) {
    let transfers = match (state, workers) {
        ("thread-local", _) | (_, 1) => 0.002,
        ("shared-racy", more) => 0.35 + 0.1 * more as f64,
        (_, more) => 0.9 + 0.22 * more as f64,
    };
    let other = if state == "mutex" && workers > 2 { 9.0 } else { 0.0 };
    (5.0 + work as f64 * 0.3 + transfers * 61.0 + other, transfers)
}

/// The cells of a run and what its trials count.
pub fn records(hardware: bool) -> (Manifest, Vec<Record>) {
    let mut cells: Vec<Cell> = Vec::new();
    for work in [0i64, 64] {
        for state in ["thread-local", "shared-racy", "mutex"] {
            for workers in [1, 2, 4, 8] {
                cells.push(cell(workers, &[("state", state.into()), ("work", work.into())]));
            }
        }
    }
    let mut records: Vec<Record> = Vec::new();
    let mut noise = Noise(3);
    for repetition in 0..REPETITIONS {
        for (index, cell) in cells.iter().enumerate() {
            let number = |name: &str| cell.parameters[name].as_number().unwrap() as i64;
            let Value::Text(state) = &cell.parameters["state"] else { continue };
            let (workers, work) = (number("workers"), number("work"));
            let (ns, transfers) = cost(state, workers, work);
            let made = Made::new(index, repetition, workers as usize, ns * noise.factor(0.03));
            let mut record = made.level(52.0, 52.0).record(records.len() as u64);
            let instructions = 12.0 + work as f64 + if state == "mutex" { 20.0 + 3.0 * workers as f64 } else { 0.0 };
            let mut rates = vec![("task-clock", ns)];
            if hardware {
                rates.extend([
                    ("store-transfer", transfers),
                    ("load-transfer-local", transfers * 0.8 + 0.05 * noise.unit()),
                    ("memory-ordering-clear", 0.01 * noise.unit()),
                    ("instructions", instructions),
                    ("stx-fail", 0.0),
                ]);
            }
            for worker in &mut record.workers {
                worker.events.clear();
                let switches = if workers > 4 { 60.0 } else { 20.0 } * noise.factor(0.2);
                let switches = EventCount { value: switches as u64, enabled_ns: 20_000_000, running_ns: 20_000_000 };
                worker.events.insert("context-switches".to_owned(), switches);
                for (name, rate) in &rates {
                    let value = (worker.operations as f64 * rate * noise.factor(0.02)).round() as u64;
                    worker.events.insert(
                        (*name).to_owned(),
                        EventCount { value, enabled_ns: 20_000_000, running_ns: 20_000_000 },
                    );
                }
            }
            records.push(record);
        }
    }
    let mut manifest = compared(manifest(cells), "state", "thread-local");
    manifest.name = "rng/shared-state".to_owned();
    manifest.question = "What does one shared generator state cost per draw, and which event explains it?".to_owned();
    let absent = |mut info: EventInfo, reason: &str| {
        info.unavailable = Some(UnavailableInfo { reason: reason.to_owned(), cure: "run on bare metal".to_owned() });
        info
    };
    let mut events = vec![
        event("store-transfer", "hardware", "transfer"),
        event("load-transfer-local", "hardware", "transfer"),
        event("load-transfer-remote", "hardware", "transfer"),
        event("memory-ordering-clear", "hardware", "conflict"),
        event("instructions", "hardware", "instructions"),
        event("stx-fail", "hardware", "conflict"),
    ];
    for (number, event) in events.iter_mut().enumerate() {
        event.moved = (event.name != "stx-fail").then_some(true);
        if !hardware || number == 2 {
            *event = absent(event.clone(), "this machine has no PMU");
        }
    }
    events.extend([event("context-switches", "software", "scheduling"), event("task-clock", "software", "time")]);
    manifest.events = events;
    (manifest, records)
}

/// The run.
pub fn explained() -> Run {
    let (manifest, records) = records(true);
    Run { summary: summarize(&manifest, &records), manifest }
}

/// The same on a machine without a PMU.
pub fn without_pmu() -> Run {
    let (manifest, records) = records(false);
    Run { summary: summarize(&manifest, &records), manifest }
}

/// The same without a baseline, each count a scaled estimate, and one cell that could not count.
pub fn multiplexed() -> Run {
    let (mut manifest, mut records) = records(true);
    manifest.compare.baseline.clear();
    for record in &mut records {
        for worker in &mut record.workers {
            worker
                .events
                .values_mut()
                .for_each(|count| (count.value, count.running_ns) = (count.value / 2, 10_000_000));
            if record.cell == 5 {
                worker.events.clear();
                worker.absent.insert("store-transfer".to_owned(), "permission denied".to_owned());
            }
        }
    }
    Run { summary: summarize(&manifest, &records), manifest }
}
