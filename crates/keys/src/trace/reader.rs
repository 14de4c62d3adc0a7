//! The keys of a trace, one after the other, whatever it is written in.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

use super::block::Blocks;
use super::fault::{BadLine, Fault, shown};
use super::general_log::{ToFile, ToTable};
use super::lines::{LONGEST, Line, Lines};
use super::plain::Plain;
use super::sql::Rule;
use super::statements::Statements;
use super::table::Table;
use super::unpack::{Ending, Packing, Unpacked};
use super::{Access, Format, Ranges, detect};
use crate::Refusal;

/// How a trace is read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What it is written in; told from its first lines where `None`.
    pub format: Option<Format>,
    /// The column that holds the keys: of a table by name or counted from 1, of statements by name (`id` where `None`).
    pub column: Option<String>,
    /// The column of a table that holds the thread.
    pub thread_column: Option<String>,
    /// Statements about this table only.
    pub table: Option<String>,
    /// What is taken of ranges.
    pub ranges: Ranges,
    /// Bytes of a block of a block trace, at least 1; 4096 where `None`.
    pub block_bytes: Option<u64>,
}

/// What was read so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Bytes of text, unpacked.
    pub bytes: u64,
    /// Lines.
    pub lines: u64,
    /// Keys.
    pub keys: u64,
    /// Bad lines, or places in them.
    pub bad: u64,
    /// Statements that read or write rows; 0 for other traces.
    pub statements: u64,
    /// Statements among them that name no key.
    pub without_key: u64,
    /// The tables whose keys were taken, the first few.
    pub tables: Vec<String>,
    /// Threads that have names, the first few: the first is thread 1, and so on.
    pub thread_names: Vec<String>,
}

/// Names of threads that are told.
const MOST_NAMES: usize = 20;

/// Tables that are told.
const MOST_TABLES: usize = 8;

/// What parsers hand over.
#[derive(Default)]
pub(super) struct Out {
    items: VecDeque<Result<Access, BadLine>>,
    counts: Counts,
}

impl Out {
    #[inline]
    pub(super) fn access(&mut self, key: u64, thread: Option<u64>) {
        self.counts.keys += 1;
        self.items.push_back(Ok(Access { key, thread }));
    }

    pub(super) fn bad(&mut self, line: u64, why: String) {
        self.counts.bad += 1;
        self.items.push_back(Err(BadLine { line, why }));
    }

    pub(super) fn statements(&mut self, all: u64, without_key: u64) {
        self.counts.statements += all;
        self.counts.without_key += without_key;
    }

    pub(super) fn thread_name(&mut self, name: &[u8]) {
        if self.counts.thread_names.len() < MOST_NAMES {
            self.counts.thread_names.push(String::from_utf8_lossy(name).into_owned());
        }
    }

    pub(super) fn table(&mut self, name: &[u8]) {
        let tables = &mut self.counts.tables;
        let known = name.is_empty() || tables.iter().any(|table| table.as_bytes() == name);
        if !known && tables.len() < MOST_TABLES {
            let name = String::from_utf8_lossy(name).into_owned();
            if !tables.contains(&name) {
                tables.push(name);
            }
        }
    }
}

/// Reads one format line by line.
pub(super) trait Parser {
    fn line(&mut self, line: &[u8], number: u64, out: &mut Out);

    /// After the last line.
    fn end(&mut self, out: &mut Out);
}

enum Source {
    Lines(Lines<Box<dyn BufRead>>, Box<dyn Parser>),
    Table(Box<Table>),
}

/// Streams the keys of a trace in constant memory.
///
/// Bad lines come as faults among the keys, and reading goes on; any other fault is the last item.
pub struct Reader {
    source: Source,
    format: Format,
    ending: Ending,
    out: Out,
    ended: bool,
}

impl Reader {
    /// Opens a file.
    ///
    /// # Errors
    /// When it cannot be read, is empty, or is in no format that is known; when a column is not there. The settings are those of
    /// [`Options`] with `-` for `_`, and `trace`.
    pub fn open(path: &Path, options: &Options) -> Result<Self, Vec<Refusal>> {
        let opened = File::open(path).and_then(|file| match file.metadata()?.is_dir() {
            true => Err(io::ErrorKind::IsADirectory.into()),
            false => Ok(file),
        });
        match opened {
            Ok(file) => Reader::new(file, options),
            Err(error) => {
                let cure = "give a file that is there and can be read, or - for standard input";
                Err(vec![Refusal::new("trace", format!("it cannot be read: {error}"), cure)])
            }
        }
    }

    /// Reads from anything.
    ///
    /// # Errors
    /// As [`Reader::open`].
    pub fn new(file: impl Read + 'static, options: &Options) -> Result<Self, Vec<Refusal>> {
        let refused = |fault: String| {
            vec![Refusal::new("trace", fault, "give a whole file: text, or text packed by gzip or zstd")]
        };
        let unpacked = Unpacked::new(file).map_err(|error| refused(Fault::Io(error).to_string()))?;
        let (mut text, ending, mut beginning) = (unpacked.text, unpacked.ending, Vec::new());
        let packing = ending.packing;
        // What is wrong further on is told when it is reached: a decoder that failed once may say later that all is read.
        let mut failed = None;
        if let Err(error) = text.by_ref().take(detect::LOOKED_AT as u64).read_to_end(&mut beginning) {
            if beginning.is_empty() {
                let is_cut = ending.is_cut(&error);
                return Err(refused(told(packing, is_cut, 0, 0, error).to_string()));
            }
            failed = Some(error);
        }
        let text: Box<dyn BufRead> = match failed {
            Some(error) => Box::new(BufReader::new(Fails(Some(error)))),
            None => text,
        };
        let marked = beginning.starts_with(b"\xef\xbb\xbf");
        beginning.drain(..if marked { 3 } else { 0 });
        let format = match options.format {
            Some(_) if beginning.trim_ascii().is_empty() => detect::format(&beginning, false).map_err(|r| vec![r])?,
            Some(format) => format,
            None => detect::format(&beginning, options.column.is_some()).map_err(|refusal| vec![refusal])?,
        };
        let first_line = beginning.split(|&byte| byte == b'\n').next().unwrap_or_default().to_vec();
        let text: Box<dyn BufRead> = Box::new(Cursor::new(beginning).chain(text));
        let block_bytes = options.block_bytes.unwrap_or(4096);
        if block_bytes == 0 {
            return Err(vec![Refusal::new(
                "block-bytes",
                "a block of 0 bytes holds nothing",
                "give 1 or more, such as 4096",
            )]);
        }
        let rule = || Rule {
            column: options.column.clone().unwrap_or_else(|| "id".to_owned()),
            table: options.table.clone(),
            ranges: options.ranges,
        };
        let parser: Box<dyn Parser> = match format {
            Format::GeneralLog => Box::new(ToFile::new(rule())),
            Format::GeneralLogTable => Box::new(ToTable::new(rule())),
            Format::Statements => Box::new(Statements::new(rule())),
            Format::Keys => Box::new(Plain),
            Format::Msr | Format::Spc | Format::Blkparse | Format::Fio => {
                Box::new(Blocks::new(format, options.ranges, block_bytes))
            }
            Format::Csv => {
                let table = Table::new(text, &first_line, options.column.as_deref(), options.thread_column.as_deref())?;
                return Ok(Reader::of(Source::Table(Box::new(table)), format, ending));
            }
        };
        Ok(Reader::of(Source::Lines(Lines::new(text), parser), format, ending))
    }

    fn of(source: Source, format: Format, ending: Ending) -> Self {
        Reader { source, format, ending, out: Out::default(), ended: false }
    }

    /// What it is written in.
    pub fn format(&self) -> Format {
        self.format
    }

    /// How it is packed.
    pub fn packing(&self) -> Packing {
        self.ending.packing
    }

    /// What was read so far.
    pub fn counts(&self) -> Counts {
        let mut counts = self.out.counts.clone();
        (counts.lines, counts.bytes) = match &self.source {
            Source::Lines(lines, _) => (lines.number, lines.bytes),
            Source::Table(table) => table.read(),
        };
        counts
    }

    /// Reads a line; whether there was one.
    fn line(&mut self) -> io::Result<bool> {
        match &mut self.source {
            Source::Table(table) => table.next(&mut self.out),
            Source::Lines(lines, parser) => {
                let number = lines.number + 1;
                match lines.next()? {
                    Some(Line::Whole(line)) => parser.line(line, number, &mut self.out),
                    Some(Line::TooLong(line)) => {
                        self.out.bad(number, format!("it is longer than {LONGEST} bytes: `{}`", shown(line)));
                    }
                    None => {
                        parser.end(&mut self.out);
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }
}

impl Iterator for Reader {
    type Item = Result<Access, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(item) = self.out.items.pop_front() {
                return Some(item.map_err(Fault::Line));
            }
            if self.ended {
                return None;
            }
            match self.line() {
                Ok(true) => {}
                Ok(false) => self.ended = true,
                Err(error) => {
                    self.ended = true;
                    let Counts { bytes, lines, .. } = self.counts();
                    return Some(Err(told(self.ending.packing, self.ending.is_cut(&error), bytes, lines, error)));
                }
            }
        }
    }
}

/// Gives an error where data would go on.
struct Fails(Option<io::Error>);

impl Read for Fails {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// What an error of reading means.
fn told(packing: Packing, is_cut: bool, bytes: u64, lines: u64, error: io::Error) -> Fault {
    match packing {
        Packing::None => Fault::Io(error),
        _ if is_cut => Fault::Cut { bytes, lines },
        _ => Fault::Damaged { bytes, why: format!("{}: {error}", packing.name()) },
    }
}
