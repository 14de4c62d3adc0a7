//! Generators whose whole state is a few machine words.

use std::fmt::Debug;

use rand_core::{Rng, SeedableRng};

use super::{SplitMix64, Strides};

/// A machine word of a generator's state: `u32` or `u64`.
pub trait Word: Copy + Eq + Default + Debug + Send + Sync + 'static {
    /// Its width in bits.
    const BITS: u32;

    /// The same number in 64 bits.
    fn widen(self) -> u64;

    /// The low bits of a number.
    fn narrow(number: u64) -> Self;
}

impl Word for u32 {
    const BITS: u32 = u32::BITS;

    #[inline]
    fn widen(self) -> u64 {
        self.into()
    }

    #[inline]
    fn narrow(number: u64) -> Self {
        number as u32
    }
}

impl Word for u64 {
    const BITS: u32 = u64::BITS;

    #[inline]
    fn widen(self) -> u64 {
        self
    }

    #[inline]
    fn narrow(number: u64) -> Self {
        number
    }
}

/// Memory that holds a state word by word, and that others may change between two accesses.
pub trait WordMemory<W> {
    /// Reads one word.
    fn load(&self, index: usize) -> W;

    /// Writes one word.
    fn store(&self, index: usize, word: W);
}

/// A generator whose whole state is a few machine words of the size that the original program keeps them in.
///
/// For every state: `from_words(words())` is the same generator, [`draw`](Self::draw) is what
/// [`draw_in`](Self::draw_in) does in memory that nobody else touches, and [`jump`](Self::jump) by `n` is `n` draws.
pub trait WordState: Rng + SeedableRng + Clone + Send + Sync + 'static {
    /// The word of the original.
    type Word: Word;

    /// The whole state: an array of [`Self::Word`].
    type Words: AsRef<[Self::Word]> + AsMut<[Self::Word]> + Copy + Default + Eq + Debug + Send + Sync + 'static;

    /// The generator's name in experiments.
    const NAME: &'static str;

    /// The draws after which a word of the state that is not stuck comes back, the least over all words and states;
    /// `u64::MAX` stands for more.
    const PERIOD: u64;

    /// How many streams one seed has that never overlap, and how far they are apart; `None` where the generator's cycle
    /// is too short for streams of a use.
    const STRIDES: Option<Strides>;

    /// The generator that is in this state.
    fn from_words(words: Self::Words) -> Self;

    /// The state it is in.
    fn words(&self) -> Self::Words;

    /// The next value as the original program uses it, in the low bits.
    fn draw(&mut self) -> u64;

    /// Draws from a state that lies in memory, reading and writing its words in the order that the original does.
    ///
    /// Where several threads do so at once without a lock, updates are lost and words of different draws are mixed,
    /// as in the original.
    #[inline]
    fn draw_in(memory: &impl WordMemory<Self::Word>) -> u64 {
        let mut words = Self::Words::default();
        for (index, word) in words.as_mut().iter_mut().enumerate() {
            *word = memory.load(index);
        }
        let mut generator = Self::from_words(words);
        let value = generator.draw();
        for (index, &word) in generator.words().as_ref().iter().enumerate() {
            memory.store(index, word);
        }
        value
    }

    /// Goes forward by `count` · 2^`doublings` draws, in a time that grows with the logarithm of their number.
    fn leap(&mut self, count: u64, doublings: u32);

    /// Goes forward by that many draws.
    fn jump(&mut self, draws: u64) {
        self.leap(draws, 0);
    }

    /// One of the seed's streams: this one, moved on by so many [`STRIDES`](Self::STRIDES). Of these, counted from 0, no
    /// two have a state in common in as many draws as a stride has; `None` where there are not so many.
    fn stream(&self, number: u64) -> Option<Self> {
        let strides = Self::STRIDES.filter(|strides| number < strides.streams)?;
        let mut stream = self.clone();
        // Of strides that have a factor there are few enough for the product to fit.
        stream.leap(strides.factor * number, strides.doublings);
        Some(stream)
    }

    /// The least number of draws that lead from `start` to this state; `None` when none do or when there is no quick
    /// way to tell. Of words that step apart from each other, the one with the fewest counts.
    fn draws_since(&self, start: &Self) -> Option<u64>;

    /// Why no draw can change this state or a part of it any more; `None` for a healthy one.
    fn stuck(words: &Self::Words) -> Option<String>;

    /// Whether the state, or a part of it, is zero for ever or a fixed point.
    fn is_stuck(words: &Self::Words) -> bool {
        Self::stuck(words).is_some()
    }

    /// The generator for a 64-bit seed: its state is filled by [`SplitMix64`], and is never one that is stuck.
    fn seeded(seed: u64) -> Self {
        let mut bytes = Self::Seed::default();
        SplitMix64::new(seed).fill_bytes(bytes.as_mut());
        Self::from_seed(bytes)
    }
}
