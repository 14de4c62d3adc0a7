//! `hitm list events` and `hitm list uarchs`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use hitm_counters::catalogue::{Uarch, UarchEvent, logical, uarchs};
use hitm_counters::{Event, Kind, Vocabulary, refused_codes};
use hitm_experiment::manifest::EventInfo;
use serde_json::{Value as Json, json};

use crate::output::hang;

/// Whether a name is asked for.
pub(super) type Named<'a> = &'a dyn Fn(&str) -> bool;

/// The events that this machine's vocabulary has, each with whether it can be counted here.
pub(super) fn here_json(named: Named<'_>) -> Json {
    here(named).iter().map(|event| json!(event)).collect()
}

fn here(named: Named<'_>) -> Vec<EventInfo> {
    let mut events = Vocabulary::here().all();
    events.retain(|event| named(event.name()));
    hitm_runner::event_infos(&events)
}

pub(super) fn here_text(named: Named<'_>, text: &mut String) {
    text.push_str("\nevents (measure.events in an experiment)\n");
    let _ =
        writeln!(text, "  {:<24} the set of events that show contention best on the processor at hand", "contention");
    let mut absent: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let events = here(named);
    // Where nothing of the core counts, it is said once, below.
    let of_core = |event: &EventInfo| event.kind == Kind::Hardware.name();
    let some = events.iter().any(|event| of_core(event) && event.unavailable.is_none());
    for event in events {
        let mark = if event.unavailable.is_some() && (some || !of_core(&event)) { " (absent here)" } else { "" };
        hang(text, &lead(&event.name), &format!("{}{mark}", event.meaning));
        mind(text, &lead(""), &[&event.traps]);
        if let Some(why) = event.unavailable {
            absent.entry(format!("{}; {}", why.reason, why.cure)).or_default().push(event.name);
        }
    }
    for (why, events) in absent {
        hang(text, "  ", &format!("absent here: {}: {why}", events.join(", ")));
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

pub(super) fn uarchs_json(named: Named<'_>) -> Json {
    uarchs()
        .iter()
        .filter(|uarch| is_named(uarch, named))
        .map(|uarch| json!({"name": uarch.name, "title": uarch.title, "also": uarch.also, "this_machine": of_this_machine(uarch)}))
        .collect()
}

fn is_named(uarch: &Uarch, named: Named<'_>) -> bool {
    uarch.also.iter().chain([&uarch.name]).any(|name| named(name))
}

pub(super) fn uarchs_text(named: Named<'_>, text: &mut String) {
    text.push_str("\nmicroarchitectures (hitm list events --uarch NAME)\n");
    for uarch in uarchs().iter().filter(|uarch| is_named(uarch, named)) {
        let mark = if of_this_machine(uarch) { " (this machine)" } else { "" };
        hang(text, &lead(&uarch.name), &format!("{}{mark}; also {}", uarch.title, uarch.also.join(", ")));
    }
    for unknown in Vocabulary::here().cores().iter().filter_map(|core| core.uarch.as_ref().err()) {
        let _ = writeln!(text, "  this machine: {unknown}");
    }
}

/// How the events of a microarchitecture are coded.
pub(super) fn uarch_json(uarch: &'static Uarch, named: Named<'_>) -> Json {
    let refused = refused_codes(&Vocabulary::of(uarch));
    let event = |event: &UarchEvent| {
        let mut row = json!(event);
        row["refused"] = json!(refused.get(&event.name).map(|(_, why)| why));
        row["logical_traps"] = json!(logical_traps(event));
        row["role"] = json!(event.role().map(hitm_counters::Role::name));
        row
    };
    json!({
        "name": uarch.name,
        "title": uarch.title,
        "contention": uarch.contention,
        "events": uarch.events.iter().filter(|event| is_event(event, named)).map(event).collect::<Vec<_>>(),
        "kernel": kernels(uarch).iter().map(Event::name).collect::<Vec<_>>(),
        "absent": uarch.absent,
    })
}

fn is_event(event: &UarchEvent, named: Named<'_>) -> bool {
    named(&event.name) || named(&event.logical)
}

pub(super) fn uarch_text(uarch: &'static Uarch, named: Named<'_>, text: &mut String) {
    let refused = refused_codes(&Vocabulary::of(uarch));
    let _ = writeln!(text, "events of {} ({})", uarch.title, uarch.name);
    hang(text, "contention: ", &uarch.contention.join(", "));
    text.push('\n');
    let (by_meaning, native): (Vec<&UarchEvent>, Vec<&UarchEvent>) =
        uarch.events.iter().filter(|event| is_event(event, named)).partition(|event| !event.logical.is_empty());
    for event in by_meaning.into_iter().chain(native) {
        let name = if event.logical.is_empty() { String::new() } else { format!("{}: ", event.logical) };
        hang(text, "  ", &format!("{name}{}", code(event)));
        hang(text, BELOW, &event.meaning);
        match refused.get(&event.name) {
            Some((_, why)) => hang(text, BELOW, &format!("Linux refuses it: {why}")),
            None => mind(text, BELOW, &[logical_traps(event), &event.traps]),
        }
    }
    text.push_str("\nby the kernel's own codes\n");
    for event in kernels(uarch).iter().filter(|event| named(event.name())) {
        hang(text, "  ", &format!("{}: {}", event.name(), event.meaning()));
        mind(text, BELOW, &[event.traps()]);
    }
    text.push_str("\nabsent\n");
    for (name, absent) in uarch.absent.iter().filter(|(name, _)| named(name)) {
        let instead =
            if absent.instead.is_empty() { String::new() } else { format!("; the nearest is {}", absent.instead) };
        hang(text, &lead(name), &format!("{}{instead}", absent.why));
    }
}

/// The events that the kernel has a name and a code for, and the catalogue no better one.
fn kernels(uarch: &'static Uarch) -> Vec<Event> {
    let own = |event: &Event| uarch.logical(event.name()).is_none() && event.kind() == Kind::Hardware;
    let is_kernels = |event: &Event| event.codes().is_ok_and(|codes| codes.iter().all(|code| code.native.is_empty()));
    Vocabulary::of(uarch).all().into_iter().filter(|event| own(event) && is_kernels(event)).collect()
}

/// What is to be minded of the event by its meaning, whatever the processor.
fn logical_traps(event: &UarchEvent) -> &'static str {
    logical().iter().find(|row| row.name == event.logical).map_or("", |row| row.traps.as_str())
}

/// Before what is said of an event below its name.
const BELOW: &str = "      ";

fn lead(name: &str) -> String {
    format!("  {name:<24} ")
}

fn mind(text: &mut String, lead: &str, traps: &[&str]) {
    let told: Vec<&str> = traps.iter().copied().filter(|trap| !trap.is_empty()).collect();
    if !told.is_empty() {
        hang(text, lead, &format!("mind: {}", told.join("; ")));
    }
}

/// `PM_STCX_FAIL 0x1e058, from libpfm4 power8_events.h`.
fn code(event: &UarchEvent) -> String {
    let config1 = if event.config1 == 0 { String::new() } else { format!(", config1 {:#x}", event.config1) };
    format!("{} {:#x}{config1}, from {}", event.name, event.config, event.source)
}
