//! Whether two threads draw the same keys at the same time.

use super::Source;

/// Streams that are compared, each with each: the busiest.
const STREAMS: usize = 8;

/// Keys of each that are compared.
const KEYS: usize = 8192;

/// So many places before and after are looked at.
const LAGS: usize = 32;

/// The fewest keys that say anything.
const FEWEST: usize = 4 * LAGS;

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
    /// The share of places that agree usually: the median over all lags. Hot keys agree by chance.
    pub usual: f64,
}

impl Lockstep {
    /// Whether one follows the other: half of the keys agree that would not usually.
    pub fn holds(&self) -> bool {
        self.share - self.usual > 0.5 * (1.0 - self.usual)
    }
}

/// The two streams whose keys agree most above what is usual; `None` where there are not two with enough keys.
pub(super) fn lockstep(source: &(impl Source + ?Sized)) -> Option<Lockstep> {
    if source.streams() < 2 {
        return None;
    }
    let mut counts = vec![0_u64; source.streams()];
    source.each(0, source.keys(), |_, stream| counts[stream] += 1);
    let mut busiest: Vec<usize> = (0..counts.len()).collect();
    busiest.sort_by_key(|&stream| (u64::MAX - counts[stream], stream));
    busiest.truncate(STREAMS);
    let mut place_of = vec![None; counts.len()];
    busiest.iter().enumerate().for_each(|(place, &stream)| place_of[stream] = Some(place));
    let mut keys = vec![Vec::new(); busiest.len()];
    source.each(0, source.keys(), |key, stream| {
        if let Some(keys) = place_of[stream].map(|place| &mut keys[place]).filter(|keys| keys.len() < KEYS) {
            keys.push(key);
        }
    });
    let pairs = (0..busiest.len()).flat_map(|a| (a + 1..busiest.len()).map(move |b| (a, b)));
    let agreed = pairs.filter_map(|(a, b)| {
        let (lag, share, usual) = agree(&keys[a], &keys[b])?;
        Some(Lockstep { a: busiest[a], b: busiest[b], lag, share, usual })
    });
    agreed.max_by(|a, b| (a.share - a.usual).total_cmp(&(b.share - b.usual)))
}

/// The best lag, the share of equal keys there, and the usual one.
fn agree(a: &[u64], b: &[u64]) -> Option<(i64, f64, f64)> {
    let length = a.len().min(b.len());
    if length < FEWEST {
        return None;
    }
    let (a, b) = (&a[..length], &b[..length]);
    let share = |early: &[u64], late: &[u64], lag: usize| {
        let equal = early.iter().zip(&late[lag..]).filter(|(a, b)| a == b).count();
        equal as f64 / (length - lag) as f64
    };
    let later = (0..=LAGS).map(|lag| (lag as i64, share(a, b, lag)));
    let before = (1..=LAGS).map(|lag| (-(lag as i64), share(b, a, lag)));
    let mut shares: Vec<(i64, f64)> = later.chain(before).collect();
    // Of equal shares the smallest lag.
    let best = shares.iter().copied().max_by(|x, y| x.1.total_cmp(&y.1).then(y.0.abs().cmp(&x.0.abs())))?;
    shares.sort_by(|x, y| x.1.total_cmp(&y.1));
    Some((best.0, best.1, shares[shares.len() / 2].1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(seed: u64, skip: usize, of: u64) -> Vec<u64> {
        (skip as u64..skip as u64 + 2000).map(|index| super::super::hash::mixed(seed + index) % of).collect()
    }

    #[test]
    fn equal_seeds_agree_at_their_lag() {
        for (skip, lag) in [(0, 0), (5, -5)] {
            let (found, share, usual) = agree(&stream(1, 0, 1 << 40), &stream(1, skip, 1 << 40)).unwrap();
            assert_eq!((found, share, usual), (lag, 1.0, 0.0));
        }
        let (_, share, usual) = agree(&stream(1, 0, 10), &stream(1 << 32, 0, 10)).unwrap();
        assert!(share < 0.15 && usual > 0.05, "{share} {usual}");
        let same = agree(&[7; 500], &[7; 500]).unwrap();
        assert_eq!(same, (0, 1.0, 1.0));
        assert!(!Lockstep { a: 0, b: 1, lag: 0, share: 1.0, usual: 1.0 }.holds());
        assert_eq!(agree(&[7; 100], &[7; 500]), None);
    }
}
