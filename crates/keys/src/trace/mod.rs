//! Key traces: what a real program drew, read from its logs, kept in a compact form, described and replayed.
//!
//! | module | what |
//! | --- | --- |
//! | [`Reader`] | streams the keys of a log, a list, a table or a block trace, packed or not |
//! | [`Writer`] | writes them in the compact form, in one pass, in constant memory |
//! | [`Trace`] | the compact form mapped into memory |
//! | [`Streams`], [`Stream`] | whose worker takes which key; one worker's keys, as [`crate::dist::Keys`] |
//! | [`describe`] | how often keys come, how skewed they are, how threads' keys go together |

mod block;
mod compact;
pub mod describe;
mod detect;
mod fault;
mod general_log;
mod lines;
mod map;
mod plain;
mod reader;
mod row;
mod sql;
mod statements;
mod streams;
mod table;
mod tokens;
mod unpack;

pub use compact::{Runs, StreamKeys, Trace, Writer, Written};
pub use fault::{BadLine, Fault};
pub use reader::{Counts, Options, Reader};
pub use streams::{Stream, Streams};
pub use unpack::Packing;

use crate::Refusal;

/// One key that was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The key.
    pub key: u64,
    /// The thread, connection or device that it belongs to, as the trace calls it; `None` where it tells none.
    pub thread: Option<u64>,
}

/// What traces are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// MariaDB's or MySQL's general log, written to a file.
    GeneralLog,
    /// The same, written to a table and exported tab separated.
    GeneralLogTable,
    /// Statements, one a line.
    Statements,
    /// One key a line.
    Keys,
    /// A table, comma, semicolon or tab separated, with its columns' names in the first line.
    Csv,
    /// Block requests as Microsoft Research Cambridge published them: time, host, disk, type, offset, size, response time.
    Msr,
    /// Block requests as the Storage Performance Council's format has them: unit, block, size, operation, time.
    Spc,
    /// What `blkparse` prints; requests as they are queued.
    Blkparse,
    /// fio's I/O log, version 2 or 3.
    Fio,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 9] = [
        Format::GeneralLog,
        Format::GeneralLogTable,
        Format::Statements,
        Format::Keys,
        Format::Csv,
        Format::Msr,
        Format::Spc,
        Format::Blkparse,
        Format::Fio,
    ];

    /// Its name, such as `general-log`.
    pub fn name(self) -> &'static str {
        match self {
            Format::GeneralLog => "general-log",
            Format::GeneralLogTable => "general-log-table",
            Format::Statements => "statements",
            Format::Keys => "keys",
            Format::Csv => "csv",
            Format::Msr => "msr",
            Format::Spc => "spc",
            Format::Blkparse => "blkparse",
            Format::Fio => "fio",
        }
    }

    /// The format of that name; `None` for `auto`.
    ///
    /// # Errors
    /// When there is no such format.
    pub fn find(name: &str) -> Result<Option<Format>, Refusal> {
        if name == "auto" {
            return Ok(None);
        }
        Format::ALL.into_iter().find(|format| format.name() == name).map(Some).ok_or_else(|| {
            let names = Format::ALL.map(Format::name).join(", ");
            Refusal::new("format", format!("there is no format `{name}`"), format!("give auto or one of {names}"))
        })
    }
}

/// What is taken of a statement or a request that names several keys in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ranges {
    /// The first: what a load generator draws.
    #[default]
    First,
    /// All of them: what is looked at.
    All,
}

/// The most keys that one range gives: a scan of a whole table is no list of hot keys.
const LONGEST_RANGE: u64 = 1 << 20;

/// Adds the keys of a range.
fn push_range(keys: &mut Vec<u64>, ranges: Ranges, low: u64, high: u64) -> Result<(), String> {
    match ranges {
        Ranges::First => keys.push(low),
        Ranges::All if high >= low && high - low >= LONGEST_RANGE => {
            return Err(format!("it is a range of more than {LONGEST_RANGE} keys"));
        }
        Ranges::All => keys.extend(low..=high),
    }
    Ok(())
}
