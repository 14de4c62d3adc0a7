//! How a plan's events would be counted, for `hitm check`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use hitm_counters::catalogue::{self, Uarch};
use hitm_counters::{CountingPlan, Event, Pass, Unavailable, Vocabulary, refused_codes};
use hitm_experiment::{Place, Problem};
use serde_json::{Value as Json, json};

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

fn codes(event: &Event) -> String {
    let code = |code: &hitm_counters::Code| {
        let native = if code.native.is_empty() { String::new() } else { format!("{} ", code.native) };
        format!("{native}{code}")
    };
    event.codes().unwrap_or_default().iter().map(code).collect::<Vec<_>>().join(" or ")
}

/// The passes with their codes, what cannot be counted and why, and with `vocabulary` every code of the processor that Linux refuses.
pub(crate) fn text(plan: &CountingPlan, vocabulary: Option<&Vocabulary>) -> String {
    let mut text = String::new();
    let event_line = |text: &mut String, event: &Event| {
        let _ = writeln!(text, "  {:<24} {}", event.name(), codes(event));
    };
    let passes = plan.passes.len();
    let in_all = |event: &&Event| passes > 1 && plan.passes.iter().all(|pass| pass.events.contains(event));
    let common: Vec<&Event> = plan.passes.first().into_iter().flat_map(|pass| &pass.events).filter(in_all).collect();
    if !common.is_empty() {
        let _ = writeln!(text, "in each of {passes} passes:");
        common.iter().for_each(|event| event_line(&mut text, event));
    }
    for (index, pass) in plan.passes.iter().enumerate() {
        let turns = if pass.multiplex { ", whose hardware events take turns" } else { "" };
        let _ = writeln!(text, "pass {} of {passes}{turns}:", index + 1);
        for code in &pass.companions {
            let _ = writeln!(text, "  {:<24} {code}, because the PMU's rules want it", "(beside)");
        }
        pass.events.iter().filter(|event| !common.contains(event)).for_each(|event| event_line(&mut text, event));
    }
    let mut absent: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (event, why) in &plan.refused {
        absent.entry(reason(why)).or_default().push(event.name());
    }
    for (why, events) in absent {
        let _ = writeln!(text, "not counted: {}: {why}", events.join(", "));
    }
    let refused = vocabulary.map(refused_codes).unwrap_or_default();
    if !refused.is_empty() {
        text.push_str("codes of this processor that Linux refuses:\n");
    }
    for (name, (code, why)) in refused {
        let _ = writeln!(text, "  {name:<24} {code}: {why}");
    }
    text
}

fn reason(why: &Unavailable) -> String {
    format!("{}; {}", why.reason(), why.cure())
}

/// The same as JSON.
pub(crate) fn as_json(plan: &CountingPlan, vocabulary: Option<&Vocabulary>) -> Json {
    let event = |event: &Event| {
        let codes: Vec<String> = event.codes().unwrap_or_default().iter().map(ToString::to_string).collect();
        json!({"name": event.name(), "codes": codes})
    };
    let pass = |pass: &Pass| {
        json!({
            "events": pass.events.iter().map(event).collect::<Vec<_>>(),
            "companions": pass.companions.iter().map(ToString::to_string).collect::<Vec<_>>(),
        })
    };
    let not_counted =
        |(event, why): &(Event, Unavailable)| json!({"name": event.name(), "reason": why.reason(), "cure": why.cure()});
    let refused = vocabulary.map(refused_codes).unwrap_or_default();
    json!({
        "passes": plan.passes.iter().map(pass).collect::<Vec<_>>(),
        "not_counted": plan.refused.iter().map(not_counted).collect::<Vec<_>>(),
        "refused": refused.iter().map(|(name, (code, why))| json!({"name": name, "code": code.to_string(), "reason": why})).collect::<Vec<_>>(),
    })
}
