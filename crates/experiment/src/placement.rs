//! How a definition asks for workers and where they run. What a policy does on a machine is the `topology` crate's to say.

use std::fmt;

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
    /// `compact`, `cores`, `scatter` or `smt-N`: any number of workers over the allowed PUs.
    Rule,
    /// These PUs, by OS index, in order: the index is the worker.
    List(Vec<u32>),
    /// Every unordered pair of allowed PUs is a cell of two workers.
    Pairs,
}

/// The highest PU index that a list may hold, far above any machine's.
const HIGHEST_PU: u32 = (1 << 20) - 1;

impl PolicySpec {
    /// Reads a policy.
    ///
    /// # Errors
    /// What is wrong and what cures it.
    pub fn parse(text: &str) -> Result<PolicySpec, (String, String)> {
        let kind = match text {
            "compact" | "cores" | "scatter" => PolicyKind::Rule,
            "pairs" => PolicyKind::Pairs,
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
                    let known = ["compact", "cores", "scatter", "smt-2", "pairs"];
                    let cure = match crate::suggest::closest(text, known) {
                        Some(meant) => format!("did you mean `{meant}`?"),
                        None => "write compact, cores, scatter, smt-N, pairs or a PU list such as \"0-3,8\"".into(),
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
            kind => panic!("{kind:?}"),
        }
    }

    #[test]
    fn policies_read_as_written() {
        assert_eq!(pus("0-3,8"), [0, 1, 2, 3, 8]);
        assert_eq!(pus("16-32:8, 1"), [16, 24, 32, 1]);
        assert_eq!(pus("5"), [5]);
        for rule in ["compact", "cores", "scatter", "smt-4"] {
            assert_eq!(PolicySpec::parse(rule).unwrap().kind, PolicyKind::Rule);
        }
        for text in ["", "core", "smt-0", "smt-x", "3-1", "0-", "0-8:0", "1,1", "0-3,2", "99999999", "0,-1", "1e3"] {
            let (_, cure) = PolicySpec::parse(text).unwrap_err();
            assert!(!cure.is_empty(), "{text}");
        }
        assert_eq!(PolicySpec::parse("compct").unwrap_err().1, "did you mean `compact`?");
    }
}
