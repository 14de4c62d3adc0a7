//! Names as a user types them.

use std::error::Error;
use std::fmt;

use super::Event;
use super::catalogue::EVENTS;

/// A name that no event has, or an item of a list that is empty or there twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownEvent {
    /// The name as written, without blanks around it.
    pub name: String,
    /// Why it is refused, as a clause: `is no event`.
    pub why: String,
    /// Names that come near it, the nearest first; may be empty.
    pub suggestions: Vec<String>,
}

impl UnknownEvent {
    /// What to write instead.
    #[must_use]
    pub fn cure(&self) -> String {
        match self.suggestions.as_slice() {
            [] if self.why == TWICE => "name each event once".to_owned(),
            [] => {
                let names: Vec<_> = EVENTS.iter().map(|row| row.name).collect();
                format!("choose from {}", names.join(", "))
            }
            [one] => format!("did you mean {one}?"),
            several => format!("did you mean one of {}?", several.join(", ")),
        }
    }
}

impl fmt::Display for UnknownEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.name, self.why)
    }
}

impl Error for UnknownEvent {}

const TWICE: &str = "is there twice";

pub(super) fn one(name: &str) -> Result<Event, UnknownEvent> {
    let name = name.trim();
    if let Some(row) = EVENTS.iter().find(|row| row.name == name || row.aliases.contains(&name)) {
        return Ok(Event(row));
    }
    let why = if name.is_empty() { "is an empty name" } else { "is no event" };
    Err(UnknownEvent { name: name.to_owned(), why: why.to_owned(), suggestions: suggestions(name) })
}

pub(super) fn list(list: &str) -> Result<Vec<Event>, Vec<UnknownEvent>> {
    if list.trim().is_empty() {
        return Ok(Vec::new());
    }
    let (mut events, mut errors) = (Vec::new(), Vec::new());
    for (index, item) in list.split(',').enumerate() {
        match one(item) {
            Ok(event) if events.contains(&event) => errors.push(UnknownEvent {
                name: item.trim().to_owned(),
                why: TWICE.to_owned(),
                suggestions: Vec::new(),
            }),
            Ok(event) => events.push(event),
            Err(mut error) => {
                if error.name.is_empty() {
                    error.why = format!("is an empty name: item {} of the list", index + 1);
                }
                errors.push(error);
            }
        }
    }
    if errors.is_empty() { Ok(events) } else { Err(errors) }
}

/// At most three names: those a few keystrokes away, and those that `name` is a part of.
fn suggestions(name: &str) -> Vec<String> {
    let typed = name.to_lowercase().replace(['_', ' '], "-");
    // The distance to a name of any sensible length is found at once; a pasted page is not compared.
    if typed.is_empty() || typed.len() > 64 {
        return Vec::new();
    }
    let allowed = 1 + typed.chars().count() / 4;
    let mut near: Vec<(usize, &str)> = Vec::new();
    for row in EVENTS {
        let candidates = row.aliases.iter().chain([&row.name]);
        let nearest = candidates.map(|candidate| {
            let distance = distance(&typed, candidate);
            if typed.len() >= 3 && candidate.contains(typed.as_str()) { distance.min(allowed) } else { distance }
        });
        let distance = nearest.min().unwrap_or(usize::MAX);
        if distance <= allowed {
            near.push((distance, row.name));
        }
    }
    near.sort_unstable();
    near.into_iter().take(3).map(|(_, name)| name.to_owned()).collect()
}

/// Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let substituted = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = substituted.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = least;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_and_alias_parses_to_its_event() {
        for event in Event::all() {
            assert_eq!(one(event.name()), Ok(event.clone()));
            for alias in event.aliases() {
                assert_eq!(one(&format!(" {alias}\t")), Ok(event.clone()));
            }
        }
    }

    #[test]
    fn near_names_are_suggested() {
        for (typed, meant) in [
            ("cycle", "cycles"),
            ("Cycles", "cycles"),
            ("isntructions", "instructions"),
            ("cache_misses", "cache-misses"),
            ("context-switch", "context-switches"),
            ("contextswitches", "context-switches"),
            ("task", "task-clock"),
            ("migration", "cpu-migrations"),
        ] {
            let error = one(typed).unwrap_err();
            assert_eq!(error.suggestions.first().map(String::as_str), Some(meant), "{typed}: {error:?}");
            assert!(error.cure().contains(meant));
        }
    }

    #[test]
    fn far_names_list_what_there_is() {
        for typed in ["", "quux", &"x".repeat(100_000)] {
            let error = one(typed).unwrap_err();
            assert!(error.suggestions.is_empty(), "{error:?}");
            assert!(error.cure().contains("task-clock") && error.cure().contains("branch-misses"));
        }
    }

    #[test]
    fn lists_take_blanks_and_tell_every_fault() {
        let names = |events: Vec<Event>| events.iter().map(|event| event.name().to_owned()).collect::<Vec<_>>();
        assert_eq!(
            names(list("instructions,cache-misses, cs").unwrap()),
            ["instructions", "cache-misses", "context-switches"]
        );
        assert_eq!(names(list("  ").unwrap()), Vec::<String>::new());
        let errors = list("instructions,,cycels,cs,context-switches").unwrap_err();
        let said: Vec<_> = errors.iter().map(|error| format!("{error}; {}", error.cure())).collect();
        assert_eq!(said.len(), 3, "{said:?}");
        assert!(said[0].contains("item 2"), "{said:?}");
        assert_eq!(said[1], "\"cycels\" is no event; did you mean cycles?");
        assert_eq!(said[2], "\"context-switches\" is there twice; name each event once");
    }

    #[test]
    fn distances() {
        for (a, b, expected) in
            [("", "abc", 3), ("abc", "", 3), ("abcd", "acbd", 1), ("kitten", "sitting", 3), ("é", "e", 1)]
        {
            assert_eq!(distance(a, b), expected);
            assert_eq!(distance(b, a), expected);
        }
    }
}
