//! Reading a table's fields: each fault told with its place, unknown keys refused.

use crate::problem::{Place, Problem};
use crate::suggest;
use crate::tree::{Entry, Node, Tree, join};
use crate::units;
use crate::value::Value;

/// The fields of one table, read one by one.
pub(crate) struct Fields<'a> {
    entries: &'a [Entry],
    place: Place,
    known: Vec<&'static str>,
    pub problems: Vec<Problem>,
}

/// A value read, with its place.
pub(crate) struct Read<T> {
    pub value: T,
    pub place: Place,
}

impl<'a> Fields<'a> {
    /// The fields of a node, which ought to be a table; `what` says what it is in messages (`measure`).
    pub fn new(node: &'a Node) -> Self {
        let mut problems = Vec::new();
        let entries: &[Entry] = match &node.value {
            Tree::Table(entries) => entries,
            Tree::Invalid => &[],
            _ => {
                let path = &node.place.path;
                let told = format!("`{path}` is a table, not {} {}", article(node.type_name()), node.type_name());
                problems.push(Problem::new(node.place.clone(), told, format!("write [{path}] and its keys below it")));
                &[]
            }
        };
        Fields { entries, place: node.place.clone(), known: Vec::new(), problems }
    }

    /// Where a field that is not written would stand.
    pub fn place(&self, key: &str) -> Place {
        Place { path: join(&self.place.path, key), ..self.place.clone() }
    }

    /// A field's value, if it is written and was not refused already.
    pub fn node(&mut self, key: &'static str) -> Option<&'a Node> {
        self.known.push(key);
        let node = &self.entries.iter().find(|entry| entry.key == key)?.node;
        (!matches!(node.value, Tree::Invalid)).then_some(node)
    }

    /// Whether a field is written at all.
    pub fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|entry| entry.key == key)
    }

    /// Fields that were not asked for, in the order written.
    pub fn others(&self) -> impl Iterator<Item = &'a Entry> + '_ {
        self.entries.iter().filter(|entry| !self.known.contains(&entry.key.as_str()))
    }

    /// Tells a problem at a place.
    pub fn tell(&mut self, place: Place, message: impl Into<String>, cure: impl Into<String>) {
        self.problems.push(Problem::new(place, message, cure));
    }

    fn wrong_type(&mut self, node: &Node, wanted: &str, cure: &str) {
        let told = format!("`{}` is {wanted}, not {} {}", node.place.path, article(node.type_name()), node.type_name());
        self.tell(node.place.clone(), told, cure);
    }

    /// A text.
    pub fn text(&mut self, key: &'static str, cure: &str) -> Option<Read<String>> {
        let node = self.node(key)?;
        match &node.value {
            Tree::Scalar(Value::Text(text)) => Some(Read { value: text.clone(), place: node.place.clone() }),
            _ => {
                self.wrong_type(node, "a string", cure);
                None
            }
        }
    }

    /// A text that must be there and hold something.
    pub fn required_text(&mut self, key: &'static str, cure: &str) -> Option<Read<String>> {
        if !self.has(key) {
            let place = self.place(key);
            self.known.push(key);
            self.tell(place.clone(), format!("`{}` is missing", place.path), cure);
            return None;
        }
        let read = self.text(key, cure)?;
        if read.value.trim().is_empty() {
            self.tell(read.place.clone(), format!("`{}` is empty", read.place.path), cure);
            return None;
        }
        Some(read)
    }

    /// `true` or `false`.
    pub fn boolean(&mut self, key: &'static str) -> Option<Read<bool>> {
        let node = self.node(key)?;
        match &node.value {
            Tree::Scalar(Value::Boolean(value)) => Some(Read { value: *value, place: node.place.clone() }),
            _ => {
                self.wrong_type(node, "true or false", "write true or false, without quotes");
                None
            }
        }
    }

    /// A whole number of a range.
    pub fn integer(&mut self, key: &'static str, least: i64, most: i64) -> Option<Read<i64>> {
        let node = self.node(key)?;
        let range = format!("write a whole number from {least} to {most}");
        match &node.value {
            Tree::Scalar(Value::Integer(number)) if (least..=most).contains(number) => {
                Some(Read { value: *number, place: node.place.clone() })
            }
            Tree::Scalar(Value::Integer(number)) => {
                self.tell(node.place.clone(), format!("`{}` cannot be {number}", node.place.path), range);
                None
            }
            _ => {
                self.wrong_type(node, "a whole number", &range);
                None
            }
        }
    }

    /// A duration of a range, in nanoseconds.
    pub fn duration(&mut self, key: &'static str, least: u64, most: u64) -> Option<Read<u64>> {
        let read = self.text(key, "write a duration in quotes with its unit, such as \"20ms\"")?;
        let range = format!("write {} to {}", units::show_ns(least as f64), units::show_ns(most as f64));
        match units::duration_ns(&read.value) {
            Ok(value) if (least..=most).contains(&value) => Some(Read { value, place: read.place }),
            Ok(_) => {
                let told = format!("`{}` cannot be {}", read.place.path, read.value);
                self.tell(read.place, told, range);
                None
            }
            Err(told) => {
                self.tell(read.place, told, format!("{range}, with ns, us, ms, s, m or h"));
                None
            }
        }
    }

    /// A share of a range, written in per cent.
    pub fn share(&mut self, key: &'static str, least: f64, most: f64) -> Option<Read<f64>> {
        let read = self.text(key, "write a percentage in quotes, such as \"2%\"")?;
        let range = format!("write {}% to {}%", least * 100.0, most * 100.0);
        match units::share(&read.value) {
            Ok(value) if (least..=most).contains(&value) => Some(Read { value, place: read.place }),
            Ok(_) => {
                let told = format!("`{}` cannot be {}", read.place.path, read.value);
                self.tell(read.place, told, range);
                None
            }
            Err(told) => {
                self.tell(read.place, told, range);
                None
            }
        }
    }

    /// One of a few words.
    pub fn choice<T: Copy>(&mut self, key: &'static str, choices: &[(&'static str, T)]) -> Option<Read<T>> {
        let words = choices.iter().map(|(word, _)| *word);
        let read = self.text(key, &suggest::cure("", words.clone()))?;
        match choices.iter().find(|(word, _)| *word == read.value) {
            Some((_, value)) => Some(Read { value: *value, place: read.place }),
            None => {
                let told = format!("`{}` cannot be `{}`", read.place.path, read.value);
                let cure = suggest::cure(&read.value, words);
                self.tell(read.place, told, cure);
                None
            }
        }
    }

    /// A scalar or an array, as its items.
    pub fn items(&mut self, key: &'static str) -> Option<&'a [Node]> {
        let node = self.node(key)?;
        Some(match &node.value {
            Tree::Array(items) => items,
            _ => std::slice::from_ref(node),
        })
    }

    /// A table of scalars.
    pub fn scalars(&mut self, key: &'static str, cure: &str) -> Option<Vec<(String, Read<Value>)>> {
        let node = self.node(key)?;
        let Tree::Table(entries) = &node.value else {
            self.wrong_type(node, "a table", cure);
            return None;
        };
        let mut found = Vec::new();
        for entry in entries {
            match &entry.node.value {
                Tree::Scalar(value) => {
                    found.push((entry.key.clone(), Read { value: value.clone(), place: entry.node.place.clone() }));
                }
                Tree::Invalid => {}
                _ => self.wrong_type(&entry.node, "one value", cure),
            }
        }
        Some(found)
    }

    /// Refuses what was not asked for, and gives all problems.
    pub fn finish(mut self) -> Vec<Problem> {
        let unknown: Vec<&Entry> = self.others().collect();
        for entry in unknown {
            let cure = suggest::cure(&entry.key, self.known.iter().copied());
            let told = match self.place.path.as_str() {
                "" => format!("there is no key `{}`", entry.key),
                path => format!("`{path}` has no key `{}`", entry.key),
            };
            self.tell(entry.key_place.clone(), told, cure);
        }
        self.problems
    }
}

/// `a` or `an`.
pub(crate) fn article(word: &str) -> &'static str {
    if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}
