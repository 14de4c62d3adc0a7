//! The contract between a measured loop and whoever runs it.
//!
//! A [`Kernel`] is a loop with its parameters fixed. For each trial it lays out an [`Arena`], the memory that the workers
//! share; each worker makes its own [`Worker`] on its own pinned thread (so that what is its own is touched there first) and is
//! then asked for batches of operations until the trial's deadline. Afterwards the arena's state is held to the work done. A kernel
//! reads no clock and no counter of its own, and pays one virtual call a batch, none an operation.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hitm_experiment::record::{Histogram, Observation, Verification};

/// A measured loop with its parameters fixed.
pub trait Kernel: Send + Sync {
    /// Lays out the shared memory of one trial. Called on a thread that is pinned where the first worker will run.
    ///
    /// # Errors
    /// What this setting does not permit, such as a number of workers the kernel has no roles for; what cures it may follow after a semicolon.
    fn lay_out(&self, setting: &Setting) -> Result<Box<dyn Arena>, String>;

    /// What it reads that is no parameter, such as a file, by the parameter that names it: what tells it from others. A run whose inputs have
    /// changed does not go on.
    fn inputs(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }
}

/// A kernel may be just the laying out of its arena.
impl<F> Kernel for F
where
    F: Fn(&Setting) -> Result<Box<dyn Arena>, String> + Send + Sync,
{
    fn lay_out(&self, setting: &Setting) -> Result<Box<dyn Arena>, String> {
        self(setting)
    }
}

/// What a trial gives to the laying out of its arena.
#[derive(Clone, Debug)]
pub struct Setting {
    /// How many workers share the arena, at least 1.
    pub workers: usize,
    /// The size of a cache line in bytes, a power of two.
    pub line_bytes: usize,
    /// The seed of the trial's state; each worker's own comes in its [`Context`].
    pub seed: u64,
    /// A seed that all trials of one repetition have in common, whatever their cell and number of workers.
    pub common_seed: u64,
}

/// The memory that the workers of one trial share.
pub trait Arena: Send + Sync {
    /// Makes one worker, on its own pinned thread.
    fn worker<'a>(&'a self, context: Context<'a>) -> Box<dyn Worker + 'a>;

    /// Holds the arena's state to the work done: `totals[w]` operations by worker `w`, warm-up included. Called once, after all
    /// workers were dropped.
    fn verify(&self, totals: &[u64]) -> Verification;

    /// The addresses that the workers share, so that their pages and lines can be told; empty for a kernel without any.
    fn addresses(&self) -> Range<usize> {
        0..0
    }

    /// What the values that the workers drew together ([`Worker::sample`]) say; `samples[w]` are those of worker `w` in order.
    fn observe(&self, _samples: &[Vec<u64>]) -> Vec<Observation> {
        Vec::new()
    }
}

/// What a worker is given at its making.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The worker's index in the placement.
    pub index: usize,
    /// The seed of this worker's own stream.
    pub seed: u64,
    /// Set when the trial ends. A worker that waits for another within a batch looks at it while it waits.
    pub stop: &'a StopToken,
    /// The trial's time, for what is timed or waited for within an operation.
    pub time: &'a dyn Time,
}

/// The time of a trial as one worker sees it.
pub trait Time: Debug {
    /// Ticks of the run's clock.
    fn now(&self) -> u64;

    /// That reading of the run's clock as the operating system's time, which waits end by.
    fn instant(&self, ticks: u64) -> Instant;

    /// When the part of the trial that runs now is over: no wait within an operation lasts longer.
    fn ends(&self) -> Instant;

    /// How long that is from now; zero once it is over.
    fn left(&self) -> Duration {
        self.ends().saturating_duration_since(self.instant(self.now()))
    }
}

/// One software thread's part of a kernel. Lives and dies on that thread.
pub trait Worker {
    /// Does `operations` operations, or fewer if the stop token was set while it waited for another worker. A worker that was
    /// stopped may be asked again, when the token has been taken back: a trial's warm-up ends as the trial does.
    fn run(&mut self, operations: u64) -> Done;

    /// Does as many operations as `values` has places and keeps the value each gave, in order; of a kernel whose operations draw several
    /// values each, as many operations as fill the places. Returns how many values it kept: 0 for a kernel whose operations
    /// give none worth looking at.
    fn sample(&mut self, _values: &mut [u64]) -> usize {
        0
    }

    /// What it has to tell of its operations since it was asked last, or made.
    fn take_notes(&mut self) -> Notes {
        Notes::default()
    }
}

/// What a worker tells of its operations besides their number, by the names of its kernel's [`Tally`](crate::Tally)s.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notes {
    /// Counts, ticks and maxima.
    pub tallies: Vec<(&'static str, u64)>,
    /// What took how long.
    pub histograms: Vec<(&'static str, Histogram)>,
}

/// A worker may be just its batch.
impl<F: FnMut(u64) -> Done> Worker for F {
    fn run(&mut self, operations: u64) -> Done {
        self(operations)
    }
}

/// What became of one batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// The operations done.
    pub operations: u64,
    /// A value that depends on all of them, so that none can be optimised away.
    pub value: u64,
}

/// Tells workers that wait for each other that the trial is over.
#[derive(Debug, Default)]
#[repr(align(256))]
pub struct StopToken(AtomicBool);

impl StopToken {
    /// Ends the trial.
    pub fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Takes it back, so that the trial's next part can begin. All workers must have left the part before.
    pub fn clear(&self) {
        self.0.store(false, Ordering::Release);
    }

    /// Whether the trial has ended.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
