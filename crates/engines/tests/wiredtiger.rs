//! A WiredTiger tree has its rows, and workers read them.

#![cfg(feature = "wiredtiger")]

mod common;

use std::sync::Arc;

use common::{make, sample, verify};
use hitm_engines::wiredtiger::Tree;
use hitm_experiment::record::Verification;
use hitm_kernels::rng::lookup::{Reader, Table};

const KERNEL: &str = "engines/wiredtiger-small-btree";

#[test]
fn every_row_is_there_and_no_other() {
    let tree = Tree::shared(1234).unwrap();
    let mut reader = tree.reader().unwrap();
    for row in 1..=1234 {
        assert_eq!(reader.read(row), Ok(row));
    }
    for row in [0, 1235, u64::MAX] {
        let why = reader.read(row).unwrap_err();
        assert!(why.contains(&row.to_string()) && why.contains("NOTFOUND"), "{why}");
    }
    assert_eq!(reader.read(7), Ok(7), "and goes on");
}

#[test]
fn one_table_serves_all_who_ask_for_as_many_rows() {
    let (one, same, other) = (Tree::shared(77).unwrap(), Tree::shared(77).unwrap(), Tree::shared(78).unwrap());
    assert!(Arc::ptr_eq(&one, &same) && !Arc::ptr_eq(&one, &other));
    assert_eq!((one.rows(), other.rows()), (77, 78));
}

#[test]
fn workers_of_every_state_read_rows() {
    for state in ["shared-atomic", "mutex", "packed", "padded", "thread-local"] {
        for work in [0, 3] {
            let kernel = make(KERNEL, vec![("state", state.into()), ("rows", 1000.into()), ("work", work.into())]);
            let kernel = kernel.unwrap_or_else(|faults| panic!("{faults:?}"));
            assert_eq!(verify(&*kernel, &[500, 1, 0, 700]), Verification::Exact, "{state}");
            assert_eq!(sample(&*kernel, 2, 300).1, Verification::Exact, "{state}");
        }
    }
    let racy = make(KERNEL, vec![("state", "shared-racy".into()), ("rows", 1000.into())]).unwrap();
    assert_eq!(verify(&*racy, &[1000]), Verification::Exact, "one worker loses nothing");
    assert!(!matches!(verify(&*racy, &[5000, 5000]), Verification::Wrong { .. }), "racing may lose, and is told so");
}
