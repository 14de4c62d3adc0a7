//! What one OLTP transaction draws: sysbench's before 1.0 and in 1.0.20, YCSB's operations, TPC-C's new order, wtperf's reads.
//!
//! Each version of sysbench is a type of its own that draws keys, table numbers and texts in the order of its script and hands every statement with its
//! values to whoever asked. Nothing is allocated, so that the drawing alone can be measured.
//!
//! | draws on average | read/write | read only | write only | point select |
//! | --- | --- | --- | --- | --- |
//! | before 1.0, `special` | 348 | 57 | 292 | 5 |
//! | 1.0.20, `special` | 356 | 62 | 295 | 6 |
//!
//! A key of `special` takes 1 draw or 13, 4 on average; given the branches taken, the number of draws is exact. Most of them are the 275
//! digits of the three texts of an update and an insert, one draw each; [`Text`] has what was proposed instead.
//!
//! [`entries`] has all of them by name, and [`Transaction`] is what they have in common.

mod new_order;
mod registry;
mod sysbench_1_0_20;
mod sysbench_old;
mod text;
mod wtperf;
mod ycsb;

pub use new_order::NewOrder;
pub use registry::{Any, Asked, Entry, entries, find};
pub use sysbench_1_0_20::Sysbench1_0_20;
pub use sysbench_old::SysbenchOld;
pub use text::{C_BYTES, PAD_BYTES, Text};
pub use wtperf::SmallBtree;
pub use ycsb::{Shares, Ycsb};

use std::hint::black_box;

use crate::Refusal;
use crate::stream::Stream;

/// What one transaction of some benchmark draws.
pub trait Transaction: Send + Sync + 'static {
    /// How many statements with a key it has on average: the calls of `each` in [`draw`](Self::draw).
    fn statements(&self) -> u32;

    /// Draws one transaction. `each` is handed the key of each statement when all that the statement holds is drawn. `None` when there
    /// are no more keys to draw.
    fn draw<S: Stream>(&self, stream: &mut S, each: impl FnMut(u64)) -> Option<()>;
}

/// How many statements of each sort a transaction has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mix {
    /// Whether it is wrapped in BEGIN and COMMIT.
    pub wrapped: bool,
    /// Single rows read by their key.
    pub point_selects: u32,
    /// Ranges read as they are.
    pub simple_ranges: u32,
    /// Ranges summed up.
    pub sum_ranges: u32,
    /// Ranges sorted.
    pub order_ranges: u32,
    /// Ranges sorted without doubles.
    pub distinct_ranges: u32,
    /// Updates of the indexed column.
    pub index_updates: u32,
    /// Updates of the text column.
    pub text_updates: u32,
    /// Deletes, each with the insert that brings the row back.
    pub delete_inserts: u32,
}

impl Mix {
    /// `oltp_read_write`: 20 statements.
    pub const READ_WRITE: Mix = Mix { index_updates: 1, text_updates: 1, delete_inserts: 1, ..Mix::READ_ONLY };
    /// `oltp_read_only`: 16 statements.
    pub const READ_ONLY: Mix = Mix {
        wrapped: true,
        point_selects: 10,
        simple_ranges: 1,
        sum_ranges: 1,
        order_ranges: 1,
        distinct_ranges: 1,
        index_updates: 0,
        text_updates: 0,
        delete_inserts: 0,
    };
    /// `oltp_write_only`: 6 statements.
    pub const WRITE_ONLY: Mix = Mix {
        point_selects: 0,
        simple_ranges: 0,
        sum_ranges: 0,
        order_ranges: 0,
        distinct_ranges: 0,
        ..Mix::READ_WRITE
    };
    /// `oltp_point_select`: one statement.
    pub const POINT_SELECT: Mix = Mix {
        wrapped: false,
        point_selects: 1,
        index_updates: 0,
        text_updates: 0,
        delete_inserts: 0,
        ..Mix::WRITE_ONLY
    };

    /// How many statements of it have a key.
    pub fn statements(&self) -> u32 {
        let ranges = self.simple_ranges + self.sum_ranges + self.order_ranges + self.distinct_ranges;
        self.point_selects + ranges + self.index_updates + self.text_updates + 2 * self.delete_inserts
    }
}

/// How a range is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeRead {
    /// As it is.
    Simple,
    /// Summed up.
    Sum,
    /// Sorted.
    Order,
    /// Sorted, without doubles.
    Distinct,
}

/// One statement with what was drawn for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement<'a> {
    /// The transaction begins.
    Begin,
    /// It ends.
    Commit,
    /// One row is read.
    PointSelect {
        /// The table's number, from 1.
        table: u64,
        /// The row's key.
        id: u64,
    },
    /// The rows of a range are read.
    Range {
        /// How.
        read: RangeRead,
        /// The table's number, from 1.
        table: u64,
        /// The first key.
        first: u64,
        /// The last key.
        last: u64,
    },
    /// The indexed column of a row is raised by one.
    IndexUpdate {
        /// The table's number, from 1.
        table: u64,
        /// The row's key.
        id: u64,
    },
    /// The text of a row is replaced.
    TextUpdate {
        /// The table's number, from 1.
        table: u64,
        /// The row's key.
        id: u64,
        /// The new text.
        c: &'a [u8; C_BYTES],
    },
    /// A row is deleted.
    Delete {
        /// The table's number, from 1.
        table: u64,
        /// The row's key.
        id: u64,
    },
    /// A row is inserted.
    Insert {
        /// The table's number, from 1.
        table: u64,
        /// The row's key.
        id: u64,
        /// The indexed column.
        k: u64,
        /// The text.
        c: &'a [u8; C_BYTES],
        /// The padding.
        pad: &'a [u8; PAD_BYTES],
    },
}

impl Statement<'_> {
    /// Its key, if it has one; the first one of a range. Its texts count as used.
    #[inline]
    pub fn key(&self) -> Option<u64> {
        match *self {
            Statement::Begin | Statement::Commit => None,
            Statement::PointSelect { id, .. } | Statement::IndexUpdate { id, .. } | Statement::Delete { id, .. } => {
                Some(id)
            }
            Statement::Range { first, .. } => Some(first),
            Statement::TextUpdate { id, c, .. } => {
                black_box(c);
                Some(id)
            }
            Statement::Insert { id, k, c, pad, .. } => {
                black_box((k, c, pad));
                Some(id)
            }
        }
    }
}

/// Rows of a range that a transaction reads.
const RANGE_ROWS: u64 = 100;

/// The last key of a range that begins here.
#[inline]
fn last_of_range(first: u64) -> u64 {
    first.saturating_add(RANGE_ROWS - 1)
}

/// Refuses no tables at all, and more than C counts.
pub(crate) fn tables(tables: u64) -> Result<u64, Refusal> {
    if (1..=i32::MAX as u64).contains(&tables) {
        return Ok(tables);
    }
    Err(Refusal::new("tables", format!("{tables} tables cannot be"), "give 1 to 2147483647"))
}
