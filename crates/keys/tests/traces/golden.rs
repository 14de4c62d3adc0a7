//! The two real logs.

use std::collections::BTreeMap;

use hitm_keys::KeyRange;
use hitm_keys::dist::Asked;
use hitm_keys::sysbench::{Replay, Workload};
use hitm_keys::trace::{Options, Ranges};

use super::{ONE_THREAD, TWO_THREADS, read};

/// The keys of a statement, found another way: sysbench's have one number after `id=`, `BETWEEN ` or `VALUES (`.
fn key(statement: &str) -> Option<u64> {
    let after = ["WHERE id=", "BETWEEN ", "VALUES ("].iter().find_map(|mark| statement.split_once(mark))?.1;
    after.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[test]
fn one_thread_to_a_file() {
    let log = read(ONE_THREAD, &Options::default());
    assert_eq!(log.format, "general-log");
    assert!(log.bad.is_empty() && log.end.is_none(), "{:?}", log.bad);
    assert_eq!((log.counts.lines, log.counts.bytes), (4030, 287_813));
    assert_eq!((log.counts.statements, log.counts.without_key), (3600, 0));
    assert_eq!(log.counts.tables, ["sbtest1"]);
    assert!(log.accesses.iter().all(|access| access.thread == Some(476)));
    let asked = Asked { range: KeyRange::TEN_THOUSAND, seed: 42, parameters: BTreeMap::new() };
    let mut replay =
        Replay::new(Workload::find("sysbench-1.0.20/oltp_read_write").unwrap(), "special", &asked, 1).unwrap();
    let mut text = String::new();
    (0..200).for_each(|_| replay.transaction(&mut text));
    let keys: Vec<u64> = text.lines().filter_map(key).collect();
    assert_eq!(keys.len(), 3600);
    assert!(log.keys() == keys, "the log's keys are those that sysbench draws");
}

#[test]
fn two_threads_to_a_table() {
    let log = read(TWO_THREADS, &Options::default());
    assert_eq!(log.format, "general-log-table");
    assert!(log.bad.is_empty() && log.end.is_none(), "{:?}", log.bad);
    assert_eq!((log.counts.lines, log.counts.statements, log.counts.without_key), (40_051, 36_000, 0));
    let of = |thread| log.accesses.iter().filter(|access| access.thread == Some(thread)).count();
    assert_eq!((of(471), of(472)), (21_240 / 20 * 18, 18_760 / 20 * 18));
    let first: Vec<(u64, u64)> = log.accesses.iter().take(4).map(|a| (a.thread.unwrap(), a.key)).collect();
    assert_eq!(first, [(472, 5004), (471, 5021), (472, 5006), (471, 5025)]);
}

#[test]
fn ranges_give_every_row() {
    let log = read(ONE_THREAD, &Options { ranges: Ranges::All, ..Options::default() });
    assert_eq!(log.accesses.len(), 200 * (14 + 4 * 100));
}

#[test]
fn another_column_and_another_table() {
    // Only the INSERT names k with a value that is no assignment.
    let log = read(ONE_THREAD, &Options { column: Some("K".to_owned()), ..Options::default() });
    assert_eq!((log.accesses.len(), log.counts.without_key), (200, 3400));
    let log = read(ONE_THREAD, &Options { table: Some("sbtest2".to_owned()), ..Options::default() });
    assert_eq!((log.accesses.len(), log.counts.statements), (0, 0));
}
