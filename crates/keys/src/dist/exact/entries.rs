//! Our own distributions by name.

use super::{Permutation, Uniform};
use crate::KeyRange;
use crate::dist::{Entry, bound};
use crate::rng::{WordState, Xoshiro256PlusPlus};

pub(in crate::dist) const ENTRIES: &[Entry] = &[
    Entry {
        name: "exact/uniform",
        summary: "Every key exactly alike, in any range of 64 bits",
        fault: "",
        generator: Xoshiro256PlusPlus::NAME,
        parameters: &[],
        range: KeyRange::TEN_THOUSAND,
        build: |asked| bound(Ok(Uniform::new(asked.range)), Ok(Xoshiro256PlusPlus::seeded(asked.seed))),
    },
    Entry {
        name: "exact/permutation",
        summary: "Each key once in an order that the seed decides, then no more",
        fault: "",
        generator: "none",
        parameters: &[],
        range: KeyRange::TEN_THOUSAND,
        build: |asked| bound(Ok(Permutation::new(asked.range, asked.seed)), Ok(Xoshiro256PlusPlus::seeded(asked.seed))),
    },
];
