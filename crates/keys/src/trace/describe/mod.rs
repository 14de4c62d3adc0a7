//! What a trace is like: how often keys come, how large the working set is, how skewed the keys are, how threads' keys go together.
//!
//! Memory does not grow with the trace. Keys are counted one by one, in as many readings as it takes to count [`Limits::distinct`] of them
//! at once; of more than [`Limits::readings`] readings the first ones stand for all, and what is estimated from them is named so.

mod counts;
mod even;
mod fit;
mod hash;
mod poisson;
mod profile;
mod sums;
mod together;
mod windows;

pub use even::Evenness;
pub use fit::{NEAR, WIDEST, Zipf};
pub use together::{Lockstep, Together};
pub use windows::Window;

use counts::count;

use super::Trace;
use crate::KeyRange;

/// Keys that can be read again and again.
pub trait Source {
    /// How many keys.
    fn keys(&self) -> u64;

    /// How many streams they are of; streams are numbered from 0.
    fn streams(&self) -> usize;

    /// Hands over the keys from one place to another in order, each with its stream.
    fn each(&self, from: u64, to: u64, take: impl FnMut(u64, usize));

    /// The same without the streams.
    fn each_key(&self, from: u64, to: u64, mut take: impl FnMut(u64)) {
        self.each(from, to, |key, _| take(key));
    }
}

impl Source for Trace {
    fn keys(&self) -> u64 {
        self.len()
    }

    fn streams(&self) -> usize {
        Trace::streams(self).len()
    }

    fn each(&self, from: u64, to: u64, mut take: impl FnMut(u64, usize)) {
        let mut place = 0;
        for (stream, length) in self.runs() {
            let (begin, end) = (place.max(from), (place + length).min(to));
            if begin < end {
                Trace::keys(self, begin, end).for_each(|key| take(key, stream));
            }
            place += length;
            if place >= to {
                return;
            }
        }
    }

    fn each_key(&self, from: u64, to: u64, take: impl FnMut(u64)) {
        Trace::keys(self, from, to).for_each(take);
    }
}

/// Keys in memory, of one stream.
impl Source for [u64] {
    fn keys(&self) -> u64 {
        self.len() as u64
    }

    fn streams(&self) -> usize {
        1
    }

    fn each(&self, from: u64, to: u64, mut take: impl FnMut(u64, usize)) {
        let place = |place: u64| place.min(self.len() as u64) as usize;
        self.get(place(from)..place(to)).unwrap_or_default().iter().for_each(|&key| take(key, 0));
    }
}

/// How much is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Keys that are counted at once: about 60 bytes of memory each.
    pub distinct: usize,
    /// Readings of the trace for counting; after so many the rest is estimated.
    pub readings: u64,
}

impl Default for Limits {
    /// 3,500,000 keys at once in 64 readings: exact up to 200 million different keys.
    fn default() -> Self {
        Limits { distinct: 3_500_000, readings: 64 }
    }
}

/// What a trace is like.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// Keys in the trace.
    pub keys: u64,
    /// From the lowest to the highest.
    pub range: KeyRange,
    /// Of how many parts of the keys, and how many parts there are: where it is not all, all counts of keys that follow are estimates.
    pub counted: (u64, u64),
    /// Different keys.
    pub distinct: u64,
    /// Keys that came once.
    pub once: u64,
    /// Times that a key was the one before in its stream.
    pub in_a_row: u64,
    /// The keys that came most often, and how often: ten at most. `None` where not all keys were counted.
    pub hottest: Option<Vec<(u64, u64)>>,
    /// How often the first 1, 10, 100 keys and the first hundredth of the different keys came together, the hottest first: number of
    /// keys, times. Fewer where there are not so many keys; none where not all were counted.
    pub top: Vec<(u64, u64)>,
    /// How many keys, the hottest first, it takes for 50, 90 and 99 % of the trace.
    pub working_set: [(u64, u64); 3],
    /// Different keys within windows of the trace, the shortest windows first.
    pub windows: Vec<Window>,
    /// The keys by their rank in octaves: ranks 1, 2 to 3, 4 to 7, …: the last rank, and how often they came together.
    pub octaves: Vec<(u64, u64)>,
    /// Zipf's law fitted; `None` of one key, and of keys that came once each.
    pub zipf: Option<Zipf>,
    /// The share that draws of the fitted law have in each octave; empty without one.
    pub by_law: Vec<f64>,
    /// Whether the counts are those of uniform draws.
    pub even: Evenness,
    /// Times that a key came that another stream had too; 0 of one stream.
    pub shared: u64,
    /// How far streams agree place by place; `None` where there are not two with 128 keys.
    pub together: Option<Together>,
}

impl Description {
    /// Whether counts of keys are estimates.
    pub fn is_estimate(&self) -> bool {
        self.counted.0 < self.counted.1
    }
}

/// Describes keys, of which there must be one at least; `None` of none.
pub fn describe(source: &(impl Source + ?Sized), limits: Limits) -> Option<Description> {
    let keys = source.keys();
    if keys == 0 {
        return None;
    }
    let (mut low, mut high, mut in_a_row) = (u64::MAX, 0, 0);
    let mut last = vec![None; source.streams()];
    source.each(0, keys, |key, stream| {
        (low, high) = (low.min(key), high.max(key));
        in_a_row += u64::from(last[stream].replace(key) == Some(key));
    });
    let counted = count(source, limits);
    let groups = counted.groups();
    let whole = counted.looked_at == counted.parts;
    let hottest = whole.then(|| counted.hottest.iter().take(10).copied().collect());
    let octaves = octaves(&groups);
    let lasts: Vec<u64> = octaves.iter().map(|octave| counted.scaled(octave.0)).collect();
    let fitted = fit::fit(&groups, counted.parts as f64 / counted.looked_at.max(1) as f64, &lasts);
    let even = match even::evenness(&groups) {
        Evenness::Even { keys } => {
            Evenness::Even { keys: keys * counted.parts as f64 / counted.looked_at.max(1) as f64 }
        }
        other => other,
    };
    Some(Description {
        keys,
        range: KeyRange::new(low, high).unwrap_or(KeyRange::ALL),
        counted: (counted.looked_at, counted.parts),
        distinct: counted.scaled(counted.distinct()),
        once: counted.scaled(groups.last().filter(|(times, _)| *times == 1).map_or(0, |(_, keys)| *keys)),
        in_a_row,
        hottest,
        top: if whole { top(&groups, counted.distinct()) } else { Vec::new() },
        working_set: [50, 90, 99].map(|percent| (percent, counted.scaled(working_set(&groups, percent)))),
        windows: windows::windows(source),
        octaves: octaves.into_iter().map(|(rank, times)| (counted.scaled(rank), counted.scaled(times))).collect(),
        zipf: fitted.as_ref().map(|fitted| fitted.0),
        by_law: fitted.map(|fitted| differences(&fitted.1)).unwrap_or_default(),
        even,
        shared: counted.scaled(counted.shared),
        together: together::lockstep(source),
    })
}

/// What each adds to the one before; the last ones reach 1.
fn differences(sums: &[f64]) -> Vec<f64> {
    let whole = sums.last().copied().unwrap_or(1.0).max(f64::MIN_POSITIVE);
    let mut before = 0.0;
    sums.iter().map(|sum| (sum - std::mem::replace(&mut before, *sum)).max(0.0) / whole).collect()
}

/// How often the hottest keys came together.
fn times_of(groups: &[(u64, u64)], first: u64) -> u64 {
    let mut left = first;
    groups
        .iter()
        .map(|&(times, keys)| {
            let taken = keys.min(left);
            left -= taken;
            times * taken
        })
        .sum()
}

fn top(groups: &[(u64, u64)], distinct: u64) -> Vec<(u64, u64)> {
    let mut firsts: Vec<u64> =
        [1, 10, 100, distinct / 100].into_iter().filter(|n| (1..=distinct).contains(n)).collect();
    firsts.sort_unstable();
    firsts.dedup();
    firsts.into_iter().map(|first| (first, times_of(groups, first))).collect()
}

/// How many keys, the hottest first, it takes for so many percent of all times.
fn working_set(groups: &[(u64, u64)], percent: u64) -> u64 {
    let all: u128 = groups.iter().map(|&(times, keys)| u128::from(times) * u128::from(keys)).sum();
    let wanted = (all * u128::from(percent)).div_ceil(100);
    let (mut taken, mut set) = (0_u128, 0);
    for &(times, keys) in groups {
        let missing = (wanted - taken).div_ceil(u128::from(times));
        if missing <= u128::from(keys) {
            return set + missing as u64;
        }
        taken += u128::from(times) * u128::from(keys);
        set += keys;
    }
    set
}

fn octaves(groups: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let distinct: u64 = groups.iter().map(|group| group.1).sum();
    let (mut octaves, mut before, mut rank) = (Vec::new(), 0, 0);
    while rank < distinct {
        rank = (2 * rank + 1).min(distinct);
        let times = times_of(groups, rank);
        octaves.push((rank, times - before));
        before = times;
    }
    octaves
}
