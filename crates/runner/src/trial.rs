//! One trial: pin, lay out the arena, first touch, start line, batches until the deadline, verify.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use hitm_counters::{Calibration, Clock, Event};
use hitm_experiment::manifest::{CellPlacement, Measure};
use hitm_experiment::record::{Observation, Purpose, Verification, WorkerRecord};
use hitm_experiment::seed::Streams;
use hitm_kernels::{Arena, Kernel, Setting, StopToken};
use hitm_machine::pin;

use crate::start_line::StartLine;
use crate::stretches::{LEAST_EXCESS_NS, undisturbed};
use crate::worker::{Assignment, Common, Failure, Told, live, panic_text};

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
    /// The events to count.
    pub events: &'a [Event],
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
}

impl Seeds {
    /// Those of one repetition of a cell, whichever attempt at it.
    pub fn new(run: u64, cell: &str, repetition: u32, workers: usize) -> Self {
        let streams = Streams::new(run).within(cell, u64::from(repetition));
        let workers = (0..workers as u64).map(|worker| streams.stream("worker", worker)).collect();
        Seeds { arena: streams.stream("arena", 0), workers }
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
}

/// Why there is no outcome, one sentence.
#[derive(Debug, PartialEq, Eq)]
pub struct TrialError(pub String);

impl Trial<'_> {
    /// Runs it on threads of its own. Blocks until all have ended, or far longer than the trial may take.
    ///
    /// # Errors
    /// When the arena cannot be laid out, threads cannot be started, a kernel panics, or a kernel does not come back.
    pub fn run(&self) -> Result<Outcome, TrialError> {
        let arena = self.lay_out()?;
        let common = Arc::new(self.common());
        let mut told = self.workers(&arena, &common)?;
        let totals: Vec<u64> = told.iter().map(|told| told.total_operations).collect();
        let verification = guarded("verifying", || arena.verify(&totals))?;
        let observations = match self.purpose {
            Purpose::Timing => Vec::new(),
            Purpose::Observation => {
                let samples: Vec<Vec<u64>> = told.iter_mut().map(|told| std::mem::take(&mut told.samples)).collect();
                guarded("looking at its values", || arena.observe(&samples))?
            }
        };
        Ok(Outcome { workers: self.with_stretches(told), verification, observations })
    }

    /// Lays the arena out on a thread pinned where the first worker will run, so that what is shared lies near it.
    ///
    /// # Errors
    /// The kernel's own word, or its panic's.
    pub fn lay_out(&self) -> Result<Arc<dyn Arena>, TrialError> {
        let setting =
            Setting { workers: self.placement.pus.len(), line_bytes: self.line_bytes, seed: self.seeds.arena };
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

    fn common(&self) -> Common {
        let (clock, workers) = (self.clock, self.placement.pus.len());
        let patient = self.placement.oversubscribed;
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
            events: self.events.to_vec(),
        }
    }

    /// Starts a thread for each worker and waits for all of them.
    fn workers(&self, arena: &Arc<dyn Arena>, common: &Arc<Common>) -> Result<Vec<Told>, TrialError> {
        let workers = self.placement.pus.len();
        let (sender, receiver) = channel();
        let mut threads = Vec::with_capacity(workers);
        let mut failure = None;
        for (index, (&pu, &seed)) in self.placement.pus.iter().zip(&self.seeds.workers).enumerate() {
            let life = {
                let (arena, common, sender) = (Arc::clone(arena), Arc::clone(common), sender.clone());
                move || {
                    let told = live(&common, &arena, &Assignment { index, pu, seed });
                    // The receiver is gone only when the trial was given up.
                    let _ = sender.send((index, told));
                }
            };
            match thread::Builder::new().name(format!("worker-{index}")).spawn(life) {
                Ok(thread) => threads.push(thread),
                Err(error) => {
                    failure = Some(cannot_spawn(index, workers, &error));
                    common.stop.set();
                    common.warm_up_line.break_up();
                    common.start_line.break_up();
                    break;
                }
            }
        }
        drop(sender);
        let deadline = Instant::now() + self.patience();
        let mut told: Vec<Option<Told>> = (0..workers).map(|_| None).collect();
        for _ in 0..threads.len() {
            let (index, lived) = match receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(lived) => lived,
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    common.stop.set();
                    return Err(TrialError(format!(
                        "the kernel did not come back within {:?}: a batch of it does not end",
                        self.patience()
                    )));
                }
            };
            match lived {
                Ok(one) => told[index] = Some(one),
                Err(Failure::Some(why)) => failure = failure.or(Some(TrialError(why))),
                Err(Failure::None) => {}
            }
        }
        for thread in threads {
            // A worker that panicked outside its kernel would have told nothing; that is caught below.
            let _ = thread.join();
        }
        if let Some(failure) = failure {
            return Err(failure);
        }
        let all: Option<Vec<Told>> = told.into_iter().collect();
        all.ok_or_else(|| TrialError("a worker ended without a word".to_owned()))
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
        let least_excess = if told.iter().any(blocks) { u64::MAX } else { self.clock.ticks(LEAST_EXCESS_NS) };
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

/// Calls into a kernel; its panic becomes an error that says at what.
pub(crate) fn guarded<T>(doing: &str, call: impl FnOnce() -> T) -> Result<T, TrialError> {
    catch_unwind(AssertUnwindSafe(call))
        .map_err(|panic| TrialError(format!("the kernel panicked while {doing}: {}", panic_text(panic.as_ref()))))
}

fn cannot_spawn(index: usize, workers: usize, error: &std::io::Error) -> TrialError {
    TrialError(format!(
        "thread {} of {workers} could not be started ({error}): raise `ulimit -u` and the cgroup's pids.max, or ask for fewer workers",
        index + 1
    ))
}
