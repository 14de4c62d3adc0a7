//! The threads of all workers of the trials that run at the same time.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use hitm_counters::Calibration;
use hitm_kernels::{Arena, StopToken};

use crate::start_line::StartLine;
use crate::trial::{Trial, TrialError, cannot_spawn};
use crate::worker::{Assignment, Common, Failure, Told, live};

/// Which trial a worker is of, its index there, and how it ended.
type Ended = (usize, usize, Result<Told, Failure>);

/// Starts a thread for each worker of each trial, and waits for all of them; what they tell, by trial and worker.
pub(crate) fn run(trials: &[Trial<'_>], arenas: &[Arc<dyn Arena>]) -> Result<Vec<Vec<Told>>, TrialError> {
    let workers = trials.iter().map(|trial| trial.placement.pus.len()).sum();
    let Some(first) = trials.first() else { return Ok(Vec::new()) };
    let common = Arc::new(common(first, workers, trials.iter().any(|trial| trial.placement.oversubscribed)));
    let (sender, receiver) = channel();
    let mut threads = Vec::with_capacity(workers);
    let mut failure = None;
    let of_trial = |(trial, arena): (usize, &Arc<dyn Arena>)| {
        let placed = trials[trial].placement.pus.iter().zip(&trials[trial].seeds.workers).enumerate();
        let arena = Arc::clone(arena);
        placed.map(move |(index, (&pu, &seed))| (trial, Arc::clone(&arena), Assignment { index, pu, seed }))
    };
    for (trial, arena, assignment) in arenas.iter().enumerate().flat_map(of_trial) {
        let index = assignment.index;
        let life = {
            let (common, sender) = (Arc::clone(&common), sender.clone());
            move || {
                let told = live(&common, &arena, &assignment);
                // The receiver is gone only when the trial was given up.
                let _ = sender.send((trial, index, told));
            }
        };
        match thread::Builder::new().name(format!("worker-{index}")).spawn(life) {
            Ok(thread) => threads.push(thread),
            Err(error) => {
                failure = Some(cannot_spawn(threads.len(), workers, &error));
                common.stop.set();
                common.warm_up_line.break_up();
                common.start_line.break_up();
                break;
            }
        }
    }
    drop(sender);
    let patience = trials.iter().map(Trial::patience).max().unwrap_or_default();
    let mut told: Vec<Vec<Option<Told>>> =
        trials.iter().map(|trial| trial.placement.pus.iter().map(|_| None).collect()).collect();
    let ended = ended(&receiver, threads.len(), patience).inspect_err(|_| common.stop.set())?;
    for (trial, index, lived) in ended {
        match lived {
            Ok(one) => told[trial][index] = Some(one),
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
    let all: Option<Vec<Vec<Told>>> = told.into_iter().map(|told| told.into_iter().collect()).collect();
    all.ok_or_else(|| TrialError("a worker ended without a word".to_owned()))
}

/// How all threads ended, or that one does not.
fn ended(receiver: &Receiver<Ended>, threads: usize, patience: Duration) -> Result<Vec<Ended>, TrialError> {
    let deadline = Instant::now() + patience;
    let mut all = Vec::with_capacity(threads);
    while all.len() < threads {
        match receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(ended) => all.push(ended),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                let why = format!("the kernel did not come back within {patience:?}: a batch of it does not end");
                return Err(TrialError(why));
            }
        }
    }
    Ok(all)
}

fn common(trial: &Trial<'_>, workers: usize, patient: bool) -> Common {
    let clock = trial.clock;
    Common {
        clock,
        calibration: Calibration::for_clock(&clock),
        stop: StopToken::default(),
        warm_up_line: StartLine::new(workers, &clock, patient),
        start_line: StartLine::new(workers, &clock, patient),
        warm_up_ticks: clock.ticks(trial.measure.warm_up_ns),
        duration_ticks: clock.ticks(trial.measure.duration_ns),
        batch_ticks: clock.ticks(trial.measure.batch_ns),
        purpose: trial.purpose,
        samples: trial.measure.samples as usize,
        events: trial.events.to_vec(),
    }
}
