//! Opening events one by one into their groups, with the less that is still worth having where the kernel refuses.

use std::marker::PhantomData;

use super::{Group, Holds, Pass, Place, ThreadEvents};
use crate::code::{Code, TYPE_RAW};
use crate::event::{Event, Fallback, Kind, Privilege};
use crate::names::CoreKind;
use crate::perf::{Handle, Perf, Request, Scope, Source, Target};
use crate::unavailable::Unavailable;

/// The cores that events are opened for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cores<'a> {
    /// The PU that the thread is pinned to, where that is known.
    pub pu: Option<u32>,
    /// The machine's kinds of core.
    pub kinds: &'a [CoreKind],
}

impl Cores<'_> {
    /// The code that counts on these cores: a PMU that is no core's counts on all.
    fn code<'e>(&self, event: &'e Event) -> Result<&'e Code, Unavailable> {
        let codes = event.codes().map_err(Clone::clone)?;
        let counts = |code: &&Code| match (self.pu, self.kinds.iter().find(|kind| kind.pmu == code.pmu)) {
            (Some(pu), Some(kind)) => kind.has(pu),
            _ => true,
        };
        let other = || Unavailable::OtherCores { pmu: codes.first().map_or(String::new(), |code| code.pmu.clone()) };
        codes.iter().find(counts).ok_or_else(other)
    }
}

impl ThreadEvents {
    pub(crate) fn open_with(perf: Box<dyn Perf>, pass: &Pass, cores: Cores<'_>, target: Target) -> ThreadEvents {
        let mut this = ThreadEvents {
            perf,
            groups: Vec::new(),
            events: Vec::new(),
            places: Vec::new(),
            unavailable: Vec::new(),
            ungrouped: matches!(target, Target::ThreadAndChildren(_)),
            on_its_thread: PhantomData,
        };
        for companion in &pass.companions {
            this.accompany(companion, target);
        }
        // The core's events first, so that one of them leads the group that the others join.
        let of_core = |event: &&Event| event.kind() == Kind::Hardware;
        let (core, others): (Vec<&Event>, Vec<&Event>) = pass.events.iter().partition(of_core);
        for event in core.into_iter().chain(others) {
            if !this.events.contains(event) && this.unavailable.iter().all(|(other, _)| other != event) {
                this.add(event, cores, target, pass.multiplex);
            }
        }
        this.put_in_order(&pass.events);
        this
    }

    /// As asked for, whatever the order of opening.
    fn put_in_order(&mut self, asked: &[Event]) {
        let place = |event: &Event| asked.iter().position(|other| other == event);
        let mut opened: Vec<_> =
            std::mem::take(&mut self.events).into_iter().zip(std::mem::take(&mut self.places)).collect();
        opened.sort_by_key(|(event, _)| place(event));
        (self.events, self.places) = opened.into_iter().unzip();
        self.unavailable.sort_by_key(|(event, _)| place(event));
    }

    /// Opens a code that the PMU's rules want beside the events; where it is refused, so will they be.
    fn accompany(&mut self, code: &Code, target: Target) {
        let leader = self.leader(Holds::Core);
        let asked = Asked { code, privilege: Privilege::User, target };
        if let Ok((handle, _)) = asked.open(&*self.perf, leader) {
            self.hold(Holds::Core, handle, leader.is_none());
        }
    }

    fn add(&mut self, event: &Event, cores: Cores<'_>, target: Target, multiplex: bool) {
        let definition = event.definition();
        let opened = cores.code(event).and_then(|code| {
            let holds = self.holds(definition.kind, code, multiplex);
            let asked = Asked { code, privilege: definition.privilege, target };
            // An event that follows children is in no group.
            let leader = self.leader(holds).filter(|_| !self.ungrouped);
            match asked.open(&*self.perf, leader) {
                Err(Unavailable::NotTogether) if multiplex => Ok((asked.open(&*self.perf, None)?, holds, true)),
                opened => Ok((opened?, holds, leader.is_none())),
            }
        });
        let (place, source) = match opened {
            Ok(((handle, scope), holds, leads)) => (self.hold(holds, handle, leads), Source::Perf(scope)),
            Err(because) => match stand_in(&*self.perf, definition.fallback).filter(|_| target == Target::ThisThread) {
                Some(call) => (Place::Usage(definition.fallback), Source::Instead { call, because }),
                None => return self.unavailable.push((event.clone(), because)),
            },
        };
        self.events.push(event.clone());
        self.places.push((place, source));
    }

    /// Which group an event belongs to. The kernel's own events join the core's, so that all are read in one call; not those that take turns,
    /// with which they would be stopped.
    fn holds(&self, kind: Kind, code: &Code, multiplex: bool) -> Holds {
        let core = !multiplex && self.leader(Holds::Core).is_some();
        match kind {
            Kind::Software | Kind::Tracepoint if core => Holds::Core,
            Kind::Software | Kind::Tracepoint => Holds::Kernel,
            Kind::Hardware => Holds::Core,
            Kind::Other if code.pmu_type == TYPE_RAW => Holds::Core,
            Kind::Other => Holds::Other(code.pmu_type),
        }
    }

    /// The leader of the group that the next event of its sort joins: the last one made.
    fn leader(&self, holds: Holds) -> Option<Handle> {
        self.groups.iter().rfind(|group| group.holds == holds).map(|group| group.handles[0])
    }

    fn hold(&mut self, holds: Holds, handle: Handle, leads: bool) -> Place {
        if leads {
            self.groups.push(Group { holds, handles: Vec::new(), failed: None });
        }
        let group = self.groups.iter().rposition(|group| group.holds == holds).unwrap_or(0);
        let handles = &mut self.groups[group].handles;
        handles.push(handle);
        Place::Member { group, index: handles.len() - 1 }
    }
}

/// A code to be opened in the widest scope that it is meant for.
struct Asked<'a> {
    code: &'a Code,
    privilege: Privilege,
    target: Target,
}

impl Asked<'_> {
    /// Opens it in the widest scope that the kernel permits.
    fn open(&self, perf: &dyn Perf, leader: Option<Handle>) -> Result<(Handle, Scope), Unavailable> {
        let request = |scope, leader| Request { code: self.code, scope, target: self.target, leader };
        let try_scope = |scope| perf.open(request(scope, leader)).map(|handle| (handle, scope));
        let why = |errno, scope| Unavailable::from_errno(errno, scope == Scope::UserAndKernel, perf.paranoid());
        let (errno, scope) = match self.privilege {
            Privilege::All => match try_scope(Scope::UserAndKernel) {
                Ok(opened) => return Ok(opened),
                Err(errno) => (errno, Scope::UserAndKernel),
            },
            Privilege::AllElseUser => match try_scope(Scope::UserAndKernel) {
                Ok(opened) => return Ok(opened),
                Err(libc::EACCES | libc::EPERM) => match try_scope(Scope::User) {
                    Ok(opened) => return Ok(opened),
                    Err(errno) => (errno, Scope::User),
                },
                Err(errno) => (errno, Scope::UserAndKernel),
            },
            Privilege::User => match try_scope(Scope::User) {
                Ok(opened) => return Ok(opened),
                // A PMU without modes refuses the exclusions rather than the event (PERF_PMU_CAP_NO_EXCLUDE).
                Err(errno @ (libc::EINVAL | libc::EOPNOTSUPP)) => match try_scope(Scope::UserAndKernel) {
                    Ok(opened) => return Ok(opened),
                    Err(_) => (errno, Scope::User),
                },
                Err(errno) => (errno, Scope::User),
            },
        };
        // The kernel validates a group as it grows, and says EINVAL of the member that does not fit.
        if let (libc::EINVAL, Some(_)) = (errno, leader) {
            if let Ok(alone) = perf.open(request(scope, None)) {
                perf.close(alone);
                return Err(Unavailable::NotTogether);
            }
        }
        Err(why(errno, scope))
    }
}

/// The call that stands in for an event, where it works.
fn stand_in(perf: &dyn Perf, fallback: Fallback) -> Option<&'static str> {
    let call = match fallback {
        Fallback::None => return None,
        Fallback::ThreadTime => "clock_gettime(CLOCK_THREAD_CPUTIME_ID)",
        Fallback::Switches | Fallback::Faults | Fallback::MinorFaults | Fallback::MajorFaults => {
            "getrusage(RUSAGE_THREAD)"
        }
    };
    perf.usage().is_ok_and(|usage| usage.total(fallback).is_some()).then_some(call)
}
