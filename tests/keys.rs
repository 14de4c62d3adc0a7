//! `hitm keys`: keys drawn, counted and replayed.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use flate2::read::GzDecoder;
use serde_json::Value;

use crate::support::{err, exits, hitm, out};

fn keys(args: &str, code: i32) -> (String, String) {
    let output = exits(hitm().arg("keys").args(args.split(' ')), code);
    (out(&output), err(&output))
}

/// The statements that sysbench 1.0.20 sent: the general log of a server.
#[test]
fn statements_are_those_of_the_log() {
    let log: &[u8] = include_bytes!(
        "../crates/keys/tests/data/sysbench-1.0.20_oltp_read_write_special_seed42_size10000_200.general.log.gz"
    );
    let mut text = String::new();
    GzDecoder::new(log).read_to_string(&mut text).expect("the log is gzip of UTF-8");
    let logged: String = text
        .lines()
        .filter_map(|line| line.split_once(" Execute\t"))
        .map(|(_, statement)| format!("{statement}\n"))
        .collect();
    let (replayed, _) =
        keys("sql --workload sysbench-1.0.20/oltp_read_write --seed 42 --table-size 10000 --transactions 200", 0);
    assert_eq!(replayed.lines().count(), 4000);
    assert!(replayed == logged, "the statements are not those of the log");
    for (workload, statements) in [("oltp_read_only", 16), ("oltp_write_only", 6), ("oltp_point_select", 1)] {
        for dist in ["special", "uniform", "gaussian", "pareto"] {
            let (text, _) =
                keys(&format!("sql --workload sysbench-1.0.20/{workload} --dist {dist} --transactions 3"), 0);
            assert_eq!(text.lines().count(), 3 * statements, "{workload}");
        }
    }
}

/// 1.0.20's special draws most keys from 9 of 1000.
#[test]
fn a_histogram_is_strict_json() {
    let args = "draw --dist sysbench-1.0.20/special --range 1..1000 --count 20000 --seed 7 --histogram --json";
    let histogram: Value = serde_json::from_str(&keys(args, 0).0).expect("strict JSON");
    assert_eq!(histogram["drawn"], 20_000);
    let buckets = histogram["buckets"].as_array().unwrap();
    assert_eq!(buckets.len(), 40);
    assert_eq!(buckets.iter().map(|bucket| bucket["drawn"].as_u64().unwrap()).sum::<u64>(), 20_000);
    let expected: f64 = buckets.iter().map(|bucket| bucket["expected"].as_f64().unwrap()).sum();
    assert!((expected - 1.0).abs() < 1e-9);
    let mut low = 1;
    for bucket in buckets {
        assert_eq!(bucket["low"].as_u64(), Some(low));
        low = bucket["high"].as_u64().unwrap() + 1;
    }
    assert_eq!(low, 1001);
    let mut hot: Vec<u64> =
        histogram["hottest"].as_array().unwrap()[..9].iter().map(|hot| hot["key"].as_u64().unwrap()).collect();
    hot.sort_unstable();
    assert_eq!(hot, (498..=506).collect::<Vec<_>>());
    assert_eq!(histogram["taken"]["words"], 0);
}

#[test]
fn every_distribution_that_is_listed_draws_and_is_counted() {
    let listed: Value = serde_json::from_str(&keys("dists --json", 0).0).expect("strict JSON");
    let text = keys("dists", 0).0;
    for dist in listed["dists"].as_array().unwrap() {
        let name = dist["name"].as_str().unwrap();
        assert!(text.contains(name));
        let drawn = keys(&format!("draw --dist {name} --count 20 --seed 7"), 0).0;
        assert_eq!(drawn.lines().filter(|key| key.parse::<u64>().is_ok()).count(), 20, "{name}");
        let counted = keys(&format!("draw --dist {name} --count 20 --histogram --buckets 3"), 0).0;
        assert!(counted.contains("20 keys"), "{counted}");
        let counted: Value =
            serde_json::from_str(&keys(&format!("draw --dist {name} --count 0 --histogram --json"), 0).0)
                .expect("strict JSON");
        assert!(counted["buckets"][0]["share"].is_null(), "nothing drawn is no share of 0");
    }
    for workload in listed["workloads"].as_array().unwrap() {
        assert!(text.contains(workload["name"].as_str().unwrap()));
    }
}

#[test]
fn all_of_64_bits_and_none_at_all() {
    let all = "draw --dist exact/uniform --range 0..18446744073709551615";
    assert_eq!(keys(&format!("{all} --count 5"), 0).0.lines().count(), 5);
    assert_eq!(keys(&format!("{all} --count 0"), 0).0, "");
    let counted: Value =
        serde_json::from_str(&keys(&format!("{all} --count 5 --histogram --json"), 0).0).expect("strict JSON");
    assert_eq!(counted["buckets"][39]["high"].as_u64(), Some(u64::MAX));
    assert!(counted["hottest"].is_null() && counted["absent"]["hottest"].is_string());
    assert_eq!(keys("draw --dist exact/uniform --range 5..5 --count 2", 0).0, "5\n5\n");
    assert_eq!(keys("sql --workload sysbench-1.0.20/oltp_read_only --transactions 0", 0).0, "");
}

/// Parts hold equally many keys, and one with most of the draws is looked into.
#[test]
fn a_histogram_looks_into_what_holds_most() {
    let (text, _) = keys("draw --dist sysbench-1.0.20/special --range 1..1001 --histogram --buckets 7", 0);
    assert!(text.contains("100000 keys") && text.contains("most of them lie in"), "{text}");
    let histogram = keys("draw --dist exact/uniform --range 1..1001 --histogram --json --buckets 40", 0).0;
    let histogram: Value = serde_json::from_str(&histogram).expect("strict JSON");
    let buckets = histogram["buckets"].as_array().unwrap();
    let widths: Vec<u64> =
        buckets.iter().map(|b| b["high"].as_u64().unwrap() + 1 - b["low"].as_u64().unwrap()).collect();
    assert!(widths[..38].iter().all(|width| *width == 26) && widths[38..] == [13], "{widths:?}");
}

#[test]
fn distributions_are_listed_by_a_part_and_named_by_a_part() {
    let (text, _) = keys("dists special", 0);
    assert!(text.contains("sysbench-1.0.20/special") && !text.contains("zipf"), "{text}");
    keys("dists nosuch", 2);
    let (_, told) = keys("draw --dist special", 2);
    assert!(told.contains("sysbench-1.0.20/special"), "{told}");
}

/// Keys that can be handed out once end.
#[test]
fn the_end_of_the_keys_is_told() {
    for histogram in ["", " --histogram", " --histogram --json"] {
        let (printed, told) = keys(&format!("draw --dist exact/permutation --range 1..3 --count 5{histogram}"), 1);
        assert!(told.contains("3 of 5"), "{told}");
        assert!(printed.contains('3'));
    }
}

#[test]
fn all_that_is_wrong_is_told_at_once() {
    for (args, told) in [
        (
            "draw --dist exact/unifrom --range 9..1 --seed -1 --count many --set h --histogram --buckets 0",
            &["exact/uniform", "1..9", "--seed", "many", "--set h", "--buckets", "6 problems"][..],
        ),
        (
            "draw --dist sysbench-1.0.20/special --range 0..4294967295 --seed 0 --set iter=0 --set pct=101 --set res=-1 --set skew=1",
            &["32 bits", "exact/uniform", "--seed", "skew", "iter, pct, res"],
        ),
        ("draw --dist sysbench-old/pareto --set h=1 --seed 5000000000", &["--set h", "0.2", "--seed", "4294967295"]),
        ("draw --dist sysbench-old/special --range 7..7", &["special-symmetric"]),
        ("draw --dist exact/uniform --range 1..18446744073709551616", &["1..1000"]),
        (
            "sql --workload sysbench/oltp --seed 0 --tables 0 --table-size 0 --transactions x --dist zipf --set =1",
            &[
                "sysbench-1.0.20/oltp_read_write",
                "--seed",
                "--tables",
                "--table-size",
                "--transactions",
                "special",
                "--set =1",
                "7 problems",
            ],
        ),
    ] {
        let (printed, all) = keys(args, 2);
        assert_eq!(printed, "");
        for part in told {
            assert!(all.contains(part), "{args}: no {part:?} in\n{all}");
        }
        assert!(!all.contains("panicked"), "{all}");
    }
}

/// Whoever reads has seen enough: the endless stream ends, quietly.
#[test]
fn a_pipe_closed_early_ends_quietly() {
    for args in [
        "draw --dist exact/uniform --count 18446744073709551615",
        "sql --workload sysbench-1.0.20/oltp_read_write --transactions 18446744073709551615",
    ] {
        let mut child = hitm()
            .arg("keys")
            .args(args.split(' '))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).expect("a line comes");
        assert!(!line.is_empty());
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    }
}
