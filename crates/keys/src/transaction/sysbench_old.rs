//! The transactions of sysbench before 1.0 (0.5, sysbench/tests/db/oltp.lua).

use super::{C_BYTES, Mix, PAD_BYTES, RangeRead, Statement, last_of_range, tables, text};
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
}

impl<D: Distribution> SysbenchOld<D> {
    /// Draws keys from that distribution for that many tables.
    ///
    /// # Errors
    /// No tables.
    pub fn new(mix: Mix, keys: D, tables: u64) -> Result<Self, Vec<Refusal>> {
        Ok(SysbenchOld { mix, keys, tables: self::tables(tables).map_err(|refusal| vec![refusal])? })
    }

    /// Draws one transaction and hands over its statements in order. `None` when the distribution has no more keys.
    #[inline]
    pub fn run<S: Stream>(&self, stream: &mut S, mut each: impl FnMut(Statement<'_>)) -> Option<()> {
        let mix = &self.mix;
        let table = 1 + sb_rnd(stream) % self.tables;
        if mix.wrapped {
            each(Statement::Begin);
        }
        for _ in 0..mix.point_selects {
            each(Statement::PointSelect { table, id: self.keys.draw(stream)? });
        }
        for (read, count) in [
            (RangeRead::Simple, mix.simple_ranges),
            (RangeRead::Sum, mix.sum_ranges),
            (RangeRead::Order, mix.order_ranges),
            (RangeRead::Distinct, mix.distinct_ranges),
        ] {
            for _ in 0..count {
                let first = self.keys.draw(stream)?;
                each(Statement::Range { read, table, first, last: last_of_range(first) });
            }
        }
        for _ in 0..mix.index_updates {
            each(Statement::IndexUpdate { table, id: self.keys.draw(stream)? });
        }
        for _ in 0..mix.text_updates {
            let c = text::digits::<C_BYTES>(|| digit(stream));
            each(Statement::TextUpdate { table, id: self.keys.draw(stream)?, c: &c });
        }
        for _ in 0..mix.delete_inserts {
            let id = self.keys.draw(stream)?;
            each(Statement::Delete { table, id });
            let c = text::digits::<C_BYTES>(|| digit(stream));
            let pad = text::digits::<PAD_BYTES>(|| digit(stream));
            let k = self.keys.draw(stream)?;
            each(Statement::Insert { table, id, k, c: &c, pad: &pad });
        }
        if mix.wrapped {
            each(Statement::Commit);
        }
        Some(())
    }
}

#[inline]
fn digit(stream: &mut impl Stream) -> u8 {
    b'0' + (sb_rnd(stream) % 10) as u8
}
