//! The four that `--rand-type` names.

use super::{Gaussian, Pareto, Special, Uniform};
use crate::KeyRange;
use crate::dist::Distribution;
use crate::stream::Stream;

/// What `--rand-type` chooses among, chosen at run time: one comparison a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Any {
    /// `uniform`.
    Uniform(Uniform),
    /// `gaussian`.
    Gaussian(Gaussian),
    /// `special`, the default.
    Special(Special),
    /// `pareto`.
    Pareto(Pareto),
}

impl Any {
    /// What `--rand-type` takes.
    pub const NAMES: [&str; 4] = ["special", "uniform", "gaussian", "pareto"];
}

macro_rules! of_each {
    ($any:expr, $one:ident => $what:expr) => {
        match $any {
            Any::Uniform($one) => $what,
            Any::Gaussian($one) => $what,
            Any::Special($one) => $what,
            Any::Pareto($one) => $what,
        }
    };
}

impl Distribution for Any {
    fn range(&self) -> KeyRange {
        of_each!(self, one => one.range())
    }

    #[inline]
    fn draw<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        of_each!(self, one => one.draw(stream))
    }

    fn cumulative(&self, key: u64) -> Option<f64> {
        of_each!(self, one => one.cumulative(key))
    }
}
