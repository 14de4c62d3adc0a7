//! What is said once below the tables: flags with their meaning, levels, and what was absent with its cure.

use std::collections::BTreeMap;

use hitm_analysis::{Summary, UNVERIFIED_ZERO, flag};
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

/// Flags that change what a cell's number means: they stay in its row unless every cell has them.
const WEIGHTY: [flag::Definition; 9] = [
    flag::WRONG,
    flag::LOST_UPDATES,
    flag::LITTLE_OVERLAP,
    flag::OVERSUBSCRIBED,
    flag::FEW_REPETITIONS,
    flag::BLOCKED,
    flag::OPTIMISED_AWAY,
    flag::ZERO_BASELINE,
    flag::NOTHING_ENDED,
];

/// Whether a flag changes what a cell's number means.
pub(crate) fn weighty(name: &str) -> bool {
    name.starts_with("no-") || WEIGHTY.iter().any(|definition| definition.name == name)
}

/// The flags that tell no cell from another, said once instead of in every row.
pub(crate) struct Common<'a> {
    /// Of more than half of the cells; weighty ones only where all have them.
    pub(crate) names: Vec<&'a str>,
    /// Whether every cell has all of them.
    everywhere: bool,
    /// How many cells there are.
    cells: usize,
}

impl<'a> Common<'a> {
    pub(crate) fn of(summary: &'a Summary) -> Self {
        let mut names: Vec<(&str, usize)> = Vec::new();
        for cell in &summary.cells {
            let mut seen: Vec<&str> = Vec::new();
            for name in cell.flags.iter().map(|flag| flag.name.as_str()) {
                if seen.contains(&name) {
                    continue;
                }
                seen.push(name);
                match names.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, number)) => *number += 1,
                    None => names.push((name, 1)),
                }
            }
        }
        let all = summary.cells.len();
        names.retain(|(name, number)| if weighty(name) { *number == all } else { *number * 2 > all });
        let everywhere = names.iter().all(|(_, number)| *number == all);
        Common { names: names.into_iter().map(|(name, _)| name).collect(), everywhere, cells: all }
    }

    /// In one line; empty where there are none.
    pub(crate) fn text(&self) -> String {
        let whose = match (self.cells, self.everywhere) {
            (1, _) => "of this cell",
            (_, true) => "in all cells",
            (_, false) => "in most cells",
        };
        if self.names.is_empty() { String::new() } else { format!("{whose}: {}", self.names.join(", ")) }
    }
}

/// Flags that more workers than PUs bring with them, whatever else: there they are told with that one.
const FOLLOW: [flag::Definition; 5] =
    [flag::BLOCKED, flag::INTERRUPTED, flag::SWITCHED, flag::LATE_START, flag::WHOLE_TRIAL];

/// Every flag once, the run's own first, then those that change what a number means.
pub(crate) fn flags(summary: &Summary) -> Vec<FlagNote> {
    let mut notes: Vec<FlagNote> = Vec::new();
    for flag in &summary.flags {
        let whose = "the run".to_owned();
        let advice = advice(&flag.name);
        notes.push(FlagNote { name: flag.name.clone(), meaning: flag.meaning.clone(), whose, advice });
    }
    let mut cells: BTreeMap<&str, (usize, u64, &str, &str, bool)> = BTreeMap::new();
    let mut order = 0;
    let mut follow: Vec<&str> = Vec::new();
    for cell in &summary.cells {
        let oversubscribed = cell.flags.iter().any(|flag| flag.name == flag::OVERSUBSCRIBED.name);
        for flag in &cell.flags {
            if oversubscribed && FOLLOW.iter().any(|definition| definition.name == flag.name) {
                if !follow.contains(&flag.name.as_str()) {
                    follow.push(&flag.name);
                }
                continue;
            }
            let entry = cells.entry(&flag.name).or_insert_with(|| {
                order += 1;
                (order, 0, cell.id.as_str(), flag.meaning.as_str(), true)
            });
            entry.1 += 1;
            entry.4 &= entry.3 == flag.meaning;
        }
    }
    let mut by_order: Vec<_> = cells.into_iter().collect();
    by_order.sort_by_key(|(name, (order, ..))| (!weighty(name), *order));
    for (name, (_, number, id, meaning, same)) in by_order {
        let example = if same { String::new() } else { format!(", here of {id}") };
        let whose = format!("{}{example}", count(number, "cell"));
        let mut meaning = meaning.to_owned();
        if name == flag::OVERSUBSCRIBED.name && !follow.is_empty() {
            meaning = format!("{}; it brings {} with it", meaning.trim_end_matches('.'), follow.join(", "));
        }
        notes.push(FlagNote { name: name.to_owned(), meaning, whose, advice: advice(name) });
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

    /// Whether there is something to do about it.
    pub(crate) fn has_cure(&self) -> bool {
        !self.advice.is_empty() && !self.advice.starts_with("Nothing")
    }

    /// The same from the whole text to ever fewer words, for places with little room: without the example cell's id
    /// and numbers, without the advice, and last as the flag's definition has it.
    pub(crate) fn ever_shorter(&self) -> Vec<String> {
        let (number, example) = match self.whose.split_once(", here of ") {
            Some((number, _)) => (number, true),
            None => (self.whose.as_str(), false),
        };
        let of_the_table = flag::definition(&self.name).map_or(self.meaning.as_str(), |known| known.meaning);
        let mut meanings = vec![self.meaning.trim_end_matches('.'), of_the_table.trim_end_matches('.')];
        // The numbers of one cell are not those of all.
        meanings.drain(..usize::from(example));
        let mut texts = vec![self.text()];
        for meaning in meanings {
            let plain = format!("{meaning} ({number})");
            texts.push(format!("{plain}. {}", self.advice).trim_end().to_owned());
            texts.push(plain);
        }
        texts
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
    // Reasons that differ in their numbers alone are of one kind: the first stands for all.
    let mut metrics: BTreeMap<(&str, String), (u64, &str, bool)> = BTreeMap::new();
    for cell in &summary.cells {
        for (metric, reason) in &cell.absent {
            // What stands under another name says it once; of zeros that nobody can verify a flag tells.
            let twice = metric.ends_with("(scaled estimate)") || metric.ends_with("_per_ms");
            if twice || reason == UNVERIFIED_ZERO {
                continue;
            }
            let event = metric.strip_suffix("_per_op").unwrap_or(metric);
            if !told.contains(&event) && !told.contains(&metric.as_str()) {
                let entry = metrics.entry((metric, kind_of(reason))).or_insert((0, reason, true));
                entry.0 += 1;
                entry.2 &= entry.1 == reason;
            }
        }
    }
    let all = summary.cells.len() as u64;
    for ((metric, _), (number, reason, same)) in metrics {
        let of = if number == all { String::new() } else { format!(" ({number} of {})", count(all, "cell")) };
        let reason = if same { reason.to_owned() } else { format!("for example, {reason}") };
        add(&reason, "", format!("{metric}{of}"));
    }
    groups.into_iter().map(|(reason, cure, names)| Absence { what: names.join(", "), reason, cure }).collect()
}

/// A reason with a mark in place of each number.
fn kind_of(reason: &str) -> String {
    let mut kind = String::with_capacity(reason.len());
    let mut number = false;
    for c in reason.chars() {
        // What stands between the digits of one number is part of it.
        let part = c.is_ascii_digit() || (number && matches!(c, '.' | ','));
        match (part, number) {
            (true, false) => kind.push('#'),
            (true, true) => {}
            (false, _) => kind.push(c),
        }
        number = part;
    }
    kind
}

/// The measured granule of sharing in one sentence; empty where the run does not show it.
pub(crate) fn granule(summary: &Summary) -> String {
    let Some(granule) = &summary.granule else { return String::new() };
    let size = if granule.above * 2 == granule.bytes {
        format!("{} bytes", granule.bytes)
    } else {
        format!("more than {} and at most {} bytes", granule.above, granule.bytes)
    };
    let agrees = if granule.agrees { "which agrees with" } else { "NOT" };
    let adjacent = granule.adjacent.as_ref().map_or(String::new(), |left| {
        format!("; at {} bytes an operation still costs {} more (adjacent line)", granule.bytes, sentence(left))
    });
    format!("{size}, {agrees} the {} told by {}{adjacent}", granule.told, granule.told_by)
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
