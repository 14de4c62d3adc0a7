//! The checker itself: right histories pass, and each broken law is found.

use hitm_locks::{
    Mode, Refused, Space, Span,
    history::{Checker, Log, Obstacles, Report, Step, Violation},
};

const T: Space = Space(0);

fn log(steps: &[(u64, Step)]) -> Log {
    let mut log = Log::new();
    steps.iter().for_each(|&(stamp, step)| log.note(stamp, step));
    log
}

/// One transaction that holds a key from a stamp to another.
fn holds(id: u64, span: Span, mode: Mode, from: u64, to: u64) -> Log {
    log(&[
        (from - 1, Step::Began(id)),
        (from - 1, Step::Asks(T, span, mode)),
        (from, Step::Granted),
        (to, Step::Releases),
        (to + 1, Step::Released),
    ])
}

fn waits(id: u64, span: Span, mode: Mode, from: u64, to: u64, end: Refused) -> Log {
    log(&[
        (from, Step::Began(id)),
        (from, Step::Asks(T, span, mode)),
        (to, Step::Refused(end)),
        (to, Step::Releases),
        (to, Step::Released),
    ])
}

fn check(logs: &[Log]) -> Report {
    Checker { grace: 5, obstacles: Obstacles::Conflicts }.check(logs)
}

fn span(left: u64, right: u64) -> Span {
    Span::new(left, right).expect("in order")
}

#[test]
fn holders_that_do_not_conflict_pass() {
    let (shared, exclusive) = (Mode::Shared, Mode::Exclusive);
    let report = check(&[
        holds(1, span(1, 5), exclusive, 10, 20),
        holds(2, span(6, 9), exclusive, 10, 20),
        holds(3, span(1, 9), shared, 20, 30),
        holds(4, span(5, 5), shared, 22, 28),
    ]);
    assert_eq!(report, Report { transactions: 4, granted: 4, refused: 0, violations: Vec::new() });
}

#[test]
fn two_holders_at_once_are_found_in_any_order_of_the_logs() {
    for swap in [false, true] {
        let mut logs = [holds(1, span(1, 5), Mode::Exclusive, 10, 20), holds(2, span(5, 9), Mode::Shared, 19, 30)];
        if swap {
            logs.reverse();
        }
        let report = check(&logs);
        assert!(
            matches!(report.violations[..], [Violation::Conflict { one: (1, ..), other: (2, ..), .. }]),
            "{report:?}"
        );
    }
}

#[test]
fn a_wait_that_nobody_kept_waiting_was_never_woken() {
    let key = Span::point(5);
    let holder = holds(1, key, Mode::Exclusive, 10, 20);
    let patient = |to| waits(2, key, Mode::Exclusive, 12, to, Refused::TimedOut);
    assert!(check(&[holder.clone(), patient(25)]).violations.is_empty(), "inside the grace");
    let lost = check(&[holder.clone(), patient(40)]);
    assert_eq!(lost.violations, [Violation::LostWakeUp { transaction: 2, space: T, span: key }]);
    // So is one that somebody had to cancel; a deadlock is told at once or never, and one behind another wait may wait.
    let ended = |why| check(&[holder.clone(), waits(2, key, Mode::Exclusive, 12, 40, why)]).violations.len();
    assert_eq!([Refused::Cancelled, Refused::Deadlock, Refused::Busy, Refused::Full].map(ended), [1, 0, 0, 0]);
    let cancelled = |from, to| waits(2, key, Mode::Exclusive, from, to, Refused::Cancelled);
    assert!(check(&[holder.clone(), cancelled(12, 25)]).violations.is_empty(), "inside the grace");
    assert!(check(&[holder.clone(), cancelled(30, 33)]).violations.is_empty(), "as soon as it came");
    let ahead = waits(3, key, Mode::Exclusive, 11, 38, Refused::Cancelled);
    assert!(check(&[holder, patient(40), ahead]).violations.is_empty());
}

#[test]
fn what_comes_to_no_end_is_told() {
    let asks = Step::Asks(T, Span::point(1), Mode::Shared);
    let open = log(&[(1, Step::Began(7)), (2, asks)]);
    assert_eq!(check(&[open]).violations, [Violation::Unanswered { worker: 0, transaction: 7 }]);
    let kept = log(&[(1, Step::Began(7)), (2, asks), (3, Step::Granted)]);
    assert_eq!(check(&[kept]).violations, [Violation::NeverEnded { worker: 0, transaction: 7 }]);
    let muddled = log(&[(1, Step::Began(7)), (2, Step::Granted)]);
    assert_eq!(check(&[muddled]).violations, [Violation::Disorder { worker: 0, step: 1 }]);
    let backwards = log(&[(2, Step::Began(7)), (1, asks)]);
    assert_eq!(check(&[backwards]).violations, [Violation::Disorder { worker: 0, step: 1 }]);
}

#[test]
fn a_full_log_ends_the_check_for_all() {
    let mut full = Log::with_limit(3);
    for &(stamp, step) in holds(1, Span::point(1), Mode::Exclusive, 10, 20).steps() {
        full.note(stamp, step);
    }
    assert!(full.is_full());
    // Its holder is never seen to release; a grant after its end is not held against it.
    assert!(check(&[full, holds(2, Span::point(1), Mode::Exclusive, 30, 40)]).violations.is_empty());
}

#[test]
fn a_manager_that_lets_no_shared_ranges_overlap_may_keep_them_waiting() {
    let logs =
        [holds(1, span(1, 5), Mode::Shared, 10, 50), waits(2, span(5, 9), Mode::Shared, 12, 40, Refused::TimedOut)];
    let check = |obstacles| Checker { grace: 5, obstacles }.check(&logs).violations.len();
    assert_eq!(check(Obstacles::Conflicts), 1);
    assert_eq!(check(Obstacles::Overlaps), 0);
    assert_eq!(check(Obstacles::Unknown), 0);
}

#[test]
fn two_transactions_of_one_number_are_told_and_still_exclude_each_other() {
    let key = Span::point(5);
    let report = check(&[holds(1, key, Mode::Exclusive, 10, 20), holds(1, key, Mode::Exclusive, 15, 30)]);
    let same = Violation::SameNumber { transaction: 1, workers: (0, 1) };
    assert_eq!(report.violations[0], same);
    assert!(matches!(report.violations[1..], [Violation::Conflict { .. }]), "{report:?}");
    let again = log(&[(1, Step::Began(3)), (2, Step::Releases), (3, Step::Released), (4, Step::Began(3))]);
    assert!(check(&[again]).violations.contains(&Violation::SameNumber { transaction: 3, workers: (0, 0) }));
}

#[test]
fn a_log_without_room_for_a_step_ends_the_check_at_once() {
    let mut none = Log::with_limit(0);
    none.note(1, Step::Began(1));
    // Its holder is never seen, so nobody can be said to have waited for nothing.
    let key = Span::point(1);
    assert!(check(&[none, waits(2, key, Mode::Exclusive, 30, 90, Refused::TimedOut)]).violations.is_empty());
}

/// Locks that are held alone, waits that were worth it, and one of each fault in the midst: found, in time, whatever the shape.
#[test]
fn a_long_history_is_checked_in_about_as_many_steps_as_it_has() {
    for (transactions, locks) in [(40_000, 1), (4, 20_000)] {
        let logs: Vec<Log> = (0..4_u64)
            .map(|worker| {
                let (mut log, mut stamp) = (Log::new(), worker);
                for nth in 0..transactions {
                    log.note(stamp, Step::Began(4 * nth + worker + 1));
                    for lock in 0..locks {
                        // Every other worker waits in vain for what the one before it holds.
                        let key = (nth * locks + lock) * 2 + worker / 2;
                        let space = Space(u32::from(worker % 2 == 1 && nth == 2 && lock == 0));
                        log.note(stamp, Step::Asks(space, span(key, key), Mode::Exclusive));
                        let end = if worker % 2 == 0 { Step::Granted } else { Step::Refused(Refused::TimedOut) };
                        stamp += 40;
                        log.note(stamp, end);
                    }
                    stamp += 40;
                    log.note(stamp, Step::Releases);
                    log.note(stamp, Step::Released);
                }
                log
            })
            .collect();
        let report = check(&logs);
        assert_eq!(report.granted + report.refused, 4 * transactions * locks);
        let lost: Vec<_> = report.violations.iter().filter(|v| matches!(v, Violation::LostWakeUp { .. })).collect();
        assert_eq!((lost.len(), report.violations.len()), (2, 2), "{lost:?}");
    }
}
