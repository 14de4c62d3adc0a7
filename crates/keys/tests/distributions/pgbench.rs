//! pgbench's distributions against what pgbench drew.
//!
//! `data/pgbench-15.18_draws.csv` holds what `pgbench -c 1 -t 30 --random-seed=SEED -f SCRIPT` of PostgreSQL 15.18 sent, a transaction a line, the
//! values in the order of the script's `\set`s, which are the columns here.

use hitm_keys::dist::Distribution;
use hitm_keys::dist::pgbench::{Client, Exponential, Gaussian, Uniform, Zipfian};

use crate::{near, probability, range};

type Column = Box<dyn Fn(&mut Client) -> u64>;

fn column(distribution: Result<impl Distribution, Vec<hitm_keys::Refusal>>) -> Column {
    let distribution = distribution.unwrap();
    Box::new(move |client| distribution.draw(client).unwrap())
}

/// The script of the seeds 42 and 1. pgbench drew the second column from −5 on.
fn common() -> Vec<Column> {
    vec![
        column(Uniform::new(range(1, 1000))),
        column(Uniform::new(range(0, 1_000_000_000_005))),
        column(Gaussian::new(range(1, 1000), 2.5)),
        column(Gaussian::new(range(5, 100_000_000), 4.0)),
        column(Exponential::new(range(1, 1000), 5.0)),
        column(Exponential::new(range(0, 4_294_967_295), 2.5)),
        column(Zipfian::new(range(1, 1000), 1.07)),
        column(Zipfian::new(range(100, 1_000_000), 1.5)),
        column(Zipfian::new(range(1, 10), 1.001)),
    ]
}

/// The script of the seed 7: ranges of one key, which take no number of `random` and `random_zipfian`, and wide ones.
fn edges() -> Vec<Column> {
    vec![
        column(Uniform::new(range(0, i64::MAX as u64 - 1))),
        column(Uniform::new(range(7, 7))),
        column(Gaussian::new(range(7, 7), 2.0)),
        column(Gaussian::new(range(0, 1 << 53), 6.5)),
        column(Exponential::new(range(3, 3), 1.0)),
        column(Exponential::new(range(1, 1_000_000), 0.1)),
        column(Zipfian::new(range(9, 9), 2.0)),
        column(Zipfian::new(range(1, 10_000_000_000), 1.2)),
        column(Zipfian::new(range(1, 1000), 3.0)),
    ]
}

#[test]
fn draws_what_pgbench_draws() {
    let drawn = include_str!("../data/pgbench-15.18_draws.csv");
    let (mut columns, mut lift, mut client, mut compared) = (common(), 5, Client::new(42, 0), 0);
    for line in drawn.lines() {
        if let Some(seed) = line.strip_prefix("seed ") {
            (columns, lift) = if seed == "7" { (edges(), 0) } else { (common(), 5) };
            client = Client::new(seed.parse().unwrap(), 0);
            continue;
        }
        for (index, (column, value)) in columns.iter().zip(line.split(',')).enumerate() {
            let value: i64 = value.parse().unwrap();
            let lifted = value + if index == 1 { lift } else { 0 };
            assert_eq!(column(&mut client), lifted as u64, "column {index} of {line}");
            compared += 1;
        }
    }
    assert_eq!(compared, 810);
}

/// The first transaction of the second client of `pgbench -c 2 --random-seed=42` with the same script.
#[test]
fn the_second_client_draws_its_own() {
    let mut client = Client::new(42, 1);
    let drawn: Vec<u64> = common().iter().map(|column| column(&mut client)).collect();
    assert_eq!(drawn, [825, 680_917_476_370, 251, 15_322_364, 10, 381_248_941, 16, 103, 1]);
}

/// The chances that pgbench's documentation tells: with the parameter 4 the middle third of the keys takes what a normal distribution has
/// within 4/3 deviations.
#[test]
fn chances_are_known() {
    let bell = Gaussian::new(range(1, 999_999), 4.0).unwrap();
    near(probability(&bell, 333_334..=666_666), 0.817_6, 4);
    near(bell.cumulative(500_000).unwrap() - bell.probability(500_000).unwrap() / 2.0, 0.5, 12);
    let exponential = Exponential::new(range(1, 100), 5.0).unwrap();
    let (first, last) = (exponential.probability(1).unwrap(), exponential.probability(100).unwrap());
    near(first / last, (5.0f64 * 0.99).exp(), 9);
    near(first, (1.0 - (-0.05f64).exp()) / (1.0 - (-5.0f64).exp()), 12);
}

/// Near 1 most tries fall beyond the end.
#[test]
fn tries_are_those_told() {
    use hitm_keys::stream::Counted;
    for (keys, s) in [(10, 1.001), (1000, 1.07), (1000, 1.5), (2, 3.0), (1, 2.0)] {
        let zipf = Zipfian::new(range(1, keys), s).unwrap();
        let mut stream = Counted::new(Client::new(1, 0));
        let draws = (0..4000).filter_map(|_| zipf.draw(&mut stream)).count();
        let tries = stream.taken().units as f64 / 2.0 / draws as f64;
        assert!((tries - zipf.tries()).abs() <= 0.1 * zipf.tries(), "{keys} keys, {s}: {tries}, not {}", zipf.tries());
    }
    assert!(Zipfian::new(range(1, 10), 1.001).unwrap().tries() > 400.0);
}

/// Beyond some 10¹⁴ keys every try is taken, and no chance is told that the draws do not have.
#[test]
fn chances_are_not_told_where_the_formula_has_no_digits() {
    let told = |keys, s| {
        let zipf = Zipfian::new(range(1, keys), s).unwrap();
        assert_eq!(zipf.cumulative(keys).is_some(), zipf.probability(1).is_some());
        zipf.cumulative(1).is_some()
    };
    for (keys, s, is_told) in [
        (100_000, 1.001, true),
        (100_000, 1.07, true),
        (10_000_000_000_000, 1.07, true),
        (100_000_000_000_000, 1.07, false),
        (10_000_000_000_000, 1.001, false),
        (1_000_000_000_000_000, 1.5, false),
        (i64::MAX as u64 - 1, 1.07, false),
        // Nothing is drawn where the digits are lost.
        (i64::MAX as u64 - 1, 3.0, true),
        (i64::MAX as u64 - 1, 1000.0, true),
    ] {
        assert_eq!(told(keys, s), is_told, "{keys} keys, {s}");
    }
}

#[test]
fn limits_are_those_of_pgbench() {
    for s in [1.0, 1.000_9, 1000.1, 0.99, f64::NAN] {
        assert_eq!(Zipfian::new(range(1, 10), s).unwrap_err()[0].setting, "parameter");
    }
    assert!(Zipfian::new(range(1, 10), 1000.0).is_ok() && Zipfian::new(range(1, 10), 1.001).is_ok());
    for parameter in [1.999, -2.0, f64::NAN, f64::INFINITY] {
        assert!(Gaussian::new(range(1, 10), parameter).is_err());
    }
    for parameter in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Exponential::new(range(1, 10), parameter).is_err());
    }
    let both = Gaussian::new(range(0, u64::MAX), 1.0).unwrap_err();
    assert_eq!(both.iter().map(|refusal| refusal.setting.as_str()).collect::<Vec<_>>(), ["range", "parameter"]);
}
