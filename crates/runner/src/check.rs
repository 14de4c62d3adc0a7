//! Makes each cell once for a moment and holds its state to its work: no timing, no record.

use hitm_counters::Clock;
use hitm_experiment::manifest::Measure;
use hitm_experiment::record::Verification;

use crate::resolve::Resolved;
use crate::trial::{Trial, TrialError};

/// How long each cell runs, nanoseconds.
const DURATION_NS: u64 = 2_000_000;

/// What became of one cell.
pub struct Checked {
    /// Its id.
    pub cell: String,
    /// The PUs of its workers.
    pub pus: Vec<u32>,
    /// Whether some of them share a PU.
    pub oversubscribed: bool,
    /// Its verification, or why it could not be made.
    pub verification: Result<Verification, TrialError>,
}

/// Makes each cell once, in order, and hands on what became of it as it ends.
pub fn check(resolved: &Resolved, clock: Clock, seed: u64, mut each: impl FnMut(Checked)) {
    let measure = Measure { duration_ns: DURATION_NS, warm_up_ns: DURATION_NS / 4, ..resolved.measure().clone() };
    for (index, cell) in resolved.cells.iter().enumerate() {
        let seeds = resolved.seeds(seed, index, 0);
        let trial = Trial { measure: &measure, ..resolved.trial(index, &seeds, clock) };
        let verification = trial.run().map(|outcome| outcome.verification);
        let (pus, oversubscribed) = (cell.placement.pus.clone(), cell.placement.oversubscribed);
        each(Checked { cell: cell.planned.id.clone(), pus, oversubscribed, verification });
    }
}
