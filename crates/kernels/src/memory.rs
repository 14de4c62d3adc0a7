//! Memory that workers share, with known places in lines and, on purpose, unknown ones in the machine.
//!
//! What a transfer costs can depend on the line's physical address: it decides which slice of a shared cache or which
//! home agent answers for the line. Memory laid out anew for each trial tends to get the same pages again from the
//! allocator, so a whole run would know one place only. Here each trial's seed chooses among many pages and places in
//! them, so that a run's interval holds what the address does.

use std::ops::Range;

use hitm_keys::rng::SplitMix64;

/// What the memory's first byte is aligned to: every line size and pair of lines that machines have, up to 512 bytes.
pub const ALIGNMENT: usize = 512;

/// Pages of 4 KiB among which a seed chooses.
const PAGES: usize = 64;

/// Bytes among which a seed chooses where the memory begins.
const CHOICE: usize = PAGES * 4096;

/// Atomic cells from one multiple of [`ALIGNMENT`] to another, so that nothing of anybody else lies on their lines.
///
/// They are written once at their making: their pages are on the NUMA node of the thread that makes it.
#[derive(Debug)]
pub struct Memory<A> {
    cells: Vec<A>,
    first: usize,
    count: usize,
}

impl<A: Default> Memory<A> {
    /// At least that many bytes of cells with their default, which is zero for atomic numbers; rounded up to a multiple of
    /// [`ALIGNMENT`]. The seed chooses the place.
    ///
    /// # Panics
    /// If the size of a cell does not divide [`ALIGNMENT`].
    pub fn zeroed(bytes: usize, seed: u64) -> Self {
        Memory::filled(bytes, seed, A::default)
    }
}

impl<A> Memory<A> {
    /// As [`Memory::zeroed`], of cells that `make` makes.
    ///
    /// # Panics
    /// As [`Memory::zeroed`].
    pub fn filled(bytes: usize, seed: u64, mut make: impl FnMut() -> A) -> Self {
        let size = size_of::<A>();
        assert!(size > 0 && ALIGNMENT % size == 0, "cells of {size} bytes do not fill {ALIGNMENT} bytes");
        let count = bytes.max(1).next_multiple_of(ALIGNMENT) / size;
        let place = SplitMix64::new(seed).draw() as usize % (CHOICE / ALIGNMENT) * ALIGNMENT;
        // All is written, also what is not used: a page that was never touched would have no place of its own to choose.
        let cells: Vec<A> = (0..count + (CHOICE + ALIGNMENT) / size).map(|_| make()).collect();
        let address = cells.as_ptr() as usize;
        let first = (address.next_multiple_of(ALIGNMENT) - address + place) / size;
        Memory { cells, first, count }
    }

    fn index(&self, byte: usize) -> usize {
        assert!(byte % size_of::<A>() == 0, "no cell begins at byte {byte}");
        byte / size_of::<A>()
    }

    /// The cell at so many bytes from the beginning.
    ///
    /// # Panics
    /// If it is beyond the end or between two cells.
    pub fn at(&self, byte: usize) -> &A {
        &self.all()[self.index(byte)]
    }

    /// `N` cells side by side, from so many bytes from the beginning.
    ///
    /// # Panics
    /// As [`Memory::at`].
    pub fn array<const N: usize>(&self, byte: usize) -> &[A; N] {
        self.all()[self.index(byte)..].first_chunk().expect("the cells lie within the memory")
    }

    /// All cells.
    pub fn all(&self) -> &[A] {
        &self.cells[self.first..][..self.count]
    }

    /// The addresses of the first byte and the one after the last.
    pub fn addresses(&self) -> Range<usize> {
        let range = self.all().as_ptr_range();
        range.start as usize..range.end as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

    #[test]
    fn begins_and_ends_at_a_boundary_whatever_the_seed() {
        for (seed, bytes) in (0..200).zip([0, 1, 8, 511, 512, 513, 4096, 100_000].into_iter().cycle()) {
            let memory = Memory::<AtomicU64>::zeroed(bytes, seed);
            let addresses = memory.addresses();
            assert!(memory.all().iter().all(|cell| cell.load(Ordering::Relaxed) == 0));
            assert_eq!((addresses.start % ALIGNMENT, addresses.end % ALIGNMENT), (0, 0));
            assert!(addresses.len() >= bytes.max(1) && addresses.len() < bytes + 2 * ALIGNMENT);
        }
    }

    #[test]
    fn seeds_choose_different_places() {
        let place = |seed| {
            let memory = Memory::<AtomicU64>::zeroed(64, seed);
            memory.first
        };
        let places: std::collections::BTreeSet<usize> = (0..64).map(|seed| place(seed) * 8 / ALIGNMENT).collect();
        assert!(places.len() > 40, "{} of 64", places.len());
    }

    #[test]
    fn cells_lie_where_they_are_asked_for() {
        let memory = Memory::<AtomicU32>::zeroed(4096, 1);
        for byte in [0, 4, 64, 4092] {
            assert_eq!(memory.at(byte).as_ptr() as usize, memory.addresses().start + byte);
            assert_eq!(memory.at(byte).load(Ordering::Relaxed), 0);
        }
        assert_eq!(memory.array::<2>(8).as_ptr() as usize, memory.addresses().start + 8);
    }

    #[test]
    #[should_panic(expected = "no cell begins at byte 4")]
    fn refuses_bytes_between_cells() {
        Memory::<AtomicU64>::zeroed(64, 1).at(4);
    }
}
