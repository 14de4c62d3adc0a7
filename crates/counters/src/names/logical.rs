//! The catalogue's events: by what they mean, and by their makers' names.

use super::{CoreKind, Vocabulary};
use crate::catalogue::{self, Logical, Uarch, UarchEvent};
use crate::code::Code;
use crate::event::{Definition, Event, Fallback, Kind, Privilege, Role, STANDARD};
use crate::unavailable::Unavailable;

impl Vocabulary {
    /// The logical event of this name. On a hybrid processor one code for each kind of core that has it.
    pub(super) fn logical(&self, name: &str) -> Option<Event> {
        let logical = catalogue::logical().iter().find(|logical| logical.name == name)?;
        let found: Vec<(&CoreKind, &UarchEvent)> =
            self.cores.iter().filter_map(|core| Some((core, core.uarch.as_ref().ok()?.logical(name)?))).collect();
        let codes = match found.is_empty() {
            false => Ok(found.iter().map(|(core, event)| code(core, event)).collect()),
            true => Err(self.no_such(logical)),
        };
        let definition = Definition {
            name: logical.name.clone(),
            meaning: logical.meaning.clone(),
            role: logical.role,
            unit: logical.unit.clone(),
            traps: logical.traps.clone(),
            ..described(name, &found, codes)
        };
        Some(Event::new(definition))
    }

    /// The event that its maker calls so, in any case; with its microarchitecture before it (`power8::PM_STCX_FAIL`) or not.
    pub(super) fn native(&self, name: &str) -> Option<Event> {
        let found: Vec<(&CoreKind, &UarchEvent)> = self
            .cores
            .iter()
            .filter_map(|core| {
                let uarch = core.uarch.as_ref().ok()?;
                let name = name.strip_prefix(&format!("{}::", uarch.name)).unwrap_or(name);
                Some((core, uarch.events.iter().find(|event| event.name.eq_ignore_ascii_case(name))?))
            })
            .collect();
        let (_, first) = found.first()?;
        let codes = Ok(found.iter().map(|(core, event)| code(core, event)).collect());
        Some(Event::new(described(&first.name, &found, codes)))
    }

    /// An event that another processor of the catalogue has by this maker's name: one definition serves several machines, each of which counts
    /// what it has.
    pub(super) fn elsewhere(&self, name: &str) -> Option<Event> {
        let has = |uarch: &&Uarch| {
            let name = name.strip_prefix(&format!("{}::", uarch.name)).unwrap_or(name);
            uarch.events.iter().any(|event| event.name.eq_ignore_ascii_case(name))
        };
        let other = catalogue::uarchs().iter().find(has)?;
        let why = self.known().map_or_else(
            |unknown| unknown,
            |here| Unavailable::NotOnProcessor {
                processor: here.title.clone(),
                why: format!("it is an event of {}", other.title),
                instead: String::new(),
            },
        );
        let meaning = format!("an event of {}", other.title);
        Some(super::custom(name, Kind::Hardware, Err(why), meaning, "as typed"))
    }

    /// The set of events that show contention best on these cores, those first that are counted together.
    pub(super) fn contention(&self) -> Vec<Event> {
        let mut events: Vec<Event> = Vec::new();
        for uarch in self.cores.iter().filter_map(|core| core.uarch.as_ref().ok()) {
            for name in &uarch.contention {
                let event = self.event(name).ok();
                events.extend(event.filter(|event| !events.contains(event)));
            }
        }
        if !events.is_empty() {
            return events;
        }
        // What the set would hold is asked for all the same, so that it is absent with its reason.
        ["load-transfer-local", "store-transfer"].iter().filter_map(|name| self.event(name).ok()).collect()
    }

    /// The first kind of core that is known.
    fn known(&self) -> Result<&'static Uarch, Unavailable> {
        let known = self.cores.iter().find_map(|core| core.uarch.as_ref().ok().copied());
        let unknown = || self.cores.iter().find_map(|core| core.uarch.as_ref().err().cloned()).unwrap_or_default();
        known.ok_or_else(|| Unavailable::UnknownProcessor { what: unknown() })
    }

    /// Why these cores have no such event.
    fn no_such(&self, logical: &Logical) -> Unavailable {
        let uarch = match self.known() {
            Ok(uarch) => uarch,
            Err(unknown) => return unknown,
        };
        let absent = uarch.absent.get(&logical.name);
        Unavailable::NotOnProcessor {
            processor: uarch.title.clone(),
            why: absent.map(|absent| absent.why.clone()).unwrap_or_default(),
            instead: absent.map(|absent| absent.instead.clone()).unwrap_or_default(),
        }
    }
}

fn code(core: &CoreKind, event: &UarchEvent) -> Code {
    Code { counters: event.counters, native: event.name.clone(), ..core.code([event.config, event.config1, 0]) }
}

/// What the catalogue says of an event on these cores.
fn described(name: &str, found: &[(&CoreKind, &UarchEvent)], codes: Result<Vec<Code>, Unavailable>) -> Definition {
    let join = |of: fn(&UarchEvent) -> &String| {
        let mut texts: Vec<&str> =
            found.iter().map(|(_, event)| of(event).as_str()).filter(|text| !text.is_empty()).collect();
        texts.dedup();
        texts.join("; ")
    };
    let logical =
        found.first().and_then(|(_, event)| catalogue::logical().iter().find(|row| row.name == event.logical));
    let role = found.first().and_then(|(_, event)| event.role).or(logical.map(|row| row.role));
    // The kernel's names for the same thing, such as cycles.
    let standard = STANDARD.iter().find(|row| row.name == name);
    Definition {
        name: name.to_owned(),
        aliases: Vec::new(),
        meaning: join(|event| &event.meaning),
        role: role.or(standard.map(|row| row.role)).unwrap_or(Role::Memory),
        unit: logical.map_or("events".to_owned(), |row| row.unit.clone()),
        traps: [logical.map_or("", |row| row.traps.as_str()), &join(|event| &event.traps)]
            .iter()
            .filter(|text| !text.is_empty())
            .copied()
            .collect::<Vec<_>>()
            .join("; "),
        source: join(|event| &event.source),
        kind: Kind::Hardware,
        privilege: Privilege::User,
        fallback: Fallback::None,
        codes,
    }
}
