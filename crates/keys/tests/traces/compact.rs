//! The compact form.

use std::fs;
use std::sync::Arc;

use hitm_keys::dist::Keys;
use hitm_keys::trace::{Access, Streams, Trace, Writer};
use proptest::prelude::*;

use super::{folder, kept, plain};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn what_is_written_is_read(accesses in prop::collection::vec((any::<u64>(), prop::option::of(0..4_u64)), 1..300)) {
        let accesses: Vec<Access> = accesses.into_iter().map(|(key, thread)| Access { key, thread }).collect();
        let folder = folder();
        let (_, trace) = kept(&folder, &accesses);
        prop_assert_eq!(trace.len(), accesses.len() as u64);
        let keys: Vec<u64> = accesses.iter().map(|access| access.key).collect();
        prop_assert_eq!(trace.keys(0, u64::MAX).collect::<Vec<_>>(), &keys[..]);
        prop_assert_eq!(trace.range().low(), *keys.iter().min().unwrap());
        prop_assert_eq!(trace.range().high(), *keys.iter().max().unwrap());
        let threads = trace.runs().flat_map(|(stream, length)| vec![trace.streams()[stream].0; length as usize]);
        prop_assert_eq!(threads.collect::<Vec<_>>(), accesses.iter().map(|access| access.thread).collect::<Vec<_>>());
        let trace = Arc::new(trace);
        for (_, streams) in Streams::ALL {
            // Whoever shares it: each key once, each worker's in order.
            for workers in 1..5 {
                let Ok(parts) = (0..workers).map(|w| streams.of(&trace, w, workers)).collect::<Result<Vec<_>, _>>() else {
                    let parts = if streams == Streams::Thread { trace.streams().len() } else { accesses.len() };
                    prop_assert!(parts < workers);
                    continue;
                };
                let mut all = Vec::new();
                for mut part in parts {
                    let mut drawn = vec![0; part.len() as usize + 3];
                    let count = part.fill(&mut drawn);
                    prop_assert_eq!(count as u64, part.len());
                    drawn.truncate(count);
                    // Once more, beginning again after the last.
                    let mut again = Vec::new();
                    part.each(2 * count as u64 + 1, |key| again.push(key));
                    prop_assert_eq!(&again[..count], &drawn[..]);
                    prop_assert_eq!(&again[count..2 * count], &drawn[..]);
                    prop_assert_eq!(again[2 * count], drawn[0]);
                    all.extend(drawn);
                }
                let mut sorted = keys.clone();
                sorted.sort_unstable();
                all.sort_unstable();
                prop_assert_eq!(all, sorted);
            }
        }
    }
}

#[test]
fn each_way_of_sharing() {
    let accesses: Vec<Access> = [(1, 7), (2, 7), (3, 8), (4, 9), (5, 8), (6, 7)]
        .map(|(key, thread)| Access { key, thread: Some(thread) })
        .to_vec();
    let folder = folder();
    let (_, trace) = kept(&folder, &accesses);
    let trace = Arc::new(trace);
    let keys = |streams: Streams, worker| {
        let mut keys = vec![0; 6];
        let count = streams.of(&trace, worker, 2).unwrap().fill(&mut keys);
        keys.truncate(count);
        keys
    };
    assert_eq!([keys(Streams::Thread, 0), keys(Streams::Thread, 1)], [vec![1, 2, 4, 6], vec![3, 5]]);
    assert_eq!([keys(Streams::RoundRobin, 0), keys(Streams::RoundRobin, 1)], [[1, 3, 5], [2, 4, 6]]);
    assert_eq!([keys(Streams::Partition, 0), keys(Streams::Partition, 1)], [[1, 2, 3], [4, 5, 6]]);
    let told = Streams::Thread.check(&trace, 4).unwrap_err();
    assert!(told.why.contains("3 threads for 4 workers") && told.cure.contains("partition"), "{told}");
    // No way of sharing gives more workers than there are keys a key each.
    for (_, streams) in Streams::ALL {
        let told = streams.check(&trace, 7).unwrap_err();
        assert!(told.cure.contains("at most") && !told.cure.contains("partition"), "{told}");
        assert!(streams.check(&trace, 0).unwrap_err().cure.contains("ask for a worker"));
    }
}

#[test]
fn too_many_threads_are_told_as_that() {
    let folder = folder();
    let mut writer = Writer::create(&folder.path().join("t.keys")).unwrap();
    let mut push = |thread| writer.push(Access { key: 1, thread: Some(thread) });
    (0..1 << 20).for_each(|thread| push(thread).unwrap());
    let told = push(1 << 20).unwrap_err();
    assert_eq!(told.kind(), std::io::ErrorKind::InvalidData);
    assert!(told.to_string().contains("more than 1048576 threads"), "{told}");
}

/// Every byte of a file that is changed, and every length that it is cut to, is found.
#[test]
fn no_damage_passes() {
    let folder = folder();
    let (path, _) = kept(&folder, &plain(&[5, 7, 9]));
    let whole = fs::read(&path).unwrap();
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        let told = Trace::open(&path).unwrap_err().to_string();
        let expected = if length == 0 { "is empty" } else { "is cut off" };
        assert!(told.contains(expected) && told.contains("hitm keys import"), "{length}: {told}");
    }
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        fs::write(&path, &bytes).unwrap();
        let told = Trace::open(&path).unwrap_err().to_string();
        let expected = match at {
            0..8 => "no trace in the compact form",
            8..12 => "version",
            _ => "is damaged",
        };
        assert!(told.contains(expected), "{at}: {told}");
    }
    let mut longer = whole.clone();
    longer.push(0);
    fs::write(&path, &longer).unwrap();
    assert!(Trace::open(&path).unwrap_err().why.contains("bytes where its header tells of"));
    let mut newer = whole.clone();
    newer[8] = 2;
    fs::write(&path, &newer).unwrap();
    let told = Trace::open(&path).unwrap_err();
    assert!(told.why.contains("version 2") && told.why.contains("version 1"), "{told}");
    assert!(Trace::open(folder.path()).is_err());
    assert!(Trace::open(&folder.path().join("none")).unwrap_err().why.contains("cannot be read"));
}

/// A header with sound checksums whose numbers lie: they are held to the body.
#[test]
fn lies_with_a_sound_checksum_are_found() {
    let folder = folder();
    let (path, _) = kept(&folder, &plain(&[5, 7, 9]));
    let whole = fs::read(&path).unwrap();
    // At: the run's stream, its length, the stream's keys; the highest key below the lowest; as many runs as there can be.
    for (at, value) in
        [(88, 9_u32), (92, 2), (92, 4), (112, 2), (48, 4), (32, u32::MAX), (24, u32::MAX), (16, u32::MAX), (16, 0)]
    {
        let mut bytes = whole.clone();
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        let body = crc32fast::hash(&bytes[64..]).to_le_bytes();
        bytes[60..64].copy_from_slice(&body);
        let header = crc32fast::hash(&bytes[16..64]).to_le_bytes();
        bytes[12..16].copy_from_slice(&header);
        fs::write(&path, &bytes).unwrap();
        let told = Trace::open(&path).unwrap_err().to_string();
        assert!(told.contains("is damaged") || told.contains("is cut off"), "{at} = {value}: {told}");
    }
}

/// The same for a file of two threads: keys from 64 on, runs from 88, streams from 112.
#[test]
fn contradictions_are_found() {
    let folder = folder();
    let two = [(5, 1), (7, 2), (9, 1)].map(|(key, thread)| Access { key, thread: Some(thread) });
    let (path, _) = kept(&folder, &two);
    let whole = fs::read(&path).unwrap();
    let opened = |changes: &[(usize, u64)]| {
        let mut bytes = whole.clone();
        changes.iter().for_each(|&(at, value)| bytes[at..at + 8].copy_from_slice(&value.to_le_bytes()));
        let body = crc32fast::hash(&bytes[64..]).to_le_bytes();
        bytes[60..64].copy_from_slice(&body);
        let header = crc32fast::hash(&bytes[16..64]).to_le_bytes();
        bytes[12..16].copy_from_slice(&header);
        fs::write(&path, &bytes).unwrap();
        Trace::open(&path).map_or_else(|told| told.to_string(), |_| "whole".to_owned())
    };
    let run = |stream: u64, length: u64| stream | length << 32;
    assert_eq!(whole.len(), 64 + 3 * 8 + 3 * 8 + 2 * 24);
    assert_eq!(opened(&[]), "whole");
    for (changes, told) in [
        (&[(40, 4)][..], "lowest"),
        (&[(48, 10)], "lowest"),
        (&[(72, 11)], "lowest"),
        (&[(56, 1)], "header contradicts itself"),
        (&[(88, run(0, 2)), (96, run(1, 0)), (104, run(1, 1))], "runs do not fit"),
        (&[(88, run(0, 2)), (96, run(1, 1)), (104, run(1, 0))], "runs do not fit"),
        (&[(88, run(1, 1)), (96, run(0, 1))], "order of their first keys"),
        (&[(136, 1)], "two streams"),
        (&[(120, 2)], "neither told nor not told"),
        (&[(120, 0)], "neither told nor not told"),
        (&[(88, run(0, 1)), (96, run(0, 1)), (128, 3), (152, 0)], "do not have its keys"),
    ] {
        let found = opened(changes);
        assert!(found.contains("is damaged") && found.contains(told), "{changes:?}: {found}");
    }
}

#[test]
fn nothing_is_left_of_what_was_not_finished() {
    let folder = folder();
    let path = folder.path().join("t.keys");
    fs::write(&path, "before").unwrap();
    let mut writer = Writer::create(&path).unwrap();
    (0..100_000).for_each(|key| writer.push(Access { key, thread: Some(key % 3) }).unwrap());
    drop(writer);
    assert!(Writer::create(&path).unwrap().finish().is_err(), "no key is no trace");
    assert_eq!(fs::read(&path).unwrap(), b"before");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert!(Writer::create(folder.path()).is_err());
    assert!(Writer::create(&folder.path().join("none/t.keys")).is_err());
}
