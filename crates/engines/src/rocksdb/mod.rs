//! RocksDB's lock managers as managers of `locking/transaction`.
//!
//! Each trial has a new, empty database, and its transactions only lock: `GetForUpdate` without a place for the value, `GetRangeLock`,
//! and a rollback at the end. So the price is that of the lock manager and of the transaction object around it.

use std::sync::LazyLock;

use hitm_kernels::locking::transaction::{self, Asked, Choice, Script};
use hitm_kernels::{Entry, Made, Parameter, Refusal};

#[cfg(feature = "rocksdb")]
mod ffi;
#[cfg(feature = "rocksdb")]
mod locks;

#[cfg(feature = "rocksdb")]
pub use locks::{Connection, RocksDb};

/// Which of RocksDB's lock managers, and how it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `PointLockManager`, with or without its search for deadlocks.
    Points {
        /// Whether deadlocks are looked for.
        detect: bool,
    },
    /// The range lock manager, asked for ranges.
    Ranges,
    /// The range lock manager, asked for single keys.
    RangesOfPoints,
}

const ENGINE: &str = "rocksdb";

/// The point lock manager, the range lock manager of the toku tree, and that one asked for single keys only.
const MANAGERS: [Choice; 3] = [
    Choice { engine: ENGINE, name: "point", without: &[], kernel: points },
    Choice { engine: ENGINE, name: "range", without: &[], kernel: ranges },
    Choice { engine: ENGINE, name: "range-points", without: &[], kernel: ranges_of_points },
];

static PARAMETERS: LazyLock<Vec<Parameter>> = LazyLock::new(|| transaction::parameters_with(&MANAGERS));

/// `locking/transaction`, with these managers besides the models.
pub fn entry() -> Entry {
    Entry {
        parameters: &PARAMETERS,
        build: |parameters| transaction::build_with(&MANAGERS, parameters),
        ..transaction::entry()
    }
}

fn points(script: Script, asked: &Asked) -> Made {
    kernel(script, Kind::Points { detect: asked.deadlocks.unwrap_or(false) })
}

fn ranges(script: Script, asked: &Asked) -> Made {
    always_detects(asked)?;
    if script.shares_ranges() {
        return Err(Refusal {
            parameter: "shared",
            why: "RocksDB has no shared locks of ranges".to_owned(),
            cure: "give shared = 0, or span = 1, or manager = \"range-points\"".to_owned(),
        });
    }
    kernel(script, Kind::Ranges)
}

fn ranges_of_points(script: Script, asked: &Asked) -> Made {
    always_detects(asked)?;
    kernel(script, Kind::RangesOfPoints)
}

fn always_detects(asked: &Asked) -> Result<(), Refusal> {
    match asked.deadlocks {
        Some(false) => Err(Refusal {
            parameter: "deadlocks",
            why: "RocksDB's range lock manager always looks for deadlocks".to_owned(),
            cure: "give own or on, or engine = \"model\"".to_owned(),
        }),
        _ => Ok(()),
    }
}

#[cfg(feature = "rocksdb")]
fn kernel(script: Script, kind: Kind) -> Made {
    Ok(script.kernel(move |_| RocksDb::open(kind)))
}

#[cfg(not(feature = "rocksdb"))]
fn kernel(_: Script, _: Kind) -> Made {
    Err(Refusal {
        parameter: "engine",
        why: "this hitm was built without RocksDB".to_owned(),
        cure: "build it with `--features rocksdb`, which needs the package librocksdb-dev (scripts/test-engines shows how), or \
               leave engine out, for the model"
            .to_owned(),
    })
}
