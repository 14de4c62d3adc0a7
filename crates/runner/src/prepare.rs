//! What must be known before the first trial: the machine, what measuring costs on it, the arenas' pages; all for the manifest.

use std::collections::BTreeSet;
use std::thread;

use hitm_counters::{Calibration, Clock, Pass, ThreadEvents, measure_overhead, read_cost};
use hitm_experiment::Parameters;
use hitm_experiment::manifest::{
    ArenaInfo, Build, CalibrationInfo, Cell, CellPlacement, ClockInfo, Fact, Finding, FindingLevel, Manifest, Measure,
    Overheads, SCHEMA, TallyInfo,
};
use hitm_experiment::record::Purpose;
use hitm_experiment::{Place, Problem};
use hitm_kernels::overhead;
use hitm_machine::{pages, pin};
use hitm_topology::Topology;

use crate::error::guarded;
use crate::events;
use crate::resolve::{NOTHING, Resolved, ResolvedCell};
use crate::session::Interrupt;
use crate::trial::{Seeds, Trial, TrialError};
use crate::try_out::try_out;

/// What a manifest says that the runner does not know.
pub struct Setup {
    /// The experiment's name.
    pub name: String,
    /// The seed of the run.
    pub seed: u64,
    /// The command line.
    pub command: Vec<String>,
    /// The program.
    pub build: Build,
}

/// What the kernels of the cells tell, each name once.
fn tallies(cells: &[ResolvedCell]) -> Vec<TallyInfo> {
    let mut told: Vec<TallyInfo> = Vec::new();
    for tally in cells.iter().flat_map(|cell| cell.entry.tallies) {
        if told.iter().all(|known| known.name != tally.name) {
            told.push(tally.info());
        }
    }
    told
}

/// Measures what measuring costs, lays out each cell's arena once, and writes all down.
///
/// # Errors
/// The PUs that workers cannot be pinned to, where the experiment requires it; the cells whose kernel cannot lay out its arena, one problem each; events that
/// the kernel refuses together so often that they take more passes than there are repetitions.
pub fn manifest(
    resolved: &Resolved,
    clock: Clock,
    setup: Setup,
    interrupt: &Interrupt,
) -> Result<Manifest, Vec<Problem>> {
    let experiment = &resolved.experiment;
    let unpinnable = unpinnable(resolved);
    if !unpinnable.is_empty() {
        return Err(unpinnable);
    }
    let pus: Vec<u32> = resolved.cells.iter().flat_map(|cell| cell.placement.pus.iter().copied()).collect();
    let go_on = || interrupt.signal().is_none();
    let counted = try_out(&resolved.events, &resolved.counting, &resolved.topology, &pus, &go_on);
    events::fit_repetitions(experiment, &counted.passes).map_err(|problem| vec![problem])?;
    Ok(Manifest {
        schema: SCHEMA,
        name: setup.name,
        question: experiment.question.clone(),
        reading: experiment.reading.clone(),
        seed: setup.seed,
        command: setup.command,
        sessions: Vec::new(),
        cells: cells(resolved, clock, setup.seed)?,
        left_out: resolved.plan.left_out.clone(),
        measure: experiment.measure.clone(),
        compare: resolved.plan.compare.clone(),
        figures: resolved.plan.figures.clone(),
        clock: ClockInfo { name: clock.name().to_owned(), hz: clock.hz(), source: clock.source().to_owned() },
        calibration: CalibrationInfo {
            steps: Calibration::for_clock(&clock).steps(),
            cycles_per_step: Calibration::cycles_per_step(),
            source: Calibration::source().to_owned(),
        },
        tallies: tallies(&resolved.cells),
        overheads: overheads(resolved, &counted.passes, clock),
        passes: events::told(&counted.passes),
        events: counted.infos,
        machine: facts(&resolved.topology),
        line: resolved.line.clone(),
        topology: serde_json::to_value(&resolved.topology).unwrap_or_default(),
        findings: findings(&resolved.topology),
        build: setup.build,
    })
}

/// The PUs that workers cannot be pinned to, one problem each, where that is required.
fn unpinnable(resolved: &Resolved) -> Vec<Problem> {
    if !resolved.experiment.require_pinning {
        return Vec::new();
    }
    let pus: BTreeSet<u32> = resolved.cells.iter().flat_map(|cell| cell.placement.pus.iter().copied()).collect();
    let place = resolved.experiment.place("measure.require_pinning");
    let pin = |pu: u32| thread::spawn(move || pin::pin_current_thread(pu)).join();
    let problem = |pu: u32| match pin(pu) {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(Problem::new(place.clone(), error.message(), error.cure())),
        Err(_) => Some(Problem::new(place.clone(), format!("pinning to PU {pu} panicked"), "report this")),
    };
    pus.into_iter().filter_map(problem).collect()
}

/// What of this machine helps or hinders measuring, from all rooms that know.
pub fn findings(topology: &Topology) -> Vec<Finding> {
    let machine = hitm_machine::findings::findings(topology).into_iter().map(|finding| Finding {
        name: finding.name,
        level: match finding.level {
            hitm_machine::findings::Level::Good => FindingLevel::Good,
            hitm_machine::findings::Level::Note => FindingLevel::Note,
            hitm_machine::findings::Level::Warning => FindingLevel::Warning,
            hitm_machine::findings::Level::Missing => FindingLevel::Missing,
        },
        found: finding.found,
        effect: finding.effect,
        cure: finding.cure,
    });
    let counters = hitm_counters::findings().into_iter().map(|finding| Finding {
        name: finding.name,
        level: match finding.level {
            hitm_counters::Level::Good => FindingLevel::Good,
            hitm_counters::Level::Note => FindingLevel::Note,
            hitm_counters::Level::Warning => FindingLevel::Warning,
            hitm_counters::Level::Missing => FindingLevel::Missing,
        },
        found: finding.found,
        effect: finding.effect,
        cure: finding.cure,
    });
    machine.chain(counters).collect()
}

/// The machine's facts in words.
pub fn facts(topology: &Topology) -> Vec<Fact> {
    let facts = hitm_machine::fingerprint::facts(topology);
    facts.into_iter().map(|fact| Fact { name: fact.name, value: fact.value }).collect()
}

/// Cells whose arena is laid out beforehand. Of a plan with more the first are told: laying out takes some milliseconds each.
const LAID_OUT: usize = 1000;

fn cells(resolved: &Resolved, clock: Clock, seed: u64) -> Result<Vec<Cell>, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut cells = Vec::with_capacity(resolved.cells.len());
    for (index, cell) in resolved.cells.iter().enumerate() {
        if index >= LAID_OUT {
            cells.push(described(cell, None));
            continue;
        }
        let seeds = resolved.seeds(seed, index, 0);
        let trial = resolved.trial(index, &seeds, clock);
        let arena = match trial.lay_out() {
            Ok(arena) => arena,
            Err(error) => {
                problems.push(unfit(cell, error));
                continue;
            }
        };
        let addresses = match guarded("telling its addresses", || arena.addresses()) {
            Ok(addresses) => addresses,
            Err(error) => {
                problems.push(unfit(cell, error));
                continue;
            }
        };
        let pages = pages::pages(addresses.clone());
        let arena = (!addresses.is_empty()).then(|| ArenaInfo {
            bytes: addresses.len() as u64,
            page_bytes: pages.as_ref().map(|pages| pages.page_bytes),
            pages_by_node: pages.map(|pages| pages.pages_by_node).unwrap_or_default(),
        });
        cells.push(described(cell, arena));
    }
    if problems.is_empty() { Ok(cells) } else { Err(problems) }
}

fn described(cell: &ResolvedCell, arena: Option<ArenaInfo>) -> Cell {
    Cell {
        id: cell.planned.id.clone(),
        kernel: cell.entry.name.to_owned(),
        operation: cell.entry.operation.to_owned(),
        parameters: cell.planned.parameters.clone(),
        varied: cell.planned.varied.clone(),
        placement: cell.placement.clone(),
        arena,
        inputs: cell.kernel.inputs(),
    }
}

fn unfit(cell: &ResolvedCell, error: TrialError) -> Problem {
    let place = Place { source: String::new(), path: cell.planned.id.clone(), span: None };
    // What a kernel says of its cure follows a semicolon.
    match error.0.rsplit_once("; ") {
        Some((why, cure)) => Problem::new(place, why, cure),
        None => Problem::new(place, error.0, "change the cell's parameters or its number of workers"),
    }
}

/// What measuring costs on the first allowed PU.
fn overheads(resolved: &Resolved, passes: &[Pass], clock: Clock) -> Overheads {
    let cost = measure_overhead(&clock);
    let largest = passes.iter().max_by_key(|pass| pass.events.len()).unwrap_or(&NOTHING);
    let mut events = ThreadEvents::open(largest, None);
    events.enable();
    let counted = !events.events().is_empty();
    Overheads {
        clock_read_ns: cost.read_ns,
        clock_step_ns: cost.step_ns,
        empty_operation_ns: empty_operation_ns(resolved, clock),
        counters_read_ns: counted.then(|| read_cost(&mut events, &clock)),
    }
}

/// How long the empty kernel runs at the most, nanoseconds.
const EMPTY_NS: u64 = 20_000_000;

/// Nanoseconds of one operation of the empty kernel, in a trial like any other.
fn empty_operation_ns(resolved: &Resolved, clock: Clock) -> Option<f64> {
    let kernel = overhead::empty::ENTRY.make(&Parameters::new()).ok()?;
    let placement = CellPlacement {
        policy: "compact".to_owned(),
        pus: vec![*resolved.topology.allowed().first()?],
        oversubscribed: false,
        cores: Some(1),
    };
    let short = resolved.measure().duration_ns.min(EMPTY_NS);
    let measure = Measure { duration_ns: short, warm_up_ns: short / 4, ..resolved.measure().clone() };
    let trial = Trial {
        kernel: kernel.as_ref(),
        placement: &placement,
        measure: &measure,
        purpose: Purpose::Timing,
        line_bytes: resolved.line.bytes as usize,
        seeds: &Seeds::new(0, "overhead", 0, 1),
        pass: &NOTHING,
        clock,
    };
    let outcome = trial.run().ok()?;
    let worker = outcome.workers.first()?;
    (worker.operations > 0)
        .then(|| clock.ns(worker.end_ticks.saturating_sub(worker.start_ticks)) / worker.operations as f64)
}
