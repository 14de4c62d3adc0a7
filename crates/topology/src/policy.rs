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
    /// These PUs in this order.
    List(PuList),
}

/// The words that [`Policy`] reads, for messages.
pub(crate) const WORDS: &str =
    "compact, cores, scatter, smt-N (such as smt-2) or a list of PUs (such as 0-3,8,16-24:8)";

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
            _ => {}
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
            Policy::Smt(threads) => write!(f, "smt-{threads}"),
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
        for text in ["compact", "cores", "scatter", "smt-1", "smt-8", "0", "0-3,8", "7,3,5"] {
            assert_eq!(text.parse::<Policy>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn unknown_words_are_answered_with_the_known_ones() {
        for text in
            ["", "Compact", "pairs", "spread", "smt", "smt-", "smt-0", "smt--1", "smt-+2", "smt-99999999999", "-1"]
        {
            let error = text.parse::<Policy>().unwrap_err();
            assert!(error.cure.contains("smt-"), "{text}: {error}");
        }
        let error = "0-3,2,9-1".parse::<Policy>().unwrap_err();
        assert!(error.message.contains("PU 2 is listed before") && error.message.contains("reversed"), "{error}");
    }
}
