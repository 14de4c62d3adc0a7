//! Names that belong to PMUs of the kernel: terms, aliases, and libpfm's.

use super::{CoreKind, Vocabulary, custom, terms};
use crate::catalogue::Uarch;
use crate::code::Code;
use crate::event::{Event, Kind};
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
            return Some(Err(UnknownEvent::new(name, why)));
        };
        if let Some(found) = self.pmus.find(pmu) {
            return Some(self.encoded(name, found, terms));
        }
        let cores: Vec<&CoreKind> = self.cores.iter().filter(|core| core.pmu == pmu || pmu == "cpu").collect();
        if cores.is_empty() {
            let meaning = format!("the event {terms} of the PMU {pmu}");
            let folders: Vec<&str> = self.pmus.names().collect();
            let why = Unavailable::NoSuchPmu { pmu: pmu.to_owned(), there: folders.join(", ") };
            return Some(Ok(custom(name, Kind::Other, Err(why), meaning, "as typed")));
        }
        // A core's PMU without a folder: a machine that is not at hand, or one without a PMU.
        let x86 = |core: &&CoreKind| match &core.uarch {
            Ok(uarch) => is_x86(uarch),
            Err(_) => cfg!(target_arch = "x86_64"),
        };
        let formats = terms::usual(cores.iter().all(x86));
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
        let of_core = self.cores.iter().any(|core| core.pmu == pmu.name);
        let kind = if of_core { Kind::Hardware } else { Kind::Other };
        let codes = if pmu.shared { Err(Unavailable::NotPerThread { pmu: pmu.name.clone() }) } else { Ok(vec![code]) };
        Ok(custom(
            name,
            kind,
            codes,
            format!("the event {terms} of the PMU {}", pmu.name),
            "as typed, by the kernel's formats",
        ))
    }

    /// A name of libpfm, which is asked where it is installed. One that names its PMU (`skx::…`) is an event even where it is not.
    pub(super) fn libpfm(&self, name: &str) -> Option<Result<Event, UnknownEvent>> {
        let found = match pfm::encode(name) {
            // Only names that look like libpfm's are worth its word.
            Err(_) if !name.contains("::") => return None,
            found => found,
        };
        let meaning = format!("libpfm's {name}");
        let event = |codes| Ok(custom(name, Kind::Hardware, codes, meaning, "libpfm4"));
        Some(match found {
            Ok(encoded) => {
                let here = self.pmus.find(&encoded.pmu).is_some()
                    || self.cores.iter().any(|core| core.pmu_type == encoded.pmu_type);
                let pmu = self.cores.first().map_or("cpu", |core| core.pmu.as_str()).to_owned();
                let code = Code { pmu: if here { pmu } else { encoded.pmu.clone() }, ..encoded };
                event(Ok(vec![code]))
            }
            Err(pfm::Error::NoLibrary(why) | pfm::Error::NotHere(why)) => event(Err(Unavailable::NoLibpfm { why })),
            Err(pfm::Error::Refused(why)) => Err(UnknownEvent::new(name, format!("is no event of libpfm: {why}"))),
        })
    }
}

fn is_x86(uarch: &Uarch) -> bool {
    !matches!(uarch.pmu.rules, Rules::Power { .. }) && !uarch.detect.cpuid.is_empty()
}
