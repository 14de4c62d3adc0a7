//! The rows of a table: RFC 4180's quoting, held to it, and no longer than other formats' lines.

use std::io::{self, BufRead};
use std::ops::Range;

use super::fault::shown;
use super::lines::{LONGEST, Line, Lines};

/// Rows read one after the other into the same memory.
pub(super) struct Rows<R> {
    lines: Lines<R>,
    separator: u8,
    /// Lines that were read, each with `\n` behind it: a quote that is not closed has them read again.
    held: Vec<u8>,
    /// Where the next row begins in them.
    at: usize,
    /// The number of the line that begins there.
    number: u64,
    /// The beginning of a line that is too long, which comes behind those held.
    too_long: Option<String>,
    fields: Fields,
}

/// What became of a row, by the number of its first line.
pub(super) enum Row<'a> {
    Whole(&'a Fields),
    /// What is wrong with it. The next row is the line behind its first.
    Bad(String),
}

/// The fields of one row.
#[derive(Clone, Default)]
pub(super) struct Fields {
    text: Vec<u8>,
    /// Where each ends in the text.
    ends: Vec<u32>,
    state: State,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum State {
    /// At the beginning of a field.
    #[default]
    Begin,
    Plain,
    Quoted,
    /// Behind a quote within quotes: it ends the field, or is the first of two.
    Quote,
    /// Behind the field's last quote.
    Behind,
}

impl Fields {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(&self, index: usize) -> Option<&[u8]> {
        let end = *self.ends.get(index)? as usize;
        let begin = index.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        self.text.get(begin..end).map(<[u8]>::trim_ascii)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map_while(|index| self.get(index))
    }

    fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        self.state = State::Begin;
    }

    fn end(&mut self) {
        self.ends.push(self.text.len() as u32);
        self.state = State::Begin;
    }

    /// Takes a line. Whether the row is whole; not where a quote is open.
    ///
    /// # Errors
    /// When text follows a field's last quote.
    fn take(&mut self, line: &[u8], separator: u8) -> Result<bool, String> {
        if self.state == State::Begin && memchr::memchr(b'"', line).is_none() {
            for field in line.split(|&byte| byte == separator) {
                self.text.extend_from_slice(field);
                self.end();
            }
            return Ok(true);
        }
        for &byte in line {
            self.state = match (self.state, byte) {
                (State::Begin, b'"') => State::Quoted,
                (State::Quoted, b'"') => State::Quote,
                (State::Begin | State::Plain | State::Quote | State::Behind, byte) if byte == separator => {
                    self.end();
                    State::Begin
                }
                (State::Quote | State::Behind, b' ' | b'\t' | b'\r') => State::Behind,
                (State::Behind, _) => return Err("text follows a closing quote".to_owned()),
                (State::Quote, byte) if byte != b'"' => return Err("text follows a closing quote".to_owned()),
                (state, byte) => {
                    self.text.push(byte);
                    if matches!(state, State::Begin | State::Plain) { State::Plain } else { State::Quoted }
                }
            };
        }
        if self.state == State::Quoted {
            self.text.push(b'\n');
            return Ok(false);
        }
        self.end();
        Ok(true)
    }
}

impl<R: BufRead> Rows<R> {
    pub(super) fn new(text: R, separator: u8) -> Self {
        Rows {
            lines: Lines::new(text),
            separator,
            held: Vec::new(),
            at: 0,
            number: 1,
            too_long: None,
            fields: Fields::default(),
        }
    }

    /// The next row that is no empty line, and the number of its first line; `None` after the last.
    pub(super) fn next(&mut self) -> io::Result<Option<(u64, Row<'_>)>> {
        loop {
            if self.at == self.held.len() {
                self.held.clear();
                self.at = 0;
                if let Some(line) = self.too_long.take() {
                    self.number += 1;
                    return Ok(Some((
                        self.number - 1,
                        Row::Bad(format!("it is longer than {LONGEST} bytes: `{line}`")),
                    )));
                }
            }
            let Some(first) = self.line(self.at)? else {
                if self.too_long.is_some() {
                    continue;
                }
                return Ok(None);
            };
            let number = self.number;
            if self.held[first.clone()].is_empty() {
                self.pass(first.end, 1);
                continue;
            }
            let row = match self.row(first.clone())? {
                Ok((end, lines)) => {
                    self.pass(end, lines);
                    Row::Whole(&self.fields)
                }
                Err(why) => {
                    let why = format!("{why}: `{}`", shown(&self.held[first.clone()]));
                    self.pass(first.end, 1);
                    Row::Bad(why)
                }
            };
            return Ok(Some((number, row)));
        }
    }

    /// Lines and bytes read.
    pub(super) fn read(&self) -> (u64, u64) {
        (self.lines.number, self.lines.bytes)
    }

    fn pass(&mut self, end: usize, lines: u64) {
        self.at = end + 1;
        self.number += lines;
    }

    /// Reads the row that begins with a line: where it ends and how many lines it has, or what is wrong with it.
    fn row(&mut self, first: Range<usize>) -> io::Result<Result<(usize, u64), String>> {
        self.fields.clear();
        let (begin, mut line, mut lines) = (first.start, first, 1);
        loop {
            match self.fields.take(&self.held[line.clone()], self.separator) {
                Ok(true) => return Ok(Ok((line.end, lines))),
                Ok(false) => {}
                Err(why) => return Ok(Err(why)),
            }
            if line.end - begin > LONGEST {
                return Ok(Err(format!("a quote is not closed within {LONGEST} bytes")));
            }
            match self.line(line.end + 1)? {
                Some(next) => line = next,
                None => return Ok(Err("a quote is not closed".to_owned())),
            }
            lines += 1;
        }
    }

    /// The line that begins there, read if it is not held; `None` after the last, or where one is too long.
    fn line(&mut self, at: usize) -> io::Result<Option<Range<usize>>> {
        if at < self.held.len() {
            let length = memchr::memchr(b'\n', &self.held[at..]).unwrap_or(self.held.len() - at);
            return Ok(Some(at..at + length));
        }
        if self.too_long.is_some() {
            return Ok(None);
        }
        match self.lines.next()? {
            Some(Line::Whole(line)) => {
                self.held.extend_from_slice(line);
                self.held.push(b'\n');
                Ok(Some(at..self.held.len() - 1))
            }
            Some(Line::TooLong(line)) => {
                self.too_long = Some(shown(line));
                Ok(None)
            }
            None => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers and fields of rows; of bad ones what is wrong.
    fn rows(text: &[u8]) -> Vec<(u64, String)> {
        let mut rows = Rows::new(text, b',');
        let mut all = Vec::new();
        while let Some((number, row)) = rows.next().unwrap() {
            let told = match row {
                Row::Whole(fields) => {
                    fields.iter().map(|field| String::from_utf8_lossy(field)).collect::<Vec<_>>().join("|")
                }
                Row::Bad(why) => format!("bad: {why}"),
            };
            all.push((number, told));
        }
        assert_eq!(rows.read().1, text.len() as u64);
        all
    }

    fn expected(text: &str, rows_of_it: &[(u64, &str)]) {
        let rows_of_it: Vec<_> = rows_of_it.iter().map(|(number, row)| (*number, (*row).to_owned())).collect();
        assert_eq!(rows(text.as_bytes()), rows_of_it);
        assert_eq!(rows(text.replace('\n', "\r\n").as_bytes()), rows_of_it);
    }

    #[test]
    fn fields_are_quoted_as_rfc_4180_has_it() {
        expected("a,b\n\n\"c, \"\"d\"\"\",e\n", &[(1, "a|b"), (3, "c, \"d\"|e")]);
        expected("\"a\nb\",c\nd", &[(1, "a\nb|c"), (3, "d")]);
        expected("a\"b,\"\",\n\"c\" ,d", &[(1, "a\"b||"), (2, "c|d")]);
    }

    /// The rows behind it are read all the same.
    #[test]
    fn a_quote_that_is_not_closed_takes_nothing_else() {
        let told = "bad: a quote is not closed: `1,\\\"oops`";
        expected("0,a\n1,\"oops\n2,b\n3,c\n", &[(1, "0|a"), (2, told), (3, "2|b"), (4, "3|c")]);
        let told = "bad: text follows a closing quote: `1,\\\"oops`";
        expected("1,\"oops\n2,\"b\"\n3,\"c\"\n", &[(1, told), (2, "2|b"), (3, "3|c")]);
        let told = "bad: text follows a closing quote: `1,\\\"a\\\"b`";
        expected("1,\"a\"b\n2,c", &[(1, told), (2, "2|c")]);
    }

    #[test]
    fn what_is_too_long_is_told_and_passed_over() {
        let long = "5".repeat(LONGEST + 10);
        let bad = |rows: &[(u64, String)]| {
            rows.iter().map(|(n, row)| (*n, row[..row.len().min(9)].to_owned())).collect::<Vec<_>>()
        };
        let of = |rows: &[(u64, &str)]| rows.iter().map(|(n, row)| (*n, (*row).to_owned())).collect::<Vec<_>>();
        assert_eq!(bad(&rows(format!("1\n{long}\n2").as_bytes())), of(&[(1, "1"), (2, "bad: it i"), (3, "2")]));
        let within = rows(format!("\"1\n2\n{long}\n3\"\n4").as_bytes());
        assert_eq!(bad(&within), of(&[(1, "bad: a qu"), (2, "2"), (3, "bad: it i"), (4, "3\""), (5, "4")]));
        // Many lines that no quote closes.
        let line = format!("{}\n", "1".repeat(4095));
        let open = format!("\"{}", line.repeat(LONGEST / line.len() + 10));
        let open = rows(open.as_bytes());
        assert!(open[0].1.contains("within"), "{}", open[0].1);
        assert_eq!(open.len(), LONGEST / line.len() + 10);
    }
}
