//! All that must be known to read a run's records again: on any machine, years later.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::value::Parameters;

/// The version of the manifest's and the records' form that this crate writes.
pub const SCHEMA: u32 = 1;

/// What one run asked, on what machine, by which program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`SCHEMA`] of the program that wrote it.
    pub schema: u32,
    /// The experiment's name, such as `rng/shared-state`.
    pub name: String,
    /// The question, one sentence.
    pub question: String,
    /// How to read the answer, a few sentences.
    pub reading: String,
    /// The seed that everything random of ours is drawn from.
    pub seed: u64,
    /// The command line that made the run.
    pub command: Vec<String>,
    /// The sessions that measured: one, and one more for each `--resume`.
    pub sessions: Vec<Session>,
    /// The cells, in the order of their definition; a record names its cell by index.
    pub cells: Vec<Cell>,
    /// What the experiment asks for and the machine does not offer, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// The method's settings.
    pub measure: Measure,
    /// What the cells are compared with.
    pub compare: Compare,
    /// The figures asked for; empty leaves the choice to the report.
    pub figures: Vec<FigureSpec>,
    /// The clock that all ticks are of.
    pub clock: ClockInfo,
    /// The loop that tells the core's clock.
    pub calibration: CalibrationInfo,
    /// The events asked for, counted or not.
    pub events: Vec<EventInfo>,
    /// Which events are counted together: repetition `k` of a cell counts in pass `k` modulo their number, which its record names.
    /// Empty where none is counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passes: Vec<CountingPass>,
    /// What the kernels tell of their operations besides their number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tallies: Vec<TallyInfo>,
    /// What measuring itself costs here.
    pub overheads: Overheads,
    /// The machine's facts by name (`cpu model`, `kernel`, `hypervisor`, …), in the order to be shown.
    pub machine: Vec<Fact>,
    /// The size of a cache line that the arenas assumed, with its source.
    pub line: LineSize,
    /// The machine's topology, in the form of the `topology` crate.
    pub topology: serde_json::Value,
    /// What of this machine helps or hinders measuring.
    pub findings: Vec<Finding>,
    /// The program that measured.
    pub build: Build,
}

/// One stretch of measuring by one process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// Milliseconds since the Unix epoch.
    pub started_unix_ms: u64,
    /// Milliseconds since the Unix epoch; `None` while it runs, and for ever if it was killed.
    pub ended_unix_ms: Option<u64>,
    /// Why it ended.
    pub stopped: Option<Stopped>,
    /// The budget it was given, nanoseconds, over all sessions.
    pub budget_ns: u64,
    /// The relative precision it was asked for.
    pub precision: f64,
}

/// Why a session stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stopped {
    /// Every interval is inside the asked precision.
    Precision,
    /// The budget was used up first.
    Budget,
    /// The most repetitions allowed were made.
    Repetitions,
    /// A signal asked it to stop.
    Interrupted,
    /// An error ended it; what was measured stands.
    Failed,
}

/// One combination of the varied parameters, placed on this machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// The varied parameters as `name=value,…`, unique in the run; the kernel's name where nothing varies.
    pub id: String,
    /// The kernel's name, such as `rng/next`.
    pub kernel: String,
    /// What the kernel counts as one operation, such as `draw`.
    pub operation: String,
    /// All parameters: the kernel's own (defaults filled in), `kernel`, `placement` (the policy) and `workers`.
    pub parameters: Parameters,
    /// The names of the parameters that vary in this experiment.
    pub varied: Vec<String>,
    /// Where the workers run.
    pub placement: CellPlacement,
    /// The arena as it was laid out once before the first trial; `None` for a kernel that has none.
    pub arena: Option<ArenaInfo>,
    /// What its kernel reads that is no parameter, such as a file, by the parameter that names it: what tells it from others.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, String>,
}

/// The PUs of one cell's workers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellPlacement {
    /// The policy, such as `cores`, or the list as written.
    pub policy: String,
    /// The PU of each worker, by OS index; the index is the worker.
    pub pus: Vec<u32>,
    /// Whether there are more workers than PUs, so that some share one.
    pub oversubscribed: bool,
    /// On how many cores they are; `None` in manifests of versions that did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores: Option<usize>,
}

/// The memory that the workers of a cell share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArenaInfo {
    /// Its size in bytes.
    pub bytes: u64,
    /// The size of its pages in bytes, where the OS tells.
    pub page_bytes: Option<u64>,
    /// How many of its pages lie on which NUMA node; empty where the OS does not tell.
    pub pages_by_node: BTreeMap<u32, u64>,
}

/// The method's settings, as the experiment gives them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// How long a trial's timed stretch lasts, nanoseconds.
    pub duration_ns: u64,
    /// How long all workers run together before it, nanoseconds.
    pub warm_up_ns: u64,
    /// The time between two looks at the clock that a batch aims at, nanoseconds.
    pub batch_ns: u64,
    /// The relative half width of an interval at which it is known well enough, such as 0.02.
    pub precision: f64,
    /// Wall-clock time for all trials, nanoseconds.
    pub budget_ns: u64,
    /// The fewest repetitions of a cell, however precise.
    pub min_repetitions: u32,
    /// The most repetitions of a cell, however imprecise.
    pub max_repetitions: u32,
    /// The share of a trial in which all workers must have run undisturbed together for it not to be run again.
    pub overlap: f64,
    /// The most re-runs, as a share of all trials.
    pub retries: f64,
    /// The events to count, by name.
    pub events: Vec<String>,
    /// Whether events that do not fit the PMU at once take turns on it within a trial, so that their counts are estimates, rather than
    /// being counted in passes of their own.
    #[serde(default)]
    pub multiplex: bool,
    /// How many values each worker keeps in an observation trial; 0 for no such trials.
    pub samples: u64,
}

/// What the cells of a run are compared with.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Compare {
    /// The parameters that make a cell the baseline of those that share all its other parameters; empty for none.
    pub baseline: Parameters,
    /// The metric that the verdicts rest on, such as `time_per_op`.
    pub metric: String,
    /// The parameters of the cells that the one-sentence answer speaks of; empty for all.
    #[serde(default)]
    pub headline: Parameters,
    /// The numeric parameter whose least value leaves only the part of an operation that its share is asked of, such as `work`; empty
    /// for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub share_of: String,
}

/// One figure that an experiment asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FigureSpec {
    /// What kind of picture.
    pub kind: FigureKind,
    /// Its title, which states the question.
    pub title: String,
    /// The metric on the vertical axis, `extra` (the difference from the baseline) or an observation's name.
    pub y: String,
    /// The parameter on the horizontal axis, of a scatter plot the metric; empty for a heat map of PUs.
    pub x: String,
    /// The parameter that tells lines, bars or points apart; empty for one.
    pub series: String,
    /// One picture for each value of this parameter; empty for one picture.
    pub panel: String,
    /// Only cells with these parameters.
    pub only: Parameters,
}

/// The kinds of picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FigureKind {
    /// Lines with intervals over a numeric parameter.
    Curve,
    /// Bars with intervals over a parameter's values.
    Bars,
    /// A heat map of pairs of PUs.
    Matrix,
    /// A point a cell: one metric over another, such as time over an event.
    Scatter,
    /// A bar a cell, in the parts of its workers' time.
    Stack,
}

/// A clock, named with its tick.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClockInfo {
    /// `tsc`, `timebase`, `cntvct` or `os`.
    pub name: String,
    /// Its ticks per second.
    pub hz: f64,
    /// How the frequency is known.
    pub source: String,
}

/// The dependent-ALU loop whose time tells the core clock that a trial really had.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalibrationInfo {
    /// Steps of the chain in one timing.
    pub steps: u64,
    /// Core cycles a step takes; `None` where that is not known, so that no cycles are estimated.
    pub cycles_per_step: Option<f64>,
    /// Why that many.
    pub source: String,
}

/// An event asked for, and whether it can be counted here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventInfo {
    /// Its name as asked.
    pub name: String,
    /// What it counts, in a few words.
    pub meaning: String,
    /// Who counts it: `hardware`, `software`, `tracepoint` or `other`; empty in manifests of versions that did not say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// The part it plays in an explanation: `cycles`, `instructions`, `time`, `scheduling`, `memory`, `transfer`, `conflict`, `locks`,
    /// `stall` or `mode`.
    pub role: String,
    /// What one of it is, such as `cycles` or `ns`.
    pub unit: String,
    /// What its reading must not be taken for.
    pub traps: String,
    /// What is really counted, by PMU, as `perf` writes it, such as `cpu/config=0x1e058/`; more than one on hybrid processors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub codes: Vec<String>,
    /// Where the encoding is from, empty where the kernel defines it; or the call whose count stands in, and why it does.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// Whether it was seen to move when it was tried before the first trial: a zero of one that never moved is unverified. `None` where
    /// it was not tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<bool>,
    /// Why it cannot be counted here; `None` when it can.
    pub unavailable: Option<UnavailableInfo>,
}

/// What a kernel tells of its operations besides their number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TallyInfo {
    /// Its name, such as `deadlocks`.
    pub name: String,
    /// What it is, in a few words.
    pub meaning: String,
    /// What is told.
    pub form: TallyForm,
    /// Whether more of it is better.
    pub more_is_better: bool,
}

/// What is told of a tally.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TallyForm {
    /// How often it happened, by worker.
    Count,
    /// How many ticks of the run's clock it took, by worker.
    Ticks,
    /// The most that was seen at once, by worker.
    Most,
    /// How often it took how long, over all workers.
    Histogram,
}

/// Events that one trial counts together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountingPass {
    /// The names of the events asked for.
    pub events: Vec<String>,
    /// Encodings counted beside them because the PMU's rules want them; their counts are not kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub companions: Vec<String>,
}

/// Why an event cannot be counted, and what would permit it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnavailableInfo {
    /// Why.
    pub reason: String,
    /// What would permit it; empty when nothing would.
    pub cure: String,
}

/// What measuring costs on this machine, measured before the first trial.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Overheads {
    /// One look at the clock, nanoseconds.
    pub clock_read_ns: f64,
    /// The smallest step of the clock seen, nanoseconds.
    pub clock_step_ns: f64,
    /// One operation of the empty kernel, nanoseconds; `None` where it could not be run.
    pub empty_operation_ns: Option<f64>,
    /// One read of a worker's events, nanoseconds; `None` when none are counted.
    pub counters_read_ns: Option<f64>,
}

/// A fact of the machine in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// What it is about, such as `cpu model`.
    pub name: String,
    /// What it is; `unknown` with the reason where it could not be read.
    pub value: String,
}

/// The size of a cache line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineSize {
    /// In bytes.
    pub bytes: u64,
    /// Where that is from, such as `hwloc L1d` or `assumed`.
    pub source: String,
}

/// Something about the machine that matters to a measurement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What was looked at, such as `pmu` or `steal`.
    pub name: String,
    /// How it bears on measuring.
    pub level: FindingLevel,
    /// What was found.
    pub found: String,
    /// What it does to a measurement.
    pub effect: String,
    /// The command or setting that cures it; empty where there is nothing to cure or no cure.
    pub cure: String,
}

/// How a finding bears on measuring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingLevel {
    /// As it should be.
    Good,
    /// Worth knowing.
    Note,
    /// It makes numbers worse.
    Warning,
    /// Something cannot be measured at all.
    Missing,
}

/// The program that measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// hitm's version.
    pub version: String,
    /// The commit it was built from, where known.
    pub commit: String,
    /// The compiler, as `rustc -vV` names itself.
    pub compiler: String,
    /// The target triple.
    pub target: String,
    /// `release` or `debug`, with the optimisation level.
    pub profile: String,
    /// Compiler flags from the environment, such as `RUSTFLAGS`.
    pub flags: String,
    /// The target features it was compiled with.
    pub target_features: Vec<String>,
}
