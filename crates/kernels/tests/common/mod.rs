//! A trial without clock or pinning: what the tests of all kernels need of a runner.

#![allow(dead_code)] // Each test program uses a part.

use std::sync::Barrier;
use std::time::Duration;

use hitm_experiment::record::{Observation, Verification};
use hitm_experiment::{Parameters, Value};
use hitm_kernels::time::OsTime;
use hitm_kernels::{Arena, Context, Done, Kernel, Registry, Setting, StopToken};

/// Longer than any test takes.
const LONG: Duration = Duration::from_secs(3600);

pub fn parameters<const N: usize>(given: [(&str, Value); N]) -> Parameters {
    given.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

pub fn kernel<const N: usize>(name: &str, given: [(&str, Value); N]) -> Box<dyn Kernel> {
    let registry = Registry::built_in();
    let entry = registry.find(name).unwrap_or_else(|| panic!("{name} is built in"));
    entry.make(&parameters(given)).unwrap_or_else(|faults| panic!("{name}: {faults:?}"))
}

pub fn lay_out(kernel: &dyn Kernel, workers: usize) -> Box<dyn Arena> {
    kernel.lay_out(&Setting { workers, line_bytes: 64, seed: 7, common_seed: 5 }).unwrap_or_else(|why| panic!("{why}"))
}

/// Runs worker w in the batches `batches[w]`, all workers at once, and gives what each batch gave.
pub fn run(arena: &dyn Arena, batches: &[Vec<u64>], stop: &StopToken) -> Vec<Vec<Done>> {
    let start = Barrier::new(batches.len());
    std::thread::scope(|scope| {
        let threads: Vec<_> = batches
            .iter()
            .enumerate()
            .map(|(index, batches)| {
                let start = &start;
                scope.spawn(move || {
                    let time = OsTime::lasting(LONG);
                    let mut worker = arena.worker(Context { index, seed: 100 + index as u64, stop, time: &time });
                    start.wait();
                    batches.iter().map(|&operations| worker.run(operations)).collect()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no worker panics")).collect()
    })
}

/// Runs all batches to their end, checks that each did what it was asked, and verifies.
pub fn verify(kernel: &dyn Kernel, batches: &[Vec<u64>]) -> Verification {
    let arena = lay_out(kernel, batches.len());
    let done = run(&*arena, batches, &StopToken::default());
    for (done, asked) in done.iter().zip(batches) {
        assert_eq!(done.iter().map(|done| done.operations).collect::<Vec<_>>(), *asked);
    }
    arena.verify(&batches.iter().map(|batches| batches.iter().sum()).collect::<Vec<_>>())
}

/// Lets `workers` workers keep `count` values each, all at once. Gives the values, what is observed in them and the
/// verification.
pub fn sample(kernel: &dyn Kernel, workers: usize, count: usize) -> (Vec<Vec<u64>>, Vec<Observation>, Verification) {
    let arena = lay_out(kernel, workers);
    let (start, stop) = (Barrier::new(workers), StopToken::default());
    let samples: Vec<Vec<u64>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers)
            .map(|index| {
                let (arena, start, stop) = (&*arena, &start, &stop);
                scope.spawn(move || {
                    let time = OsTime::lasting(LONG);
                    let mut worker = arena.worker(Context { index, seed: 100 + index as u64, stop, time: &time });
                    let mut values = vec![u64::MAX; count];
                    start.wait();
                    let kept = worker.sample(&mut values);
                    values.truncate(kept);
                    values
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no worker panics")).collect()
    });
    let totals: Vec<_> = samples.iter().map(|values| values.len() as u64).collect();
    let verification = arena.verify(&totals);
    let observations = arena.observe(&samples);
    (samples, observations, verification)
}
