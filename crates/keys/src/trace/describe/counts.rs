//! How often each key comes, counted a part of the keys at a time.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::hash::{ByKey, mixed};
use super::{Limits, Source};

/// Keys that are remembered as the hottest.
const HOTTEST: usize = 100;

/// A key's stream when there are several.
const SEVERAL: u32 = u32::MAX;

/// How often keys came.
#[derive(Debug, Default)]
pub(super) struct Counted {
    /// Parts of the keys, by their hash, that were counted.
    pub(super) looked_at: u64,
    /// All parts.
    pub(super) parts: u64,
    /// By how often they came: how many keys.
    by_times: BTreeMap<u64, u64>,
    /// Of the keys counted: the hottest first, of equal ones the lowest.
    pub(super) hottest: Vec<(u64, u64)>,
    /// Times that a key of several streams came.
    pub(super) shared: u64,
}

impl Counted {
    /// How often, and how many keys came so often; the most often first.
    pub(super) fn groups(&self) -> Vec<(u64, u64)> {
        self.by_times.iter().rev().map(|(times, keys)| (*times, *keys)).collect()
    }

    pub(super) fn distinct(&self) -> u64 {
        self.by_times.values().sum()
    }

    /// A count of what was looked at for all.
    pub(super) fn scaled(&self, count: u64) -> u64 {
        (u128::from(count) * u128::from(self.parts) / u128::from(self.looked_at.max(1))) as u64
    }
}

/// Counts keys: as many at once as the limits allow, all of them or as many parts as they allow.
pub(super) fn count(source: &(impl Source + ?Sized), limits: Limits) -> Counted {
    let mut parts = 1;
    loop {
        if let Some(counted) = in_parts(source, limits, parts) {
            return counted;
        }
        parts *= 2;
    }
}

/// `None` when a part has too many keys.
fn in_parts(source: &(impl Source + ?Sized), limits: Limits, parts: u64) -> Option<Counted> {
    let most = limits.distinct.max(16);
    let looked_at = parts.min(limits.readings.max(1));
    let mut counted = Counted { looked_at, parts, ..Counted::default() };
    let mut hottest = BinaryHeap::new();
    let mut keys: ByKey<(u64, u32)> = ByKey::default();
    for part in 0..looked_at {
        keys.clear();
        let mut too_many = false;
        source.each(0, source.keys(), |key, stream| {
            // Another hash than the map's, which would find all keys of a part in one place.
            let of = ((u128::from(mixed(!key)) * u128::from(parts)) >> 64) as u64;
            if of != part || too_many {
                return;
            }
            let entry = keys.entry(key).or_insert((0, stream as u32));
            entry.0 += 1;
            if entry.1 != stream as u32 {
                entry.1 = SEVERAL;
            }
            too_many = keys.len() > most;
        });
        if too_many {
            return None;
        }
        for (&key, &(times, stream)) in &keys {
            *counted.by_times.entry(times).or_default() += 1;
            if stream == SEVERAL {
                counted.shared += times;
            }
            hottest.push((Reverse(times), key));
            if hottest.len() > HOTTEST {
                hottest.pop();
            }
        }
    }
    counted.hottest = hottest.into_sorted_vec().into_iter().map(|(Reverse(times), key)| (key, times)).collect();
    Some(counted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys() -> Vec<u64> {
        // Key k comes k times; 0 never.
        (1..=60_u64).flat_map(|key| vec![key * 1_000_003; key as usize]).collect()
    }

    #[test]
    fn the_same_whatever_is_counted_at_once() {
        let keys = keys();
        let whole = count(keys.as_slice(), Limits::default());
        assert_eq!((whole.looked_at, whole.parts, whole.distinct()), (1, 1, 60));
        assert_eq!(whole.groups()[0], (60, 1));
        assert_eq!(whole.hottest[0], (60 * 1_000_003, 60));
        let parts = count(keys.as_slice(), Limits { distinct: 16, readings: 64 });
        assert!(parts.parts > 1 && parts.looked_at == parts.parts);
        assert_eq!(parts.groups(), whole.groups());
        assert_eq!(parts.hottest, whole.hottest);
        let some = count(keys.as_slice(), Limits { distinct: 16, readings: 2 });
        assert_eq!(some.looked_at, 2);
        assert!(some.scaled(some.distinct()).abs_diff(60) < 40);
    }
}
