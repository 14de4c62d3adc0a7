//! The threads of all workers of the trials that run at the same time.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use hitm_kernels::Arena;

use crate::error::{TrialError, cannot_spawn};
use crate::worker::{Assignment, Common, Failure, Told, live};

/// Which trial a worker is of, its index there, and how it ended.
type Ended = (usize, usize, Result<Told, Failure>);

/// The workers of one trial.
pub(crate) struct Part<'a> {
    pub arena: &'a Arc<dyn Arena>,
    /// The PU of each worker.
    pub pus: &'a [u32],
    /// The seed of each worker's own stream.
    pub seeds: &'a [u64],
}

/// Whether some workers have to take turns on a PU.
pub(crate) fn shares_pus(parts: &[Part<'_>]) -> bool {
    let mut used = HashSet::new();
    parts.iter().flat_map(|part| part.pus).any(|pu| !used.insert(pu))
}

/// Starts a thread for each worker of each trial, and waits for all of them; what they tell, by trial and worker.
pub(crate) fn run(parts: &[Part<'_>], common: Common, patience: Duration) -> Result<Vec<Vec<Told>>, TrialError> {
    let workers = parts.iter().map(|part| part.pus.len()).sum();
    let common = Arc::new(common);
    let (sender, receiver) = channel();
    let mut threads = Vec::with_capacity(workers);
    let mut failure = None;
    let of_trial = |(trial, part): (usize, &Part<'_>)| {
        let arena = Arc::clone(part.arena);
        let placed: Vec<(u32, u64)> = part.pus.iter().copied().zip(part.seeds.iter().copied()).collect();
        let assign = move |(index, (pu, seed))| (trial, Arc::clone(&arena), Assignment { index, pu, seed });
        placed.into_iter().enumerate().map(assign)
    };
    for (trial, arena, assignment) in parts.iter().enumerate().flat_map(of_trial) {
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
    let mut told: Vec<Vec<Option<Told>>> = parts.iter().map(|part| part.pus.iter().map(|_| None).collect()).collect();
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
