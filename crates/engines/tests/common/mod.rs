//! Kernels of engines, made and run as a runner does.

#![allow(dead_code)] // Each test program uses a part.

use hitm_experiment::Value;
use hitm_experiment::record::{Observation, Verification};
use hitm_kernels::time::OsTime;
use hitm_kernels::{Context, Fault, Kernel, Setting, StopToken};

/// A kernel of this build, or what is wrong.
pub fn make(kernel: &str, given: Vec<(&str, Value)>) -> Result<Box<dyn Kernel>, Vec<Fault>> {
    let given = given.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    hitm_engines::registry().find(kernel).expect("it is known").make(&given)
}

/// What comes of each worker's doing so many operations at once.
pub fn verify(kernel: &dyn Kernel, operations: &[u64]) -> Verification {
    let (arena, stop) = (kernel.lay_out(&setting(operations.len())).unwrap(), StopToken::default());
    let (arena, stop) = (&*arena, &stop);
    let totals: Vec<u64> = std::thread::scope(|scope| {
        let worker = |(index, &operations): (usize, &u64)| {
            scope.spawn(move || {
                let time = OsTime::lasting(std::time::Duration::from_secs(3600));
                arena.worker(Context { index, seed: index as u64 + 1, stop, time: &time }).run(operations).operations
            })
        };
        let workers: Vec<_> = operations.iter().enumerate().map(worker).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    assert_eq!(totals, operations, "each did what it was asked to");
    arena.verify(&totals)
}

/// What is seen in so many values of each worker.
pub fn sample(kernel: &dyn Kernel, workers: usize, values: usize) -> (Vec<Observation>, Verification) {
    let (arena, stop) = (kernel.lay_out(&setting(workers)).unwrap(), StopToken::default());
    let (arena, stop) = (&*arena, &stop);
    let samples: Vec<Vec<u64>> = std::thread::scope(|scope| {
        let worker = |index| {
            scope.spawn(move || {
                let time = OsTime::lasting(std::time::Duration::from_secs(3600));
                let mut sampled = vec![0; values];
                let mut worker = arena.worker(Context { index, seed: index as u64 + 1, stop, time: &time });
                let kept = worker.sample(&mut sampled);
                sampled.truncate(kept);
                sampled
            })
        };
        let workers: Vec<_> = (0..workers).map(worker).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    let totals: Vec<u64> = samples.iter().map(|sample| sample.len() as u64).collect();
    (arena.observe(&samples), arena.verify(&totals))
}

fn setting(workers: usize) -> Setting {
    Setting { workers, line_bytes: 64, seed: 7, common_seed: 5 }
}
