//! The ping-pong ends, whatever its batches, and its number holds the round trips.

mod common;

use std::time::Duration;

use common::{kernel, lay_out, run, verify};
use hitm_experiment::record::Verification;
use hitm_kernels::latency::ping_pong::{Court, Side};
use hitm_kernels::time::OsTime;
use hitm_kernels::{Context, Setting, StopToken};

#[test]
fn unequal_batches_make_progress() {
    let kernel = kernel("latency/ping-pong", []);
    for batches in [
        [vec![500], vec![500]],
        [vec![1; 500], vec![500]],
        [vec![7, 0, 493], vec![499, 1]],
        [vec![400; 3], vec![300; 4]],
    ] {
        assert_eq!(verify(&*kernel, &batches), Verification::Exact, "{batches:?}");
    }
}

#[test]
fn ends_when_told_to_and_is_right_within_the_trip_in_flight() {
    let kernel = kernel("latency/ping-pong", []);
    for (first, second) in [(u64::MAX, 1000), (1000, u64::MAX), (u64::MAX, u64::MAX), (u64::MAX, 0)] {
        let arena = lay_out(&*kernel, 2);
        let stop = StopToken::default();
        let done = std::thread::scope(|scope| {
            let workers = scope.spawn(|| run(&*arena, &[vec![first, 5], vec![second, 5]], &stop));
            std::thread::sleep(std::time::Duration::from_millis(20));
            stop.set();
            workers.join().expect("no worker panics")
        });
        let totals: Vec<_> = done.iter().map(|batches| batches.iter().map(|done| done.operations).sum()).collect();
        assert_eq!(arena.verify(&totals), Verification::Exact, "{totals:?}");
        assert!(totals[0].abs_diff(totals[1]) <= 1, "{totals:?}");
        assert!(matches!(arena.verify(&[totals[0] + 2, totals[1]]), Verification::Wrong { .. }));
        assert!(matches!(arena.verify(&[totals[0], totals[1] + 1]), Verification::Wrong { .. }));
    }
}

#[test]
fn a_server_that_left_in_flight_waits_for_the_answer_before_it_serves_again() {
    let court = Court::new(7);
    let (set, unset) = (StopToken::default(), StopToken::default());
    set.set();
    let mut server = court.player(Side::Server, &set);
    assert_eq!(server.rally(1), 0);
    assert_eq!(court.player(Side::Returner, &unset).rally(1), 1);
    assert_eq!(server.rally(1), 1);
}

#[test]
fn a_witness_plays_equal_numbers_without_a_deadline() {
    let (court, never) = (Court::new(7), StopToken::default());
    let play = |side| court.player(side, &never).rally(500);
    let counts = std::thread::scope(|scope| {
        let returner = scope.spawn(|| play(Side::Returner));
        [play(Side::Server), returner.join().expect("no player panics")]
    });
    assert_eq!(counts, [500, 500]);
}

#[test]
fn takes_two_workers() {
    let kernel = kernel("latency/ping-pong", []);
    for workers in [1, 3] {
        let refused = kernel.lay_out(&Setting { workers, line_bytes: 64, seed: 0, common_seed: 5 }).err();
        assert_eq!(refused, Some(format!("a ping-pong has 2 workers, not {workers}")));
    }
    let arena = lay_out(&*kernel, 2);
    assert_eq!(
        arena
            .worker(Context { index: 1, seed: 0, stop: &StopToken::default(), time: &OsTime::lasting(Duration::ZERO) })
            .sample(&mut [0; 4]),
        0
    );
}
