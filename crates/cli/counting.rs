//! How a plan's events would be counted, for `hitm check`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use hitm_counters::catalogue::{self, Uarch};
use hitm_counters::{Code, CountingPlan, Event, Pass, Unavailable, Vocabulary, refused_codes};
use hitm_experiment::{Place, Problem};
use hitm_machine::Input;
use hitm_topology::PRESETS;
use serde_json::{Value as Json, json};

use crate::output::hang;
use crate::problems::CliError;

/// The microarchitecture that `--uarch` names.
///
/// # Errors
/// That there is none of that name.
pub(crate) fn uarch(name: &str) -> Result<&'static Uarch, CliError> {
    catalogue::uarch(name).map_err(|unknown| {
        let place = Place { source: format!("--uarch {name}"), ..Place::default() };
        CliError::input(Problem::new(place, unknown.to_string(), unknown.cure()))
    })
}

/// The events of the machine that an experiment is planned for: of the microarchitecture that is named, else of what the machine's input
/// tells.
///
/// # Errors
/// That there is no microarchitecture of that name.
pub(crate) fn vocabulary(input: &str, named: Option<&str>) -> Result<Cow<'static, Vocabulary>, CliError> {
    if let Some(name) = named {
        return Ok(Cow::Owned(Vocabulary::of(uarch(name)?)));
    }
    let not_told =
        || Vocabulary::unknown("the input does not tell the processor; --uarch NAME does (`hitm list uarchs`)");
    let of_preset = |name: &str| {
        let preset = PRESETS.iter().find(|preset| preset.name == name)?;
        preset.uarch.and_then(|name| catalogue::uarch(name).ok()).map(Vocabulary::of)
    };
    Ok(match input.parse() {
        Ok(Input::This) | Err(_) => Cow::Borrowed(Vocabulary::here()),
        Ok(Input::Preset(name)) => Cow::Owned(of_preset(&name).unwrap_or_else(not_told)),
        Ok(Input::Sysfs(folder)) => Cow::Owned(Vocabulary::read(&folder)),
        Ok(_) => Cow::Owned(not_told()),
    })
}

/// The maker's name of a code and a space, where the catalogue has one.
fn native(vocabulary: &Vocabulary, code: &Code) -> String {
    let uarchs = vocabulary.cores().iter().filter_map(|core| core.uarch.as_ref().ok());
    let mut events = uarchs.flat_map(|uarch| &uarch.events);
    events.find(|event| event.config == code.config).map_or(String::new(), |event| format!("{} ", event.name))
}

fn codes(event: &Event, at_hand: bool) -> String {
    let code = |code: &Code| {
        let native = if code.native.is_empty() { String::new() } else { format!("{} ", code.native) };
        format!("{native}{code}")
    };
    let mut codes = event.codes().unwrap_or_default().iter().map(code).collect::<Vec<_>>().join(" or ");
    if !at_hand && event.codes().is_ok_and(|codes| codes.iter().any(Code::is_of_a_cache)) {
        codes.push_str(", if its Linux has a code for it");
    }
    if codes == event.name() { String::new() } else { codes }
}

/// The passes with their codes, what cannot be counted and why, and for a machine that is not at hand every code of its processor that Linux
/// refuses.
pub(crate) fn text(plan: &CountingPlan, vocabulary: &Vocabulary) -> String {
    let (mut text, at_hand) = (String::new(), vocabulary.is_at_hand());
    let refused = refused(vocabulary);
    let planned = plan.passes.iter().flat_map(|pass| pass.events.iter().map(Event::name));
    let width =
        planned.chain(refused.keys().map(String::as_str)).map(str::len).max().unwrap_or(0).max("(beside)".len());
    let row = |text: &mut String, name: &str, what: &str| {
        let _ = writeln!(text, "{}", format!("  {name:<width$} {what}").trim_end());
    };
    let passes = plan.passes.len();
    let in_all = |event: &&Event| passes > 1 && plan.passes.iter().all(|pass| pass.events.contains(event));
    let common: Vec<&Event> = plan.passes.first().into_iter().flat_map(|pass| &pass.events).filter(in_all).collect();
    if !common.is_empty() {
        let _ = writeln!(text, "counted in each of {passes} passes:");
        common.iter().for_each(|event| row(&mut text, event.name(), &codes(event, at_hand)));
    }
    for (index, pass) in plan.passes.iter().enumerate() {
        let turns = if pass.multiplex { ", whose hardware events take turns" } else { "" };
        let _ = writeln!(text, "counted in pass {} of {passes}{turns}:", index + 1);
        for code in &pass.companions {
            row(
                &mut text,
                "(beside)",
                &format!("{}{code}, without which the PMU does not count the others", native(vocabulary, code)),
            );
        }
        let own = pass.events.iter().filter(|event| !common.contains(event));
        own.for_each(|event| row(&mut text, event.name(), &codes(event, at_hand)));
    }
    if plan.watchdog && passes > 0 {
        let said = match vocabulary.is_at_hand() {
            true => {
                "the kernel's lockup detector (nmi_watchdog) holds a counter; sudo sysctl kernel.nmi_watchdog=0 frees it"
            }
            false => {
                "supposed: the kernel's lockup detector (nmi_watchdog) holds a counter, as it does by default; without it fewer passes may do"
            }
        };
        hang(&mut text, "", said);
    }
    let mut absent: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (event, why) in &plan.refused {
        absent.entry(reason(why)).or_default().push(event.name());
    }
    for (why, events) in absent {
        hang(&mut text, "", &format!("not counted: {}: {why}", events.join(", ")));
    }
    let mut by_reason: BTreeMap<String, Vec<(&str, &Code)>> = BTreeMap::new();
    for (name, (code, why)) in &refused {
        // A reason speaks of its code.
        let why = why.replace(&format!("{:#x}", code.config), "it");
        by_reason.entry(why).or_default().push((name, code));
    }
    for (why, codes) in by_reason {
        hang(&mut text, "", &format!("codes of this processor that are always refused: {why}"));
        codes.iter().for_each(|(name, code)| row(&mut text, name, &code.to_string()));
    }
    text
}

/// What Linux refuses on a machine that is not at hand.
fn refused(vocabulary: &Vocabulary) -> BTreeMap<String, (Code, String)> {
    if vocabulary.is_at_hand() { BTreeMap::new() } else { refused_codes(vocabulary) }
}

fn reason(why: &Unavailable) -> String {
    format!("{}; {}", why.reason(), why.cure())
}

/// The same as JSON.
pub(crate) fn as_json(plan: &CountingPlan, vocabulary: &Vocabulary) -> Json {
    let event = |event: &Event| {
        let codes = event.codes().unwrap_or_default();
        json!({
            "name": event.name(),
            "codes": codes.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "native": codes.iter().map(|code| &code.native).filter(|native| !native.is_empty()).collect::<Vec<_>>(),
        })
    };
    let pass = |pass: &Pass| {
        json!({
            "events": pass.events.iter().map(event).collect::<Vec<_>>(),
            "companions": pass.companions.iter().map(ToString::to_string).collect::<Vec<_>>(),
        })
    };
    let not_counted =
        |(event, why): &(Event, Unavailable)| json!({"name": event.name(), "reason": why.reason(), "cure": why.cure()});
    let refused = refused(vocabulary);
    json!({
        "watchdog": plan.watchdog,
        "passes": plan.passes.iter().map(pass).collect::<Vec<_>>(),
        "not_counted": plan.refused.iter().map(not_counted).collect::<Vec<_>>(),
        "refused": refused.iter().map(|(name, (code, why))| json!({"name": name, "code": code.to_string(), "reason": why})).collect::<Vec<_>>(),
    })
}
