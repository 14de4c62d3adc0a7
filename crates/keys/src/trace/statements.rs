//! Statements, one a line, of no thread that is told. Empty lines and comments are passed over.

use super::general_log::take;
use super::reader::{Out, Parser};
use super::sql::{Found, Rule};

/// What statements begin with.
const BEGINNINGS: [&str; 12] =
    ["select", "insert", "update", "delete", "replace", "with", "begin", "start", "commit", "rollback", "set", "use"];

/// Whether a line is a statement.
pub(super) fn is_statement(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let word = line.split(|byte| !byte.is_ascii_alphabetic()).next().unwrap_or_default();
    let ends = matches!(line.get(word.len()), None | Some(b' ' | b'\t' | b';' | b'(' | b'`' | b'/'));
    ends && BEGINNINGS.iter().any(|beginning| word.eq_ignore_ascii_case(beginning.as_bytes()))
}

pub(super) struct Statements {
    rule: Rule,
    found: Found,
}

impl Statements {
    pub(super) fn new(rule: Rule) -> Self {
        Statements { rule, found: Found::default() }
    }
}

impl Parser for Statements {
    fn line(&mut self, line: &[u8], number: u64, out: &mut Out) {
        take(line, number, None, &self.rule, &mut self.found, out);
    }

    fn end(&mut self, _: &mut Out) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_known_by_their_first_word() {
        for line in ["SELECT c FROM t", "begin", " COMMIT;", "insert into t", "SET @a=1"] {
            assert!(is_statement(line.as_bytes()), "{line}");
        }
        for line in ["", "5", "selected", "key", "select,key", "id", "update_time"] {
            assert!(!is_statement(line.as_bytes()), "{line}");
        }
    }
}
