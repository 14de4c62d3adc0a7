//! sysbench's distributions before 1.0 by name.

use super::{Gaussian, Pareto, Special, Uniform, Uniq};
use crate::dist::sysbench_1_0_20::SpecialSymmetric;
use crate::dist::sysbench_1_0_20::entries::{H, ITER, PCT, RES, gaussian, special};
use crate::dist::{Asked, Entry, bound};
use crate::rng::{Rand48, WordState};
use crate::sysbench::seed_of_srand48;
use crate::{KeyRange, Refusal};

fn rand48(asked: &Asked) -> Result<Rand48, Refusal> {
    seed_of_srand48(asked.seed)
}

pub(in crate::dist) const ENTRIES: &[Entry] = &[
    Entry {
        name: "sysbench-old/uniform",
        summary: "Every key nearly alike",
        fault: "the remainder favours the first keys of large ranges; exact/uniform is without it",
        generator: Rand48::NAME,
        parameters: &[],
        range: KeyRange::TEN_THOUSAND,
        build: |asked| bound(Uniform::new(asked.range), rand48(asked)),
    },
    Entry {
        name: "sysbench-old/gaussian",
        summary: "A bell around the middle, of the whole mean of 12 numbers",
        fault: "leans half a key to the first ones and overflows in large ranges (refused here); sysbench-1.0.20/gaussian is without it",
        generator: Rand48::NAME,
        parameters: &[ITER],
        range: KeyRange::TEN_THOUSAND,
        build: |asked| bound(gaussian(asked, Gaussian::new), rand48(asked)),
    },
    Entry {
        name: "sysbench-old/special",
        summary: "The default before 1.0: 75 % of the draws on 1 % of the keys, the rest a bell",
        fault: "draws 0 where there is one key and overflows in large ranges (both refused here); special-symmetric is without it",
        generator: Rand48::NAME,
        parameters: &[ITER, PCT, RES],
        range: KeyRange::TEN_THOUSAND,
        build: |asked| bound(special(asked, Special::new), rand48(asked)),
    },
    Entry {
        name: "sysbench-old/special-symmetric",
        summary: "The special distribution as it is documented, drawn by drand48",
        fault: "",
        generator: Rand48::NAME,
        parameters: &[ITER, PCT, RES],
        range: KeyRange::TEN_THOUSAND,
        build: |asked| bound(special(asked, SpecialSymmetric::new), rand48(asked)),
    },
    Entry {
        name: "sysbench-old/pareto",
        summary: "80 % of the draws on the first 20 % of the keys, and so on within them",
        fault: "",
        generator: Rand48::NAME,
        parameters: &[H],
        range: KeyRange::TEN_THOUSAND,
        build: |asked| bound(Pareto::new(asked.range, asked.number("h")), rand48(asked)),
    },
    Entry {
        name: "sysbench-old/uniq",
        summary: "Each key once behind a lock, then all again",
        fault: "the same order for every seed, and it begins again without a word; exact/permutation is without it",
        generator: "none",
        parameters: &[],
        range: KeyRange::TEN_THOUSAND,
        build: |asked| bound(Uniq::new(asked.range), Ok(Rand48::seeded(asked.seed))),
    },
];
