//! A generator's words as atomic cells of its own word size.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use hitm_keys::rng::{Word, WordMemory, WordState};
use hitm_keys::stream::Stream;

use crate::memory::Memory;

/// A word that has an atomic cell of its size.
pub(super) trait CellWord: Word {
    type Cell: Default + Send + Sync + 'static;

    fn load(cell: &Self::Cell) -> Self;

    fn store(cell: &Self::Cell, word: Self);
}

impl CellWord for u32 {
    type Cell = AtomicU32;

    #[inline]
    fn load(cell: &AtomicU32) -> u32 {
        cell.load(Relaxed)
    }

    #[inline]
    fn store(cell: &AtomicU32, word: u32) {
        cell.store(word, Relaxed);
    }
}

impl CellWord for u64 {
    type Cell = AtomicU64;

    #[inline]
    fn load(cell: &AtomicU64) -> u64 {
        cell.load(Relaxed)
    }

    #[inline]
    fn store(cell: &AtomicU64, word: u64) {
        cell.store(word, Relaxed);
    }
}

/// An array of words that can lie in cells. The array type carries its length, so that no access needs a check.
pub(super) trait InCells: Copy {
    type Word: CellWord;
    type Cells: Send + Sync;

    /// The cells at so many bytes from the memory's beginning.
    fn cells(memory: &Memory<<Self::Word as CellWord>::Cell>, byte: usize) -> &Self::Cells;

    fn cell(cells: &Self::Cells, index: usize) -> &<Self::Word as CellWord>::Cell;
}

impl<W: CellWord, const N: usize> InCells for [W; N] {
    type Word = W;
    type Cells = [W::Cell; N];

    fn cells(memory: &Memory<W::Cell>, byte: usize) -> &[W::Cell; N] {
        memory.array(byte)
    }

    #[inline]
    fn cell(cells: &[W::Cell; N], index: usize) -> &W::Cell {
        &cells[index]
    }
}

/// A generator whose state can lie in cells: all that are [`WordState`].
pub(super) trait Generator:
    WordState<Words: InCells<Word = <Self as WordState>::Word>, Word: CellWord> + Stream
{
}

impl<G: WordState<Words: InCells<Word = <G as WordState>::Word>, Word: CellWord> + Stream> Generator for G {}

/// The memory that holds states of a generator.
pub(super) type States<G> = Memory<<<G as WordState>::Word as CellWord>::Cell>;

/// One state within it: relaxed loads and stores, so that racing workers lose updates and nothing worse.
pub(super) struct State<'a, G: Generator>(pub(super) &'a <G::Words as InCells>::Cells);

impl<'a, G: Generator> State<'a, G> {
    /// The state at so many bytes from the memory's beginning.
    pub(super) fn at(memory: &'a States<G>, byte: usize) -> Self {
        State(G::Words::cells(memory, byte))
    }

    /// Writes a generator's state.
    pub(super) fn put(&self, generator: &G) {
        for (index, &word) in generator.words().as_ref().iter().enumerate() {
            self.store(index, word);
        }
    }

    /// The words that lie there.
    pub(super) fn words(&self) -> G::Words {
        let mut words = G::Words::default();
        for (index, word) in words.as_mut().iter_mut().enumerate() {
            *word = self.load(index);
        }
        words
    }
}

impl<G: Generator> WordMemory<G::Word> for State<'_, G> {
    #[inline]
    fn load(&self, index: usize) -> G::Word {
        CellWord::load(G::Words::cell(self.0, index))
    }

    #[inline]
    fn store(&self, index: usize, word: G::Word) {
        CellWord::store(G::Words::cell(self.0, index), word);
    }
}
