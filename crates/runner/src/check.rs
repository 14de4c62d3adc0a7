//! Makes each cell once for a moment and holds its state to its work: no timing, no record.

use hitm_counters::Clock;
use hitm_experiment::manifest::Measure;
use hitm_experiment::record::{Purpose, Verification};
use hitm_experiment::seed::Streams;

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
    /// Its verification, or why it could not be made.
    pub verification: Result<Verification, TrialError>,
}

/// Makes each cell once, in order, and hands on what became of it as it ends.
pub fn check(resolved: &Resolved, clock: Clock, seed: u64, mut each: impl FnMut(Checked)) {
    let measure = Measure { duration_ns: DURATION_NS, warm_up_ns: DURATION_NS / 4, ..resolved.measure().clone() };
    for cell in &resolved.cells {
        let seeds = Streams::new(Streams::new(seed).stream(&cell.planned.id, 0));
        let worker_seeds: Vec<u64> =
            (0..cell.placement.pus.len()).map(|worker| seeds.stream("worker", worker as u64)).collect();
        let trial = Trial {
            kernel: cell.kernel.as_ref(),
            placement: &cell.placement,
            measure: &measure,
            purpose: Purpose::Timing,
            line_bytes: resolved.line.bytes as usize,
            seed: seeds.stream("arena", 0),
            worker_seeds: &worker_seeds,
            events: &[],
            clock,
        };
        let verification = trial.run().map(|outcome| outcome.verification);
        each(Checked { cell: cell.planned.id.clone(), pus: cell.placement.pus.clone(), verification });
    }
}
