//! All distributions by name.

use std::collections::BTreeMap;

use super::{Keys, exact, keys, museum, pgbench, sysbench_1_0_20, sysbench_master, sysbench_old, tpcc, wtperf, ycsb};
use crate::{KeyRange, Refusal};

/// A distribution with its stream, or all that is wrong with what was asked.
pub type Made = Result<Box<dyn Keys>, Vec<Refusal>>;

/// A distribution that can be asked for.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name, `origin/name`, such as `sysbench-1.0.20/special`.
    pub name: &'static str,
    /// What it draws, one sentence.
    pub summary: &'static str,
    /// What the original is wrong in, and which name is without it; empty where nothing is known.
    pub fault: &'static str,
    /// The generator that it draws from, by its name in experiments; `none` where a counter alone decides.
    pub generator: &'static str,
    /// What can be set.
    pub parameters: &'static [Parameter],
    /// The range when none is given.
    pub range: KeyRange,
    /// Makes it: every parameter is given.
    pub(super) build: fn(&Asked) -> Made,
}

/// A number that a distribution takes.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it is when not given.
    pub default: f64,
    /// What it does, with its range.
    pub help: &'static str,
}

/// What is asked of a distribution.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The keys.
    pub range: KeyRange,
    /// The seed, as the original takes it.
    pub seed: u64,
    /// Parameters by name; defaults stand in for those that are not given.
    pub parameters: BTreeMap<String, f64>,
}

impl Entry {
    /// Makes the distribution with its stream.
    ///
    /// # Errors
    /// All that is wrong: parameters that it does not have, values that it does not take, a range or a seed that it has no place for.
    pub fn build(&self, asked: &Asked) -> Made {
        let (asked, refusals) = self.settled(asked);
        together(refusals, (self.build)(&asked))
    }

    /// Gives every parameter its default, and tells those that it does not have.
    pub(super) fn settled(&self, asked: &Asked) -> (Asked, Vec<Refusal>) {
        let has: Vec<_> = self.parameters.iter().map(|parameter| parameter.name).collect();
        let cure = if has.is_empty() { "leave it out".to_owned() } else { format!("set {}", has.join(", ")) };
        let refusals = (asked.parameters.keys())
            .filter(|name| !has.contains(&name.as_str()))
            .map(|name| Refusal::new(name, format!("{} has no such parameter", self.name), cure.as_str()))
            .collect();
        let mut asked = asked.clone();
        for parameter in self.parameters {
            asked.parameters.entry(parameter.name.to_owned()).or_insert(parameter.default);
        }
        (asked, refusals)
    }
}

/// What was made, unless anything was refused.
pub(super) fn together<T>(mut refusals: Vec<Refusal>, made: Result<T, Vec<Refusal>>) -> Result<T, Vec<Refusal>> {
    match made {
        Ok(made) if refusals.is_empty() => Ok(made),
        Ok(_) => Err(refusals),
        Err(more) => {
            refusals.extend(more);
            Err(refusals)
        }
    }
}

impl Asked {
    /// A parameter as it is; the default is among them.
    pub(super) fn number(&self, name: &str) -> f64 {
        self.parameters.get(name).copied().unwrap_or_default()
    }

    /// A parameter that must be a whole number.
    pub(super) fn whole(&self, name: &str) -> Result<u64, Refusal> {
        let number = self.number(name);
        if (0.0..=1e15).contains(&number) && number.fract() == 0.0 {
            return Ok(number as u64);
        }
        Err(Refusal::new(name, format!("{number} is no whole number from 0 on"), "give a whole number"))
    }
}

/// Gathers the refusals of a distribution and of its stream.
pub(super) fn bound<D: super::Distribution, S: crate::stream::Stream + Send + 'static>(
    distribution: Result<D, Vec<Refusal>>,
    stream: Result<S, Refusal>,
) -> Made {
    match (distribution, stream) {
        (Ok(distribution), Ok(stream)) => Ok(keys(distribution, stream)),
        (distribution, stream) => Err(distribution.err().into_iter().flatten().chain(stream.err()).collect()),
    }
}

/// All distributions, originals before their variants.
pub fn entries() -> impl Iterator<Item = &'static Entry> + Clone {
    [
        sysbench_1_0_20::entries::ENTRIES,
        sysbench_master::ENTRIES,
        sysbench_old::entries::ENTRIES,
        ycsb::entries::ENTRIES,
        tpcc::entries::ENTRIES,
        pgbench::entries::ENTRIES,
        wtperf::entries::ENTRIES,
        exact::entries::ENTRIES,
        museum::ENTRIES,
    ]
    .into_iter()
    .flatten()
}

/// The distribution of that name.
pub fn find(name: &str) -> Option<&'static Entry> {
    entries().find(|entry| entry.name == name)
}
