//! The counters hold what their workers did.

mod common;

use common::{kernel, lay_out, run, verify};
use hitm_experiment::record::Verification;
use hitm_kernels::StopToken;

#[test]
fn every_worker_finds_its_own_count() {
    for op in ["store", "add", "fetch-add", "compare-exchange"] {
        for (stride, base) in [(8, 0), (8, 504), (64, 24), (512, 504)] {
            let kernel =
                kernel("sharing/counters", [("op", op.into()), ("stride", stride.into()), ("base", base.into())]);
            let batches = [vec![1000, 0, 501], vec![1], vec![0], vec![20_000]];
            assert_eq!(verify(&*kernel, &batches), Verification::Exact, "{op} {stride} {base}");
        }
    }
}

#[test]
fn counts_that_do_not_fit_are_told_for_each_worker() {
    let arena = lay_out(&*kernel("sharing/counters", []), 2);
    run(&*arena, &[vec![10], vec![20]], &StopToken::default());
    let Verification::Wrong { what } = arena.verify(&[11, 21]) else { panic!("must be wrong") };
    assert_eq!(
        what,
        "worker 0 made 11 updates and its counter holds 10; worker 1 made 21 updates and its counter holds 20"
    );
}

#[test]
fn counters_lie_where_stride_and_base_say() {
    let arena = lay_out(&*kernel("sharing/counters", [("stride", 512.into()), ("base", 504.into())]), 9);
    let addresses = arena.addresses();
    assert_eq!(addresses.start % 4096, 0);
    assert!(addresses.len() >= 504 + 9 * 512);
}

#[test]
fn one_counter_holds_all_updates_or_says_how_many_were_lost() {
    for work in [0, 3] {
        for op in ["fetch-add", "compare-exchange"] {
            let kernel = kernel("sharing/one-counter", [("op", op.into()), ("work", work.into())]);
            assert_eq!(verify(&*kernel, &[vec![30_000, 1], vec![20_000], vec![0]]), Verification::Exact, "{op}");
        }
        let racy = kernel("sharing/one-counter", [("op", "add".into()), ("work", work.into())]);
        assert_eq!(verify(&*racy, &[vec![10_000]]), Verification::Exact, "alone");
        match verify(&*racy, &[vec![300_000], vec![300_000]]) {
            Verification::Exact => {}
            Verification::Lost { expected: 600_000, found } => assert!((2..600_000).contains(&found)),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn one_counter_is_never_exact_for_updates_that_were_not_made() {
    let arena = lay_out(&*kernel("sharing/one-counter", [("op", "add".into())]), 1);
    run(&*arena, &[vec![10]], &StopToken::default());
    assert_eq!(arena.verify(&[11]), Verification::Lost { expected: 11, found: 10 });
    assert!(matches!(arena.verify(&[9]), Verification::Wrong { .. }));
}

#[test]
fn the_empty_loop_does_its_rounds_and_has_nothing_to_verify() {
    let kernel = kernel("overhead/empty", []);
    assert!(matches!(verify(&*kernel, &[vec![1000], vec![0, 5]]), Verification::Unverifiable { .. }));
}
