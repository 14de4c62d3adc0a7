//! The events that can be asked for, and what each is to be taken for.

mod catalogue;
mod parse;

use std::fmt;
use std::hash::{Hash, Hasher};

use serde::Deserialize;

pub use parse::UnknownEvent;

/// Something that a hardware or software counter counts. Two events are one when their names are.
#[derive(Clone)]
pub struct Event(&'static Definition);

/// One row of the catalogue.
#[derive(Debug)]
pub(crate) struct Definition {
    /// The name, as `perf list` has it.
    pub name: &'static str,
    /// Other names that `perf` takes for it.
    pub aliases: &'static [&'static str],
    pub meaning: &'static str,
    pub role: Role,
    pub unit: &'static str,
    pub traps: &'static str,
    pub kind: Kind,
    /// `perf_event_attr.config` under the type that belongs to `kind`.
    pub config: u64,
    pub privilege: Privilege,
    pub fallback: Fallback,
}

/// Who counts an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The kernel (`PERF_TYPE_SOFTWARE`): there on every Linux.
    Software,
    /// The core's performance monitoring unit (`PERF_TYPE_HARDWARE`): often missing in virtual machines.
    Hardware,
}

impl Kind {
    /// `software` or `hardware`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Software => "software",
            Kind::Hardware => "hardware",
        }
    }
}

/// The part that an event plays in an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Time in ticks of the core's clock.
    Cycles,
    /// Work done.
    Instructions,
    /// Time in nanoseconds.
    Time,
    /// What the operating system did to the thread.
    Scheduling,
    /// The memory system at large.
    Memory,
    /// Moves of a line between cores' caches.
    Transfer,
    /// What happens when cores meet at a line, though it is no transfer: failed LL/SC, memory-ordering clears, load-hit-store.
    Conflict,
    /// Locked operations, whether or not anybody is in the way.
    Locks,
    /// Cycles in which nothing was done, by what was waited for.
    Stall,
    /// Which mode the core was in, such as how many of its threads ran.
    Mode,
}

impl Role {
    /// `cycles`, `instructions`, `time`, `scheduling`, `memory`, `transfer`, `conflict`, `locks`, `stall` or `mode`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Role::Cycles => "cycles",
            Role::Instructions => "instructions",
            Role::Time => "time",
            Role::Scheduling => "scheduling",
            Role::Memory => "memory",
            Role::Transfer => "transfer",
            Role::Conflict => "conflict",
            Role::Locks => "locks",
            Role::Stall => "stall",
            Role::Mode => "mode",
        }
    }
}

/// Whether an event's counting includes the kernel's share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Privilege {
    /// User mode alone is what is meant: it is the kernel under measurement, and it needs no privilege at paranoid level 2.
    User,
    /// Counts in kernel mode or not at all: `exclude_kernel` would make it a silent 0.
    All,
    /// Both are meant, and user mode alone is better than nothing.
    AllElseUser,
}

/// Where an event's count comes from when perf_event refuses it for want of permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fallback {
    None,
    /// `ru_nvcsw` + `ru_nivcsw` of `getrusage(RUSAGE_THREAD)`.
    Switches,
    /// `ru_minflt` + `ru_majflt`.
    Faults,
    /// `ru_minflt`.
    MinorFaults,
    /// `ru_majflt`.
    MajorFaults,
    /// `clock_gettime(CLOCK_THREAD_CPUTIME_ID)`.
    ThreadTime,
}

impl Event {
    /// The event of this name, or of a name that `perf` takes for it (`cs` is `context-switches`). Blanks around it do not matter.
    ///
    /// # Errors
    /// [`UnknownEvent`] with the names that come near it.
    pub fn parse(name: &str) -> Result<Event, UnknownEvent> {
        parse::one(name)
    }

    /// The events of a list such as `cycles, instructions,cs`.
    ///
    /// # Errors
    /// All items that are empty, unknown or there twice.
    pub fn parse_list(list: &str) -> Result<Vec<Event>, Vec<UnknownEvent>> {
        parse::list(list)
    }

    /// Every event of the catalogue, software events first.
    #[must_use]
    pub fn all() -> Vec<Event> {
        catalogue::EVENTS.iter().map(Event).collect()
    }

    /// The name, as `perf list` has it.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.name
    }

    /// Other names under which [`parse`](Self::parse) finds it.
    #[must_use]
    pub fn aliases(&self) -> &[&str] {
        self.0.aliases
    }

    /// What it counts, in a few words.
    #[must_use]
    pub fn meaning(&self) -> &str {
        self.0.meaning
    }

    /// The part that it plays in an explanation.
    #[must_use]
    pub fn role(&self) -> Role {
        self.0.role
    }

    /// What one of it is, such as `cycles` or `ns`.
    #[must_use]
    pub fn unit(&self) -> &str {
        self.0.unit
    }

    /// What its reading must not be taken for.
    #[must_use]
    pub fn traps(&self) -> &str {
        self.0.traps
    }

    /// Who counts it.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    pub(crate) fn definition(&self) -> &Definition {
        self.0
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Event) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Event {}

impl Hash for Event {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.name.hash(state);
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event({})", self.0.name)
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}
