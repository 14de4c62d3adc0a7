//! What every place of a generator's state keeps to, so that one loop draws wherever the state lies.

use std::ops::Range;

use hitm_experiment::record::Verification;
use hitm_keys::rng::WordState;
use hitm_keys::stream::{Counted, Stream, Taken};

use crate::contract::{Context, Setting};

/// What one worker draws from.
pub(crate) trait Source {
    /// The numbers it gives.
    type Stream: Stream;

    /// Lends the stream for a batch. A source that is a worker's own lends a copy and keeps what became of it, so that the
    /// state can stay in registers.
    fn batch<T>(&mut self, run: impl FnOnce(&mut Self::Stream) -> T) -> T;

    /// As [`batch`](Self::batch), and counts what is taken. What it lends has no references where the state is a worker's own, so
    /// that a function that is not inlined can keep it in registers too.
    fn counted<R: Run>(&mut self, run: R) -> (R::Result, Taken);
}

/// What is done with the stream of a batch, whatever its type.
pub(crate) trait Run {
    /// What comes of it.
    type Result;

    /// Does it.
    fn run(self, stream: &mut Counted<impl Stream>) -> Self::Result;
}

/// A source that is its own stream.
macro_rules! lends_itself {
    ($source:ty $(, $generator:ident: $($bound:tt)+)?) => {
        impl $(<$generator: $($bound)+>)? Source for $source {
            type Stream = Self;

            #[inline]
            fn batch<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
                run(self)
            }

            fn counted<R: crate::rng::place::Run>(&mut self, run: R) -> (R::Result, hitm_keys::stream::Taken) {
                let mut counted = hitm_keys::stream::Counted::new(self);
                let result = run.run(&mut counted);
                (result, counted.taken())
            }
        }
    };
}
pub(super) use lends_itself;

/// Where the state or the states of one trial lie.
pub(crate) trait Place: Sized + Send + Sync + 'static {
    /// The generator, or the one that draws the same numbers.
    type Generator: WordState + Stream;

    /// What one worker draws from.
    type Source<'a>: Source
    where
        Self: 'a;

    /// Lays them out, a shared state seeded from the trial's seed.
    fn lay_out(setting: &Setting) -> Result<Self, String>;

    /// One worker's source; a state of its own begins so.
    fn source(&self, index: usize, start: Start) -> Self::Source<'_>;

    /// Holds the states to the steps that each worker took.
    fn verify(&self, steps: &[u64]) -> Verification;

    /// What the workers share.
    fn addresses(&self) -> Range<usize>;
}

/// How often a generator steps for what was taken: once for each number, save 64 bits of one that gives fewer.
pub(crate) fn steps<G: WordState + Stream>(taken: Taken) -> u64 {
    let mut once = G::seeded(1);
    let mut drawn = once.clone();
    once.jump(1);
    drawn.bits();
    let for_bits = if once.words() == drawn.words() { 1 } else { 2 };
    taken.words + taken.units + for_bits * taken.bits
}

/// Where a worker's own state begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// At a seed.
    Seed(u64),
    /// At one of a seed's streams.
    Stream { seed: u64, number: u64 },
    /// At zero in every word: nobody seeded it.
    Zero,
}

impl Start {
    /// The generator that begins there.
    pub(crate) fn generator<G: WordState>(self) -> G {
        match self {
            Start::Seed(seed) => G::seeded(seed),
            Start::Stream { seed, number } => {
                G::seeded(seed).stream(number).expect("laid out for as many workers as there are streams")
            }
            Start::Zero => G::from_words(G::Words::default()),
        }
    }
}

/// How workers' own states are seeded: the parameter `seeding`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seeding {
    /// Each from its worker's own seed.
    PerWorker,
    /// All from the trial's seed.
    Equal,
    /// Each from its own stream of one seed, which never overlap.
    Jump,
    /// Not at all.
    None,
}

impl Seeding {
    /// What a trial needs to seed its workers.
    ///
    /// # Errors
    /// More workers than the generator has streams.
    pub(crate) fn of<G: WordState>(self, setting: &Setting) -> Result<Seeds, String> {
        let streams = G::STRIDES.map_or(0, |strides| strides.streams);
        if self == Seeding::Jump && setting.workers as u64 > streams {
            return Err(format!(
                "seeding jump has {streams} streams of {} that never overlap, for {} workers; give another generator or seeding",
                G::NAME,
                setting.workers
            ));
        }
        Ok(Seeds { seeding: self, trial: setting.seed, common: setting.common_seed })
    }
}

/// How the workers of one trial are seeded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seeds {
    seeding: Seeding,
    trial: u64,
    common: u64,
}

impl Seeds {
    /// Where one worker begins.
    pub(crate) fn start(self, context: &Context) -> Start {
        match self.seeding {
            Seeding::PerWorker => Start::Seed(context.seed),
            Seeding::Equal => Start::Seed(self.trial),
            Seeding::Jump => Start::Stream { seed: self.common, number: context.index as u64 },
            Seeding::None => Start::Zero,
        }
    }
}

#[cfg(test)]
mod tests {
    use hitm_keys::rng::{Pcg32, Rand48, SysbenchLcg, WiredTigerMwc, Xoroshiro128Plus, Xoshiro256PlusPlus};

    use super::*;

    #[test]
    fn steps_are_counted_as_the_generator_takes_them() {
        fn held<G: WordState + Stream>(for_bits: u64) {
            let taken = Taken { words: 3, units: 4, bits: 5 };
            assert_eq!(steps::<G>(taken), 7 + 5 * for_bits, "{}", G::NAME);
            let (mut drawn, mut jumped) = (G::seeded(9), G::seeded(9));
            for _ in 0..taken.words {
                drawn.word();
            }
            for _ in 0..taken.units {
                drawn.unit();
            }
            for _ in 0..taken.bits {
                drawn.bits();
            }
            jumped.jump(steps::<G>(taken));
            assert_eq!(drawn.words(), jumped.words(), "{}", G::NAME);
        }
        held::<Rand48>(2);
        held::<SysbenchLcg>(2);
        held::<WiredTigerMwc>(2);
        held::<Pcg32>(2);
        held::<Xoroshiro128Plus>(1);
        held::<Xoshiro256PlusPlus>(1);
    }
}
