//! Distributions of keys: the contract they share, and all of them by name.
//!
//! A [`Distribution`] is checked when it is made and draws keys from a [`Stream`] of random numbers, taking them in the
//! form and order that its original takes them. It is a plain generic: a loop over it is compiled for its type and its
//! stream's. Where the type is chosen at run time, [`Keys`] is the same behind one virtual call a batch
//! ([`Keys::fill`]), and [`entries`] has all of them by name.
//!
//! Names are `origin/name`. `sysbench-1.0.20/special` draws what sysbench 1.0.20 draws, faults and all, bit for bit; a
//! variant without the fault has a name of its own beside it, such as `sysbench-1.0.20/special-symmetric`; `exact/…` are
//! ours. What an original is wrong in stands in [`Entry::fault`].

pub mod chosen;
pub mod exact;
mod harmonic;
pub mod museum;
pub mod pgbench;
mod power;
mod registry;
mod sums;
pub mod sysbench_1_0_20;
pub mod sysbench_master;
pub mod sysbench_old;
pub mod tpcc;
pub mod wtperf;
pub mod ycsb;

pub use registry::{Asked, Entry, Made, Parameter, entries, find};
use registry::{bound, together};

use crate::stream::{Counted, Stream, Taken};
use crate::{KeyRange, Refusal};

/// Draws keys.
///
/// Every key drawn is in [`range`](Self::range). Drawing changes nothing but the stream, save in distributions that hand out
/// each key once, which all workers share by reference.
pub trait Distribution: Send + Sync + 'static {
    /// The keys that can be drawn. Not every one of them needs to have a chance.
    fn range(&self) -> KeyRange;

    /// Draws one key; `None` when every key was handed out that can be, which most distributions never come to.
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64>;

    /// The probability of this key and all below it, to about 10⁻¹² unless the distribution says otherwise; `None` where there is no
    /// closed form.
    fn cumulative(&self, _key: u64) -> Option<f64> {
        None
    }

    /// The probability of one key, in the same accuracy.
    fn probability(&self, key: u64) -> Option<f64> {
        let below = if key == 0 { 0.0 } else { self.cumulative(key - 1)? };
        Some((self.cumulative(key)? - below).max(0.0))
    }
}

/// A distribution with its stream, whatever their types.
pub trait Keys: Send {
    /// The keys that can be drawn.
    fn range(&self) -> KeyRange;

    /// Draws as many keys as there are places and returns how many it drew: fewer when no more keys can be handed out.
    fn fill(&mut self, keys: &mut [u64]) -> usize;

    /// How many random numbers were taken.
    fn taken(&self) -> Taken;

    /// As [`Distribution::cumulative`].
    fn cumulative(&self, key: u64) -> Option<f64>;

    /// As [`Distribution::probability`].
    fn probability(&self, key: u64) -> Option<f64>;
}

/// Binds a distribution to its stream.
pub fn keys<D: Distribution, S: Stream + Send + 'static>(distribution: D, stream: S) -> Box<dyn Keys> {
    Box::new(Bound { distribution, stream: Counted::new(stream) })
}

struct Bound<D, S> {
    distribution: D,
    stream: Counted<S>,
}

impl<D: Distribution, S: Stream + Send> Keys for Bound<D, S> {
    fn range(&self) -> KeyRange {
        self.distribution.range()
    }

    fn fill(&mut self, keys: &mut [u64]) -> usize {
        for (drawn, place) in keys.iter_mut().enumerate() {
            match self.distribution.draw(&mut self.stream) {
                Some(key) => *place = key,
                None => return drawn,
            }
        }
        keys.len()
    }

    fn taken(&self) -> Taken {
        self.stream.taken()
    }

    fn cumulative(&self, key: u64) -> Option<f64> {
        self.distribution.cumulative(key)
    }

    fn probability(&self, key: u64) -> Option<f64> {
        self.distribution.probability(key)
    }
}

/// Refuses a setting outside of what it takes.
fn within(setting: &str, value: u64, least: u64, most: u64) -> Result<u64, Refusal> {
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    Err(Refusal::new(setting, format!("{value} is not among {least} to {most}"), format!("give {least} to {most}")))
}
