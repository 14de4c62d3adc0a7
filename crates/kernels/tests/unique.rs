//! Keys come once, or it is told that they do not.

mod common;

use common::{kernel, lay_out, run, sample, verify};
use hitm_experiment::record::Verification;
use hitm_kernels::StopToken;

const COUNTERS: [&str; 4] = ["shared-fetch-add", "shared-mutex", "per-worker-block", "shared-racy"];

#[test]
fn no_key_comes_twice_or_that_is_told() {
    for counter in COUNTERS {
        for block in [1, 7, 1024] {
            let kernel = kernel("keys/unique", [("counter", counter.into()), ("block", block.into())]);
            assert_eq!(verify(&*kernel, &[vec![1000, 0, 7]]), Verification::Exact, "{counter} alone");
            match (counter, verify(&*kernel, &[vec![4000, 1], vec![5000], vec![0], vec![3]])) {
                (_, Verification::Exact) => {}
                ("shared-racy", Verification::Lost { expected: 9004, found }) => assert!(found < 9004),
                (_, verdict) => panic!("{counter} {block}: {verdict:?}"),
            }
        }
    }
}

#[test]
fn keys_are_seen_to_come_once() {
    for counter in COUNTERS {
        let kernel = kernel("keys/unique", [("counter", counter.into()), ("work", 0.into())]);
        let (samples, observations, _) = sample(&*kernel, 3, 2000);
        assert_eq!((&*observations[0].name, observations[0].of), ("came-twice", 6000));
        if counter != "shared-racy" {
            assert_eq!(observations[0].count, 0, "{counter}");
            assert!(samples.iter().all(|keys| keys.is_sorted()), "{counter}");
        }
        if counter == "per-worker-block" {
            assert!(samples.concat().iter().all(|key| *key < 6 * 1024), "{counter}");
        }
    }
}

/// What the workers tell is held to what they were asked.
#[test]
fn keys_that_nobody_was_asked_for_are_told() {
    for counter in COUNTERS {
        let kernel = kernel("keys/unique", [("counter", counter.into())]);
        let arena = lay_out(&*kernel, 1);
        run(&*arena, &[vec![50]], &StopToken::default());
        assert!(matches!(arena.verify(&[51]), Verification::Wrong { .. }), "{counter}");
    }
}
