//! Runs made up for tests, benchmarks and the sample: no measurement, fixed numbers.
#![allow(dead_code)]

use std::collections::BTreeMap;

use hitm_analysis::summary::{PlacementSummary, TrialPoint};
use hitm_analysis::{CellSummary, Comparison, Estimate, Flag, Level, Summary, Verdict};
use hitm_experiment::manifest::*;
use hitm_experiment::{Parameters, Value};

pub mod counters;
pub mod explained;

/// A run: what it says and its manifest.
pub struct Run {
    pub summary: Summary,
    pub manifest: Manifest,
}

pub fn estimate(median: f64, half: f64, unit: &str) -> Estimate {
    Estimate {
        median,
        low: median - half,
        high: median + half * 1.3,
        unit: unit.to_owned(),
        n: 24,
        independent: 24,
        coverage: 0.957,
    }
}

pub fn flag(name: &str, meaning: &str) -> Flag {
    Flag { name: name.to_owned(), meaning: meaning.to_owned() }
}

pub fn parameters(pairs: &[(&str, Value)]) -> Parameters {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

/// A run without cells.
pub fn empty(name: &str, question: &str) -> Run {
    let fact = |name: &str, value: &str| Fact { name: name.to_owned(), value: value.to_owned() };
    let manifest = Manifest {
        schema: SCHEMA,
        name: name.to_owned(),
        question: question.to_owned(),
        reading: "Compare states at the same work: the extra cost is what sharing adds.".to_owned(),
        seed: 42,
        command: ["hitm", "run", name, "--budget", "90s"].map(str::to_owned).to_vec(),
        sessions: vec![Session {
            started_unix_ms: 1_796_053_235_000,
            ended_unix_ms: Some(1_796_053_324_000),
            stopped: Some(Stopped::Budget),
            budget_ns: 90_000_000_000,
            precision: 0.02,
        }],
        cells: Vec::new(),
        left_out: Vec::new(),
        measure: Measure {
            duration_ns: 25_000_000,
            warm_up_ns: 2_000_000,
            batch_ns: 20_000,
            precision: 0.02,
            budget_ns: 90_000_000_000,
            min_repetitions: 10,
            max_repetitions: 200,
            overlap: 0.95,
            retries: 0.2,
            events: vec!["cycles".to_owned(), "instructions".to_owned(), "context-switches".to_owned()],
            multiplex: false,
            samples: 4096,
        },
        compare: Compare {
            baseline: parameters(&[("state", "thread-local".into())]),
            metric: "time_per_op".to_owned(),
            headline: parameters(&[]),
            share_of: String::new(),
        },
        figures: Vec::new(),
        clock: ClockInfo { name: "tsc".to_owned(), hz: 2_596_000_000.0, source: "cpuid leaf 0x15".to_owned() },
        calibration: CalibrationInfo {
            steps: 1000,
            cycles_per_step: Some(1.0),
            source: "a chain of dependent additions".to_owned(),
        },
        events: vec![
            event("cycles", "core cycles", "cycles", Some("this virtual machine has no PMU")),
            event("instructions", "instructions retired", "instructions", Some("this virtual machine has no PMU")),
            event("context-switches", "switches away from the thread", "switches", None),
        ],
        passes: Vec::new(),
        tallies: Vec::new(),
        overheads: Overheads {
            clock_read_ns: 9.4,
            clock_step_ns: 0.39,
            empty_operation_ns: Some(0.31),
            counters_read_ns: None,
        },
        machine: vec![
            fact("cpu model", "AMD EPYC 9B14"),
            fact("kernel", "Linux 6.1.0"),
            fact("hypervisor", "KVM"),
            fact("pus", "2"),
            fact("governor", "unknown (not readable in this guest)"),
        ],
        line: LineSize { bytes: 64, source: "hwloc L1d".to_owned() },
        topology: Default::default(),
        findings: vec![
            finding("pmu", FindingLevel::Missing, "no PMU", "cycles are estimated", "run on bare metal"),
            finding("clock", FindingLevel::Good, "invariant TSC", "", ""),
        ],
        build: Build {
            version: "0.1.0".to_owned(),
            commit: "39b43af".to_owned(),
            compiler: "rustc 1.85.0".to_owned(),
            target: "x86_64-unknown-linux-gnu".to_owned(),
            profile: "release, opt-level 3".to_owned(),
            flags: String::new(),
            target_features: vec!["sse2".to_owned()],
        },
    };
    let summary = Summary {
        name: name.to_owned(),
        question: question.to_owned(),
        answer: "There is no answer yet: no cell was measured.".to_owned(),
        cells: Vec::new(),
        comparisons: Vec::new(),
        shares: Vec::new(),
        levels: vec![
            Level { name: "near".to_owned(), round_trip: estimate(62.4, 1.8, "ns"), share: 0.38 },
            Level { name: "far".to_owned(), round_trip: estimate(322.0, 4.0, "ns"), share: 0.6 },
        ],
        level: Some("far".to_owned()),
        trials: 0,
        granule: None,
        explanation: None,
        flags: Vec::new(),
        stopped: Some(Stopped::Budget),
        precision: Some(0.034),
    };
    Run { summary, manifest }
}

fn event(name: &str, meaning: &str, unit: &str, unavailable: Option<&str>) -> EventInfo {
    EventInfo {
        name: name.to_owned(),
        meaning: meaning.to_owned(),
        role: "scheduling".to_owned(),
        unit: unit.to_owned(),
        traps: String::new(),
        unavailable: unavailable
            .map(|reason| UnavailableInfo { reason: reason.to_owned(), cure: "run on bare metal".to_owned() }),
        ..EventInfo::default()
    }
}

fn finding(name: &str, level: FindingLevel, found: &str, effect: &str, cure: &str) -> Finding {
    let [name, found, effect, cure] = [name, found, effect, cure].map(str::to_owned);
    Finding { name, level, found, effect, cure }
}

impl Run {
    /// Adds a cell with its time per operation, or with none.
    pub fn cell(&mut self, varied: &[(&str, Value)], pus: &[u32], time: Option<Estimate>) -> &mut CellSummary {
        let index = self.summary.cells.len();
        let id = varied.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(",");
        let mut all = parameters(varied);
        for (name, value) in [("kernel", "rng/next".into()), ("placement", "cores".into())] {
            all.entry(name.to_owned()).or_insert(value);
        }
        all.entry("workers".to_owned()).or_insert((pus.len() as i64).into());
        self.manifest.cells.push(Cell {
            id: id.clone(),
            kernel: "rng/next".to_owned(),
            operation: "draw".to_owned(),
            parameters: all.clone(),
            varied: varied.iter().map(|(name, _)| (*name).to_owned()).collect(),
            placement: CellPlacement {
                policy: "cores".to_owned(),
                pus: pus.to_vec(),
                oversubscribed: false,
                cores: None,
            },
            arena: None,
            inputs: BTreeMap::new(),
        });
        let mut metrics = BTreeMap::new();
        let mut absent = BTreeMap::new();
        match time {
            Some(time) => {
                let workers = pus.len() as f64;
                let rate = |ns: f64| workers * 1e9 / ns;
                if time.median > 0.0 && time.low > 0.0 {
                    let rate = Estimate {
                        median: rate(time.median),
                        low: rate(time.high),
                        high: rate(time.low),
                        unit: "op/s".to_owned(),
                        ..time.clone()
                    };
                    metrics.insert("throughput".to_owned(), rate);
                }
                let cycles = Estimate {
                    median: time.median * 3.4,
                    low: time.low * 3.4,
                    high: time.high * 3.4,
                    unit: "cycles (estimated)".to_owned(),
                    ..time.clone()
                };
                metrics.insert("cycles_per_op_estimated".to_owned(), cycles);
                metrics.insert("time_per_op".to_owned(), time);
            }
            None => {
                absent.insert("time_per_op".to_owned(), "no operation was done".to_owned());
            }
        }
        absent.insert("cycles_per_op".to_owned(), "this virtual machine has no PMU".to_owned());
        self.summary.cells.push(CellSummary {
            id,
            index,
            kernel: "rng/next".to_owned(),
            operation: "draw".to_owned(),
            parameters: all,
            placement: PlacementSummary { policy: "cores".to_owned(), pus: pus.to_vec() },
            metrics,
            absent,
            time_by_level: BTreeMap::new(),
            breakdown: Vec::new(),
            observations: BTreeMap::new(),
            repetitions: 40,
            repetitions_at_level: 24,
            overlap: Some(0.98),
            verification: "exact".to_owned(),
            trials: trials(40, index as f64),
            flags: Vec::new(),
        });
        self.summary.trials += 40;
        &mut self.summary.cells[index]
    }

    /// Compares the cell with an earlier one by their times.
    pub fn compare(&mut self, cell: usize, baseline: usize) {
        let time = |index: usize| self.summary.cells[index].metrics["time_per_op"].clone();
        let (a, b) = (time(cell), time(baseline));
        let difference =
            Estimate { median: a.median - b.median, low: a.low - b.high, high: a.high - b.low, ..a.clone() };
        let ratio = Estimate {
            median: a.median / b.median,
            low: a.low / b.high,
            high: a.high / b.low,
            unit: String::new(),
            ..a.clone()
        };
        let verdict = match () {
            () if ratio.low > 1.0 => Verdict::Slower,
            () if ratio.high < 1.0 => Verdict::Faster,
            () => Verdict::NoCredibleChange,
        };
        let id = |index: usize| self.summary.cells[index].id.clone();
        let comparison = Comparison {
            cell: id(cell),
            baseline: id(baseline),
            metric: "time_per_op".to_owned(),
            level: Some("far".to_owned()),
            difference_by_level: [("far".to_owned(), difference.clone())].into(),
            ratio,
            difference,
            pairs: 24,
            verdict,
        };
        self.summary.comparisons.push(comparison);
    }
}

/// So many trials around a level that flips, without any randomness.
pub fn trials(number: u32, phase: f64) -> Vec<TrialPoint> {
    let point = |i: u32| {
        let wave = (f64::from(i) * 0.7 + phase).sin();
        let far = (i / 9) % 3 != 0;
        TrialPoint {
            counted: true,
            trial: u64::from(i),
            repetition: i,
            time_per_op: Some(if far { 118.0 } else { 24.0 } + 4.0 * wave),
            level: (i % 9 != 8).then(|| if far { "far" } else { "near" }.to_owned()),
            disturbed: i % 13 == 5,
        }
    };
    (0..number).map(point).collect()
}

/// One shared state against thread-local state: states × work × workers, with damage and flags.
pub fn shared_state() -> Run {
    let question = "What does one shared generator state cost per draw against thread-local state?";
    let mut run = empty("rng/shared-state", question);
    for workers in [1i64, 2] {
        for (work, extra) in [(0i64, 13.0), (64, 105.0), (256, 121.0)] {
            let base = run.summary.cells.len();
            let own = 5.4 + work as f64 * 0.34;
            for (state, cost) in [("thread-local", 0.0), ("shared-racy", 1.0), ("mutex", 1.7)] {
                let shared = if workers == 2 { extra * cost } else { 0.02 * cost };
                let time = estimate(own + shared, 0.02 * own + 0.04 * shared, "ns");
                let pus: Vec<u32> = (0..workers as u32).collect();
                let varied: [(&str, Value); 3] =
                    [("state", state.into()), ("work", work.into()), ("workers", workers.into())];
                let cell = run.cell(&varied, &pus, Some(time));
                if workers == 2 {
                    let share = if state == "shared-racy" { 0.36 / (1.0 + work as f64 / 40.0) } else { 0.0 };
                    let seen = Estimate { unit: "share".to_owned(), ..estimate(share, share * 0.1, "") };
                    cell.observations.insert("drawn-by-several-workers".to_owned(), seen);
                }
                if state == "shared-racy" && workers == 2 {
                    cell.flags.push(flag("lost-updates", "12.4 % of the updates were lost to races"));
                }
                if state == "mutex" {
                    cell.flags.push(flag("interrupted", "3 of its 40 trials were interrupted"));
                }
                let index = run.summary.cells.len() - 1;
                if index != base {
                    run.compare(index, base);
                }
            }
        }
    }
    run.summary.answer =
        "At 2 workers and work=256 shared-racy costs 121 ns [116 … 127] more per draw than thread-local, \
                          2.3× [2.2 … 2.4], at the far transfer level; mutex costs 206 ns [198 … 216] more."
            .to_owned();
    run.summary.flags.push(flag("levels-mixed", "trials held two transfer levels: far in 60 %, near in 38 %"));
    run
}

/// The cost of false sharing by stride.
pub fn stride() -> Run {
    let mut run = empty("sharing/stride", "At which stride do neighbouring counters stop sharing a line?");
    run.manifest.compare.baseline = parameters(&[("stride", 512i64.into())]);
    for (operation, scale) in [("fetch-add", 1.0), ("store", 0.35)] {
        let first = run.summary.cells.len();
        for stride in [512i64, 8, 16, 32, 64, 128, 256] {
            let time = if stride < 64 { 10.7 - stride as f64 * 0.02 } else { 2.2 } * scale;
            run.cell(
                &[("op", operation.into()), ("stride", stride.into())],
                &[0, 1],
                Some(estimate(time, time * 0.05, "ns")),
            );
        }
        for index in first + 1..first + 7 {
            run.compare(index, first);
        }
    }
    run
}

/// Round trips between pairs of PUs, with every seventh pair missing where asked.
pub fn pairs(number: u32, holes: bool) -> Run {
    let mut run = empty("latency/core-to-core", "Which PUs are near each other?");
    run.manifest.compare = Compare::default();
    for a in 0..number {
        for b in a + 1..number {
            if holes && (a * 31 + b) % 7 == 3 {
                continue;
            }
            let (base, relation) = match (a / 2 == b / 2, a / 8 == b / 8) {
                (true, _) => (14.0, "same-core"),
                (_, true) => (58.0, "shared-l3"),
                _ => (312.0, "across-packages"),
            };
            let time = base + f64::from((a * 7 + b * 3) % 11);
            let pus = format!("{a}+{b}");
            let parameters = [("relation", relation.into()), ("pus", pus.as_str().into())];
            run.cell(&parameters, &[a, b], Some(estimate(time, 1.5, "ns")));
        }
    }
    run
}

/// Throughput and cost against many worker numbers.
pub fn workers() -> Run {
    let mut run = empty("locks/managers", "Which lock manager keeps up with more workers?");
    run.manifest.compare = Compare::default();
    for (name, slope) in [("one-mutex", 90.0), ("sharded", 8.0), ("reader-writer", 35.0), ("optimistic", 1.5)] {
        for workers in [1i64, 2, 4, 8, 16, 32, 64, 96, 128, 192] {
            let time = 20.0 + slope * (workers as f64 - 1.0);
            let pus: Vec<u32> = (0..workers as u32).collect();
            run.cell(
                &[("manager", name.into()), ("workers", workers.into())],
                &pus,
                Some(estimate(time, time * 0.04, "ns")),
            );
        }
    }
    run
}

/// Names and values as nobody should choose them.
pub fn hostile() -> Run {
    let mut run = empty("<script>alert(1)</script>", "What of \"quotes\", <b>tags</b> & `ticks` | pipes?\u{1b}[31m");
    let names = [
        "<script>alert(1)</script>",
        "../../x",
        "\"a b\"",
        "",
        "*",
        "a-name-of-seventy-four-characters-that-says-far-more-than-anyone-can-read-at",
        "漢字の名前\u{202e}",
        "a|b\nc\u{1b}[2J",
    ];
    for (number, name) in names.into_iter().enumerate() {
        run.cell(&[("<i>", name.into())], &[0, 1], Some(estimate(5.0 + number as f64, 0.2, "ns")))
            .flags
            .push(flag("<u>flag</u>", "means </td></svg>"));
    }
    run.manifest.figures = ["../x", "", "*", "<script>", "../x"]
        .map(|title| FigureSpec {
            kind: FigureKind::Bars,
            title: title.to_owned(),
            y: "time_per_op".to_owned(),
            x: "<i>".to_owned(),
            series: String::new(),
            panel: String::new(),
            only: Parameters::new(),
        })
        .to_vec();
    run.compare(1, 0);
    run.manifest.command.push("it's $(rm -rf ~)".to_owned());
    run
}

/// Data with nothing to see: `(what it is, run)`.
pub fn degenerate() -> Vec<(&'static str, Run)> {
    let mut runs = Vec::new();
    let one_param = |values: &[(Value, Option<Estimate>)], name: &str| {
        let mut run = empty("degenerate", "What if?");
        for (value, time) in values {
            run.cell(&[(name, value.clone())], &[0, 1], time.clone());
        }
        run
    };
    let zero =
        Estimate { median: 0.0, low: 0.0, high: 0.0, unit: "ns".to_owned(), n: 1, independent: 1, coverage: 0.0 };
    runs.push(("no cells", empty("degenerate", "What if?")));
    let mut nothing_varies = empty("degenerate", "What if?");
    nothing_varies.cell(&[], &[0], Some(estimate(1.0, 0.1, "ns"))).id = "rng/next".to_owned();
    runs.push(("nothing varies", nothing_varies));
    runs.push(("one point", one_param(&[(8i64.into(), Some(estimate(2.0, 0.1, "ns")))], "workers")));
    let same = Some(Estimate { low: 3.0, high: 3.0, ..estimate(3.0, 0.0, "ns") });
    runs.push(("all equal", one_param(&[(1i64.into(), same.clone()), (2i64.into(), same)], "workers")));
    let zeros = (0..5i64).map(|i| (i.into(), Some(zero.clone()))).collect::<Vec<_>>();
    runs.push(("all zero", one_param(&zeros, "work")));
    let mixed =
        [(0i64.into(), Some(zero.clone())), (64i64.into(), Some(estimate(500.0, 2.0, "ns"))), (128i64.into(), None)];
    runs.push(("a zero beside large numbers", one_param(&mixed, "work")));
    runs.push(("none measured", one_param(&[(1i64.into(), None), (2i64.into(), None)], "workers")));
    let spread = [(1i64.into(), Some(estimate(1e-7, 1e-9, "ns"))), (2i64.into(), Some(estimate(3e12, 1e9, "ns")))];
    runs.push(("far apart", one_param(&spread, "workers")));
    let negative =
        [((-4i64).into(), Some(estimate(2.0, 0.1, "ns"))), (Value::Float(0.5), Some(estimate(4.0, 0.1, "ns")))];
    runs.push(("negative parameters", one_param(&negative, "offset")));
    let mut many = empty("degenerate", "What if?");
    for i in 0..130i64 {
        let name = format!("a-name-of-seventy-four-characters-that-says-far-more-than-anyone-can-read-{i}");
        many.cell(
            &[("name", name.as_str().into()), ("workers", (i % 5 + 1).into())],
            &[0, 1],
            Some(estimate(i as f64 + 1.0, 0.5, "ns")),
        );
    }
    runs.push(("many long names", many));
    let mut not_finite = one_param(
        &[(1i64.into(), Some(estimate(f64::NAN, f64::INFINITY, "ns"))), (2i64.into(), Some(estimate(2.0, 0.1, "ns")))],
        "workers",
    );
    not_finite.summary.precision = Some(f64::NAN);
    not_finite.manifest.clock.hz = 0.0;
    not_finite.manifest.overheads.clock_read_ns = f64::INFINITY;
    runs.push(("not finite", not_finite));
    let mut matrix = empty("degenerate", "Pairs without pairs?");
    matrix.manifest.figures = vec![FigureSpec {
        kind: FigureKind::Matrix,
        title: String::new(),
        y: "time_per_op".to_owned(),
        x: String::new(),
        series: String::new(),
        panel: String::new(),
        only: Parameters::new(),
    }];
    matrix.cell(&[("workers", 1i64.into())], &[0], Some(estimate(2.0, 0.1, "ns")));
    runs.push(("a matrix without pairs", matrix));
    runs.push(("one pair", pairs(2, false)));
    runs
}
