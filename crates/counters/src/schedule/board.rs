//! What the rules of all PMUs have in common.

use std::collections::BTreeMap;

use super::Conflict;
use crate::code::{Code, TYPE_SOFTWARE, TYPE_TRACEPOINT};

/// A PMU with the events that are to be counted on it, named by index, and what others hold of it.
pub(super) trait Board {
    /// Whether these can be counted at once, beside what others hold, and with the companions they need. If a set fits, so does
    /// each part of it.
    fn fits(&self, set: &[usize]) -> bool;

    /// Every reason why these cannot be counted at once, nothing added to them.
    fn conflicts(&self, set: &[usize]) -> Vec<Conflict>;

    /// What must be opened before these.
    fn companions(&self, set: &[usize]) -> Vec<Code>;

    /// Those of `candidates` that take nothing from any other event. Of equal ones the first are taken.
    fn free(&self, candidates: &[usize]) -> Vec<usize>;

    /// Puts a set that was sorted as asked for into the order that Linux opens it in.
    fn sort(&self, _set: &mut [usize]) {}
}

/// `enum perf_hw_id` by `perf`'s names, each with its other name.
const GENERIC: [[&str; 2]; 10] = [
    ["cycles", "cpu-cycles"],
    ["instructions", "instructions"],
    ["cache-references", "cache-references"],
    ["cache-misses", "cache-misses"],
    ["branches", "branch-instructions"],
    ["branch-misses", "branch-misses"],
    ["bus-cycles", "bus-cycles"],
    ["stalled-cycles-frontend", "idle-cycles-frontend"],
    ["stalled-cycles-backend", "idle-cycles-backend"],
    ["ref-cycles", "ref-cycles"],
];

/// `perf`'s name of one of `enum perf_hw_id`.
pub(crate) fn generic_name(id: u64) -> Option<&'static str> {
    GENERIC.get(usize::try_from(id).ok()?).map(|[name, _]| *name)
}

/// The names of one of the kernel's hardware events; none for an event of the processor or one that Linux does not have.
fn names(code: &Code) -> &'static [&'static str] {
    code.generic().and_then(|id| GENERIC.get(usize::try_from(id).ok()?)).map_or(&[], |names| names.as_slice())
}

/// Whether `list` names the kernel's hardware event that `code` is.
pub(super) fn is_named(code: &Code, list: &[String]) -> bool {
    list.iter().any(|name| names(code).contains(&name.as_str()))
}

/// Whether `list` names one of the kernel's hardware events whose code on this processor is `config`.
pub(super) fn named_by(config: u64, generic: &BTreeMap<String, u64>, list: &[String]) -> bool {
    generic.iter().any(|(name, &own)| own == config && same_name(name, list))
}

fn same_name(name: &str, list: &[String]) -> bool {
    let known = GENERIC.iter().find(|names| names.contains(&name));
    list.iter().any(|other| other == name || known.is_some_and(|names| names.contains(&other.as_str())))
}

/// The processor's own code for the kernel's hardware event that `code` is.
pub(super) fn own_code(code: &Code, generic: &BTreeMap<String, u64>) -> Option<u64> {
    names(code).iter().find_map(|&name| generic.get(name)).copied()
}

/// Whether counting it takes no counter of any PMU.
pub(super) fn counted_by_kernel(code: &Code) -> bool {
    matches!(code.pmu_type, TYPE_SOFTWARE | TYPE_TRACEPOINT)
}

/// The event in a clause: `cycles`, `0x1e058` or `0x1b7 (config1 0x10003c0002)`.
pub(super) fn label(code: &Code) -> String {
    match code.generic() {
        Some(id) => names(code).first().map_or_else(|| format!("hardware event {id}"), |&name| name.to_owned()),
        None if code.is_the_kernels() => code.to_string(),
        None if code.config1 == 0 => format!("{:#x}", code.config),
        None => format!("{:#x} (config1 {:#x})", code.config, code.config1),
    }
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn listed(labels: &[String]) -> String {
    match labels {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}
