//! A state for each worker, seeded from the worker's own seed.

use std::ops::Range;
use std::sync::OnceLock;

use hitm_experiment::record::Verification;
use hitm_keys::rng::WordState;
use hitm_keys::stream::{Counted, Stream, Taken};

use super::cells::{Generator, State, States};
use super::place::{Place, Run, Source, Start};
use super::shared::RacySource;
use super::verdict;
use crate::contract::Setting;

/// Bytes from one worker's state to the next where they share no line, and no pair of lines that the hardware fetches
/// together.
pub(super) fn padded_stride(setting: &Setting, state_bytes: usize) -> usize {
    (2 * setting.line_bytes).max(128).next_multiple_of(state_bytes.next_power_of_two())
}

/// `packed` and `padded`: the states of all workers in one array, side by side or lines apart.
pub(super) struct Array<G: Generator, const PADDED: bool> {
    memory: States<G>,
    stride: usize,
    starts: Vec<OnceLock<G>>,
}

impl<G: Generator, const PADDED: bool> Array<G, PADDED> {
    fn state(&self, worker: usize) -> State<'_, G> {
        State::at(&self.memory, worker * self.stride)
    }
}

impl<G: Generator, const PADDED: bool> Place for Array<G, PADDED> {
    type Generator = G;
    type Source<'a> = RacySource<'a, G>;

    fn lay_out(setting: &Setting) -> Result<Self, String> {
        let bytes = size_of::<G::Words>();
        let stride = if PADDED { padded_stride(setting, bytes) } else { bytes };
        let starts = (0..setting.workers).map(|_| OnceLock::new()).collect();
        Ok(Array { memory: States::<G>::zeroed(setting.workers * stride, setting.seed), stride, starts })
    }

    fn source(&self, index: usize, start: Start) -> RacySource<'_, G> {
        let generator = self.starts[index].get_or_init(|| start.generator());
        let state = self.state(index);
        state.put(generator);
        RacySource(state)
    }

    fn verify(&self, steps: &[u64]) -> Verification {
        let states = self.starts.iter().enumerate().map(|(worker, start)| {
            let end = G::from_words(self.state(worker).words());
            Some((start.get()?.clone(), end))
        });
        verdict::own(states, steps)
    }

    fn addresses(&self) -> Range<usize> {
        let range = self.memory.addresses();
        range.start..range.start + self.starts.len() * self.stride
    }
}

/// `thread-local`: each worker keeps its state to itself, in registers where the compiler can.
pub(super) struct Local<G> {
    states: Vec<OnceLock<(G, G)>>,
}

impl<G: WordState + Stream> Place for Local<G> {
    type Generator = G;
    type Source<'a> = LocalSource<'a, G>;

    fn lay_out(setting: &Setting) -> Result<Self, String> {
        Ok(Local { states: (0..setting.workers).map(|_| OnceLock::new()).collect() })
    }

    fn source(&self, index: usize, start: Start) -> LocalSource<'_, G> {
        let start: G = start.generator();
        LocalSource { start: start.clone(), generator: start, left: &self.states[index] }
    }

    fn verify(&self, steps: &[u64]) -> Verification {
        verdict::own(self.states.iter().map(|states| states.get().cloned()), steps)
    }

    fn addresses(&self) -> Range<usize> {
        0..0
    }
}

/// A generator of one worker, which leaves its state behind when it is dropped.
pub(super) struct LocalSource<'a, G: Clone> {
    start: G,
    generator: G,
    left: &'a OnceLock<(G, G)>,
}

impl<G: WordState + Stream> Source for LocalSource<'_, G> {
    type Stream = G;

    #[inline]
    fn batch<T>(&mut self, run: impl FnOnce(&mut G) -> T) -> T {
        let mut generator = self.generator.clone();
        let result = run(&mut generator);
        self.generator = generator;
        result
    }

    fn counted<R: Run>(&mut self, run: R) -> (R::Result, Taken) {
        let mut counted = Counted::new(self.generator.clone());
        let result = run.run(&mut counted);
        let taken = counted.taken();
        self.generator = counted.into_inner();
        (result, taken)
    }
}

impl<G: Clone> Drop for LocalSource<'_, G> {
    fn drop(&mut self) {
        // A second worker of the same index would be the runner's fault; the first one's state stands.
        let _ = self.left.set((self.start.clone(), self.generator.clone()));
    }
}
