//! Whether threads draw the same keys, one behind the other.

use std::collections::HashMap;

use super::Source;
use super::hash::{ByKey, mixed};

/// Keys of a stream that are compared, and how many of all streams at most.
const KEYS: usize = 8192;
const ALL: usize = 1 << 23;

/// The fewest keys that say anything: of a stream, and of two where they lie beside each other.
const FEWEST: usize = 128;

/// Keys in a row that streams are looked for to have in common: few, for streams that agree now and then; many, for few different keys.
const ROWS: [usize; 2] = [4, 16];

/// Rows in common at one lag that make it worth a look.
const WORTH: u32 = 3;

/// Pairs of streams that are looked at key by key.
const PAIRS: usize = 1024;

/// How far streams agree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Together {
    /// Streams that were compared, each with each: those with 128 keys at least, the busiest first.
    pub streams: usize,
    /// The first keys of each that were compared, at most: lags up to here are seen.
    pub keys: usize,
    /// Streams that are in lockstep with another.
    pub locked: usize,
    /// The two that agree most; `None` where none has rows of keys in common with another.
    pub best: Option<Lockstep>,
}

/// How far the keys of two streams agree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lockstep {
    /// The one stream.
    pub a: usize,
    /// The other.
    pub b: usize,
    /// So many places later the other one's keys agree most; before, where negative.
    pub lag: i64,
    /// The share of places that agree there.
    pub share: f64,
    /// The share of places that would agree were both shuffled: hot keys agree by chance.
    pub usual: f64,
}

impl Lockstep {
    /// Whether one follows the other: half of the keys agree that would not by chance.
    pub fn holds(&self) -> bool {
        self.share - self.usual > 0.5 * (1.0 - self.usual)
    }
}

/// Compares streams; `None` where there are not two with enough keys.
pub(super) fn lockstep(source: &(impl Source + ?Sized)) -> Option<Together> {
    if source.streams() < 2 {
        return None;
    }
    let mut counts = vec![0_u64; source.streams()];
    source.each(0, source.keys(), |_, stream| counts[stream] += 1);
    let mut busiest: Vec<usize> = (0..counts.len()).filter(|&stream| counts[stream] >= FEWEST as u64).collect();
    busiest.sort_by_key(|&stream| (u64::MAX - counts[stream], stream));
    busiest.truncate(ALL / KEYS);
    if busiest.len() < 2 {
        return None;
    }
    let mut place_of = vec![None; counts.len()];
    busiest.iter().enumerate().for_each(|(place, &stream)| place_of[stream] = Some(place));
    let mut keys = vec![Vec::new(); busiest.len()];
    source.each(0, source.keys(), |key, stream| {
        if let Some(keys) = place_of[stream].map(|place| &mut keys[place]).filter(|keys| keys.len() < KEYS) {
            keys.push(key);
        }
    });
    let mut locked = vec![false; keys.len()];
    let mut best: Option<Lockstep> = None;
    for (a, b, lag) in candidates(&keys) {
        let Some((share, usual)) = agree(&keys[a], &keys[b], lag) else { continue };
        let found = Lockstep { a: busiest[a], b: busiest[b], lag, share, usual };
        if found.holds() {
            (locked[a], locked[b]) = (true, true);
        }
        if best.is_none_or(|best| share - usual > best.share - best.usual) {
            best = Some(found);
        }
    }
    let locked = locked.into_iter().filter(|locked| *locked).count();
    Some(Together { streams: busiest.len(), keys: KEYS, locked, best })
}

/// Pairs of streams and lags at which they have rows of keys in common, those with the most first. Of a row that a stream repeats, its
/// first place counts; of many streams with one row each is paired with the next alone, as streams that go together stand side by
/// side in all their rows.
fn candidates(keys: &[Vec<u64>]) -> Vec<(usize, usize, i64)> {
    let mut votes: HashMap<(usize, usize, i64), u32> = HashMap::new();
    for row in ROWS {
        let mut last: ByKey<(u32, u32)> = ByKey::default();
        for (stream, keys) in keys.iter().enumerate() {
            for (place, row) in keys.windows(row).enumerate() {
                let hash = row.iter().fold(0, |hash, &key| mixed(hash ^ key).wrapping_add(0x9e37_79b9_7f4a_7c15));
                let own = (stream as u32, place as u32);
                match last.get(&hash).copied() {
                    Some((other, _)) if other == own.0 => {}
                    Some((other, at)) => {
                        *votes.entry((other as usize, stream, place as i64 - i64::from(at))).or_default() += 1;
                        last.insert(hash, own);
                    }
                    None => drop(last.insert(hash, own)),
                }
            }
        }
    }
    let mut votes: Vec<_> = votes.into_iter().filter(|(_, votes)| *votes >= WORTH).collect();
    votes.sort_unstable_by_key(|&(pair, votes)| (u32::MAX - votes, pair.2.unsigned_abs(), pair));
    votes.truncate(PAIRS);
    votes.into_iter().map(|(pair, _)| pair).collect()
}

/// The share of equal keys at a lag, and the one of chance; `None` where too few keys lie beside each other.
fn agree(a: &[u64], b: &[u64], lag: i64) -> Option<(f64, f64)> {
    let skipped = usize::try_from(lag.unsigned_abs()).ok()?;
    let (a, b) = if lag >= 0 { (a, b.get(skipped..)?) } else { (a.get(skipped..)?, b) };
    let length = a.len().min(b.len());
    if length < FEWEST {
        return None;
    }
    let (a, b) = (&a[..length], &b[..length]);
    let equal = a.iter().zip(b).filter(|(a, b)| a == b).count();
    let mut times: ByKey<u64> = ByKey::default();
    a.iter().for_each(|&key| *times.entry(key).or_default() += 1);
    let chance: u64 = b.iter().map(|key| times.get(key).copied().unwrap_or(0)).sum();
    let length = length as f64;
    Some((equal as f64 / length, chance as f64 / (length * length)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Streams in memory.
    struct Streams(Vec<Vec<u64>>);

    impl Source for Streams {
        fn keys(&self) -> u64 {
            self.0.iter().map(|keys| keys.len() as u64).sum()
        }

        fn streams(&self) -> usize {
            self.0.len()
        }

        fn each(&self, _: u64, _: u64, mut take: impl FnMut(u64, usize)) {
            for (stream, keys) in self.0.iter().enumerate() {
                keys.iter().for_each(|&key| take(key, stream));
            }
        }
    }

    fn stream(seed: u64, skip: usize, of: u64) -> Vec<u64> {
        (skip as u64..skip as u64 + 2000).map(|index| mixed((seed << 32) + index) % of).collect()
    }

    #[test]
    fn equal_seeds_agree_at_their_lag() {
        for of in [2, 10, 1 << 40] {
            for (skip, lag) in [(0, 0), (5, -5), (50, -50), (100, -100), (1500, -1500)] {
                let both = Streams(vec![stream(1, 0, of), stream(1, skip, of)]);
                let found = lockstep(&both).unwrap();
                let best = found.best.unwrap();
                assert_eq!((best.lag, best.share, found.locked), (lag, 1.0, 2), "{of} {skip}");
                assert!(best.holds() && (best.usual - 1.0 / of as f64).abs() < 0.03, "{best:?}");
            }
            let apart = lockstep(&Streams((1..9).map(|seed| stream(seed, 0, of)).collect())).unwrap();
            assert!(apart.locked == 0 && apart.streams == 8, "{of}: {apart:?}");
        }
    }

    /// A third of one's keys are others; the rest is the other's, 70 places on.
    #[test]
    fn most_of_a_sequence_is_enough() {
        let mut like = stream(1, 70, 1000);
        like.iter_mut().step_by(3).for_each(|key| *key += 5000);
        let mut one = like.clone();
        (0..).zip(&mut one).filter(|(i, _): &(u64, _)| mixed(*i) % 10 < 3).for_each(|(_, key)| *key += 10_000);
        let best = lockstep(&Streams(vec![like, one])).unwrap().best.unwrap();
        assert!(best.lag == 0 && best.holds() && (best.share - 0.7).abs() < 0.05, "{best:?}");
    }

    #[test]
    fn two_of_many_threads_are_found() {
        let mut streams: Vec<Vec<u64>> = (0..40).map(|seed| stream(seed, 0, 1 << 30)).collect();
        streams[37] = stream(3, 200, 1 << 30);
        let found = lockstep(&Streams(streams)).unwrap();
        let best = found.best.unwrap();
        assert_eq!((best.a, best.b, best.lag, found.locked, found.streams), (3, 37, -200, 2, 40));
    }

    #[test]
    fn hot_keys_and_short_streams_are_no_lockstep() {
        let constant = lockstep(&Streams(vec![vec![7; 500], vec![7; 500]])).unwrap();
        assert_eq!(constant.locked, 0, "{constant:?}");
        let hot = |seed| stream(seed, 0, 100).into_iter().map(|key| key.saturating_sub(90)).collect::<Vec<_>>();
        assert_eq!(lockstep(&Streams(vec![hot(1), hot(2)])).unwrap().locked, 0);
        assert_eq!(lockstep(&Streams(vec![vec![7; 100], vec![7; 500]])), None);
    }
}
