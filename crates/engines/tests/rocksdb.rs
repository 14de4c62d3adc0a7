//! RocksDB's lock managers keep the laws of locking, as the models do.

#![cfg(feature = "rocksdb")]

mod common;

use std::time::{Duration, Instant};

use common::{make, sample, verify};
use hitm_engines::rocksdb::{Connection, Kind, RocksDb};
use hitm_experiment::record::Verification;
use hitm_kernels::locking::manager::{Manager, NotLocked, Session};
use hitm_locks::{Granted, Mode, Refused, Space, Span};

const KINDS: [Kind; 4] =
    [Kind::Points { detect: false }, Kind::Points { detect: true }, Kind::Ranges, Kind::RangesOfPoints];
const NAMES: [&str; 3] = ["point", "range", "range-points"];

fn begun(database: &RocksDb) -> Connection<'_> {
    let mut session = database.session().unwrap();
    session.begin().unwrap();
    session
}

fn try_lock(session: &mut Connection, space: u32, span: (u64, u64), mode: Mode) -> Result<Granted, NotLocked> {
    session.lock(Space(space), Span::new(span.0, span.1).unwrap(), mode, Instant::now())
}

const BUSY: Result<Granted, NotLocked> = Err(NotLocked::Refused(Refused::TimedOut));
const FREE: Result<Granted, NotLocked> = Ok(Granted::AtOnce);

#[test]
fn ranges_are_closed_and_spaces_apart() {
    let database = RocksDb::open(Kind::Ranges).unwrap();
    let (mut one, mut other) = (begun(&database), begun(&database));
    assert_eq!(try_lock(&mut one, 0, (1, 5), Mode::Exclusive), FREE);
    assert_eq!(try_lock(&mut other, 0, (6, 9), Mode::Exclusive), FREE, "[1, 5] and [6, 9] share no key");
    assert_eq!(try_lock(&mut other, 0, (5, 9), Mode::Exclusive), BUSY, "[1, 5] and [5, 9] do");
    assert_eq!(try_lock(&mut other, 1, (1, 5), Mode::Exclusive), FREE, "another table");
    assert_eq!(try_lock(&mut other, 0, (3, 3), Mode::Exclusive), BUSY);
    assert_eq!(database.held(), Some(3));
    one.end().unwrap();
    assert_eq!(try_lock(&mut other, 0, (5, 9), Mode::Exclusive), FREE, "and after its end nothing is held");
    drop((one, other));
    assert_eq!(database.held(), Some(0));
    // [10, 5] cannot be made.
    assert!(Span::new(10, 5).is_err());
}

#[test]
fn keys_exclude_by_their_modes() {
    for kind in KINDS {
        let database = RocksDb::open(kind).unwrap();
        let (mut one, mut other) = (begun(&database), begun(&database));
        assert_eq!(try_lock(&mut one, 0, (7, 7), Mode::Shared), FREE, "{kind:?}");
        assert_eq!(try_lock(&mut other, 0, (7, 7), Mode::Shared), FREE, "{kind:?}");
        assert_eq!(try_lock(&mut other, 0, (7, 7), Mode::Exclusive), BUSY, "{kind:?}");
        assert_eq!(try_lock(&mut one, 0, (u64::MAX, u64::MAX), Mode::Exclusive), FREE, "{kind:?}");
        assert_eq!(try_lock(&mut other, 0, (u64::MAX, u64::MAX), Mode::Shared), BUSY, "{kind:?}");
        assert_eq!(try_lock(&mut other, u32::MAX, (u64::MAX, u64::MAX), Mode::Shared), FREE, "{kind:?}");
        one.end().unwrap();
        other.end().unwrap();
        assert_eq!(database.held(), Some(0), "{kind:?}");
    }
}

/// A wait is told as one, a grant without one is not, and a timeout takes its time.
#[test]
fn waits_are_told() {
    for kind in KINDS {
        let database = RocksDb::open(kind).unwrap();
        let mut one = begun(&database);
        assert_eq!(try_lock(&mut one, 0, (1, 1), Mode::Exclusive), FREE);
        let span = Span::point(1);
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| {
                let mut other = begun(&database);
                let soon = Instant::now() + Duration::from_millis(20);
                assert_eq!(other.lock(Space(0), span, Mode::Exclusive, soon), BUSY, "{kind:?}");
                assert!(Instant::now() >= soon, "{kind:?}: timeouts are rounded up");
                let counts = other.take_counts();
                assert_eq!((counts.requests, counts.timed_out, counts.waits > 0), (1, 1, true), "{kind:?}");
                let late = Instant::now() + Duration::from_secs(3600);
                let granted = other.lock(Space(0), span, Mode::Exclusive, late);
                let counts = other.take_counts();
                assert_eq!(counts.requests, 1);
                assert!(counts.adds_up());
                (granted, counts.after_waiting)
            });
            std::thread::sleep(Duration::from_millis(150));
            one.end().unwrap();
            let (granted, after_waiting) = waiter.join().unwrap();
            // A busy machine may have let the waiter come late.
            match granted {
                Ok(Granted::AfterWaiting) => assert_eq!(after_waiting, 1),
                granted => assert_eq!((granted, after_waiting), (FREE, 0), "{kind:?}"),
            }
        });
        assert_eq!(database.held(), Some(0));
    }
}

#[test]
fn circles_are_found_by_those_who_look() {
    for kind in KINDS {
        let database = RocksDb::open(kind).unwrap();
        let both = std::sync::Barrier::new(2);
        let refused = std::thread::scope(|scope| {
            let (database, both) = (&database, &both);
            let workers = [(1, 2), (2, 1)].map(|(first, second)| {
                scope.spawn(move || {
                    let mut session = begun(database);
                    assert_eq!(try_lock(&mut session, 0, (first, first), Mode::Exclusive), FREE);
                    both.wait();
                    let until = Instant::now() + Duration::from_millis(500);
                    let answer = session.lock(Space(0), Span::point(second), Mode::Exclusive, until);
                    session.end().unwrap();
                    answer.err()
                })
            });
            workers.map(|worker| worker.join().unwrap())
        });
        let deadlock = Some(NotLocked::Refused(Refused::Deadlock));
        let looks = kind != Kind::Points { detect: false };
        assert_eq!(refused.contains(&deadlock), looks, "{kind:?}: {refused:?}");
        assert_eq!(database.held(), Some(0));
    }
}

#[test]
fn transactions_commit_and_their_histories_keep_the_laws() {
    for manager in NAMES {
        for more in [
            vec![],
            vec![("secondary", "on".into()), ("order", "ascending".into()), ("timed", "off".into())],
            vec![("shared", 40.into()), ("retry", "same-keys".into())],
            vec![("span", 4.into())],
        ] {
            let mut given = vec![
                ("engine", "rocksdb".into()),
                ("manager", manager.into()),
                ("rows", 20.into()),
                ("timeout_ms", 5.into()),
            ];
            given.extend(more.clone());
            let kernel = make("locking/transaction", given).unwrap_or_else(|faults| panic!("{manager}: {faults:?}"));
            assert_eq!(verify(&*kernel, &[20, 30, 10, 5]), Verification::Exact, "{manager} {more:?}");
            let (observations, verification) = sample(&*kernel, 4, 150);
            assert_eq!(verification, Verification::Exact, "{manager} {more:?}");
            assert_eq!(observations.len(), 2, "it tells its waits");
        }
    }
}

#[test]
fn what_it_does_not_have_is_refused_with_its_cure() {
    for (given, parameter) in [
        (vec![("manager", "range".into()), ("deadlocks", "off".into())], "deadlocks"),
        (vec![("manager", "range-points".into()), ("deadlocks", "off".into())], "deadlocks"),
        (vec![("manager", "range".into()), ("shared", 5.into()), ("span", 2.into())], "shared"),
        (vec![("manager", "point".into()), ("without", "few-stripes".into())], "without"),
        (vec![("manager", "queue-points".into())], "manager"),
    ] {
        let given = [vec![("engine", "rocksdb".into())], given].concat();
        let faults = make("locking/transaction", given.clone()).err().unwrap_or_else(|| panic!("{given:?} cannot be"));
        assert!(faults[0].parameter == parameter && !faults[0].cure.is_empty(), "{faults:?}");
    }
}

/// Release 7.8.3 loses count of memory where a transaction shares a key again that another shares too, and would end the process when its
/// lock manager ends: it must not come to that.
#[test]
fn a_lost_count_of_memory_ends_nobody() {
    for kind in [Kind::Ranges, Kind::RangesOfPoints] {
        let database = RocksDb::open(kind).unwrap();
        let (mut one, mut other) = (begun(&database), begun(&database));
        assert_eq!(try_lock(&mut other, 0, (7, 7), Mode::Shared), FREE);
        assert_eq!(try_lock(&mut one, 0, (7, 7), Mode::Shared), FREE);
        assert_eq!(try_lock(&mut one, 0, (7, 7), Mode::Shared), FREE);
        one.end().unwrap();
        other.end().unwrap();
        assert_eq!(database.held(), Some(0));
    }
}
