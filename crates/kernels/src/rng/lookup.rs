//! The loop that draws a row and looks it up, the same wherever the generator's state lies and whatever the rows lie in.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use hitm_experiment::Parameters;
use hitm_experiment::record::{Observation, Verification};
use hitm_keys::stream::Stream;

use super::choice::{self, SEEDING, STATE, Task};
use super::damage;
use super::place::{Place, Seeding, Seeds, Source};
use crate::contract::{Arena, Context, Done, Kernel, Setting, Worker};
use crate::registry::{Made, Parameter};
use crate::work::work;

/// Rows that can be looked up: an engine's table.
pub trait Table: Send + Sync + 'static {
    /// What one worker looks them up with.
    type Reader<'a>: Reader
    where
        Self: 'a;

    /// How many rows there are, at least 1.
    fn rows(&self) -> u64;

    /// Makes a worker's reader, on its own thread.
    ///
    /// # Errors
    /// What the engine says.
    fn reader(&self) -> Result<Self::Reader<'_>, String>;
}

/// One worker's way to the rows.
pub trait Reader {
    /// Looks up a row, from 1 on, and gives something of its value.
    ///
    /// # Errors
    /// The row is not there, or another is in its place, or what the engine says.
    fn read(&mut self, row: u64) -> Result<u64, String>;
}

/// The parameters that say where the generator's state lies and how it is seeded.
pub const PARAMETERS: [Parameter; 2] = [STATE, SEEDING];

/// The parameter `work`, with its default.
pub const fn units(default: i64, help: &'static str) -> Parameter {
    crate::work::parameter(default, help)
}

/// What is observed in the numbers drawn.
pub const OBSERVATIONS: &[&str] = &damage::NAMES;

/// The kernel whose workers draw rows with a generator of that name and look them up: `open` gives the table, each trial anew or always
/// the same. `units` of work follow each.
///
/// # Errors
/// A [`Refusal`](crate::Refusal) where the generator has no such place or seeding.
pub fn kernel<T: Table>(
    generator: &str,
    parameters: &Parameters,
    units: u32,
    open: impl Fn(&Setting) -> Result<Arc<T>, String> + Send + Sync + 'static,
) -> Made {
    choice::choose(generator, parameters, Lookups { open, units })
}

struct Lookups<F> {
    open: F,
    units: u32,
}

impl<T: Table, F: Fn(&Setting) -> Result<Arc<T>, String> + Send + Sync + 'static> Task for Lookups<F> {
    fn kernel<P: Place>(self, seeding: Seeding) -> Box<dyn Kernel> {
        Box::new(LookingUp::<P, F> { lookups: self, seeding, place: PhantomData })
    }
}

struct LookingUp<P, F> {
    lookups: Lookups<F>,
    seeding: Seeding,
    place: PhantomData<fn() -> P>,
}

impl<T: Table, P: Place, F: Fn(&Setting) -> Result<Arc<T>, String> + Send + Sync> Kernel for LookingUp<P, F> {
    fn lay_out(&self, setting: &Setting) -> Result<Box<dyn Arena>, String> {
        Ok(Box::new(Laid {
            seeds: self.seeding.of::<P::Generator>(setting)?,
            place: P::lay_out(setting)?,
            table: (self.lookups.open)(setting)?,
            units: self.lookups.units,
            failed: (0..setting.workers).map(|_| OnceLock::new()).collect(),
        }))
    }
}

struct Laid<P, T> {
    place: P,
    table: Arc<T>,
    units: u32,
    seeds: Seeds,
    /// Why a worker had to stop.
    failed: Vec<OnceLock<String>>,
}

impl<P: Place, T: Table> Arena for Laid<P, T> {
    fn worker<'a>(&'a self, context: Context<'a>) -> Box<dyn Worker + 'a> {
        let failed = &self.failed[context.index];
        let reader = self.table.reader().map_err(|why| failed.get_or_init(|| why)).ok();
        let source = self.place.source(context.index, self.seeds.start(&context));
        Box::new(Looker { source, reader, rows: self.table.rows(), units: self.units, sum: 0, failed })
    }

    fn verify(&self, totals: &[u64]) -> Verification {
        let failed = |(worker, why): (usize, &OnceLock<String>)| {
            why.get().map(|why| format!("worker {worker} had to stop: {why}"))
        };
        let failed: Vec<String> = self.failed.iter().enumerate().filter_map(failed).collect();
        if failed.is_empty() { self.place.verify(totals) } else { Verification::Wrong { what: failed.join("; ") } }
    }

    fn addresses(&self) -> Range<usize> {
        self.place.addresses()
    }

    fn observe(&self, samples: &[Vec<u64>]) -> Vec<Observation> {
        damage::observe(samples)
    }
}

#[repr(align(256))]
struct Looker<'a, S, R> {
    source: S,
    /// `None` where there is none, for a reason that was told.
    reader: Option<R>,
    rows: u64,
    units: u32,
    sum: u64,
    failed: &'a OnceLock<String>,
}

impl<S: Source, R: Reader> Looker<'_, S, R> {
    /// Draws and looks up until `wanted` says that it is enough; how often.
    fn look(&mut self, mut wanted: impl FnMut(u64, u64) -> bool) -> u64 {
        let Some(reader) = &mut self.reader else { return 0 };
        let (rows, units, failed, before) = (self.rows, self.units, self.failed, self.sum);
        let (done, sum) = self.source.batch(|stream| {
            let (mut done, mut sum) = (0, before);
            loop {
                let number = stream.word();
                match reader.read(number % rows + 1) {
                    Ok(value) => sum = work(sum ^ value, units),
                    Err(why) => {
                        let _ = failed.set(why);
                        break;
                    }
                }
                done += 1;
                if !wanted(done, number) {
                    break;
                }
            }
            (done, sum)
        });
        self.sum = sum;
        if self.failed.get().is_some() {
            self.reader = None;
        }
        done
    }
}

impl<S: Source, R: Reader> Worker for Looker<'_, S, R> {
    fn run(&mut self, operations: u64) -> Done {
        let done = if operations == 0 { 0 } else { self.look(|done, _| done < operations) };
        Done { operations: done, value: self.sum }
    }

    fn sample(&mut self, values: &mut [u64]) -> usize {
        if values.is_empty() {
            return 0;
        }
        let done = self.look(|done, number| {
            values[done as usize - 1] = number;
            done < values.len() as u64
        });
        done as usize
    }
}
