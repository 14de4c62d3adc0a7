//! Texts drawn in other ways, and transactions by name.

use hitm_keys::KeyRange;
use hitm_keys::dist::{sysbench_1_0_20 as new, sysbench_old as old};
use hitm_keys::rng::{Rand48, SysbenchLcg, WordState, Xoroshiro128Plus};
use hitm_keys::stream::{Counted, Stream};
use hitm_keys::transaction::{Asked, Mix, Statement, Sysbench1_0_20, SysbenchOld, Text, Transaction, entries, find};

const TEXTS: [Text; 3] = [Text::PerDigit, Text::NineByDivision, Text::SevenByShifting];

/// Of texts of 110, 110 and 55 digits.
const DRAWS: [u64; 3] = [275, 13 + 13 + 7, 16 + 16 + 8];

fn asked(text: Text) -> Asked<'static> {
    Asked { rows: 10_000, tables: 1, dist: None, text }
}

fn taken(transaction: &impl Transaction, transactions: u64) -> u64 {
    let mut stream = Counted::new(Xoroshiro128Plus::seeded(4));
    for _ in 0..transactions {
        transaction.draw(&mut stream, |_| ()).unwrap();
    }
    stream.taken().all()
}

#[test]
fn draws_are_exact_for_every_text() {
    let table = KeyRange::of(10_000).unwrap();
    for (text, draws) in TEXTS.into_iter().zip(DRAWS) {
        let keys = old::Uniform::new(table).unwrap();
        let transaction = SysbenchOld::new(Mix::READ_WRITE, keys, 1).unwrap().with_text(text);
        assert_eq!(taken(&transaction, 5), 5 * (19 + draws), "{text:?}");
        let keys = new::Uniform::new(table).unwrap();
        let transaction = Sysbench1_0_20::new(Mix::WRITE_ONLY, keys, 1).unwrap().with_text(text);
        assert_eq!(taken(&transaction, 5), 5 * (8 + draws), "{text:?}");
    }
}

/// The means over many transactions: 106 and 113 in place of 348, 114 and 121 in place of 356.
#[test]
fn means_of_special_for_every_text() {
    let transactions = 20_000;
    let error = 5.0 * 5.2 * f64::sqrt(18.0 / transactions as f64);
    for (workload, keys) in [("sysbench-old/oltp_read_write", 73.0), ("sysbench-1.0.20/oltp_read_write", 81.0)] {
        for (text, draws) in TEXTS.into_iter().zip(DRAWS) {
            let transaction = find(workload).unwrap().build(&asked(text)).unwrap();
            let mean = taken(&transaction, transactions) as f64 / transactions as f64;
            assert!((mean - keys - draws as f64).abs() < error, "{workload} {text:?}: {mean}");
        }
    }
}

/// How often each digit came, in thousandths.
fn digits(stream: impl Stream, transaction: impl Fn(&mut dyn FnMut(&[u8]), &mut dyn Stream)) -> [u64; 10] {
    let (mut counts, mut stream) = ([0u64; 10], stream);
    for _ in 0..2000 {
        transaction(
            &mut |text| {
                text.iter().filter(|byte| byte.is_ascii_digit()).for_each(|d| counts[usize::from(d - b'0')] += 1)
            },
            &mut stream,
        );
    }
    let all: u64 = counts.iter().sum();
    assert_eq!(all, 2000 * 275);
    counts.map(|count| (count * 1000 + all / 2) / all)
}

#[test]
fn digits_come_as_often_as_documented() {
    let table = KeyRange::of(10_000).unwrap();
    for text in TEXTS {
        // Before 1.0 the numbers are those below 2³⁰ − 1, of which a few have ten digits.
        let zero = if text == Text::NineByDivision { 110 } else { 102 };
        let even = |shares: [u64; 10]| {
            (98..=zero).contains(&shares[0]) && shares[1..].iter().all(|share| (97..=102).contains(share))
        };
        let twice = |shares: [u64; 10]| {
            let doubled = [0, 1, 3, 5, 6, 8];
            (0..10).all(|digit| shares[digit].abs_diff(if doubled.contains(&digit) { 125 } else { 62 }) <= 2)
        };
        let hand = |statement: Statement, take: &mut dyn FnMut(&[u8])| match statement {
            Statement::TextUpdate { c, .. } => take(c),
            Statement::Insert { c, pad, .. } => {
                take(c);
                take(pad);
            }
            _ => {}
        };
        let keys = old::Uniform::new(table).unwrap();
        let of_old = SysbenchOld::new(Mix::WRITE_ONLY, keys, 1).unwrap().with_text(text);
        let keys = new::Uniform::new(table).unwrap();
        let of_new = Sysbench1_0_20::new(Mix::WRITE_ONLY, keys, 1).unwrap().with_text(text);
        for shares in [
            digits(Rand48::seeded(3), |take, mut s| of_old.run(&mut s, |it| hand(it, take)).unwrap()),
            digits(SysbenchLcg::seeded(3), |take, mut s| of_old.run(&mut s, |it| hand(it, take)).unwrap()),
            digits(Xoroshiro128Plus::seeded(3), |take, mut s| of_new.run(&mut s, |it| hand(it, take)).unwrap()),
        ] {
            match text {
                Text::SevenByShifting => assert!(twice(shares), "{text:?} {shares:?}"),
                _ => assert!(even(shares), "{text:?} {shares:?}"),
            }
        }
    }
}

#[test]
fn every_transaction_hands_over_its_statements() {
    for entry in entries() {
        let dists: Vec<_> = if entry.dists.is_empty() { vec![None] } else { entry.dists.iter().map(Some).collect() };
        for dist in dists {
            let asked = Asked { dist: dist.copied(), ..asked(Text::PerDigit) };
            let transaction = entry.build(&asked).unwrap_or_else(|refusals| panic!("{}: {refusals:?}", entry.name));
            let (mut stream, mut statements) = (Rand48::seeded(1), 0u32);
            for _ in 0..1000 {
                transaction.draw(&mut stream, |_| statements += 1).unwrap();
            }
            let (mean, told) = (f64::from(statements) / 1000.0, f64::from(transaction.statements()));
            assert!((mean - told).abs() <= 0.05 * told, "{}: {mean} statements, not {told}", entry.name);
        }
    }
}

#[test]
fn everything_wrong_is_refused_at_once() {
    let entry = find("sysbench-old/oltp_point_select").unwrap();
    let wrong = Asked { rows: 0, tables: 0, dist: Some("zipf"), text: Text::NineByDivision };
    let refusals = entry.build(&wrong).unwrap_err();
    assert!(refusals.len() >= 3, "{refusals:?}");
    assert!(refusals[0].cure.contains("special"), "{refusals:?}");
    assert!(find("sysbench/oltp_read_write").is_none());
}

/// The means of the others, within five standard errors: what an operation draws of its own and how often.
#[test]
fn means_of_the_other_benchmarks() {
    for (name, mean, error) in [
        ("ycsb/workloada", 2.0 + 0.5 * 18.0, 9.0),
        ("ycsb/workloadb", 2.0 + 0.05 * 18.0, 3.93),
        ("ycsb/workloadc", 2.0, 0.0),
        ("ycsb/workloadd", 0.95 * 2.0 + 0.05 * 171.0, 36.9),
        ("ycsb/workloade", 0.95 * 3.0 + 0.05 * 171.0, 36.7),
        ("ycsb/workloadf", 2.0 + 0.5 * 18.0, 9.0),
        ("tpcc/new-order", 6.0 + 10.0 * 4.01, 12.7),
        ("wtperf/small-btree", 1.0, 0.0),
    ] {
        let transactions = 20_000;
        let transaction = find(name).unwrap().build(&asked(Text::PerDigit)).unwrap();
        let drawn = taken(&transaction, transactions) as f64 / transactions as f64;
        assert!((drawn - mean).abs() <= 5.0 * error / f64::sqrt(transactions as f64), "{name}: {drawn}, not {mean}");
    }
}

/// Every key is one of the rows, and what is inserted comes once and behind them.
#[test]
fn keys_are_rows_and_inserts_come_once() {
    for entry in entries().filter(|entry| !entry.name.starts_with("tpcc")) {
        let transaction = entry.build(&asked(Text::PerDigit)).unwrap();
        let (mut stream, mut keys) = (Xoroshiro128Plus::seeded(1), Vec::new());
        for _ in 0..3000 {
            transaction.draw(&mut stream, |key| keys.push(key)).unwrap();
        }
        let inserted: Vec<_> = keys.iter().copied().filter(|key| *key > 10_000).collect();
        let unique: std::collections::BTreeSet<_> = inserted.iter().collect();
        assert_eq!(unique.len(), inserted.len(), "{}", entry.name);
        assert_eq!(inserted.is_empty(), !["ycsb/workloadd", "ycsb/workloade"].contains(&entry.name), "{}", entry.name);
    }
}
