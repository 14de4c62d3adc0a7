//! Reading the compact form.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::SystemTime;

use super::{HEADER_BYTES, Header, MAGIC, MOST_STREAMS, STREAM_BYTES, VERSION, half_word, word};
use crate::trace::map::Mapped;
use crate::{KeyRange, Refusal};

/// A trace in the compact form, mapped into memory.
#[derive(Debug)]
pub struct Trace {
    map: Mapped,
    header: Header,
    range: KeyRange,
    streams: Vec<(Option<u64>, u64)>,
}

/// Length and time of the last change.
type Stamp = Option<(u64, SystemTime)>;

fn stamp(path: &Path) -> Stamp {
    let there = path.metadata().ok()?;
    Some((there.len(), there.modified().ok()?))
}

/// What to do about a file that is no trace.
const CURE: &str = "make it again with `hitm keys import`";

impl Trace {
    /// Opens a trace and reads it once, to see that it is whole. While it is open no program may write to the file or make it shorter:
    /// the process would read other keys, or end by SIGBUS. Putting another file in its place, as [`super::Writer`] does, is safe.
    ///
    /// # Errors
    /// When it cannot be read, is no trace or one of another version, is cut off, or is damaged; the setting is `trace`.
    pub fn open(path: &Path) -> Result<Trace, Refusal> {
        let refused = |why: String, cure: &str| Refusal::new("trace", why, cure);
        let unreadable = |error: io::Error| {
            let cure = "give a file that is there and can be read, made by `hitm keys import`";
            refused(format!("{} cannot be read: {error}", path.display()), cure)
        };
        // Opening a pipe would wait for whoever writes to it.
        if !path.metadata().map_err(unreadable)?.is_file() {
            return Err(refused(format!("{} is no file", path.display()), "give a file made by `hitm keys import`"));
        }
        let mut file = File::open(path).map_err(unreadable)?;
        let there = file.metadata().map_err(unreadable)?;
        let mut header = Vec::new();
        file.by_ref().take(HEADER_BYTES as u64).read_to_end(&mut header).map_err(unreadable)?;
        let bad = |(why, cure): (String, &str)| refused(format!("{} {why}", path.display()), cure);
        let header = read_header(&header, there.len()).map_err(bad)?;
        let map = Mapped::new(&file).map_err(unreadable)?;
        Trace::checked(map, header).map_err(|why| bad((why, CURE)))
    }

    /// As [`Trace::open`], and whoever asks for the same file while it is open gets the same trace without reading it again.
    ///
    /// # Errors
    /// As [`Trace::open`].
    pub fn shared(path: &Path) -> Result<Arc<Trace>, Refusal> {
        static OPEN: Mutex<Vec<(PathBuf, Stamp, Weak<Trace>)>> = Mutex::new(Vec::new());
        let stamp = stamp(path);
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|(_, _, trace)| trace.strong_count() > 0);
        let known = open.iter().find(|(known, at, _)| known == path && at.is_some() && *at == stamp);
        if let Some(trace) = known.and_then(|(_, _, trace)| trace.upgrade()) {
            return Ok(trace);
        }
        let trace = Arc::new(Trace::open(path)?);
        open.push((path.to_owned(), stamp, Arc::downgrade(&trace)));
        Ok(trace)
    }

    /// Holds the body to the header.
    fn checked(map: Mapped, header: Header) -> Result<Trace, String> {
        let bytes = map.bytes();
        if header.file_bytes() != Some(bytes.len() as u64) {
            return Err("changes while it is read".to_owned());
        }
        if crc32fast::hash(&bytes[HEADER_BYTES..]) != header.body_crc {
            return Err("is damaged: its checksum does not fit".to_owned());
        }
        let range =
            KeyRange::new(header.low, header.high).map_err(|_| "is damaged: its keys run backwards".to_owned())?;
        let mut trace = Trace { map, header, range, streams: Vec::new() };
        let table = &trace.map.bytes()[trace.table_at()..];
        let entry = |entry: &[u8]| ((word(entry, 1) != 0).then(|| word(entry, 0)), word(entry, 2));
        trace.streams = table.chunks_exact(STREAM_BYTES).map(entry).collect();
        trace.contradiction().map_or(Ok(trace), |why| Err(format!("is damaged: {why}")))
    }

    /// What the body says against the header, or against itself.
    fn contradiction(&self) -> Option<&'static str> {
        let ends = self.keys(0, self.len()).fold((u64::MAX, 0), |(low, high), key| (key.min(low), key.max(high)));
        if ends != (self.header.low, self.header.high) {
            return Some("its keys are not from the lowest to the highest that its header names");
        }
        let table = self.map.bytes()[self.table_at()..].chunks_exact(STREAM_BYTES);
        if table.map(|entry| (word(entry, 0), word(entry, 1))).any(|(thread, told)| told > 1 || told == 0 && thread > 0)
        {
            return Some("a stream's thread is neither told nor not told");
        }
        let threads: HashSet<Option<u64>> = self.streams.iter().map(|stream| stream.0).collect();
        if threads.len() < self.streams.len() {
            return Some("a thread has two streams");
        }
        let mut left: Vec<u64> = self.streams.iter().map(|stream| stream.1).collect();
        let mut begun = 0;
        for (stream, length) in self.runs() {
            let fits = left.get_mut(stream).and_then(|left| left.checked_sub(length).map(|less| *left = less));
            if fits.is_none() || length == 0 {
                return Some("its runs do not fit its streams");
            }
            if stream > begun {
                return Some("its streams are not in the order of their first keys");
            }
            begun = begun.max(stream + 1);
        }
        let keys = self.streams.iter().try_fold(0_u64, |sum, stream| sum.checked_add(stream.1));
        if begun < left.len() || left.iter().any(|left| *left != 0) || keys != Some(self.header.keys) {
            return Some("its streams do not have its keys");
        }
        None
    }

    /// Keys, at least 1.
    pub fn len(&self) -> u64 {
        self.header.keys
    }

    /// Never: a trace has a key.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What tells it from other traces: its keys and their checksum.
    pub fn fingerprint(&self) -> String {
        let Header { keys, low, high, body_crc, .. } = self.header;
        format!("{keys} keys from {low} to {high}, CRC-32 {body_crc:08x}")
    }

    /// From the lowest key to the highest.
    pub fn range(&self) -> KeyRange {
        self.range
    }

    /// The streams in the order of their first keys: the thread as the trace calls it, where it tells, and the number of its keys.
    pub fn streams(&self) -> &[(Option<u64>, u64)] {
        &self.streams
    }

    /// The bytes of the keys from one place to another, as 8 little-endian bytes each; none beyond the end.
    pub fn key_bytes(&self, from: u64, to: u64) -> &[u8] {
        let at = |place: u64| HEADER_BYTES + 8 * place.min(self.header.keys) as usize;
        self.map.bytes().get(at(from)..at(to)).unwrap_or_default()
    }

    /// The keys from one place to another, in the order of the trace; none beyond the end.
    pub fn keys(&self, from: u64, to: u64) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.key_bytes(from, to).chunks_exact(8).map(|key| word(key, 0))
    }

    /// Which stream each key is of.
    pub fn runs(&self) -> Runs<'_> {
        let from = HEADER_BYTES + 8 * self.header.keys as usize;
        Runs { bytes: self.map.bytes().get(from..self.table_at()).unwrap_or_default() }
    }

    /// The keys of some streams in the order of the trace.
    pub fn stream_keys<F: Fn(usize) -> bool>(&self, wanted: F) -> StreamKeys<'_, F> {
        StreamKeys { trace: self, runs: self.runs(), wanted, place: 0, run: 0..0 }
    }

    fn table_at(&self) -> usize {
        HEADER_BYTES + 8 * (self.header.keys + self.header.runs) as usize
    }
}

/// Stream and length of each run, in the order of the trace ([`Trace::runs`]).
#[derive(Clone, Debug)]
pub struct Runs<'a> {
    bytes: &'a [u8],
}

impl Iterator for Runs<'_> {
    type Item = (usize, u64);

    fn next(&mut self) -> Option<(usize, u64)> {
        let run = self.bytes.get(..8)?;
        self.bytes = &self.bytes[8..];
        Some((half_word(run, 0) as usize, u64::from(half_word(run, 4))))
    }
}

/// The keys of some streams ([`Trace::stream_keys`]).
#[derive(Debug)]
pub struct StreamKeys<'a, F> {
    trace: &'a Trace,
    runs: Runs<'a>,
    wanted: F,
    place: u64,
    run: std::ops::Range<u64>,
}

impl<F: Fn(usize) -> bool> Iterator for StreamKeys<'_, F> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        while self.run.is_empty() {
            let (stream, length) = self.runs.next()?;
            if (self.wanted)(stream) {
                self.run = self.place..self.place + length;
            }
            self.place += length;
        }
        let key = word(self.trace.key_bytes(self.run.start, self.run.start + 1), 0);
        self.run.start += 1;
        Some(key)
    }
}

/// What the header says, and the length of the file held to it; else what is wrong and what cures it.
fn read_header(bytes: &[u8], file_bytes: u64) -> Result<Header, (String, &'static str)> {
    let begins = bytes.len().min(MAGIC.len());
    if bytes.is_empty() {
        return Err(("is empty".to_owned(), CURE));
    }
    if bytes[..begins] != MAGIC[..begins] {
        let cure = "give a file made by `hitm keys import`, which reads logs, lists of keys, tables and block traces";
        return Err(("is no trace in the compact form".to_owned(), cure));
    }
    if bytes.len() < HEADER_BYTES {
        return Err((format!("is cut off: {file_bytes} bytes are less than its header of {HEADER_BYTES}"), CURE));
    }
    let version = half_word(bytes, 8);
    if version != VERSION {
        return Err((format!("is of version {version}, and this program reads version {VERSION}"), CURE));
    }
    let header = Header {
        keys: word(bytes, 2),
        streams: word(bytes, 3),
        runs: word(bytes, 4),
        low: word(bytes, 5),
        high: word(bytes, 6),
        body_crc: half_word(bytes, 60),
    };
    let sound = half_word(bytes, 12) == crc32fast::hash(&bytes[16..])
        && half_word(bytes, 56) == 0
        && header.keys > 0
        && header.streams <= MOST_STREAMS as u64
        && header.runs <= header.keys;
    match header.file_bytes() {
        Some(whole) if sound && whole == file_bytes => Ok(header),
        Some(whole) if sound && whole > file_bytes => {
            Err((format!("is cut off: {file_bytes} of {whole} bytes are there"), CURE))
        }
        Some(whole) if sound => Err((format!("has {file_bytes} bytes where its header tells of {whole}"), CURE)),
        _ => Err(("is damaged: its header contradicts itself".to_owned(), CURE)),
    }
}
