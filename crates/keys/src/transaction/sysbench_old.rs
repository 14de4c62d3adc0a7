//! The transactions of sysbench before 1.0 (0.5, sysbench/tests/db/oltp.lua).

use super::text::Need;
use super::{C_BYTES, Mix, PAD_BYTES, RangeRead, Statement, Text, Transaction, last_of_range, tables};
use crate::Refusal;
use crate::dist::Distribution;
use crate::dist::sysbench_old::sb_rnd;
use crate::stream::Stream;

/// What one event of sysbench before 1.0 draws: the table once, keys from `D`, and one call of `lrand48` for each of 275 digits: where a load
/// generator with one process-wide state spends its time.
#[derive(Clone, Debug)]
pub struct SysbenchOld<D> {
    mix: Mix,
    keys: D,
    tables: u64,
    text: Text,
}

impl<D: Distribution> SysbenchOld<D> {
    /// Draws keys from that distribution for that many tables.
    ///
    /// # Errors
    /// No tables.
    pub fn new(mix: Mix, keys: D, tables: u64) -> Result<Self, Vec<Refusal>> {
        let tables = self::tables(tables).map_err(|refusal| vec![refusal])?;
        Ok(SysbenchOld { mix, keys, tables, text: Text::PerDigit })
    }

    /// The same with its texts drawn so.
    pub fn with_text(self, text: Text) -> Self {
        SysbenchOld { text, ..self }
    }

    /// Draws one transaction and hands over its statements in order. `None` when the distribution has no more keys.
    pub fn run<S: Stream>(&self, stream: &mut S, mut each: impl FnMut(Statement<'_>)) -> Option<()> {
        let mix = &self.mix;
        let table = 1 + sb_rnd(stream) % self.tables;
        if mix.wrapped {
            each(Statement::Begin);
        }
        for _ in 0..mix.point_selects {
            each(Statement::PointSelect { table, id: self.key(stream)? });
        }
        for (read, count) in [
            (RangeRead::Simple, mix.simple_ranges),
            (RangeRead::Sum, mix.sum_ranges),
            (RangeRead::Order, mix.order_ranges),
            (RangeRead::Distinct, mix.distinct_ranges),
        ] {
            for _ in 0..count {
                let first = self.key(stream)?;
                each(Statement::Range { read, table, first, last: last_of_range(first) });
            }
        }
        for _ in 0..mix.index_updates {
            each(Statement::IndexUpdate { table, id: self.key(stream)? });
        }
        for _ in 0..mix.text_updates {
            let c = self.text::<C_BYTES>(stream);
            each(Statement::TextUpdate { table, id: self.key(stream)?, c: &c });
        }
        for _ in 0..mix.delete_inserts {
            let id = self.key(stream)?;
            each(Statement::Delete { table, id });
            let c = self.text::<C_BYTES>(stream);
            let pad = self.text::<PAD_BYTES>(stream);
            let k = self.key(stream)?;
            each(Statement::Insert { table, id, k, c: &c, pad: &pad });
        }
        if mix.wrapped {
            each(Statement::Commit);
        }
        Some(())
    }

    // Not inlined, like the text: each stands in many places, and the whole is compiled for every kind of stream.
    #[inline(never)]
    fn key<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        self.keys.draw(stream)
    }

    #[inline(never)]
    fn text<const BYTES: usize>(&self, stream: &mut impl Stream) -> [u8; BYTES] {
        self.text.draw(|need| number(stream, need))
    }
}

impl<D: Distribution> Transaction for SysbenchOld<D> {
    fn statements(&self) -> u32 {
        self.mix.statements()
    }

    fn draw<S: Stream>(&self, stream: &mut S, mut each: impl FnMut(u64)) -> Option<()> {
        self.run(stream, |statement| {
            if let Some(key) = statement.key() {
                each(key);
            }
        })
    }
}

#[inline]
fn number(stream: &mut impl Stream, need: Need) -> u32 {
    let number = sb_rnd(stream) as u32;
    match need {
        Need::Digit => number % 10,
        Need::NineDigits => number % 1_000_000_000,
        // It has 30 bits, of which the lowest are the weakest.
        Need::Bits28 => number >> 2,
    }
}
