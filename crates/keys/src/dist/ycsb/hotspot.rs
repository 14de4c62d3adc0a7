//! A hot set and a cold one.

use super::super::Distribution;
use super::uniform::{long, long_below};
use super::{java_long, share_of};
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// `HotspotIntegerGenerator`: a share of the draws falls alike on the first share of the keys, the rest alike on the others. One unit and
/// 64 bits a key.
///
/// Its faults: a hot set is rounded down, so few keys have none, of which it divides by zero (refused here); and it is counted in an `int`, so it
/// holds 2³¹ − 1 keys at most.
#[derive(Clone, Debug, PartialEq)]
pub struct Hotspot {
    range: KeyRange,
    hot: u64,
    cold: u64,
    operations: f64,
}

impl Hotspot {
    /// `keys` is the share of hot keys (`hotspotdatafraction`, 0.2), `operations` that of the draws that fall on them (`hotspotopnfraction`,
    /// 0.8), both 0 to 1.
    ///
    /// # Errors
    /// Shares that are none (YCSB takes 0 for them), a range beyond a Java `long`, and one that has no key for what is to be drawn.
    pub fn new(range: KeyRange, keys: f64, operations: f64) -> Result<Self, Vec<Refusal>> {
        let checked = (java_long(range), share_of("keys", keys), share_of("operations", operations));
        let (Ok(()), Ok(keys), Ok(operations)) = checked else {
            return Err([checked.0.err(), checked.1.err(), checked.2.err()].into_iter().flatten().collect());
        };
        let all = range.span() + 1;
        // Java cuts to the largest int.
        let hot = ((all as f64 * keys) as u64).min(i32::MAX as u64).min(all);
        let cold = all - hot;
        if hot == 0 && operations > 0.0 {
            let why = format!("a share {keys} of {range} is no key, and YCSB divides by it");
            let cure = "give more keys, a larger share of hot ones, or operations=0";
            return Err(vec![Refusal::new("range", why, cure)]);
        }
        if cold == 0 && operations < 1.0 {
            let why = format!("a share {keys} of {range} leaves no cold key, and YCSB divides by their number");
            return Err(vec![Refusal::new("keys", why, "give a smaller share of hot keys, or operations=1")]);
        }
        Ok(Hotspot { range, hot, cold, operations })
    }
}

impl Distribution for Hotspot {
    fn range(&self) -> KeyRange {
        self.range
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        let place =
            if stream.unit() < self.operations { long(stream) % self.hot } else { self.hot + long(stream) % self.cold };
        Some(self.range.low() + place)
    }

    fn cumulative(&self, key: u64) -> Option<f64> {
        if key < self.range.low() {
            return Some(0.0);
        }
        if key >= self.range.high() {
            return Some(1.0);
        }
        let below = key - self.range.low() + 1;
        // A share of no keys is never drawn.
        let part = |keys: u64, below: u64| if keys == 0 { 0.0 } else { long_below(keys, below.min(keys)) };
        let hot = part(self.hot, below);
        let cold = part(self.cold, below.saturating_sub(self.hot));
        Some(self.operations * hot + (1.0 - self.operations) * cold)
    }
}
