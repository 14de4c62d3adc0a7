//! Modifiers behind a name, such as `:u`: hitm chooses the modes by what each event is, so none are taken.

use super::{UnknownEvent, Vocabulary};

/// Those of perf's event names (perf-list(1)).
const LETTERS: &str = "ukhpPSDGHIWe";

/// Those of libpfm that say when and where to count, not what (`libpfm_intel_core(3)`, `pfm_get_os_event_encoding(3)`).
const OF_LIBPFM: [&str; 12] =
    ["u", "k", "h", "mg", "mh", "precise", "pinned", "excl", "period", "freq", "cpu", "hw_smpl"];

const WHY: &str = "has modifiers; modifiers such as :u are not taken, for hitm counts user mode by itself";

impl Vocabulary {
    /// A known event followed by a colon and letters that perf takes for modifiers. No tracepoint's group has the name of an event.
    pub(super) fn modified(&self, name: &str) -> Option<UnknownEvent> {
        let (plain, letters) = name.split_once(':')?;
        let all = !letters.is_empty() && letters.chars().all(|letter| LETTERS.contains(letter));
        (all && (plain == super::CONTENTION || self.event(plain).is_ok())).then(|| refused(name, plain))
    }
}

/// A name of libpfm (`skx::EVENT:MASK:u`) with modifiers of that sort.
pub(super) fn of_libpfm(name: &str) -> Option<UnknownEvent> {
    let (pmu, rest) = name.split_once("::")?;
    let modifier = |part: &&str| {
        let key = part.split('=').next().unwrap_or_default();
        OF_LIBPFM.iter().any(|modifier| modifier.eq_ignore_ascii_case(key))
    };
    let mut parts = rest.split_inclusive([':', '.']);
    let mut plain = parts.next()?.to_owned();
    let mut found = false;
    for part in parts {
        if modifier(&part.trim_end_matches([':', '.'])) {
            found = true;
        } else {
            plain.push_str(part);
        }
    }
    found.then(|| refused(name, &format!("{pmu}::{}", plain.trim_end_matches([':', '.']))))
}

pub(super) fn refused(name: &str, plain: &str) -> UnknownEvent {
    UnknownEvent { suggestions: vec![plain.to_owned()], ..UnknownEvent::new(name, WHY) }
}
