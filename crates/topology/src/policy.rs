//! How workers are spread over a machine, in the field's words.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::list::PuList;

/// How workers are spread over the allowed PUs. When there are more workers than PUs each order begins again.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Policy {
    /// Fill a core's SMT threads, then the next core.
    Compact,
    /// One worker on each core first, then the cores' second SMT threads, and so on.
    Cores,
    /// Round robin over packages; in each package over NUMA nodes, then caches, then cores, SMT siblings last.
    Scatter,
    /// This many workers on each core before the next core; the PUs left over come in further rounds of the same.
    Smt(u32),
    /// Workers 2k and 2k + 1 are neighbours: on two cores that share as much as two cores can that have a free PU. The closest
    /// pairs come first, packages take turns, and SMT siblings come only when cores are used up.
    Pairs,
    /// One worker on each of something; with more workers than there are the order begins again, and no second PU is used.
    OnePer(Unit),
    /// These PUs in this order.
    List(PuList),
}

/// What [`Policy::OnePer`] counts. Each gets the first usable PU of its first core that has one, in the order of the cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Cores; a PU of which no core is told is its own.
    Core,
    /// The data caches of the highest level at which some are shared by more than one core.
    SharedCache,
    /// The data caches of this level, shared or not.
    Cache(u32),
    /// NUMA nodes with PUs next to them.
    Node,
    /// Packages.
    Package,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unit::Core => "core",
            Unit::SharedCache => "cache",
            Unit::Cache(level) => return write!(f, "l{level}"),
            Unit::Node => "node",
            Unit::Package => "package",
        })
    }
}

fn unit(text: &str) -> Option<Unit> {
    match text {
        "core" => Some(Unit::Core),
        "cache" => Some(Unit::SharedCache),
        "node" => Some(Unit::Node),
        "package" => Some(Unit::Package),
        _ => match text.strip_prefix('l')?.as_bytes() {
            [level @ b'1'..=b'9'] => Some(Unit::Cache(u32::from(level - b'0'))),
            _ => None,
        },
    }
}

/// The words that [`Policy`] reads, for messages.
pub(crate) const WORDS: &str = "compact, cores, scatter, pairs, smt-N (such as smt-2), one-per-core, one-per-cache (or -l2, -l3), one-per-node, \
     one-per-package or a list of PUs (such as 0-3,8,16-24:8)";

/// A text that is no policy, with its cure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyError {
    /// What is wrong, without a full stop.
    pub message: String,
    /// What cures it.
    pub cure: String,
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.message, self.cure)
    }
}

impl std::error::Error for PolicyError {}

impl FromStr for Policy {
    type Err = PolicyError;

    fn from_str(text: &str) -> Result<Self, PolicyError> {
        let error = |message: String, cure: String| PolicyError { message, cure };
        match text {
            "compact" => return Ok(Policy::Compact),
            "cores" => return Ok(Policy::Cores),
            "scatter" => return Ok(Policy::Scatter),
            "pairs" => return Ok(Policy::Pairs),
            _ => {}
        }
        if let Some(what) = text.strip_prefix("one-per-") {
            return unit(what).map(Policy::OnePer).ok_or_else(|| {
                error(format!("`{}` does not name what gets one worker each", short(text)), format!("use {WORDS}"))
            });
        }
        if let Some(threads) = text.strip_prefix("smt-") {
            return match threads.parse::<u32>() {
                Ok(threads) if threads > 0 && !text.contains('+') => Ok(Policy::Smt(threads)),
                _ => Err(error(
                    format!("`{text}` does not say how many workers a core gets"),
                    "write smt-1, smt-2, smt-4, …".into(),
                )),
            };
        }
        if text.starts_with(|first: char| first.is_ascii_digit()) {
            return text.parse().map(Policy::List).map_err(|faults: crate::list::ListFaults| {
                let messages: Vec<String> = faults.0.iter().map(ToString::to_string).collect();
                error(
                    format!(
                        "the list of PUs `{}` is wrong: {}",
                        short(text),
                        messages[..messages.len().min(5)].join(" | ")
                    ),
                    "write PUs as 0-3,8,16-24:8".into(),
                )
            });
        }
        Err(error(format!("there is no placement policy `{}`", short(text)), format!("use {WORDS}")))
    }
}

fn short(text: &str) -> String {
    if text.chars().count() <= 60 { text.to_owned() } else { text.chars().take(60).chain("…".chars()).collect() }
}

/// As it is read.
impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Policy::Compact => f.write_str("compact"),
            Policy::Cores => f.write_str("cores"),
            Policy::Scatter => f.write_str("scatter"),
            Policy::Pairs => f.write_str("pairs"),
            Policy::Smt(threads) => write!(f, "smt-{threads}"),
            Policy::OnePer(unit) => write!(f, "one-per-{unit}"),
            Policy::List(list) => list.fmt(f),
        }
    }
}

impl TryFrom<String> for Policy {
    type Error = PolicyError;

    fn try_from(text: String) -> Result<Self, PolicyError> {
        text.parse()
    }
}

impl From<Policy> for String {
    fn from(policy: Policy) -> String {
        policy.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_policy_reads_back_from_its_own_words() {
        let one_per = ["one-per-core", "one-per-cache", "one-per-l2", "one-per-l3", "one-per-node", "one-per-package"];
        for text in
            ["compact", "cores", "scatter", "pairs", "smt-1", "smt-8", "0", "0-3,8", "7,3,5"].iter().chain(&one_per)
        {
            assert_eq!(text.parse::<Policy>().unwrap().to_string(), *text);
        }
    }

    #[test]
    fn unknown_words_are_answered_with_the_known_ones() {
        let wrong = ["", "Compact", "spread", "smt", "smt-", "smt-0", "smt--1", "smt-+2", "smt-99999999999", "-1"];
        let units = ["one-per", "one-per-", "one-per-socket", "one-per-l", "one-per-l0", "one-per-l33", "one-per-Core"];
        for text in wrong.iter().chain(&units) {
            let error = text.parse::<Policy>().unwrap_err();
            assert!(error.cure.contains("smt-"), "{text}: {error}");
        }
        let error = "0-3,2,9-1".parse::<Policy>().unwrap_err();
        assert!(error.message.contains("PU 2 is listed before") && error.message.contains("reversed"), "{error}");
    }
}
