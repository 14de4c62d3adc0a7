//! The ways in which a counter is updated. All are relaxed: nothing is published through the counters.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

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
