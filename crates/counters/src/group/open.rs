//! Opening events one by one into their groups, with the less that is still worth having where the kernel refuses.

use std::marker::PhantomData;

use super::{Group, Place, ThreadEvents};
use crate::event::{Definition, Event, Fallback, Privilege};
use crate::perf::{Handle, Perf, Request, Scope, Source};
use crate::unavailable::Unavailable;

impl ThreadEvents {
    pub(crate) fn open_with(perf: Box<dyn Perf>, events: &[Event]) -> ThreadEvents {
        let mut this = ThreadEvents {
            perf,
            groups: Vec::new(),
            events: Vec::new(),
            places: Vec::new(),
            unavailable: Vec::new(),
            on_its_thread: PhantomData,
        };
        for (index, event) in events.iter().enumerate() {
            if !events[..index].contains(event) {
                this.add(event);
            }
        }
        this
    }

    fn add(&mut self, event: &Event) {
        let definition = event.definition();
        let group = self.groups.iter().position(|group| group.kind == definition.kind);
        let leader = group.map(|group| self.groups[group].handles[0]);
        let (place, source) = match open_one(&*self.perf, definition, leader) {
            Ok((handle, scope)) => {
                let group = group.unwrap_or_else(|| {
                    self.groups.push(Group { kind: definition.kind, handles: Vec::new(), failed: None });
                    self.groups.len() - 1
                });
                let handles = &mut self.groups[group].handles;
                handles.push(handle);
                (Place::Member { group, index: handles.len() - 1 }, Source::Perf(scope))
            }
            Err(because) => match stand_in(&*self.perf, definition.fallback) {
                Some(call) => (Place::Usage(definition.fallback), Source::Instead { call, because }),
                None => return self.unavailable.push((event.clone(), because)),
            },
        };
        self.events.push(event.clone());
        self.places.push((place, source));
    }
}

/// Opens an event in the widest scope it is meant for that the kernel permits.
fn open_one(perf: &dyn Perf, definition: &Definition, leader: Option<Handle>) -> Result<(Handle, Scope), Unavailable> {
    let request = |scope, leader| Request { kind: definition.kind, config: definition.config, scope, leader };
    let try_scope = |scope| perf.open(request(scope, leader)).map(|handle| (handle, scope));
    let why = |errno, scope| Unavailable::from_errno(errno, scope == Scope::UserAndKernel, perf.paranoid());
    let (errno, scope) = match definition.privilege {
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
