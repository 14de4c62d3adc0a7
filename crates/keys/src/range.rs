//! The keys that can be drawn.

use std::fmt;
use std::str::FromStr;

use crate::Refusal;

/// A range of keys with both its ends, such as 1 to the number of rows of a table. It holds at least one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyRange {
    low: u64,
    high: u64,
}

impl KeyRange {
    /// All that 64 bits hold.
    pub const ALL: KeyRange = KeyRange { low: 0, high: u64::MAX };

    /// All that 32 bits hold.
    pub const ALL_OF_32_BITS: KeyRange = KeyRange { low: 0, high: u32::MAX as u64 };

    /// 1 to 10,000, the rows of sysbench's table when nothing is said.
    pub const TEN_THOUSAND: KeyRange = KeyRange { low: 1, high: 10_000 };

    /// A range that is known not to run backwards: of a constant.
    pub(crate) const fn constant(low: u64, high: u64) -> Self {
        assert!(low <= high);
        KeyRange { low, high }
    }

    /// The keys from `low` to `high`, both of them among it.
    ///
    /// # Errors
    /// When `high` is below `low`.
    pub fn new(low: u64, high: u64) -> Result<Self, Refusal> {
        if high < low {
            let cure = format!("turn it round: {high}..{low} (both ends belong to it)");
            return Err(Refusal::new("range", format!("{low}..{high} runs backwards"), cure));
        }
        Ok(KeyRange { low, high })
    }

    /// The keys from 1 to `keys`.
    ///
    /// # Errors
    /// When there is none.
    pub fn of(keys: u64) -> Result<Self, Refusal> {
        match keys {
            0 => Err(Refusal::new("range", "it holds no key", "give at least one key, such as 1..1")),
            _ => Ok(KeyRange { low: 1, high: keys }),
        }
    }

    /// The first key.
    pub fn low(self) -> u64 {
        self.low
    }

    /// The last key.
    pub fn high(self) -> u64 {
        self.high
    }

    /// How far the last key is from the first: one less than the number of keys, which 64 bits always hold.
    pub fn span(self) -> u64 {
        self.high - self.low
    }

    /// How many keys there are: 1 to 2⁶⁴.
    pub fn keys(self) -> u128 {
        u128::from(self.span()) + 1
    }

    /// Whether a key is among them.
    pub fn contains(self, key: u64) -> bool {
        (self.low..=self.high).contains(&key)
    }
}

impl fmt::Display for KeyRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.low, self.high)
    }
}

/// As `LOW..HIGH`, both ends among it; `LOW..=HIGH` and `LOW-HIGH` mean the same.
impl FromStr for KeyRange {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let wrong = || {
            let cure =
                "give the first and the last key, 0 to 18446744073709551615, such as 1..1000 (both belong to it)";
            Refusal::new("range", format!("`{text}` is no range of keys"), cure)
        };
        let (low, high) = text
            .split_once("..=")
            .or_else(|| text.split_once(".."))
            .or_else(|| text.split_once('-'))
            .ok_or_else(wrong)?;
        let number = |text: &str| text.trim().parse().map_err(|_| wrong());
        KeyRange::new(number(low)?, number(high)?)
    }
}

#[cfg(test)]
mod tests {
    use super::KeyRange;

    #[test]
    fn both_ends_belong_to_it() {
        for text in ["1..1000", "1..=1000", "1-1000", " 1 .. 1000 "] {
            let range: KeyRange = text.parse().unwrap();
            assert_eq!((range.low(), range.high(), range.span(), range.keys()), (1, 1000, 999, 1000), "{text}");
            assert!(range.contains(1) && range.contains(1000) && !range.contains(0) && !range.contains(1001));
        }
        let all: KeyRange = "0..18446744073709551615".parse().unwrap();
        assert_eq!((all, all.keys()), (KeyRange::ALL, 1 << 64));
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for text in ["", "..", "1..", "..5", "1", "a..b", "-1..5", "1..18446744073709551616", "1.5..3", "1..2..3"] {
            let refusal = text.parse::<KeyRange>().unwrap_err();
            assert!(refusal.why.contains(text) && refusal.cure.contains("1..1000"), "{refusal}");
        }
        assert!("10..5".parse::<KeyRange>().unwrap_err().cure.contains("5..10"));
        assert!(KeyRange::of(0).is_err());
    }
}
