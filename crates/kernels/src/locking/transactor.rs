//! The loop that begins transactions, locks, works, and ends them, the same whatever locks.

use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;

use hitm_locks::history::{Log, Step};
use hitm_locks::{Counts, Granted, Refused};

use super::manager::{Manager, NotLocked, Session, Tells};
use super::tallies::{Account, End, Spent};
use super::transacting::Script;
use super::verify::Told;
use super::wanted::{Drawing, ROWS, Wanted};
use crate::contract::{Context, Done, Notes, Worker};
use crate::work::work;

/// A worker: its session in the manager, and all that it does there.
#[repr(align(256))]
pub(super) struct Transactor<'a, S: Session> {
    /// Or why there is none.
    session: Result<S, String>,
    /// Values that an observation kept.
    kept: Option<u64>,
    /// What the requests met, over the worker's whole life.
    counts: Counts,
    told: &'a OnceLock<Told>,
    own: Own<'a>,
}

/// What a worker has of its own besides the session.
struct Own<'a> {
    /// A copy: the original lies beside the manager, on lines that others write.
    script: Script,
    context: Context<'a>,
    drawing: Drawing,
    /// The locks of the transaction under way.
    wanted: Vec<Wanted>,
    /// Whether they have not been tried yet.
    fresh: bool,
    first_attempt: u64,
    account: Account,
    /// What an observation notes.
    history: Option<Log>,
    committed: u64,
    value: u64,
    failed: Option<String>,
    stamps: &'a AtomicU64,
    tells: Tells,
}

impl Own<'_> {
    /// Draws the locks of the next transaction; `false` when there are no more keys.
    fn draw(&mut self) -> bool {
        self.fresh = self.drawing.draw(&self.script, &mut self.wanted);
        self.fresh
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
    fn attempt(&mut self, session: &mut impl Session) -> Result<End, String> {
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
            thread::sleep(self.script.think.min(self.context.time.left()));
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
        session: &mut impl Session,
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
    fn transact(&mut self, session: &mut impl Session) -> bool {
        loop {
            if (!self.script.same_keys || self.wanted.is_empty()) && !self.draw() {
                return false;
            }
            match self.attempt(session) {
                Ok(End::Committed) => {
                    self.wanted.clear();
                    self.committed += 1;
                    return true;
                }
                // Cut off by its wait, or refused so often that nothing else would look at the time.
                Ok(End::CutOff) => break,
                Ok(End::Deadlock | End::TimedOut) if self.context.time.left().is_zero() => break,
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

    /// Transactions whose every step is noted, until the places are full of the rows that they locked; how many are.
    fn sample(&mut self, session: &mut impl Session, values: &mut [u64]) -> usize {
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
            match self.attempt(session) {
                Ok(End::CutOff) => break,
                Ok(_) => self.wanted.clear(),
                Err(why) => self.failed = Some(why),
            }
            if self.context.time.left().is_zero() {
                break;
            }
        }
        kept
    }
}

impl<'a, S: Session> Transactor<'a, S> {
    pub(super) fn new<M: Manager<Session<'a> = S>>(
        manager: &'a M,
        script: &Script,
        context: Context<'a>,
        stamps: &'a AtomicU64,
        told: &'a [OnceLock<Told>],
    ) -> Self {
        let draws = script.origin.draws(context.seed, context.index, told.len());
        let session = manager.session();
        let own = Own {
            script: script.clone(),
            context,
            drawing: Drawing::new(draws, context.seed, manager.ranges()),
            wanted: Vec::with_capacity(script.locks * 2),
            fresh: false,
            first_attempt: 0,
            account: Account::new(),
            history: None,
            committed: 0,
            value: 0,
            failed: session.as_ref().err().cloned(),
            stamps,
            tells: manager.tells(),
        };
        Transactor { session, kept: None, counts: Counts::default(), told: &told[context.index], own }
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
        if let Ok(session) = &mut self.session {
            while done < operations && self.own.failed.is_none() && self.own.transact(session) {
                done += 1;
            }
        }
        Done { operations: done, value: self.own.value }
    }

    fn sample(&mut self, values: &mut [u64]) -> usize {
        let kept = self.session.as_mut().map_or(0, |session| self.own.sample(session, values));
        self.kept = Some(kept as u64);
        kept
    }

    fn take_notes(&mut self) -> Notes {
        let counts = self.take_counts();
        self.own.account.take(counts, self.own.script.timed, self.own.tells)
    }
}

impl<S: Session> Drop for Transactor<'_, S> {
    fn drop(&mut self) {
        self.take_counts();
        // A second worker of the same index would be the runner's fault; what the first one did stands.
        let _ = self.told.set(Told {
            committed: self.own.committed,
            kept: self.kept,
            counts: self.counts,
            history: self.own.history.take(),
            failed: self.own.failed.take(),
        });
    }
}
