//! wtperf's keys by name.

use super::{Append, Pareto, ParetoTruncated, Uniform};
use crate::dist::{Asked, Entry, Parameter, bound, together};
use crate::rng::{WiredTigerMwc, WordState, Xoshiro256PlusPlus};
use crate::{KeyRange, Refusal};

const PERCENT: Parameter =
    Parameter { name: "percent", default: 20.0, help: "scale: the smaller, the hotter the first keys, 1 to 100" };

/// The rows of wtperf's small-btree.
const SMALL_BTREE: KeyRange = KeyRange::constant(1, 500_000);

fn percent<D>(asked: &Asked, make: fn(KeyRange, u64) -> Result<D, Vec<Refusal>>) -> Result<D, Vec<Refusal>> {
    let percent = asked.whole(PERCENT.name);
    let made = make(asked.range, *percent.as_ref().unwrap_or(&20));
    together(percent.err().into_iter().collect(), made)
}

fn words(asked: &Asked) -> Result<WiredTigerMwc, Refusal> {
    Ok(WiredTigerMwc::seeded(asked.seed))
}

pub(in crate::dist) const ENTRIES: &[Entry] = &[
    Entry {
        name: "wtperf/uniform",
        summary: "Every key nearly alike",
        fault: "the remainder favours the first keys of large ranges, and none beyond 2^32 is drawn; exact/uniform is without it",
        generator: WiredTigerMwc::NAME,
        parameters: &[],
        range: SMALL_BTREE,
        build: |asked| bound(Ok(Uniform::new(asked.range)), words(asked)),
    },
    Entry {
        name: "wtperf/pareto",
        summary: "The first keys are hot, as 3.2.1 draws them",
        fault: "what falls beyond the range goes to the first key: 2.7 % at 20 percent; wtperf/pareto-truncated is without it",
        generator: WiredTigerMwc::NAME,
        parameters: &[PERCENT],
        range: SMALL_BTREE,
        build: |asked| bound(percent(asked, Pareto::new), words(asked)),
    },
    Entry {
        name: "wtperf/pareto-truncated",
        summary: "The same cut at the end of the range, without a surplus on the first key",
        fault: "",
        generator: Xoshiro256PlusPlus::NAME,
        parameters: &[PERCENT],
        range: SMALL_BTREE,
        build: |asked| bound(percent(asked, ParetoTruncated::new), Ok(Xoshiro256PlusPlus::seeded(asked.seed))),
    },
    Entry {
        name: "wtperf-2.3.1/pareto",
        summary: "The first keys are hot, as 2.3.1 draws them, at 20 percent",
        fault: "half of its random numbers exceed what it divides them by and go to the first key; wtperf/pareto is without it",
        generator: WiredTigerMwc::NAME,
        parameters: &[],
        range: SMALL_BTREE,
        build: |asked| bound(Ok(Pareto::old(asked.range)), words(asked)),
    },
    Entry {
        name: "wtperf/append",
        summary: "New keys in their order by a counter that all workers share, then no more",
        fault: "",
        generator: "none",
        parameters: &[],
        range: SMALL_BTREE,
        build: |asked| bound(Ok(Append::new(asked.range)), words(asked)),
    },
];
