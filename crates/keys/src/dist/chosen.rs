//! The distributions that sysbench chooses among by name.

use super::Distribution;
use crate::KeyRange;
use crate::stream::Stream;

/// One of the four that each version of sysbench has, chosen at run time: one comparison a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Chosen<U, G, S, P> {
    /// `uniform`.
    Uniform(U),
    /// `gaussian`.
    Gaussian(G),
    /// `special`, the default.
    Special(S),
    /// `pareto`.
    Pareto(P),
}

impl<U, G, S, P> Chosen<U, G, S, P> {
    /// What the option takes.
    pub const NAMES: [&str; 4] = ["special", "uniform", "gaussian", "pareto"];
}

macro_rules! of_each {
    ($chosen:expr, $one:ident => $what:expr) => {
        match $chosen {
            Chosen::Uniform($one) => $what,
            Chosen::Gaussian($one) => $what,
            Chosen::Special($one) => $what,
            Chosen::Pareto($one) => $what,
        }
    };
}

impl<U: Distribution, G: Distribution, S: Distribution, P: Distribution> Distribution for Chosen<U, G, S, P> {
    fn range(&self) -> KeyRange {
        of_each!(self, one => one.range())
    }

    #[inline]
    fn draw<T: Stream>(&self, stream: &mut T) -> Option<u64> {
        of_each!(self, one => one.draw(stream))
    }

    fn cumulative(&self, key: u64) -> Option<f64> {
        of_each!(self, one => one.cumulative(key))
    }
}
