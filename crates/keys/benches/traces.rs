//! What reading a trace costs, and what its keys cost once it is kept: against the same bytes streamed from memory.
//!
//!     cargo bench -p hitm-keys --bench traces [-- PART-OF-NAME]
//!
//! First the ratio of interleaved pairs (median, quartiles), which holds where other programs run too; then criterion.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hint::black_box;
use std::io::{self, Cursor, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use criterion::{Criterion, Throughput};
use flate2::Compression;
use flate2::write::GzEncoder;
use hitm_keys::KeyRange;
use hitm_keys::dist::Asked;
use hitm_keys::sysbench::{Replay, Workload};
use hitm_keys::trace::describe::{Limits, describe};
use hitm_keys::trace::{Access, Options, Reader, Streams, Trace, Writer};

/// Pairs; odd, so that the median is one of them.
const PAIRS: usize = 31;
/// Keys of the trace that is replayed: 64 MiB, more than most caches hold.
const KEYS: u64 = 8 << 20;

fn main() -> io::Result<()> {
    // `cargo bench` passes `--bench`; `cargo test --benches` does not, and then nothing is timed.
    if !std::env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("t.keys");
    let mut writer = Writer::create(&path)?;
    for index in 0..KEYS {
        let key = (index.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44).pow(2) >> 20;
        writer.push(Access { key, thread: Some(index / 16 % 4) })?;
    }
    writer.finish()?;
    ratios(&path)?;
    let mut criterion = Criterion::default().configure_from_args();
    importing(&mut criterion, folder.path())?;
    describing(&mut criterion, &path)?;
    criterion.final_summary();
    Ok(())
}

fn opened(path: &Path) -> io::Result<Trace> {
    Trace::open(path).map_err(|refusal| io::Error::other(refusal.to_string()))
}

/// Keys a second of each way of sharing, for one worker, against an exclusive or over as many numbers in memory.
fn ratios(path: &Path) -> io::Result<()> {
    let trace = Arc::new(opened(path)?);
    let memory: Vec<u64> = trace.keys(0, KEYS).collect();
    println!("{:<14} {:>14} {:>14} {:>8} {:>8} {:>8}", "replay", "streamed/s", "replayed/s", "ratio", "q1", "q3");
    for (name, streams) in Streams::ALL {
        let mut stream = streams.of(&trace, 0, 1).map_err(|refusal| io::Error::other(refusal.to_string()))?;
        let mut pairs: Vec<[f64; 3]> = (0..PAIRS)
            .map(|_| {
                let streamed = a_second(|| memory.iter().fold(0, |sum, key| sum ^ key));
                let replayed = a_second(|| {
                    let mut sum = 0;
                    stream.each(KEYS, |key| sum ^= key);
                    sum
                });
                [replayed / streamed, streamed, replayed]
            })
            .collect();
        pairs.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let at = |quarter: usize| pairs[quarter * (PAIRS - 1) / 4];
        let [ratio, streamed, replayed] = at(2);
        println!("{name:<14} {streamed:>14.3e} {replayed:>14.3e} {ratio:>8.3} {:>8.3} {:>8.3}", at(1)[0], at(3)[0]);
    }
    Ok(())
}

/// Keys a second.
fn a_second(all: impl FnOnce() -> u64) -> f64 {
    let start = Instant::now();
    black_box(all());
    KEYS as f64 / start.elapsed().as_secs_f64()
}

/// A general log of 5000 transactions, 7 MB, as it is written to a file and exported from a table.
fn logs() -> Result<[String; 2], io::Error> {
    let asked = Asked { range: KeyRange::TEN_THOUSAND, seed: 42, parameters: BTreeMap::new() };
    let refused = |what: String| io::Error::other(what);
    let workload = Workload::find("sysbench-1.0.20/oltp_read_write").map_err(|refusal| refused(refusal.to_string()))?;
    let mut replay =
        Replay::new(workload, "special", &asked, 1).map_err(|refusals| refused(format!("{refusals:?}")))?;
    let (mut file, mut table) = ("261130 12:33:47\t   476 Query\tselect 1\n".to_owned(), String::new());
    for transaction in 0..5000 {
        let mut statements = String::new();
        replay.transaction(&mut statements);
        for statement in statements.lines() {
            let thread = 471 + transaction % 2;
            // Writing to a String cannot fail.
            let _ = writeln!(file, "\t\t   {thread} Execute\t{statement}");
            let _ = writeln!(table, "2026-11-30 12:33:18.001716\t{thread}\tExecute\t{statement}");
        }
    }
    Ok([file, table])
}

fn importing(criterion: &mut Criterion, folder: &Path) -> io::Result<()> {
    let [file, table] = logs()?;
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(file.as_bytes())?;
    let packed = packed.finish()?;
    let list: String = (0..1_000_000_u64).map(|key| format!("{}\n", key * 7919 % 1_000_003)).collect();
    let rows = list.lines().fold("time,key,size\n".to_owned(), |text, key| text + "1696932," + key + ",4096\n");
    let column = Options { column: Some("key".to_owned()), ..Options::default() };
    let mut group = criterion.benchmark_group("import");
    group.sample_size(10);
    for (name, text, bytes, options) in [
        ("general-log", file.as_bytes(), file.len(), Options::default()),
        ("general-log, gzip", &packed, file.len(), Options::default()),
        ("general-log-table", table.as_bytes(), table.len(), Options::default()),
        ("keys", list.as_bytes(), list.len(), Options::default()),
        ("csv", rows.as_bytes(), rows.len(), column),
    ] {
        group.throughput(Throughput::Bytes(bytes as u64));
        let path = folder.join("imported.keys");
        group.bench_function(name, |bencher| bencher.iter(|| imported(text, &options, &path)));
    }
    group.finish();
    Ok(())
}

/// Reads all and keeps it; the number of keys.
fn imported(text: &[u8], options: &Options, path: &Path) -> u64 {
    // The reader may outlive what it reads from: the copy costs a thousandth of the rest.
    let Ok(mut reader) = Reader::new(Cursor::new(text.to_vec()), options) else { return 0 };
    let Ok(mut writer) = Writer::create(path) else { return 0 };
    for access in reader.by_ref().flatten() {
        if writer.push(access).is_err() {
            return 0;
        }
    }
    writer.finish().map_or(0, |written| written.keys)
}

fn describing(criterion: &mut Criterion, path: &Path) -> io::Result<()> {
    let trace = opened(path)?;
    let mut group = criterion.benchmark_group("describe");
    group.sample_size(10).throughput(Throughput::Elements(KEYS));
    group.bench_function("8 Mi keys", |bencher| bencher.iter(|| describe(&trace, Limits::default())));
    group.finish();
    Ok(())
}
