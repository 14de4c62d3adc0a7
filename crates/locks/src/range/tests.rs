//! What only the range locks have: their tree, memory and escalation, the shortcut, and shared ranges that do not join.

use super::{
    Config, RangeLocks,
    ends::Ends,
    node::{Entry, Inner, Node, with_subtree},
};
use crate::{Deadline, Granted, LockManager, Mode, Problem, Refused, Space, Span, Transaction};
use proptest::prelude::*;
use std::collections::BTreeSet;

const T: Space = Space(0);
const X: Mode = Mode::Exclusive;

fn locks(config: Config) -> RangeLocks {
    RangeLocks::new(config).expect("a right configuration")
}

fn begun(manager: &RangeLocks) -> Transaction {
    let mut transaction = manager.transaction();
    manager.begin(&mut transaction, None).expect("nothing is held");
    transaction
}

fn span(left: u64, right: u64) -> Span {
    Span::new(left, right).expect("in order")
}

fn now(manager: &RangeLocks, transaction: &mut Transaction, span: Span, mode: Mode) -> Result<Granted, Refused> {
    manager.lock(transaction, T, span, mode, Deadline::Now)
}

fn insert(root: &Node, key: u64) {
    let ends = Ends::new(T, Span::point(key));
    with_subtree(root.lock(), &ends, |subtree: &mut Inner| subtree.insert(Entry::new(ends.clone(), X, key)));
}

#[test]
fn the_tree_stays_shallow_whatever_the_order() {
    let orders: [fn(u64) -> u64; 4] = [|i| i, |i| 4095 - i, |i| i ^ 0x555, |i| crate::hash::mix(i)];
    for order in orders {
        let root = Node::default();
        (0..4096).for_each(|i| insert(&root, order(i)));
        let depth = root.lock().measured_depth();
        // The root itself never turns, and a node turns only when somebody comes by: not as strict as an AVL tree's 1.44 log2 n.
        assert!(depth < 36, "{depth} levels of 4096 ranges");
    }
}

proptest! {
    #[test]
    fn the_tree_holds_what_was_put_in_and_not_taken_off(keys in prop::collection::vec((any::<bool>(), 0..64_u64), 0..300)) {
        let (root, mut expected) = (Node::default(), BTreeSet::new());
        for (add, key) in keys {
            let ends = Ends::new(T, Span::point(key));
            if add && expected.insert(key) {
                insert(&root, key);
            } else if !add && expected.remove(&key) {
                with_subtree(root.lock(), &ends, |subtree| subtree.remove(&ends, Some(key)));
            }
            let mut found = Vec::new();
            let (from, to) = (key.saturating_sub(3), key + 3);
            root.lock().overlaps(&Ends::new(T, span(from, to)), &mut |entry| found.push(entry.owner));
            prop_assert_eq!(found, expected.range(from..=to).copied().collect::<Vec<_>>());
        }
        let mut all = Vec::new();
        root.lock().drain(&mut all);
        prop_assert_eq!(all.iter().map(|entry| entry.owner).collect::<Vec<_>>(), expected.into_iter().collect::<Vec<_>>());
        prop_assert_eq!(root.lock().held(), 0);
    }

    #[test]
    fn all_memory_comes_back(actions in prop::collection::vec((0..4_usize, 0..40_u64, 0..4_u64, any::<bool>()), 1..200), tight: bool, parted: bool) {
        let manager = locks(Config {
            memory_limit: Some(if tight { 2000 } else { 1 << 30 }),
            partitions: if parted { 3 } else { 1 },
            segment: 2,
            ..Config::default()
        });
        let mut transactions: Vec<_> = (0..4).map(|_| begun(&manager)).collect();
        for (who, left, more, shared) in actions {
            let mode = if shared { Mode::Shared } else { X };
            let outcome = now(&manager, &mut transactions[who], span(left, left + more), mode);
            if tight && outcome == Err(Refused::Full) {
                manager.release(&mut transactions[who]);
                prop_assert_eq!(manager.begin(&mut transactions[who], None), Ok(()));
            }
        }
        transactions.iter_mut().for_each(|transaction| { manager.release(transaction); });
        prop_assert_eq!(manager.held(), 0);
        prop_assert_eq!(manager.memory.used(), 0);
    }
}

#[test]
fn memory_beyond_the_limit_merges_what_lies_side_by_side_but_not_over_spaces() {
    let manager = locks(Config { memory_limit: Some(10_000), ..Config::default() });
    let (mut one, mut other) = (begun(&manager), begun(&manager));
    assert!(manager.lock(&mut one, Space(1), Span::point(5), X, Deadline::Now).is_ok());
    assert!(now(&manager, &mut other, Span::point(1_000_000), X).is_ok());
    let mut key = 0;
    while one.counts().escalations == 0 {
        assert!(now(&manager, &mut one, Span::point(key), X).is_ok());
        key += 10;
        assert!(key < 100_000, "never escalated");
    }
    // The keys between are locked too, up to the other's; a space's merged range ends with the space.
    assert_eq!(now(&manager, &mut other, Span::point(11), X), Err(Refused::Busy));
    assert!(now(&manager, &mut other, Span::point(999_999), X).is_ok());
    assert!(manager.lock(&mut other, Space(1), Span::point(4), X, Deadline::Now).is_ok());
    manager.release(&mut one);
    assert_eq!(manager.begin(&mut one, None), Ok(()));
    assert!(now(&manager, &mut one, Span::point(11), X).is_ok());
    manager.release(&mut one);
    manager.release(&mut other);
    assert_eq!((manager.held(), manager.memory.used()), (0, 0));
}

#[test]
fn where_merging_does_not_help_the_manager_is_full() {
    let manager = locks(Config { memory_limit: Some(2000), ..Config::default() });
    let mut transactions = [begun(&manager), begun(&manager)];
    // In turn, so that no two of one transaction lie side by side.
    let outcome = (0..1000)
        .map(|key| now(&manager, &mut transactions[key as usize % 2], Span::point(key), X))
        .find(Result::is_err);
    assert_eq!(outcome, Some(Err(Refused::Full)));
    transactions.iter_mut().for_each(|transaction| {
        manager.release(transaction);
    });
    assert_eq!(manager.begin(&mut transactions[0], None), Ok(()));
    assert!(now(&manager, &mut transactions[0], Span::point(1), X).is_ok());
}

#[test]
fn a_transaction_that_is_alone_locks_without_the_tree_until_another_comes() {
    let manager = locks(Config::default());
    let in_tree = |manager: &RangeLocks| manager.forests.all()[0].in_trees();
    let mut one = begun(&manager);
    (0..10).for_each(|key| assert!(now(&manager, &mut one, Span::point(key), X).is_ok()));
    assert_eq!((manager.held(), in_tree(&manager)), (10, 0));
    let mut other = begun(&manager);
    assert_eq!(now(&manager, &mut other, Span::point(3), X), Err(Refused::Busy));
    assert_eq!((manager.held(), in_tree(&manager)), (10, 10));
    manager.release(&mut one);
    // After 100 transactions it is tried again, however many ranges each has.
    for released in 1..110 {
        assert_eq!(manager.begin(&mut one, None), Ok(()));
        (0..3).for_each(|key| assert!(now(&manager, &mut one, Span::point(key), X).is_ok()));
        let shortcut = in_tree(&manager) == 0;
        assert_eq!(shortcut, released >= 100, "after {released} transactions");
        manager.release(&mut one);
    }
}

#[test]
fn shared_ranges_join_only_where_they_are_the_same() {
    let manager = locks(Config { single: false, ..Config::default() });
    let (mut one, mut other) = (begun(&manager), begun(&manager));
    assert!(now(&manager, &mut one, span(1, 5), Mode::Shared).is_ok());
    assert!(now(&manager, &mut other, span(1, 5), Mode::Shared).is_ok());
    assert_eq!(now(&manager, &mut other, span(2, 3), Mode::Shared), Err(Refused::Busy));
    assert_eq!(now(&manager, &mut one, span(1, 5), X), Err(Refused::Busy));
    manager.release(&mut one);
    assert!(now(&manager, &mut other, span(1, 5), X).is_ok());
    manager.release(&mut other);
    assert_eq!((manager.held(), manager.memory.used()), (0, 0));
}

#[test]
fn a_transaction_does_not_expire_and_a_configuration_of_nothing_is_refused() {
    let manager = locks(Config::default());
    let mut transaction = manager.transaction();
    assert_eq!(manager.begin(&mut transaction, Some(std::time::Instant::now())), Err(Problem::NoExpiry));
    let default = Config::default();
    for config in [
        Config { partitions: 0, ..default },
        Config { segment: 0, ..default },
        Config { memory_limit: Some(0), ..default },
    ] {
        assert!(matches!(RangeLocks::new(config), Err(Problem::Zero(_))), "{config:?}");
    }
    let points = locks(Config { points_only: true, ..default });
    let mut transaction = begun(&points);
    assert_eq!(now(&points, &mut transaction, span(1, 2), X), Err(Refused::Invalid(Problem::NotAPoint(span(1, 2)))));
}
