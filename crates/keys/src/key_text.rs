//! Keys as the texts that benchmarks make of them.

use std::fmt::Write;

use crate::dist::ycsb;

/// YCSB's key of a number: `user` and the number's hash, or the number itself where inserts are ordered, filled with zeros to `digits`
/// (`zeropadding`, 1).
pub fn ycsb(number: u64, ordered: bool, digits: usize) -> String {
    let mut text = String::new();
    write_ycsb(&mut text, number, ordered, digits);
    text
}

/// As [`ycsb()`], behind what the text holds already.
pub fn write_ycsb(text: &mut String, number: u64, ordered: bool, digits: usize) {
    let number = if ordered { number } else { ycsb::hash(number) };
    // Writing to a String cannot fail.
    let _ = write!(text, "user{number:0digits$}");
}

/// wtperf's key of a number: filled with zeros to one character less than `size` (`key_sz`, 20), which counts the NUL at its end. `None` for a
/// number that has more digits.
pub fn wtperf(number: u64, size: usize) -> Option<String> {
    let characters = size.saturating_sub(1);
    let text = format!("{number:0characters$}");
    (text.len() == characters).then_some(text)
}

/// The syllables of last names (TPC-C Standard Specification, clause 4.3.2.3).
const SYLLABLES: [&str; 10] = ["BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"];

/// TPC-C's last name of a number, 0 to 999: a syllable for each of its three digits. `None` for a larger one.
pub fn tpcc_last_name(number: u64) -> Option<String> {
    let digit = |place: u64| SYLLABLES[(number / place % 10) as usize];
    (number <= 999).then(|| [digit(100), digit(10), digit(1)].concat())
}

#[cfg(test)]
mod tests {
    use super::{tpcc_last_name, wtperf, ycsb};

    #[test]
    fn keys_of_ycsb_are_hashes() {
        assert_eq!(ycsb(0, false, 1), "user6284781860667377211");
        assert_eq!(ycsb(1, false, 1), "user8517097267634966620");
        assert_eq!([ycsb(0, true, 1), ycsb(1234, true, 1), ycsb(1234, true, 0)], ["user0", "user1234", "user1234"]);
        assert_eq!([ycsb(1234, true, 8), ycsb(1, false, 21)], ["user00001234", "user008517097267634966620"]);
    }

    #[test]
    fn keys_of_wtperf_have_a_width() {
        assert_eq!(wtperf(1, 20).unwrap(), "0000000000000000001");
        assert_eq!(wtperf(500_000, 20).unwrap(), "0000000000000500000");
        assert_eq!([wtperf(12_345, 5), wtperf(7, 1), wtperf(7, 0)], [None, None, None]);
        assert_eq!(wtperf(12_345, 6).unwrap(), "12345");
    }

    /// 371 is the specification's own example.
    #[test]
    fn last_names_are_syllables() {
        let name = |number| tpcc_last_name(number).unwrap();
        assert_eq!(
            [name(0), name(371), name(999), name(40)],
            ["BARBARBAR", "PRICALLYOUGHT", "EINGEINGEING", "BARPRESBAR"]
        );
        assert_eq!(tpcc_last_name(1000), None);
    }
}
