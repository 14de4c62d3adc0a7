//! Many more threads than PUs on few keys, with all that a caller may do to a manager at once: the laws hold, and everybody comes home.

mod support;

use hitm_locks::{
    Canceller, Counts, Deadline, LockManager, Mode, Refused, Space, Span,
    history::{Checker, Log, Obstacles, Step},
};
use std::{
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};
use support::{Subject, next, subjects, tight};

/// Longer than anything that is not stuck.
const LONG: Duration = Duration::from_secs(30);

/// What the storm is made of.
#[derive(Clone, Copy)]
struct Storm {
    workers: u64,
    /// Transactions of each worker.
    transactions: u64,
    /// Keys, counted from the least one or back from the greatest.
    keys: u64,
    spaces: u32,
    /// Locks of one transaction.
    locks: u64,
    /// Whether waits are cancelled, and the manager closed and opened, all the while.
    cancels: bool,
    /// Whether some waits have no deadline; where the manager finds all deadlocks.
    endless: bool,
}

fn span(state: &mut u64, storm: &Storm, ranges: bool) -> Span {
    let draw = next(state);
    let left = draw % storm.keys;
    let more = if ranges && draw >> 32 & 1 == 0 { (draw >> 33) % storm.keys } else { 0 };
    match draw >> 60 {
        0 if ranges => Span::new(0, u64::MAX),
        1..=4 => Span::new(u64::MAX - left.saturating_add(more), u64::MAX - left),
        _ => Span::new(left, left + more),
    }
    .expect("in order")
}

fn work(
    subject: &Subject,
    storm: &Storm,
    stamps: &AtomicU64,
    worker: u64,
    tell: impl FnOnce(Canceller),
) -> (Log, Counts) {
    let manager = &*subject.manager;
    let (mut log, mut state) = (Log::new(), worker);
    let stamp = || stamps.fetch_add(1, SeqCst);
    let mut transaction = manager.transaction();
    tell(transaction.canceller());
    for _ in 0..storm.transactions {
        manager.begin(&mut transaction, None).expect("nothing is held");
        if next(&mut state) % 16 == 0 {
            // Begun and never released, with nothing held.
            continue;
        }
        log.note(stamp(), Step::Began(transaction.id()));
        for _ in 0..1 + next(&mut state) % storm.locks {
            let space = Space(next(&mut state) as u32 % storm.spaces);
            let span = span(&mut state, storm, subject.ranges);
            let mode = if next(&mut state) % 2 == 0 { Mode::Shared } else { Mode::Exclusive };
            let deadline = match next(&mut state) % 8 {
                0 => Deadline::Now,
                1 => Deadline::At(Instant::now()),
                2 | 3 if storm.endless => Deadline::Never,
                wait => Deadline::At(Instant::now() + Duration::from_micros(wait * 150)),
            };
            log.note(stamp(), Step::Asks(space, span, mode));
            match manager.lock(&mut transaction, space, span, mode, deadline) {
                Ok(_) => log.note(stamp(), Step::Granted),
                Err(why) => {
                    log.note(stamp(), Step::Refused(why));
                    assert!(!matches!(why, Refused::Invalid(_) | Refused::Expired), "{}: {why}", subject.name);
                    if next(&mut state) % 4 != 0 {
                        break;
                    }
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

/// Cancels one wait after the other, and closes and opens the manager, until all are home.
fn harry(manager: &dyn LockManager, cancellers: &Mutex<Vec<Canceller>>, over: &AtomicBool) {
    let mut state = 7;
    while !over.load(SeqCst) {
        let one = {
            let all = cancellers.lock().expect("no panic");
            (!all.is_empty()).then(|| all[next(&mut state) as usize % all.len()].clone())
        };
        if let Some(one) = one {
            manager.cancel(&one);
        }
        if next(&mut state) % 8 == 0 {
            manager.close();
            thread::yield_now();
            manager.open();
        }
        thread::sleep(Duration::from_micros(200));
    }
}

/// Runs a storm, and fails where somebody does not come home.
fn run(subject: Subject, storm: Storm) {
    let name = subject.name;
    let (home, comes) = mpsc::channel();
    thread::spawn(move || {
        let (stamps, over) = (AtomicU64::new(0), AtomicBool::new(false));
        let cancellers = Mutex::new(Vec::new());
        let ended: Vec<(Log, Counts)> = thread::scope(|scope| {
            let (subject, stamps, cancellers, over) = (&subject, &stamps, &cancellers, &over);
            let worker = |worker| {
                let tell = move |canceller| cancellers.lock().expect("no panic").push(canceller);
                scope.spawn(move || work(subject, &storm, stamps, worker, tell))
            };
            let workers: Vec<_> = (0..storm.workers).map(worker).collect();
            if storm.cancels {
                scope.spawn(|| harry(&*subject.manager, cancellers, over));
            }
            let ended = workers.into_iter().map(|worker| worker.join().expect("no panic")).collect();
            over.store(true, SeqCst);
            ended
        });
        home.send((subject, ended)).expect("the other side waits");
    });
    let (subject, ended) = comes.recv_timeout(LONG).unwrap_or_else(|why| panic!("{name}: not all came home: {why}"));
    let mut total = Counts::default();
    ended.iter().for_each(|(_, counts)| total.add(counts));
    let logs: Vec<Log> = ended.into_iter().map(|(log, _)| log).collect();
    let report = Checker { grace: 10, obstacles: Obstacles::Unknown }.check(&logs);
    assert!(report.violations.is_empty(), "{name}: {:?}", report.violations);
    assert!(total.adds_up(), "{name}: {total:?}");
    assert_eq!(total.requests, report.granted + report.refused, "{name}");
    assert!(total.wake_ups <= total.waits && total.wake_ups_in_vain <= total.wake_ups, "{name}: {total:?}");
    if !storm.cancels {
        assert_eq!(total.cancelled, 0, "{name}: {total:?}");
    }
    assert!(report.granted > 0, "{name}: {total:?}");
    assert_eq!(subject.manager.held(), 0, "{name}");
}

const STORM: Storm =
    Storm { workers: 24, transactions: 60, keys: 4, spaces: 2, locks: 4, cancels: false, endless: false };

#[test]
fn few_keys_and_short_deadlines() {
    for subject in subjects() {
        run(subject, STORM);
    }
}

#[test]
fn waits_are_cancelled_all_the_while() {
    for subject in subjects() {
        let endless = subject.deadlocks;
        run(subject, Storm { cancels: true, endless, ..STORM });
    }
}

#[test]
fn waits_without_a_deadline_end_where_deadlocks_are_found() {
    for subject in subjects().into_iter().filter(|subject| subject.deadlocks) {
        run(subject, Storm { endless: true, spaces: 3, ..STORM });
    }
}

#[test]
fn a_hundred_threads_on_two_keys() {
    for subject in subjects() {
        run(subject, Storm { workers: 100, transactions: 10, keys: 2, spaces: 1, locks: 3, ..STORM });
    }
}

#[test]
fn managers_short_of_room_refuse_and_go_on() {
    for subject in tight() {
        run(subject, Storm { keys: 40, cancels: true, ..STORM });
    }
}

/// A worker that panics drops its transaction: what it held stays held, and is all that does; who waits for it is told in time.
#[test]
fn what_a_panicking_worker_held_stays_held_and_others_go_on() {
    for Subject { name, manager, .. } in subjects() {
        let lock = |key: u64, wait: u64| {
            let mut transaction = manager.transaction();
            manager.begin(&mut transaction, None).expect("nothing is held");
            let deadline = Deadline::At(Instant::now() + Duration::from_millis(wait));
            let outcome = manager.lock(&mut transaction, Space(0), Span::point(key), Mode::Exclusive, deadline);
            (transaction, outcome)
        };
        thread::scope(|scope| {
            let panics = scope.spawn(|| {
                let (_transaction, outcome) = lock(1, 0);
                assert!(outcome.is_ok(), "{name}");
                std::panic::resume_unwind(Box::new("on purpose"));
            });
            assert!(panics.join().is_err());
            for worker in 0..8 {
                let (lock, manager) = (&lock, &manager);
                scope.spawn(move || {
                    for round in 0..4 {
                        let (mut transaction, outcome) = lock((worker + round) % 4, 2);
                        assert!(outcome.is_ok() || outcome == Err(Refused::TimedOut), "{name}: {outcome:?}");
                        manager.release(&mut transaction);
                    }
                });
            }
        });
        assert_eq!(lock(1, 0).1, Err(Refused::TimedOut), "{name}");
        assert_eq!(manager.held(), 1, "{name}");
    }
}
