//! Appending whole lines to a file, and telling whole lines from cut ones.

use std::fs::File;
use std::io::{self, Write};

/// A file whose end can be taken back.
pub(super) trait Tail {
    /// Adds bytes at the end.
    fn add(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Shortens it to its first `length` bytes.
    fn cut(&mut self, length: u64) -> io::Result<()>;
    /// Brings it to the disk.
    fn sync(&mut self) -> io::Result<()>;
}

/// Opened for appending.
impl Tail for File {
    fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write_all(bytes)
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

/// Appends whole lines: after a failure the file ends with the last whole one, if that can be had.
pub(super) struct Lines<T> {
    tail: T,
    whole: u64,
    torn: bool,
}

/// Why a line could not be appended, and what became of the file.
#[derive(Debug)]
pub(super) struct Failed {
    pub error: io::Error,
    /// Whether the file ends with a whole line all the same.
    pub mended: bool,
}

impl<T: Tail> Lines<T> {
    /// Appends to a file whose `whole` bytes are whole lines.
    pub fn new(tail: T, whole: u64) -> Self {
        Lines { tail, whole, torn: false }
    }

    /// Bytes of whole lines.
    pub fn whole(&self) -> u64 {
        self.whole
    }

    /// Appends one line with one write.
    pub fn append(&mut self, mut line: Vec<u8>) -> Result<(), Failed> {
        if self.torn {
            self.tail.cut(self.whole).map_err(|error| Failed { error, mended: false })?;
            self.torn = false;
        }
        line.push(b'\n');
        match self.tail.add(&line) {
            Ok(()) => {
                self.whole += line.len() as u64;
                Ok(())
            }
            Err(error) => {
                self.torn = self.tail.cut(self.whole).is_err();
                Err(Failed { error, mended: !self.torn })
            }
        }
    }

    /// Brings everything to the disk.
    pub fn sync(&mut self) -> io::Result<()> {
        self.tail.sync()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk with so much room, on which cutting may fail too.
    struct Disk {
        bytes: Vec<u8>,
        room: usize,
        cuts: bool,
    }

    impl Tail for Disk {
        fn add(&mut self, bytes: &[u8]) -> io::Result<()> {
            let fits = bytes.len().min(self.room - self.bytes.len());
            self.bytes.extend_from_slice(&bytes[..fits]);
            if fits < bytes.len() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
        }

        fn cut(&mut self, length: u64) -> io::Result<()> {
            if !self.cuts {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            self.bytes.truncate(length as usize);
            Ok(())
        }

        fn sync(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_keeps_the_whole_lines_and_more_follow_when_there_is_room() {
        let mut lines = Lines::new(Disk { bytes: Vec::new(), room: 10, cuts: true }, 0);
        lines.append(b"first".to_vec()).unwrap();
        let failed = lines.append(b"second".to_vec()).unwrap_err();
        assert_eq!(failed.error.kind(), io::ErrorKind::StorageFull);
        assert!(failed.mended);
        assert_eq!(lines.tail.bytes, b"first\n");
        lines.tail.room = 100;
        lines.append(b"second".to_vec()).unwrap();
        assert_eq!(lines.tail.bytes, b"first\nsecond\n");
    }

    #[test]
    fn a_torn_line_is_never_followed_by_another() {
        let mut lines = Lines::new(Disk { bytes: Vec::new(), room: 10, cuts: false }, 0);
        lines.append(b"first".to_vec()).unwrap();
        assert!(!lines.append(b"second".to_vec()).unwrap_err().mended);
        lines.tail.room = 100;
        assert!(!lines.append(b"second".to_vec()).unwrap_err().mended);
        assert_eq!(lines.tail.bytes, b"first\nseco");
        lines.tail.cuts = true;
        lines.append(b"second".to_vec()).unwrap();
        assert_eq!(lines.tail.bytes, b"first\nsecond\n");
    }
}
