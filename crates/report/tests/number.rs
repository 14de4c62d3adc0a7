//! Numbers as people read them: units, digits, nothing that reads as zero but zero.

use hitm_analysis::Estimate;
use hitm_report::number::*;

fn estimate(median: f64, low: f64, high: f64, unit: &str) -> Estimate {
    Estimate { median, low, high, unit: unit.to_owned(), n: 20, independent: 20, coverage: 0.95 }
}

#[test]
fn digits_follow_the_interval() {
    assert_eq!(sentence(&estimate(24.3123, 23.874, 25.112, "ns")), "24.3 ns [23.9 … 25.1]");
    assert_eq!(sentence(&estimate(1.6512, 1.6498, 1.6541, "ns")), "1.651 ns [1.650 … 1.654]");
    assert_eq!(sentence(&estimate(9.8, 7.0, 13.0, "ns")), "9.8 ns [7.0 … 13.0]");
    assert_eq!(ratio(&estimate(3.412, 3.35, 3.48, "")), "3.41× [3.35 … 3.48]");
    assert_eq!(sentence(&estimate(0.0, 0.0, 0.0, "ns")), "0 ns");
    assert_eq!(sentence_in(&estimate(0.02, -1.23, 1.27, "ns"), &Scale::plain("ns")), "0.02 ns [-1.23 … 1.27]");
    assert_eq!(sentence_in(&estimate(0.02, -4.2, 4.3, "ns"), &Scale::plain("ns")), "0.02 ns [-4.2 … 4.3]");
}

#[test]
fn a_share_has_one_decimal_unless_it_is_nearly_nothing_or_nearly_all() {
    assert_eq!(sentence(&estimate(0.831_428, 0.831_427, 0.831_429, "share")), "83.1 % [83.1 … 83.1]");
    assert_eq!(sentence(&estimate(-0.123_456, -0.123_457, -0.123_455, "share")), "-12.3 % [-12.3 … -12.3]");
    assert_eq!(sentence(&estimate(0.999_7, 0.999_6, 0.999_8, "share")), "99.970 % [99.960 … 99.980]");
    assert_eq!(sentence(&estimate(0.000_34, 0.000_30, 0.000_38, "share")), "0.034 % [0.030 … 0.038]");
}

#[test]
fn units_scale() {
    assert_eq!(sentence(&estimate(41_234_000.0, 41_000_000.0, 41_500_000.0, "op/s")), "41.2 M op/s [41.0 … 41.5]");
    assert_eq!(sentence(&estimate(1_234.0, 1_200.0, 1_300.0, "ns")), "1.23 µs [1.20 … 1.30]");
    assert_eq!(quantity(0.0003, "ns"), "0.300 ps");
    assert_eq!(duration(90_000_000_000), "90 s");
    assert_eq!(duration(25_000_000), "25 ms");
}

#[test]
fn nothing_but_zero_reads_as_zero() {
    for value in [1e-12, -1e-9, 4e-5, 0.049, 1e-300] {
        for text in [
            sentence(&estimate(value, -0.5, 0.5, "ns")),
            quantity(value, "ns"),
            quantity(value, "cycles"),
            percent(value),
            significant(value, 2),
        ] {
            let number: f64 = text.split(' ').next().expect("a number").parse().expect("a number");
            assert!(number != 0.0, "{value} reads as {text}");
        }
    }
    assert_eq!(percent(0.0), "0 %");
    assert_eq!(percent(0.9997), "99.97 %");
    assert_eq!(percent(1.0), "100 %");
}

#[test]
fn one_unit_a_column_by_the_largest() {
    let unit = |values: &[f64]| Scale::common("ns", values.iter().copied()).map(|scale| scale.unit);
    assert_eq!(unit(&[1.4, 30_000.0]).as_deref(), Some("ns"), "five digits are read more easily than 0.0014 µs");
    assert_eq!(unit(&[0.0004, 36.8, 171.0]).as_deref(), Some("ns"));
    assert_eq!(unit(&[0.2, 90_000.0]).as_deref(), Some("ns"));
    assert_eq!(unit(&[0.2, 200_000.0]).as_deref(), Some("µs"));
    assert_eq!(unit(&[2_000.0, 9_000.0]).as_deref(), Some("µs"));
    assert_eq!(unit(&[0.0004, 0.002]).as_deref(), Some("ps"));
    assert_eq!(unit(&[0.0]).as_deref(), Some("ns"));
    assert_eq!(unit(&[1.4, 3e9]), None);
    assert_eq!(Scale::common("op/s", [2e6, 8e6]).map(|scale| scale.unit), Some("M op/s".to_owned()));
    // Whatever else is in it, nothing of a nanosecond or more is in picoseconds.
    for most in (0..14).map(|power| 10f64.powi(power)) {
        for least in (-13..14).map(|power| 10f64.powi(power)).filter(|least| *least <= most) {
            assert_ne!(unit(&[least, most]).as_deref(), Some("ps"), "{least} {most}");
        }
    }
}

#[test]
fn what_may_be_nothing_has_the_unit_of_its_interval() {
    assert_eq!(sentence(&estimate(-0.004, -0.039, 0.043, "ns")), "-0.004 ns [-0.039 … 0.043]");
}

#[test]
fn shares_have_no_more_digits_than_they_are_worth() {
    let share = |median, low, high| sentence(&estimate(median, low, high, "share"));
    assert_eq!(share(0.0, 0.0, 0.000031), "0 % [0 … 0.003]");
    assert_eq!(share(0.0, 0.0, 0.0), "0 %");
    assert_eq!(share(0.98, 0.15, 1.0), "98 % [15 … 100]");
    assert_eq!(share(0.00024, 0.000061, 0.00836), "0.024 % [0.0061 … 0.84]");
    assert_eq!(share(0.00003, 0.0, 0.083), "0.003 % [0 … 8]");
    assert_eq!(share(0.0193, 0.0161, 0.0388), "1.9 % [1.6 … 3.9]");
    assert_eq!(sentence(&estimate(1082.3, 1080.6, 1084.1, "cycles")), "1082.3 cycles [1080.6 … 1084.1]");
}

#[test]
fn full_precision_reads_back() {
    for value in [1.23456e-7, 12_345_678_901.0, 0.1 + 0.2, -5e-324, f64::MAX, 0.0] {
        assert_eq!(full(value).parse::<f64>().expect("a number"), value);
    }
    assert_eq!(full(1.23456e-7), "1.23456e-7");
    assert_eq!(full(12_345_678_901.0), "12345678901");
    assert_eq!(full(f64::NAN), "");
}

#[test]
fn what_is_not_finite_is_absent() {
    assert_eq!(sentence(&estimate(f64::NAN, 0.0, f64::INFINITY, "ns")), ABSENT);
    assert_eq!(quantity(f64::INFINITY, "ns"), ABSENT);
}
