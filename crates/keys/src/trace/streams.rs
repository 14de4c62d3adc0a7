//! Whose worker takes which keys of a trace.

use std::sync::Arc;

use super::Trace;
use crate::dist::Keys;
use crate::stream::Taken;
use crate::{KeyRange, Refusal};

/// How the keys of a trace are shared among workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Streams {
    /// Worker w takes the keys of the trace's threads w, w + workers, …, as they came.
    Thread,
    /// Worker w takes keys w, w + workers, ….
    RoundRobin,
    /// Worker w takes the w-th of as many equal parts.
    Partition,
}

/// The most keys that are copied out for the workers of one trial: 2 GiB of them.
const MOST_COPIED: u64 = 1 << 28;

impl Streams {
    /// All of them, by their names.
    pub const ALL: [(&'static str, Streams); 3] =
        [("thread", Streams::Thread), ("round-robin", Streams::RoundRobin), ("partition", Streams::Partition)];

    /// Whether so many workers can share a trace so.
    ///
    /// # Errors
    /// When a worker would have no key; when threads' keys are too many to be copied out.
    pub fn check(self, trace: &Trace, workers: usize) -> Result<(), Refusal> {
        let parts = match self {
            Streams::Thread => trace.streams().len() as u64,
            _ => trace.len(),
        };
        let refused = |why: String, cure: &str| Err(Refusal::new("streams", why, cure));
        if workers == 0 || parts < workers as u64 {
            let of = if self == Streams::Thread { "thread" } else { "key" };
            let plural = if parts == 1 { "" } else { "s" };
            let why = format!("the trace has {parts} {of}{plural} for {workers} workers");
            let cure = match parts {
                _ if workers == 0 => "ask for a worker".to_owned(),
                _ if trace.len() >= workers as u64 => {
                    format!("ask for {parts} worker{plural} at most, or give streams = \"partition\"")
                }
                _ => format!("ask for {parts} worker{plural} at most, or give a trace with more keys"),
            };
            return refused(why, &cure);
        }
        if self == Streams::Thread && trace.len() > MOST_COPIED {
            let why = format!("{} keys are too many to be put apart by thread in memory", trace.len());
            return refused(why, "give streams = \"partition\" or \"round-robin\", which read the file where it lies");
        }
        Ok(())
    }

    /// The keys of one worker. By thread they are copied, into memory of the thread that calls.
    ///
    /// # Errors
    /// As [`Streams::check`].
    pub fn of(self, trace: &Arc<Trace>, worker: usize, workers: usize) -> Result<Stream, Refusal> {
        self.check(trace, workers)?;
        let (w, n) = (worker as u64, workers as u64);
        let place = |part: u64| (u128::from(trace.len()) * u128::from(part) / u128::from(n)) as u64;
        let part = match self {
            Streams::Thread => Part::Own(trace.stream_keys(|stream| stream % workers == worker).collect()),
            Streams::RoundRobin => Part::Every { first: w, step: n, keys: (trace.len() - w).div_ceil(n) },
            Streams::Partition => Part::Mapped { from: place(w), to: place(w + 1) },
        };
        Ok(Stream { trace: Arc::clone(trace), part, at: 0 })
    }
}

#[derive(Debug)]
enum Part {
    Own(Vec<u64>),
    Mapped { from: u64, to: u64 },
    Every { first: u64, step: u64, keys: u64 },
}

/// The keys of one worker, in order. Has at least one.
#[derive(Debug)]
pub struct Stream {
    trace: Arc<Trace>,
    part: Part,
    /// Keys taken since the first.
    at: u64,
}

impl Stream {
    /// Keys that it has.
    pub fn len(&self) -> u64 {
        match &self.part {
            Part::Own(keys) => keys.len() as u64,
            Part::Mapped { from, to } => to - from,
            Part::Every { keys, .. } => *keys,
        }
    }

    /// Never: it has a key.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Keys taken since the first was last taken.
    pub fn place(&self) -> u64 {
        self.at
    }

    /// Hands the next `count` keys over; after the last comes the first again.
    #[inline]
    pub fn each(&mut self, mut count: u64, mut take: impl FnMut(u64)) {
        let keys = self.len();
        while count > 0 {
            if self.at == keys {
                self.at = 0;
            }
            let some = count.min(keys - self.at);
            self.some(some, &mut take);
            self.at += some;
            count -= some;
        }
    }

    /// Hands the next keys over, as many as there are before the end at most.
    #[inline]
    fn some(&self, count: u64, take: &mut impl FnMut(u64)) {
        let (from, to) = (self.at, self.at + count);
        match &self.part {
            Part::Own(keys) => keys[from as usize..to as usize].iter().for_each(|&key| take(key)),
            Part::Mapped { from: begin, .. } => self.trace.keys(begin + from, begin + to).for_each(take),
            Part::Every { first, step, .. } => {
                let bytes = self.trace.key_bytes(first + from * step, self.trace.len());
                let every = bytes.chunks(8 * *step as usize).take(count as usize);
                every.for_each(|keys| take(keys.first_chunk().map_or(0, |key| u64::from_le_bytes(*key))));
            }
        }
    }
}

impl Keys for Stream {
    fn range(&self) -> KeyRange {
        self.trace.range()
    }

    /// Ends after the last key.
    fn fill(&mut self, keys: &mut [u64]) -> usize {
        let count = (self.len() - self.at).min(keys.len() as u64);
        let mut places = keys.iter_mut();
        self.some(count, &mut |key| {
            if let Some(place) = places.next() {
                *place = key;
            }
        });
        self.at += count;
        count as usize
    }

    fn taken(&self) -> Taken {
        Taken::default()
    }

    fn cumulative(&self, _key: u64) -> Option<f64> {
        None
    }

    fn probability(&self, _key: u64) -> Option<f64> {
        None
    }
}
