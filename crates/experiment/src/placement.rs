//! How a definition asks for workers and where they run. What a policy does on a machine is the `topology` crate's to say.

use std::fmt;

/// `[placement]`: how many workers run where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacementSpec {
    /// What bounds the PUs, as written, such as `package:0`; all of these at once. Empty for all allowed PUs.
    pub within: Vec<String>,
    /// How the workers are spread over those.
    pub spread: Spread,
}

/// The three ways to spread workers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spread {
    /// Every policy with every number of workers.
    Policies {
        /// In the order written; at least one.
        policies: Vec<PolicySpec>,
        /// In the order written; at least one.
        workers: Vec<Workers>,
    },
    /// Two workers on two PUs, a cell for each pair.
    Pairs(PairsSpec),
    /// One, two, four, … SMT threads of the same cores.
    Threads(ThreadsSpec),
}

impl Default for PlacementSpec {
    fn default() -> Self {
        let policies = vec![PolicySpec { text: "cores".to_owned(), kind: PolicyKind::Rule }];
        PlacementSpec { within: Vec::new(), spread: Spread::Policies { policies, workers: vec![Workers::All] } }
    }
}

/// Which pairs of PUs are cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairsSpec {
    /// Only pairs of these relations, such as `same-core` or `shared-l3`; `None` for all.
    pub relations: Option<Vec<String>>,
    /// How many pairs of each relation.
    pub of_each: OfEach,
    /// Whether disjoint pairs run at the same time, in the order written; both where both are asked for.
    pub together: Vec<bool>,
}

/// How many pairs of one relation are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfEach {
    /// All.
    All,
    /// As many as the budget has time for.
    Budget,
    /// At most this many, chosen by the seed.
    Exactly(usize),
}

/// The same cores with more and more of their SMT threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadsSpec {
    /// Workers on each core, in the order written.
    pub per_core: Vec<usize>,
    /// The numbers of cores, in the order written.
    pub cores: Vec<Workers>,
}

/// The names of relations that are known besides `shared-l1`, `shared-l2`, ….
pub const RELATIONS: [&str; 5] = ["same-core", "same-numa-node", "same-package", "same-machine", "across-packages"];

/// Whether a word names a relation of two PUs.
pub fn is_relation(word: &str) -> bool {
    let level = word.strip_prefix("shared-l").and_then(|level| level.parse::<u8>().ok());
    RELATIONS.contains(&word) || level.is_some_and(|level| (1..=9).contains(&level))
}

/// A placement policy as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicySpec {
    /// As written, such as `cores` or `0-3,8`.
    pub text: String,
    /// What kind it is.
    pub kind: PolicyKind,
}

/// The kinds of policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicyKind {
    /// `compact`, `cores`, `smt-N` and so on: any number of workers over the allowed PUs.
    Rule,
    /// These PUs, by OS index, in order: the index is the worker.
    List(Vec<u32>),
}

/// The policies of one word; `smt-N` and lists of PUs beside them.
pub const RULES: [&str; 10] = [
    "compact",
    "cores",
    "scatter",
    "pairs",
    "one-per-core",
    "one-per-cache",
    "one-per-l2",
    "one-per-l3",
    "one-per-node",
    "one-per-package",
];

/// The highest PU index that a list may hold, far above any machine's.
const HIGHEST_PU: u32 = (1 << 20) - 1;

impl PolicySpec {
    /// Reads a policy.
    ///
    /// # Errors
    /// What is wrong and what cures it.
    pub fn parse(text: &str) -> Result<PolicySpec, (String, String)> {
        let kind = match text {
            _ if RULES.contains(&text) => PolicyKind::Rule,
            _ if text.starts_with(|c: char| c.is_ascii_digit()) => PolicyKind::List(list(text)?),
            _ => match text.strip_prefix("smt-").map(str::parse::<u32>) {
                Some(Ok(1..)) => PolicyKind::Rule,
                Some(_) => {
                    return Err((
                        format!("`{text}` tells no number of workers a core"),
                        "write `smt-2` for two".into(),
                    ));
                }
                None => {
                    let cure = match crate::suggest::closest(text, RULES.into_iter().chain(["smt-2"])) {
                        Some(meant) => format!("did you mean `{meant}`?"),
                        None => format!("write {}, smt-N or a PU list such as \"0-3,8\"", RULES.join(", ")),
                    };
                    return Err((format!("there is no placement policy `{text}`"), cure));
                }
            },
        };
        Ok(PolicySpec { text: text.to_owned(), kind })
    }
}

/// Reads `0-3,8,16-24:8`.
fn list(text: &str) -> Result<Vec<u32>, (String, String)> {
    let fault = |what: String| (what, "write PUs as in \"0-3,8\" or \"0-24:8\" (every eighth)".to_owned());
    let number = |part: &str| -> Result<u32, (String, String)> {
        match part.trim().parse::<u32>() {
            Ok(pu) if pu <= HIGHEST_PU => Ok(pu),
            Ok(_) => Err(fault(format!("PU {part} is above {HIGHEST_PU}"))),
            Err(_) => Err(fault(format!("`{part}` in the PU list `{text}` is no PU"))),
        }
    };
    let mut pus = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for item in text.split(',') {
        let (range, step) = match item.split_once(':') {
            Some((range, step)) => (range, number(step)?),
            None => (item, 1),
        };
        let (first, last) = match range.split_once('-') {
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(range)?, number(range)?),
        };
        if last < first {
            return Err(fault(format!("`{item}` in the PU list runs backwards")));
        }
        if step == 0 {
            return Err(fault(format!("`{item}` in the PU list steps by 0")));
        }
        for pu in (first..=last).step_by(step as usize) {
            if !seen.insert(pu) {
                return Err((
                    format!("PU {pu} is twice in the list `{text}`"),
                    "name each PU once; more workers than PUs wrap round".into(),
                ));
            }
            pus.push(pu);
        }
    }
    Ok(pus)
}

/// A number of workers as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Workers {
    /// This many, at least 1.
    Exactly(usize),
    /// One for each PU that the policy may use: each allowed PU, or each PU of a list.
    All,
}

/// The most workers that can be asked for.
pub const MOST_WORKERS: usize = 65_536;

impl fmt::Display for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Workers::Exactly(workers) => workers.fmt(f),
            Workers::All => f.write_str("all"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pus(text: &str) -> Vec<u32> {
        match PolicySpec::parse(text).unwrap_or_else(|(message, _)| panic!("{message}")).kind {
            PolicyKind::List(pus) => pus,
            kind @ PolicyKind::Rule => panic!("{kind:?}"),
        }
    }

    #[test]
    fn policies_read_as_written() {
        assert_eq!(pus("0-3,8"), [0, 1, 2, 3, 8]);
        assert_eq!(pus("16-32:8, 1"), [16, 24, 32, 1]);
        assert_eq!(pus("5"), [5]);
        for rule in RULES.into_iter().chain(["smt-4"]) {
            assert_eq!(PolicySpec::parse(rule).unwrap().kind, PolicyKind::Rule);
        }
        for text in ["", "core", "smt-0", "smt-x", "3-1", "0-", "0-8:0", "1,1", "0-3,2", "99999999", "0,-1", "1e3"] {
            let (_, cure) = PolicySpec::parse(text).unwrap_err();
            assert!(!cure.is_empty(), "{text}");
        }
        assert_eq!(PolicySpec::parse("compct").unwrap_err().1, "did you mean `compact`?");
    }
}
