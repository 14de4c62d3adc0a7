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
    let manager = entry.parameters.iter().find(|parameter| parameter.name == "manager").unwrap();
    let ParameterKind::Choice(words) = &manager.kind else { panic!("it is a choice") };
    for name in ["point", "rocksdb-point", "rocksdb-range", "rocksdb-range-points"] {
        assert!(words.contains(&name), "{name}");
    }
    assert!(refused("locking/transaction", vec![("manager", "range".into())]).is_none(), "models are as before");
    assert!(registry.find("engines/wiredtiger-small-btree").is_some());
}

#[test]
fn what_is_not_built_in_says_what_it_needs() {
    for manager in ["rocksdb-point", "rocksdb-range", "rocksdb-range-points"] {
        let faults = refused("locking/transaction", vec![("manager", manager.into())]);
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
