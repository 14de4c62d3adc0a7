//! The loop that draws, the same wherever the state lies.

use std::marker::PhantomData;
use std::ops::Range;

use hitm_experiment::record::{Observation, Verification};
use hitm_keys::stream::Stream;

use super::choice::Task;
use super::place::{Place, Seeding, Seeds, Source};
use super::{damage, periods};
use crate::contract::{Arena, Context, Done, Kernel, Setting, Worker};
use crate::work::work;

/// One draw an operation, with so many units of work after it.
pub(super) struct Draws {
    pub(super) work: u32,
}

impl Task for Draws {
    fn kernel<P: Place>(self, seeding: Seeding) -> Box<dyn Kernel> {
        Box::new(Drawing::<P> { work: self.work, seeding, place: PhantomData })
    }
}

/// The kernel for one place.
struct Drawing<P> {
    work: u32,
    seeding: Seeding,
    place: PhantomData<fn() -> P>,
}

impl<P: Place> Kernel for Drawing<P> {
    fn lay_out(&self, setting: &Setting) -> Result<Box<dyn Arena>, String> {
        let seeds = self.seeding.of::<P::Generator>(setting)?;
        Ok(Box::new(Laid { place: P::lay_out(setting)?, work: self.work, seeds }))
    }
}

struct Laid<P> {
    place: P,
    work: u32,
    seeds: Seeds,
}

impl<P: Place> Arena for Laid<P> {
    fn worker<'a>(&'a self, context: Context<'a>) -> Box<dyn Worker + 'a> {
        let source = self.place.source(context.index, self.seeds.start(&context));
        Box::new(Drawer { source, work: self.work, sum: 0 })
    }

    fn verify(&self, totals: &[u64]) -> Verification {
        self.place.verify(totals)
    }

    fn addresses(&self) -> Range<usize> {
        self.place.addresses()
    }

    fn observe(&self, samples: &[Vec<u64>]) -> Vec<Observation> {
        let mut observations = damage::observe(samples);
        observations.push(periods::observe(samples));
        observations
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
        let (units, before) = (self.work, self.sum);
        let sum = self.source.batch(|stream| {
            let mut sum = before;
            // Two loops, so that the one without work pays nothing for asking. An exclusive or, because compilers regroup
            // a sum with the additions within a generator, to its loss.
            if units == 0 {
                for _ in 0..operations {
                    sum ^= stream.word();
                }
            } else {
                for _ in 0..operations {
                    sum = work(sum ^ stream.word(), units);
                }
            }
            sum
        });
        self.sum = sum;
        Done { operations, value: sum }
    }

    fn sample(&mut self, values: &mut [u64]) -> usize {
        let (units, mut sum) = (self.work, self.sum);
        let count = values.len();
        self.source.batch(|stream| {
            for place in values {
                *place = stream.word();
                sum = work(sum ^ *place, units);
            }
        });
        self.sum = sum;
        count
    }
}
