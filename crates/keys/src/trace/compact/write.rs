//! Writing the compact form.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::beside::{Beside, folder};
use super::{HEADER_BYTES, Header, MOST_STREAMS};
use crate::trace::Access;

/// Keys that are written at once.
const BATCH: usize = 1 << 13;

/// Writes a trace in one pass and constant memory. Nothing is at the place asked for before [`finish`](Writer::finish) put a whole file
/// there.
#[derive(Debug)]
pub struct Writer {
    path: PathBuf,
    file: Beside,
    /// The runs, which go behind the keys.
    runs_file: BufWriter<File>,
    batch: Vec<u8>,
    crc: crc32fast::Hasher,
    streams: Vec<(Option<u64>, u64)>,
    index: HashMap<Option<u64>, u32>,
    /// The stream of the run that is being written, its thread, and its length.
    run: (u32, Option<u64>, u32),
    runs: u64,
    keys: u64,
    low: u64,
    high: u64,
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Keys.
    pub keys: u64,
    /// Streams: threads, or one where none is told.
    pub streams: usize,
    /// The lowest key.
    pub low: u64,
    /// The highest key.
    pub high: u64,
    /// Bytes of the file.
    pub bytes: u64,
}

impl Writer {
    /// Begins a file beside `path`.
    ///
    /// # Errors
    /// When its folder cannot be written, or something that is no file is there.
    pub fn create(path: &Path) -> io::Result<Self> {
        if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "something that is no file is there"));
        }
        let folder = folder(path);
        let mut file = Beside::new(folder)?;
        file.file().write_all(&[0; HEADER_BYTES])?;
        Ok(Writer {
            path: path.to_owned(),
            file,
            runs_file: BufWriter::new(tempfile::tempfile_in(folder)?),
            batch: Vec::with_capacity(8 * BATCH),
            crc: crc32fast::Hasher::new(),
            streams: Vec::new(),
            index: HashMap::new(),
            run: (0, None, 0),
            runs: 0,
            keys: 0,
            low: u64::MAX,
            high: 0,
        })
    }

    /// Adds a key.
    ///
    /// # Errors
    /// When it cannot be written; of the kind [`io::ErrorKind::InvalidData`] when the trace has more than 1,048,576 threads.
    #[inline]
    pub fn push(&mut self, access: Access) -> io::Result<()> {
        if access.thread != self.run.1 || self.run.2 == 0 || self.run.2 == u32::MAX {
            self.turn(access.thread)?;
        }
        self.run.2 += 1;
        self.keys += 1;
        self.low = self.low.min(access.key);
        self.high = self.high.max(access.key);
        self.batch.extend_from_slice(&access.key.to_le_bytes());
        if self.batch.len() >= 8 * BATCH { self.flush() } else { Ok(()) }
    }

    /// Ends a run and begins one of this thread.
    fn turn(&mut self, thread: Option<u64>) -> io::Result<()> {
        self.end_run()?;
        let next = self.streams.len();
        let stream = *self.index.entry(thread).or_insert(next as u32);
        if stream as usize == next {
            if next == MOST_STREAMS {
                let why = format!("the trace has more than {MOST_STREAMS} threads");
                return Err(io::Error::new(io::ErrorKind::InvalidData, why));
            }
            self.streams.push((thread, 0));
        }
        self.run = (stream, thread, 0);
        Ok(())
    }

    fn end_run(&mut self) -> io::Result<()> {
        let (stream, _, length) = self.run;
        if length == 0 {
            return Ok(());
        }
        self.runs += 1;
        self.streams[stream as usize].1 += u64::from(length);
        self.runs_file.write_all(&stream.to_le_bytes())?;
        self.runs_file.write_all(&length.to_le_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.crc.update(&self.batch);
        self.file.file().write_all(&self.batch)?;
        self.batch.clear();
        Ok(())
    }

    /// Puts the file in its place, over one that is there.
    ///
    /// # Errors
    /// When it cannot be written, or no key was added.
    pub fn finish(mut self) -> io::Result<Written> {
        if self.keys == 0 {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "there is no key to write"));
        }
        self.end_run()?;
        self.flush()?;
        let mut runs = self.runs_file.into_inner().map_err(io::IntoInnerError::into_error)?;
        runs.seek(SeekFrom::Start(0))?;
        let mut piece = vec![0; 1 << 16];
        loop {
            match runs.read(&mut piece)? {
                0 => break,
                read => {
                    self.crc.update(&piece[..read]);
                    self.file.file().write_all(&piece[..read])?;
                }
            }
        }
        let mut streams = Vec::new();
        for &(thread, keys) in &self.streams {
            for word in [thread.unwrap_or(0), u64::from(thread.is_some()), keys] {
                streams.extend_from_slice(&word.to_le_bytes());
            }
        }
        self.crc.update(&streams);
        self.file.file().write_all(&streams)?;
        let header = Header {
            keys: self.keys,
            streams: self.streams.len() as u64,
            runs: self.runs,
            low: self.low,
            high: self.high,
            body_crc: self.crc.finalize(),
        };
        self.file.file().seek(SeekFrom::Start(0))?;
        self.file.file().write_all(&header.to_bytes())?;
        let bytes = self.file.file().metadata()?.len();
        self.file.put(&self.path)?;
        Ok(Written { keys: self.keys, streams: self.streams.len(), low: self.low, high: self.high, bytes })
    }
}
