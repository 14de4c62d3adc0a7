//! A made-up run with hardware events, as a machine with a PMU might give it: what `examples/synthetic-counters` holds. Nothing in it
//! was measured.

use hitm_analysis::{Estimate, Summary, summarize};
use hitm_experiment::manifest::{Cell, EventInfo, Fact, FigureKind, FigureSpec, Stopped, UnavailableInfo};
use hitm_experiment::record::EventCount;
use hitm_experiment::{Manifest, Record};

use super::explained::synthetic::{CORE_GHZ, Made, Noise, cell, compared, manifest};

/// What was asked, as it lies in the folder.
pub const EXPERIMENT: &str = include_str!("../../../../examples/synthetic-counters/experiment.toml");

/// Said wherever the run is named.
const SYNTHETIC: &str = "synthetic: made up by a generator, no machine was measured";

const REPETITIONS: u32 = 8;
const ENABLED_NS: u64 = 20_000_000;
/// Nanoseconds of one transfer, and of a draw that needs none.
pub const TRANSFER_NS: f64 = 62.0;
const DRAW_NS: f64 = 21.0;

/// What makes the run.
const COMMAND: &str = "cargo run -p hitm-report --example synthetic-counters -- FOLDER";

/// Transfers and locked operations of one draw, and nanoseconds that neither of them tells.
fn draw(state: &str, workers: f64) -> (f64, f64, f64) {
    match state {
        "thread-local" => (0.001, 0.0, 0.0),
        "shared-racy" => (0.25 + 0.15 * workers, 0.0, 4.0),
        "shared-atomic" => (0.55 + 0.2 * workers, 1.0 + 0.1 * workers, 9.0),
        _ => (0.95 + 0.3 * workers, 2.0, 18.0),
    }
}

fn event(name: &str, role: &str, unit: &str, meaning: &str, traps: &str) -> EventInfo {
    EventInfo {
        name: name.into(),
        meaning: meaning.into(),
        kind: if role == "scheduling" { "software" } else { "hardware" }.into(),
        role: role.into(),
        unit: unit.into(),
        traps: traps.into(),
        source: SYNTHETIC.into(),
        moved: Some(true),
        ..EventInfo::default()
    }
}

fn events() -> Vec<EventInfo> {
    let loads = "loads only: stores that fight for a line do not show (see store-transfer)";
    let mut events = vec![
        event(
            "store-transfer",
            "transfer",
            "transfers",
            "stores that took a line modified in another core's cache",
            "",
        ),
        event("load-transfer-remote", "transfer", "transfers", "loads that another package's cache served", loads),
        event("lock-loads", "locks", "operations", "locked operations", "one on a line that is at hand counts as much"),
        event("stalls-total", "stall", "cycles", "cycles in which the thread got nothing done", "any reason counts"),
        event("memory-ordering-clears", "conflict", "clears", "times that the pipeline was emptied", ""),
        event("context-switches", "scheduling", "switches", "times that the thread was taken off its PU", ""),
    ];
    events[1].unavailable = Some(UnavailableInfo {
        reason: "this made-up machine has one package".into(),
        cure: "count load-transfer-local".into(),
    });
    events[1].moved = None;
    events[4].moved = Some(false);
    events
}

/// The run.
pub fn synthetic_counters() -> (Manifest, Vec<Record>) {
    let mut cells: Vec<Cell> = Vec::new();
    for state in ["thread-local", "shared-racy", "shared-atomic", "mutex"] {
        for workers in [2, 4] {
            cells.push(cell(workers, &[("state", state.into())]));
        }
    }
    let (mut records, mut noise) = (Vec::new(), Noise(11));
    for repetition in 0..REPETITIONS {
        for (index, cell) in cells.iter().enumerate() {
            let workers = cell.placement.pus.len();
            let (transfers, locks, other) = draw(&cell.parameters["state"].to_string(), workers as f64);
            let ns = (DRAW_NS + transfers * TRANSFER_NS + other) * noise.factor(0.02);
            let stalls = (0.2 * DRAW_NS + 0.9 * transfers * TRANSFER_NS) * CORE_GHZ;
            let round_trip = 118.0 * noise.factor(0.03);
            let mut record = Made::new(index, repetition, workers, ns).level(round_trip, round_trip).record(0);
            record.trial = records.len() as u64;
            for worker in &mut record.workers {
                worker.events.clear();
                // As its event counts: nobody waits asleep.
                worker.voluntary_switches = Some(0);
                let mut count = |name: &str, rate: f64| {
                    let value = (worker.operations as f64 * rate * noise.factor(0.02)).round() as u64;
                    let count = EventCount { value, enabled_ns: ENABLED_NS, running_ns: ENABLED_NS };
                    worker.events.insert(name.to_owned(), count);
                };
                count("store-transfer", transfers);
                count("lock-loads", locks);
                count("stalls-total", stalls);
                count("memory-ordering-clears", 0.0);
                count("context-switches", 0.0);
            }
            records.push(record);
        }
    }
    let truth = truth(&cells);
    let mut manifest = told(manifest(cells));
    manifest.reading = reading(truth, &summarize(&manifest, &records));
    (manifest, records)
}

/// The share of what the cells take more than their baselines that transfers take.
pub fn truth(cells: &[Cell]) -> f64 {
    let (mut all, mut transfers) = (0.0, 0.0);
    for cell in cells {
        let workers = cell.placement.pus.len() as f64;
        let (own, _, other) = draw(&cell.parameters["state"].to_string(), workers);
        let by_transfers = (own - draw("thread-local", workers).0) * TRANSFER_NS;
        (all, transfers) = (all + by_transfers + other, transfers + by_transfers);
    }
    transfers / all
}

/// What is true beside what is found, for whoever reads the run.
fn reading(truth: f64, summary: &Summary) -> String {
    let explanation = summary.explanation.as_ref().expect("it asks for events");
    let found = |event: &str| explanation.of(event).expect("it asks for it");
    let numbers = |estimate: &Option<Estimate>, unit: &str| {
        let estimate = estimate.as_ref().expect("it has one");
        let [median, low, high] = [estimate.median, estimate.low, estimate.high];
        let scale = if unit == "%" { 100.0 } else { 1.0 };
        format!("{:.0} {unit} [{:.0} … {:.0}]", median * scale, low * scale, high * scale)
    };
    format!(
        "No machine was measured: a generator (`{COMMAND}`) made the records up, so that one without a PMU can see what an explanation looks \
         like. Truth and finding, side by side: a transfer costs {TRANSFER_NS:.0} ns, found are {}; transfers take {:.0} % of the loss, found are \
         {}; locked operations cost nothing, found are {} of the loss. What the finding holds too much is up to 18 ns of a draw that no event \
         counts and that rise with the transfers: shares and costs are upper bounds.",
        numbers(&found("store-transfer").cost, "ns"),
        truth * 100.0,
        numbers(&found("store-transfer").share, "%"),
        numbers(&found("lock-loads").share, "%"),
    )
}

/// The manifest with what is said of the run.
fn told(manifest: Manifest) -> Manifest {
    let mut manifest = compared(manifest, "state", "thread-local");
    manifest.name = "synthetic-counters".into();
    manifest.question =
        "SYNTHETIC: which hardware event explains what one shared generator state costs per draw?".into();
    let fact = |name: &str, value: &str| Fact { name: name.into(), value: value.into() };
    manifest.machine = vec![fact("source", SYNTHETIC), fact("cpu model", "SYNTHETIC, no machine"), fact("pus", "4")];
    manifest.events = events();
    manifest.measure.events = manifest.events.iter().map(|event| event.name.clone()).collect();
    (manifest.measure.min_repetitions, manifest.measure.max_repetitions) = (REPETITIONS, REPETITIONS);
    manifest.measure.precision = 0.03;
    manifest.clock.source = SYNTHETIC.into();
    manifest.command = COMMAND.split(' ').map(str::to_owned).collect();
    manifest.sessions = vec![hitm_experiment::manifest::Session {
        started_unix_ms: 0,
        ended_unix_ms: Some(0),
        stopped: Some(Stopped::Repetitions),
        budget_ns: 60_000_000_000,
        precision: 0.03,
    }];
    manifest.figures = vec![FigureSpec {
        kind: FigureKind::Scatter,
        title: "SYNTHETIC: does store-transfer explain the time of a draw?".into(),
        y: "time_per_op".into(),
        x: "store-transfer_per_op".into(),
        series: "state".into(),
        panel: String::new(),
        only: Default::default(),
    }];
    manifest
}
