//! The four that `--rand-type` names.

use super::{Gaussian, Pareto, Special, Uniform};
use crate::dist::chosen::Chosen;

/// What `--rand-type` chooses among, chosen at run time: one comparison a key.
pub type Any = Chosen<Uniform, Gaussian, Special, Pareto>;
