//! glibc's `lrand48` in each of its places.

use super::choice::{StatePlace, Task};
use super::place::Seeding;
use crate::contract::Kernel;
use crate::registry::Refusal;

/// The generator's name.
pub(super) const NAME: &str = "glibc-lrand48";

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn kernel(_place: StatePlace, _seeding: Seeding, _task: impl Task) -> Result<Box<dyn Kernel>, Refusal> {
    Err(Refusal {
        parameter: "generator",
        why: format!("{NAME} is in glibc and this program is not linked with it"),
        cure: "give rand48, which draws the same numbers".to_owned(),
    })
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) use on_glibc::kernel;

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod on_glibc {
    use std::ops::Range;
    use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

    use hitm_experiment::record::Verification;
    use hitm_keys::rng::{Rand48, SplitMix64};
    use hitm_keys::stream::Stream;

    use super::*;
    use crate::contract::Setting;
    use crate::rng::libc48::{Process, Reentrant, Slot, Slots};
    use crate::rng::place::{Place, Source, Start, lends_itself};
    use crate::rng::{own, verdict};

    pub(in crate::rng) fn kernel(
        place: StatePlace,
        seeding: Seeding,
        task: impl Task,
    ) -> Result<Box<dyn Kernel>, Refusal> {
        Ok(match place {
            StatePlace::SharedRacy => task.kernel::<Racy>(seeding),
            StatePlace::SharedAtomic => {
                return Err(Refusal {
                    parameter: "state",
                    why: format!("{NAME} keeps its state inside glibc, which has no atomic step"),
                    cure: "give mutex, or the generator rand48, which draws the same numbers".to_owned(),
                });
            }
            StatePlace::Mutex => task.kernel::<Locked>(seeding),
            StatePlace::Packed => task.kernel::<Array<false>>(seeding),
            StatePlace::Padded => task.kernel::<Array<true>>(seeding),
            StatePlace::ThreadLocal => task.kernel::<Local>(seeding),
        })
    }

    /// The 32 bits that `srand48` takes, for a 64-bit seed.
    fn seed48(seed: u64) -> u32 {
        (SplitMix64::new(seed).draw() >> 32) as u32
    }

    fn start(start: Start) -> Rand48 {
        match start {
            Start::Seed(seed) => Rand48::srand48(seed48(seed)),
            Start::Zero => start.generator(),
        }
    }

    fn reentrant(start: Start) -> Reentrant {
        match start {
            Start::Seed(seed) => Reentrant::seeded(seed48(seed)),
            Start::Zero => Reentrant::unseeded(),
        }
    }

    /// 64 bits of two numbers, the lower ones first.
    #[inline]
    fn bits_of(mut mrand48: impl FnMut() -> u32) -> u64 {
        let low = u64::from(mrand48());
        low | u64::from(mrand48()) << 32
    }

    /// The real thing: the process's one state, which glibc steps without a lock.
    struct Racy {
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

    struct ProcessSource<'a>(&'a Process);

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
    struct Locked {
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

    struct LockedSource<'a>(&'a Mutex<Process>);

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

    /// A start and an end for each worker, set when the worker is dropped.
    type Left = OnceLock<(Rand48, Rand48)>;

    fn nothing_left(workers: usize) -> Vec<Left> {
        (0..workers).map(|_| OnceLock::new()).collect()
    }

    fn verdict_of(left: &[Left], steps: &[u64]) -> Verification {
        verdict::own(left.iter().map(|states| states.get().cloned()), steps)
    }

    /// `drand48_data` of all workers in one array.
    struct Array<const PADDED: bool> {
        slots: Slots,
        left: Vec<Left>,
    }

    impl<const PADDED: bool> Place for Array<PADDED> {
        type Generator = Rand48;
        type Source<'a> = SlotSource<'a>;

        fn lay_out(setting: &Setting) -> Result<Self, String> {
            let stride = if PADDED { own::padded_stride(setting, Slots::BYTES) } else { Slots::BYTES };
            Ok(Array { slots: Slots::new(setting.workers, stride, setting.seed), left: nothing_left(setting.workers) })
        }

        fn source(&self, index: usize, start: Start) -> SlotSource<'_> {
            let slot = self.slots.take(index, &reentrant(start));
            SlotSource { slot, start: self::start(start), left: &self.left[index] }
        }

        fn verify(&self, steps: &[u64]) -> Verification {
            verdict_of(&self.left, steps)
        }

        fn addresses(&self) -> Range<usize> {
            self.slots.addresses()
        }
    }

    struct SlotSource<'a> {
        slot: Slot<'a>,
        start: Rand48,
        left: &'a Left,
    }

    impl Stream for SlotSource<'_> {
        #[inline]
        fn word(&mut self) -> u64 {
            self.slot.lrand48()
        }

        #[inline]
        fn unit(&mut self) -> f64 {
            self.slot.drand48()
        }

        #[inline]
        fn bits(&mut self) -> u64 {
            bits_of(|| self.slot.mrand48())
        }
    }

    lends_itself!(SlotSource<'_>);

    impl Drop for SlotSource<'_> {
        fn drop(&mut self) {
            let _ = self.left.set((self.start.clone(), self.slot.state()));
        }
    }

    /// `lrand48_r` on a state of the worker's own.
    struct Local(Vec<Left>);

    impl Place for Local {
        type Generator = Rand48;
        type Source<'a> = LocalSource<'a>;

        fn lay_out(setting: &Setting) -> Result<Self, String> {
            Ok(Local(nothing_left(setting.workers)))
        }

        fn source(&self, index: usize, start: Start) -> LocalSource<'_> {
            LocalSource { state: reentrant(start), start: self::start(start), left: &self.0[index] }
        }

        fn verify(&self, steps: &[u64]) -> Verification {
            verdict_of(&self.0, steps)
        }

        fn addresses(&self) -> Range<usize> {
            0..0
        }
    }

    struct LocalSource<'a> {
        state: Reentrant,
        start: Rand48,
        left: &'a Left,
    }

    impl Stream for LocalSource<'_> {
        #[inline]
        fn word(&mut self) -> u64 {
            self.state.lrand48()
        }

        #[inline]
        fn unit(&mut self) -> f64 {
            self.state.drand48()
        }

        #[inline]
        fn bits(&mut self) -> u64 {
            bits_of(|| self.state.mrand48())
        }
    }

    lends_itself!(LocalSource<'_>);

    impl Drop for LocalSource<'_> {
        fn drop(&mut self) {
            let _ = self.left.set((self.start.clone(), self.state.state()));
        }
    }
}
