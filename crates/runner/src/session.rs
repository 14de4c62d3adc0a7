//! Runs a plan's blocks, appends each trial's record as it ends, and stops when it knows enough or the budget ends.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use hitm_analysis::trial::overlap;
use hitm_counters::{Clock, Pass};
use hitm_experiment::manifest::{Manifest, Stopped};
use hitm_experiment::record::{Purpose, Record, Witness};
use hitm_experiment::run::RunError;

use crate::events;
use crate::resolve::{NOTHING, Resolved};
use crate::trial::{Outcome, Seeds, Trial};
use crate::witness::Witnesses;

/// Repetitions in which the values drawn are looked at as well: enough for a median, few enough to leave the budget to timing.
const OBSERVED_REPETITIONS: u32 = 5;

/// Time of looking at values after which no further repetition of a cell is looked at: one trial of a second or more is enough, since
/// a long trial holds many values.
const OBSERVED_NS: u64 = 1_000_000_000;

/// A run does not end for its precision before it has lasted so long, or a quarter of its budget if that is less: what it is to hold
/// must have had time to vary, such as a transfer level that lasts for seconds.
const LEAST_NS: u64 = 10_000_000_000;

/// Re-runs of one repetition of one cell.
const MOST_ATTEMPTS: u32 = 3;

/// Re-runs that a run may make before it has made trials enough to have earned any.
const FIRST_RETRIES: u64 = 2;

/// Set by whoever wants the run to end after the trial in flight: a signal's number, or 0.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(pub Arc<AtomicUsize>);

impl Interrupt {
    /// The signal that asked for the end, if one did.
    pub fn signal(&self) -> Option<i32> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            signal => Some(signal as i32),
        }
    }
}

/// How far a run has come.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Wall-clock time spent on trials in all sessions, nanoseconds.
    pub spent_ns: u64,
    /// The budget, nanoseconds.
    pub budget_ns: u64,
    /// The repetition that runs.
    pub repetition: u32,
    /// Trials made: the number of the next.
    pub trials: u64,
    /// Intervals that decide when the run stops.
    pub deciding: usize,
    /// Those that are precise enough.
    pub settled: usize,
    /// The largest relative half width among them.
    pub worst: Option<f64>,
}

/// Who wants to see how a run goes.
pub trait Progress {
    /// After each trial.
    fn trial(&mut self, state: &State, record: &Record);
    /// After each block, when the precision was looked at again.
    fn block(&mut self, state: &State);
}

/// Why a run ended before its plan did. What was measured is in the folder.
#[derive(Debug)]
pub enum Failure {
    /// A record could not be written.
    Run(RunError),
    /// A trial could not be made.
    Trial {
        /// The cell's id; of several that ran at the same time those of the first.
        cell: String,
        /// Why, one sentence.
        why: String,
    },
}

/// Where each trial's record goes as it ends.
pub type Sink<'a> = dyn FnMut(&Record) -> Result<(), RunError> + 'a;

/// What identifies a trial within a run.
type Key = (usize, u32, Purpose);

/// One process's stretch of measuring.
pub struct Session<'a> {
    resolved: &'a Resolved,
    manifest: &'a Manifest,
    sink: &'a mut Sink<'a>,
    records: &'a mut Vec<Record>,
    clock: Clock,
    witnesses: Witnesses,
    /// What is counted together, at least one, though it may count nothing: repetition `k` counts in pass `k` modulo their number. Why
    /// events are in none stands once in the manifest, not in each record.
    passes: Vec<Pass>,
    /// The attempts at each trial made so far, and their best overlap.
    made: HashMap<Key, (u32, f64)>,
    /// The trial made last. Only that one is made again: a resumed run takes up no repetition that it had left behind.
    last: Option<Key>,
    retries: u64,
    state: State,
}

impl<'a> Session<'a> {
    /// A session that goes on after `records`, which `sink` has had already.
    pub fn new(
        resolved: &'a Resolved,
        manifest: &'a Manifest,
        sink: &'a mut Sink<'a>,
        records: &'a mut Vec<Record>,
        clock: Clock,
    ) -> Self {
        let mut made = HashMap::new();
        let mut retries = 0;
        for record in records.iter() {
            note(&mut made, record);
            retries += u64::from(record.attempt > 0);
        }
        let last = records.last().map(key);
        let state = State {
            spent_ns: records.iter().map(|record| record.took_ns).sum(),
            budget_ns: resolved.measure().budget_ns,
            trials: records.iter().map(|record| record.trial.saturating_add(1)).max().unwrap_or(0),
            ..State::default()
        };
        let topology = &resolved.topology;
        let witnesses = Witnesses::new(clock, topology.witness_pair(), topology.allowed());
        let multiplex = resolved.measure().multiplex;
        // A manifest of this process's, or one that was held to the run's events when it was bound.
        let mut passes = events::read_back(&manifest.passes, &resolved.events, multiplex).unwrap_or_default();
        if passes.is_empty() {
            passes.push(NOTHING.clone());
        }
        Session { resolved, manifest, sink, records, clock, witnesses, passes, made, last, retries, state }
    }

    /// Measures until the precision or the most repetitions are reached, the budget ends, or `interrupt` is set.
    ///
    /// # Errors
    /// When a record cannot be written or a trial cannot be made; all trials before it are in the folder.
    pub fn run(&mut self, interrupt: &Interrupt, progress: &mut dyn Progress) -> Result<Stopped, Failure> {
        let measure = self.resolved.measure().clone();
        let least = events::least_repetitions(&measure, &self.passes);
        let mut checked_at = 0;
        let mut before = None;
        for repetition in 0..measure.max_repetitions {
            self.state.repetition = repetition;
            for group in self.resolved.plan.block(repetition, self.manifest.seed) {
                while let Some((cells, purpose, attempt)) = self.next(&group, repetition) {
                    if interrupt.signal().is_some() {
                        return Ok(Stopped::Interrupted);
                    }
                    if self.state.spent_ns >= measure.budget_ns {
                        return Ok(Stopped::Budget);
                    }
                    for record in self.trials(&cells, repetition, purpose, attempt, &mut before)? {
                        (self.sink)(&record).map_err(Failure::Run)?;
                        self.state.spent_ns += record.took_ns;
                        self.state.trials += 1;
                        self.retries += u64::from(attempt > 0);
                        note(&mut self.made, &record);
                        self.last = Some(key(&record));
                        progress.trial(&self.state, &record);
                        self.records.push(record);
                    }
                }
            }
            let done = repetition + 1;
            // The looks at the precision get rarer as the records get many, so that their cost stays a small share.
            if done >= least && done - checked_at >= (done / 20).max(1) {
                checked_at = done;
                let precision = hitm_analysis::precision(self.manifest, self.records);
                self.state.deciding = precision.deciding;
                self.state.settled = precision.settled;
                self.state.worst = precision.worst;
                progress.block(&self.state);
                let lasted = self.state.spent_ns >= LEAST_NS.min(measure.budget_ns / 4);
                if lasted && precision.deciding > 0 && precision.settled == precision.deciding {
                    return Ok(Stopped::Precision);
                }
            }
        }
        Ok(Stopped::Repetitions)
    }

    /// What is still to be done for the cells of a group in a repetition, given what was made: cells that run at the same time, for
    /// what, and which attempt.
    fn next(&self, group: &[usize], repetition: u32) -> Option<(Vec<usize>, Purpose, u32)> {
        // A killed run may have left part of a group behind; the rest then runs without it, which its records say.
        let missing = |cell: &usize| !self.made.contains_key(&(*cell, repetition, Purpose::Timing));
        let missing: Vec<usize> = group.iter().copied().filter(missing).collect();
        if !missing.is_empty() {
            return Some((missing, Purpose::Timing, 0));
        }
        // Made again alone, a trial would not be what it was among others.
        let &[cell] = group else { return None };
        let measure = self.resolved.measure();
        let timing = (cell, repetition, Purpose::Timing);
        if let Some(&(attempts, best)) = self.made.get(&timing) {
            let earned = FIRST_RETRIES + (measure.retries * self.state.trials as f64) as u64;
            let disturbed = best < measure.overlap && !self.resolved.cells[cell].placement.oversubscribed;
            let permitted = attempts < MOST_ATTEMPTS && self.retries < earned && measure.retries > 0.0;
            if disturbed && permitted && self.last == Some(timing) {
                return Some((vec![cell], Purpose::Timing, attempts));
            }
        }
        let observes = self.resolved.cells[cell].entry.observes() && measure.samples > 0;
        let observed = self.made.contains_key(&(cell, repetition, Purpose::Observation));
        let repetitions = OBSERVED_NS.div_ceil(measure.duration_ns.max(1)).clamp(1, OBSERVED_REPETITIONS.into());
        let wanted = observes && u64::from(repetition) < repetitions && !observed;
        wanted.then(|| (vec![cell], Purpose::Observation, 0))
    }

    /// Why a worker ran unpinned, where that is an error.
    fn unpinned(&self, outcomes: &[Outcome]) -> Option<String> {
        let mut workers = outcomes.iter().flat_map(|outcome| &outcome.workers);
        let required = self.resolved.experiment.require_pinning;
        workers.find(|worker| required && !worker.pinned).map(|worker| worker.unpinned.clone())
    }

    /// Runs trials at the same time; most are alone.
    fn trials(
        &self,
        cells: &[usize],
        repetition: u32,
        purpose: Purpose,
        attempt: u32,
        before: &mut Option<Witness>,
    ) -> Result<Vec<Record>, Failure> {
        let began = Instant::now();
        let started_unix_ms = unix_ms();
        let before_this = before.take().unwrap_or_else(|| self.witnesses.look());
        let seeds: Vec<Seeds> =
            cells.iter().map(|&cell| self.resolved.seeds(self.manifest.seed, cell, repetition)).collect();
        let pass = repetition as usize % self.passes.len();
        let counted = &self.passes[pass];
        let trial = |(&cell, seeds)| Trial { purpose, pass: counted, ..self.resolved.trial(cell, seeds, self.clock) };
        let trials: Vec<Trial<'_>> = cells.iter().zip(&seeds).map(trial).collect();
        let outcomes = Trial::together(&trials).map_err(|error| {
            let cells: Vec<&str> = cells.iter().take(3).map(|&cell| self.manifest.cells[cell].id.as_str()).collect();
            Failure::Trial { cell: cells.join(", "), why: error.0 }
        })?;
        if let Some(why) = self.unpinned(&outcomes) {
            return Err(Failure::Trial { cell: self.manifest.cells[cells[0]].id.clone(), why });
        }
        let after = self.witnesses.look();
        *before = Some(after.clone());
        let took_ns = began.elapsed().as_nanos() as u64 / cells.len() as u64;
        let record = |(at, (outcome, &cell)): (usize, (Outcome, &usize))| Record {
            trial: self.state.trials + at as u64,
            cell,
            repetition,
            attempt,
            purpose,
            pass: pass as u32,
            beside: cells.len() as u32 - 1,
            started_unix_ms,
            took_ns,
            before: before_this.clone(),
            after: after.clone(),
            workers: outcome.workers,
            verification: outcome.verification,
            observations: outcome.observations,
            histograms: outcome.histograms,
        };
        Ok(outcomes.into_iter().zip(cells).enumerate().map(record).collect())
    }
}

fn key(record: &Record) -> Key {
    (record.cell, record.repetition, record.purpose)
}

fn note(made: &mut HashMap<Key, (u32, f64)>, record: &Record) {
    let entry = made.entry(key(record)).or_insert((0, 0.0));
    entry.0 = entry.0.max(record.attempt + 1);
    entry.1 = entry.1.max(overlap(record).unwrap_or(0.0));
}

/// Milliseconds since the Unix epoch; 0 on a machine whose clock stands before it.
pub fn unix_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}
