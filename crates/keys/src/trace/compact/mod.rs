//! The compact form of a trace: 8 bytes a key, in the order of the trace, to be mapped into memory.
//!
//! All numbers are little-endian. After the header come the keys (8 bytes each), the runs (stream and length, 4 bytes each: so many keys
//! in a row are of this stream), and the streams (thread, 8 bytes; whether it was told, 8 bytes; keys, 8 bytes).
//!
//! | at | bytes | what |
//! | --- | --- | --- |
//! | 0 | 8 | `hitmkeys` |
//! | 8 | 4 | version, 1 |
//! | 12 | 4 | CRC-32 (IEEE) of bytes 16 to 63 |
//! | 16 | 8 | keys, at least 1 |
//! | 24 | 8 | streams |
//! | 32 | 8 | runs |
//! | 40 | 8 | the lowest key |
//! | 48 | 8 | the highest key |
//! | 56 | 4 | 0 |
//! | 60 | 4 | CRC-32 of all that follows |

mod beside;
mod open;
mod write;

pub use open::{Runs, StreamKeys, Trace};
pub use write::{Writer, Written};

/// What a file begins with.
const MAGIC: &[u8; 8] = b"hitmkeys";

/// The version that is written and read.
const VERSION: u32 = 1;

const HEADER_BYTES: usize = 64;

/// The most streams: threads of a trace that are kept apart.
const MOST_STREAMS: usize = 1 << 20;

/// What the header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header {
    keys: u64,
    streams: u64,
    runs: u64,
    low: u64,
    high: u64,
    body_crc: u32,
}

impl Header {
    fn to_bytes(self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        for (index, word) in [self.keys, self.streams, self.runs, self.low, self.high].into_iter().enumerate() {
            bytes[16 + 8 * index..24 + 8 * index].copy_from_slice(&word.to_le_bytes());
        }
        bytes[60..].copy_from_slice(&self.body_crc.to_le_bytes());
        let crc = crc32fast::hash(&bytes[16..]);
        bytes[12..16].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// Bytes of a whole file; `None` where that is more than there can be.
    fn file_bytes(&self) -> Option<u64> {
        let [keys, runs, streams] =
            [self.keys.checked_mul(8)?, self.runs.checked_mul(8)?, self.streams.checked_mul(STREAM_BYTES as u64)?];
        (HEADER_BYTES as u64).checked_add(keys)?.checked_add(runs)?.checked_add(streams)
    }
}

/// Bytes of a stream's entry.
const STREAM_BYTES: usize = 24;

/// The `index`th 8 bytes as a number.
#[inline]
fn word(bytes: &[u8], index: usize) -> u64 {
    bytes.get(8 * index..8 * index + 8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes)
}

fn half_word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_le_bytes)
}
