//! `engines/wiredtiger-small-btree`: every worker reads random rows of one WiredTiger tree, with a random generator whose state is
//! shared or its own.
//!
//! WiredTiger is under the GPL: it is linked dynamically, only in a build with the feature `wiredtiger`, and such a binary is not to be
//! given away.
//!
//! The tree is that of wtperf's small-btree: keys of 20 bytes (the row's number in digits, filled up with zeros), values of 100,
//! 500,000 rows, all of them cached. One operation is one search with the worker's own session and cursor, of row r % rows + 1, r a
//! number of WiredTiger's generator (`__wt_random`, [`hitm_keys::rng::WiredTigerMwc`]). Where that one's state lies, `state` says as in
//! `rng/next`: `shared-racy` is WiredTiger up to 2.3.1, `packed` its wtperf from 2.4.0 on.
//!
//! The table is loaded once for all cells and trials of as many rows, and read through once, before the first of them is timed.
//!
//! # What is verified
//!
//! Each search found its row, with that row's value; and the generators' states, as in `rng/next`.
//!
//! # What is observed
//!
//! As in `rng/next`, in the random numbers.

use hitm_experiment::Parameters;
use hitm_kernels::rng::lookup::{self, OBSERVATIONS};
use hitm_kernels::{DefaultValue, Entry, Made, Parameter, ParameterKind};

#[cfg(feature = "wiredtiger")]
mod ffi;
#[cfg(feature = "wiredtiger")]
mod tree;

#[cfg(feature = "wiredtiger")]
pub use tree::{Session, Tree};

const PARAMETERS: &[Parameter] = &{
    let [state, seeding] = lookup::PARAMETERS;
    [
        state,
        seeding,
        Parameter {
            name: "rows",
            kind: ParameterKind::Integer { range: 1..=100_000_000, step: 1 },
            default: DefaultValue::Integer(500_000),
            help: "The rows of the tree, about 130 bytes each in memory and on disk",
        },
        lookup::units(0, "Units of local work after each search, about 1 ns each"),
    ]
};

/// How this kernel is asked for.
pub const ENTRY: Entry = Entry {
    name: "engines/wiredtiger-small-btree",
    summary: "Every worker reads random rows of a WiredTiger tree, with a generator whose state is shared or its own",
    operation: "read",
    workers: 1..=4000,
    parameters: PARAMETERS,
    observations: OBSERVATIONS,
    tallies: &[],
    build,
};

#[cfg(feature = "wiredtiger")]
fn build(parameters: &Parameters) -> Made {
    use std::sync::{Arc, Mutex, PoisonError};

    use hitm_kernels::{integer, rng::lookup::kernel};
    use hitm_keys::rng::{WiredTigerMwc, WordState};

    let (rows, units) = (integer(parameters, "rows") as u64, integer(parameters, "work") as u32);
    // Kept as long as the kernel is, so that it is not loaded anew for each trial.
    let kept: Mutex<Option<Arc<Tree>>> = Mutex::new(None);
    kernel(WiredTigerMwc::NAME, parameters, units, move |_| {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some(tree) => Ok(Arc::clone(tree)),
            None => Ok(Arc::clone(kept.insert(Tree::shared(rows)?))),
        }
    })
}

#[cfg(not(feature = "wiredtiger"))]
fn build(_: &Parameters) -> Made {
    Err(hitm_kernels::Refusal {
        parameter: "rows",
        why: "this hitm was built without WiredTiger".to_owned(),
        cure: "build it with `--features wiredtiger`, which needs the package libwiredtiger-dev (scripts/test-engines shows how), or \
               ask rng/next with generator = \"wiredtiger-mwc\" for the generator alone"
            .to_owned(),
    })
}
