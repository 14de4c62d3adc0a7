//! RocksDB's lock managers as managers of `locking/transaction`.

use std::sync::LazyLock;

use hitm_kernels::locking::transaction::{self, Asked, Choice, Script};
use hitm_kernels::{Entry, Made, Parameter, Refusal};

/// They are the point lock manager, the range lock manager of the toku tree, and that one asked for single keys only.
const MANAGERS: [Choice; 3] = [
    Choice { name: "rocksdb-point", without: &[], kernel: not_built },
    Choice { name: "rocksdb-range", without: &[], kernel: not_built },
    Choice { name: "rocksdb-range-points", without: &[], kernel: not_built },
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

fn not_built(_: Script, _: &Asked) -> Made {
    Err(Refusal {
        parameter: "manager",
        why: "this hitm was built without RocksDB".to_owned(),
        cure: "build it with `--features rocksdb`, which needs the package librocksdb-dev, or take a model: point, range or \
               range-points"
            .to_owned(),
    })
}
