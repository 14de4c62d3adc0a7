//! `overhead/empty`: operations that do as little as a counted loop can.
//!
//! One operation hands the loop's own counter to [`black_box`]: the compiler must do every round, and a round is one
//! store to the worker's stack and one addition, at most about one core cycle. What an operation takes beyond that is
//! what the harness adds.

use std::hint::black_box;

use hitm_experiment::Parameters;
use hitm_experiment::record::Verification;

use crate::contract::{Arena, Context, Done, Kernel, Setting, Worker};
use crate::registry::{Entry, Refusal};

/// How this kernel is asked for.
pub const ENTRY: Entry = Entry {
    name: "overhead/empty",
    summary: "A loop that does nothing but count its rounds: what the harness itself costs",
    operation: "round",
    workers: 1..=crate::MAX_WORKERS,
    parameters: &[],
    observations: &[],
    tallies: &[],
    build,
};

fn build(_parameters: &Parameters) -> Result<Box<dyn Kernel>, Refusal> {
    Ok(Box::new(Empty))
}

struct Empty;

impl Kernel for Empty {
    fn lay_out(&self, _setting: &Setting) -> Result<Box<dyn Arena>, String> {
        Ok(Box::new(Nothing))
    }
}

struct Nothing;

impl Arena for Nothing {
    fn worker<'a>(&'a self, _context: Context<'a>) -> Box<dyn Worker + 'a> {
        Box::new(Idle)
    }

    fn verify(&self, _totals: &[u64]) -> Verification {
        Verification::Unverifiable { why: "the loop leaves no state".to_owned() }
    }
}

struct Idle;

impl Worker for Idle {
    fn run(&mut self, operations: u64) -> Done {
        for round in 0..operations {
            black_box(round);
        }
        Done { operations, value: operations }
    }
}
