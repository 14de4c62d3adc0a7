//! `keys/transaction`: every worker draws what the transactions of a load generator draw, and does so much work as stands for the rest
//! of it.
//!
//! One operation is one transaction: its table numbers, keys and texts, drawn as its original draws them
//! ([`hitm_keys::transaction`]), from a generator whose state is shared or the worker's own, as in [`rng/next`](crate::rng::next).
//! `hitm keys sql` prints the very statements.
//!
//! # Work
//!
//! `work` units of [`crate::work()`] stand for what else the load generator does in a transaction, about 1 ns each. They are spread
//! evenly over the statements, since that is where a load generator sends, waits and reads: a shared state leaves the core there. At
//! work 0 is seen what the drawing alone takes; the generator's share of a transaction is that over the time at some work. The texts'
//! digits are drawn in one go, so their draws pay for few transfers each, as in the original.
//!
//! # What is verified
//!
//! As in `rng/next`, by the steps that the transactions took: each must be in the state, unless racing workers lost them.
//!
//! # What is observed
//!
//! As in `rng/next`, in the random numbers taken, not in the keys made of them: of hot keys several workers draw the same anyway.

use std::sync::LazyLock;

use hitm_experiment::Parameters;
use hitm_keys::transaction::{Entry as Transaction, Text, entries, find};

use super::transacting::{Transactions, Wanted};
use crate::contract::Kernel;
use crate::registry::{DefaultValue, Entry, Parameter, ParameterKind, Refusal, integer, text, words};
use crate::rng::choice::{GENERATORS, SEEDING, STATE, choose};
use crate::rng::damage;

/// Stands for what the workload itself has.
const OWN: &str = "own";

static WORKLOADS: LazyLock<Vec<&str>> = LazyLock::new(|| words(&[], entries().map(|entry| entry.name)));
static DISTS: LazyLock<Vec<&str>> = LazyLock::new(|| words(&[OWN], entries().flat_map(|entry| entry.dists).copied()));
static FROM: LazyLock<Vec<&str>> = LazyLock::new(|| words(&[OWN], GENERATORS.into_iter()));

static PARAMETERS: LazyLock<[Parameter; 8]> = LazyLock::new(|| {
    [
        Parameter {
            name: "workload",
            kind: ParameterKind::Choice(&WORKLOADS),
            default: DefaultValue::Choice("sysbench-old/oltp_read_write"),
            help: "Whose transactions, by benchmark and workload",
        },
        Parameter {
            name: "dist",
            kind: ParameterKind::Choice(&DISTS),
            default: DefaultValue::Choice(OWN),
            help: "The distribution of keys; own is the workload's default",
        },
        Parameter {
            name: "rows",
            kind: ParameterKind::Integer { range: 1..=1_000_000_000, step: 1 },
            default: DefaultValue::Integer(10_000),
            help: "The rows of the table, which keys are drawn from",
        },
        Parameter {
            name: "text",
            kind: ParameterKind::Choice(&Text::NAMES),
            default: DefaultValue::Choice(Text::NAMES[0]),
            help: "How a text's digits are drawn: a number each, or nine or seven digits of one number",
        },
        Parameter {
            name: "generator",
            kind: ParameterKind::Choice(&FROM),
            default: DefaultValue::Choice(OWN),
            help: "The random generator; own is the workload's",
        },
        STATE,
        SEEDING,
        Parameter {
            name: "work",
            kind: ParameterKind::Integer { range: 0..=1_048_576, step: 1 },
            default: DefaultValue::Integer(8192),
            help: "Units of local work a transaction, about 1 ns each, spread over its statements: the rest of the load generator",
        },
    ]
});

/// How this kernel is asked for.
pub fn entry() -> Entry {
    Entry {
        name: "keys/transaction",
        summary: "Every worker draws the keys and texts of a load generator's transactions",
        operation: "transaction",
        workers: 1..=crate::MAX_WORKERS,
        parameters: &*PARAMETERS,
        observations: &damage::NAMES,
        tallies: &[],
        build,
    }
}

fn build(parameters: &Parameters) -> Result<Box<dyn Kernel>, Refusal> {
    let name = text(parameters, "workload");
    let workload: &Transaction = find(name).ok_or_else(|| Refusal {
        parameter: "workload",
        why: format!("there is no workload `{name}`"),
        cure: format!("give one of {}", WORKLOADS.join(", ")),
    })?;
    let dist = match text(parameters, "dist") {
        OWN => None,
        // Of the workload's own words, which are static.
        name => Some(workload.dists.iter().copied().find(|dist| *dist == name).ok_or_else(|| Refusal {
            parameter: "dist",
            why: format!("{} has no distribution `{name}`", workload.name),
            cure: format!("give one of {}", words(&[OWN], workload.dists.iter().copied()).join(", ")),
        })?),
    };
    let wanted = Wanted {
        workload,
        rows: integer(parameters, "rows") as u64,
        dist,
        text: Text::find(text(parameters, "text")).unwrap_or_default(),
    };
    // Made once for its refusals; each trial makes its own.
    wanted.make().map_err(|refusals| {
        let refusal = refusals.into_iter().next();
        let about = refusal.as_ref().map_or("", |refusal| &*refusal.setting);
        Refusal {
            parameter: ["rows", "dist", "text"].into_iter().find(|name| *name == about).unwrap_or("rows"),
            why: refusal.as_ref().map(|refusal| refusal.why.clone()).unwrap_or_default(),
            cure: refusal.map(|refusal| refusal.cure).unwrap_or_default(),
        }
    })?;
    let generator = match text(parameters, "generator") {
        OWN => workload.generator,
        name => name,
    };
    choose(generator, parameters, Transactions { wanted, work: integer(parameters, "work") as u32 })
}
