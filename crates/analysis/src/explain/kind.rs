//! Who counts an event, and what it can therefore say.

use hitm_experiment::manifest::EventInfo;

use super::Part;
use crate::run::Run;

/// Events that software counts, for manifests of versions that did not tell.
const SOFTWARE: [&str; 11] = [
    "alignment-faults",
    "context-switches",
    "cpu-clock",
    "cpu-migrations",
    "dummy",
    "emulation-faults",
    "major-faults",
    "minor-faults",
    "page-faults",
    "task-clock",
    "voluntary-switches",
];

/// `hardware`, `software`, `tracepoint` or `other`.
pub(super) fn kind(info: &EventInfo) -> &str {
    match info.kind.as_str() {
        "" if SOFTWARE.contains(&info.name.as_str()) => "software",
        "" if ["scheduling", "time"].contains(&info.role.as_str()) => "software",
        "" => "hardware",
        kind => kind,
    }
}

/// Whether software counts it: what it says is of the operating system.
pub(super) fn is_software(info: &EventInfo) -> bool {
    matches!(kind(info), "software" | "tracepoint") || info.role == "scheduling"
}

/// Whether it is set beside an explanation: what software counts, and is not time.
pub fn is_beside(info: &EventInfo) -> bool {
    is_software(info) && no_cause(info).is_none()
}

/// Why an event can never be a cause, whatever it reads.
pub(super) fn no_cause(info: &EventInfo) -> Option<&'static str> {
    match (info.role.as_str(), info.name.as_str()) {
        ("cycles" | "time", _) | (_, "cycles") => Some("it is time by another name"),
        _ if is_msr_clock(info) => Some("it is time by another name"),
        ("mode", _) => Some("it tells the mode of the core, not a cost"),
        _ => None,
    }
}

/// The events of the PMU `msr` that count time or cycles, by name and config (Linux, arch/x86/events/msr.c).
const MSR_CLOCKS: [(&str, &str); 5] =
    [("tsc", "0x0"), ("aperf", "0x1"), ("mperf", "0x2"), ("pperf", "0x3"), ("ptsc", "0x5")];

/// Whether a processor's own clock is read as an event.
fn is_msr_clock(info: &EventInfo) -> bool {
    let clock = |(name, config): &(&str, &str)| {
        let code = format!("msr/config={config}/");
        info.name == format!("msr/{name}/") || info.codes.iter().any(|of| of.trim_start().ends_with(&code))
    };
    MSR_CLOCKS.iter().any(clock)
}

/// Whether software or hardware counts time or cycles by it.
pub(super) fn is_time(info: &EventInfo) -> bool {
    matches!(info.role.as_str(), "cycles" | "time") || matches!(info.name.as_str(), "cycles" | "task-clock")
}

/// Why an event is cycles under another name, where its codes are those of an event that counts them.
pub(super) fn is_cycles(run: &Run, info: &EventInfo) -> Option<String> {
    let same = |other: &&EventInfo| {
        let cycles = other.role == "cycles" || other.name == "cycles";
        cycles && other.codes.len() == info.codes.len() && other.codes.iter().all(|code| info.codes.contains(code))
    };
    let other = run.manifest.events.iter().filter(|_| !info.codes.is_empty()).find(same)?;
    Some(format!("it is {} by another name: the same code", other.name))
}

/// How the traps of an event begin that nobody has described: a code as typed, a name of libpfm's or of a PMU.
const UNDESCRIBED: &str = "hitm knows no more of it";

/// The part it plays, such as `transfer`; of a code that nobody has described, whatever stands in its place is no knowledge.
pub(super) fn role(info: &EventInfo) -> &str {
    if info.traps.starts_with(UNDESCRIBED) { UNKNOWN } else { &info.role }
}

/// The role of what nobody has described.
const UNKNOWN: &str = "unknown";

/// The part that an event plays where time is lost.
pub(super) fn part(info: &EventInfo) -> Part {
    if is_software(info) || no_cause(info).is_some() {
        return Part::Neither;
    }
    match info.role.as_str() {
        _ if info.traps.starts_with(UNDESCRIBED) => Part::Unknown,
        "stall" | "instructions" => Part::Symptom,
        "" => Part::Unknown,
        _ => Part::Cause,
    }
}
