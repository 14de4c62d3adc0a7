//! A column of a table with separators: RFC 4180's quoting, names in the first line.

use std::io::{self, BufRead};

use csv::{ByteRecord, ReaderBuilder};

use super::fault::key;
use super::reader::Out;
use crate::Refusal;

pub(super) struct Table {
    reader: csv::Reader<Box<dyn BufRead>>,
    record: ByteRecord,
    column: usize,
    thread: Option<usize>,
    /// Added to what the library counts: it sees the end of a line that ends in CR LF when it reads the next.
    lines_late: u64,
}

/// What the first line is parted by: the one of comma, semicolon, tab and bar that comes most often outside of quotes.
pub(super) fn separator(line: &[u8]) -> u8 {
    let mut quoted = false;
    let mut counts = [(b',', 0), (b'\t', 0), (b';', 0), (b'|', 0)];
    for &byte in line {
        quoted ^= byte == b'"';
        counts.iter_mut().filter(|(separator, _)| !quoted && *separator == byte).for_each(|(_, count)| *count += 1);
    }
    let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(0);
    counts.iter().find(|(_, count)| *count == most).map_or(b',', |(separator, _)| *separator)
}

impl Table {
    /// Reads the names of the columns, and finds those asked for: by name, or counted from 1.
    pub(super) fn new(
        text: Box<dyn BufRead>,
        first_line: &[u8],
        column: Option<&str>,
        thread: Option<&str>,
    ) -> Result<Self, Vec<Refusal>> {
        let mut reader = ReaderBuilder::new().delimiter(separator(first_line)).flexible(true).from_reader(text);
        let names: Vec<String> = match reader.byte_headers() {
            Ok(names) => names.iter().map(|name| String::from_utf8_lossy(name).trim().to_owned()).collect(),
            Err(error) => {
                let cure = "give a table whose first line has the columns' names";
                return Err(vec![Refusal::new("trace", format!("its first line cannot be read: {error}"), cure)]);
            }
        };
        let known = || format!("its columns are {}", names.iter().take(40).cloned().collect::<Vec<_>>().join(", "));
        let find = |setting: &str, asked: &str| {
            let by_name = names.iter().position(|name| name.eq_ignore_ascii_case(asked));
            let counted = asked.parse::<usize>().ok().filter(|index| (1..=names.len()).contains(index));
            by_name.or(counted.map(|index| index - 1)).ok_or_else(|| {
                Refusal::new(
                    setting,
                    format!("there is no column `{asked}`"),
                    format!("{}, or give a number from 1", known()),
                )
            })
        };
        let column = match column {
            Some(asked) => find("column", asked),
            None => Err(Refusal::new("column", "which column holds the keys is not said", known())),
        };
        match (column, thread.map(|asked| find("thread-column", asked)).transpose()) {
            (Ok(column), Ok(thread)) => {
                let lines_late = u64::from(first_line.ends_with(b"\r"));
                Ok(Table { reader, record: ByteRecord::new(), column, thread, lines_late })
            }
            (column, thread) => Err([column.err(), thread.err()].into_iter().flatten().collect()),
        }
    }

    /// Reads one row. Whether there was one.
    pub(super) fn next(&mut self, out: &mut Out) -> io::Result<bool> {
        match self.reader.read_byte_record(&mut self.record) {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(error) => {
                let text = error.to_string();
                return match error.into_kind() {
                    csv::ErrorKind::Io(error) => Err(error),
                    _ => Err(io::Error::other(text)),
                };
            }
        }
        let line = self.record.position().map_or(0, csv::Position::line) + self.lines_late;
        let field = |index: usize| self.record.get(index).map(<[u8]>::trim_ascii);
        let Some(text) = field(self.column) else {
            out.bad(
                line,
                format!("it has {} columns and the keys are in column {}", self.record.len(), self.column + 1),
            );
            return Ok(true);
        };
        let thread = match self.thread {
            None => Ok(None),
            Some(index) => key(field(index).unwrap_or_default()).map(Some).map_err(|why| format!("its thread: {why}")),
        };
        match (key(text), thread) {
            (Ok(key), Ok(thread)) => out.access(key, thread),
            (Err(why), _) | (_, Err(why)) => out.bad(line, why),
        }
        Ok(true)
    }

    /// Lines and bytes read.
    pub(super) fn read(&self) -> (u64, u64) {
        let position = self.reader.position();
        (position.line().saturating_sub(1), position.byte())
    }
}
