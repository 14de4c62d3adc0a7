//! A column of a table with separators, names in the first line or none.

use std::collections::HashMap;
use std::io::{self, BufRead};

use super::fault::key;
use super::reader::Out;
use super::row::{Fields, Row, Rows};
use crate::Refusal;

pub(super) struct Table {
    rows: Rows<Box<dyn BufRead>>,
    columns: Columns,
    /// The first line, where it holds no names.
    first: Option<Fields>,
}

/// Where the keys and the threads are, from 0.
struct Columns {
    key: usize,
    thread: Option<usize>,
    threads: Threads,
}

/// The most threads whose names are kept apart.
const MOST_THREADS: usize = 1 << 16;

/// What a column of threads holds: told by its first row.
enum Threads {
    Unknown,
    Numbers,
    /// Names, by their number from 1 in the order in which they came.
    Names(HashMap<Vec<u8>, u64>),
}

impl Threads {
    fn of(&mut self, text: &[u8], out: &mut Out) -> Result<u64, String> {
        if matches!(self, Threads::Unknown) && !text.is_empty() {
            *self = if key(text).is_ok() { Threads::Numbers } else { Threads::Names(HashMap::new()) };
        }
        let Threads::Names(names) = self else { return key(text) };
        if let Some(number) = names.get(text) {
            return Ok(*number);
        }
        if text.is_empty() {
            return Err("there is none".to_owned());
        }
        if names.len() == MOST_THREADS {
            return Err(format!("more than {MOST_THREADS} names"));
        }
        let number = names.len() as u64 + 1;
        names.insert(text.to_vec(), number);
        out.thread_name(text);
        Ok(number)
    }
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
    /// Reads the names of the columns, and finds those asked for: by name, or counted from 1. A first line of values is a row where the
    /// columns are counted.
    pub(super) fn new(
        text: Box<dyn BufRead>,
        first_line: &[u8],
        column: Option<&str>,
        thread: Option<&str>,
    ) -> Result<Self, Vec<Refusal>> {
        let mut rows = Rows::new(text, separator(first_line));
        let unreadable = |why: String| {
            let cure = "give a table whose first line has the columns' names";
            vec![Refusal::new("trace", format!("its first line cannot be read: {why}"), cure)]
        };
        let first = match rows.next() {
            Ok(Some((_, Row::Whole(fields)))) => fields.clone(),
            Ok(Some((_, Row::Bad(why)))) => return Err(unreadable(why)),
            Ok(None) => return Err(unreadable("there is none".to_owned())),
            Err(error) => return Err(unreadable(error.to_string())),
        };
        let names: Vec<String> = first.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        let counted = |asked: Option<&str>| asked.map(|asked| place(asked, names.len()));
        if let (Some(Some(at)), None | Some(Some(_))) = (counted(column), counted(thread)) {
            let is_value = key(names[at].as_bytes()).is_ok();
            if is_value && names.iter().all(|name| is_like_a_value(name)) {
                let columns = Columns { key: at, thread: counted(thread).flatten(), threads: Threads::Unknown };
                return Ok(Table { rows, columns, first: Some(first) });
            }
            if is_value {
                let why =
                    format!("its first line, with `{}` in the column of the keys, may be names or a row", names[at]);
                let cure = "put a line above it that names the columns, none of them by a number";
                return Err(vec![Refusal::new("column", why, cure)]);
            }
        }
        let column = match column {
            Some(asked) => find(&names, "column", asked),
            None => Err(Refusal::new("column", "which column holds the keys is not said", known(&names))),
        };
        match (column, thread.map(|asked| find(&names, "thread-column", asked)).transpose()) {
            (Ok(key), Ok(thread)) => {
                Ok(Table { rows, columns: Columns { key, thread, threads: Threads::Unknown }, first: None })
            }
            (column, thread) => Err([column.err(), thread.err()].into_iter().flatten().collect()),
        }
    }

    /// Reads one row. Whether there was one.
    pub(super) fn next(&mut self, out: &mut Out) -> io::Result<bool> {
        if let Some(first) = self.first.take() {
            self.columns.take(1, &first, out);
            return Ok(true);
        }
        match self.rows.next()? {
            None => return Ok(false),
            Some((line, Row::Bad(why))) => out.bad(line, why),
            Some((line, Row::Whole(fields))) => self.columns.take(line, fields, out),
        }
        Ok(true)
    }

    /// Lines and bytes read.
    pub(super) fn read(&self) -> (u64, u64) {
        self.rows.read()
    }
}

impl Columns {
    fn take(&mut self, line: u64, fields: &Fields, out: &mut Out) {
        let Some(text) = fields.get(self.key) else {
            let why = format!("it has {} columns and the keys are in column {}", fields.len(), self.key + 1);
            return out.bad(line, why);
        };
        let thread = match self.thread {
            None => Ok(None),
            Some(index) => {
                let found = self.threads.of(fields.get(index).unwrap_or_default(), out);
                found.map(Some).map_err(|why| format!("its thread: {why}"))
            }
        };
        match (key(text), thread) {
            (Ok(key), Ok(thread)) => out.access(key, thread),
            (Err(why), _) | (_, Err(why)) => out.bad(line, why),
        }
    }
}

/// The place, from 0, of a column that is counted from 1.
fn place(asked: &str, columns: usize) -> Option<usize> {
    asked.parse::<usize>().ok().filter(|index| (1..=columns).contains(index)).map(|index| index - 1)
}

/// Whether it begins as a number or a date does, or is empty.
fn is_like_a_value(field: &str) -> bool {
    let digits = field.strip_prefix(['+', '-', '.']).unwrap_or(field);
    field.is_empty() || digits.starts_with(|c: char| c.is_ascii_digit())
}

fn known(names: &[String]) -> String {
    format!("its columns are {}", names.iter().take(40).cloned().collect::<Vec<_>>().join(", "))
}

/// The column of that name, or counted from 1: the one that is meant, where both can be.
fn find(names: &[String], setting: &str, asked: &str) -> Result<usize, Refusal> {
    let named: Vec<usize> = (0..names.len()).filter(|&at| names[at].eq_ignore_ascii_case(asked)).collect();
    let numbers = named.iter().map(|at| (at + 1).to_string()).collect::<Vec<_>>().join(" or ");
    match (&named[..], place(asked, names.len())) {
        ([], Some(at)) => Ok(at),
        ([], None) => {
            let cure = format!("{}, or give a number from 1", known(names));
            Err(Refusal::new(setting, format!("there is no column `{asked}`"), cure))
        }
        ([at], None) => Ok(*at),
        ([at], Some(counted)) if *at == counted => Ok(*at),
        ([at], Some(_)) => {
            let why = format!("`{asked}` may be the name of column {} or the number of another", at + 1);
            Err(Refusal::new(setting, why, "name the columns in the first line by words, and give the word"))
        }
        _ => {
            let why = format!("{} columns have the name `{asked}`", named.len());
            Err(Refusal::new(setting, why, format!("give the number of the one that is meant: {numbers}")))
        }
    }
}
