//! Random histories of one thread: every manager grants and refuses as a plain list of held ranges does.

mod support;

use hitm_locks::{Deadline, Mode, Problem, Refused, Space, Span};
use proptest::prelude::*;
use support::{Reference, Subject, subjects};

#[derive(Clone, Copy, Debug)]
enum Action {
    Lock(Space, Span, Mode),
    Release,
}

fn action() -> impl Strategy<Value = (usize, Action)> {
    let mode = prop_oneof![Just(Mode::Shared), Just(Mode::Exclusive)];
    // Few keys, so that they meet; most spans are points, as rows are.
    let span = prop_oneof![
        3 => (0..12_u64).prop_map(Span::point),
        2 => (0..12_u64, 0..6_u64).prop_map(|(left, more)| Span::new(left, left + more).expect("in order")),
        1 => Just(Span::new(0, u64::MAX).expect("in order")),
    ];
    let action = prop_oneof![
        6 => (0..2_u32, span, mode).prop_map(|(space, span, mode)| Action::Lock(Space(space), span, mode)),
        1 => Just(Action::Release),
    ];
    (0..5_usize, action)
}

fn run(subject: &Subject, actions: &[(usize, Action)]) -> Result<(), TestCaseError> {
    let Subject { name, manager, .. } = subject;
    let mut reference = Reference::default();
    let mut transactions: Vec<_> = (0..5).map(|_| manager.transaction()).collect();
    for transaction in &mut transactions {
        prop_assert_eq!(manager.begin(transaction, None), Ok(()));
    }
    for &(who, action) in actions {
        let transaction = &mut transactions[who];
        match action {
            Action::Release => {
                manager.release(transaction);
                prop_assert_eq!(manager.begin(transaction, None), Ok(()));
                reference.release(who);
            }
            Action::Lock(space, span, mode) => {
                let outcome = manager.lock(transaction, space, span, mode, Deadline::Now);
                if !subject.ranges && !span.is_point() {
                    prop_assert_eq!(outcome, Err(Refused::Invalid(Problem::NotAPoint(span))));
                    continue;
                }
                let conflict = reference.conflicts(who, space, span, mode);
                match outcome {
                    Ok(_) => {
                        prop_assert!(
                            !conflict,
                            "{name}: {who} was granted {span} {mode:?} of {space:?}: {reference:?}"
                        );
                        reference.grant(who, space, span, mode);
                    }
                    Err(why) => {
                        let right = if subject.exact { conflict } else { reference.overlaps(who, space, span) };
                        prop_assert_eq!(why, Refused::Busy);
                        prop_assert!(right, "{name}: {who} was refused {span} {mode:?} of {space:?}: {reference:?}");
                    }
                }
            }
        }
    }
    for transaction in &mut transactions {
        manager.release(transaction);
        prop_assert!(transaction.counts().adds_up(), "{name}: {:?}", transaction.counts());
    }
    prop_assert_eq!(manager.held(), 0, "{}: locks are left", name);
    Ok(())
}

proptest! {
    #[test]
    fn every_manager_grants_as_a_plain_list_does(actions in prop::collection::vec(action(), 1..120)) {
        for subject in subjects() {
            run(&subject, &actions)?;
        }
    }
}
