//! Holds the replay to sysbench 1.0.20 itself, as Debian 12 ships it (1.0.20+ds-5).
//!
//! `data/` has what the program sent and drew, with one thread:
//!
//! - `sysbench-1.0.20_oltp_read_write_…general.log.gz`: MariaDB 10.11's general log of 200 transactions;
//! - `sysbench-1.0.20_statements.gz`: the statements of such logs, after lines `## script rand-type rand-seed table-size tables
//!   transactions`;
//! - `sysbench-1.0.20_draws.gz`: what `sysbench.rand.NAME(low, high)` gave to a script in its first event, after lines `## NAME rand-seed
//!   low high options`.

use std::collections::BTreeMap;
use std::io::Read;

use flate2::read::GzDecoder;
use hitm_keys::KeyRange;
use hitm_keys::dist::{Asked, find};
use hitm_keys::sysbench::{Replay, Workload};

fn unzipped(bytes: &[u8]) -> String {
    let mut text = String::new();
    GzDecoder::new(bytes).read_to_string(&mut text).expect("the file is gzip of UTF-8");
    text
}

fn replayed(script: &str, rand_type: &str, seed: u64, size: u64, tables: u64, transactions: u64) -> String {
    let workload = Workload::find(&format!("sysbench-1.0.20/{script}")).unwrap();
    let asked = Asked { range: KeyRange::of(size).unwrap(), seed, parameters: BTreeMap::new() };
    let mut replay = Replay::new(workload, rand_type, &asked, tables).unwrap();
    let mut text = String::new();
    for _ in 0..transactions {
        replay.transaction(&mut text);
    }
    text
}

/// The sections of a file whose heads are lines that begin with `## `.
fn sections(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut sections: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix("## "), sections.last_mut()) {
            (Some(head), _) => sections.push((head.trim(), Vec::new())),
            (None, Some((_, lines))) => lines.push(line),
            (None, None) => panic!("a line before the first head"),
        }
    }
    sections
}

#[test]
fn four_thousand_of_four_thousand_statements() {
    let log =
        unzipped(include_bytes!("data/sysbench-1.0.20_oltp_read_write_special_seed42_size10000_200.general.log.gz"));
    let logged: Vec<_> = log.lines().filter_map(|line| line.split_once(" Execute\t")).map(|(_, sql)| sql).collect();
    assert_eq!(logged.len(), 4000);
    let replayed = replayed("oltp_read_write", "special", 42, 10_000, 1, 200);
    for (number, (replayed, logged)) in replayed.lines().zip(&logged).enumerate() {
        assert_eq!(replayed, *logged, "statement {number}");
    }
    assert_eq!(replayed.lines().count(), 4000);
}

#[test]
fn every_script_distribution_and_table_as_logged() {
    let text = unzipped(include_bytes!("data/sysbench-1.0.20_statements.gz"));
    let sections = sections(&text);
    assert_eq!(sections.len(), 36);
    for (head, logged) in sections {
        let words: Vec<_> = head.split(' ').collect();
        let number = |index: usize| words[index].parse().unwrap();
        let replayed = replayed(words[0], words[1], number(2), number(3), number(4), number(5));
        assert_eq!(replayed.lines().collect::<Vec<_>>(), logged, "{head}");
    }
}

#[test]
fn every_draw_as_drawn() {
    let text = unzipped(include_bytes!("data/sysbench-1.0.20_draws.gz"));
    let sections = sections(&text);
    assert_eq!(sections.len(), 37);
    for (head, drawn) in sections {
        let words: Vec<_> = head.split(' ').collect();
        let number = |index: usize| words[index].parse().unwrap();
        let parameters = words[4..].iter().map(|option| {
            let (name, value) = option.split_once('=').unwrap();
            (name.rsplit('-').next().unwrap().to_owned(), value.parse().unwrap())
        });
        let asked = Asked {
            range: KeyRange::new(number(2), number(3)).unwrap(),
            seed: number(1),
            parameters: parameters.collect(),
        };
        let mut keys = find(&format!("sysbench-1.0.20/{}", words[0])).unwrap().build(&asked).unwrap();
        let mut ours = vec![0; drawn.len()];
        assert_eq!(keys.fill(&mut ours), drawn.len());
        let drawn: Vec<u64> = drawn.iter().map(|key| key.parse().unwrap()).collect();
        assert_eq!(ours, drawn, "{head}");
    }
}
