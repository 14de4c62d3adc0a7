//! `keys/draw`: every worker draws keys of one distribution from a stream of its own: what a key costs where nothing is shared.
//!
//! The distributions are those of [`hitm_keys::dist`] that draw random numbers, each with the generator that its original draws from. Those that
//! hand out each key once share a counter and stand in [`keys/unique`](super::unique). Keys are drawn 256 at a time through one virtual call.
//!
//! `set` gives numbers of the distribution's own, such as `theta=0.5`; a list of such texts is a sweep.
//!
//! # What is verified
//!
//! That every worker drew as many keys as it did operations, and none outside of the range.
//!
//! # What is observed
//!
//! - `hottest-key`: draws of the key that was drawn most, of all draws.
//! - `keys-reached`: different keys that were drawn, of the keys of the range, or of the draws where they are fewer.
//! - `not-there`: draws of keys behind the first `present` ones, of all draws: rows that a benchmark asks for and that nobody has inserted.

use std::sync::{LazyLock, OnceLock};

use hitm_experiment::Parameters;
use hitm_experiment::record::{Observation, Verification};
use hitm_keys::dist::Keys;
use hitm_keys::{KeyRange, Refusal as Refused};

use super::set;
use super::source::{DISTS, Source, hottest};
use crate::contract::{Arena, Context, Done, Kernel, Setting, Worker};
use crate::registry::{DefaultValue, Entry, Parameter, ParameterKind, Refusal, integer, text};
use crate::work::{self, work};

const NAMES: [&str; 3] = ["hottest-key", "keys-reached", "not-there"];

/// Keys drawn in one virtual call.
const AT_ONCE: usize = 256;

static PARAMETERS: LazyLock<[Parameter; 5]> = LazyLock::new(|| {
    [
        Parameter {
            name: "dist",
            kind: ParameterKind::Choice(&DISTS),
            default: DefaultValue::Choice("exact/uniform"),
            help: "The distribution, by the program that it comes from; hitm keys dists tells of each",
        },
        set::PARAMETER,
        Parameter {
            name: "keys",
            kind: ParameterKind::Integer { range: 0..=1 << 62, step: 1 },
            default: DefaultValue::Integer(0),
            help: "How many keys there are, from the first one of the distribution's own range on; 0 for that range",
        },
        Parameter {
            name: "present",
            kind: ParameterKind::Integer { range: 0..=1 << 62, step: 1 },
            default: DefaultValue::Integer(0),
            help: "How many of the keys, from the first one on, there are rows for; 0 for all",
        },
        work::parameter(0, "Units of local work after each key, about 1 ns each"),
    ]
});

/// How this kernel is asked for.
pub fn entry() -> Entry {
    Entry {
        name: "keys/draw",
        summary: "Every worker draws keys of a distribution from a stream of its own",
        operation: "key",
        workers: 1..=crate::MAX_WORKERS,
        parameters: &*PARAMETERS,
        observations: &NAMES,
        tallies: &[],
        build,
    }
}

fn build(parameters: &Parameters) -> Result<Box<dyn Kernel>, Refusal> {
    let refused = |refusal: Refused| Refusal { parameter: "keys", why: refusal.why, cure: refusal.cure };
    let set = text(parameters, set::PARAMETER.name);
    let source = Source::read(text(parameters, "dist"), set, integer(parameters, "keys") as u64, "keys")?;
    let range = source.range();
    let present = match integer(parameters, "present") as u64 {
        0 => range,
        present if present - 1 <= range.span() => {
            KeyRange::new(range.low(), range.low() + (present - 1)).map_err(refused)?
        }
        present => {
            return Err(Refusal {
                parameter: "present",
                why: format!("there are {} keys, so {present} of them cannot be there", range.keys()),
                cure: "give at most the number of keys, or 0 for all".to_owned(),
            });
        }
    };
    Ok(Box::new(Drawing { source, present, work: integer(parameters, "work") as u32 }))
}

struct Drawing {
    source: Source,
    present: KeyRange,
    work: u32,
}

impl Kernel for Drawing {
    fn lay_out(&self, setting: &Setting) -> Result<Box<dyn Arena>, String> {
        let told = (0..setting.workers).map(|_| OnceLock::new()).collect();
        Ok(Box::new(Drawn { source: self.source.clone(), present: self.present, work: self.work, told }))
    }
}

struct Drawn {
    source: Source,
    present: KeyRange,
    work: u32,
    told: Vec<OnceLock<Told>>,
}

/// What a worker tells of its keys when it is dropped.
#[derive(Clone, Copy, Debug)]
struct Told {
    keys: u64,
    least: u64,
    most: u64,
}

impl Told {
    const NOTHING: Told = Told { keys: 0, least: u64::MAX, most: 0 };

    fn take(&mut self, keys: &[u64]) {
        self.keys += keys.len() as u64;
        for &key in keys {
            self.least = self.least.min(key);
            self.most = self.most.max(key);
        }
    }
}

impl Arena for Drawn {
    fn worker<'a>(&'a self, context: Context<'a>) -> Box<dyn Worker + 'a> {
        let keys = self.source.keys(context.seed);
        let told = &self.told[context.index];
        Box::new(Drawer { keys, drawn: [0; AT_ONCE], work: self.work, value: 0, so_far: Told::NOTHING, told })
    }

    fn verify(&self, totals: &[u64]) -> Verification {
        let range = self.source.range();
        let wrong = totals.iter().zip(&self.told).enumerate().filter_map(|(worker, (&total, told))| {
            let told = told.get().copied().unwrap_or(Told::NOTHING);
            if told.keys != total {
                return Some(format!("worker {worker} did {total} operations and drew {} keys", told.keys));
            }
            let outside = [told.least, told.most].into_iter().find(|key| total > 0 && !range.contains(*key))?;
            Some(format!("worker {worker} drew {outside}, which is none of {range}"))
        });
        match wrong.collect::<Vec<_>>() {
            wrong if wrong.is_empty() => Verification::Exact,
            wrong => Verification::Wrong { what: wrong.join("; ") },
        }
    }

    fn observe(&self, samples: &[Vec<u64>]) -> Vec<Observation> {
        observe(self.source.range(), self.present, samples)
    }
}

fn observe(range: KeyRange, present: KeyRange, samples: &[Vec<u64>]) -> Vec<Observation> {
    let mut keys = samples.concat();
    keys.sort_unstable();
    let hottest = hottest(&keys);
    let reached = keys.chunk_by(|a, b| a == b).count() as u64;
    let draws = keys.len() as u64;
    let reachable = u64::try_from(range.keys()).unwrap_or(u64::MAX).min(draws);
    let not_there = keys.iter().filter(|key| !present.contains(**key)).count() as u64;
    let counts = [(hottest, draws), (reached, reachable), (not_there, draws)];
    let named = NAMES.iter().zip(counts);
    named.map(|(name, (count, of))| Observation { name: (*name).to_owned(), count, of }).collect()
}

#[repr(align(256))]
struct Drawer<'a> {
    keys: Box<dyn Keys>,
    drawn: [u64; AT_ONCE],
    work: u32,
    value: u64,
    so_far: Told,
    told: &'a OnceLock<Told>,
}

impl Worker for Drawer<'_> {
    fn run(&mut self, operations: u64) -> Done {
        let (mut left, mut value) = (operations, self.value);
        while left > 0 {
            let wanted = AT_ONCE.min(usize::try_from(left).unwrap_or(AT_ONCE));
            let drawn = self.keys.fill(&mut self.drawn[..wanted]);
            let keys = &self.drawn[..drawn];
            self.so_far.take(keys);
            value = keys.iter().fold(value, |value, key| work(value ^ key, self.work));
            left -= drawn as u64;
            if drawn < wanted {
                break;
            }
        }
        self.value = value;
        Done { operations: operations - left, value }
    }

    fn sample(&mut self, values: &mut [u64]) -> usize {
        let drawn = self.keys.fill(values);
        self.so_far.take(&values[..drawn]);
        drawn
    }
}

impl Drop for Drawer<'_> {
    fn drop(&mut self) {
        let _ = self.told.set(self.so_far);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_a_small_example_by_hand() {
        let counts = |range: &str, samples: &[Vec<u64>]| {
            let seen = observe(range.parse().expect("a range"), "1..3".parse().expect("a range"), samples);
            [0, 1, 2].map(|index| (seen[index].count, seen[index].of))
        };
        assert_eq!(counts("1..4", &[vec![1, 2, 2], vec![2, 4]]), [(3, 5), (3, 4), (1, 5)]);
        assert_eq!(counts("1..1000", &[vec![1, 2, 2], vec![2, 4]]), [(3, 5), (3, 5), (1, 5)]);
        assert_eq!(counts("0..18446744073709551615", &[vec![], vec![]]), [(0, 0); 3]);
    }
}
