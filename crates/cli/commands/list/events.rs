//! `hitm list events` and `hitm list uarchs`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use hitm_counters::catalogue::{Uarch, UarchEvent, uarchs};
use hitm_counters::{Vocabulary, refused_codes};
use serde_json::{Value as Json, json};

/// The events that this machine's vocabulary has, each with whether it can be counted here.
pub(super) fn here_json() -> Json {
    hitm_runner::event_infos(&Vocabulary::here().all()).iter().map(|event| json!(event)).collect()
}

pub(super) fn here_text(text: &mut String) {
    text.push_str("\nevents (measure.events in an experiment)\n");
    let _ =
        writeln!(text, "  {:<24} the set of events that show contention best on the processor at hand", "contention");
    let mut absent: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for event in hitm_runner::event_infos(&Vocabulary::here().all()) {
        let mark = if event.unavailable.is_some() { " (absent here)" } else { "" };
        let _ = writeln!(text, "  {:<24} {}{mark}", event.name, event.meaning);
        let _ = writeln!(text, "  {:<24} not to be taken for: {}", "", event.traps);
        if let Some(why) = event.unavailable {
            absent.entry(format!("{}; {}", why.reason, why.cure)).or_default().push(event.name);
        }
    }
    for (why, events) in absent {
        let _ = writeln!(text, "  absent here: {}: {why}", events.join(", "));
    }
    text.push_str(
        "  also: perf's names and the kernel's aliases, codes (r04d2, cpu/event=0xd2,umask=0x04/), tracepoints\n  \
         (sched:sched_switch), names of libpfm where it is installed; `--uarch NAME` shows codes\n",
    );
}

/// The kinds of core that this machine has, by the catalogue's names.
fn of_this_machine(uarch: &Uarch) -> bool {
    Vocabulary::here().cores().iter().any(|core| core.uarch.as_ref().is_ok_and(|here| here.name == uarch.name))
}

pub(super) fn uarchs_json() -> Json {
    uarchs()
        .iter()
        .map(|uarch| json!({"name": uarch.name, "title": uarch.title, "this_machine": of_this_machine(uarch)}))
        .collect()
}

pub(super) fn uarchs_text(text: &mut String) {
    text.push_str("\nmicroarchitectures (hitm list events --uarch NAME)\n");
    for uarch in uarchs() {
        let mark = if of_this_machine(uarch) { " (this machine)" } else { "" };
        let _ = writeln!(text, "  {:<24} {}{mark}", uarch.name, uarch.title);
    }
    for unknown in Vocabulary::here().cores().iter().filter_map(|core| core.uarch.as_ref().err()) {
        let _ = writeln!(text, "  this machine: {unknown}");
    }
}

/// How the events of a microarchitecture are coded.
pub(super) fn uarch_json(uarch: &'static Uarch) -> Json {
    let refused = refused_codes(&Vocabulary::of(uarch));
    let event = |event: &UarchEvent| {
        let mut row = json!(event);
        row["refused"] = json!(refused.get(&event.name).map(|(_, why)| why));
        row["role"] = json!(event.role().map(hitm_counters::Role::name));
        row
    };
    json!({
        "name": uarch.name,
        "title": uarch.title,
        "contention": uarch.contention,
        "events": uarch.events.iter().map(event).collect::<Vec<_>>(),
        "absent": uarch.absent,
    })
}

pub(super) fn uarch_text(uarch: &'static Uarch, text: &mut String) {
    let refused = refused_codes(&Vocabulary::of(uarch));
    let _ = writeln!(text, "events of {} ({})", uarch.title, uarch.name);
    let _ = writeln!(text, "contention: {}\n", uarch.contention.join(", "));
    let (logical, native): (Vec<&UarchEvent>, Vec<&UarchEvent>) =
        uarch.events.iter().partition(|event| !event.logical.is_empty());
    for event in logical.into_iter().chain(native) {
        let name = if event.logical.is_empty() { &event.name } else { &event.logical };
        let _ = writeln!(text, "  {name:<24} {}", code(event));
        let _ = writeln!(text, "  {:<24} {}", "", event.meaning);
        if !event.traps.is_empty() {
            let _ = writeln!(text, "  {:<24} not to be taken for: {}", "", event.traps);
        }
        if let Some((_, why)) = refused.get(&event.name) {
            let _ = writeln!(text, "  {:<24} Linux refuses it: {why}", "");
        }
    }
    text.push_str("\nabsent\n");
    for (name, absent) in &uarch.absent {
        let instead = if absent.instead.is_empty() { String::new() } else { format!("; {} stands in", absent.instead) };
        let _ = writeln!(text, "  {name:<24} {}{instead}", absent.why);
    }
}

/// `PM_STCX_FAIL 0x1e058, from libpfm4 power8_events.h`.
fn code(event: &UarchEvent) -> String {
    let config1 = if event.config1 == 0 { String::new() } else { format!(", config1 {:#x}", event.config1) };
    format!("{} {:#x}{config1}, from {}", event.name, event.config, event.source)
}
