//! The lines of a text, however they end.

use std::io::{self, BufRead};

/// The longest line that is kept, in bytes; more would let one line take all memory.
pub(super) const LONGEST: usize = 16 << 20;

/// Lines read one after the other into the same memory.
pub(super) struct Lines<R> {
    text: R,
    line: Vec<u8>,
    /// Lines read.
    pub(super) number: u64,
    /// Bytes read.
    pub(super) bytes: u64,
}

/// What became of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    /// Its text without the end of the line.
    Whole(&'a [u8]),
    /// It is longer than [`LONGEST`]: its beginning. The rest was passed over.
    TooLong(&'a [u8]),
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(text: R) -> Self {
        Lines { text, line: Vec::new(), number: 0, bytes: 0 }
    }

    /// The next line; `None` after the last. One without an end of line is one too.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.line.clear();
        let read = self.fill()?;
        if read == 0 {
            return Ok(None);
        }
        self.bytes += read as u64;
        self.number += 1;
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
            if self.line.last() == Some(&b'\r') {
                self.line.pop();
            }
            return Ok(Some(Line::Whole(&self.line)));
        }
        if read <= LONGEST {
            return Ok(Some(Line::Whole(&self.line)));
        }
        self.bytes += pass_over(&mut self.text)?;
        Ok(Some(Line::TooLong(&self.line[..LONGEST])))
    }

    /// Reads to the end of the line, or a byte more than the longest. The standard library's search for it is slow.
    fn fill(&mut self) -> io::Result<usize> {
        loop {
            let some = self.text.fill_buf()?;
            let some = &some[..some.len().min(LONGEST + 1 - self.line.len())];
            let ended = memchr::memchr(b'\n', some);
            let length = ended.map_or(some.len(), |at| at + 1);
            self.line.extend_from_slice(&some[..length]);
            self.text.consume(length);
            if ended.is_some() || length == 0 {
                return Ok(self.line.len());
            }
        }
    }
}

/// Passes over the rest of a line; how long it was.
fn pass_over(text: &mut impl BufRead) -> io::Result<u64> {
    let mut passed = 0;
    loop {
        let some = text.fill_buf()?;
        let (length, ended) = match memchr::memchr(b'\n', some) {
            Some(at) => (at + 1, true),
            None => (some.len(), some.is_empty()),
        };
        text.consume(length);
        passed += length as u64;
        if ended {
            return Ok(passed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn lines(text: &[u8]) -> Vec<Vec<u8>> {
        let mut lines = Lines::new(text);
        let mut all = Vec::new();
        while let Some(Line::Whole(line)) = lines.next().unwrap() {
            all.push(line.to_vec());
        }
        assert_eq!((lines.number, lines.bytes), (all.len() as u64, text.len() as u64));
        all
    }

    #[test]
    fn every_end_of_a_line() {
        assert_eq!(lines(b""), Vec::<Vec<u8>>::new());
        assert_eq!(lines(b"a\nb\r\n\nc"), [&b"a"[..], b"b", b"", b"c"]);
        assert_eq!(lines(b"a\r\n"), [b"a"]);
        assert_eq!(lines(b"a\rb\n"), [b"a\rb"]);
    }

    #[test]
    fn a_line_without_end_takes_no_memory() {
        let text = io::Cursor::new(b"one\n").chain(io::repeat(b'x').take(3 * LONGEST as u64)).chain(&b"\ntwo"[..]);
        let mut lines = Lines::new(io::BufReader::new(text));
        assert_eq!(lines.next().unwrap(), Some(Line::Whole(b"one")));
        assert!(matches!(lines.next().unwrap(), Some(Line::TooLong(line)) if line.len() == LONGEST));
        assert_eq!(lines.next().unwrap(), Some(Line::Whole(b"two")));
        assert_eq!(lines.next().unwrap(), None);
        assert!(lines.line.capacity() <= 4 * LONGEST);
        assert_eq!((lines.number, lines.bytes), (3, 4 + 3 * LONGEST as u64 + 4));
    }
}
