//! What is said once below the tables: flags with their meaning, levels, and what was absent with its cure.

use std::collections::BTreeMap;

use hitm_analysis::{Summary, flag};
use hitm_experiment::Manifest;

use crate::number::{percent, sentence};
use crate::text::count;

/// A flag that some cell or the run carries.
pub(crate) struct FlagNote {
    pub(crate) name: String,
    /// What it means, from where it was first met.
    pub(crate) meaning: String,
    /// Where else: `the run`, or how many cells.
    pub(crate) whose: String,
    /// What to do about it; empty where nothing is known.
    pub(crate) advice: &'static str,
}

/// Every flag once, the run's own first.
pub(crate) fn flags(summary: &Summary) -> Vec<FlagNote> {
    let mut notes: Vec<FlagNote> = Vec::new();
    for flag in &summary.flags {
        let whose = "the run".to_owned();
        let advice = advice(&flag.name);
        notes.push(FlagNote { name: flag.name.clone(), meaning: flag.meaning.clone(), whose, advice });
    }
    let mut cells: BTreeMap<&str, (usize, u64, &str, &str, bool)> = BTreeMap::new();
    let mut order = 0;
    for cell in &summary.cells {
        for flag in &cell.flags {
            let entry = cells.entry(&flag.name).or_insert_with(|| {
                order += 1;
                (order, 0, cell.id.as_str(), flag.meaning.as_str(), true)
            });
            entry.1 += 1;
            entry.4 &= entry.3 == flag.meaning;
        }
    }
    let mut by_order: Vec<_> = cells.into_iter().collect();
    by_order.sort_by_key(|(_, (order, ..))| *order);
    for (name, (_, number, id, meaning, same)) in by_order {
        let example = if same { String::new() } else { format!(", here of {id}") };
        let whose = format!("{}{example}", count(number, "cell"));
        notes.push(FlagNote { name: name.to_owned(), meaning: meaning.to_owned(), whose, advice: advice(name) });
    }
    notes
}

fn advice(name: &str) -> &'static str {
    flag::TABLE.iter().find(|definition| definition.name == name).map_or("", |definition| definition.advice)
}

impl FlagNote {
    /// Meaning, whose it is and what to do, for plain text.
    pub(crate) fn text(&self) -> String {
        format!("{} ({}). {}", self.meaning.trim_end_matches('.'), self.whose, self.advice).trim_end().to_owned()
    }
}

/// Something that could not be had.
pub(crate) struct Absence {
    /// The events or metrics, with how many cells where not all.
    pub(crate) what: String,
    pub(crate) reason: String,
    /// Empty where there is none.
    pub(crate) cure: String,
}

/// What was absent, each reason once with its cure.
pub(crate) fn absences(summary: &Summary, manifest: &Manifest) -> Vec<Absence> {
    let mut groups: Vec<(String, String, Vec<String>)> = Vec::new();
    let mut add = |reason: &str, cure: &str, what: String| {
        let group = groups.iter_mut().find(|(r, c, _)| r == reason && (c == cure || cure.is_empty()));
        match group {
            Some((_, _, names)) => names.push(what),
            None => groups.push((reason.to_owned(), cure.to_owned(), vec![what])),
        }
    };
    let mut told = Vec::new();
    for event in &manifest.events {
        if let Some(unavailable) = &event.unavailable {
            told.push(event.name.as_str());
            add(&unavailable.reason, &unavailable.cure, event.name.clone());
        }
    }
    let mut metrics: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for cell in &summary.cells {
        for (metric, reason) in &cell.absent {
            // An event that needed no scaling lacks nothing.
            if metric.ends_with("(scaled estimate)") {
                continue;
            }
            let event = metric.strip_suffix("_per_op").unwrap_or(metric);
            if !told.contains(&event) && !told.contains(&metric.as_str()) {
                *metrics.entry((metric, reason)).or_default() += 1;
            }
        }
    }
    let all = summary.cells.len() as u64;
    for ((metric, reason), number) in metrics {
        let of = if number == all { String::new() } else { format!(" ({number} of {})", count(all, "cell")) };
        add(reason, "", format!("{metric}{of}"));
    }
    groups.into_iter().map(|(reason, cure, names)| Absence { what: names.join(", "), reason, cure }).collect()
}

/// The levels in one line; empty where there was no ping-pong.
pub(crate) fn levels(summary: &Summary) -> String {
    let level = |level: &hitm_analysis::Level| {
        format!("{} {}, {} of trials", level.name, sentence(&level.round_trip), percent(level.share))
    };
    let text: Vec<String> = summary.levels.iter().map(level).collect();
    match (&summary.level, text.is_empty()) {
        (_, true) => String::new(),
        (Some(name), false) if text.len() > 1 => {
            format!("{}; absolute numbers are at {name}", text.join("; "))
        }
        _ => text.join("; "),
    }
}
