//! YCSB's distributions by name.

use super::THOUSAND;
use super::{Exponential, Hotspot, Latest, ScrambledZipfian, Sequential, Uniform, Zipfian};
use crate::Refusal;
use crate::dist::{Asked, Entry, Parameter, bound, together};
use crate::rng::{WordState, Xoshiro256PlusPlus};

const THETA: Parameter = Parameter { name: "theta", default: 0.99, help: "exponent, 0 or more and not 1" };
const EXPECTED: Parameter = Parameter {
    name: "expected",
    default: 0.0,
    help: "keys behind the range that inserts will bring: drawn among, and drawn again; about 10000 times the keys at most",
};
const KEYS: Parameter = Parameter { name: "keys", default: 0.2, help: "share of the keys that are hot, 0 to 1" };
const OPERATIONS: Parameter =
    Parameter { name: "operations", default: 0.8, help: "share of the draws that fall on the hot keys, 0 to 1" };
const PERCENTILE: Parameter =
    Parameter { name: "percentile", default: 95.0, help: "percent of the draws on the last share of the keys" };
const SHARE: Parameter =
    Parameter { name: "share", default: 0.857_142_857_1, help: "share of the keys that they fall on" };

/// Java's generator takes no seed.
fn stream(asked: &Asked) -> Result<Xoshiro256PlusPlus, Refusal> {
    Ok(Xoshiro256PlusPlus::seeded(asked.seed))
}

fn scrambled(asked: &Asked) -> Result<ScrambledZipfian, Vec<Refusal>> {
    let expected = asked.whole(EXPECTED.name);
    let made = ScrambledZipfian::new(asked.range, asked.number(THETA.name), *expected.as_ref().unwrap_or(&0));
    together(expected.err().into_iter().collect(), made)
}

pub(in crate::dist) const ENTRIES: &[Entry] = &[
    Entry {
        name: "ycsb/uniform",
        summary: "Every key nearly alike",
        fault: "the remainder favours the first keys of ranges near 2^63; exact/uniform is without it",
        generator: Xoshiro256PlusPlus::NAME,
        parameters: &[],
        range: THOUSAND,
        build: |asked| bound(Uniform::new(asked.range), stream(asked)),
    },
    Entry {
        name: "ycsb/zipfian",
        summary: "The k-th key nearly in proportion to k^-theta (ZipfianGenerator)",
        fault: "an approximation from the third key on, not defined at theta = 1 (refused here); exact/zipf is without it",
        generator: Xoshiro256PlusPlus::NAME,
        parameters: &[THETA],
        range: THOUSAND,
        build: |asked| bound(Zipfian::new(asked.range, asked.number(THETA.name)), stream(asked)),
    },
    Entry {
        name: "ycsb/scrambled-zipfian",
        summary: "What YCSB's workloads call zipfian: ranks among 10^10, hashed onto the keys",
        fault: "keys collide, and their skew is that of 10^10 ranks, not of the range; exact/zipf-scrambled is without it",
        generator: Xoshiro256PlusPlus::NAME,
        parameters: &[THETA, EXPECTED],
        range: THOUSAND,
        build: |asked| bound(scrambled(asked), stream(asked)),
    },
    Entry {
        name: "ycsb/latest",
        summary: "The last keys are hot, by the same formula",
        fault: "as ycsb/zipfian, and the first key is never drawn; exact/zipf-latest is without it",
        generator: Xoshiro256PlusPlus::NAME,
        parameters: &[THETA],
        range: THOUSAND,
        build: |asked| bound(Latest::new(asked.range, asked.number(THETA.name)), stream(asked)),
    },
    Entry {
        name: "ycsb/hotspot",
        summary: "80 % of the draws alike on the first 20 % of the keys, the rest alike on the others",
        fault: "divides by zero where there is no hot key (refused here); no more than 2^31 - 1 keys are hot",
        generator: Xoshiro256PlusPlus::NAME,
        parameters: &[KEYS, OPERATIONS],
        range: THOUSAND,
        build: |asked| {
            let hotspot = Hotspot::new(asked.range, asked.number(KEYS.name), asked.number(OPERATIONS.name));
            bound(hotspot, stream(asked))
        },
    },
    Entry {
        name: "ycsb/exponential",
        summary: "The last keys are hot: 95 % of the draws on 86 % of the keys, drawn again below the first",
        fault: "of more than 2^31 - 1 keys it draws wrong ones (refused here)",
        generator: Xoshiro256PlusPlus::NAME,
        parameters: &[PERCENTILE, SHARE],
        range: THOUSAND,
        build: |asked| {
            let made = Exponential::new(asked.range, asked.number(PERCENTILE.name), asked.number(SHARE.name));
            bound(made, stream(asked))
        },
    },
    Entry {
        name: "ycsb/sequential",
        summary: "The keys in their order by a counter that all workers share, then again",
        fault: "",
        generator: "none",
        parameters: &[],
        range: THOUSAND,
        build: |asked| bound(Sequential::new(asked.range), stream(asked)),
    },
];
