//! Key traces: what is read of every format, what is told of every fault, what is kept, and what it is described as.
//!
//! `data/` has two general logs of MariaDB 10.11 under sysbench 1.0.20's `oltp_read_write`, 10,000 rows, seed 42: 200 transactions of
//! one thread written to a file, 2000 of two threads written to a table and exported.

mod compact;
mod described;
mod formats;
mod golden;
mod packed;

use std::path::PathBuf;

use hitm_keys::trace::{Access, Counts, Fault, Options, Reader, Trace, Writer};

pub(crate) const ONE_THREAD: &[u8] =
    include_bytes!("../data/sysbench-1.0.20_oltp_read_write_special_seed42_size10000_200.general.log.gz");
pub(crate) const TWO_THREADS: &[u8] =
    include_bytes!("../data/sysbench-1.0.20_oltp_read_write_special_seed42_size10000_2threads_2000.general_log.tsv.gz");

/// What was read of a trace: its keys, the bad lines, the fault that ended it.
#[derive(Default)]
pub(crate) struct Read {
    pub(crate) accesses: Vec<Access>,
    pub(crate) bad: Vec<(u64, String)>,
    pub(crate) end: Option<Fault>,
    pub(crate) counts: Counts,
    pub(crate) format: &'static str,
}

impl Read {
    pub(crate) fn keys(&self) -> Vec<u64> {
        self.accesses.iter().map(|access| access.key).collect()
    }
}

/// Reads to the end.
pub(crate) fn read(text: &[u8], options: &Options) -> Read {
    let mut reader = Reader::new(std::io::Cursor::new(text.to_vec()), options).expect("the trace is taken");
    let mut read = Read { format: reader.format().name(), ..Read::default() };
    for item in &mut reader {
        assert!(read.end.is_none(), "nothing comes after the fault that ends a trace");
        match item {
            Ok(access) => read.accesses.push(access),
            Err(Fault::Line(bad)) => read.bad.push((bad.line, bad.why)),
            Err(fault) => read.end = Some(fault),
        }
    }
    assert!(reader.next().is_none());
    read.counts = reader.counts();
    assert_eq!(read.counts.keys, read.accesses.len() as u64);
    assert_eq!(read.counts.bad, read.bad.len() as u64);
    read
}

/// What is refused before the first key.
pub(crate) fn refused(text: &[u8], options: &Options) -> String {
    match Reader::new(std::io::Cursor::new(text.to_vec()), options) {
        Ok(_) => panic!("the trace is taken"),
        Err(refusals) => refusals.iter().map(|refusal| format!("{refusal}\n")).collect(),
    }
}

/// A folder of its own.
pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("there is room for temporary files")
}

/// Writes keys and opens them again.
pub(crate) fn kept(folder: &tempfile::TempDir, accesses: &[Access]) -> (PathBuf, Trace) {
    let path = folder.path().join("t.keys");
    let mut writer = Writer::create(&path).expect("the folder can be written");
    accesses.iter().for_each(|&access| writer.push(access).expect("there is room"));
    let written = writer.finish().expect("there is room");
    assert_eq!((written.keys, written.bytes), (accesses.len() as u64, path.metadata().unwrap().len()));
    let trace = Trace::open(&path).expect("what was written is whole");
    (path, trace)
}

/// Keys of one thread that is not told.
pub(crate) fn plain(keys: &[u64]) -> Vec<Access> {
    keys.iter().map(|&key| Access { key, thread: None }).collect()
}
