//! The loop that begins transactions, locks, works, and ends them, the same whatever locks.

use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use hitm_experiment::record::{Observation, Verification};
use hitm_keys::KeyRange;
use hitm_keys::dist::Keys;
use hitm_keys::rng::SplitMix64;
use hitm_locks::history::{Log, Step};
use hitm_locks::{Counts, Granted, Mode, Refused, Space, Span};

use super::manager::{Manager, NotLocked, Session};
use super::tallies::{Account, End, Spent};
use super::verify::{self, Told};
use crate::contract::{Arena, Context, Done, Kernel, Notes, Setting, Worker};
use crate::keys::source::Source;
use crate::work::work;

/// What a transaction does, whatever locks.
#[derive(Clone)]
pub struct Script {
    pub(super) source: Source,
    /// Locks of rows a transaction.
    pub(super) locks: usize,
    /// Keys of a lock, side by side.
    pub(super) span: u64,
    /// Whether each row's entry in a second index is locked too.
    pub(super) secondary: bool,
    /// Locks that are shared, of a hundred.
    pub(super) shared: u64,
    /// Whether locks are taken in the order of their keys.
    pub(super) ascending: bool,
    /// Units of own work after each lock.
    pub(super) work: u32,
    /// Time asleep before the end, with all locks held.
    pub(super) think: Duration,
    /// How long a lock is waited for.
    pub(super) timeout: Duration,
    /// Whether an attempt that was refused is made again with the same keys.
    pub(super) same_keys: bool,
    /// Whether what happens within a transaction is timed.
    pub(super) timed: bool,
}

/// The rows' own space, and that of the second index.
const ROWS: Space = Space(0);
const SECONDARY: Space = Space(1);

impl Script {
    /// The kernel that runs it against a manager, made anew for each trial.
    pub fn kernel<M: Manager>(
        self,
        make: impl Fn(&Setting) -> Result<M, String> + Send + Sync + 'static,
    ) -> Box<dyn Kernel> {
        Box::new(move |setting: &Setting| {
            let laid = Laid {
                manager: make(setting)?,
                script: self.clone(),
                stamps: Stamps::default(),
                told: (0..setting.workers).map(|_| Mutex::default()).collect(),
            };
            Ok(Box::new(laid) as Box<dyn Arena>)
        })
    }
}

/// Numbers that rise over all workers: the order of what an observation's history tells.
#[derive(Debug, Default)]
#[repr(align(256))]
struct Stamps(AtomicU64);

struct Laid<M> {
    manager: M,
    script: Script,
    stamps: Stamps,
    /// What each worker did, told when it is dropped.
    told: Vec<Mutex<Told>>,
}

impl<M: Manager> Arena for Laid<M> {
    fn worker<'a>(&'a self, context: Context<'a>) -> Box<dyn Worker + 'a> {
        let keys = self.script.source.keys(context.seed);
        let (session, failed) = match self.manager.session() {
            Ok(session) => (Some(session), None),
            Err(why) => (None, Some(why)),
        };
        Box::new(Transactor {
            script: &self.script,
            ranges: self.manager.ranges(),
            range: self.script.source.range(),
            session,
            context,
            keys,
            modes: SplitMix64::new(context.seed ^ 0x6d6f_6465_7300_0000),
            wanted: Vec::with_capacity(self.script.locks * 2),
            fresh: false,
            first_attempt: 0,
            account: Account::new(),
            counts: Counts::default(),
            history: None,
            committed: 0,
            kept: None,
            value: 0,
            failed,
            stamps: &self.stamps.0,
            told: &self.told[context.index],
        })
    }

    fn verify(&self, totals: &[u64]) -> Verification {
        verify::verify(&self.told(), totals, self.manager.held(), self.manager.obstacles())
    }

    fn observe(&self, samples: &[Vec<u64>]) -> Vec<Observation> {
        verify::observe(samples, &self.told())
    }
}

impl<M> Laid<M> {
    fn told(&self) -> Vec<Told> {
        self.told.iter().map(|told| told.lock().unwrap_or_else(PoisonError::into_inner).clone()).collect()
    }
}

#[derive(Clone, Copy, Debug)]
struct Wanted {
    space: Space,
    span: Span,
    mode: Mode,
}

#[repr(align(256))]
struct Transactor<'a, S: Session> {
    script: &'a Script,
    ranges: bool,
    range: KeyRange,
    session: Option<S>,
    context: Context<'a>,
    keys: Box<dyn Keys>,
    modes: SplitMix64,
    /// The locks of the transaction under way.
    wanted: Vec<Wanted>,
    /// Whether they have not been tried yet.
    fresh: bool,
    first_attempt: u64,
    account: Account,
    /// What the requests met, over the worker's whole life.
    counts: Counts,
    /// What an observation notes.
    history: Option<Log>,
    committed: u64,
    /// Values that an observation kept.
    kept: Option<u64>,
    value: u64,
    failed: Option<String>,
    stamps: &'a AtomicU64,
    told: &'a Mutex<Told>,
}

impl<S: Session> Transactor<'_, S> {
    /// Draws the keys of the next transaction; `false` when there are no more.
    fn draw(&mut self) -> bool {
        let script = self.script;
        self.wanted.clear();
        let mut key = [0];
        for _ in 0..script.locks {
            if self.keys.fill(&mut key) == 0 {
                return false;
            }
            let key = key[0].clamp(self.range.low(), self.range.high());
            let mode = if self.modes.draw() % 100 < script.shared { Mode::Shared } else { Mode::Exclusive };
            let last = key.saturating_add(script.span - 1).min(self.range.high());
            let whole = Span::new(key, last).unwrap_or(Span::point(key));
            if self.ranges {
                self.wanted.push(Wanted { space: ROWS, span: whole, mode });
            } else {
                let points = (key..=last).map(|key| Wanted { space: ROWS, span: Span::point(key), mode });
                self.wanted.extend(points);
            }
            if script.secondary {
                // An entry of a second index is its column's value and the row's key: as many as rows, in an order of their own.
                let entry = SplitMix64::new(key).draw();
                self.wanted.push(Wanted { space: SECONDARY, span: Span::point(entry), mode });
            }
        }
        if script.ascending {
            self.wanted.sort_unstable_by_key(|wanted| (wanted.space, wanted.span));
        }
        self.fresh = true;
        true
    }

    fn note(&mut self, step: Step) {
        if let Some(log) = &mut self.history {
            log.note(self.stamps.fetch_add(1, Relaxed), step);
        }
    }

    /// The clock, where what happens is timed; otherwise the reading before.
    fn mark(&self, before: u64) -> u64 {
        if self.script.timed { self.context.time.now() } else { before }
    }

    /// One attempt at the transaction under way.
    ///
    /// # Errors
    /// What the engine says, which ends the worker's work.
    fn attempt(&mut self) -> Result<End, String> {
        let Some(mut session) = self.session.take() else { return Err("it has no session".to_owned()) };
        let end = self.attempt_in(&mut session);
        self.session = Some(session);
        end
    }

    fn attempt_in(&mut self, session: &mut S) -> Result<End, String> {
        let began = self.context.time.now();
        if self.fresh {
            (self.first_attempt, self.fresh) = (began, false);
        }
        let mut spent = Spent::default();
        let number = session.begin()?;
        self.note(Step::Began(number));
        let mut mark = self.mark(began);
        spent.locking += mark - began;
        let (mut first_lock, mut refused) = (None, None);
        for index in 0..self.wanted.len() {
            match self.lock(session, index, &mut mark, &mut spent)? {
                Continue(()) => {
                    first_lock.get_or_insert(mark);
                    self.value = work(self.value ^ index as u64, self.script.work);
                    let after = if self.script.work > 0 { self.mark(mark) } else { mark };
                    spent.working += after - mark;
                    mark = after;
                }
                Break(end) => {
                    refused = Some(end);
                    break;
                }
            }
        }
        let end = refused.unwrap_or(End::Committed);
        if end == End::Committed && !self.script.think.is_zero() {
            thread::sleep(self.script.think.min(self.context.time.ends().saturating_duration_since(Instant::now())));
            let after = self.mark(mark);
            spent.working += after - mark;
            mark = after;
        }
        self.note(Step::Releases);
        session.end()?;
        self.note(Step::Released);
        let ended = self.mark(mark);
        spent.locking += ended - mark;
        self.account.attempt(spent, end);
        if self.script.timed {
            if let Some(first_lock) = first_lock {
                self.account.held(ended - first_lock);
            }
            if end == End::Committed {
                self.account.committed_after(ended - self.first_attempt);
            }
        }
        Ok(end)
    }

    /// One lock. `mark` is the last reading of the clock.
    fn lock(
        &mut self,
        session: &mut S,
        index: usize,
        mark: &mut u64,
        spent: &mut Spent,
    ) -> Result<ControlFlow<End>, String> {
        let Wanted { space, span, mode } = self.wanted[index];
        let asked = if self.script.timed { *mark } else { self.context.time.now() };
        let timeout = self.context.time.instant(asked) + self.script.timeout;
        let ends = self.context.time.ends();
        self.note(Step::Asks(space, span, mode));
        let answer = session.lock(space, span, mode, timeout.min(ends));
        let after = self.mark(*mark);
        let took = after - *mark;
        *mark = after;
        match answer {
            Ok(granted) => {
                self.note(Step::Granted);
                if granted == Granted::AfterWaiting {
                    spent.waiting += took;
                    self.account.waited(took);
                } else {
                    spent.locking += took;
                }
                Ok(Continue(()))
            }
            Err(NotLocked::Failed(why)) => Err(why),
            Err(NotLocked::Refused(refused)) => {
                self.note(Step::Refused(refused));
                spent.waiting += took;
                let end = match refused {
                    Refused::Deadlock => End::Deadlock,
                    Refused::TimedOut if timeout < ends => End::TimedOut,
                    Refused::TimedOut | Refused::Cancelled | Refused::Busy => End::CutOff,
                    Refused::Expired | Refused::Full | Refused::Invalid(_) => return Err(refused.to_string()),
                };
                if end != End::Deadlock {
                    self.account.waited(took);
                }
                Ok(Break(end))
            }
        }
    }

    /// One transaction, tried until it commits; `false` where it cannot be, because the trial ends, keys do or the engine failed.
    fn transact(&mut self) -> bool {
        loop {
            if (!self.script.same_keys || self.wanted.is_empty()) && !self.draw() {
                return false;
            }
            match self.attempt() {
                Ok(End::Committed) => {
                    self.wanted.clear();
                    self.committed += 1;
                    return true;
                }
                // Cut off by its wait, or refused so often that nothing else would look at the time.
                Ok(End::CutOff) => break,
                Ok(End::Deadlock | End::TimedOut) if Instant::now() >= self.context.time.ends() => break,
                Ok(End::Deadlock | End::TimedOut) => {}
                Err(why) => {
                    self.failed = Some(why);
                    break;
                }
            }
        }
        self.wanted.clear();
        false
    }

    fn take_counts(&mut self) -> Counts {
        let counts = self.session.as_mut().map(Session::take_counts).unwrap_or_default();
        self.counts.add(&counts);
        counts
    }
}

impl<S: Session> Worker for Transactor<'_, S> {
    fn run(&mut self, operations: u64) -> Done {
        let mut done = 0;
        while done < operations && self.failed.is_none() && self.transact() {
            done += 1;
        }
        Done { operations: done, value: self.value }
    }

    fn sample(&mut self, values: &mut [u64]) -> usize {
        self.history.get_or_insert_with(Log::new);
        let mut kept = 0;
        while kept < values.len() && self.failed.is_none() {
            if self.wanted.is_empty() && !self.draw() {
                break;
            }
            let rows = self.wanted.iter().filter(|wanted| wanted.space == ROWS);
            for (place, wanted) in values[kept..].iter_mut().zip(rows) {
                *place = wanted.span.left();
                kept += 1;
            }
            match self.attempt() {
                Ok(End::CutOff) => break,
                Ok(_) => self.wanted.clear(),
                Err(why) => self.failed = Some(why),
            }
            if Instant::now() >= self.context.time.ends() {
                break;
            }
        }
        self.kept = Some(kept as u64);
        kept
    }

    fn take_notes(&mut self) -> Notes {
        let counts = self.take_counts();
        self.account.take(counts, self.script.timed)
    }
}

impl<S: Session> Drop for Transactor<'_, S> {
    fn drop(&mut self) {
        self.take_counts();
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        *told = Told {
            committed: self.committed,
            kept: self.kept,
            counts: self.counts,
            history: self.history.take().map(Arc::new),
            failed: self.failed.take(),
        };
    }
}
