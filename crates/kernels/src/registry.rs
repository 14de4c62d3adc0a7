//! The kernels that can be asked for, by name, with their parameters.

use std::ops::RangeInclusive;

use hitm_experiment::manifest::{TallyForm, TallyInfo};
use hitm_experiment::suggest::closest;
use hitm_experiment::{Parameters, Value};

use crate::contract::Kernel;

/// A kernel that can be asked for.
#[derive(Clone)]
pub struct Entry {
    /// Its name, `theme/kernel`, such as `sharing/counters`.
    pub name: &'static str,
    /// What it measures, one sentence.
    pub summary: &'static str,
    /// What it counts as one operation, one word in the singular, such as `draw` or `round trip`.
    pub operation: &'static str,
    /// The numbers of workers it can have.
    pub workers: RangeInclusive<usize>,
    /// Its parameters, in the order to be shown.
    pub parameters: &'static [Parameter],
    /// What [`crate::Arena::observe`] tells of its workers' values, by name; empty for a kernel without values to look at
    /// ([`crate::Worker::sample`]).
    pub observations: &'static [&'static str],
    /// What its workers tell of their operations besides their number ([`crate::Worker::take_notes`]).
    pub tallies: &'static [Tally],
    /// Makes the kernel. All parameters are given, each of its kind and in its range.
    ///
    /// # Errors
    /// A [`Refusal`] for a combination that the kernel does not have.
    pub build: fn(&Parameters) -> Made,
}

/// A kernel, or the combination that it does not have.
pub type Made = Result<Box<dyn Kernel>, Refusal>;

/// What a kernel tells of its operations besides their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Its name, such as `deadlocks`.
    pub name: &'static str,
    /// What it is, in a few words.
    pub meaning: &'static str,
    /// What is told of it.
    pub form: TallyForm,
    /// Whether more of it is better.
    pub more_is_better: bool,
}

impl Tally {
    /// As a manifest tells it.
    pub fn info(&self) -> TallyInfo {
        let &Tally { name, meaning, form, more_is_better } = self;
        TallyInfo { name: name.to_owned(), meaning: meaning.to_owned(), form, more_is_better }
    }
}

/// A parameter of a kernel.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name in a definition.
    pub name: &'static str,
    /// What it takes.
    pub kind: ParameterKind,
    /// What it is when not given.
    pub default: DefaultValue,
    /// What it does, with its unit, one sentence.
    pub help: &'static str,
}

/// What a parameter takes.
#[derive(Clone, Debug)]
pub enum ParameterKind {
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A whole number in this range that is a multiple of `step`.
    Integer {
        /// The range, both ends included.
        range: RangeInclusive<i64>,
        /// What it is a multiple of; 1 for any.
        step: i64,
    },
    /// Any text, such as a file's name. What is wrong with it the kernel says when it is made.
    Text {
        /// What is to be given, such as `a file of keys`.
        what: &'static str,
    },
}

/// A default that a constant can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultValue {
    /// A word.
    Choice(&'static str),
    /// A number.
    Integer(i64),
    /// An empty text: it must be given, and the kernel refuses to be made without it.
    ToBeGiven,
}

impl From<DefaultValue> for Value {
    fn from(default: DefaultValue) -> Self {
        match default {
            DefaultValue::Choice(word) => word.into(),
            DefaultValue::Integer(number) => number.into(),
            DefaultValue::ToBeGiven => "".into(),
        }
    }
}

/// A combination of parameters that a kernel does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The parameter to change.
    pub parameter: &'static str,
    /// Why it cannot be, one sentence without a full stop.
    pub why: String,
    /// What to give instead.
    pub cure: String,
}

/// What is wrong with one parameter's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The parameter.
    pub parameter: String,
    /// What is wrong, without a full stop.
    pub message: String,
    /// What cures it.
    pub cure: String,
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        Fault { parameter: refusal.parameter.to_owned(), message: refusal.why, cure: refusal.cure }
    }
}

/// The number that a resolved parameter holds ([`Entry::resolve`]).
///
/// # Panics
/// If there is no such parameter or it is no whole number: the kernel asks for one that it does not declare.
pub fn integer(parameters: &Parameters, name: &str) -> i64 {
    match parameters.get(name) {
        Some(Value::Integer(number)) => *number,
        other => panic!("parameter {name} should be resolved to a whole number, is {other:?}"),
    }
}

/// The word that a resolved parameter holds ([`Entry::resolve`]).
///
/// # Panics
/// If there is no such parameter or it is no text: the kernel asks for one that it does not declare.
pub fn text<'a>(parameters: &'a Parameters, name: &str) -> &'a str {
    match parameters.get(name) {
        Some(Value::Text(word)) => word,
        other => panic!("parameter {name} should be resolved to a word, is {other:?}"),
    }
}

/// Gathers words that a parameter takes, each once.
pub(crate) fn words(first: &[&'static str], more: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    let mut words = first.to_vec();
    for word in more {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

/// All kernels that can be asked for: ours and whatever a user's own crate adds.
#[derive(Clone, Default)]
pub struct Registry {
    entries: Vec<Entry>,
}

impl Registry {
    /// A registry without kernels.
    pub fn new() -> Self {
        Registry::default()
    }

    /// Adds a kernel.
    ///
    /// # Panics
    /// If a kernel of that name is there already: two crates cannot both mean it.
    pub fn add(&mut self, entry: Entry) -> &mut Self {
        assert!(self.find(entry.name).is_none(), "two kernels are named {}", entry.name);
        self.entries.push(entry);
        self
    }

    /// Puts a kernel in the place of the one of its name.
    ///
    /// # Panics
    /// If there is none.
    pub fn replace(&mut self, entry: Entry) -> &mut Self {
        match self.entries.iter_mut().find(|there| there.name == entry.name) {
            Some(place) => *place = entry,
            None => panic!("no kernel is named {}", entry.name),
        }
        self
    }

    /// The kernel of that name.
    pub fn find(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// The kernel's name that a mistyped one most likely means, if any is near: with a letter or so wrong, or without
    /// its theme.
    pub fn suggest(&self, name: &str) -> Option<&'static str> {
        let names = || self.entries.iter().map(|entry| entry.name);
        let without_theme = |full: &&'static str| full.rsplit('/').next() == Some(name);
        names().find(without_theme).or_else(|| closest(name, names())).or_else(|| {
            let bare = closest(name, names().filter_map(|full| full.rsplit('/').next()))?;
            names().find(|full| full.ends_with(bare))
        })
    }

    /// All kernels, in the order of their adding.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }
}
