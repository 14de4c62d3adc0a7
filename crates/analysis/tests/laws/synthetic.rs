//! Records and manifests made up from a few numbers, for tests and benches.
#![allow(dead_code)]

use std::collections::BTreeMap;

use hitm_experiment::manifest::*;
use hitm_experiment::record::*;
use hitm_experiment::{Manifest, Parameters, Value};

/// Ticks of the made-up clock in a nanosecond.
pub const TICKS_PER_NS: f64 = 2.5;

/// The made-up core clock, GHz.
pub const CORE_GHZ: f64 = 4.0;

/// SplitMix64 (Steele, Lea, Flood 2014): enough for made-up noise.
pub struct Noise(pub u64);

impl Noise {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Even in 0..1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A factor around 1, of this relative spread to either side.
    pub fn factor(&mut self, spread: f64) -> f64 {
        1.0 + spread * (2.0 * self.unit() - 1.0)
    }
}

/// A cell of that many workers with these parameters varied.
pub fn cell(workers: usize, varied: &[(&str, Value)]) -> Cell {
    let mut parameters: Parameters = varied.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let id = varied.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(",");
    parameters.insert("kernel".into(), "rng/next".into());
    parameters.insert("workers".into(), Value::Integer(workers as i64));
    Cell {
        id: format!("{id},workers={workers}"),
        kernel: "rng/next".into(),
        operation: "draw".into(),
        parameters,
        varied: varied.iter().map(|(name, _)| (*name).to_owned()).chain(["workers".to_owned()]).collect(),
        placement: CellPlacement {
            policy: "cores".into(),
            pus: (0..workers as u32).collect(),
            oversubscribed: false,
            cores: None,
        },
        arena: None,
        inputs: BTreeMap::new(),
    }
}

/// A run of these cells, with two events asked for, one of which cannot be counted.
pub fn manifest(cells: Vec<Cell>) -> Manifest {
    let event = |name: &str, unit: &str, unavailable: Option<UnavailableInfo>| EventInfo {
        name: name.into(),
        meaning: String::new(),
        role: String::new(),
        unit: unit.into(),
        traps: String::new(),
        unavailable,
        ..EventInfo::default()
    };
    let no_pmu = UnavailableInfo { reason: "this machine has no PMU".into(), cure: "run on bare metal".into() };
    Manifest {
        schema: 1,
        name: "synthetic".into(),
        question: "What does sharing cost?".into(),
        reading: String::new(),
        seed: 1,
        command: vec![],
        sessions: vec![],
        cells,
        left_out: Vec::new(),
        measure: Measure {
            duration_ns: 20_000_000,
            warm_up_ns: 0,
            batch_ns: 10_000,
            precision: 0.02,
            budget_ns: 60_000_000_000,
            min_repetitions: 8,
            max_repetitions: 1000,
            overlap: 0.95,
            retries: 0.25,
            events: vec!["page-faults".into(), "cycles".into()],
            multiplex: false,
            samples: 0,
        },
        compare: Compare { metric: "time_per_op".into(), ..Compare::default() },
        figures: vec![],
        clock: ClockInfo { name: "tsc".into(), hz: TICKS_PER_NS * 1e9, source: String::new() },
        calibration: CalibrationInfo { steps: 10_000, cycles_per_step: Some(1.0), source: "made up".into() },
        events: vec![event("page-faults", "faults", None), event("cycles", "cycles", Some(no_pmu))],
        passes: vec![],
        tallies: vec![],
        overheads: Overheads::default(),
        machine: vec![],
        line: LineSize { bytes: 64, source: "assumed".into() },
        topology: Default::default(),
        findings: vec![],
        build: Build {
            version: String::new(),
            commit: String::new(),
            compiler: String::new(),
            target: String::new(),
            profile: String::new(),
            flags: String::new(),
            target_features: vec![],
        },
    }
}

/// The same run with what its cells are compared with.
pub fn compared(mut manifest: Manifest, name: &str, value: impl Into<Value>) -> Manifest {
    manifest.compare.baseline = [(name.to_owned(), value.into())].into();
    manifest
}

/// What a made-up trial is to look like.
#[derive(Clone, Debug)]
pub struct Made {
    pub cell: usize,
    pub repetition: u32,
    pub attempt: u32,
    /// Nanoseconds an operation takes each worker while all run.
    pub ns: Vec<f64>,
    /// Nanoseconds an operation takes while another worker is held up.
    pub alone_ns: f64,
    /// The pieces of the trial, as shares of it, in which the last worker is held up.
    pub held_up: Vec<(f64, f64)>,
    /// The witnesses' round trips before and after, nanoseconds.
    pub round_trips: Option<[f64; 2]>,
    pub duration_ns: f64,
}

impl Made {
    /// A quiet trial of workers that take `ns` each.
    pub fn new(cell: usize, repetition: u32, workers: usize, ns: f64) -> Made {
        Made {
            cell,
            repetition,
            attempt: 0,
            ns: vec![ns; workers],
            alone_ns: ns,
            held_up: vec![],
            round_trips: None,
            duration_ns: 20e6,
        }
    }

    pub fn level(mut self, before: f64, after: f64) -> Made {
        self.round_trips = Some([before, after]);
        self
    }

    /// Its record, numbered as the next of these.
    pub fn into(self, records: &mut Vec<Record>) {
        let record = self.record(records.len() as u64);
        records.push(record);
    }

    pub fn record(&self, trial: u64) -> Record {
        let witness = |round_trip: Option<f64>| Witness {
            ping_pong: round_trip.map(|ns| PingPong {
                pus: [0, 1],
                round_trips: 100,
                chunks: [0.99, 1.0, 1.3].map(|factor| (ns * factor * 100.0 * TICKS_PER_NS) as u64).to_vec(),
            }),
            steal_ticks: Some(7),
            throttled_periods: Some(0),
        };
        Record {
            trial,
            cell: self.cell,
            repetition: self.repetition,
            attempt: self.attempt,
            purpose: Purpose::Timing,
            pass: 0,
            beside: 0,
            started_unix_ms: 0,
            took_ns: self.duration_ns as u64,
            before: witness(self.round_trips.map(|[before, _]| before)),
            after: witness(self.round_trips.map(|[_, after]| after)),
            workers: (0..self.ns.len()).map(|worker| self.worker(worker)).collect(),
            verification: Verification::Exact,
            observations: vec![],
            histograms: BTreeMap::new(),
        }
    }

    fn worker(&self, worker: usize) -> WorkerRecord {
        let held = worker + 1 == self.ns.len() && !self.held_up.is_empty();
        let tick = |share: f64| (share * self.duration_ns * TICKS_PER_NS) as u64;
        let mut edges = vec![0.0];
        edges.extend(self.held_up.iter().flat_map(|(from, to)| [*from, *to]));
        edges.push(1.0);
        let stretches: Vec<Stretch> = edges
            .chunks(2)
            .filter(|edge| edge[1] > edge[0])
            .map(|edge| Stretch {
                start_ticks: tick(edge[0]),
                end_ticks: tick(edge[1]),
                operations: ((edge[1] - edge[0]) * self.duration_ns / self.ns[worker]) as u64,
            })
            .collect();
        let out: f64 = self.held_up.iter().map(|(from, to)| to - from).sum();
        let alone = if held { 0 } else { (out * self.duration_ns / self.alone_ns) as u64 };
        let operations = stretches.iter().map(|stretch| stretch.operations).sum::<u64>() + alone;
        let calibration = (10_000.0 / CORE_GHZ * TICKS_PER_NS) as u64;
        let count = EventCount { value: 0, enabled_ns: 20_000_000, running_ns: 20_000_000 };
        WorkerRecord {
            pu: worker as u32,
            pinned: true,
            unpinned: String::new(),
            pu_at_start: Some(worker as u32),
            pu_at_end: Some(worker as u32),
            start_ticks: 0,
            end_ticks: tick(1.0),
            operations,
            checksum: "0123456789abcdef".into(),
            stretches,
            interruptions: if held { self.held_up.len() as u64 } else { 0 },
            interrupted_ticks: if held { tick(out) } else { 0 },
            voluntary_switches: Some(1),
            involuntary_switches: Some(if held { self.held_up.len() as u64 } else { 0 }),
            cpu_ns: None,
            run_delay_ns: None,
            tallies: BTreeMap::new(),
            calibration_before_ticks: calibration,
            calibration_after_ticks: calibration,
            pmu: String::new(),
            events: BTreeMap::from([("page-faults".to_owned(), count)]),
            absent: BTreeMap::new(),
        }
    }
}

/// A run as `rng/shared-state` makes it: shared and thread-local state at 1 and 2 workers, in blocks, at one level with noise.
pub fn shared_state(repetitions: u32, noise: &mut Noise) -> (Manifest, Vec<Record>) {
    let mut cells = Vec::new();
    for state in ["shared-racy", "thread-local"] {
        for workers in [1, 2] {
            cells.push(cell(workers, &[("state", state.into()), ("work", 64.into())]));
        }
    }
    let mut records = Vec::new();
    for repetition in 0..repetitions {
        for (index, (workers, ns)) in [(1, 36.0), (2, 148.0), (1, 36.0), (2, 36.0)].into_iter().enumerate() {
            let made = Made::new(index, repetition, workers, ns * noise.factor(0.02));
            made.level(52.0 * noise.factor(0.1), 52.0 * noise.factor(0.1)).into(&mut records);
        }
    }
    (compared(manifest(cells), "state", "thread-local"), records)
}

/// A large run: 100,000 records of a thousand cells of two workers, in a hundred blocks, at two levels, with what a busy machine
/// does to them.
pub fn large() -> (Manifest, Vec<Record>) {
    let mut cells = Vec::new();
    for work in 0..500 {
        for state in ["shared-racy", "thread-local"] {
            cells.push(cell(2, &[("state", state.into()), ("work", work.into())]));
        }
    }
    let (mut records, mut noise) = (Vec::new(), Noise(1));
    for block in 0..100 {
        for index in 0..cells.len() {
            let level = if noise.unit() < 0.2 { 315.0 } else { 52.0 };
            let mut made = Made::new(index, block, 2, 20.0 * noise.factor(0.1));
            if noise.unit() < 0.3 {
                made.held_up = vec![(0.2, 0.3), (0.5, 0.6)];
            }
            made.level(level * noise.factor(0.05), level * noise.factor(0.05)).into(&mut records);
        }
    }
    (compared(manifest(cells), "state", "thread-local"), records)
}
