//! The loop that draws, the same wherever the state lies.

use std::marker::PhantomData;
use std::ops::Range;

use hitm_experiment::record::{Observation, Verification};

use super::damage;
use crate::contract::{Arena, Context, Done, Kernel, Setting, Worker};
use crate::work::work;

/// Where a worker draws from.
pub(super) trait Source {
    /// The next value.
    fn draw(&mut self) -> u64;

    /// Hands the next `count` values on. A source that is a worker's own works on a copy here, so that it can stay in
    /// registers.
    #[inline]
    fn each(&mut self, count: u64, mut take: impl FnMut(u64)) {
        for _ in 0..count {
            take(self.draw());
        }
    }
}

/// Where the state or the states of one trial lie.
pub(super) trait Place: Sized + Send + Sync + 'static {
    /// What one worker draws from.
    type Source<'a>: Source
    where
        Self: 'a;

    /// Lays them out, a shared state seeded from the trial's seed.
    fn lay_out(setting: &Setting) -> Result<Self, String>;

    /// One worker's source, a state of its own seeded from its own seed.
    fn source(&self, index: usize, seed: u64) -> Self::Source<'_>;

    /// Holds the states to the draws made.
    fn verify(&self, totals: &[u64]) -> Verification;

    /// What the workers share.
    fn addresses(&self) -> Range<usize>;
}

/// The kernel for one place.
pub(super) struct Drawing<P> {
    work: u32,
    place: PhantomData<fn() -> P>,
}

impl<P: Place> Drawing<P> {
    pub(super) fn kernel(work: u32) -> Box<dyn Kernel> {
        Box::new(Drawing::<P> { work, place: PhantomData })
    }
}

impl<P: Place> Kernel for Drawing<P> {
    fn lay_out(&self, setting: &Setting) -> Result<Box<dyn Arena>, String> {
        Ok(Box::new(Laid { place: P::lay_out(setting)?, work: self.work }))
    }
}

struct Laid<P> {
    place: P,
    work: u32,
}

impl<P: Place> Arena for Laid<P> {
    fn worker<'a>(&'a self, context: Context<'a>) -> Box<dyn Worker + 'a> {
        Box::new(Drawer { source: self.place.source(context.index, context.seed), work: self.work, sum: 0 })
    }

    fn verify(&self, totals: &[u64]) -> Verification {
        self.place.verify(totals)
    }

    fn addresses(&self) -> Range<usize> {
        self.place.addresses()
    }

    fn observe(&self, samples: &[Vec<u64>]) -> Vec<Observation> {
        damage::observe(samples)
    }
}

#[repr(align(256))]
struct Drawer<S> {
    source: S,
    work: u32,
    sum: u64,
}

impl<S: Source> Worker for Drawer<S> {
    fn run(&mut self, operations: u64) -> Done {
        let (units, mut sum) = (self.work, self.sum);
        // Two loops, so that the one without work pays nothing for asking. An exclusive or, because compilers regroup
        // a sum with the additions within a generator, to its loss.
        if units == 0 {
            self.source.each(operations, |value| sum ^= value);
        } else {
            self.source.each(operations, |value| sum = work(sum ^ value, units));
        }
        self.sum = sum;
        Done { operations, value: sum }
    }

    fn sample(&mut self, values: &mut [u64]) -> usize {
        let (units, mut sum) = (self.work, self.sum);
        let count = values.len();
        let mut places = values.iter_mut();
        self.source.each(count as u64, |value| {
            if let Some(place) = places.next() {
                *place = value;
            }
            sum = work(sum ^ value, units);
        });
        self.sum = sum;
        count
    }
}
