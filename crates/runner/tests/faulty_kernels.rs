//! Kernels of a user's own that fail: each failure is an error that says where, and never the end of the process.

use hitm_counters::{Clock, Pass};
use hitm_experiment::manifest::{CellPlacement, Measure};
use hitm_experiment::record::{Observation, Purpose, Verification};
use hitm_kernels::{Arena, Context, Done, Kernel, Setting, Worker};
use hitm_runner::trial::{Seeds, Trial, TrialError};

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    LayOut,
    LayOutPanics,
    Make,
    Run,
    TooMany,
    Verify,
    Observe,
}

struct Faulty(Fault);

impl Kernel for Faulty {
    fn lay_out(&self, _: &Setting) -> Result<Box<dyn Arena>, String> {
        assert!(self.0 != Fault::LayOutPanics, "as asked");
        if self.0 == Fault::LayOut { Err("as asked".to_owned()) } else { Ok(Box::new(Faulty(self.0))) }
    }
}

impl Arena for Faulty {
    fn worker<'a>(&'a self, context: Context<'a>) -> Box<dyn Worker + 'a> {
        assert!(self.0 != Fault::Make || context.index != 1, "as asked");
        Box::new(Doing(self.0, context.index))
    }

    fn verify(&self, _: &[u64]) -> Verification {
        assert!(self.0 != Fault::Verify, "as asked");
        Verification::Exact
    }

    fn observe(&self, _: &[Vec<u64>]) -> Vec<Observation> {
        assert!(self.0 != Fault::Observe, "as asked");
        Vec::new()
    }
}

struct Doing(Fault, usize);

impl Worker for Doing {
    fn run(&mut self, operations: u64) -> Done {
        assert!(self.0 != Fault::Run || self.1 != 1, "as asked");
        let more = u64::from(self.0 == Fault::TooMany);
        std::hint::black_box(operations);
        Done { operations: operations + more, value: 0 }
    }
}

fn trial(fault: Fault, purpose: Purpose) -> Result<(), TrialError> {
    let pu = hitm_machine::process_allowed()[0];
    let trial = Trial {
        kernel: &Faulty(fault),
        placement: &CellPlacement { policy: "compact".to_owned(), pus: vec![pu; 3], oversubscribed: true, cores: None },
        measure: &Measure {
            // Long enough for each of three workers to get their PU, however busy it is.
            duration_ns: 100_000_000,
            warm_up_ns: 100_000,
            batch_ns: 10_000,
            precision: 0.02,
            budget_ns: 1_000_000_000,
            min_repetitions: 1,
            max_repetitions: 1,
            overlap: 0.95,
            retries: 0.0,
            events: Vec::new(),
            multiplex: false,
            samples: 8,
        },
        purpose,
        line_bytes: 64,
        seeds: &Seeds::new(1, "cell", 0, 3),
        pass: &Pass::default(),
        clock: Clock::detect(),
    };
    trial.run().map(|_| ())
}

#[test]
fn every_failure_of_a_kernel_is_told() {
    assert_eq!(trial(Fault::None, Purpose::Timing), Ok(()));
    for (fault, purpose, told) in [
        (Fault::LayOut, Purpose::Timing, "as asked"),
        (Fault::LayOutPanics, Purpose::Timing, "laying out: as asked"),
        (Fault::Make, Purpose::Timing, "worker 1 panicked: as asked"),
        (Fault::Run, Purpose::Timing, "worker 1 panicked: as asked"),
        (Fault::TooMany, Purpose::Timing, "operations of"),
        (Fault::Verify, Purpose::Timing, "verifying: as asked"),
        (Fault::Observe, Purpose::Observation, "its values: as asked"),
    ] {
        let TrialError(why) = trial(fault, purpose).expect_err(told);
        assert!(why.contains(told), "{why}");
    }
}
