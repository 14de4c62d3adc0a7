//! What is wrong with a trace.

use std::fmt;
use std::io;

/// A line that gives no key where it should, or not a whole one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// Its number, from 1; of a statement of several lines the first.
    pub line: u64,
    /// What is wrong with it, one sentence without a full stop.
    pub why: String,
}

/// Why reading did not give a key.
#[derive(Debug)]
pub enum Fault {
    /// One line is bad; the ones after it can be read.
    Line(BadLine),
    /// Packed data ends in the middle. All of `bytes` and `lines` before was read.
    Cut {
        /// Bytes of text that came out of it.
        bytes: u64,
        /// Whole lines among them.
        lines: u64,
    },
    /// Packed data is damaged, or followed by what is none.
    Damaged {
        /// Bytes of text that came out of it.
        bytes: u64,
        /// What the unpacking says.
        why: String,
    },
    /// The file cannot be read on.
    Io(io::Error),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Line(BadLine { line, why }) => write!(f, "line {line}: {why}"),
            Fault::Cut { bytes, lines } => {
                write!(f, "it ends in the middle: {bytes} bytes of text with {lines} whole lines were read before")
            }
            Fault::Damaged { bytes, why } => write!(f, "it is damaged after {bytes} bytes of text: {why}"),
            Fault::Io(error) => write!(f, "it cannot be read: {error}"),
        }
    }
}

/// Characters of a line that are shown.
const SHOWN: usize = 40;

/// A piece of a line, cut and without control characters, for a message.
pub(super) fn shown(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(&text[..text.len().min(4 * SHOWN)]);
    let mut shown: String = text.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().count() > SHOWN {
        shown.push('…');
    }
    shown
}

/// The key that these digits are.
///
/// # Errors
/// What is wrong with them, one sentence without a full stop.
pub(super) fn key(text: &[u8]) -> Result<u64, String> {
    let digits = text.strip_prefix(b"+").unwrap_or(text);
    let mut key: u64 = 0;
    for &digit in digits {
        if !digit.is_ascii_digit() {
            return Err(no_key(text));
        }
        match key.checked_mul(10).and_then(|key| key.checked_add(u64::from(digit - b'0'))) {
            Some(more) => key = more,
            None if digits.iter().all(u8::is_ascii_digit) => {
                return Err(format!("`{}` is more than 64 bits hold (18446744073709551615)", shown(text)));
            }
            None => return Err(no_key(text)),
        }
    }
    if digits.is_empty() { Err(no_key(text)) } else { Ok(key) }
}

fn no_key(text: &[u8]) -> String {
    let negative = text.strip_prefix(b"-").is_some_and(|rest| !rest.is_empty() && rest.iter().all(u8::is_ascii_digit));
    match text {
        [] => "there is no key".to_owned(),
        _ if negative => format!("`{}` is negative, and keys are whole numbers from 0", shown(text)),
        _ => format!("`{}` is no whole number", shown(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_keys_and_nothing_else_is() {
        for (text, value) in [("0", 0), ("007", 7), ("+5", 5), ("18446744073709551615", u64::MAX)] {
            assert_eq!(key(text.as_bytes()), Ok(value));
        }
        for (text, told) in [
            ("18446744073709551616", "more than 64 bits"),
            ("99999999999999999999999999999999", "more than 64 bits"),
            ("99999999999999999999999x", "no whole number"),
            ("-5", "negative"),
            ("-", "no whole number"),
            ("+", "no whole number"),
            ("", "no key"),
            ("5.0", "no whole number"),
            ("1e3", "no whole number"),
            ("0x10", "no whole number"),
            ("5 6", "no whole number"),
        ] {
            assert!(key(text.as_bytes()).unwrap_err().contains(told), "{text}");
        }
    }

    #[test]
    fn what_is_shown_is_short_and_printable() {
        assert_eq!(shown(b"a\tb\x1b"), "a\\tb\\u{1b}");
        assert_eq!(shown(&[b'x'; 10_000]).chars().count(), SHOWN + 1);
        assert!(shown(&[0xff; 8]).chars().all(|c| c == '\u{fffd}'));
    }
}
