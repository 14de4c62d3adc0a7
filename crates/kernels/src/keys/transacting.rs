//! The loop that draws transactions, the same wherever the generator's state lies.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::OnceLock;

use hitm_experiment::record::{Observation, Verification};
use hitm_keys::Refusal;
use hitm_keys::stream::{Counted, Kept, Stream, Taken};
use hitm_keys::transaction::{Any, Asked, Entry, Text, Transaction};

use crate::contract::{Arena, Context, Done, Kernel, Setting, Worker};
use crate::rng::choice::Task;
use crate::rng::damage;
use crate::rng::place::{Place, Run, Seeding, Seeds, Source, steps};
use crate::work::work;

/// The transactions wanted.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub(super) workload: &'static Entry,
    pub(super) rows: u64,
    pub(super) dist: Option<&'static str>,
    pub(super) text: Text,
}

impl Wanted {
    /// Makes them, with counters of their own where they have any.
    pub(super) fn make(&self) -> Result<Any, Vec<Refusal>> {
        self.workload.build(&Asked { rows: self.rows, tables: 1, dist: self.dist, text: self.text })
    }
}

/// One transaction an operation, with so many units of work spread over its statements.
pub(super) struct Transactions {
    pub(super) wanted: Wanted,
    pub(super) work: u32,
}

impl Task for Transactions {
    fn kernel<P: Place>(self, seeding: Seeding) -> Box<dyn Kernel> {
        Box::new(Transacting::<P> { transactions: self, seeding, place: PhantomData })
    }
}

struct Transacting<P> {
    transactions: Transactions,
    seeding: Seeding,
    place: PhantomData<fn() -> P>,
}

impl<P: Place> Kernel for Transacting<P> {
    fn lay_out(&self, setting: &Setting) -> Result<Box<dyn Arena>, String> {
        let transaction = self
            .transactions
            .wanted
            .make()
            .map_err(|refusals| refusals.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
        Ok(Box::new(Laid {
            place: P::lay_out(setting)?,
            transaction,
            work: self.transactions.work,
            seeds: self.seeding.of::<P::Generator>(setting)?,
            taken: (0..setting.workers).map(|_| OnceLock::new()).collect(),
        }))
    }
}

struct Laid<P> {
    place: P,
    transaction: Any,
    work: u32,
    seeds: Seeds,
    /// What each worker took, told when it is dropped.
    taken: Vec<OnceLock<Taken>>,
}

impl<P: Place> Arena for Laid<P> {
    fn worker<'a>(&'a self, context: Context<'a>) -> Box<dyn Worker + 'a> {
        let statements = self.transaction.statements().max(1);
        Box::new(Transactor {
            source: self.place.source(context.index, self.seeds.start(&context)),
            script: Script {
                transaction: &self.transaction,
                work_a_statement: self.work / statements,
                work_at_end: self.work % statements,
            },
            sum: 0,
            taken: Taken::default(),
            told: &self.taken[context.index],
        })
    }

    fn verify(&self, totals: &[u64]) -> Verification {
        let taken = totals.iter().zip(&self.taken).enumerate().map(|(worker, (&total, taken))| match taken.get() {
            Some(taken) if total == 0 || taken.all() > 0 => Ok(steps::<P::Generator>(*taken)),
            None if total == 0 => Ok(0),
            _ => Err(format!("worker {worker} made {total} transactions and tells of no number taken")),
        });
        match taken.collect::<Result<Vec<_>, _>>() {
            Ok(steps) => self.place.verify(&steps),
            Err(what) => Verification::Wrong { what },
        }
    }

    fn addresses(&self) -> Range<usize> {
        self.place.addresses()
    }

    fn observe(&self, samples: &[Vec<u64>]) -> Vec<Observation> {
        damage::observe(samples)
    }
}

#[repr(align(256))]
struct Transactor<'a, S> {
    source: S,
    script: Script<'a>,
    sum: u64,
    taken: Taken,
    told: &'a OnceLock<Taken>,
}

/// What is done in a transaction.
#[derive(Clone, Copy)]
struct Script<'a> {
    transaction: &'a Any,
    work_a_statement: u32,
    work_at_end: u32,
}

impl Script<'_> {
    /// One transaction; `false` when there are no more keys.
    #[inline]
    fn transact(&self, stream: &mut impl Stream, sum: &mut u64) -> bool {
        let drawn = self.transaction.draw(stream, |key| *sum = elsewhere(*sum ^ key, self.work_a_statement));
        *sum = elsewhere(*sum, self.work_at_end);
        drawn.is_some()
    }
}

impl<S: Source> Worker for Transactor<'_, S> {
    fn run(&mut self, operations: u64) -> Done {
        let batch = Batch { script: self.script, operations, sum: self.sum };
        let (done, taken) = self.source.counted(batch);
        self.taken += taken;
        self.sum = done.value;
        done
    }

    fn sample(&mut self, values: &mut [u64]) -> usize {
        let (script, mut sum, wanted) = (self.script, self.sum, values.len());
        let (kept, taken) = self.source.batch(|stream| {
            let mut counted = Counted::new(stream);
            let mut kept = Kept::new(&mut counted, values);
            // Not compiled once more for each place: times do not count here.
            while kept.kept() < wanted && script.transact(&mut (&mut kept as &mut dyn Stream), &mut sum) {}
            (kept.kept(), counted.taken())
        });
        self.taken += taken;
        self.sum = sum;
        kept
    }
}

/// Work that is not inlined: it stands behind every statement of every transaction and kind of stream.
#[inline(never)]
fn elsewhere(value: u64, units: u32) -> u64 {
    work(value, units)
}

/// So many transactions.
struct Batch<'a> {
    script: Script<'a>,
    operations: u64,
    sum: u64,
}

impl Run for Batch<'_> {
    type Result = Done;

    fn run(self, stream: &mut Counted<impl Stream>) -> Done {
        let Batch { script, operations, mut sum } = self;
        let mut done = 0;
        while done < operations && script.transact(stream, &mut sum) {
            done += 1;
        }
        Done { operations: done, value: sum }
    }
}

impl<S> Drop for Transactor<'_, S> {
    fn drop(&mut self) {
        // A second worker of the same index would be the runner's fault; what the first one took stands.
        let _ = self.told.set(self.taken);
    }
}
