//! The process's one state, with a lock and without.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hitm_experiment::record::Verification;
use hitm_keys::rng::Rand48;
use hitm_keys::stream::Stream;

use super::seeds::{bits_of, seed48, start};
use crate::contract::Setting;
use crate::rng::libc48::Process;
use crate::rng::place::{Place, Source, Start, lends_itself};
use crate::rng::verdict;

/// The real thing: the process's one state, which glibc steps without a lock.
pub(in crate::rng) struct Racy {
    process: Process,
    start: Rand48,
}

impl Place for Racy {
    type Generator = Rand48;
    type Source<'a> = ProcessSource<'a>;

    fn lay_out(setting: &Setting) -> Result<Self, String> {
        Ok(Racy { process: Process::seeded(seed48(setting.seed))?, start: start(Start::Seed(setting.seed)) })
    }

    fn source(&self, _index: usize, _start: Start) -> ProcessSource<'_> {
        ProcessSource(&self.process)
    }

    fn verify(&self, steps: &[u64]) -> Verification {
        verdict::racy(&self.start, &self.process.state(), steps)
    }

    /// The state lies within libc, at an address it does not tell.
    fn addresses(&self) -> Range<usize> {
        0..0
    }
}

pub(in crate::rng) struct ProcessSource<'a>(&'a Process);

impl Stream for ProcessSource<'_> {
    #[inline]
    fn word(&mut self) -> u64 {
        self.0.lrand48()
    }

    #[inline]
    fn unit(&mut self) -> f64 {
        self.0.drand48()
    }

    #[inline]
    fn bits(&mut self) -> u64 {
        bits_of(|| self.0.mrand48())
    }
}

lends_itself!(ProcessSource<'_>);

/// The process's state under a lock.
#[repr(align(4096))]
pub(in crate::rng) struct Locked {
    process: Mutex<Process>,
    start: Rand48,
}

impl Place for Locked {
    type Generator = Rand48;
    type Source<'a> = LockedSource<'a>;

    fn lay_out(setting: &Setting) -> Result<Self, String> {
        let process = Process::seeded(seed48(setting.seed))?;
        Ok(Locked { process: Mutex::new(process), start: start(Start::Seed(setting.seed)) })
    }

    fn source(&self, _index: usize, _start: Start) -> LockedSource<'_> {
        LockedSource(&self.process)
    }

    fn verify(&self, steps: &[u64]) -> Verification {
        let end = self.process.lock().unwrap_or_else(PoisonError::into_inner).state();
        verdict::shared(&self.start, &end, steps)
    }

    /// The lock; the state lies within libc.
    fn addresses(&self) -> Range<usize> {
        let start = &raw const self.process as usize;
        start..start + size_of::<Mutex<Process>>()
    }
}

pub(in crate::rng) struct LockedSource<'a>(&'a Mutex<Process>);

impl LockedSource<'_> {
    #[inline]
    fn lock(&self) -> MutexGuard<'_, Process> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stream for LockedSource<'_> {
    #[inline]
    fn word(&mut self) -> u64 {
        self.lock().lrand48()
    }

    #[inline]
    fn unit(&mut self) -> f64 {
        self.lock().drand48()
    }

    #[inline]
    fn bits(&mut self) -> u64 {
        bits_of(|| self.lock().mrand48())
    }
}

lends_itself!(LockedSource<'_>);
