//! Memory that workers share, with known places in pages and lines.

use std::ops::Range;

/// What the memory's first byte is aligned to: a page of 4 KiB, so every line and sector boundary below that too.
pub const ALIGNMENT: usize = 4096;

/// Atomic cells from a page boundary to a page boundary, so that nothing of anybody else lies on their lines.
///
/// They are written once at their making: their pages are on the NUMA node of the thread that makes it.
#[derive(Debug)]
pub struct Memory<A> {
    cells: Vec<A>,
    first: usize,
    count: usize,
}

impl<A: Default> Memory<A> {
    /// At least that many bytes of cells with their default, which is zero for atomic numbers; rounded up to whole
    /// pages.
    ///
    /// # Panics
    /// If the size of a cell does not divide a page.
    pub fn zeroed(bytes: usize) -> Self {
        let size = size_of::<A>();
        assert!(size > 0 && ALIGNMENT % size == 0, "cells of {size} bytes do not fill a page");
        let count = bytes.max(1).next_multiple_of(ALIGNMENT) / size;
        // One page more, to have an aligned one within.
        let cells: Vec<A> = (0..count + ALIGNMENT / size).map(|_| A::default()).collect();
        let address = cells.as_ptr() as usize;
        let first = (address.next_multiple_of(ALIGNMENT) - address) / size;
        Memory { cells, first, count }
    }
}

impl<A> Memory<A> {
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
    fn begins_and_ends_at_a_page() {
        for bytes in [0, 1, 8, 4096, 4097, 100_000] {
            let addresses = Memory::<AtomicU64>::zeroed(bytes).addresses();
            assert_eq!((addresses.start % ALIGNMENT, addresses.end % ALIGNMENT), (0, 0));
            assert!(addresses.len() >= bytes.max(1) && addresses.len() < bytes + 2 * ALIGNMENT);
        }
    }

    #[test]
    fn cells_lie_where_they_are_asked_for() {
        let memory = Memory::<AtomicU32>::zeroed(4096);
        for byte in [0, 4, 64, 4092] {
            assert_eq!(memory.at(byte).as_ptr() as usize, memory.addresses().start + byte);
            assert_eq!(memory.at(byte).load(Ordering::Relaxed), 0);
        }
        assert_eq!(memory.array::<2>(8).as_ptr() as usize, memory.addresses().start + 8);
    }

    #[test]
    #[should_panic(expected = "no cell begins at byte 4")]
    fn refuses_bytes_between_cells() {
        Memory::<AtomicU64>::zeroed(64).at(4);
    }
}
