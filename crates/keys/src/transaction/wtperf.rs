//! wtperf's small-btree workload (WiredTiger, bench/wtperf/runners/small-btree.wtperf).

use super::Transaction;
use crate::dist::Distribution;
use crate::dist::wtperf::Uniform;
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// One read: a key of all rows, one word.
#[derive(Clone, Debug)]
pub struct SmallBtree(Uniform);

impl SmallBtree {
    /// Over `rows` rows, keys from 1 on; the workload has 500,000.
    ///
    /// # Errors
    /// No rows.
    pub fn new(rows: u64) -> Result<Self, Vec<Refusal>> {
        Ok(SmallBtree(Uniform::new(KeyRange::of(rows).map_err(|refusal| vec![refusal])?)))
    }
}

impl Transaction for SmallBtree {
    fn statements(&self) -> u32 {
        1
    }

    fn draw<S: Stream>(&self, stream: &mut S, mut each: impl FnMut(u64)) -> Option<()> {
        each(self.0.draw(stream)?);
        Some(())
    }
}
