//! glibc's `lrand48` in each of its places.

use crate::contract::Kernel;
use crate::registry::Refusal;
use crate::rng::next::StatePlace;

/// The generator's name.
pub(super) const NAME: &str = "glibc-lrand48";

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn kernel(_place: StatePlace, _work: u32) -> Result<Box<dyn Kernel>, Refusal> {
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
    use std::sync::{Mutex, OnceLock, PoisonError};

    use hitm_experiment::record::Verification;
    use hitm_keys::rng::{Rand48, SplitMix64};

    use super::*;
    use crate::contract::Setting;
    use crate::rng::drawing::{Drawing, Place, Source};
    use crate::rng::libc48::{Process, Reentrant, Slot, Slots};
    use crate::rng::{own, verdict};

    pub(in crate::rng) fn kernel(place: StatePlace, work: u32) -> Result<Box<dyn Kernel>, Refusal> {
        Ok(match place {
            StatePlace::SharedRacy => Drawing::<Racy>::kernel(work),
            StatePlace::SharedAtomic => {
                return Err(Refusal {
                    parameter: "state",
                    why: format!("{NAME} keeps its state inside glibc, which has no atomic step"),
                    cure: "give mutex, or the generator rand48, which draws the same numbers".to_owned(),
                });
            }
            StatePlace::Mutex => Drawing::<Locked>::kernel(work),
            StatePlace::Packed => Drawing::<Array<false>>::kernel(work),
            StatePlace::Padded => Drawing::<Array<true>>::kernel(work),
            StatePlace::ThreadLocal => Drawing::<Local>::kernel(work),
        })
    }

    /// The 32 bits that `srand48` takes, for a 64-bit seed.
    fn seed48(seed: u64) -> u32 {
        (SplitMix64::new(seed).draw() >> 32) as u32
    }

    fn start(seed: u64) -> Rand48 {
        Rand48::srand48(seed48(seed))
    }

    /// The real thing: the process's one state, which glibc steps without a lock.
    struct Racy {
        process: Process,
        start: Rand48,
    }

    impl Place for Racy {
        type Source<'a> = ProcessSource<'a>;

        fn lay_out(setting: &Setting) -> Result<Self, String> {
            Ok(Racy { process: Process::seeded(seed48(setting.seed))?, start: start(setting.seed) })
        }

        fn source(&self, _index: usize, _seed: u64) -> ProcessSource<'_> {
            ProcessSource(&self.process)
        }

        fn verify(&self, totals: &[u64]) -> Verification {
            verdict::racy(&self.start, &self.process.state(), totals)
        }

        /// The state lies within libc, at an address it does not tell.
        fn addresses(&self) -> Range<usize> {
            0..0
        }
    }

    struct ProcessSource<'a>(&'a Process);

    impl Source for ProcessSource<'_> {
        #[inline]
        fn draw(&mut self) -> u64 {
            self.0.lrand48()
        }
    }

    /// The process's state under a lock.
    #[repr(align(4096))]
    struct Locked {
        process: Mutex<Process>,
        start: Rand48,
    }

    impl Place for Locked {
        type Source<'a> = LockedSource<'a>;

        fn lay_out(setting: &Setting) -> Result<Self, String> {
            let process = Process::seeded(seed48(setting.seed))?;
            Ok(Locked { process: Mutex::new(process), start: start(setting.seed) })
        }

        fn source(&self, _index: usize, _seed: u64) -> LockedSource<'_> {
            LockedSource(&self.process)
        }

        fn verify(&self, totals: &[u64]) -> Verification {
            let end = self.process.lock().unwrap_or_else(PoisonError::into_inner).state();
            verdict::shared(&self.start, &end, totals)
        }

        /// The lock; the state lies within libc.
        fn addresses(&self) -> Range<usize> {
            let start = &raw const self.process as usize;
            start..start + size_of::<Mutex<Process>>()
        }
    }

    struct LockedSource<'a>(&'a Mutex<Process>);

    impl Source for LockedSource<'_> {
        #[inline]
        fn draw(&mut self) -> u64 {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).lrand48()
        }
    }

    /// A start and an end for each worker, set when the worker is dropped.
    type Left = OnceLock<(Rand48, Rand48)>;

    fn nothing_left(workers: usize) -> Vec<Left> {
        (0..workers).map(|_| OnceLock::new()).collect()
    }

    fn verdict_of(left: &[Left], totals: &[u64]) -> Verification {
        verdict::own(left.iter().map(|states| states.get().cloned()), totals)
    }

    /// `drand48_data` of all workers in one array.
    struct Array<const PADDED: bool> {
        slots: Slots,
        left: Vec<Left>,
    }

    impl<const PADDED: bool> Place for Array<PADDED> {
        type Source<'a> = SlotSource<'a>;

        fn lay_out(setting: &Setting) -> Result<Self, String> {
            let stride = if PADDED { own::padded_stride(setting, Slots::BYTES) } else { Slots::BYTES };
            Ok(Array { slots: Slots::new(setting.workers, stride, setting.seed), left: nothing_left(setting.workers) })
        }

        fn source(&self, index: usize, seed: u64) -> SlotSource<'_> {
            let slot = self.slots.take(index, &Reentrant::seeded(seed48(seed)));
            SlotSource { slot, start: start(seed), left: &self.left[index] }
        }

        fn verify(&self, totals: &[u64]) -> Verification {
            verdict_of(&self.left, totals)
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

    impl Source for SlotSource<'_> {
        #[inline]
        fn draw(&mut self) -> u64 {
            self.slot.lrand48()
        }
    }

    impl Drop for SlotSource<'_> {
        fn drop(&mut self) {
            let _ = self.left.set((self.start.clone(), self.slot.state()));
        }
    }

    /// `lrand48_r` on a state of the worker's own.
    struct Local(Vec<Left>);

    impl Place for Local {
        type Source<'a> = LocalSource<'a>;

        fn lay_out(setting: &Setting) -> Result<Self, String> {
            Ok(Local(nothing_left(setting.workers)))
        }

        fn source(&self, index: usize, seed: u64) -> LocalSource<'_> {
            LocalSource { state: Reentrant::seeded(seed48(seed)), start: start(seed), left: &self.0[index] }
        }

        fn verify(&self, totals: &[u64]) -> Verification {
            verdict_of(&self.0, totals)
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

    impl Source for LocalSource<'_> {
        #[inline]
        fn draw(&mut self) -> u64 {
            self.state.lrand48()
        }
    }

    impl Drop for LocalSource<'_> {
        fn drop(&mut self) {
            let _ = self.left.set((self.start.clone(), self.state.state()));
        }
    }
}
