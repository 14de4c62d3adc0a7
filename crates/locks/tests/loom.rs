//! Every order of a few threads' steps, on shrunk models: loom tries them all, up to a bound of preemptions. It knows no time, so a
//! lost wake-up is a deadlock, which it reports.
//!
//! `cargo test -p hitm-locks --features loom --release --test loom`

use hitm_locks::{
    Deadline, LockManager, Mode, Refused, Space, Span, point, queue, range,
    simple::{Mcs, Mutual, ReadWrite, SimpleLock, Spin, Ticket},
};
use loom::{
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    thread,
};
use std::sync::Arc;

const T: Space = Space(0);
const X: Mode = Mode::Exclusive;

type Make = fn() -> Arc<dyn LockManager>;

fn model(preemptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(model);
}

/// Locks, looks whether it is alone where it must be, releases.
fn visit(manager: &dyn LockManager, spans: &[Span], inside: &[AtomicUsize]) {
    let mut transaction = manager.transaction();
    manager.begin(&mut transaction, None).expect("nothing is held");
    for &span in spans {
        assert!(manager.lock(&mut transaction, T, span, X, Deadline::Never).is_ok());
    }
    let keys = || spans.iter().flat_map(|span| span.left()..=span.right());
    keys().for_each(|key| assert_eq!(inside[key as usize].swap(1, Relaxed), 0, "two hold key {key}"));
    keys().for_each(|key| inside[key as usize].store(0, Relaxed));
    manager.release(&mut transaction);
}

/// Workers that visit these spans at the same time, the last of them on the main thread; nothing is left at the end.
fn together(make: Make, preemptions: usize, visits: &'static [&'static [(u64, u64)]]) {
    model(preemptions, move || {
        let manager = make();
        let inside: Arc<Vec<AtomicUsize>> = Arc::new((0..4).map(|_| AtomicUsize::new(0)).collect());
        let spans = |visit: &[(u64, u64)]| -> Vec<Span> {
            visit.iter().map(|&(left, right)| Span::new(left, right).expect("in order")).collect()
        };
        let (last, others) = visits.split_last().expect("visits");
        let others: Vec<_> = others
            .iter()
            .map(|other| {
                let (manager, inside, spans) = (Arc::clone(&manager), Arc::clone(&inside), spans(other));
                thread::spawn(move || visit(&*manager, &spans, &inside))
            })
            .collect();
        visit(&*manager, &spans(last), &inside);
        others.into_iter().for_each(|other| other.join().expect("no panic"));
        assert_eq!(manager.held(), 0);
    });
}

/// A wait for a lock that is never released, cancelled while it begins.
fn cancelled(make: Make, preemptions: usize, all: bool) {
    model(preemptions, move || {
        let manager = make();
        let mut holder = manager.transaction();
        manager.begin(&mut holder, None).expect("nothing is held");
        assert!(manager.lock(&mut holder, T, Span::point(1), X, Deadline::Never).is_ok());
        let mut waiter = manager.transaction();
        manager.begin(&mut waiter, None).expect("nothing is held");
        let canceller = waiter.canceller();
        let waiting = {
            let manager = Arc::clone(&manager);
            thread::spawn(move || {
                let outcome = manager.lock(&mut waiter, T, Span::point(1), X, Deadline::Never);
                assert_eq!(outcome, Err(Refused::Cancelled));
                manager.release(&mut waiter);
            })
        };
        if all {
            manager.close()
        } else {
            manager.cancel(&canceller)
        }
        waiting.join().expect("no panic");
        manager.release(&mut holder);
        assert_eq!(manager.held(), 0);
    });
}

/// Two that lock each other's key: one of them is told, and both end. A third may pass by one of the keys, so that who is in the way
/// changes while one of the two finds out.
fn deadlock(make: Make, preemptions: usize, third: bool) {
    model(preemptions, move || {
        let manager = make();
        let worker = |first: u64, second: u64| {
            let manager = Arc::clone(&manager);
            move || {
                let mut transaction = manager.transaction();
                manager.begin(&mut transaction, None).expect("nothing is held");
                let held = manager.lock(&mut transaction, T, Span::point(first), X, Deadline::Never);
                assert!(held.is_ok(), "{held:?}");
                let outcome = manager.lock(&mut transaction, T, Span::point(second), X, Deadline::Never);
                assert!(matches!(outcome, Ok(_) | Err(Refused::Deadlock)), "{outcome:?}");
                manager.release(&mut transaction);
            }
        };
        let other = thread::spawn(worker(1, 2));
        let passing = third.then(|| {
            let manager = Arc::clone(&manager);
            thread::spawn(move || {
                let mut transaction = manager.transaction();
                manager.begin(&mut transaction, None).expect("nothing is held");
                assert!(manager.lock(&mut transaction, T, Span::point(2), X, Deadline::Never).is_ok());
                manager.release(&mut transaction);
            })
        });
        worker(2, 1)();
        other.join().expect("no panic");
        passing.into_iter().for_each(|passing| passing.join().expect("no panic"));
        assert_eq!(manager.held(), 0);
    });
}

fn points(config: point::Config) -> Arc<dyn LockManager> {
    Arc::new(point::PointLocks::new(point::Config { stripes: 1, ..config }).expect("a right configuration"))
}

#[test]
fn point_locks_wake_who_waits() {
    let make: Make = || points(point::Config::default());
    together(make, 3, &[&[(1, 1)], &[(1, 1)]]);
    together(make, 2, &[&[(1, 1)], &[(1, 1)], &[(1, 1)]]);
    together(make, 2, &[&[(1, 1), (2, 2)], &[(2, 2)], &[(1, 1)]]);
}

#[test]
fn point_locks_waits_are_cancelled() {
    let make: Make = || points(point::Config::default());
    cancelled(make, 3, true);
    cancelled(make, 3, false);
}

#[test]
fn point_locks_find_deadlocks() {
    deadlock(|| points(point::Config { deadlock_depth: Some(8), ..point::Config::default() }), 3, false);
}

fn ranges(config: range::Config) -> Arc<dyn LockManager> {
    Arc::new(range::RangeLocks::new(config).expect("a right configuration"))
}

#[test]
fn range_locks_wake_who_waits() {
    let make: Make = || ranges(range::Config::default());
    together(make, 3, &[&[(1, 1)], &[(1, 1)]]);
    together(make, 2, &[&[(0, 1)], &[(1, 2)], &[(1, 1)]]);
}

#[test]
fn range_locks_wake_who_waits_without_shortcut_and_with_nothing_shared() {
    together(|| ranges(range::Config { single: false, ..range::Config::default() }), 3, &[&[(0, 1)], &[(1, 2)]]);
    let bare = range::Config {
        request_mutex_always: false,
        memory_limit: None,
        graph: false,
        single: false,
        overtaking: false,
        ..range::Config::default()
    };
    static BARE: std::sync::OnceLock<range::Config> = std::sync::OnceLock::new();
    BARE.get_or_init(|| bare);
    let make: Make = || ranges(*BARE.get().expect("set"));
    together(make, 2, &[&[(0, 1)], &[(1, 2)], &[(1, 1)]]);
    let parted: Make = || ranges(range::Config { partitions: 2, segment: 1, ..*BARE.get().expect("set") });
    together(parted, 2, &[&[(0, 1)], &[(1, 2)], &[(1, 1)]]);
}

/// Several ranges, so that the walk is more than the root.
#[test]
fn range_locks_pass_each_other_in_the_tree() {
    let make: Make = || ranges(range::Config { single: false, graph: false, ..range::Config::default() });
    together(make, 2, &[&[(1, 1), (0, 0)], &[(2, 2), (3, 3)]]);
    together(make, 2, &[&[(1, 1), (3, 3)], &[(0, 0), (2, 2)]]);
    together(make, 2, &[&[(0, 0), (2, 2)], &[(1, 1), (2, 2)]]);
}

#[test]
fn range_locks_waits_are_cancelled() {
    let make: Make = || ranges(range::Config::default());
    cancelled(make, 2, true);
    cancelled(make, 2, false);
}

#[test]
fn range_locks_find_deadlocks_where_who_is_in_the_way_changes() {
    let bare = || {
        ranges(range::Config {
            single: false,
            memory_limit: None,
            request_mutex_always: false,
            ..range::Config::default()
        })
    };
    deadlock(bare, 3, true);
}

#[test]
fn range_locks_find_deadlocks() {
    deadlock(|| ranges(range::Config { single: false, ..range::Config::default() }), 2, false);
}

fn queues(config: queue::Config) -> Arc<dyn LockManager> {
    Arc::new(queue::Queues::new(queue::Config { parts: 2, segment: 1, ..config }).expect("a right configuration"))
}

fn point_queues() -> Arc<dyn LockManager> {
    queues(queue::Config { points_only: true, ..queue::Config::default() })
}

fn range_queues() -> Arc<dyn LockManager> {
    queues(queue::Config::default())
}

#[test]
fn queues_wake_who_waits() {
    together(point_queues, 3, &[&[(1, 1)], &[(1, 1)]]);
    together(point_queues, 2, &[&[(1, 1)], &[(1, 1)], &[(1, 1)]]);
    together(range_queues, 3, &[&[(0, 1)], &[(1, 2)]]);
    together(range_queues, 2, &[&[(0, 1)], &[(1, 2)], &[(1, 1)]]);
}

#[test]
fn queues_waits_are_cancelled() {
    for make in [point_queues as Make, range_queues] {
        cancelled(make, 3, true);
        cancelled(make, 3, false);
    }
}

#[test]
fn queues_find_deadlocks() {
    for third in [false, true] {
        deadlock(point_queues, 3, third);
        deadlock(range_queues, 3, third);
    }
}

/// Who leaves the line without its keys lets those behind it go on, also where the keys were granted just then.
#[test]
fn queues_go_on_when_one_in_the_middle_is_cancelled() {
    for make in [point_queues as Make, range_queues] {
        model(2, move || {
            let manager = make();
            let mut holder = manager.transaction();
            manager.begin(&mut holder, None).expect("nothing is held");
            assert!(manager.lock(&mut holder, T, Span::point(1), Mode::Shared, Deadline::Never).is_ok());
            let mut waiters = [manager.transaction(), manager.transaction()];
            waiters.iter_mut().for_each(|waiter| manager.begin(waiter, None).expect("nothing is held"));
            let canceller = waiters[0].canceller();
            let waiting: Vec<_> = waiters
                .into_iter()
                .zip([X, Mode::Shared])
                .map(|(mut waiter, mode)| {
                    let manager = Arc::clone(&manager);
                    thread::spawn(move || {
                        let outcome = manager.lock(&mut waiter, T, Span::point(1), mode, Deadline::Never);
                        assert!(outcome.is_ok() || mode == X, "{outcome:?}");
                        manager.release(&mut waiter);
                    })
                })
                .collect();
            manager.cancel(&canceller);
            manager.release(&mut holder);
            waiting.into_iter().for_each(|waiting| waiting.join().expect("no panic"));
            assert_eq!(manager.held(), 0);
        });
    }
}

#[test]
fn simple_locks_let_one_in_at_a_time() {
    // Loom must be told that a spinning thread waits for another.
    let spin = Spin { looks_before_yield: Some(0) };
    type MakeSimple = fn(usize, Spin) -> Arc<dyn SimpleLock>;
    let two = &[(2, 3, 3)][..];
    let three = &[(2, 2, 3), (3, 1, 2)][..];
    let makes: [(MakeSimple, &[_]); 4] = [
        (|workers, _| Arc::new(Mutual::new(workers)), three),
        (|workers, _| Arc::new(ReadWrite::new(workers)), three),
        // Two that spin on one number let only each other run, in loom, and the third never.
        (|workers, spin| Arc::new(Ticket::new(workers, spin)), two),
        (|workers, spin| Arc::new(Mcs::new(workers, spin)), three),
    ];
    for (make, cases) in makes {
        for &(workers, passages, preemptions) in cases {
            model(preemptions, move || {
                let lock = make(workers, spin);
                #[allow(clippy::arc_with_non_send_sync, reason = "loom's threads are one")]
                // A cell, not an atomic: loom refuses two that touch it without one coming after the other.
                let inside = Arc::new(loom::cell::UnsafeCell::new(0_usize));
                let run = |worker| {
                    let (lock, inside) = (Arc::clone(&lock), Arc::clone(&inside));
                    move || {
                        for _ in 0..passages {
                            lock.with(worker, X, &mut || {
                                inside.with_mut(|inside| {
                                    // SAFETY: the lock lets one in at a time; loom checks that it does.
                                    unsafe { *inside += 1 };
                                });
                            });
                        }
                    }
                };
                let others: Vec<_> = (1..workers).map(|worker| thread::spawn(run(worker))).collect();
                run(0)();
                others.into_iter().for_each(|other| other.join().expect("no panic"));
                // SAFETY: all others have ended.
                inside.with(|inside| assert_eq!(unsafe { *inside }, workers * passages));
            });
        }
    }
}
