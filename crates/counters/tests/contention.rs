//! The sets of the catalogue can be counted: by the planner's rules, for no machine here has all of these processors.

use std::collections::BTreeSet;

use hitm_counters::Code;
use hitm_counters::catalogue::{Uarch, uarchs};

const TYPE_HARDWARE: u32 = 0;
const TYPE_RAW: u32 = 4;

/// How many of a set share a pass with cycles and instructions at least.
const FIRST: usize = 3;

fn code(pmu_type: u32, config: u64, config1: u64, counters: Option<u64>) -> Code {
    Code { pmu: "cpu".to_owned(), pmu_type, config, config1, config2: 0, counters, native: String::new() }
}

/// Cycles and instructions as the kernel names them, then the set in its order.
fn codes(uarch: &Uarch) -> Vec<Code> {
    let base = [code(TYPE_HARDWARE, 0, 0, None), code(TYPE_HARDWARE, 1, 0, None)];
    let set = uarch.contention.iter().filter_map(|name| uarch.logical(name));
    let set = set.map(|event| code(TYPE_RAW, event.config, event.config1, event.counters));
    base.into_iter().chain(set).collect()
}

#[test]
fn the_first_of_each_set_share_a_pass_and_none_is_refused() {
    for uarch in uarchs() {
        let (codes, generic) = (codes(uarch), &uarch.pmu.generic);
        let first = &codes[..2 + FIRST];
        assert_eq!(uarch.pmu.rules.check(generic, first), [], "{}", uarch.name);
        let passes = uarch.pmu.rules.passes(generic, &codes, &[]);
        assert_eq!(passes.refused, [], "{}", uarch.name);
        let counted: BTreeSet<usize> = passes.passes.iter().flat_map(|pass| &pass.events).copied().collect();
        assert_eq!(counted.len(), codes.len(), "{}", uarch.name);
        assert!(passes.passes.len() <= 3, "{}: {} passes", uarch.name, passes.passes.len());
    }
}

#[test]
fn what_linux_refuses_is_refused_and_nothing_else() {
    for uarch in uarchs() {
        for event in &uarch.events {
            let one = [code(TYPE_RAW, event.config, event.config1, event.counters)];
            let refused = uarch.pmu.rules.passes(&uarch.pmu.generic, &one, &[]).refused;
            let told = event.traps.contains("Linux refuses it: ");
            assert_eq!(!refused.is_empty(), told, "{}: {}: {refused:?}", uarch.name, event.name);
            assert!(event.logical.is_empty() || refused.is_empty(), "{}: {}", uarch.name, event.name);
        }
    }
}
