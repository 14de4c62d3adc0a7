//! gzip and Zstandard, whole and not.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use hitm_keys::trace::{Fault, Options, Packing, Reader};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::{ONE_THREAD, read, refused};

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(text).unwrap();
    packed.finish().unwrap()
}

fn zstd(text: &[u8]) -> Vec<u8> {
    compress_to_vec(text, CompressionLevel::Fastest)
}

/// Keys 0 to 99,999, one a line.
fn list() -> String {
    (0..100_000).map(|key| format!("{key}\n")).collect()
}

#[test]
fn packed_files_give_what_was_packed() {
    let list = list();
    let whole: Vec<u64> = (0..100_000).collect();
    let (a, b) = list.split_at(list.len() / 3);
    // To be skipped: magic number 0x184D2A50, length 3.
    let skipped = [0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3];
    for (packed, packing) in [
        (list.clone().into_bytes(), Packing::None),
        (gzip(list.as_bytes()), Packing::Gzip),
        ([gzip(a.as_bytes()), gzip(b.as_bytes())].concat(), Packing::Gzip),
        (zstd(list.as_bytes()), Packing::Zstd),
        ([zstd(a.as_bytes()), skipped.to_vec(), zstd(b.as_bytes())].concat(), Packing::Zstd),
        ([skipped.to_vec(), zstd(list.as_bytes())].concat(), Packing::Zstd),
    ] {
        let reader = Reader::new(std::io::Cursor::new(packed.clone()), &Options::default()).unwrap();
        assert_eq!(reader.packing(), packing);
        let unpacked = read(&packed, &Options::default());
        assert!(unpacked.end.is_none() && unpacked.bad.is_empty(), "{:?}", unpacked.end);
        assert!(unpacked.keys() == whole, "{packing:?}");
        assert_eq!(unpacked.counts.bytes, list.len() as u64);
    }
}

/// Cut anywhere: it is told as that, with what was read before, and what was read is right.
#[test]
fn cut_off_files_are_told_as_such() {
    let list = list();
    for packed in [gzip(list.as_bytes()), zstd(list.as_bytes())] {
        for length in [12, packed.len() / 2, packed.len() - 9, packed.len() - 1] {
            let cut = &packed[..length];
            if Reader::new(std::io::Cursor::new(cut.to_vec()), &Options::default()).is_err() {
                assert!(refused(cut, &Options::default()).contains("ends in the middle"), "{length}");
                continue;
            }
            let read = read(cut, &Options::default());
            let Some(Fault::Cut { bytes, lines }) = read.end else { panic!("{length}: {:?}", read.end) };
            assert_eq!(lines, read.accesses.len() as u64);
            assert!(bytes <= list.len() as u64);
            assert!(read.keys().iter().zip(0..).all(|(key, expected)| *key == expected));
        }
        for length in 3..12.min(packed.len()) {
            refused(&packed[..length.max(4)], &Options::default());
        }
    }
    let log = read(&ONE_THREAD[..ONE_THREAD.len() / 2], &Options::default());
    assert!(matches!(log.end, Some(Fault::Cut { lines: 1000.., .. })), "{:?}", log.end);
    assert!(log.end.unwrap().to_string().contains("whole lines were read before"));
}

#[test]
fn damage_is_told_as_such() {
    let list = list();
    for packed in [gzip(list.as_bytes()), zstd(list.as_bytes())] {
        let mut damaged = packed.clone();
        // The checksum at the end: gzip's CRC-32, Zstandard's XXH64.
        let at = damaged.len() - if damaged[0] == 0x1f { 8 } else { 1 };
        damaged[at] ^= 1;
        let read = read(&damaged, &Options::default());
        assert!(matches!(read.end, Some(Fault::Damaged { .. })), "{:?}", read.end);
        let trailing = super::read(&[packed, b"something else".to_vec()].concat(), &Options::default());
        assert!(matches!(trailing.end, Some(Fault::Damaged { .. } | Fault::Cut { .. })), "{:?}", trailing.end);
        assert_eq!(trailing.accesses.len(), 100_000);
    }
}
