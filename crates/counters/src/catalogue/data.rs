//! The files of the catalogue, read once.

use std::error::Error;
use std::fmt;
use std::sync::LazyLock;

use serde::Deserialize;

use super::{Logical, Uarch};
use crate::names::near::near;

const LOGICAL: &str = include_str!("../../catalogue/logical.toml");

macro_rules! files {
    ($($name:literal)*) => { [$(($name, include_str!(concat!("../../catalogue/", $name, ".toml")))),*] };
}

/// One a microarchitecture. Of those that share a processor the first holds where nothing tells them apart.
pub(super) const FILES: [(&str, &str); 17] = files! {
    "skylake-sp" "ice-lake-sp" "sapphire-rapids" "granite-rapids" "alder-lake-p" "alder-lake-e"
    "zen2" "zen3" "zen4" "zen5"
    "power8" "power9" "power10"
    "neoverse-n1" "neoverse-n2" "neoverse-v1" "neoverse-v2"
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rows {
    logical: Vec<Logical>,
}

/// The events by what they mean, in the order of the file.
#[must_use]
pub fn logical() -> &'static [Logical] {
    static ROWS: LazyLock<Vec<Logical>> = LazyLock::new(|| parsed::<Rows>("logical", LOGICAL).logical);
    &ROWS
}

/// The microarchitectures that the catalogue has, by maker and age.
#[must_use]
pub fn uarchs() -> &'static [Uarch] {
    static UARCHS: LazyLock<Vec<Uarch>> =
        LazyLock::new(|| FILES.iter().map(|(name, text)| parsed(name, text)).collect());
    &UARCHS
}

/// The microarchitecture of this name, such as `power8`, or of its products, such as `milan`; case does not matter.
///
/// # Errors
/// [`UnknownUarch`] with the names that come near it.
pub fn uarch(name: &str) -> Result<&'static Uarch, UnknownUarch> {
    let name = name.trim();
    let is = |own: &str| own.eq_ignore_ascii_case(name);
    let found = uarchs().iter().find(|uarch| is(&uarch.name) || uarch.also.iter().any(|also| is(also)));
    found.ok_or_else(|| {
        let names = |uarch: &'static Uarch| uarch.also.iter().chain([&uarch.name]).map(move |name| (name, &uarch.name));
        let names: Vec<(&String, &String)> = uarchs().iter().flat_map(names).collect();
        let typed = near(name, names.iter().map(|(name, _)| name.as_str()));
        let meant = typed.iter().filter_map(|near| names.iter().find(|(name, _)| *name == near));
        let mut suggestions: Vec<String> = meant.map(|(_, uarch)| (*uarch).clone()).collect();
        suggestions.dedup();
        UnknownUarch { name: name.to_owned(), suggestions }
    })
}

/// The files are part of the program: a test reads each of them, so that none can fail here.
fn parsed<T: serde::de::DeserializeOwned>(name: &str, text: &str) -> T {
    toml::from_str(text).unwrap_or_else(|error| panic!("catalogue/{name}.toml: {error}"))
}

/// A name that no microarchitecture of the catalogue has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownUarch {
    /// The name as written, without blanks around it.
    pub name: String,
    /// Names that come near it, the nearest first; may be empty.
    pub suggestions: Vec<String>,
}

impl UnknownUarch {
    /// What to write instead.
    #[must_use]
    pub fn cure(&self) -> String {
        match self.suggestions.as_slice() {
            [] => {
                let names: Vec<&str> = uarchs().iter().map(|uarch| uarch.name.as_str()).collect();
                format!("choose from {}", names.join(", "))
            }
            [one] => format!("did you mean {one}?"),
            several => format!("did you mean one of {}?", several.join(", ")),
        }
    }
}

impl fmt::Display for UnknownUarch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is no microarchitecture of the catalogue", self.name)
    }
}

impl Error for UnknownUarch {}
