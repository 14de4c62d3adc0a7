//! Where the workers of a cell run: by which policy, or on which PUs.

use crate::value::Value;

/// One place for a number of workers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spot {
    pub policy: String,
    pub workers: usize,
    /// The PUs where they are fixed already.
    pub pus: Option<Vec<u32>>,
    /// What a cell there has as parameters besides `placement` and `workers`.
    pub parameters: Vec<(&'static str, Value)>,
    /// Those of its parameters that may stand in a cell's id, if they vary.
    pub naming: &'static [&'static str],
}

/// All spots, with what the experiment asks for and the machine does not offer.
#[derive(Default)]
pub(super) struct Spots {
    pub found: Vec<Spot>,
    pub left_out: Vec<LeftOut>,
}

/// A value that no cell has, since the machine does not offer it.
pub(super) struct LeftOut {
    pub parameter: &'static str,
    pub value: Value,
    /// One clause.
    pub why: String,
}

/// Values left out for one reason, in one sentence; there is one at least.
pub(super) fn told(left_out: &[LeftOut]) -> String {
    let values: Vec<String> = left_out.iter().map(|left| left.value.to_string()).collect();
    format!("{} {} ({})", left_out[0].parameter, values.join(", "), left_out[0].why)
}

/// The first few of a long list.
pub(super) fn shortened(words: &[String]) -> String {
    const SHOWN: usize = 12;
    match words.len() {
        0..=SHOWN => words.join(", "),
        more => format!("{}, … ({more} in all)", words[..SHOWN].join(", ")),
    }
}
