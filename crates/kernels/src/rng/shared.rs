//! One state for all workers.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use hitm_experiment::record::Verification;
use hitm_keys::rng::{Word, WordState};
use hitm_keys::stream::{InMemory, Stream};

use super::cells::{Generator, State, States};
use super::place::{Place, Source, Start};
use super::verdict;
use crate::contract::Setting;
use crate::memory::Memory;
use crate::rng::place::lends_itself;

/// `shared-racy`: its words are loaded and stored without a lock.
pub(super) struct Racy<G: Generator> {
    memory: States<G>,
    start: G,
}

impl<G: Generator> Place for Racy<G> {
    type Generator = G;
    type Source<'a> = RacySource<'a, G>;

    fn lay_out(setting: &Setting) -> Result<Self, String> {
        let (memory, start) = (States::<G>::zeroed(size_of::<G::Words>(), setting.seed), G::seeded(setting.seed));
        State::<G>::at(&memory, 0).put(&start);
        Ok(Racy { memory, start })
    }

    fn source(&self, _index: usize, _start: Start) -> RacySource<'_, G> {
        RacySource(State::at(&self.memory, 0))
    }

    fn verify(&self, steps: &[u64]) -> Verification {
        verdict::racy(&self.start, &G::from_words(State::<G>::at(&self.memory, 0).words()), steps)
    }

    fn addresses(&self) -> Range<usize> {
        self.memory.addresses()
    }
}

/// Draws from a state in shared memory without a lock.
pub(super) struct RacySource<'a, G: Generator>(pub(super) State<'a, G>);

impl<G: Generator> Stream for RacySource<'_, G> {
    #[inline]
    fn word(&mut self) -> u64 {
        InMemory::<G, _>::new(&self.0).word()
    }

    #[inline]
    fn unit(&mut self) -> f64 {
        InMemory::<G, _>::new(&self.0).unit()
    }

    #[inline]
    fn bits(&mut self) -> u64 {
        InMemory::<G, _>::new(&self.0).bits()
    }
}

lends_itself!(RacySource<'_, G>, G: Generator);

/// `shared-atomic`: a state of at most 8 bytes, moved on by one relaxed compare-and-exchange.
pub(super) struct Atomic<G> {
    memory: Memory<AtomicU64>,
    start: G,
}

impl<G: Generator> Place for Atomic<G> {
    type Generator = G;
    type Source<'a> = AtomicSource<'a, G>;

    fn lay_out(setting: &Setting) -> Result<Self, String> {
        let (memory, start) = (Memory::zeroed(8, setting.seed), G::seeded(setting.seed));
        Memory::<AtomicU64>::at(&memory, 0).store(pack(&start), Relaxed);
        Ok(Atomic { memory, start })
    }

    fn source(&self, _index: usize, _start: Start) -> AtomicSource<'_, G> {
        AtomicSource { state: self.memory.at(0), generator: PhantomData }
    }

    fn verify(&self, steps: &[u64]) -> Verification {
        verdict::shared(&self.start, &unpack(self.memory.at(0).load(Relaxed)), steps)
    }

    fn addresses(&self) -> Range<usize> {
        self.memory.addresses()
    }
}

/// Draws from a state that is one atomic word.
pub(super) struct AtomicSource<'a, G> {
    state: &'a AtomicU64,
    generator: PhantomData<G>,
}

impl<G: WordState> AtomicSource<'_, G> {
    #[inline]
    fn step<T>(&self, draw: impl Fn(&mut G) -> T) -> T {
        let mut seen = self.state.load(Relaxed);
        loop {
            let mut generator: G = unpack(seen);
            let value = draw(&mut generator);
            match self.state.compare_exchange_weak(seen, pack(&generator), Relaxed, Relaxed) {
                Ok(_) => return value,
                Err(now) => seen = now,
            }
        }
    }
}

impl<G: WordState + Stream> Stream for AtomicSource<'_, G> {
    #[inline]
    fn word(&mut self) -> u64 {
        self.step(G::word)
    }

    #[inline]
    fn unit(&mut self) -> f64 {
        self.step(G::unit)
    }

    #[inline]
    fn bits(&mut self) -> u64 {
        self.step(G::bits)
    }
}

lends_itself!(AtomicSource<'_, G>, G: WordState + Stream);

/// Whether a state fits one atomic word.
pub(super) const fn is_atomic<G: WordState>() -> bool {
    size_of::<G::Words>() <= size_of::<u64>()
}

#[inline]
fn pack<G: WordState>(generator: &G) -> u64 {
    let bits = <G::Word as Word>::BITS;
    // A shift by all 64 bits leaves nothing: then there is one word.
    generator.words().as_ref().iter().rev().fold(0u64, |sum, word| sum.checked_shl(bits).unwrap_or(0) | word.widen())
}

#[inline]
fn unpack<G: WordState>(mut packed: u64) -> G {
    let bits = <G::Word as Word>::BITS;
    let mut words = G::Words::default();
    for word in words.as_mut() {
        *word = Word::narrow(packed);
        packed = packed.checked_shr(bits).unwrap_or(0);
    }
    G::from_words(words)
}

/// `mutex`: a state within a lock of the standard library, which shares its line, as in most programs.
pub(super) struct Locked<G> {
    memory: Memory<Lock<G>>,
    start: G,
}

/// The lock, with nothing of anybody else on its lines.
#[repr(align(512))]
struct Lock<G>(Mutex<G>);

impl<G> Locked<G> {
    fn state(&self) -> &Mutex<G> {
        &self.memory.at(0).0
    }
}

impl<G: Generator> Place for Locked<G> {
    type Generator = G;
    type Source<'a> = LockedSource<'a, G>;

    fn lay_out(setting: &Setting) -> Result<Self, String> {
        let start = G::seeded(setting.seed);
        let memory = Memory::filled(size_of::<Lock<G>>(), setting.seed, || Lock(Mutex::new(start.clone())));
        Ok(Locked { memory, start })
    }

    fn source(&self, _index: usize, _start: Start) -> LockedSource<'_, G> {
        LockedSource(self.state())
    }

    fn verify(&self, steps: &[u64]) -> Verification {
        verdict::shared(&self.start, &self.state().lock().unwrap_or_else(PoisonError::into_inner), steps)
    }

    fn addresses(&self) -> Range<usize> {
        let start = &raw const *self.state() as usize;
        start..start + size_of::<Mutex<G>>()
    }
}

/// Draws under a lock.
pub(super) struct LockedSource<'a, G>(&'a Mutex<G>);

impl<G> LockedSource<'_, G> {
    #[inline]
    fn step<T>(&self, draw: impl FnOnce(&mut G) -> T) -> T {
        draw(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<G: Stream> Stream for LockedSource<'_, G> {
    #[inline]
    fn word(&mut self) -> u64 {
        self.step(G::word)
    }

    #[inline]
    fn unit(&mut self) -> f64 {
        self.step(G::unit)
    }

    #[inline]
    fn bits(&mut self) -> u64 {
        self.step(G::bits)
    }
}

lends_itself!(LockedSource<'_, G>, G: Stream);

#[cfg(test)]
mod tests {
    use hitm_keys::rng::{Pcg32, Rand48, SysbenchLcg, WiredTigerMwc, WordState};

    use super::*;

    #[test]
    fn packing_keeps_the_state() {
        fn kept<G: WordState>() {
            assert!(is_atomic::<G>());
            let generator = G::seeded(11);
            assert_eq!(unpack::<G>(pack(&generator)).words(), generator.words(), "{}", G::NAME);
        }
        kept::<Rand48>();
        kept::<SysbenchLcg>();
        kept::<WiredTigerMwc>();
        assert!(!is_atomic::<Pcg32>());
    }
}
