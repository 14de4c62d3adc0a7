//! The transactions of sysbench 1.0.20 (src/lua/oltp_common.lua).

use super::{C_BYTES, Mix, PAD_BYTES, RangeRead, Statement, last_of_range, tables, text};
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
}

impl<D: Distribution> Sysbench1_0_20<D> {
    /// Draws keys from that distribution for that many tables.
    ///
    /// # Errors
    /// No tables.
    pub fn new(mix: Mix, keys: D, tables: u64) -> Result<Self, Vec<Refusal>> {
        let tables = self::tables(tables).and_then(KeyRange::of).map_err(|refusal| vec![refusal])?;
        let digits = KeyRange::new(u64::from(b'0'), u64::from(b'9')).map_err(|refusal| vec![refusal])?;
        Ok(Sysbench1_0_20 { mix, keys, table: Uniform::new(tables)?, digit: Uniform::new(digits)? })
    }

    /// Draws one transaction and hands over its statements in order. `None` when the distribution has no more keys.
    #[inline]
    pub fn run<S: Stream>(&self, stream: &mut S, mut each: impl FnMut(Statement<'_>)) -> Option<()> {
        let mix = &self.mix;
        if mix.wrapped {
            each(Statement::Begin);
        }
        if mix.point_selects > 0 {
            let table = self.table.draw(stream)?;
            for _ in 0..mix.point_selects {
                each(Statement::PointSelect { table, id: self.keys.draw(stream)? });
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
                    let first = self.keys.draw(stream)?;
                    each(Statement::Range { read, table, first, last: last_of_range(first) });
                }
            }
        }
        if mix.index_updates > 0 {
            let table = self.table.draw(stream)?;
            for _ in 0..mix.index_updates {
                each(Statement::IndexUpdate { table, id: self.keys.draw(stream)? });
            }
        }
        if mix.text_updates > 0 {
            let table = self.table.draw(stream)?;
            for _ in 0..mix.text_updates {
                let c = self.text::<C_BYTES>(stream);
                each(Statement::TextUpdate { table, id: self.keys.draw(stream)?, c: &c });
            }
        }
        if mix.delete_inserts > 0 {
            let table = self.table.draw(stream)?;
            for _ in 0..mix.delete_inserts {
                let id = self.keys.draw(stream)?;
                let k = self.keys.draw(stream)?;
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

    #[inline]
    fn text<const BYTES: usize>(&self, stream: &mut impl Stream) -> [u8; BYTES] {
        // A uniform distribution never ends, and its range is that of the digits.
        text::digits(|| self.digit.draw(stream).unwrap_or_default() as u8)
    }
}
