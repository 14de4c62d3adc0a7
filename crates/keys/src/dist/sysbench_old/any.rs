//! The four that `--oltp-dist-type` and `--rand-type` name.

use super::{Gaussian, Pareto, Special, Uniform};
use crate::dist::Distribution;
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// What the option chooses among, chosen at run time: one comparison a key.
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
    /// What the option takes.
    pub const NAMES: [&str; 4] = ["special", "uniform", "gaussian", "pareto"];

    /// The one of that name over these keys, at its default parameters.
    ///
    /// # Errors
    /// A name that is none of [`Any::NAMES`], and a range that it does not take.
    pub fn find(name: &str, range: KeyRange) -> Result<Any, Vec<Refusal>> {
        match name {
            "special" => Special::new(range, 12, 1, 75).map(Any::Special),
            "uniform" => Uniform::new(range).map(Any::Uniform),
            "gaussian" => Gaussian::new(range, 12).map(Any::Gaussian),
            "pareto" => Pareto::new(range, 0.2).map(Any::Pareto),
            _ => {
                let cure = format!("give {}", Self::NAMES.join(", "));
                Err(vec![Refusal::new("dist", format!("sysbench before 1.0 has no `{name}`"), cure)])
            }
        }
    }
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
