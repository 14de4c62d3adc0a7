//! One trial: pin, lay out the arena, first touch, start line, batches until the deadline, verify.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use hitm_counters::{Calibration, Clock, Pass};
use hitm_experiment::manifest::{CellPlacement, Measure};
use hitm_experiment::record::{Histogram, Observation, Purpose, Stretch, Verification, WorkerRecord};
use hitm_experiment::seed::Streams;
use hitm_kernels::{Arena, Kernel, Setting, StopToken};
use hitm_machine::pin;

use crate::crew::{self, Part};
pub use crate::error::TrialError;
use crate::error::{cannot_spawn, guarded};
use crate::start_line::StartLine;
use crate::stretches::{LEAST_EXCESS_NS, undisturbed};
use crate::worker::{Common, Told, panic_text};

/// A worker that blocked more often than this in a trial waits as part of its kernel: its slow batches are no interruptions.
const BLOCKS_OF_A_BLOCKING_KERNEL: u64 = 2;

/// One kernel, one placement, one deadline.
pub struct Trial<'a> {
    /// The kernel.
    pub kernel: &'a dyn Kernel,
    /// The PU of each worker.
    pub placement: &'a CellPlacement,
    /// The method's settings.
    pub measure: &'a Measure,
    /// Whether it times operations or keeps the values they give.
    pub purpose: Purpose,
    /// The size of a cache line.
    pub line_bytes: usize,
    /// What its randomness is drawn from.
    pub seeds: &'a Seeds,
    /// What each worker counts.
    pub pass: &'a Pass,
    /// The run's clock.
    pub clock: Clock,
}

/// What the randomness of one trial is drawn from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seeds {
    /// For the arena: its state, and its place in memory.
    pub arena: u64,
    /// For each worker's own stream.
    pub workers: Vec<u64>,
    /// For a stream that the workers part among themselves: the same for all cells of a repetition.
    pub common: u64,
}

impl Seeds {
    /// Those of one repetition of a cell, whichever attempt at it.
    pub fn new(run: u64, cell: &str, repetition: u32, workers: usize) -> Self {
        let streams = Streams::new(run).within(cell, u64::from(repetition));
        let workers = (0..workers as u64).map(|worker| streams.stream("worker", worker)).collect();
        let common = Streams::new(run).stream("common", u64::from(repetition));
        Seeds { arena: streams.stream("arena", 0), workers, common }
    }
}

/// What a trial gave.
pub struct Outcome {
    /// What each worker did.
    pub workers: Vec<WorkerRecord>,
    /// The arena's state held to the work done.
    pub verification: Verification,
    /// What the drawn values say; empty when it timed.
    pub observations: Vec<Observation>,
    /// What took how long within the operations of all workers.
    pub histograms: BTreeMap<String, Histogram>,
}

impl Trial<'_> {
    /// Runs it on threads of its own. Blocks until all have ended, or far longer than the trial may take.
    ///
    /// # Errors
    /// When the arena cannot be laid out, threads cannot be started, a kernel panics, or a kernel does not come back.
    pub fn run(&self) -> Result<Outcome, TrialError> {
        let mut outcomes = Trial::together(std::slice::from_ref(self))?;
        outcomes.pop().ok_or_else(|| TrialError("there was nothing to run".to_owned()))
    }

    /// Runs trials at the same time: all workers start at one clock value and stop at one, each trial on an arena of its own. They
    /// share their settings, purpose and clock, which are those of the first.
    ///
    /// # Errors
    /// As [`run`](Trial::run); one that fails ends all.
    pub fn together(trials: &[Trial<'_>]) -> Result<Vec<Outcome>, TrialError> {
        let arenas = trials.iter().map(Trial::lay_out).collect::<Result<Vec<_>, _>>()?;
        let Some(first) = trials.first() else { return Ok(Vec::new()) };
        let parts: Vec<Part<'_>> = trials.iter().zip(&arenas).map(|(trial, arena)| trial.part(arena)).collect();
        let patience = trials.iter().map(Trial::patience).max().unwrap_or_default();
        let told = crew::run(&parts, first.common(&parts), patience)?;
        trials.iter().zip(arenas).zip(told).map(|((trial, arena), told)| trial.outcome(arena.as_ref(), told)).collect()
    }

    fn part<'a>(&'a self, arena: &'a Arc<dyn Arena>) -> Part<'a> {
        Part { arena, pus: &self.placement.pus, seeds: &self.seeds.workers }
    }

    /// What the workers of all `parts` share; they are patient where some of them share a PU.
    fn common(&self, parts: &[Part<'_>]) -> Common {
        let (clock, patient) = (self.clock, crew::shares_pus(parts));
        let workers = parts.iter().map(|part| part.pus.len()).sum();
        Common {
            clock,
            calibration: Calibration::for_clock(&clock),
            stop: StopToken::default(),
            warm_up_line: StartLine::new(workers, &clock, patient),
            start_line: StartLine::new(workers, &clock, patient),
            warm_up_ticks: clock.ticks(self.measure.warm_up_ns),
            duration_ticks: clock.ticks(self.measure.duration_ns),
            batch_ticks: clock.ticks(self.measure.batch_ns),
            purpose: self.purpose,
            samples: self.measure.samples as usize,
            pass: self.pass.clone(),
        }
    }

    fn outcome(&self, arena: &dyn Arena, mut told: Vec<Told>) -> Result<Outcome, TrialError> {
        let totals: Vec<u64> = told.iter().map(|told| told.total_operations).collect();
        let verification = guarded("verifying", || arena.verify(&totals))?;
        let observations = match self.purpose {
            Purpose::Timing => Vec::new(),
            Purpose::Observation => {
                let samples: Vec<Vec<u64>> = told.iter_mut().map(|told| std::mem::take(&mut told.samples)).collect();
                guarded("looking at its values", || arena.observe(&samples))?
            }
        };
        let histograms = merged(told.iter_mut().flat_map(|told| std::mem::take(&mut told.histograms)));
        Ok(Outcome { workers: self.with_stretches(told), verification, observations, histograms })
    }

    /// Lays the arena out on a thread pinned where the first worker will run, so that what is shared lies near it.
    ///
    /// # Errors
    /// The kernel's own word, or its panic's.
    pub fn lay_out(&self) -> Result<Arc<dyn Arena>, TrialError> {
        let setting = Setting {
            workers: self.placement.pus.len(),
            line_bytes: self.line_bytes,
            seed: self.seeds.arena,
            common_seed: self.seeds.common,
        };
        let pu = self.placement.pus.first().copied();
        let laid_out = thread::scope(|scope| {
            let thread = thread::Builder::new().spawn_scoped(scope, || {
                // An unpinned layout still works; that pinning fails is told by the workers' records.
                let _ = pu.map(pin::pin_current_thread);
                self.kernel.lay_out(&setting)
            });
            thread.map(|thread| thread.join())
        });
        match laid_out {
            Ok(Ok(Ok(arena))) => Ok(Arc::from(arena)),
            Ok(Ok(Err(why))) => Err(TrialError(why)),
            Ok(Err(panic)) => {
                Err(TrialError(format!("the kernel panicked while laying out: {}", panic_text(panic.as_ref()))))
            }
            Err(error) => Err(cannot_spawn(0, 1, &error)),
        }
    }

    /// How long a trial may take before its kernel counts as stuck: far beyond what sharing PUs with others explains.
    fn patience(&self) -> Duration {
        let one = Duration::from_nanos(self.measure.duration_ns + self.measure.warm_up_ns);
        let turns = if self.placement.oversubscribed { self.placement.pus.len() as u32 } else { 1 };
        Duration::from_secs(30) + one * 20 * turns.min(1000)
    }

    fn with_stretches(&self, told: Vec<Told>) -> Vec<WorkerRecord> {
        let blocks = |told: &Told| told.record.voluntary_switches.unwrap_or(0) > BLOCKS_OF_A_BLOCKING_KERNEL;
        // Workers that share a PU are interrupted by each other: that is what such a trial measures.
        if self.placement.oversubscribed || self.purpose == Purpose::Observation {
            return told.into_iter().map(|told| told.record).collect();
        }
        if told.iter().any(blocks) {
            return told.into_iter().map(|told| in_one_stretch(told.record)).collect();
        }
        let least_excess = self.clock.ticks(LEAST_EXCESS_NS);
        let logs: Vec<_> = told.iter().map(|told| &told.log).collect();
        let found = undisturbed(&logs, least_excess);
        told.into_iter()
            .zip(found)
            .map(|(told, found)| WorkerRecord {
                stretches: found.stretches,
                interruptions: found.interruptions,
                interrupted_ticks: found.interrupted_ticks,
                ..told.record
            })
            .collect()
    }
}

/// A worker that waits as part of its kernel: all of the trial belongs to it.
fn in_one_stretch(record: WorkerRecord) -> WorkerRecord {
    let WorkerRecord { start_ticks, end_ticks, operations, .. } = record;
    let stretches =
        if start_ticks < end_ticks { vec![Stretch { start_ticks, end_ticks, operations }] } else { Vec::new() };
    WorkerRecord { stretches, ..record }
}

/// The histograms of all workers in one of each name.
fn merged(histograms: impl Iterator<Item = (&'static str, Histogram)>) -> BTreeMap<String, Histogram> {
    let mut all: BTreeMap<&str, BTreeMap<u64, u64>> = BTreeMap::new();
    for (name, histogram) in histograms {
        let sums = all.entry(name).or_default();
        for [ticks, count] in histogram {
            *sums.entry(ticks).or_default() += count;
        }
    }
    let flat = |sums: BTreeMap<u64, u64>| sums.into_iter().map(|(ticks, count)| [ticks, count]).collect();
    all.into_iter().map(|(name, sums)| (name.to_owned(), flat(sums))).collect()
}

#[cfg(test)]
mod tests {
    use super::Seeds;

    #[test]
    fn trials_of_one_repetition_have_a_seed_in_common_and_no_other() {
        let [few, many, next] = [("workers=2", 0, 2), ("workers=8", 0, 8), ("workers=2", 1, 2)]
            .map(|(cell, repetition, workers)| Seeds::new(7, cell, repetition, workers));
        assert_eq!(few.common, many.common);
        assert_ne!(few.common, next.common);
        assert_ne!(few.common, Seeds::new(8, "workers=2", 0, 2).common);
        let mut seeds: Vec<u64> = [&few, &many, &next].iter().flat_map(|seeds| &seeds.workers).copied().collect();
        seeds.extend([few.arena, many.arena, next.arena, few.common, next.common]);
        let all = seeds.len();
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), all);
    }
}
