//! Importing takes constant memory, however long the trace.
//!
//!     cargo test --release -p hitm-keys --test trace_memory -- --ignored --nocapture    # 2 GB of log text

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use hitm_keys::KeyRange;
use hitm_keys::dist::Asked;
use hitm_keys::sysbench::{Replay, Workload};
use hitm_keys::trace::{Options, Reader, Trace, Writer};

/// The same bytes again and again.
struct Again {
    piece: Vec<u8>,
    at: usize,
    left: u64,
}

impl Read for Again {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.at == self.piece.len() {
            self.at = 0;
            self.left -= u64::from(self.left > 0);
        }
        if self.left == 0 {
            return Ok(0);
        }
        let read = (&self.piece[self.at..]).read(bytes)?;
        self.at += read;
        Ok(read)
    }
}

/// The most memory that this process has had, in bytes.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()? * 1024)
}

/// A general log of two threads: 700 transactions, 1 MB.
fn log() -> String {
    let asked = Asked { range: KeyRange::TEN_THOUSAND, seed: 42, parameters: BTreeMap::new() };
    let mut replay =
        Replay::new(Workload::find("sysbench-1.0.20/oltp_read_write").unwrap(), "special", &asked, 1).unwrap();
    let mut log = String::new();
    for transaction in 0..700 {
        let mut statements = String::new();
        replay.transaction(&mut statements);
        for statement in statements.lines() {
            writeln!(log, "261130 12:33:47\t   {} Execute\t{statement}", 471 + transaction % 2).unwrap();
        }
    }
    log
}

/// Imports so many bytes of packed log text and holds what it took.
fn import(bytes: u64) {
    let log = log();
    let times = bytes.div_ceil(log.len() as u64);
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(log.as_bytes()).unwrap();
    let packed = Again { piece: packed.finish().unwrap(), at: 0, left: times };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.keys");
    let before = peak();
    let mut reader = Reader::new(packed, &Options::default()).unwrap();
    let mut writer = Writer::create(&path).unwrap();
    for access in &mut reader {
        writer.push(access.unwrap()).unwrap();
    }
    let written = writer.finish().unwrap();
    let counts = reader.counts();
    assert_eq!((counts.bytes, counts.statements), (times * log.len() as u64, times * 700 * 18));
    assert_eq!((written.keys, written.streams), (times * 700 * 18, 2));
    if let (Some(before), Some(after)) = (before, peak()) {
        let grown = after - before;
        println!("{} bytes of text, {} keys: {} kB more at the peak", counts.bytes, written.keys, grown >> 10);
        assert!(grown < 16 << 20, "{grown} bytes");
    }
    assert_eq!(Trace::open(&path).unwrap().len(), written.keys);
}

#[test]
fn forty_megabytes_take_no_more_than_one() {
    import(40 << 20);
}

#[test]
#[ignore = "two gigabytes of text take half a minute in a release build"]
fn two_gigabytes_take_no_more_than_one() {
    import(2 << 30);
}
