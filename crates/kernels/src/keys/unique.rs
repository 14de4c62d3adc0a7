//! `keys/unique`: every worker takes keys that nobody else may take, from a counter.
//!
//! | `counter` | what a key takes |
//! | --- | --- |
//! | `shared-fetch-add` | one atomic addition to a counter that all workers share, as sysbench 1.0.20's `unique`, wtperf's inserts and YCSB's counters |
//! | `shared-mutex` | a lock around the counter, as sysbench's `uniq` before 1.0 |
//! | `per-worker-block` | nothing shared, but one atomic addition for each `block` of keys: the cure |
//! | `shared-racy` | a load and a store without a lock: the same key comes several times |
//!
//! `work` units of [`crate::work()`] follow each key; without any, the line stays with a core for bursts of keys and the cost of sharing
//! is understated.
//!
//! # What is verified
//!
//! That no key came twice and none was left out: the keys' number, sum and sum of squares (modulo 2⁶⁴) are those of all keys below the
//! counter, save what is left of the workers' blocks. A racing counter tells how many keys came again.
//!
//! # What is observed
//!
//! `came-twice`: keys that came before, to whatever worker, of all keys looked at.

use std::ops::Range;
use std::sync::OnceLock;

use hitm_experiment::Parameters;
use hitm_experiment::record::{Observation, Verification};

use super::counters::{Block, Counter, FetchAdd, Hand, Locked, Racy};
use crate::contract::{Arena, Context, Done, Kernel, Setting, Worker};
use crate::registry::{DefaultValue, Entry, Parameter, ParameterKind, Refusal, integer, text};
use crate::work::{self, work};

/// What is told.
const CAME_TWICE: &str = "came-twice";

/// How this kernel is asked for.
pub const ENTRY: Entry = Entry {
    name: "keys/unique",
    summary: "Every worker takes keys that come only once, from a counter that is shared or dealt out in blocks",
    operation: "key",
    workers: 1..=crate::MAX_WORKERS,
    parameters: &[
        Parameter {
            name: "counter",
            kind: ParameterKind::Choice(&["shared-fetch-add", "shared-mutex", "per-worker-block", "shared-racy"]),
            default: DefaultValue::Choice("shared-fetch-add"),
            help: "How the next key is found",
        },
        Parameter {
            name: "block",
            kind: ParameterKind::Integer { range: 1..=1_048_576, step: 1 },
            default: DefaultValue::Integer(1024),
            help: "Keys that a worker takes at once, for per-worker-block",
        },
        work::parameter(
            64,
            "Units of local work after each key, about 1 ns each; without any, the line stays for bursts",
        ),
    ],
    observations: &[CAME_TWICE],
    tallies: &[],
    build,
};

fn build(parameters: &Parameters) -> Result<Box<dyn Kernel>, Refusal> {
    let (work, block) = (integer(parameters, "work") as u32, integer(parameters, "block") as u64);
    Ok(match text(parameters, "counter") {
        "shared-fetch-add" => kernel::<FetchAdd>(work, block),
        "shared-mutex" => kernel::<Locked>(work, block),
        "per-worker-block" => kernel::<Block>(work, block),
        _ => kernel::<Racy>(work, block),
    })
}

fn kernel<C: Counter>(work: u32, block: u64) -> Box<dyn Kernel> {
    Box::new(move |setting: &Setting| {
        let told = (0..setting.workers).map(|_| OnceLock::new()).collect();
        Ok(Box::new(Taking { counter: C::lay_out(setting, block), work, told }) as Box<dyn Arena>)
    })
}

struct Taking<C> {
    counter: C,
    work: u32,
    told: Vec<OnceLock<Told>>,
}

/// What a worker tells when it is dropped.
#[derive(Clone, Debug)]
struct Told {
    taken: Sums,
    left: Range<u64>,
}

/// What identifies a set of keys, as good as surely.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sums {
    keys: u64,
    sum: u64,
    squares: u64,
}

impl Sums {
    #[inline]
    fn take(&mut self, key: u64) {
        self.keys += 1;
        self.sum = self.sum.wrapping_add(key);
        self.squares = self.squares.wrapping_add(key.wrapping_mul(key));
    }

    /// Of all keys below this one. Modulo 2⁶⁴, by the closed forms n(n − 1)/2 and n(n − 1)(2n − 1)/6.
    fn below(end: u64) -> Sums {
        let halves = if end % 2 == 0 { (end / 2, end.wrapping_sub(1)) } else { (end, end / 2) };
        let sum = halves.0.wrapping_mul(halves.1);
        // n(n − 1)/2 times (2n − 1), one of which 3 divides.
        let (pairs, odd) = (u128::from(halves.0) * u128::from(halves.1), 2 * u128::from(end) - u128::from(end > 0));
        let squares = if pairs % 3 == 0 { (pairs / 3).wrapping_mul(odd) } else { pairs.wrapping_mul(odd / 3) };
        Sums { keys: end, sum, squares: squares as u64 }
    }

    fn of(range: &Range<u64>) -> Sums {
        Sums::below(range.end).without(Sums::below(range.start))
    }

    fn with(self, other: Sums) -> Sums {
        Sums {
            keys: self.keys.wrapping_add(other.keys),
            sum: self.sum.wrapping_add(other.sum),
            squares: self.squares.wrapping_add(other.squares),
        }
    }

    fn without(self, other: Sums) -> Sums {
        Sums {
            keys: self.keys.wrapping_sub(other.keys),
            sum: self.sum.wrapping_sub(other.sum),
            squares: self.squares.wrapping_sub(other.squares),
        }
    }
}

impl<C: Counter> Arena for Taking<C> {
    fn worker<'a>(&'a self, context: Context<'a>) -> Box<dyn Worker + 'a> {
        Box::new(Taker {
            hand: self.counter.hand(),
            work: self.work,
            value: 0,
            taken: Sums::default(),
            told: &self.told[context.index],
        })
    }

    fn verify(&self, totals: &[u64]) -> Verification {
        let (made, next) = (totals.iter().sum(), self.counter.next());
        let (mut taken, mut all) = (Sums::default(), Sums::below(next));
        for told in self.told.iter().filter_map(OnceLock::get) {
            taken = taken.with(told.taken);
            all = all.without(Sums::of(&told.left));
        }
        if taken.keys != made {
            let what = format!("{made} keys were taken, and the workers tell of {}", taken.keys);
            return Verification::Wrong { what };
        }
        if taken == all {
            return Verification::Exact;
        }
        if C::MAY_REPEAT && next < made {
            return Verification::Lost { expected: made, found: next };
        }
        let what = format!("{made} keys were taken and the counter stands at {next}: keys came twice or were left out");
        Verification::Wrong { what }
    }

    fn addresses(&self) -> Range<usize> {
        self.counter.addresses()
    }

    fn observe(&self, samples: &[Vec<u64>]) -> Vec<Observation> {
        let mut keys = samples.concat();
        let of = keys.len() as u64;
        keys.sort_unstable();
        keys.dedup();
        vec![Observation { name: CAME_TWICE.to_owned(), count: of - keys.len() as u64, of }]
    }
}

#[repr(align(256))]
struct Taker<'a, H: Hand> {
    hand: H,
    work: u32,
    value: u64,
    taken: Sums,
    told: &'a OnceLock<Told>,
}

impl<H: Hand> Worker for Taker<'_, H> {
    fn run(&mut self, operations: u64) -> Done {
        let (mut value, mut taken) = (self.value, self.taken);
        for _ in 0..operations {
            let key = self.hand.next();
            taken.take(key);
            value = work(value ^ key, self.work);
        }
        (self.value, self.taken) = (value, taken);
        Done { operations, value }
    }

    fn sample(&mut self, values: &mut [u64]) -> usize {
        for place in values.iter_mut() {
            *place = self.hand.next();
            self.taken.take(*place);
            self.value = work(self.value ^ *place, self.work);
        }
        values.len()
    }
}

impl<H: Hand> Drop for Taker<'_, H> {
    fn drop(&mut self) {
        let _ = self.told.set(Told { taken: self.taken, left: self.hand.left() });
    }
}

#[cfg(test)]
mod tests {
    use super::Sums;

    #[test]
    fn closed_forms_are_the_sums() {
        let mut sums = Sums::default();
        for end in 0..5000 {
            assert_eq!(Sums::below(end), sums, "{end}");
            sums.take(end);
        }
        let far = 1 << 40;
        let mut few = Sums::default();
        (far..far + 100).for_each(|key| few.take(key));
        assert_eq!(Sums::of(&(far..far + 100)), few);
        assert_eq!(Sums::of(&(7..7)), Sums::default());
    }
}
