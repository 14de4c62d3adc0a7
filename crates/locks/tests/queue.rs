//! What only the lines have: a claim that goes before others, and what it has by then given back.

use hitm_locks::{
    Deadline, Granted, LockManager, Mode, Problem, Refused, Space, Span, Transaction,
    queue::{Config, Queues},
};
use std::{
    thread,
    time::{Duration, Instant},
};

const T: Space = Space(0);
const X: Mode = Mode::Exclusive;

fn lines(config: Config) -> Queues {
    Queues::new(config).expect("a right configuration")
}

fn begun(manager: &Queues) -> Transaction {
    let mut transaction = manager.transaction();
    manager.begin(&mut transaction, None).expect("nothing is held");
    transaction
}

fn span(left: u64, right: u64) -> Span {
    Span::new(left, right).expect("in order")
}

fn now(manager: &Queues, transaction: &mut Transaction, span: Span, mode: Mode) -> Result<Granted, Refused> {
    manager.lock(transaction, T, span, mode, Deadline::Now)
}

fn long() -> Deadline {
    Deadline::At(Instant::now() + Duration::from_secs(30))
}

fn soon() {
    thread::sleep(Duration::from_millis(20));
}

/// A claim is granted before others who wait: one of them waits for the claimant, the other for somebody else. From then on both wait for
/// the claimant, and when it waits for the other in turn, one of the two is told.
#[test]
fn who_went_before_others_is_in_their_way() {
    let manager = &lines(Config { parts: 1, ..Config::default() });
    let (mut claimant, mut somebody) = (begun(manager), begun(manager));
    assert!(now(manager, &mut claimant, Span::point(1), X).is_ok());
    assert!(now(manager, &mut somebody, Span::point(9), X).is_ok());
    thread::scope(|scope| {
        let wait = |held: Option<u64>, wanted: Span| {
            scope.spawn(move || {
                let mut transaction = begun(manager);
                if let Some(key) = held {
                    assert!(now(manager, &mut transaction, Span::point(key), X).is_ok());
                }
                let outcome = manager.lock(&mut transaction, T, wanted, X, long());
                manager.release(&mut transaction);
                outcome
            })
        };
        let first = wait(None, span(1, 2));
        // The claimant goes before the first in line, and with it before who came later.
        soon();
        let second = wait(Some(20), span(3, 9));
        soon();
        assert_eq!(now(manager, &mut claimant, span(2, 3), X), Ok(Granted::AtOnce));
        let own = manager.lock(&mut claimant, T, Span::point(20), X, long());
        manager.release(&mut claimant);
        manager.release(&mut somebody);
        assert!(first.join().expect("no panic").is_ok());
        // On a slow machine it is the second that closes the circle, or there is none.
        let outcomes = [own, second.join().expect("no panic")];
        let told = outcomes.iter().filter(|outcome| **outcome == Err(Refused::Deadlock)).count();
        let granted = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
        assert!(told <= 1 && told + granted == 2, "{outcomes:?}");
    });
    assert_eq!(manager.held(), 0);
}

#[test]
fn a_holder_that_wants_more_goes_before_those_who_wait_for_it() {
    for points_only in [false, true] {
        let manager = &lines(Config { points_only, ..Config::default() });
        let mut holder = begun(manager);
        assert!(now(manager, &mut holder, Span::point(5), Mode::Shared).is_ok());
        thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let mut waiter = begun(manager);
                let outcome = manager.lock(&mut waiter, T, Span::point(5), X, long());
                manager.release(&mut waiter);
                outcome
            });
            soon();
            assert_eq!(now(manager, &mut holder, Span::point(5), X), Ok(Granted::AtOnce));
            manager.release(&mut holder);
            assert!(waiting.join().expect("no panic").is_ok());
        });
        assert_eq!(manager.held(), 0);
    }
}

#[test]
fn a_range_that_is_refused_in_one_part_is_given_back_in_the_others() {
    let manager = &lines(Config { parts: 8, segment: 1, ..Config::default() });
    let (mut one, mut other) = (begun(manager), begun(manager));
    assert!(now(manager, &mut one, Span::point(5), X).is_ok());
    assert!(now(manager, &mut other, span(0, 3), Mode::Shared).is_ok());
    let before = manager.held();
    for mode in [Mode::Shared, X] {
        assert_eq!(now(manager, &mut other, span(0, 7), mode), Err(Refused::Busy));
        assert_eq!(manager.held(), before);
    }
    // The wider range was refused, the one within it is held still.
    assert_eq!(now(manager, &mut one, Span::point(2), X), Err(Refused::Busy));
    assert_eq!(now(manager, &mut one, Span::point(6), X), Ok(Granted::AtOnce));
    manager.release(&mut one);
    assert_eq!(now(manager, &mut other, span(0, 7), X), Ok(Granted::AtOnce));
    manager.release(&mut other);
    assert_eq!(manager.held(), 0);
}

#[test]
fn a_configuration_of_nothing_is_refused() {
    let default = Config::default();
    for config in [Config { parts: 0, ..default }, Config { segment: 0, ..default }] {
        assert!(matches!(Queues::new(config), Err(Problem::Zero(_))), "{config:?}");
    }
}

/// However many locks a transaction had in a line, who waits there is handed its keys once, all at once.
#[test]
fn a_release_hands_all_keys_of_a_line_over_together() {
    for parts in [1, 2] {
        let manager = &lines(Config { parts, segment: 1, ..Config::default() });
        let mut holder = begun(manager);
        (0..2000).for_each(|key| assert!(now(manager, &mut holder, Span::point(key), X).is_ok()));
        let mut waits = 0;
        let granted = thread::scope(|scope| {
            let wait = |wanted: Span| {
                scope.spawn(move || {
                    let mut transaction = begun(manager);
                    let outcome = manager.lock(&mut transaction, T, wanted, X, long());
                    manager.release(&mut transaction);
                    (outcome.is_ok(), transaction.take_counts().waits)
                })
            };
            let waiting = [wait(span(0, 999)), wait(span(1000, 1999)), wait(span(500, 1500))];
            soon();
            assert_eq!(manager.held(), 2000);
            manager.release(&mut holder);
            let ended = waiting.map(|waiting| waiting.join().expect("no panic"));
            waits = ended.iter().map(|ended| ended.1).sum();
            ended.iter().all(|ended| ended.0)
        });
        assert!(granted);
        // Each waits once a part at most: nobody is woken who cannot go on.
        assert!(waits <= 3 * parts as u64, "{waits} waits");
        assert_eq!((manager.held(), holder.held()), (0, 0));
    }
}

/// A range was taken in one part and not in another, and is given back. Who waits there for somebody else too waits for the one who gave
/// way no more: that one may wait for it in turn.
#[test]
fn who_gave_a_part_back_is_in_nobodys_way() {
    let manager = &lines(Config { parts: 2, segment: 1, ..Config::default() });
    let (mut keeper, mut far, mut giver) = (begun(manager), begun(manager), begun(manager));
    assert!(now(manager, &mut keeper, Span::point(0), Mode::Shared).is_ok());
    assert!(now(manager, &mut far, Span::point(1), X).is_ok());
    thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let mut waiter = begun(manager);
            assert!(now(manager, &mut waiter, Span::point(4), X).is_ok());
            soon();
            let outcome = manager.lock(&mut waiter, T, Span::point(0), X, long());
            manager.release(&mut waiter);
            outcome
        });
        // It has the part of key 0 while it waits for key 1.
        let short = Deadline::At(Instant::now() + Duration::from_millis(80));
        assert_eq!(manager.lock(&mut giver, T, span(0, 1), Mode::Shared, short), Err(Refused::TimedOut));
        let later = scope.spawn(move || {
            soon();
            manager.release(&mut keeper);
        });
        let outcome = manager.lock(&mut giver, T, Span::point(4), X, long());
        assert!(outcome.is_ok(), "{outcome:?}");
        assert!(waiting.join().expect("no panic").is_ok());
        later.join().expect("no panic");
    });
    manager.release(&mut far);
    manager.release(&mut giver);
    assert_eq!(manager.held(), 0);
}
