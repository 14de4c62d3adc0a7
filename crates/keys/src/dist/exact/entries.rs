//! Our own distributions by name.

use super::{Permutation, Uniform, Zipf, ZipfLatest, ZipfScrambled};
use crate::KeyRange;
use crate::dist::{Entry, Parameter, bound};
use crate::rng::{WordState, Xoshiro256PlusPlus};

const THETA: Parameter = Parameter { name: "theta", default: 0.99, help: "exponent, 0 (all alike) or more; 1 too" };

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
    Entry {
        name: "exact/zipf",
        summary: "The k-th key in proportion to k^-theta, of up to 2^63 keys, without a set-up sum",
        fault: "",
        generator: Xoshiro256PlusPlus::NAME,
        parameters: &[THETA],
        range: KeyRange::TEN_THOUSAND,
        build: |asked| bound(Zipf::new(asked.range, asked.number("theta")), Ok(Xoshiro256PlusPlus::seeded(asked.seed))),
    },
    Entry {
        name: "exact/zipf-latest",
        summary: "The same with the last keys hot, as of rows that were inserted last",
        fault: "",
        generator: Xoshiro256PlusPlus::NAME,
        parameters: &[THETA],
        range: KeyRange::TEN_THOUSAND,
        build: |asked| {
            bound(ZipfLatest::new(asked.range, asked.number("theta")), Ok(Xoshiro256PlusPlus::seeded(asked.seed)))
        },
    },
    Entry {
        name: "exact/zipf-scrambled",
        summary: "The same with the hot keys scattered by a permutation, so that every key can be drawn",
        fault: "",
        generator: Xoshiro256PlusPlus::NAME,
        parameters: &[THETA],
        range: KeyRange::TEN_THOUSAND,
        build: |asked| {
            let zipf = ZipfScrambled::new(asked.range, asked.number("theta"), asked.seed);
            bound(zipf, Ok(Xoshiro256PlusPlus::seeded(asked.seed)))
        },
    },
];
