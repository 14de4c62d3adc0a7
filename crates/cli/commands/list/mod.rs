//! `hitm list`: what can be asked for.

mod events;

use std::fmt::Write as _;

use hitm_experiment::definition::Definition;
use hitm_experiment::{Place, Problem, Value};
use hitm_kernels::{DefaultValue, Entry, ParameterKind, Registry};
use hitm_topology::{PRESETS, Preset};
use serde_json::{Map, Value as Json, json};

use crate::args::{ListArgs, ListWhat};
use crate::commands::Ended;
use crate::counting;
use crate::output::{print, print_json};
use crate::problems::CliError;
use crate::shipped::EXPERIMENTS;

pub(crate) fn list(registry: &Registry, args: &ListArgs) -> Result<Ended, CliError> {
    // A microarchitecture is named for its events.
    let only = args.what.or(args.uarch.as_ref().map(|_| ListWhat::Events));
    let wanted = |what| only.is_none_or(|only| only == what);
    if args.uarch.is_some() && args.what.is_some_and(|what| what != ListWhat::Events) {
        let place = Place { source: "--uarch".to_owned(), ..Place::default() };
        return Err(CliError::input(Problem::new(place, "is for events alone", "leave it out, or `hitm list events`")));
    }
    let uarch = args.uarch.as_deref().map(counting::uarch).transpose()?;
    let parts: Vec<String> = args.parts.iter().map(|part| part.to_lowercase()).collect();
    let named = |name: &str| parts.is_empty() || parts.iter().any(|part| name.to_lowercase().contains(part));
    if args.json.json {
        let mut all = Map::new();
        if wanted(ListWhat::Kernels) {
            all.insert(
                "kernels".into(),
                registry.entries().iter().filter(|entry| named(entry.name)).map(kernel_json).collect(),
            );
        }
        if wanted(ListWhat::Experiments) {
            let experiments = EXPERIMENTS
                .iter()
                .filter(|(name, _)| named(name))
                .map(|(name, text)| json!({"name": name, "question": question(text)}));
            all.insert("experiments".into(), experiments.collect());
        }
        if wanted(ListWhat::Events) {
            match uarch {
                Some(uarch) => all.insert("uarch".into(), events::uarch_json(uarch, &named)),
                None => all.insert("events".into(), events::here_json(&named)),
            };
        }
        if wanted(ListWhat::Uarchs) {
            all.insert("uarchs".into(), events::uarchs_json(&named));
        }
        if wanted(ListWhat::Presets) {
            let preset = |preset: &Preset| json!({"name": preset.name, "summary": preset.summary});
            all.insert("presets".into(), PRESETS.iter().filter(|preset| named(preset.name)).map(preset).collect());
        }
        print_json(&all)?;
        return Ok(Ended::Done);
    }
    let mut text = String::new();
    if wanted(ListWhat::Experiments) {
        text.push_str("experiments (hitm run NAME)\n");
        for (name, definition) in EXPERIMENTS.iter().filter(|(name, _)| named(name)) {
            let _ = writeln!(text, "  {name:<24} {}", question(definition));
        }
    }
    if wanted(ListWhat::Kernels) {
        text.push_str("\nkernels (kernel.name in an experiment)\n");
        for entry in registry.entries().iter().filter(|entry| named(entry.name)) {
            kernel_text(entry, &mut text);
        }
    }
    if wanted(ListWhat::Presets) {
        text.push_str("\npresets (hitm machine --input preset:NAME)\n");
        for preset in PRESETS.iter().filter(|preset| named(preset.name)) {
            let _ = writeln!(text, "  {:<24} {}", preset.name, preset.summary);
        }
    }
    if wanted(ListWhat::Events) {
        match uarch {
            Some(uarch) => events::uarch_text(uarch, &named, &mut text),
            None => events::here_text(&named, &mut text),
        }
    }
    if wanted(ListWhat::Uarchs) {
        events::uarchs_text(&named, &mut text);
    }
    print(text.trim_start())?;
    Ok(Ended::Done)
}

/// The question of a shipped experiment; the tests hold that each has one.
fn question(text: &str) -> String {
    let definition = Definition::read("", text, &[]).and_then(|definition| definition.check());
    definition.map(|experiment| experiment.question).unwrap_or_default()
}

fn takes(kind: &ParameterKind) -> String {
    match kind {
        ParameterKind::Choice(words) => words.join(" | "),
        ParameterKind::Integer { range, step } => {
            let multiple = if *step == 1 { String::new() } else { format!(", multiples of {step}") };
            format!("{} to {}{multiple}", range.start(), range.end())
        }
        ParameterKind::Text { what } => (*what).to_owned(),
    }
}

/// What a parameter is when not given.
fn default(default: DefaultValue) -> String {
    match default {
        DefaultValue::ToBeGiven => "it must be given".to_owned(),
        known => format!("default {}", Value::from(known)),
    }
}

fn kernel_text(entry: &Entry, text: &mut String) {
    let _ = writeln!(text, "  {:<24} {} (operation: {})", entry.name, entry.summary, entry.operation);
    for parameter in entry.parameters {
        let (takes, default) = (takes(&parameter.kind), default(parameter.default));
        let _ = writeln!(text, "    {:<12} {}", parameter.name, parameter.help);
        let _ = writeln!(text, "    {:<12} takes {takes}; {default}", "");
    }
    for tally in entry.tallies {
        let _ = writeln!(text, "    tells {:<18} {}", tally.name, tally.meaning);
    }
}

fn kernel_json(entry: &Entry) -> Json {
    let parameters: Vec<Json> = entry
        .parameters
        .iter()
        .map(|parameter| {
            let takes = takes(&parameter.kind);
            let default = (parameter.default != DefaultValue::ToBeGiven).then(|| Value::from(parameter.default));
            json!({"name": parameter.name, "takes": takes, "default": default, "help": parameter.help})
        })
        .collect();
    let tallies: Vec<Json> = entry
        .tallies
        .iter()
        .map(|tally| json!({"name": tally.name, "meaning": tally.meaning, "form": tally.form}))
        .collect();
    json!({
        "name": entry.name,
        "summary": entry.summary,
        "operation": entry.operation,
        "workers": {"least": entry.workers.start(), "most": entry.workers.end()},
        "parameters": parameters,
        "observations": entry.observations,
        "tallies": tallies,
    })
}
