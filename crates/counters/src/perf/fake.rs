//! A kernel that answers as a test scripts it.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::{Handle, Perf, Request, Scope, Target, Usage};
use crate::code::Code;
use crate::event::Event;
use crate::names::Vocabulary;

/// An event's code, in one scope or in any.
type Asked = (Code, Option<Scope>);

/// What was asked for, kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opened {
    pub code: Code,
    pub scope: Scope,
    pub target: Target,
    pub leader: Option<Handle>,
}

/// What the scripted kernel knows and remembers; a test keeps one handle and gives the other away.
#[derive(Clone, Default)]
pub(crate) struct Fake(Rc<Script>);

#[derive(Default)]
struct Script {
    /// Errno by event and scope.
    refusals: RefCell<HashMap<Asked, i32>>,
    /// How many events of the core's PMU fit one group; more are EINVAL.
    counters: Cell<Option<usize>>,
    opened: RefCell<Vec<(Handle, Opened)>>,
    closed: RefCell<Vec<Handle>>,
    enabled: RefCell<Vec<Handle>>,
    enable_errno: Cell<Option<i32>>,
    /// The words that reading each leader gives; none make an empty read.
    readings: RefCell<HashMap<Handle, Vec<u64>>>,
    /// Whether enabled groups count as time goes by, and that time.
    counting: Cell<bool>,
    now: Cell<u64>,
    /// How many events of the core's PMU a group may have to be given it.
    schedules: Cell<Option<usize>>,
    /// Events that open, run and stay at 0.
    stuck: RefCell<Vec<Code>>,
    /// Errno of events that have a leader.
    grouped: RefCell<HashMap<Code, i32>>,
    /// How many of the next opens are refused, and with what.
    refused_for: Cell<(usize, i32)>,
    /// How many of the next reads fail with EIO.
    odd_reads: Cell<usize>,
    usage: Cell<Option<Usage>>,
    paranoid: Cell<Option<i32>>,
}

impl Fake {
    pub(crate) fn new() -> Fake {
        let fake = Fake::default();
        fake.0.usage.set(Some(Usage::default()));
        fake
    }

    /// A kernel whose groups count: each event by one a unit of time.
    pub(crate) fn counting() -> Fake {
        let fake = Fake::new();
        fake.0.counting.set(true);
        fake
    }

    /// Lets time go by.
    pub(crate) fn advance(&self) {
        self.0.now.set(self.0.now.get() + 1_000_000);
    }

    /// Groups of more events of the core than this are never given its PMU.
    pub(crate) fn schedules(&self, fit: usize) {
        self.0.schedules.set(Some(fit));
    }

    /// Lets an event open and run without ever moving.
    pub(crate) fn stuck(&self, event: &str) {
        let event = Vocabulary::bare().event(event).expect("a name of the catalogue");
        self.0.stuck.borrow_mut().extend(event.codes().unwrap_or_default().iter().cloned());
    }

    /// What a group that counts reads now: number, enabled, running, values.
    fn group_now(&self, leader: Handle) -> Vec<u64> {
        let opened = self.opened();
        let members: Vec<&Opened> = opened
            .iter()
            .filter(|(handle, other)| *handle == leader || other.leader == Some(leader))
            .map(|(_, other)| other)
            .collect();
        let now = if self.enabled().contains(&leader) { self.0.now.get() } else { 0 };
        let starved = members.first().is_some_and(|first| of_core(&first.code))
            && self.0.schedules.get().is_some_and(|fit| members.len() > fit);
        let running = if starved { 0 } else { now };
        let value = |member: &&Opened| if self.0.stuck.borrow().contains(&member.code) { 0 } else { running };
        [members.len() as u64, now, running].into_iter().chain(members.iter().map(value)).collect()
    }

    pub(crate) fn refuse(&self, event: &str, scope: Option<Scope>, errno: i32) {
        let event = Vocabulary::bare().event(event).expect("a name of the catalogue");
        self.refuse_event(&event, scope, errno);
    }

    /// Refuses an event in groups of others; alone it opens.
    pub(crate) fn refuse_in_groups(&self, event: &str, errno: i32) {
        let event = Vocabulary::bare().event(event).expect("a name of the catalogue");
        let codes = event.codes().unwrap_or_default().iter().cloned();
        self.0.grouped.borrow_mut().extend(codes.map(|code| (code, errno)));
    }

    /// Refuses the next opens, so many of them, and no more.
    pub(crate) fn refuse_next(&self, times: usize, errno: i32) {
        self.0.refused_for.set((times, errno));
    }

    /// Lets the next reads fail, so many of them.
    pub(crate) fn fail_reads(&self, times: usize) {
        self.0.odd_reads.set(times);
    }

    pub(crate) fn refuse_event(&self, event: &Event, scope: Option<Scope>, errno: i32) {
        for code in event.codes().unwrap_or_default() {
            self.0.refusals.borrow_mut().insert((code.clone(), scope), errno);
        }
    }

    pub(crate) fn refuse_all(&self, errno: i32) {
        for event in Vocabulary::bare().all() {
            self.refuse_event(&event, None, errno);
        }
    }

    pub(crate) fn counters(&self, fit: usize) {
        self.0.counters.set(Some(fit));
    }

    pub(crate) fn refuse_enable(&self, errno: i32) {
        self.0.enable_errno.set(Some(errno));
    }

    pub(crate) fn script_read(&self, leader: Handle, words: &[u64]) {
        self.0.readings.borrow_mut().insert(leader, words.to_vec());
    }

    pub(crate) fn script_usage(&self, usage: Option<Usage>) {
        self.0.usage.set(usage);
    }

    pub(crate) fn script_paranoid(&self, level: i32) {
        self.0.paranoid.set(Some(level));
    }

    pub(crate) fn opened(&self) -> Vec<(Handle, Opened)> {
        self.0.opened.borrow().clone()
    }

    pub(crate) fn enabled(&self) -> Vec<Handle> {
        self.0.enabled.borrow().clone()
    }

    /// Handles that are open now; a handle closed twice shows as a panic.
    pub(crate) fn still_open(&self) -> Vec<Handle> {
        let mut open: Vec<Handle> = self.opened().into_iter().map(|(handle, _)| handle).collect();
        for closed in self.0.closed.borrow().iter() {
            let index = open.iter().position(|handle| handle == closed).expect("closed once, after it was opened");
            open.remove(index);
        }
        open
    }
}

impl Perf for Fake {
    fn open(&self, request: Request<'_>) -> Result<Handle, i32> {
        if let (left @ 1.., errno) = self.0.refused_for.get() {
            self.0.refused_for.set((left - 1, errno));
            return Err(errno);
        }
        let refusals = self.0.refusals.borrow();
        let refused = [Some(request.scope), None]
            .into_iter()
            .find_map(|scope| refusals.get(&(request.code.clone(), scope)).copied());
        let in_group = self.0.grouped.borrow().get(request.code).copied().filter(|_| request.leader.is_some());
        if let Some(errno) = refused.or(in_group) {
            return Err(errno);
        }
        if let (Some(fit), Some(leader), true) = (self.0.counters.get(), request.leader, of_core(request.code)) {
            let open = self.still_open();
            let opened = self.opened();
            let in_group = |(handle, other): &&(Handle, Opened)| {
                open.contains(handle) && (*handle == leader || other.leader == Some(leader))
            };
            if opened.iter().filter(in_group).count() >= fit {
                return Err(libc::EINVAL);
            }
        }
        let handle = Handle(100 + self.0.opened.borrow().len() as i32);
        let Request { code, scope, target, leader } = request;
        self.0.opened.borrow_mut().push((handle, Opened { code: code.clone(), scope, target, leader }));
        Ok(handle)
    }

    fn close(&self, handle: Handle) {
        self.0.closed.borrow_mut().push(handle);
    }

    fn enable(&self, leader: Handle) -> Result<(), i32> {
        self.0.enabled.borrow_mut().push(leader);
        self.0.enable_errno.get().map_or(Ok(()), Err)
    }

    fn disable(&self, leader: Handle) -> Result<(), i32> {
        self.0.enabled.borrow_mut().retain(|enabled| *enabled != leader);
        Ok(())
    }

    fn read(&self, leader: Handle, words: &mut [u64]) -> Result<usize, i32> {
        if let left @ 1.. = self.0.odd_reads.get() {
            self.0.odd_reads.set(left - 1);
            return Err(libc::EIO);
        }
        let readings = self.0.readings.borrow();
        let now = if self.0.counting.get() { self.group_now(leader) } else { Vec::new() };
        let scripted = readings.get(&leader).map_or(&now[..], Vec::as_slice);
        let fit = scripted.len().min(words.len());
        words[..fit].copy_from_slice(&scripted[..fit]);
        Ok(fit * size_of::<u64>())
    }

    fn usage(&self) -> Result<Usage, i32> {
        self.0.usage.get().ok_or(libc::EPERM)
    }

    fn paranoid(&self) -> Option<i32> {
        self.0.paranoid.get()
    }
}

fn of_core(code: &Code) -> bool {
    !["software", "tracepoint"].contains(&code.pmu.as_str())
}
