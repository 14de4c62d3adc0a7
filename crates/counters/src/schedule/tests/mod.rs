//! What Linux is known to take together, and laws that hold for any events.

mod counters;
mod laws;
mod power;
mod solver;

use std::collections::BTreeMap;

use super::{Passes, Rules};
use crate::code::{Code, TYPE_HARDWARE, TYPE_RAW, TYPE_SOFTWARE};

fn raw(config: u64) -> Code {
    Code {
        pmu: "cpu".to_owned(),
        pmu_type: TYPE_RAW,
        config,
        config1: 0,
        config2: 0,
        counters: None,
        native: String::new(),
    }
}

fn raws(configs: &[u64]) -> Vec<Code> {
    configs.iter().copied().map(raw).collect()
}

/// The kernel's hardware event of this number.
fn generic(id: u64) -> Code {
    Code { pmu_type: TYPE_HARDWARE, ..raw(id) }
}

fn software(id: u64) -> Code {
    Code { pmu: "software".to_owned(), pmu_type: TYPE_SOFTWARE, ..raw(id) }
}

fn power(version: u32) -> Rules {
    Rules::Power { version }
}

fn whys(rules: &Rules, codes: &[Code]) -> Vec<String> {
    rules.check(&BTreeMap::new(), codes).into_iter().map(|conflict| conflict.why).collect()
}

fn passes(rules: &Rules, codes: &[Code]) -> Passes {
    rules.passes(&BTreeMap::new(), codes, &[])
}

/// The events of each pass.
fn parts(passes: &Passes) -> Vec<Vec<usize>> {
    passes.passes.iter().map(|pass| pass.events.clone()).collect()
}
