//! `drand48_data` of each worker's own, which the functions that end in `_r` step.

use std::ops::Range;
use std::sync::OnceLock;

use hitm_experiment::record::Verification;
use hitm_keys::rng::Rand48;
use hitm_keys::stream::Stream;

use super::seeds::{self, bits_of};
use crate::contract::Setting;
use crate::rng::libc48::{Reentrant, Slot, Slots};
use crate::rng::own::padded_stride;
use crate::rng::place::{Place, Source, Start, lends_itself};
use crate::rng::verdict;

/// A start and an end for each worker, set when the worker is dropped.
type Left = OnceLock<(Rand48, Rand48)>;

fn nothing_left(workers: usize) -> Vec<Left> {
    (0..workers).map(|_| OnceLock::new()).collect()
}

fn verdict_of(left: &[Left], steps: &[u64]) -> Verification {
    verdict::own(left.iter().map(|states| states.get().cloned()), steps)
}

/// `drand48_data` of all workers in one array.
pub(in crate::rng) struct Array<const PADDED: bool> {
    slots: Slots,
    left: Vec<Left>,
}

impl<const PADDED: bool> Place for Array<PADDED> {
    type Generator = Rand48;
    type Source<'a> = SlotSource<'a>;

    fn lay_out(setting: &Setting) -> Result<Self, String> {
        let stride = if PADDED { padded_stride(setting, Slots::BYTES) } else { Slots::BYTES };
        Ok(Array { slots: Slots::new(setting.workers, stride, setting.seed), left: nothing_left(setting.workers) })
    }

    fn source(&self, index: usize, start: Start) -> SlotSource<'_> {
        let slot = self.slots.take(index, &seeds::reentrant(start));
        SlotSource { slot, start: seeds::start(start), left: &self.left[index] }
    }

    fn verify(&self, steps: &[u64]) -> Verification {
        verdict_of(&self.left, steps)
    }

    fn addresses(&self) -> Range<usize> {
        self.slots.addresses()
    }
}

pub(in crate::rng) struct SlotSource<'a> {
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
pub(in crate::rng) struct Local(Vec<Left>);

impl Place for Local {
    type Generator = Rand48;
    type Source<'a> = LocalSource<'a>;

    fn lay_out(setting: &Setting) -> Result<Self, String> {
        Ok(Local(nothing_left(setting.workers)))
    }

    fn source(&self, index: usize, start: Start) -> LocalSource<'_> {
        LocalSource { state: seeds::reentrant(start), start: seeds::start(start), left: &self.0[index] }
    }

    fn verify(&self, steps: &[u64]) -> Verification {
        verdict_of(&self.0, steps)
    }

    fn addresses(&self) -> Range<usize> {
        0..0
    }
}

pub(in crate::rng) struct LocalSource<'a> {
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
