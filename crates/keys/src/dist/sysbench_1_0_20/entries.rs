//! sysbench 1.0.20's distributions by name.

use super::{Any, Gaussian, Pareto, Special, SpecialSymmetric, Uniform, Unique};
use crate::dist::{Asked, Entry, Parameter, bound, find, together};
use crate::rng::{SplitMix64, WordState, Xoroshiro128Plus, Xoshiro256PlusPlus};
use crate::sysbench::thread_stream;
use crate::{KeyRange, Refusal};

pub(in crate::dist) const ITER: Parameter =
    Parameter { name: "iter", default: 12.0, help: "random numbers whose mean makes the bell, 1 to 1000" };
pub(in crate::dist) const PCT: Parameter =
    Parameter { name: "pct", default: 1.0, help: "percent of the keys that are hot, 0 to 100" };
pub(in crate::dist) const RES: Parameter =
    Parameter { name: "res", default: 75.0, help: "percent of the draws that fall on the hot keys, 0 to 100" };
pub(in crate::dist) const H: Parameter = Parameter {
    name: "h",
    default: 0.2,
    help: "shape between 0 and 1: a share h of the keys takes the share 1 - h of the draws",
};

/// A distribution of three whole parameters, or all that is wrong with them.
pub(in crate::dist) fn special<D>(
    asked: &Asked,
    make: fn(KeyRange, u64, u64, u64) -> Result<D, Vec<Refusal>>,
) -> Result<D, Vec<Refusal>> {
    let mut refusals = Vec::new();
    let [iter, pct, res] = [ITER, PCT, RES].map(|parameter| whole(asked, parameter, &mut refusals));
    together(refusals, make(asked.range, iter, pct, res))
}

/// A distribution of one whole parameter, or all that is wrong with it.
pub(in crate::dist) fn gaussian<D>(
    asked: &Asked,
    make: fn(KeyRange, u64) -> Result<D, Vec<Refusal>>,
) -> Result<D, Vec<Refusal>> {
    let mut refusals = Vec::new();
    let iter = whole(asked, ITER, &mut refusals);
    together(refusals, make(asked.range, iter))
}

/// A whole parameter; for one that is none its default, so that the rest is looked at too.
fn whole(asked: &Asked, parameter: Parameter, refusals: &mut Vec<Refusal>) -> u64 {
    asked.whole(parameter.name).unwrap_or_else(|refusal| {
        refusals.push(refusal);
        parameter.default as u64
    })
}

fn pareto(asked: &Asked) -> Result<Pareto, Vec<Refusal>> {
    Pareto::new(asked.range, asked.number("h"))
}

fn unique(asked: &Asked) -> Result<Unique, Vec<Refusal>> {
    Unique::checked(asked.range).map(|()| {
        let begin = SplitMix64::new(asked.seed).draw();
        Unique::new((begin >> 32) as u32, begin as u32)
    })
}

fn xoroshiro(asked: &Asked) -> Result<Xoroshiro128Plus, Refusal> {
    thread_stream(asked.seed, 0)
}

/// The distribution that sysbench 1.0.20 calls so in `--rand-type`, without a stream; the seed asked for does not matter.
///
/// # Errors
/// As [`Entry::build`], and a name that is none of [`Any::NAMES`].
pub fn by_rand_type(name: &str, asked: &Asked) -> Result<Any, Vec<Refusal>> {
    let Some(entry) = find(&format!("sysbench-1.0.20/{name}")).filter(|_| Any::NAMES.contains(&name)) else {
        let cure = format!("give {}", Any::NAMES.join(", "));
        return Err(vec![Refusal::new("dist", format!("--rand-type of sysbench 1.0.20 has no `{name}`"), cure)]);
    };
    let (asked, refusals) = entry.settled(asked);
    let made = match name {
        "uniform" => Uniform::new(asked.range).map(Any::Uniform),
        "gaussian" => gaussian(&asked, Gaussian::new).map(Any::Gaussian),
        "pareto" => pareto(&asked).map(Any::Pareto),
        _ => special(&asked, Special::new).map(Any::Special),
    };
    together(refusals, made)
}

pub(in crate::dist) const ENTRIES: &[Entry] = &[
    Entry {
        name: "sysbench-1.0.20/uniform",
        summary: "Every key alike",
        fault: "a range of all 32 bits wraps to none (refused here)",
        generator: Xoroshiro128Plus::NAME,
        parameters: &[],
        range: KeyRange::TEN_THOUSAND,
        build: |asked| bound(Uniform::new(asked.range), xoroshiro(asked)),
    },
    Entry {
        name: "sysbench-1.0.20/gaussian",
        summary: "A bell around the middle, of the mean of 12 numbers",
        fault: "",
        generator: Xoroshiro128Plus::NAME,
        parameters: &[ITER],
        range: KeyRange::TEN_THOUSAND,
        build: |asked| bound(gaussian(asked, Gaussian::new), xoroshiro(asked)),
    },
    Entry {
        name: "sysbench-1.0.20/special",
        summary: "sysbench's default: 75 % of the draws on a few keys in the middle, the rest a bell",
        fault: "only the upper three quarters of the hot window are hit, and never the last key; special-symmetric is without it",
        generator: Xoroshiro128Plus::NAME,
        parameters: &[ITER, PCT, RES],
        range: KeyRange::TEN_THOUSAND,
        build: |asked| bound(special(asked, Special::new), xoroshiro(asked)),
    },
    Entry {
        name: "sysbench-1.0.20/special-symmetric",
        summary: "The special distribution as it is documented: 75 % of the draws on 1 % of the keys, in the middle",
        fault: "",
        generator: Xoroshiro128Plus::NAME,
        parameters: &[ITER, PCT, RES],
        range: KeyRange::TEN_THOUSAND,
        build: |asked| bound(special(asked, SpecialSymmetric::new), xoroshiro(asked)),
    },
    Entry {
        name: "sysbench-1.0.20/pareto",
        summary: "80 % of the draws on the first 20 % of the keys, and so on within them",
        fault: "",
        generator: Xoroshiro128Plus::NAME,
        parameters: &[H],
        range: KeyRange::TEN_THOUSAND,
        build: |asked| bound(pareto(asked), xoroshiro(asked)),
    },
    Entry {
        name: "sysbench-1.0.20/pareto-reversed",
        summary: "The same with the last keys hot, as of rows that were inserted last",
        fault: "",
        generator: Xoroshiro128Plus::NAME,
        parameters: &[H],
        range: KeyRange::TEN_THOUSAND,
        build: |asked| bound(pareto(asked).map(Pareto::reversed), xoroshiro(asked)),
    },
    Entry {
        name: "sysbench-1.0.20/unique",
        summary: "All 32-bit numbers once, by a counter that all workers share",
        fault: "ignores --rand-seed and any range; here the seed decides where it begins, and exact/permutation takes a range",
        generator: "none",
        parameters: &[],
        range: KeyRange::ALL_OF_32_BITS,
        build: |asked| bound(unique(asked), Ok(Xoshiro256PlusPlus::seeded(asked.seed))),
    },
];
