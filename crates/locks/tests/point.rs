//! What only the point locks have: expiry and stealing, a limit, and a search that ends at its depth.

mod support;

use hitm_locks::{
    Deadline, Ended, Granted, LockManager, Mode, Problem, Refused, Space, Span,
    history::{Checker, Log, Obstacles, Step},
    point::{Config, PointLocks},
};
use std::{
    sync::atomic::{AtomicU64, Ordering::SeqCst},
    time::{Duration, Instant},
};
use support::next;

const T: Space = Space(0);
const KEY: Span = Span::point(5);
const X: Mode = Mode::Exclusive;

fn locks(config: Config) -> PointLocks {
    PointLocks::new(config).expect("a right configuration")
}

#[test]
fn an_expired_lock_is_stolen_and_its_holder_learns_it() {
    let manager = locks(Config::default());
    let (mut old, mut new) = (manager.transaction(), manager.transaction());
    let now = Instant::now();
    assert_eq!(manager.begin(&mut old, Some(now)), Ok(()));
    assert_eq!(manager.begin(&mut new, Some(now + Duration::from_secs(60))), Ok(()));
    assert_eq!(manager.lock(&mut old, T, KEY, X, Deadline::Now), Ok(Granted::AtOnce));
    assert_eq!(manager.lock(&mut new, T, KEY, X, Deadline::Now), Ok(Granted::Stolen));
    assert_eq!(manager.lock(&mut old, T, Span::point(6), X, Deadline::Now), Err(Refused::Expired));
    assert_eq!(manager.release(&mut old), Ended::Stolen);
    assert_eq!(manager.held(), 1, "the thief's lock went with the old holder");
    assert_eq!(manager.release(&mut new), Ended::Whole);
    assert_eq!(manager.held(), 0);
}

#[test]
fn a_wait_ends_with_the_holders_expiry() {
    let manager = locks(Config::default());
    let (mut old, mut new) = (manager.transaction(), manager.transaction());
    let expires = Instant::now() + Duration::from_millis(20);
    assert_eq!(manager.begin(&mut old, Some(expires)), Ok(()));
    assert_eq!(manager.begin(&mut new, None), Ok(()));
    assert_eq!(manager.lock(&mut old, T, KEY, X, Deadline::Now), Ok(Granted::AtOnce));
    assert_eq!(manager.lock(&mut new, T, KEY, X, Deadline::Never), Ok(Granted::Stolen));
    assert!(Instant::now() >= expires);
    assert_eq!(new.counts().waits, 1);
}

#[test]
fn a_lock_without_expiry_is_never_stolen_also_where_it_is_shared_with_one() {
    let manager = locks(Config::default());
    let mut transactions = [manager.transaction(), manager.transaction(), manager.transaction()];
    let [expired, lasting, third] = &mut transactions;
    assert_eq!(manager.begin(expired, Some(Instant::now())), Ok(()));
    assert_eq!(manager.begin(lasting, None), Ok(()));
    assert_eq!(manager.begin(third, None), Ok(()));
    assert_eq!(manager.lock(expired, T, KEY, Mode::Shared, Deadline::Now), Ok(Granted::AtOnce));
    assert_eq!(manager.lock(lasting, T, KEY, Mode::Shared, Deadline::Now), Ok(Granted::AtOnce));
    assert_eq!(manager.lock(third, T, KEY, X, Deadline::Now), Err(Refused::Busy));
}

#[test]
fn the_limit_counts_keys_and_not_their_holders() {
    let manager = locks(Config { lock_limit: Some(2), ..Config::default() });
    let (mut one, mut other) = (manager.transaction(), manager.transaction());
    assert_eq!(manager.begin(&mut one, None), Ok(()));
    assert_eq!(manager.begin(&mut other, None), Ok(()));
    for _ in 0..3 {
        for transaction in [&mut one, &mut other] {
            assert!(manager.lock(transaction, T, KEY, Mode::Shared, Deadline::Now).is_ok());
        }
        assert!(manager.lock(&mut one, T, Span::point(6), X, Deadline::Now).is_ok());
        assert_eq!(manager.lock(&mut one, T, Span::point(7), X, Deadline::Now), Err(Refused::Full));
        for transaction in [&mut one, &mut other] {
            manager.release(transaction);
            assert_eq!(manager.begin(transaction, None), Ok(()));
        }
    }
}

#[test]
fn a_configuration_of_nothing_is_refused() {
    let default = Config::default();
    for config in [
        Config { stripes: 0, ..default },
        Config { deadlock_depth: Some(0), ..default },
        Config { lock_limit: Some(0), ..default },
    ] {
        let problem = PointLocks::new(config).expect_err("nothing");
        assert!(matches!(problem, Problem::Zero(_)) && problem.to_string().contains("give 1 or more"), "{problem}");
    }
}

#[test]
fn a_waiting_request_knows_how_often_it_was_overtaken() {
    let manager = locks(Config::default());
    let mut holder = manager.transaction();
    assert_eq!(manager.begin(&mut holder, None), Ok(()));
    assert!(manager.lock(&mut holder, T, KEY, Mode::Shared, Deadline::Now).is_ok());
    let counts = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let mut waiter = manager.transaction();
            assert_eq!(manager.begin(&mut waiter, None), Ok(()));
            let granted = manager.lock(&mut waiter, T, KEY, X, Deadline::Never);
            assert!(matches!(granted, Ok(Granted::AfterWaiting | Granted::AtOnce)));
            manager.release(&mut waiter);
            waiter.take_counts()
        });
        std::thread::sleep(Duration::from_millis(30));
        // Shared locks pass the one that waits for an exclusive one.
        for _ in 0..3 {
            let mut passing = manager.transaction();
            assert_eq!(manager.begin(&mut passing, None), Ok(()));
            assert!(manager.lock(&mut passing, T, KEY, Mode::Shared, Deadline::Now).is_ok());
            manager.release(&mut passing);
        }
        manager.release(&mut holder);
        waiting.join().expect("no panic")
    });
    // Where it came late it was overtaken less.
    assert!(counts.overtaken_most <= 3, "{counts:?}");
    assert_eq!(counts.overtaken_waits > 0, counts.overtaken_most > 0, "{counts:?}");
}

/// Transactions that expire under each other's hands: whoever is told at its end that it was whole had its locks alone, and all is
/// given back.
#[test]
fn whoever_ended_whole_was_never_stolen_from() {
    let manager = &locks(Config { stripes: 2, lock_limit: Some(100), ..Config::default() });
    let stamps = &AtomicU64::new(0);
    let work = |worker: u64| {
        let (mut log, mut state, mut stolen) = (Log::new(), worker, 0_u32);
        let stamp = || stamps.fetch_add(1, SeqCst);
        let mut transaction = manager.transaction();
        for nth in 0..150 {
            let draw = next(&mut state);
            let expires = Instant::now() + Duration::from_micros(draw % 8 * 100);
            assert_eq!(manager.begin(&mut transaction, (draw >> 20 & 3 != 0).then_some(expires)), Ok(()));
            let mut steps = vec![(stamp(), Step::Began(transaction.id()))];
            for key in 0..3 {
                let draw = next(&mut state);
                let mode = if draw & 3 == 0 { Mode::Shared } else { X };
                let span = Span::point(key * 2 + draw % 2);
                let deadline = Deadline::At(Instant::now() + Duration::from_micros(draw >> 10 & 1023));
                steps.push((stamp(), Step::Asks(T, span, mode)));
                match manager.lock(&mut transaction, T, span, mode, deadline) {
                    Ok(_) => steps.push((stamp(), Step::Granted)),
                    Err(why) => {
                        assert!(matches!(why, Refused::TimedOut | Refused::Expired), "{why:?}");
                        steps.push((stamp(), Step::Refused(why)));
                    }
                }
            }
            if (worker + nth) % 4 == 0 {
                std::thread::sleep(Duration::from_micros(300));
            }
            steps.push((stamp(), Step::Releases));
            let ended = manager.release(&mut transaction);
            steps.push((stamp(), Step::Released));
            match ended {
                Ended::Whole => steps.into_iter().for_each(|(stamp, step)| log.note(stamp, step)),
                Ended::Stolen => stolen += 1,
            }
        }
        assert!(transaction.counts().adds_up(), "{:?}", transaction.counts());
        (log, stolen)
    };
    let (logs, stolen): (Vec<Log>, Vec<u32>) = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..16).map(|worker| scope.spawn(move || work(worker))).collect();
        workers.into_iter().map(|worker| worker.join().expect("no panic")).unzip()
    });
    let report = Checker { grace: 0, obstacles: Obstacles::Unknown }.check(&logs);
    assert!(report.violations.is_empty(), "{:?}", report.violations);
    assert!(stolen.iter().sum::<u32>() > 0, "nothing was stolen");
    assert_eq!(manager.held(), 0);
    // The limit is not eaten up by what was stolen.
    let mut last = manager.transaction();
    assert_eq!(manager.begin(&mut last, None), Ok(()));
    (0..100).for_each(|key| assert!(manager.lock(&mut last, T, Span::point(key), X, Deadline::Now).is_ok(), "{key}"));
}
