//! Where keys come from, as a kernel's parameters name it: a distribution over so many keys, a stream of its own for each worker.

use std::sync::{Arc, LazyLock};

use hitm_keys::dist::{Asked, Entry as Distribution, Keys, entries, find};
use hitm_keys::rng::SplitMix64;
use hitm_keys::{KeyRange, Refusal as Refused};

use super::set;
use crate::registry::Refusal;

/// The distributions that draw random numbers, so that each worker can have a stream of its own.
pub(crate) static DISTS: LazyLock<Vec<&str>> =
    LazyLock::new(|| entries().filter(|entry| entry.generator != "none").map(|entry| entry.name).collect());

/// How often the key came that came most, of keys in order.
pub(crate) fn hottest(sorted: &[u64]) -> u64 {
    sorted.chunk_by(|a, b| a == b).map(|same| same.len() as u64).max().unwrap_or(0)
}

/// A distribution with what is asked of it.
#[derive(Clone)]
pub(crate) struct Source {
    dist: &'static Distribution,
    asked: Arc<Asked>,
}

impl Source {
    /// A distribution over that many keys from the first of its own range on, 0 for that range; `set` is the parameter
    /// [`set::PARAMETER`], and `keys_parameter` the one that the number of keys is from.
    pub(crate) fn read(dist: &str, set: &str, keys: u64, keys_parameter: &'static str) -> Result<Source, Refusal> {
        let dist = find(dist).ok_or_else(|| Refusal {
            parameter: "dist",
            why: format!("there is no distribution `{dist}`"),
            cure: format!("give one of {}", DISTS.join(", ")),
        })?;
        let numbers = set::read(set, dist)?;
        let refused = |refusal: Refused| Refusal { parameter: keys_parameter, why: refusal.why, cure: refusal.cure };
        let range = match keys {
            0 => dist.range,
            keys => KeyRange::new(dist.range.low(), dist.range.low().saturating_add(keys - 1)).map_err(refused)?,
        };
        let source = Source { dist, asked: Arc::new(Asked { range, seed: 1, parameters: numbers }) };
        // Made once for its refusals; each worker makes its own.
        source.make(1).map_err(|refusals| {
            set::refusal(&refusals, &source.asked.parameters, dist).unwrap_or_else(|| {
                match refusals.into_iter().next() {
                    Some(refusal) => refused(refusal),
                    None => refused(Refused::new("keys", "it cannot be", "give another number")),
                }
            })
        })?;
        Ok(source)
    }

    /// The keys that can be drawn.
    pub(crate) fn range(&self) -> KeyRange {
        self.asked.range
    }

    /// Its keys with a stream of that seed.
    pub(crate) fn keys(&self, seed: u64) -> Box<dyn Keys> {
        self.make(seed).expect("a distribution that was made takes every seed")
    }

    fn make(&self, seed: u64) -> Result<Box<dyn Keys>, Vec<Refused>> {
        // Originals take 32 bits, and not 0.
        let seed = (SplitMix64::new(seed).draw() >> 32).max(1);
        self.dist.build(&Asked { seed, ..(*self.asked).clone() })
    }
}
