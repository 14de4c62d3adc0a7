//! A made-up run with hardware events, as a machine with a PMU might give it: what `examples/synthetic-counters` holds. Nothing in it
//! was measured.

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
const TRANSFER_NS: f64 = 62.0;
const DRAW_NS: f64 = 21.0;

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
    (told(manifest(cells)), records)
}

/// The manifest with what is said of the run.
fn told(manifest: Manifest) -> Manifest {
    let mut manifest = compared(manifest, "state", "thread-local");
    manifest.name = "synthetic-counters".into();
    manifest.question =
        "SYNTHETIC: which hardware event explains what one shared generator state costs per draw?".into();
    manifest.reading = "No machine was measured: a generator (`cargo run -p hitm-report --example synthetic-counters`) made the records up, so \
        that one without a PMU can see what an explanation looks like. It let a transfer cost 62 ns and added what no event counts; the share \
        and the cost above are what hitm finds in the records."
        .into();
    let fact = |name: &str, value: &str| Fact { name: name.into(), value: value.into() };
    manifest.machine = vec![fact("source", SYNTHETIC), fact("cpu model", "SYNTHETIC, no machine"), fact("pus", "4")];
    manifest.events = events();
    manifest.measure.events = manifest.events.iter().map(|event| event.name.clone()).collect();
    (manifest.measure.min_repetitions, manifest.measure.max_repetitions) = (REPETITIONS, REPETITIONS);
    manifest.measure.precision = 0.03;
    manifest.clock.source = SYNTHETIC.into();
    let command = "cargo run -p hitm-report --example synthetic-counters";
    manifest.command = command.split(' ').map(str::to_owned).collect();
    (manifest.build.version, manifest.build.commit) = ("of no version".into(), "synthetic".into());
    (manifest.build.target, manifest.build.profile) = ("no target".into(), "no profile".into());
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
