//! The plain locks on real threads: one at a time, nobody is forgotten, and what fairness says.

use hitm_locks::{
    Mode,
    simple::{Fairness, Mcs, Mutual, ReadWrite, SimpleLock, Spin, Ticket},
};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    thread,
};

fn locks(workers: usize) -> Vec<Box<dyn SimpleLock>> {
    let spin = Spin { looks_before_yield: Some(10) };
    vec![
        Box::new(Mutual::new(workers)),
        Box::new(ReadWrite::new(workers)),
        Box::new(Ticket::new(workers, spin)),
        Box::new(Mcs::new(workers, spin)),
    ]
}

#[test]
fn one_is_let_in_at_a_time_and_all_get_their_turns() {
    const WORKERS: u64 = 6;
    const PASSAGES: u64 = 500;
    for lock in locks(WORKERS as usize) {
        let count = AtomicU64::new(0);
        let total = thread::scope(|scope| {
            let worker = |worker| {
                let (lock, count) = (&lock, &count);
                scope.spawn(move || {
                    let mut fairness = Fairness::default();
                    for _ in 0..PASSAGES {
                        // Not one step: only a lock makes it whole.
                        fairness.note(lock.with(worker, Mode::Exclusive, &mut || {
                            let now = count.load(Relaxed);
                            count.store(now + 1, Relaxed);
                        }));
                    }
                    fairness
                })
            };
            let workers: Vec<_> = (0..WORKERS as usize).map(worker).collect();
            let mut total = Fairness::default();
            workers.into_iter().for_each(|worker| total.add(&worker.join().expect("no panic")));
            total
        });
        assert_eq!(count.load(Relaxed), WORKERS * PASSAGES, "{}", lock.name());
        assert_eq!(total.passages, WORKERS * PASSAGES, "{}", lock.name());
        assert!(total.passed_most <= total.passed, "{}: {total:?}", lock.name());
        assert!(total.waited <= total.passages, "{}: {total:?}", lock.name());
    }
}

#[test]
fn alone_nobody_waits_or_passes() {
    for lock in locks(2) {
        let mut fairness = Fairness::default();
        (0..10).for_each(|_| fairness.note(lock.with(1, Mode::Shared, &mut || {})));
        assert_eq!(fairness, Fairness { passages: 10, ..Fairness::default() }, "{}", lock.name());
    }
}

#[test]
fn shared_holders_go_together_where_the_lock_says_so() {
    for lock in locks(2).into_iter().filter(|lock| lock.shares()) {
        let barrier = std::sync::Barrier::new(2);
        // Each waits for the other inside: that ends only where both are let in.
        thread::scope(|scope| {
            for worker in 0..2 {
                let (lock, barrier) = (&lock, &barrier);
                scope.spawn(move || {
                    lock.with(worker, Mode::Shared, &mut || {
                        barrier.wait();
                    })
                });
            }
        });
    }
}

#[test]
fn work_that_panics_leaves_the_lock_free() {
    for lock in locks(2) {
        let panicked = catch_unwind(AssertUnwindSafe(|| lock.with(0, Mode::Exclusive, &mut || panic!("on purpose"))));
        assert!(panicked.is_err());
        let mut entered = false;
        lock.with(1, Mode::Exclusive, &mut || entered = true);
        assert!(entered, "{}", lock.name());
    }
}
