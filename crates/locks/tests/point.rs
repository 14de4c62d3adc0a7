//! What only the point locks have: expiry and stealing, a limit, and a search that ends at its depth.

use hitm_locks::{
    Deadline, Ended, Granted, LockManager, Mode, Problem, Refused, Space, Span,
    point::{Config, PointLocks},
};
use std::time::{Duration, Instant};

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
