//! The counters that unique keys come from.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use crate::contract::Setting;
use crate::memory::Memory;

/// A counter in memory that workers share.
pub(super) trait Counter: Sized + Send + Sync + 'static {
    /// Whether a key may come twice.
    const MAY_REPEAT: bool = false;

    /// What one worker takes keys by.
    type Hand<'a>: Hand
    where
        Self: 'a;

    /// Lays it out at zero; `block` keys are taken at once where that is the counter's way.
    fn lay_out(setting: &Setting, block: u64) -> Self;

    /// One worker's part.
    fn hand(&self) -> Self::Hand<'_>;

    /// The first key that nobody was given.
    fn next(&self) -> u64;

    /// Where it lies.
    fn addresses(&self) -> Range<usize>;
}

/// One worker's part of a counter.
pub(super) trait Hand {
    /// The next key.
    fn next(&mut self) -> u64;

    /// Keys that it was given and did not hand on.
    fn left(&self) -> Range<u64> {
        0..0
    }
}

macro_rules! on_one_word {
    ($counter:ident) => {
        type Hand<'a> = $counter<&'a AtomicU64>;

        fn lay_out(setting: &Setting, _block: u64) -> Self {
            $counter(Memory::zeroed(8, setting.seed))
        }

        fn hand(&self) -> $counter<&AtomicU64> {
            $counter(self.0.at(0))
        }

        fn next(&self) -> u64 {
            self.0.at(0).load(Relaxed)
        }

        fn addresses(&self) -> Range<usize> {
            self.0.addresses()
        }
    };
}

/// `shared-fetch-add`.
pub(super) struct FetchAdd<M = Memory<AtomicU64>>(M);

impl Counter for FetchAdd {
    on_one_word!(FetchAdd);
}

impl Hand for FetchAdd<&AtomicU64> {
    #[inline]
    fn next(&mut self) -> u64 {
        self.0.fetch_add(1, Relaxed)
    }
}

/// `shared-racy`.
pub(super) struct Racy<M = Memory<AtomicU64>>(M);

impl Counter for Racy {
    const MAY_REPEAT: bool = true;

    on_one_word!(Racy);
}

impl Hand for Racy<&AtomicU64> {
    #[inline]
    fn next(&mut self) -> u64 {
        let key = self.0.load(Relaxed);
        self.0.store(key + 1, Relaxed);
        key
    }
}

/// `per-worker-block`.
pub(super) struct Block {
    memory: Memory<AtomicU64>,
    block: u64,
}

impl Counter for Block {
    type Hand<'a> = BlockHand<'a>;

    fn lay_out(setting: &Setting, block: u64) -> Self {
        Block { memory: Memory::zeroed(8, setting.seed), block: block.max(1) }
    }

    fn hand(&self) -> BlockHand<'_> {
        BlockHand { counter: self.memory.at(0), block: self.block, left: 0..0 }
    }

    fn next(&self) -> u64 {
        self.memory.at(0).load(Relaxed)
    }

    fn addresses(&self) -> Range<usize> {
        self.memory.addresses()
    }
}

/// Keys that a worker has taken in one go.
pub(super) struct BlockHand<'a> {
    counter: &'a AtomicU64,
    block: u64,
    left: Range<u64>,
}

impl Hand for BlockHand<'_> {
    #[inline]
    fn next(&mut self) -> u64 {
        if self.left.is_empty() {
            let first = self.counter.fetch_add(self.block, Relaxed);
            self.left = first..first + self.block;
        }
        let key = self.left.start;
        self.left.start += 1;
        key
    }

    fn left(&self) -> Range<u64> {
        self.left.clone()
    }
}

/// `shared-mutex`: the counter within a lock of the standard library.
pub(super) struct Locked(Memory<Lock>);

/// The lock, with nothing of anybody else on its lines.
#[repr(align(512))]
pub(super) struct Lock(Mutex<u64>);

impl Lock {
    fn with<T>(&self, what: impl FnOnce(&mut u64) -> T) -> T {
        what(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Counter for Locked {
    type Hand<'a> = &'a Lock;

    fn lay_out(setting: &Setting, _block: u64) -> Self {
        Locked(Memory::filled(size_of::<Lock>(), setting.seed, || Lock(Mutex::new(0))))
    }

    fn hand(&self) -> &Lock {
        self.0.at(0)
    }

    fn next(&self) -> u64 {
        self.0.at(0).with(|next| *next)
    }

    fn addresses(&self) -> Range<usize> {
        let start = &raw const self.0.at(0).0 as usize;
        start..start + size_of::<Mutex<u64>>()
    }
}

impl Hand for &Lock {
    #[inline]
    fn next(&mut self) -> u64 {
        self.with(|next| {
            let key = *next;
            *next += 1;
            key
        })
    }
}
