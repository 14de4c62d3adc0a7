//! Parts of a machine that placements can be restricted to.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::list::PuList;

/// A part of a machine that a placement is restricted to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Within {
    /// The package of that OS index.
    Package(u32),
    /// The PUs next to the NUMA node of that OS index.
    Numa(u32),
    /// The PUs that share the data cache of a level above a PU.
    Cache {
        /// The level, from 1.
        level: u32,
        /// The PU, by OS index.
        pu: u32,
    },
    /// The core of that PU.
    Core(u32),
    /// The PUs of a kind of cores, by its name.
    Kind(String),
    /// These PUs.
    Pus(PuList),
}

/// The forms that [`Within`] reads, for messages.
const FORMS: &str = "package:N, numa:N, l2:PU or l3:PU (the cache above that PU), core:PU, kind:NAME or pus:LIST (such as \
                     pus:0-3,8)";

/// A text that is no bound, with its cure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithinError {
    /// What is wrong, without a full stop.
    pub message: String,
    /// What cures it.
    pub cure: String,
}

impl fmt::Display for WithinError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.message, self.cure)
    }
}

impl std::error::Error for WithinError {}

impl FromStr for Within {
    type Err = WithinError;

    fn from_str(text: &str) -> Result<Self, WithinError> {
        let shown: String = text.chars().take(60).collect();
        let error = |message: String| WithinError { message, cure: format!("use {FORMS}") };
        let Some((word, what)) = text.split_once(':') else {
            return Err(error(format!("`{shown}` does not name a part of a machine")));
        };
        let number = || {
            let digits = !what.is_empty() && what.bytes().all(|byte| byte.is_ascii_digit());
            let number = if digits { what.parse::<u32>().ok() } else { None };
            number.ok_or_else(|| error(format!("`{shown}` needs a number after the colon")))
        };
        match word {
            "package" => number().map(Within::Package),
            "numa" => number().map(Within::Numa),
            "core" => number().map(Within::Core),
            "kind" if what.trim().is_empty() => Err(error("`kind:` names no kind".into())),
            "kind" => Ok(Within::Kind(what.to_owned())),
            "pus" => what.parse().map(Within::Pus).map_err(|faults: crate::list::ListFaults| {
                let some: Vec<String> = faults.0.iter().take(5).map(ToString::to_string).collect();
                error(format!("the list of `{shown}` is wrong: {}", some.join(" | ")))
            }),
            _ => match word.strip_prefix('l').map(str::parse::<u32>) {
                Some(Ok(level)) if (1..=9).contains(&level) && word.len() == 2 => {
                    number().map(|pu| Within::Cache { level, pu })
                }
                _ => Err(error(format!("`{shown}` does not name a part of a machine"))),
            },
        }
    }
}

/// As it is read.
impl fmt::Display for Within {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Within::Package(package) => write!(f, "package:{package}"),
            Within::Numa(node) => write!(f, "numa:{node}"),
            Within::Cache { level, pu } => write!(f, "l{level}:{pu}"),
            Within::Core(pu) => write!(f, "core:{pu}"),
            Within::Kind(name) => write!(f, "kind:{name}"),
            Within::Pus(list) => write!(f, "pus:{list}"),
        }
    }
}

impl TryFrom<String> for Within {
    type Error = WithinError;

    fn try_from(text: String) -> Result<Self, WithinError> {
        text.parse()
    }
}

impl From<Within> for String {
    fn from(within: Within) -> String {
        within.to_string()
    }
}
