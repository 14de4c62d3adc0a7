//! Names that belong to PMUs of the kernel: terms, aliases, and libpfm's.

use super::terms::Makers;
use super::{CoreKind, Vocabulary, custom, modifiers, terms};
use crate::code::Code;
use crate::event::{Event, Kind, STANDARD};
use crate::names::UnknownEvent;
use crate::names::pmus::Pmu;
use crate::pfm;
use crate::schedule::Rules;
use crate::unavailable::Unavailable;

impl Vocabulary {
    /// `pmu/term=value,…/` or `pmu/alias/`.
    pub(super) fn with_terms(&self, name: &str) -> Option<Result<Event, UnknownEvent>> {
        let (pmu, rest) = name.split_once('/')?;
        let Some(terms) = rest.strip_suffix('/') else {
            let why =
                "has no slash at its end; modifiers such as :u are not taken, for hitm counts user mode by itself";
            let plain =
                name.rsplit_once('/').filter(|(before, _)| before.contains('/')).map_or(name, |(before, _)| before);
            let suggestions = vec![format!("{plain}/")];
            return Some(Err(UnknownEvent { suggestions, ..UnknownEvent::new(name, why) }));
        };
        if let Some(found) = self.pmus.find(pmu) {
            return Some(self.encoded(name, found, terms));
        }
        let cores: Vec<&CoreKind> = self.cores.iter().filter(|core| core.pmu == pmu || pmu == "cpu").collect();
        if cores.is_empty() {
            let meaning = format!("the event {terms} of the PMU {pmu}");
            let folders: Vec<&str> = self.pmus.names().collect();
            let why = match folders.is_empty() {
                true => Unavailable::NotAtHand { what: format!("whether it has the PMU `{pmu}`") },
                false => Unavailable::NoSuchPmu { pmu: pmu.to_owned(), there: folders.join(", ") },
            };
            return Some(Ok(custom(name, Kind::Other, Err(why), meaning, "as typed")));
        }
        // A core's PMU without a folder: a machine that is not at hand, or one without a PMU.
        if let Some(row) = STANDARD
            .iter()
            .find(|row| row.kind == Kind::Hardware && (row.name == terms || row.aliases.contains(&terms)))
        {
            return Some(Ok(self.standard(row).named(name)));
        }
        if let Some(event) = self.cache(terms).or_else(|| self.generic(terms)) {
            return Some(Ok(event.named(name)));
        }
        let formats = terms::usual(makers(cores[0]));
        let made = terms::encode(terms, &formats, &Default::default());
        Some(made.map_err(|faults| UnknownEvent::new(name, format!("is not to be read: {}", faults.join("; ")))).map(
            |configs| {
                let codes = cores.iter().map(|core| core.code(configs)).collect();
                custom(name, Kind::Hardware, Ok(codes), format!("the core's event {terms}"), "as typed")
            },
        ))
    }

    /// An event that a core's PMU has under this name in its `events` folder.
    pub(super) fn alias(&self, name: &str) -> Option<Result<Event, UnknownEvent>> {
        let pmu = self.pmus.of_cores().find(|pmu| pmu.aliases.contains_key(name))?;
        Some(self.encoded(name, pmu, name))
    }

    fn encoded(&self, name: &str, pmu: &Pmu, terms: &str) -> Result<Event, UnknownEvent> {
        let configs = terms::encode(terms, &pmu.formats, &pmu.aliases)
            .map_err(|faults| UnknownEvent::new(name, format!("is not to be read: {}", faults.join("; "))))?;
        let [config, config1, config2] = configs;
        let code = Code {
            pmu: pmu.name.clone(),
            pmu_type: pmu.pmu_type,
            config,
            config1,
            config2,
            counters: None,
            native: String::new(),
        };
        let (meaning, source) =
            (format!("the event {terms} of the PMU {}", pmu.name), "as typed, by the kernel's formats");
        if pmu.shared {
            let why = Unavailable::NotPerThread { pmu: pmu.name.clone() };
            return Ok(custom(name, Kind::Other, Err(why), meaning, source));
        }
        Ok(self.typed(name, code, meaning, source))
    }

    /// A name of libpfm (`skx::…`), which is asked where it is installed; an event even where it is not. Names without a PMU are not asked
    /// of it: what they mean must not depend on what is installed.
    pub(super) fn libpfm(&self, name: &str) -> Option<Result<Event, UnknownEvent>> {
        if !name.contains("::") {
            return None;
        }
        if let Some(refused) = modifiers::of_libpfm(name) {
            return Some(Err(refused));
        }
        let meaning = format!("libpfm's {name}");
        let absent = |why, installed| Err(Unavailable::NoLibpfm { why, installed });
        if !self.at_hand {
            let why = "it is asked for codes of the machine that it runs on alone".to_owned();
            return Some(Ok(custom(name, Kind::Hardware, absent(why, true), meaning, "libpfm4")));
        }
        Some(match pfm::encode(name) {
            Ok(code) => Ok(self.typed(name, code, meaning, "libpfm4")),
            Err(pfm::Error::NoLibrary(why)) => Ok(custom(name, Kind::Hardware, absent(why, false), meaning, "libpfm4")),
            Err(pfm::Error::NotHere(why)) => Ok(custom(name, Kind::Hardware, absent(why, true), meaning, "libpfm4")),
            Err(pfm::Error::Refused(why)) => Err(UnknownEvent::new(name, format!("is no event of libpfm: {why}"))),
        })
    }
}

fn makers(core: &CoreKind) -> Makers {
    let uarch = core.uarch.as_ref();
    let vendor = uarch.ok().and_then(|uarch| uarch.detect.cpuid.first()).map(|cpuid| cpuid.vendor.as_str());
    match (uarch.map(|uarch| &uarch.pmu.rules), vendor) {
        (Ok(Rules::Power { version }), _) => Makers::Power { version: *version },
        (_, Some("AuthenticAMD")) => Makers::Amd,
        (_, Some(_)) => Makers::Intel,
        (Err(_), _) if cfg!(target_arch = "x86_64") => Makers::Intel,
        _ => Makers::Others,
    }
}
