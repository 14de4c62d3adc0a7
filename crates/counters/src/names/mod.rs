//! The names of events as users type them, bound to what a machine can count.
//!
//! A [`Vocabulary`] knows the kernel's own names (`cycles`, `context-switches`), the catalogue's logical names (`store-transfer`) and its makers'
//! (`PM_STCX_FAIL`), the PMUs' aliases and terms (`cpu/event=0xd2,umask=0x04/`), raw codes (`r04d2`), tracepoints
//! (`sched:sched_switch`), names of libpfm (`skx::MEM_LOAD_RETIRED:L3_HIT`), and the set `contention`.

pub(crate) mod cache;
mod foreign;
mod generic;
mod logical;
mod modifiers;
pub(crate) mod near;
mod pmus;
mod terms;
mod tracepoint;
mod typed;
mod unknown;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub use unknown::UnknownEvent;

use crate::catalogue::{self, Uarch};
use crate::code::{Code, TYPE_RAW};
use crate::event::{Definition, Event, Fallback, Kind, Privilege, Role, STANDARD};
use crate::unavailable::Unavailable;
use pmus::Pmus;

/// Letters of the longest name: codes with all their terms are far shorter.
const LONGEST: usize = 512;

/// The name of the set of events that show contention best on a microarchitecture.
pub const CONTENTION: &str = "contention";

/// The names that a machine's events have.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    /// The kinds of core of the machine: mostly one.
    cores: Vec<CoreKind>,
    pmus: Pmus,
    /// Where tracepoints have their folders; none for a machine that is not at hand.
    tracing: Option<PathBuf>,
    at_hand: bool,
}

/// Cores of one kind: their PMU and what they are.
#[derive(Clone, Debug)]
pub struct CoreKind {
    /// The PMU's folder.
    pub pmu: String,
    /// `perf_event_attr.type` for the processor's own codes.
    pub pmu_type: u32,
    /// The PUs that are such cores; `None` for all.
    pub pus: Option<Vec<u32>>,
    /// Which microarchitecture, or why that is not known, as a clause.
    pub uarch: Result<&'static Uarch, String>,
}

impl CoreKind {
    /// Whether this PU is a core of the kind.
    #[must_use]
    pub fn has(&self, pu: u32) -> bool {
        self.pus.as_ref().is_none_or(|pus| pus.contains(&pu))
    }

    /// Whether the catalogue knows it for one of Intel's or AMD's.
    pub(crate) fn is_x86(&self) -> bool {
        self.uarch.as_ref().is_ok_and(|uarch| !uarch.detect.cpuid.is_empty())
    }

    fn code(&self, [config, config1, config2]: [u64; 3]) -> Code {
        let native = String::new();
        Code { pmu: self.pmu.clone(), pmu_type: self.pmu_type, config, config1, config2, counters: None, native }
    }
}

impl Vocabulary {
    /// That of this machine, read once.
    pub fn here() -> &'static Vocabulary {
        static HERE: OnceLock<Vocabulary> = OnceLock::new();
        HERE.get_or_init(|| Vocabulary { at_hand: true, ..Vocabulary::read(Path::new("/")) })
    }

    /// That of the machine whose `/sys` and `/proc` lie below `root`.
    #[must_use]
    pub fn read(root: &Path) -> Vocabulary {
        let pmus = Pmus::read(&root.join("sys/bus/event_source/devices"));
        let detected = catalogue::detect(root);
        let uarch = |pmu: &str| {
            let of_pmu = detected.iter().find(|one| one.pmu == pmu).or(detected.first());
            of_pmu.map_or_else(|| Err("nothing tells the processor".to_owned()), |one| one.uarch.clone())
        };
        let mut cores: Vec<CoreKind> = pmus
            .of_cores()
            .map(|pmu| CoreKind {
                pmu: pmu.name.clone(),
                pmu_type: pmu.pmu_type,
                pus: pmu.cpus.clone(),
                uarch: uarch(&pmu.name),
            })
            .collect();
        if cores.is_empty() {
            cores.push(CoreKind { pmu: "cpu".to_owned(), pmu_type: TYPE_RAW, pus: None, uarch: uarch("cpu") });
        }
        let tracing = ["sys/kernel/tracing/events", "sys/kernel/debug/tracing/events"].map(|folder| root.join(folder));
        let tracing = tracing.iter().find(|folder| folder.is_dir()).or(tracing.first()).cloned();
        Vocabulary { cores, pmus, tracing, at_hand: false }
    }

    /// That of a machine with cores of this microarchitecture that is not at hand.
    #[must_use]
    pub fn of(uarch: &'static Uarch) -> Vocabulary {
        let core = CoreKind { pmu: uarch.pmu.name.clone(), pmu_type: TYPE_RAW, pus: None, uarch: Ok(uarch) };
        Vocabulary { cores: vec![core], pmus: Pmus::default(), tracing: None, at_hand: false }
    }

    /// That of a machine that is not at hand and whose processor is not known; `why`, as a clause.
    #[must_use]
    pub fn unknown(why: &str) -> Vocabulary {
        let core = CoreKind { pmu: "cpu".to_owned(), pmu_type: TYPE_RAW, pus: None, uarch: Err(why.to_owned()) };
        Vocabulary { cores: vec![core], pmus: Pmus::default(), tracing: None, at_hand: false }
    }

    /// That of tests: one kind of core that nothing is known of.
    #[cfg(test)]
    pub(crate) fn bare() -> Vocabulary {
        Vocabulary::unknown("a test")
    }

    /// That of a machine with cores of these kinds, for tests.
    #[cfg(test)]
    pub(crate) fn hybrid(uarchs: &[&'static Uarch]) -> Vocabulary {
        let kind = |(index, uarch): (usize, &&'static Uarch)| CoreKind {
            pmu: uarch.pmu.name.clone(),
            pmu_type: TYPE_RAW + 6 * index as u32,
            pus: Some(vec![index as u32]),
            uarch: Ok(*uarch),
        };
        let cores = uarchs.iter().enumerate().map(kind).collect();
        Vocabulary { cores, pmus: Pmus::default(), tracing: None, at_hand: false }
    }

    /// Whether this is the machine at hand, so that its events can be opened.
    #[must_use]
    pub fn is_at_hand(&self) -> bool {
        self.at_hand
    }

    /// The kinds of core.
    #[must_use]
    pub fn cores(&self) -> &[CoreKind] {
        &self.cores
    }

    /// The event of this name. Blanks around it do not matter. One that this machine cannot count is an event all the same, with the reason
    /// in [`Event::codes`].
    ///
    /// # Errors
    /// [`UnknownEvent`] with the names that come near it.
    pub fn event(&self, name: &str) -> Result<Event, UnknownEvent> {
        let name = name.trim();
        if name.is_empty() {
            return Err(UnknownEvent::new(name, "is an empty name"));
        }
        if let Some((cut, _)) = name.char_indices().nth(LONGEST) {
            let why = format!("… is too long: names have at most {LONGEST} letters");
            return Err(UnknownEvent::new(&name[..cut], why));
        }
        if let Some(row) = STANDARD.iter().find(|row| row.name == name || row.aliases.contains(&name)) {
            return Ok(self.standard(row));
        }
        let found = self
            .logical(name)
            .or_else(|| self.native(name))
            .or_else(|| self.raw(name))
            .or_else(|| self.cache(name))
            .or_else(|| self.generic(name));
        if let Some(found) = found.map(Ok).or_else(|| self.with_terms(name)).or_else(|| self.alias(name)) {
            return found;
        }
        if let Some(refused) = self.modified(name) {
            return Err(refused);
        }
        let elsewhere = || self.elsewhere(name).map(Ok);
        let found = self.tracepoint(name).or_else(elsewhere).or_else(|| self.libpfm(name));
        found.unwrap_or_else(|| {
            Err(UnknownEvent { suggestions: self.suggestions(name), ..UnknownEvent::new(name, "is no event") })
        })
    }

    /// The events of these names, the set [`CONTENTION`] in place of its name; one that is already named is not added by a set.
    ///
    /// # Errors
    /// All names that are empty, unknown or there twice.
    pub fn events<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Result<Vec<Event>, Vec<UnknownEvent>> {
        let names: Vec<&str> = names.into_iter().map(str::trim).collect();
        let (mut events, mut errors) = (Vec::<Event>::new(), Vec::new());
        let sets: Vec<Event> = if names.contains(&CONTENTION) { self.contention() } else { Vec::new() };
        let asked: Vec<Event> = names.iter().filter_map(|name| self.event(name).ok()).collect();
        for (index, name) in names.iter().enumerate() {
            if names[..index].contains(name) {
                errors.push(UnknownEvent::twice(name));
                continue;
            }
            if *name == CONTENTION {
                events.extend(sets.iter().filter(|event| !asked.contains(event)).cloned());
                continue;
            }
            match self.event(name) {
                Ok(event) if events.contains(&event) => errors.push(UnknownEvent::twice(name)),
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

    /// The events of a list such as `cycles, instructions,cs`; see [`events`](Self::events). Commas between slashes belong to the name.
    ///
    /// # Errors
    /// All items that are empty, unknown or there twice.
    pub fn list(&self, list: &str) -> Result<Vec<Event>, Vec<UnknownEvent>> {
        if list.trim().is_empty() {
            return Ok(Vec::new());
        }
        let mut inside = false;
        self.events(list.split(|letter| {
            inside ^= letter == '/';
            letter == ',' && !inside
        }))
    }

    /// The kernel's own events, software events first, then the catalogue's logical ones.
    #[must_use]
    pub fn all(&self) -> Vec<Event> {
        self.standard_and(catalogue::logical().iter().filter_map(|logical| self.logical(&logical.name)))
    }

    /// The kernel's own events, and those that show contention best here.
    #[must_use]
    pub fn first(&self) -> Vec<Event> {
        self.standard_and(self.contention().into_iter())
    }

    /// The kernel's own events, then those of the others that are not among them.
    fn standard_and(&self, others: impl Iterator<Item = Event>) -> Vec<Event> {
        let mut events: Vec<Event> = STANDARD.iter().map(|row| self.standard(row)).collect();
        for event in others {
            if !events.contains(&event) {
                events.push(event);
            }
        }
        events
    }

    /// `r` and a hexadecimal number: `config` of the core's PMU.
    fn raw(&self, name: &str) -> Option<Event> {
        let digits = name.strip_prefix('r')?;
        let config = terms::hexadecimal(digits)?;
        let codes = self.cores.iter().map(|core| core.code([config, 0, 0])).collect();
        Some(custom(name, Kind::Hardware, Ok(codes), format!("the core's event {config:#x}, as asked"), "as typed"))
    }

    fn suggestions(&self, name: &str) -> Vec<String> {
        if let Some(code) = self.mistyped(name) {
            return vec![code];
        }
        let caches: Vec<String> = cache::names().collect();
        let caches = caches.iter().map(String::as_str);
        let standard = STANDARD.iter().flat_map(|row| row.aliases.iter().copied().chain([row.name]));
        let logical = catalogue::logical().iter().map(|logical| logical.name.as_str());
        let uarchs = self.cores.iter().filter_map(|core| core.uarch.as_ref().ok());
        let native = uarchs.flat_map(|uarch| uarch.events.iter().map(|event| event.name.as_str()));
        let aliases = self.pmus.of_cores().flat_map(|pmu| pmu.aliases.keys().map(String::as_str));
        near::near(name, standard.chain(logical).chain(native).chain(caches).chain(aliases).chain([CONTENTION]))
    }
}

/// An event that nobody has described.
fn custom(name: &str, kind: Kind, codes: Result<Vec<Code>, Unavailable>, meaning: String, source: &str) -> Event {
    let (role, unit, privilege) = match kind {
        Kind::Hardware => (Role::Unknown, "events", Privilege::User),
        Kind::Tracepoint | Kind::Software => (Role::Scheduling, "passages", Privilege::All),
        Kind::Other => (Role::Unknown, "events", Privilege::AllElseUser),
    };
    Event::new(Definition {
        name: name.to_owned(),
        aliases: Vec::new(),
        meaning,
        role,
        unit: unit.to_owned(),
        traps: "hitm knows no more of it than its code: look its meaning up in the maker's manual".to_owned(),
        source: source.to_owned(),
        kind,
        privilege,
        fallback: Fallback::None,
        codes,
    })
}

#[cfg(test)]
mod tests;
