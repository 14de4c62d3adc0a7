//! What of this machine helps or hinders counting and timing, and what cures it.

use std::fs;

use serde::{Deserialize, Serialize};

use crate::calibration::Calibration;
use crate::clock::Clock;
use crate::event::{Event, Kind, STANDARD};
use crate::names::Vocabulary;
use crate::opening::probe;
use crate::perf::{Linux, Perf, Scope, Source};
use crate::unavailable::Unavailable;

/// Something about the machine that matters to a measurement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What was looked at, such as `pmu`.
    pub name: String,
    /// How it bears on measuring.
    pub level: Level,
    /// What was found.
    pub found: String,
    /// What it does to a measurement.
    pub effect: String,
    /// The command or setting that cures it; empty where there is nothing to cure.
    pub cure: String,
}

/// How a finding bears on measuring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// As it should be.
    Good,
    /// Worth knowing.
    Note,
    /// It makes numbers worse.
    Warning,
    /// Something cannot be measured at all.
    Missing,
}

type Probed = [(Event, Result<Source, Unavailable>)];

/// Looks at the PMU, the permission to count, the events of the catalogue and the clock. Opens and closes each event once on the calling
/// thread.
#[must_use]
pub fn findings() -> Vec<Finding> {
    let here = Vocabulary::here();
    let probed = probe(&here.first());
    let (standard, contention): (Vec<_>, Vec<_>) =
        probed.into_iter().partition(|(event, _)| STANDARD.iter().any(|row| row.name == event.name()));
    let probed = standard;
    let watchdog = fs::read_to_string("/proc/sys/kernel/nmi_watchdog").unwrap_or_default();
    let mut findings = vec![pmu(&probed), software(&probed), paranoid(Linux.paranoid(), &probed)];
    findings.extend(self::contention(&contention, here, &probed));
    findings.extend(nmi_watchdog(watchdog.trim(), takes_a_counter(here), &probed));
    let clock = Clock::detect();
    findings.push(clock_finding(&clock));
    findings.push(core_clock(&clock));
    findings
}

fn finding(name: &str, level: Level, found: String, effect: &str, cure: String) -> Finding {
    Finding { name: name.to_owned(), level, found, effect: effect.to_owned(), cure }
}

/// Names of the events of a kind that count, and those that do not, with why.
fn split(probed: &Probed, kind: Kind) -> (Vec<&str>, Vec<(&str, &Unavailable)>) {
    let (mut counted, mut absent) = (Vec::new(), Vec::new());
    for (event, outcome) in probed.iter().filter(|(event, _)| event.kind() == kind) {
        match outcome {
            Ok(_) => counted.push(event.name()),
            Err(why) => absent.push((event.name(), why)),
        }
    }
    (counted, absent)
}

/// `a, b: why; c: why`, with events of one reason together.
fn reasons(absent: &[(&str, &Unavailable)]) -> String {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for (name, why) in absent {
        let why = why.reason();
        match groups.iter_mut().find(|(other, _)| *other == why) {
            Some((_, names)) => names.push(name),
            None => groups.push((why, vec![name])),
        }
    }
    let said: Vec<_> = groups.iter().map(|(why, names)| format!("{}: {why}", names.join(", "))).collect();
    said.join("; ")
}

/// The cures of all reasons, each once.
fn cures(absent: &[(&str, &Unavailable)]) -> String {
    let mut cures: Vec<String> = Vec::new();
    for (_, why) in absent {
        let cure = why.cure();
        if !cures.contains(&cure) {
            cures.push(cure);
        }
    }
    cures.join("; ")
}

fn pmu(probed: &Probed) -> Finding {
    let (counted, absent) = split(probed, Kind::Hardware);
    let cure = cures(&absent);
    if counted.is_empty() {
        let effect = "no hardware event is counted: cycles are estimated from the calibration loop, and no counter can explain a loss";
        return finding("pmu", Level::Missing, format!("no hardware event opens ({})", reasons(&absent)), effect, cure);
    }
    let opens = format!("{} open", counted.join(", "));
    if absent.is_empty() {
        return finding("pmu", Level::Good, opens, "hardware events are counted in user mode", cure);
    }
    let found = format!("{opens}; not {}", reasons(&absent));
    finding("pmu", Level::Note, found, "the events that do not open are absent from every record", cure)
}

/// The events that show contention; only where there is a PMU that could count them.
fn contention(contention: &Probed, here: &Vocabulary, probed: &Probed) -> Option<Finding> {
    if split(probed, Kind::Hardware).0.is_empty() {
        return None;
    }
    let name = "contention events";
    let cores: Vec<String> = here
        .cores()
        .iter()
        .map(|core| core.uarch.as_ref().map_or_else(Clone::clone, |uarch| uarch.title.clone()))
        .collect();
    let cores = cores.join("; ");
    let (counted, absent) = split(contention, Kind::Hardware);
    let effect = "which event explains a loss is looked for among these (measure.events = [\"contention\"])";
    if absent.is_empty() {
        return Some(finding(
            name,
            Level::Good,
            format!("{cores}: {} open", counted.join(", ")),
            effect,
            String::new(),
        ));
    }
    let opens = if counted.is_empty() { "none opens".to_owned() } else { format!("{} open", counted.join(", ")) };
    Some(finding(name, Level::Note, format!("{cores}: {opens}; not {}", reasons(&absent)), effect, cures(&absent)))
}

fn software(probed: &Probed) -> Finding {
    let (counted, absent) = split(probed, Kind::Software);
    let instead: Vec<&str> = probed
        .iter()
        .filter(|(_, outcome)| matches!(outcome, Ok(Source::Instead { .. })))
        .map(|(event, _)| event.name())
        .collect();
    let name = "software events";
    let from = format!("{} from getrusage or the thread's CPU clock", instead.join(", "));
    if !absent.is_empty() {
        let level = if counted.is_empty() { Level::Missing } else { Level::Warning };
        let effect = "what the operating system did to a worker is only partly known";
        let rest = if instead.is_empty() { String::new() } else { format!("; {from}") };
        return finding(name, level, reasons(&absent) + &rest, effect, cures(&absent));
    }
    if !instead.is_empty() {
        let found = from;
        return finding(
            name,
            Level::Note,
            found,
            "the same counts from another call, named so in the run",
            String::new(),
        );
    }
    let found = format!("{} open", counted.join(", "));
    finding(name, Level::Good, found, "scheduling and faults are counted for each worker", String::new())
}

fn paranoid(level: Option<i32>, probed: &Probed) -> Finding {
    let name = "perf_event_paranoid";
    let kernel_counts = probed.iter().any(|(_, outcome)| *outcome == Ok(Source::Perf(Scope::UserAndKernel)));
    let any_counts = probed.iter().any(|(_, outcome)| matches!(outcome, Ok(Source::Perf(_))));
    let Some(level) = level else {
        let effect = "whether counting is permitted shows only when events open";
        let found = "cannot be read: no /proc, or a kernel without perf_event".to_owned();
        let (rank, cure) =
            if any_counts { (Level::Note, String::new()) } else { (Level::Missing, Unavailable::NoSystemCall.cure()) };
        return finding(name, rank, found, effect, cure);
    };
    if kernel_counts {
        let privileged = if level > 1 { ", which this process's privileges override" } else { "" };
        let effect = "a thread may be counted in user and kernel mode";
        return finding(name, Level::Good, format!("{level}{privileged}"), effect, String::new());
    }
    let kernel = Unavailable::Permission { errno: libc::EACCES, paranoid: Some(level), kernel: true };
    match (level, any_counts) {
        // Levels above 2 are those of some distributions; other kernels take them for 2.
        (raised, true) if raised >= 2 => {
            let effect = "user mode alone is counted: context switches come from getrusage, migrations are absent";
            finding(name, Level::Note, level.to_string(), effect, kernel.cure())
        }
        (..=2, _) => {
            let effect = "this level permits counting, yet something else refuses it";
            finding(
                name,
                Level::Warning,
                level.to_string(),
                effect,
                refusal(probed).map_or(String::new(), Unavailable::cure),
            )
        }
        _ => {
            let user = Unavailable::Permission { errno: libc::EACCES, paranoid: Some(level), kernel: false };
            finding(name, Level::Warning, level.to_string(), "no event may be counted without privilege", user.cure())
        }
    }
}

/// What perf_event said of the first software event that it refused.
fn refusal(probed: &Probed) -> Option<&Unavailable> {
    probed.iter().filter(|(event, _)| event.kind() == Kind::Software).find_map(|(_, outcome)| match outcome {
        Err(why) | Ok(Source::Instead { because: why, .. }) => Some(why),
        Ok(Source::Perf(_)) => None,
    })
}

/// Whether the lockup detector takes a counter of some of these cores; it may where nothing is known of them.
fn takes_a_counter(here: &Vocabulary) -> bool {
    here.cores().iter().any(|core| core.uarch.as_ref().map_or(true, |uarch| uarch.pmu.rules.watchdog().is_some()))
}

/// Only where there is a PMU whose counters it takes.
fn nmi_watchdog(value: &str, takes_a_counter: bool, probed: &Probed) -> Option<Finding> {
    if value != "1" || !takes_a_counter || split(probed, Kind::Hardware).0.is_empty() {
        return None;
    }
    let effect = "it holds one hardware counter of every core: groups that would just fit do not";
    let cure = "sudo sysctl kernel.nmi_watchdog=0".to_owned();
    Some(finding("nmi_watchdog", Level::Note, "on".to_owned(), effect, cure))
}

fn clock_finding(clock: &Clock) -> Finding {
    let found = format!("{}, {:.6} MHz ({})", clock.name(), clock.hz() / 1e6, clock.source());
    if clock.name() == "os" {
        let effect = "looking at the clock costs tens of nanoseconds or a system call; batches hide it";
        let cure = if cfg!(target_arch = "x86_64") {
            "see dmesg | grep -i tsc for why the kernel distrusts the TSC; a hypervisor must offer an invariant one"
        } else {
            ""
        };
        return finding("clock", Level::Note, found, effect, cure.to_owned());
    }
    finding("clock", Level::Good, found, "time is read without a system call", String::new())
}

fn core_clock(clock: &Clock) -> Finding {
    let calibration = Calibration::for_clock(clock);
    let ticks = calibration.time(clock);
    match calibration.core_hz(clock, ticks) {
        Some(hz) => finding(
            "core clock",
            Level::Good,
            format!("{:.2} GHz now, by the calibration loop ({})", hz / 1e9, Calibration::source()),
            "time can be turned into cycles (estimated) where cycles are not counted",
            String::new(),
        ),
        None => finding(
            "core clock",
            Level::Note,
            format!("not known: {}", Calibration::source()),
            "cycles are not estimated; the calibration loop still shows changes of the clock",
            String::new(),
        ),
    }
}

#[cfg(test)]
mod tests;
