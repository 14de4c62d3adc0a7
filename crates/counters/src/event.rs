//! An event: what is counted, by which code, and what it is to be taken for.

mod standard;

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub(crate) use standard::{Row, STANDARD, from_row};

use crate::code::Code;
use crate::unavailable::Unavailable;

/// Something that a hardware or software counter counts. Two events are one when their names are. Cheap to clone.
#[derive(Clone)]
pub struct Event(Arc<Definition>);

/// All that is known of an event.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    /// The name it is asked for and recorded by.
    pub name: String,
    /// Other names for it.
    pub aliases: Vec<String>,
    pub meaning: String,
    pub role: Role,
    pub unit: String,
    pub traps: String,
    /// Where the encoding is from; empty where the kernel defines it.
    pub source: String,
    pub kind: Kind,
    pub privilege: Privilege,
    pub fallback: Fallback,
    /// What is opened: one code, or one for each core PMU of a hybrid processor; or why this machine has none.
    pub codes: Result<Vec<Code>, Unavailable>,
}

/// Who counts an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The kernel (`PERF_TYPE_SOFTWARE`): there on every Linux.
    Software,
    /// The core's performance monitoring unit: often missing in virtual machines.
    Hardware,
    /// The kernel, each time it passes a place (`PERF_TYPE_TRACEPOINT`).
    Tracepoint,
    /// Another PMU of the kernel, such as `msr`.
    Other,
}

impl Kind {
    /// `software`, `hardware`, `tracepoint` or `other`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Software => "software",
            Kind::Hardware => "hardware",
            Kind::Tracepoint => "tracepoint",
            Kind::Other => "other",
        }
    }
}

/// The part that an event plays in an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
    /// Nobody has said what it counts.
    Unknown,
}

impl Role {
    /// `cycles`, `instructions`, `time`, `scheduling`, `memory`, `transfer`, `conflict`, `locks`, `stall`, `mode` or `unknown`.
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
            Role::Unknown => "unknown",
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
    pub(crate) fn new(definition: Definition) -> Event {
        Event(Arc::new(definition))
    }

    /// The name that it is asked for and recorded by.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Other names for it.
    #[must_use]
    pub fn aliases(&self) -> &[String] {
        &self.0.aliases
    }

    /// What it counts, in a few words.
    #[must_use]
    pub fn meaning(&self) -> &str {
        &self.0.meaning
    }

    /// The part that it plays in an explanation.
    #[must_use]
    pub fn role(&self) -> Role {
        self.0.role
    }

    /// What one of it is, such as `cycles` or `ns`.
    #[must_use]
    pub fn unit(&self) -> &str {
        &self.0.unit
    }

    /// What its reading must not be taken for.
    #[must_use]
    pub fn traps(&self) -> &str {
        &self.0.traps
    }

    /// Where its encoding is from; empty where the kernel defines it.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// Who counts it.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// What is opened to count it: one code, or one for each core PMU of a hybrid processor.
    ///
    /// # Errors
    /// Why this machine has none.
    pub fn codes(&self) -> Result<&[Code], &Unavailable> {
        self.0.codes.as_deref()
    }

    /// The code by which the PMU of this name counts it.
    #[must_use]
    pub fn code_on(&self, pmu: &str) -> Option<&Code> {
        self.codes().ok()?.iter().find(|code| code.pmu == pmu)
    }

    /// Whether others are set against it, so that it is counted wherever there is room: cycles and instructions.
    pub(crate) fn is_base(&self) -> bool {
        self.kind() == Kind::Hardware && ["cycles", "instructions"].contains(&self.name())
    }

    /// The same under another name.
    pub(crate) fn named(&self, name: &str) -> Event {
        Event::new(Definition { name: name.to_owned(), aliases: Vec::new(), ..self.definition().clone() })
    }

    /// The same in another part.
    pub(crate) fn with_role(&self, role: Role) -> Event {
        Event::new(Definition { role, ..self.definition().clone() })
    }

    /// The same, with other traps.
    pub(crate) fn with_traps(&self, traps: &str) -> Event {
        Event::new(Definition { traps: traps.to_owned(), ..self.definition().clone() })
    }

    pub(crate) fn definition(&self) -> &Definition {
        &self.0
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
        f.write_str(&self.0.name)
    }
}
