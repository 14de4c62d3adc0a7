//! The operations of YCSB's core workloads (site.ycsb.workloads.CoreWorkload).

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::Transaction;
use crate::dist::Distribution;
use crate::dist::ycsb::{Latest, ScrambledZipfian, Uniform};
use crate::stream::Stream;
use crate::{KeyRange, Refusal};

/// Shares of a workload's operations, in the order in which YCSB chooses among them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shares {
    /// One row read.
    pub read: f64,
    /// One field of a row replaced.
    pub update: f64,
    /// A row added.
    pub insert: f64,
    /// Up to 100 rows read.
    pub scan: f64,
    /// One row read and a field of it replaced.
    pub read_modify_write: f64,
}

impl Shares {
    const NONE: Shares = Shares { read: 0.0, update: 0.0, insert: 0.0, scan: 0.0, read_modify_write: 0.0 };
    /// Workload A.
    pub const A: Shares = Shares { read: 0.5, update: 0.5, ..Shares::NONE };
    /// Workload B.
    pub const B: Shares = Shares { read: 0.95, update: 0.05, ..Shares::NONE };
    /// Workload C.
    pub const C: Shares = Shares { read: 1.0, ..Shares::NONE };
    /// Workload D, which draws from the latest keys.
    pub const D: Shares = Shares { read: 0.95, insert: 0.05, ..Shares::NONE };
    /// Workload E.
    pub const E: Shares = Shares { scan: 0.95, insert: 0.05, ..Shares::NONE };
    /// Workload F.
    pub const F: Shares = Shares { read: 0.5, read_modify_write: 0.5, ..Shares::NONE };
}

/// How keys are chosen.
#[derive(Clone, Debug)]
enum Keys {
    Zipfian(ScrambledZipfian),
    Latest(Latest),
}

/// One operation of a core workload: what it is (one unit), its key, for an update the field and its 100 characters, for an insert all ten
/// fields, for a scan its length. Six characters are made of one word.
///
/// What is inserted takes its key from one counter that all workers add to. Unlike in YCSB, keys that were inserted are not drawn afterwards: the
/// range is that of the rows that were loaded, so that a long trial draws as a short one.
#[derive(Debug)]
pub struct Ycsb {
    shares: Shares,
    keys: Keys,
    fields: Uniform,
    lengths: Uniform,
    next: AtomicU64,
}

/// The fields of a row, and the characters of a field.
const FIELDS: u64 = 10;
const FIELD_BYTES: usize = 100;

/// YCSB's `zipfianconstant`.
const THETA: f64 = 0.99;

impl Ycsb {
    /// Over `rows` rows, keys from 0 on; from the latest of them where `latest` says so.
    ///
    /// # Errors
    /// No rows, or more than a Java `long` counts.
    pub fn new(shares: Shares, rows: u64, latest: bool) -> Result<Self, Vec<Refusal>> {
        let one = |refusal| vec![refusal];
        let last = rows.checked_sub(1).ok_or_else(|| Refusal::new("rows", "there are none", "give one row at least"));
        let range = last.and_then(|last| KeyRange::new(0, last)).map_err(one)?;
        let keys = if latest {
            Keys::Latest(Latest::new(range, THETA)?)
        } else {
            Keys::Zipfian(ScrambledZipfian::new(range, THETA, 0)?)
        };
        let fields = Uniform::new(KeyRange::new(0, FIELDS - 1).map_err(one)?)?;
        let lengths = Uniform::new(KeyRange::new(1, 100).map_err(one)?)?;
        Ok(Ycsb { shares, keys, fields, lengths, next: AtomicU64::new(rows) })
    }

    #[inline(never)]
    fn key<S: Stream>(&self, stream: &mut S) -> Option<u64> {
        match &self.keys {
            Keys::Zipfian(keys) => keys.draw(stream),
            Keys::Latest(keys) => keys.draw(stream),
        }
    }
}

/// The characters of a field, six of each word.
#[inline(never)]
fn field(stream: &mut impl Stream) -> [u8; FIELD_BYTES] {
    let mut text = [0; FIELD_BYTES];
    for six in text.chunks_mut(6) {
        let word = stream.word() as u32;
        for ((place, shift), mask) in six.iter_mut().zip((0..).step_by(5)).zip([31, 63, 95, 31, 63, 95]) {
            *place = (word >> shift & mask) as u8 + b' ';
        }
    }
    text
}

impl Transaction for Ycsb {
    fn statements(&self) -> u32 {
        1
    }

    fn draw<S: Stream>(&self, stream: &mut S, mut each: impl FnMut(u64)) -> Option<()> {
        let Shares { read, update, insert, scan, .. } = self.shares;
        let chosen = stream.unit();
        let key = if chosen < read {
            self.key(stream)?
        } else if chosen < read + update {
            let key = self.key(stream)?;
            black_box(self.fields.draw(stream)?);
            black_box(&field(stream));
            key
        } else if chosen < read + update + insert {
            let key = self.next.fetch_add(1, Relaxed);
            for _ in 0..FIELDS {
                black_box(&field(stream));
            }
            key
        } else if chosen < read + update + insert + scan {
            let key = self.key(stream)?;
            black_box(self.lengths.draw(stream)?);
            key
        } else {
            let key = self.key(stream)?;
            black_box(self.fields.draw(stream)?);
            black_box(&field(stream));
            key
        };
        each(key);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{WordState, Xoshiro256PlusPlus};
    use crate::stream::Counted;

    #[test]
    fn fields_are_printable() {
        let mut stream = Counted::new(Xoshiro256PlusPlus::seeded(1));
        let text = field(&mut stream);
        assert!(text.iter().all(|byte| (b' '..=b'\x7f').contains(byte)));
        assert_eq!(stream.taken().words, 17);
    }
}
