//! `[measure]`: the method's settings and their defaults.

use crate::experiment::Oversubscribe;
use crate::fields::Fields;
use crate::manifest::Measure;
use crate::problem::Problem;
use crate::tree::{Node, Tree};
use crate::units::{LONGEST_NS, show_ns};
use crate::value::Value;

const MICROSECOND: u64 = 1_000;
const MILLISECOND: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;

/// The most values that each worker keeps in an observation trial.
const MOST_SAMPLES: i64 = 1 << 20;

/// The settings of a definition that gives none.
pub(super) fn defaults() -> Measure {
    let events =
        ["task-clock", "context-switches", "cpu-migrations", "page-faults", "cycles", "instructions", "contention"];
    Measure {
        duration_ns: 20 * MILLISECOND,
        warm_up_ns: 2 * MILLISECOND,
        batch_ns: 10 * MICROSECOND,
        precision: 0.02,
        budget_ns: 60 * SECOND,
        min_repetitions: 8,
        max_repetitions: 1000,
        overlap: 0.95,
        retries: 0.25,
        events: events.map(str::to_owned).to_vec(),
        multiplex: false,
        samples: 16_384,
    }
}

pub(super) fn read(node: &Node, problems: &mut Vec<Problem>) -> (Measure, Oversubscribe, bool) {
    let mut fields = Fields::new(node);
    let mut measure = defaults();
    let duration = fields.duration("duration", MILLISECOND, 60 * SECOND);
    let known = duration.is_some();
    if let Some(read) = duration {
        measure.duration_ns = read.value;
    }
    if let Some(read) = fields.duration("warm_up", 0, 60 * SECOND) {
        measure.warm_up_ns = read.value;
    }
    let longest_batch = measure.duration_ns / 4;
    match fields.duration("batch", MICROSECOND, 15 * SECOND) {
        // What was refused of `duration` says nothing of a batch.
        Some(read) if read.value > longest_batch && (known || !fields.has("duration")) => {
            let told = format!(
                "a batch of {} is too long for a trial of {}",
                show_ns(read.value as f64),
                show_ns(measure.duration_ns as f64)
            );
            let cure = format!("write at most {}, a quarter of `duration`", show_ns(longest_batch as f64));
            fields.tell(read.place, told, cure);
        }
        Some(read) => measure.batch_ns = read.value,
        None => {}
    }
    if let Some(read) = fields.share("precision", 0.001, 0.5) {
        measure.precision = read.value;
    }
    budget(&mut fields, &mut measure);
    let least = fields.integer("min_repetitions", 1, 1_000_000);
    let most = fields.integer("max_repetitions", 1, 1_000_000);
    if let Some(read) = &least {
        measure.min_repetitions = read.value as u32;
    }
    if let Some(read) = &most {
        measure.max_repetitions = read.value as u32;
    }
    let both_known =
        least.is_some() == fields.has("min_repetitions") && most.is_some() == fields.has("max_repetitions");
    if both_known && measure.min_repetitions > measure.max_repetitions {
        let place = least.or(most).map(|read| read.place).unwrap_or_default();
        let told = format!(
            "at least {} and at most {} repetitions cannot be",
            measure.min_repetitions, measure.max_repetitions
        );
        fields.tell(place, told, "let `min_repetitions` be at most `max_repetitions`");
    }
    if let Some(read) = fields.share("overlap", 0.0, 1.0) {
        measure.overlap = read.value;
    }
    if let Some(read) = fields.share("retries", 0.0, 1.0) {
        measure.retries = read.value;
    }
    if let Some(events) = events(&mut fields) {
        measure.events = events;
    }
    measure.multiplex = fields.boolean("multiplex").is_some_and(|read| read.value);
    if let Some(read) = fields.integer("samples", 0, MOST_SAMPLES) {
        measure.samples = read.value as u64;
    }
    let require_pinning = fields.boolean("require_pinning").is_some_and(|read| read.value);
    let oversubscribe = fields
        .choice("oversubscribe", &[("allow", Oversubscribe::Allow), ("refuse", Oversubscribe::Refuse)])
        .map_or(Oversubscribe::Allow, |read| read.value);
    problems.extend(fields.finish());
    (measure, oversubscribe, require_pinning)
}

fn budget(fields: &mut Fields<'_>, measure: &mut Measure) {
    let Some(read) = fields.duration("budget", 0, LONGEST_NS) else { return };
    if read.value == 0 {
        let told = "a budget is the wall-clock time that all trials together may take, and this one is zero";
        fields.tell(read.place, told, "write at least the time of a few trials, such as \"60s\"");
        return;
    }
    measure.budget_ns = read.value;
}

fn events(fields: &mut Fields<'_>) -> Option<Vec<String>> {
    let items = fields.items("events")?;
    let mut found: Vec<String> = Vec::new();
    let before = fields.problems.len();
    for item in items {
        let Tree::Scalar(Value::Text(text)) = &item.value else {
            if !matches!(item.value, Tree::Invalid) {
                let cure = "write its name, such as \"cycles\"";
                fields.tell(item.place.clone(), "an event is named by a string", cure);
            }
            continue;
        };
        let names = names(text);
        for (index, name) in names.iter().enumerate() {
            if name.is_empty() {
                let told = match names.len() {
                    1 => "an event has no name".to_owned(),
                    _ => format!("item {} of the list {text:?} has no name", index + 1),
                };
                let cure = "write its name, such as \"cycles\", or [] for no events";
                fields.tell(item.place.clone(), told, cure);
            } else if found.iter().any(|other| other == name) {
                fields.tell(item.place.clone(), format!("the event `{name}` is asked for twice"), "write it once");
            } else {
                found.push((*name).to_owned());
            }
        }
    }
    (fields.problems.len() == before).then_some(found)
}

/// The names in a list: separated by commas, except those between the slashes of `cpu/event=0xd2,umask=0x04/`.
fn names(list: &str) -> Vec<&str> {
    let mut inside = false;
    let separates = |letter: char| {
        inside ^= letter == '/';
        letter == ',' && !inside
    };
    list.split(separates).map(str::trim).collect()
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_list_is_split_at_the_commas_between_names() {
        assert_eq!(
            names("instructions,cache-misses, branch-misses"),
            ["instructions", "cache-misses", "branch-misses"]
        );
        assert_eq!(names("instructions,,cycles"), ["instructions", "", "cycles"]);
        assert_eq!(names(" cpu/event=0xd2,umask=0x04/ ,cs"), ["cpu/event=0xd2,umask=0x04/", "cs"]);
        assert_eq!(names("cpu/event=0xd2,umask=0x04"), ["cpu/event=0xd2,umask=0x04"]);
        assert_eq!(names(""), [""]);
    }
}
