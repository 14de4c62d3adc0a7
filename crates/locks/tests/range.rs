//! Waits of the range locks that nobody's release would end.

use hitm_locks::{
    Deadline, LockManager, Mode, Space, Span, Transaction,
    range::{Config, RangeLocks},
};
use std::{
    thread,
    time::{Duration, Instant},
};

const T: Space = Space(0);

fn begun(manager: &RangeLocks) -> Transaction {
    let mut transaction = manager.transaction();
    manager.begin(&mut transaction, None).expect("nothing is held");
    transaction
}

fn span(left: u64, right: u64) -> Span {
    Span::new(left, right).expect("in order")
}

fn long() -> Deadline {
    Deadline::At(Instant::now() + Duration::from_secs(30))
}

/// A shared range waits for a holder's, which is another range. The holder's grows into the very same one: now it could be shared, and
/// nobody says so until the holder waits for who waits.
#[test]
fn a_wait_whose_obstacle_went_away_by_merging_is_no_deadlock() {
    let manager = &RangeLocks::new(Config { single: false, ..Config::default() }).expect("a right configuration");
    let mut holder = begun(manager);
    assert!(manager.lock(&mut holder, T, span(4, 5), Mode::Shared, Deadline::Now).is_ok());
    thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let mut waiter = begun(manager);
            assert!(manager.lock(&mut waiter, T, Span::point(20), Mode::Exclusive, Deadline::Now).is_ok());
            let outcome = manager.lock(&mut waiter, T, span(4, 6), Mode::Shared, long());
            manager.release(&mut waiter);
            outcome
        });
        thread::sleep(Duration::from_millis(20));
        assert!(manager.lock(&mut holder, T, span(5, 6), Mode::Shared, Deadline::Now).is_ok());
        let outcome = manager.lock(&mut holder, T, Span::point(20), Mode::Exclusive, long());
        manager.release(&mut holder);
        assert!(outcome.is_ok(), "{outcome:?}");
        let waited = waiting.join().expect("no panic");
        assert!(waited.is_ok(), "{waited:?}");
    });
    assert_eq!(manager.held(), 0);
}

/// Parted trees: who is alone in one of them has its locks in a list, and is in the way with them.
#[test]
fn who_is_alone_in_a_tree_is_in_the_way_of_who_waits() {
    let manager = &RangeLocks::new(Config { partitions: 2, segment: 1, ..Config::default() }).expect("right");
    for _ in 0..20 {
        let barrier = &std::sync::Barrier::new(2);
        let worker = |first: u64, second: u64| {
            move || {
                let mut transaction = begun(manager);
                let first = manager.lock(&mut transaction, T, Span::point(first), Mode::Exclusive, Deadline::Now);
                assert!(first.is_ok(), "{first:?}");
                barrier.wait();
                let outcome = manager.lock(&mut transaction, T, Span::point(second), Mode::Exclusive, long());
                manager.release(&mut transaction);
                outcome.is_ok()
            }
        };
        thread::scope(|scope| {
            let other = scope.spawn(worker(0, 1));
            let own = worker(1, 0)();
            assert!(own != other.join().expect("no panic"), "one of the two is told");
        });
    }
}
