//! TPC-C's numbers by name.

use super::Nurand;
use super::constants::{CUSTOMER_A, ITEM_A, LAST_NAME_A};
use crate::KeyRange;
use crate::dist::{Asked, Entry, Made, Parameter, bound, together};
use crate::rng::{WordState, Xoshiro256PlusPlus};

const C: Parameter = Parameter { name: "c", default: 0.0, help: "the run's constant, 0 to A: one for all workers" };
const A: Parameter = Parameter { name: "a", default: ITEM_A as f64, help: "A, a power of two less 1" };

fn nurand(asked: &Asked, a: Option<u64>) -> Made {
    let mut refusals = Vec::new();
    let mut whole = |name: &str, instead: u64| {
        asked.whole(name).unwrap_or_else(|refusal| {
            refusals.push(refusal);
            instead
        })
    };
    let a = a.unwrap_or_else(|| whole(A.name, ITEM_A));
    let c = whole(C.name, 0);
    bound(together(refusals, Nurand::new(asked.range, a, c)), Ok(Xoshiro256PlusPlus::seeded(asked.seed)))
}

pub(in crate::dist) const ENTRIES: &[Entry] = &[
    Entry {
        name: "tpcc/last-name",
        summary: "The number of a customer's last name: NURand of A = 255 over 0..999",
        fault: "",
        generator: Xoshiro256PlusPlus::NAME,
        parameters: &[C],
        range: KeyRange::constant(0, 999),
        build: |asked| nurand(asked, Some(LAST_NAME_A)),
    },
    Entry {
        name: "tpcc/customer",
        summary: "A customer's number: NURand of A = 1023 over 1..3000",
        fault: "",
        generator: Xoshiro256PlusPlus::NAME,
        parameters: &[C],
        range: KeyRange::constant(1, 3000),
        build: |asked| nurand(asked, Some(CUSTOMER_A)),
    },
    Entry {
        name: "tpcc/item",
        summary: "An item's number: NURand of A = 8191 over 1..100000",
        fault: "",
        generator: Xoshiro256PlusPlus::NAME,
        parameters: &[C],
        range: KeyRange::constant(1, 100_000),
        build: |asked| nurand(asked, Some(ITEM_A)),
    },
    Entry {
        name: "tpcc/nurand",
        summary: "NURand of any A",
        fault: "",
        generator: Xoshiro256PlusPlus::NAME,
        parameters: &[A, C],
        range: KeyRange::constant(1, 100_000),
        build: |asked| nurand(asked, None),
    },
];
