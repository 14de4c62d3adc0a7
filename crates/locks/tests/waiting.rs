//! Waits of real threads: granted, timed out, cancelled, deadlocked; and whole histories held to the laws.

mod support;

use hitm_locks::{
    Counts, Deadline, Granted, LockManager, Mode, Problem, Refused, Space, Span, Transaction,
    history::{Checker, Log, Obstacles, Step},
};
use std::{
    sync::{
        Arc, Barrier,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};
use support::{Subject, next, subjects};

const T: Space = Space(0);
const X: Mode = Mode::Exclusive;
/// Longer than anything that is not stuck.
const LONG: Duration = Duration::from_secs(30);

fn begun(manager: &dyn LockManager) -> Transaction {
    let mut transaction = manager.transaction();
    manager.begin(&mut transaction, None).expect("nothing is held");
    transaction
}

fn long() -> Deadline {
    Deadline::At(Instant::now() + LONG)
}

/// Another thread that waits for a key; what came of it, and its counts.
fn waiter(
    manager: &Arc<dyn LockManager>,
    key: u64,
    deadline: Deadline,
) -> thread::JoinHandle<(Result<Granted, Refused>, Counts)> {
    let manager = Arc::clone(manager);
    thread::spawn(move || {
        let mut transaction = begun(&*manager);
        let outcome = manager.lock(&mut transaction, T, Span::point(key), X, deadline);
        manager.release(&mut transaction);
        (outcome, transaction.take_counts())
    })
}

fn soon() {
    thread::sleep(Duration::from_millis(20));
}

#[test]
fn a_wait_ends_with_the_holders_release() {
    for Subject { name, manager, .. } in subjects() {
        let mut holder = begun(&*manager);
        assert_eq!(manager.lock(&mut holder, T, Span::point(1), X, Deadline::Now), Ok(Granted::AtOnce), "{name}");
        let waiting = waiter(&manager, 1, long());
        soon();
        manager.release(&mut holder);
        let (outcome, counts) = waiting.join().expect("no panic");
        // It may have come after the release on a slow machine.
        assert!(matches!(outcome, Ok(Granted::AfterWaiting | Granted::AtOnce)), "{name}: {outcome:?}");
        assert_eq!(counts.after_waiting > 0, counts.waits > 0, "{name}: {counts:?}");
        assert_eq!(manager.held(), 0, "{name}");
    }
}

#[test]
fn a_wait_ends_with_its_deadline_and_not_before() {
    for Subject { name, manager, .. } in subjects() {
        let mut holder = begun(&*manager);
        assert!(manager.lock(&mut holder, T, Span::point(1), X, Deadline::Now).is_ok());
        let at = Instant::now() + Duration::from_millis(30);
        let (outcome, counts) = waiter(&manager, 1, Deadline::At(at)).join().expect("no panic");
        assert_eq!(outcome, Err(Refused::TimedOut), "{name}");
        assert!(Instant::now() >= at, "{name}");
        assert_eq!(counts.timed_out, 1, "{name}");
        // A deadline that has passed refuses no lock that is free.
        let mut late = begun(&*manager);
        let passed = Deadline::At(at);
        assert_eq!(manager.lock(&mut late, T, Span::point(2), X, passed), Ok(Granted::AtOnce), "{name}");
        assert_eq!(manager.lock(&mut late, T, Span::point(1), X, passed), Err(Refused::TimedOut), "{name}");
        manager.release(&mut holder);
        manager.release(&mut late);
    }
}

#[test]
fn a_wait_is_cancelled_from_outside_alone_or_with_all_others() {
    for Subject { name, manager, .. } in subjects() {
        let mut holder = begun(&*manager);
        assert!(manager.lock(&mut holder, T, Span::point(1), X, Deadline::Now).is_ok());
        let (tell, told) = std::sync::mpsc::channel();
        let cancelled = thread::spawn({
            let manager = Arc::clone(&manager);
            move || {
                let mut transaction = begun(&*manager);
                tell.send(transaction.canceller()).expect("the other side waits");
                let outcome = manager.lock(&mut transaction, T, Span::point(1), X, Deadline::Never);
                // Nobody is in the way of that one.
                let free = manager.lock(&mut transaction, T, Span::point(7), X, Deadline::Never);
                manager.release(&mut transaction);
                (outcome, free)
            }
        });
        let canceller = told.recv().expect("a canceller");
        let other = waiter(&manager, 1, long());
        soon();
        manager.cancel(&canceller);
        let ended = cancelled.join().expect("no panic");
        assert_eq!(ended, (Err(Refused::Cancelled), Ok(Granted::AtOnce)), "{name}");
        assert!(!other.is_finished(), "{name}: another's wait was cancelled too");
        manager.close();
        assert_eq!(other.join().expect("no panic").0, Err(Refused::Cancelled), "{name}");
        assert_eq!(waiter(&manager, 1, Deadline::Never).join().expect("no panic").0, Err(Refused::Cancelled), "{name}");
        manager.open();
        manager.release(&mut holder);
        assert_eq!(waiter(&manager, 1, Deadline::Never).join().expect("no panic").0, Ok(Granted::AtOnce), "{name}");
    }
}

#[test]
fn a_deadlock_is_found_by_who_closes_it() {
    for Subject { name, manager, .. } in subjects().into_iter().filter(|subject| subject.deadlocks) {
        let barrier = Arc::new(Barrier::new(2));
        let worker = |first: u64, second: u64| {
            let (manager, barrier) = (Arc::clone(&manager), Arc::clone(&barrier));
            thread::spawn(move || {
                let mut transaction = begun(&*manager);
                assert!(manager.lock(&mut transaction, T, Span::point(first), X, Deadline::Now).is_ok());
                barrier.wait();
                let outcome = manager.lock(&mut transaction, T, Span::point(second), X, long());
                manager.release(&mut transaction);
                outcome
            })
        };
        let (one, other) = (worker(1, 2), worker(2, 1));
        let mut outcomes = [one.join().expect("no panic"), other.join().expect("no panic")];
        outcomes.sort_by_key(Result::is_err);
        assert_eq!(outcomes, [Ok(Granted::AfterWaiting), Err(Refused::Deadlock)], "{name}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_with_a_cure() {
    let subjects = subjects();
    for Subject { name, manager, ranges, .. } in &subjects {
        let mut transaction = manager.transaction();
        let lock = |transaction: &mut Transaction, span| manager.lock(transaction, T, span, X, Deadline::Now);
        assert_eq!(lock(&mut transaction, Span::point(1)), Err(Refused::Invalid(Problem::NotBegun)), "{name}");
        assert_eq!(manager.begin(&mut transaction, None), Ok(()));
        let range = Span::new(1, 2).expect("in order");
        if !ranges {
            assert_eq!(lock(&mut transaction, range), Err(Refused::Invalid(Problem::NotAPoint(range))), "{name}");
        }
        assert!(lock(&mut transaction, Span::point(1)).is_ok(), "{name}");
        assert_eq!(manager.begin(&mut transaction, None), Err(Problem::NotReleased), "{name}");
        let foreign = &subjects[usize::from(*name == subjects[0].name)].manager;
        assert_eq!(
            foreign.lock(&mut transaction, T, Span::point(1), X, Deadline::Now),
            Err(Refused::Invalid(Problem::Foreign))
        );
        foreign.release(&mut transaction);
        assert_eq!(manager.held(), 1, "{name}: a foreign release took the lock");
        manager.release(&mut transaction);
        manager.release(&mut transaction);
        assert_eq!(manager.held(), 0, "{name}");
    }
}

const WORKERS: u64 = 8;
const TRANSACTIONS: u64 = 150;

/// How transactions lock.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Pace {
    /// In the order of keys, alone.
    Ordered,
    /// In any order and mode.
    Any,
    /// With deadlines too short for many.
    Hasty,
}

/// Transactions of a few locks on few keys, in ascending order or in any. Waits that are not hasty
/// are long: one that times out was lost.
fn work(subject: &Subject, stamps: &AtomicU64, worker: u64, pace: Pace) -> (Log, Counts) {
    let manager = &*subject.manager;
    let (mut log, mut state) = (Log::new(), worker);
    let stamp = || stamps.fetch_add(1, SeqCst);
    let mut transaction = manager.transaction();
    for _ in 0..TRANSACTIONS {
        manager.begin(&mut transaction, None).expect("nothing is held");
        log.note(stamp(), Step::Began(transaction.id()));
        let mut wanted: Vec<(Space, Span, Mode)> = (0..3)
            .map(|_| {
                let draw = next(&mut state);
                let (left, more) = (draw % 8, if subject.ranges { (draw >> 8) % 3 } else { 0 });
                let mode = if draw >> 60 < 6 { Mode::Shared } else { X };
                (Space((draw >> 16) as u32 % 2), Span::new(left, left + more).expect("in order"), mode)
            })
            .collect();
        if pace == Pace::Ordered {
            wanted.sort();
            // An upgrade from shared is a deadlock of two: the stronger mode comes first.
            wanted.iter_mut().for_each(|wanted| wanted.2 = X);
        }
        for (space, span, mode) in wanted {
            let deadline = match next(&mut state) % 4 {
                _ if pace != Pace::Hasty => long(),
                0 => Deadline::Now,
                wait => Deadline::At(Instant::now() + Duration::from_micros(wait * 50)),
            };
            log.note(stamp(), Step::Asks(space, span, mode));
            match manager.lock(&mut transaction, space, span, mode, deadline) {
                Ok(_) => log.note(stamp(), Step::Granted),
                Err(why) => {
                    log.note(stamp(), Step::Refused(why));
                    break;
                }
            }
            if next(&mut state) % 4 == 0 {
                thread::yield_now();
            }
        }
        log.note(stamp(), Step::Releases);
        manager.release(&mut transaction);
        log.note(stamp(), Step::Released);
    }
    (log, transaction.take_counts())
}

fn run(subject: &Subject, pace: Pace) -> Counts {
    let stamps = AtomicU64::new(0);
    let ended: Vec<(Log, Counts)> = thread::scope(|scope| {
        let worker = |worker| {
            scope.spawn({
                let stamps = &stamps;
                move || work(subject, stamps, worker, pace)
            })
        };
        let workers: Vec<_> = (0..WORKERS).map(worker).collect();
        workers.into_iter().map(|worker| worker.join().expect("no panic")).collect()
    });
    let mut total = Counts::default();
    ended.iter().for_each(|(_, counts)| total.add(counts));
    let logs: Vec<Log> = ended.into_iter().map(|(log, _)| log).collect();
    let hasty = pace == Pace::Hasty;
    let obstacles = if hasty { Obstacles::Unknown } else { subject.obstacles };
    let report = Checker { grace: 10, obstacles }.check(&logs);
    let name = subject.name;
    assert!(report.violations.is_empty(), "{name}: {:?}", report.violations);
    assert_eq!(report.transactions, WORKERS * TRANSACTIONS, "{name}");
    assert!(total.adds_up(), "{name}: {total:?}");
    assert!(hasty || total.timed_out == 0, "{name}: {total:?}");
    assert_eq!((total.cancelled, total.invalid), (0, 0), "{name}: {total:?}");
    assert_eq!(total.requests, report.granted + report.refused, "{name}");
    assert_eq!(subject.manager.held(), 0, "{name}");
    total
}

#[test]
fn histories_of_many_threads_keep_the_laws() {
    for subject in subjects().iter().filter(|subject| subject.deadlocks) {
        run(subject, Pace::Any);
    }
}

#[test]
fn histories_of_hasty_threads_keep_the_laws() {
    for subject in subjects() {
        run(&subject, Pace::Hasty);
        // All that was left by who gave up is free again.
        let mut last = begun(&*subject.manager);
        for key in 0..12 {
            let outcome = subject.manager.lock(&mut last, T, Span::point(key), X, Deadline::Now);
            assert_eq!(outcome, Ok(Granted::AtOnce), "{}: key {key}", subject.name);
        }
        subject.manager.release(&mut last);
    }
}

#[test]
fn transactions_that_lock_in_one_order_meet_no_deadlock() {
    // In a line of ranges a request waits for those before it too, and the order of keys is not theirs.
    for subject in subjects().iter().filter(|subject| !(subject.queued && subject.ranges)) {
        let counts = run(subject, Pace::Ordered);
        assert_eq!(counts.deadlocks, 0, "{}: {counts:?}", subject.name);
    }
}

#[test]
fn nobody_is_overtaken_in_a_line_of_one_key() {
    for subject in subjects().iter().filter(|subject| subject.queued && !subject.ranges) {
        let counts = run(subject, Pace::Ordered);
        assert_eq!(counts.overtaken_waits, 0, "{}: {counts:?}", subject.name);
        assert_eq!(counts.wake_ups_in_vain, 0, "{}: {counts:?}", subject.name);
    }
}
