//! `rng/next`: every worker draws random numbers; what differs is where the generator's state lies.
//!
//! | `state` | where it lies | who steps it |
//! | --- | --- | --- |
//! | `shared-racy` | one state on a page of its own | all workers, word by word without a lock: updates are lost, values repeat |
//! | `shared-atomic` | the same, 8 bytes at most | all workers, by compare-and-exchange |
//! | `mutex` | one state beside a lock of the standard library | all workers, one at a time |
//! | `packed` | the workers' states side by side | each its own: false sharing |
//! | `padded` | the workers' states two lines (at least 128 bytes) apart | each its own |
//! | `thread-local` | in the worker's registers or on its stack | each its own |
//!
//! The generators are those of [`hitm_keys::rng`] and `glibc-lrand48`, glibc's real `lrand48`: its one process-wide
//! state for `shared-racy` and `mutex`, `lrand48_r` on a `drand48_data` of the worker's own elsewhere. Since a
//! process has one such state, only one trial at a time can draw from it.
//!
//! # Seeding
//!
//! Workers' own states begin at seeds that have nothing in common, unless `seeding` says otherwise: `jump` starts worker w at the w-th stream
//! of one seed ([`WordState::stream`]), so that no two workers come to the same state, and worker w draws the same in a repetition
//! whatever the number of workers, the work and the state's place; `equal` starts all of them at one
//! seed, as WiredTiger 2.4.0 did, and `none` leaves them zero, as where only the parent thread's state was seeded (sysbench's commit
//! e24a028). Either way all workers draw the same numbers, unless zeros make the generator stuck.
//!
//! # Work
//!
//! `work` units of [`crate::work`] follow each draw: a chain of dependent steps, [`crate::WORK_CYCLES`] core cycles
//! each, that needs the value drawn and the chain before it. Without work the line stays with one core for bursts,
//! and the cost is understated several times; compare a shared state with `thread-local` at the same work. A
//! processor that runs far ahead may begin the next draw during the work, as it would in a real program, and hide a
//! part of the transfer: expect the extra cost to fall again at much work.
//!
//! # What is verified
//!
//! A state that nothing can be lost from must be its seed moved on by the draws made ([`WordState::jump`], in a time
//! that grows with their logarithm). A racing state is looked for in its generator's sequence, which tells how many
//! draws it lost: by the low bits for the congruential generators, by baby and giant steps for the
//! multiply-with-carry ones. Wide states whose words got mixed have no place there, and that is said, as is a state
//! that is stuck.
//!
//! # What is observed
//!
//! - `drawn-by-several-workers`: draws whose value another worker drew too, of all draws.
//! - `repeats-within-a-worker`: draws whose value the same worker had drawn before, of all draws.
//! - `stuck`: workers whose last 16 draws are one value, of all workers that drew at least twice.
//! - `lockstep`: draws whose value another worker drew at the same place of its sequence or at most 8 places from it,
//!   of all draws: near all of them where two workers were seeded alike.
//! - `at-one-lag`: draws whose value another worker drew too, equally many places before or after in all of them, of all draws: where workers
//!   walk one sequence from different places, however far apart.
//! - `low-bit-periodic`: workers whose values' lowest bit repeats itself with a period of at most half of them, of all workers that drew
//!   64 values or more.
//!
//! Some equal values come by chance: of n workers' L draws each from V
//! values, a share of about 1 − exp(−(n − 1)·L / V) is drawn by several, and about L / 2V repeat within a worker.
//! With two workers of 65,536 draws that is 3·10⁻⁵ drawn by both for `lrand48` (V = 2³¹), 6·10⁻⁵ for `sysbench-lcg`
//! (2³⁰ − 1), 1.5·10⁻⁵ for the 32-bit generators and none for the 64-bit ones.

use hitm_experiment::Parameters;
use hitm_keys::rng::{Rand48, WordState};

use super::choice::{GENERATORS, SEEDING, STATE, choose};
use super::drawing::Draws;
use crate::contract::Kernel;
use crate::registry::{DefaultValue, Entry, Parameter, ParameterKind, Refusal, integer, text};
use crate::work;

/// How this kernel is asked for.
pub const ENTRY: Entry = Entry {
    name: "rng/next",
    summary: "Every worker draws random numbers from a state that is shared, beside the others' or its own",
    operation: "draw",
    workers: 1..=crate::MAX_WORKERS,
    parameters: &[
        Parameter {
            name: "generator",
            kind: ParameterKind::Choice(&GENERATORS),
            default: DefaultValue::Choice(Rand48::NAME),
            help: "The random generator, by the program or paper that it comes from",
        },
        STATE,
        SEEDING,
        work::parameter(
            64,
            "Units of local work after each draw, about 1 ns each; without any, the line stays for bursts",
        ),
    ],
    observations: &{
        let [a, b, c, d, e] = super::damage::NAMES;
        [a, b, c, d, e, super::periods::NAME]
    },
    tallies: &[],
    build,
};

fn build(parameters: &Parameters) -> Result<Box<dyn Kernel>, Refusal> {
    let work = integer(parameters, "work") as u32;
    choose(text(parameters, "generator"), parameters, Draws { work })
}
