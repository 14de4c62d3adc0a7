//! The four that `--oltp-dist-type` and `--rand-type` name.

use super::{Gaussian, Pareto, Special, Uniform};
use crate::dist::chosen::Chosen;
use crate::{KeyRange, Refusal};

/// What the option chooses among, chosen at run time: one comparison a key.
pub type Any = Chosen<Uniform, Gaussian, Special, Pareto>;

impl Any {
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
