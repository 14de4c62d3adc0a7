//! What was typed after `hitm keys`, read whole before anything is told.

use std::collections::BTreeMap;
use std::str::FromStr;

use hitm_experiment::{Place, Problem, suggest};
use hitm_keys::Refusal;
use hitm_keys::dist::entries;

use crate::problems::CliError;

/// Everything that is wrong with what was typed.
#[derive(Default)]
pub(super) struct Problems(Vec<Problem>);

impl Problems {
    /// One more wrong thing.
    pub(super) fn add(&mut self, flag: &str, message: impl Into<String>, cure: impl Into<String>) {
        let place = Place { source: flag.to_owned(), ..Place::default() };
        self.0.push(Problem::new(place, message, cure));
    }

    /// What a distribution or a replay refuses. `flags` says which flag a setting is typed with; all others are `--set`.
    pub(super) fn refused(&mut self, refusals: Vec<Refusal>, flags: &[(&str, &str)]) {
        for Refusal { setting, why, cure } in refusals {
            let flag = flags.iter().find(|(of, _)| *of == setting).map(|(_, flag)| (*flag).to_owned());
            self.add(&flag.unwrap_or_else(|| format!("--set {setting}")), why, cure);
        }
    }

    /// A distribution that there is not: those of that name elsewhere, else what is near.
    pub(super) fn no_dist(&mut self, dist: &str) {
        let names = || entries().map(|entry| entry.name);
        let same: Vec<_> = names().filter(|name| name.rsplit('/').next() == Some(dist)).collect();
        let cure = match same[..] {
            [] => suggest::cure(dist, names()),
            _ => format!("give {}", same.join(" or ")),
        };
        self.add("--dist", format!("there is no distribution `{dist}`"), cure);
    }

    /// What was typed for a flag, or `stand_in` after telling what is wrong with it.
    pub(super) fn number<T: FromStr + Copy>(&mut self, flag: &str, text: &str, takes: &str, stand_in: T) -> T {
        text.trim().parse().unwrap_or_else(|_| {
            self.add(flag, format!("`{text}` is no whole number that fits"), format!("give {takes}"));
            stand_in
        })
    }

    /// A number from 0 to what 64 bits hold.
    pub(super) fn whole(&mut self, flag: &str, text: &str) -> u64 {
        self.number(flag, text, "a whole number from 0 to 18446744073709551615, in digits", 1)
    }

    /// Parameters typed as `NAME=VALUE`; of one that is given twice the last counts.
    pub(super) fn parameters(&mut self, typed: &[String]) -> BTreeMap<String, f64> {
        let mut parameters = BTreeMap::new();
        for text in typed {
            let number = text.split_once('=').and_then(|(name, value)| Some((name.trim(), value.trim().parse().ok()?)));
            match number {
                Some((name, _)) if parameters.contains_key(name) => {
                    self.add(&format!("--set {text}"), format!("`{name}` is given twice"), "give it once");
                }
                Some((name, value)) if !name.is_empty() => {
                    parameters.insert(name.to_owned(), value);
                }
                _ => self.add(&format!("--set {text}"), "it is no NAME=NUMBER", "write it like `h=0.2`"),
            }
        }
        parameters
    }

    /// Goes on only when nothing is wrong.
    pub(super) fn none(self) -> Result<(), CliError> {
        if self.0.is_empty() { Ok(()) } else { Err(CliError::Input { problems: self.0, text: String::new() }) }
    }
}
