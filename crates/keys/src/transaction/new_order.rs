//! The keys of TPC-C's new-order transaction (TPC-C 5.11, clause 2.4.1).

use std::hint::black_box;

use super::Transaction;
use crate::dist::Distribution;
use crate::dist::exact::Uniform;
use crate::dist::tpcc::{Constants, Nurand};
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// What one new order draws: warehouse, district, customer (NURand), how many lines, whether it is rolled back, and for each of 5 to 15 lines
/// the item (NURand), whether another warehouse supplies it (1 %) and which, and the quantity. 46.1 numbers on average, one for each number of
/// the clause and two for a NURand.
///
/// The clause gives a terminal a warehouse of its own; here it is drawn, as where terminals share connections.
#[derive(Debug)]
pub struct NewOrder {
    warehouses: Uniform,
    districts: Uniform,
    customers: Nurand,
    lines: Uniform,
    percent: Uniform,
    items: Nurand,
    quantities: Uniform,
}

impl NewOrder {
    /// With so many warehouses, and the constants of one run.
    ///
    /// # Errors
    /// No warehouses, constants that NURand does not take.
    pub fn new(warehouses: u64, constants: Constants) -> Result<Self, Vec<Refusal>> {
        let range = |low, high| KeyRange::new(low, high).map_err(|refusal| vec![refusal]);
        let uniform = |low, high| range(low, high).map(Uniform::new);
        let all = KeyRange::of(warehouses)
            .map_err(|_| vec![Refusal::new("rows", "there is no warehouse", "give one warehouse at least")])?;
        Ok(NewOrder {
            warehouses: Uniform::new(all),
            districts: uniform(1, 10)?,
            customers: Nurand::new(range(1, 3000)?, 1023, constants.customer)?,
            lines: uniform(5, 15)?,
            percent: uniform(1, 100)?,
            items: Nurand::new(range(1, 100_000)?, 8191, constants.item)?,
            quantities: uniform(1, 10)?,
        })
    }

    /// One line; its item.
    #[inline(never)]
    fn line<S: Stream>(&self, stream: &mut S, home: u64) -> Option<u64> {
        let item = self.items.draw(stream)?;
        let several = self.warehouses.range().span() > 0;
        let supplier = if self.percent.draw(stream)? == 1 && several {
            // Any but the home one: those behind it stand for one further on.
            let other = self.warehouses.draw(stream)?;
            if other == home { other % self.warehouses.range().high() + 1 } else { other }
        } else {
            home
        };
        black_box((supplier, self.quantities.draw(stream)?));
        Some(item)
    }
}

impl Transaction for NewOrder {
    fn statements(&self) -> u32 {
        13
    }

    fn draw<S: Stream>(&self, stream: &mut S, mut each: impl FnMut(u64)) -> Option<()> {
        let home = self.warehouses.draw(stream)?;
        each(home);
        each(self.districts.draw(stream)?);
        each(self.customers.draw(stream)?);
        let lines = self.lines.draw(stream)?;
        black_box(self.percent.draw(stream)?);
        for _ in 0..lines {
            each(self.line(stream, home)?);
        }
        Some(())
    }
}
