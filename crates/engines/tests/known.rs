//! Engines are known in every build, and one that is not built in says so.

mod common;

use hitm_kernels::{Fault, ParameterKind};

fn refused(kernel: &str, given: Vec<(&str, hitm_experiment::Value)>) -> Option<Vec<Fault>> {
    common::make(kernel, given).err()
}

#[test]
fn every_name_is_known() {
    let registry = hitm_engines::registry();
    let entry = registry.find("locking/transaction").unwrap();
    let engine = entry.parameters.iter().find(|parameter| parameter.name == "engine").unwrap();
    let ParameterKind::Choice(words) = &engine.kind else { panic!("it is a choice") };
    assert_eq!(*words, ["model", "rocksdb"]);
    assert!(refused("locking/transaction", vec![("manager", "range".into())]).is_none(), "models are as before");
    assert!(registry.find("engines/wiredtiger-small-btree").is_some());
}

#[test]
fn what_is_not_built_in_says_what_it_needs() {
    for manager in ["point", "range", "range-points"] {
        let faults = refused("locking/transaction", vec![("engine", "rocksdb".into()), ("manager", manager.into())]);
        assert_eq!(faults.is_none(), cfg!(feature = "rocksdb"), "{faults:?}");
        for fault in faults.into_iter().flatten() {
            assert!(fault.cure.contains("--features rocksdb") && fault.cure.contains("librocksdb-dev"), "{fault:?}");
        }
    }
    let faults = refused("engines/wiredtiger-small-btree", vec![("rows", 10.into())]);
    assert_eq!(faults.is_none(), cfg!(feature = "wiredtiger"), "{faults:?}");
    for fault in faults.into_iter().flatten() {
        assert!(fault.cure.contains("--features wiredtiger") && fault.cure.contains("libwiredtiger-dev"), "{fault:?}");
    }
}
