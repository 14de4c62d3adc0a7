//! The ways in which a counter is updated. All are relaxed: nothing is published through the counters.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::contract::{Done, Worker};
use crate::work::work;

/// One way to update a counter.
pub(super) trait Update: Send + Sync + 'static {
    /// Makes a counter one greater. `done` is the number of this worker's updates before and is counted on. Gives the
    /// counter's new value.
    fn once(counter: &AtomicU64, done: &mut u64) -> u64;
}

/// Stores the running number without looking: `store`.
pub(super) struct Store;

impl Update for Store {
    #[inline]
    fn once(counter: &AtomicU64, done: &mut u64) -> u64 {
        *done += 1;
        counter.store(*done, Relaxed);
        *done
    }
}

/// A load and a store: `add`, what `count++` compiles to. Loses updates when others update between the two.
pub(super) struct Add;

impl Update for Add {
    #[inline]
    fn once(counter: &AtomicU64, done: &mut u64) -> u64 {
        *done += 1;
        let next = counter.load(Relaxed) + 1;
        counter.store(next, Relaxed);
        next
    }
}

/// One atomic read-modify-write: `fetch-add`.
pub(super) struct FetchAdd;

impl Update for FetchAdd {
    #[inline]
    fn once(counter: &AtomicU64, done: &mut u64) -> u64 {
        *done += 1;
        counter.fetch_add(1, Relaxed) + 1
    }
}

/// A load and a compare-and-exchange until it succeeds: `compare-exchange`.
pub(super) struct CompareExchange;

impl Update for CompareExchange {
    #[inline]
    fn once(counter: &AtomicU64, done: &mut u64) -> u64 {
        *done += 1;
        let mut seen = counter.load(Relaxed);
        loop {
            match counter.compare_exchange_weak(seen, seen + 1, Relaxed, Relaxed) {
                Ok(_) => return seen + 1,
                Err(now) => seen = now,
            }
        }
    }
}

/// A worker that updates a counter and works between the updates.
// Aligned so that two workers' own fields never share a line.
#[repr(align(256))]
pub(super) struct Updater<'a, U> {
    counter: &'a AtomicU64,
    done: u64,
    work: u32,
    sum: u64,
    update: PhantomData<U>,
}

impl<'a, U> Updater<'a, U> {
    pub(super) fn new(counter: &'a AtomicU64, work: u32) -> Self {
        Updater { counter, done: 0, work, sum: 0, update: PhantomData }
    }
}

impl<U: Update> Worker for Updater<'_, U> {
    fn run(&mut self, operations: u64) -> Done {
        let (counter, units) = (self.counter, self.work);
        let (mut done, mut sum) = (self.done, self.sum);
        // Two loops, so that the one without work pays nothing for asking.
        if units == 0 {
            for _ in 0..operations {
                sum = sum.wrapping_add(U::once(counter, &mut done));
            }
        } else {
            for _ in 0..operations {
                sum = work(sum.wrapping_add(U::once(counter, &mut done)), units);
            }
        }
        (self.done, self.sum) = (done, sum);
        Done { operations, value: sum }
    }
}
