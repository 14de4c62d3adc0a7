//! Random numbers as programs take them from a generator.

use crate::rng::{
    Pcg32, Rand48, SysbenchLcg, WiredTigerMwc, WordMemory, WordState, Xoroshiro128Plus, Xoshiro256PlusPlus,
};
use rand_core::Rng;

/// The random numbers that one worker draws, in the forms that the original programs take them in.
///
/// Which form a program takes is part of how it draws: sysbench before 1.0 takes [`word`](Self::word)s (`lrand48`) and
/// now and then a [`unit`](Self::unit) (`drand48`), sysbench 1.0.20 takes `unit`s only. Each call steps the generator once,
/// save `bits` of a generator of fewer than 64 bits.
pub trait Stream {
    /// A whole number as [`WordState::draw`] gives it.
    fn word(&mut self) -> u64;

    /// A number in [0, 1), made as the generator's own program makes it.
    fn unit(&mut self) -> f64;

    /// 64 random bits.
    fn bits(&mut self) -> u64;
}

impl<S: Stream + ?Sized> Stream for &mut S {
    #[inline]
    fn word(&mut self) -> u64 {
        (**self).word()
    }

    #[inline]
    fn unit(&mut self) -> f64 {
        (**self).unit()
    }

    #[inline]
    fn bits(&mut self) -> u64 {
        (**self).bits()
    }
}

macro_rules! stream {
    ($($(#[$doc:meta])* $generator:ty, |$it:ident| $unit:expr;)*) => {$(
        $(#[$doc])*
        impl Stream for $generator {
            #[inline]
            fn word(&mut self) -> u64 {
                WordState::draw(self)
            }

            #[inline]
            fn unit(&mut self) -> f64 {
                let $it = self;
                $unit
            }

            #[inline]
            fn bits(&mut self) -> u64 {
                self.next_u64()
            }
        }
    )*};
}

const TWO_32: f64 = (1u64 << 32) as f64;
const TWO_52: f64 = (1u64 << 52) as f64;
const TWO_53: f64 = (1u64 << 53) as f64;

stream! {
    /// Units are `drand48`'s, multiples of 2⁻⁴⁸.
    Rand48, |it| it.drand48();
    /// Units are all 32 bits of the state.
    SysbenchLcg, |it| f64::from(it.next_u32()) / TWO_32;
    /// Units are the 32 bits drawn.
    WiredTigerMwc, |it| it.draw() as f64 / TWO_32;
    /// Units are the upper 52 bits, as sysbench 1.0 puts them under an exponent and takes 1 away.
    Xoroshiro128Plus, |it| (it.draw() >> 12) as f64 / TWO_52;
    /// Units are the upper 53 bits.
    Xoshiro256PlusPlus, |it| (it.draw() >> 11) as f64 / TWO_53;
    /// Units are the 32 bits drawn.
    Pcg32, |it| it.draw() as f64 / TWO_32;
}

/// How many numbers of each form were taken from a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Calls of [`Stream::word`].
    pub words: u64,
    /// Calls of [`Stream::unit`].
    pub units: u64,
    /// Calls of [`Stream::bits`].
    pub bits: u64,
}

impl Taken {
    /// All calls.
    pub fn all(self) -> u64 {
        self.words + self.units + self.bits
    }
}

impl std::ops::AddAssign for Taken {
    fn add_assign(&mut self, more: Taken) {
        self.words += more.words;
        self.units += more.units;
        self.bits += more.bits;
    }
}

/// A stream that counts what is taken from it.
#[derive(Clone, Debug)]
pub struct Counted<S> {
    stream: S,
    taken: Taken,
}

impl<S> Counted<S> {
    /// Counts from zero.
    pub fn new(stream: S) -> Self {
        Counted { stream, taken: Taken::default() }
    }

    /// What was taken since.
    pub fn taken(&self) -> Taken {
        self.taken
    }

    /// The stream, as it now is.
    pub fn into_inner(self) -> S {
        self.stream
    }
}

impl<S: Stream> Stream for Counted<S> {
    #[inline]
    fn word(&mut self) -> u64 {
        self.taken.words += 1;
        self.stream.word()
    }

    #[inline]
    fn unit(&mut self) -> f64 {
        self.taken.units += 1;
        self.stream.unit()
    }

    #[inline]
    fn bits(&mut self) -> u64 {
        self.taken.bits += 1;
        self.stream.bits()
    }
}

/// A stream that keeps the first numbers that are taken from it: words and bits as they are, units as the bits of their `f64`.
#[derive(Debug)]
pub struct Kept<'a, S> {
    stream: S,
    numbers: &'a mut [u64],
    kept: usize,
}

impl<'a, S> Kept<'a, S> {
    /// Keeps as many as there are places.
    pub fn new(stream: S, numbers: &'a mut [u64]) -> Self {
        Kept { stream, numbers, kept: 0 }
    }

    /// How many it has kept.
    pub fn kept(&self) -> usize {
        self.kept
    }

    fn keep(&mut self, number: u64) {
        if let Some(place) = self.numbers.get_mut(self.kept) {
            *place = number;
            self.kept += 1;
        }
    }
}

impl<S: Stream> Stream for Kept<'_, S> {
    fn word(&mut self) -> u64 {
        let word = self.stream.word();
        self.keep(word);
        word
    }

    fn unit(&mut self) -> f64 {
        let unit = self.stream.unit();
        self.keep(unit.to_bits());
        unit
    }

    fn bits(&mut self) -> u64 {
        let bits = self.stream.bits();
        self.keep(bits);
        bits
    }
}

/// The stream of a generator whose state lies in memory that other workers may step too: each number reads the state's
/// words and writes them back. Where several threads do so at once without a lock, updates are lost, as in the original.
#[derive(Debug)]
pub struct InMemory<'a, G, M> {
    memory: &'a M,
    generator: std::marker::PhantomData<G>,
}

impl<'a, G: WordState + Stream, M: WordMemory<G::Word>> InMemory<'a, G, M> {
    /// Draws from the state in this memory.
    pub fn new(memory: &'a M) -> Self {
        InMemory { memory, generator: std::marker::PhantomData }
    }

    #[inline]
    fn step<T>(&self, draw: impl FnOnce(&mut G) -> T) -> T {
        let mut words = G::Words::default();
        for (index, word) in words.as_mut().iter_mut().enumerate() {
            *word = self.memory.load(index);
        }
        let mut generator = G::from_words(words);
        let value = draw(&mut generator);
        for (index, &word) in generator.words().as_ref().iter().enumerate() {
            self.memory.store(index, word);
        }
        value
    }
}

impl<G: WordState + Stream, M: WordMemory<G::Word>> Stream for InMemory<'_, G, M> {
    #[inline]
    fn word(&mut self) -> u64 {
        G::draw_in(self.memory)
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
