//! What transactions do, and the arena in which workers do it: the same whatever locks.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use hitm_experiment::record::{Observation, Verification};

use super::manager::Manager;
use super::transactor::Transactor;
use super::verify::{self, Told};
use crate::contract::{Arena, Context, Kernel, Setting, Worker};
use crate::keys::origin::Origin;

/// What a transaction does, whatever locks.
#[derive(Clone)]
pub struct Script {
    pub(super) origin: Origin,
    /// Locks of rows a transaction.
    pub(super) locks: usize,
    /// Keys of a lock, side by side.
    pub(super) span: u64,
    /// Whether each row's entry in a second index is locked too.
    pub(super) secondary: bool,
    /// Locks that are shared, of a hundred.
    pub(super) shared: u64,
    /// Whether locks are taken in the order of their keys.
    pub(super) ascending: bool,
    /// Units of own work after each lock.
    pub(super) work: u32,
    /// Time asleep before the end, with all locks held.
    pub(super) think: Duration,
    /// How long a lock is waited for.
    pub(super) timeout: Duration,
    /// Whether an attempt that was refused is made again with the same keys.
    pub(super) same_keys: bool,
    /// Whether what happens within a transaction is timed.
    pub(super) timed: bool,
}

impl Script {
    /// Whether it takes shared locks of more than one key.
    pub fn shares_ranges(&self) -> bool {
        self.shared > 0 && self.span > 1
    }

    /// The kernel that runs it against a manager, made anew for each trial; or why it cannot be, for the trial's record.
    pub fn kernel<M: Manager>(
        self,
        make: impl Fn(&Setting) -> Result<M, String> + Send + Sync + 'static,
    ) -> Box<dyn Kernel> {
        Box::new(Transacting { script: self, make })
    }
}

struct Transacting<F> {
    script: Script,
    make: F,
}

impl<M: Manager, F: Fn(&Setting) -> Result<M, String> + Send + Sync> Kernel for Transacting<F> {
    fn lay_out(&self, setting: &Setting) -> Result<Box<dyn Arena>, String> {
        self.script.origin.check(setting.workers)?;
        Ok(Box::new(Laid {
            manager: (self.make)(setting)?,
            script: self.script.clone(),
            stamps: Stamps::default(),
            told: (0..setting.workers).map(|_| OnceLock::new()).collect(),
        }))
    }

    fn inputs(&self) -> BTreeMap<String, String> {
        self.script.origin.inputs()
    }
}

/// Numbers that rise over all workers: the order of what an observation's history tells.
#[derive(Debug, Default)]
#[repr(align(256))]
struct Stamps(AtomicU64);

struct Laid<M> {
    manager: M,
    script: Script,
    stamps: Stamps,
    /// What each worker did, told when it is dropped.
    told: Vec<OnceLock<Told>>,
}

impl<M: Manager> Arena for Laid<M> {
    fn worker<'a>(&'a self, context: Context<'a>) -> Box<dyn Worker + 'a> {
        Box::new(Transactor::new(&self.manager, &self.script, context, &self.stamps.0, &self.told))
    }

    fn verify(&self, totals: &[u64]) -> Verification {
        verify::verify(&self.told(), totals, self.manager.held(), self.manager.obstacles())
    }

    fn observe(&self, samples: &[Vec<u64>]) -> Vec<Observation> {
        verify::observe(samples, &self.told(), self.manager.tells())
    }
}

impl<M> Laid<M> {
    fn told(&self) -> Vec<&Told> {
        self.told.iter().map(|told| told.get_or_init(Told::default)).collect()
    }
}
