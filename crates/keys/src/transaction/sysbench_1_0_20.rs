//! The transactions of sysbench 1.0.20 (src/lua/oltp_common.lua).

use super::text::Need;
use super::{C_BYTES, Mix, PAD_BYTES, RangeRead, Statement, Text, Transaction, last_of_range, tables};
use crate::dist::Distribution;
use crate::dist::sysbench_1_0_20::Uniform;
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// What one event of sysbench 1.0.20 draws: the table once for each sort of statement, keys from `D`, one unit a digit, and one more
/// that its latency histogram takes at the event's end.
#[derive(Clone, Debug)]
pub struct Sysbench1_0_20<D> {
    mix: Mix,
    keys: D,
    table: Uniform,
    digit: Uniform,
    text: Text,
}

impl<D: Distribution> Sysbench1_0_20<D> {
    /// Draws keys from that distribution for that many tables.
    ///
    /// # Errors
    /// No tables.
    pub fn new(mix: Mix, keys: D, tables: u64) -> Result<Self, Vec<Refusal>> {
        let tables = self::tables(tables).and_then(KeyRange::of).map_err(|refusal| vec![refusal])?;
        let digits = KeyRange::new(0, 9).map_err(|refusal| vec![refusal])?;
        let (table, digit) = (Uniform::new(tables)?, Uniform::new(digits)?);
        Ok(Sysbench1_0_20 { mix, keys, table, digit, text: Text::PerDigit })
    }

    /// The same with its texts drawn so.
    pub fn with_text(self, text: Text) -> Self {
        Sysbench1_0_20 { text, ..self }
    }

    /// Draws one transaction and hands over its statements in order. `None` when the distribution has no more keys.
    pub fn run<S: Stream>(&self, stream: &mut S, mut each: impl FnMut(Statement<'_>)) -> Option<()> {
        let mix = &self.mix;
        if mix.wrapped {
            each(Statement::Begin);
        }
        if mix.point_selects > 0 {
            let table = self.table.draw(stream)?;
            for _ in 0..mix.point_selects {
                each(Statement::PointSelect { table, id: self.key(stream)? });
            }
        }
        for (read, count) in [
            (RangeRead::Simple, mix.simple_ranges),
            (RangeRead::Sum, mix.sum_ranges),
            (RangeRead::Order, mix.order_ranges),
            (RangeRead::Distinct, mix.distinct_ranges),
        ] {
            if count > 0 {
                let table = self.table.draw(stream)?;
                for _ in 0..count {
                    let first = self.key(stream)?;
                    each(Statement::Range { read, table, first, last: last_of_range(first) });
                }
            }
        }
        if mix.index_updates > 0 {
            let table = self.table.draw(stream)?;
            for _ in 0..mix.index_updates {
                each(Statement::IndexUpdate { table, id: self.key(stream)? });
            }
        }
        if mix.text_updates > 0 {
            let table = self.table.draw(stream)?;
            for _ in 0..mix.text_updates {
                let c = self.text::<C_BYTES>(stream);
                each(Statement::TextUpdate { table, id: self.key(stream)?, c: &c });
            }
        }
        if mix.delete_inserts > 0 {
            let table = self.table.draw(stream)?;
            for _ in 0..mix.delete_inserts {
                let id = self.key(stream)?;
                let k = self.key(stream)?;
                let c = self.text::<C_BYTES>(stream);
                let pad = self.text::<PAD_BYTES>(stream);
                each(Statement::Delete { table, id });
                each(Statement::Insert { table, id, k, c: &c, pad: &pad });
            }
        }
        if mix.wrapped {
            each(Statement::Commit);
        }
        stream.unit();
        Some(())
    }

    // Not inlined, like the text: each stands in many places, and the whole is compiled for every kind of stream.
    #[inline(never)]
    fn key<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        self.keys.draw(stream)
    }

    #[inline(never)]
    fn text<const BYTES: usize>(&self, stream: &mut impl Stream) -> [u8; BYTES] {
        self.text.draw(|need| match need {
            // A uniform distribution never ends, and its range is that of the digits.
            Need::Digit => self.digit.draw(stream).unwrap_or_default() as u32,
            Need::NineDigits => (stream.unit() * 1e9) as u32,
            Need::Bits28 => (stream.unit() * f64::from(1 << 28)) as u32,
        })
    }
}

impl<D: Distribution> Transaction for Sysbench1_0_20<D> {
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
