//! A file mapped into memory: the one place of this crate that needs `unsafe`.

use std::fs::File;
use std::io;

use memmap2::Mmap;

/// The bytes of a file, read as they are looked at.
///
/// A file that another program makes shorter meanwhile ends this one by SIGBUS when the lost part is looked at; one that is written
/// to gives other bytes. [`super::Writer`] never writes to a file that is there: it puts a new one in its place.
#[derive(Debug)]
pub(super) struct Mapped(Mmap);

impl Mapped {
    #[allow(unsafe_code)]
    pub(super) fn new(file: &File) -> io::Result<Self> {
        // SAFETY: the map is private and never written through. Its bytes are only ever read as bytes, of which every value is
        // valid, and all that is computed from them is held to the bounds of the map. What the compiler may assume of `&[u8]`, that
        // nobody changes it, is a condition to whoever names the file, stated in `Trace::open`: no program writes to a trace that is
        // in use, or makes it shorter.
        let map = unsafe { Mmap::map(file) }?;
        Ok(Mapped(map))
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}
