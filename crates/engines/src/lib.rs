//! Real storage engines behind the kernels' contract.
//!
//! `locking/transaction` takes RocksDB's lock managers beside the models of them (feature `rocksdb`), and
//! `engines/wiredtiger-small-btree` reads rows of a WiredTiger tree (feature `wiredtiger`). Both are known in every build, so that
//! experiments which name them can be read and checked; a build without the feature refuses to make them, and says what it lacks.

#![deny(unsafe_code)] // The files that talk to an engine's shim may.

use hitm_kernels::Registry;

pub mod folder;
pub mod rocksdb;
pub mod wiredtiger;

#[cfg(any(feature = "rocksdb", feature = "wiredtiger"))]
mod why;

/// The built-in kernels, with the engines among them.
pub fn registry() -> Registry {
    let mut registry = Registry::built_in();
    registry.replace(rocksdb::entry()).add(wiredtiger::ENTRY);
    registry
}
