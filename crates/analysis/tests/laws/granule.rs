//! The measured granule of sharing follows the machine, not what it tells.

use hitm_analysis::{Summary, summarize};

use crate::synthetic::{Made, Noise, cell, compared, manifest};

const STRIDES: [i64; 7] = [8, 16, 32, 64, 128, 256, 512];

/// A sweep on a machine of this granule that tells this line size; `adjacent` is what the neighbouring granule costs, ns.
fn sweep(granule: i64, adjacent: f64, told: u64, strides: &[i64], shared: f64) -> Summary {
    let cells = strides.iter().map(|stride| cell(2, &[("stride", (*stride).into())])).collect();
    let farthest = strides[strides.len() - 1];
    let mut manifest = compared(manifest(cells), "stride", farthest);
    manifest.line.bytes = told;
    let (mut records, mut noise) = (vec![], Noise(5));
    for block in 0..12 {
        for (index, stride) in strides.iter().enumerate() {
            let extra = match *stride {
                near if near < granule => shared,
                near if near < 2 * granule => adjacent,
                _ => 0.0,
            };
            Made::new(index, block, 2, (60.0 + extra) * noise.factor(0.01)).into(&mut records);
        }
    }
    summarize(&manifest, &records)
}

fn flagged(summary: &Summary) -> bool {
    summary.flags.iter().any(|flag| flag.name == "line-size")
}

#[test]
fn it_is_where_the_curve_falls_whatever_the_machine_tells() {
    for size in [16, 32, 64, 128, 256] {
        for told in [32, 64, 128, 256] {
            let summary = sweep(size, 0.0, told, &STRIDES, 90.0);
            let found = summary.granule.as_ref().unwrap();
            assert_eq!((found.bytes, found.above), (size as u64, size as u64 / 2));
            assert_eq!((found.told, found.agrees, &found.adjacent), (told, told == size as u64, &None));
            assert_eq!(flagged(&summary), told != size as u64);
        }
    }
}

#[test]
fn what_is_left_at_its_size_is_the_adjacent_line() {
    let found = sweep(64, 12.0, 64, &STRIDES, 90.0).granule.unwrap();
    assert_eq!((found.bytes, found.agrees), (64, true));
    let left = found.adjacent.unwrap();
    assert!(left.low < 12.5 && 11.5 < left.high, "{left:?}");
}

#[test]
fn distances_far_apart_leave_a_range_that_the_size_told_may_lie_in() {
    let found = sweep(64, 0.0, 64, &[8, 256, 512], 90.0).granule.unwrap();
    assert_eq!((found.above, found.bytes, found.agrees), (8, 256, true));
    assert!(!sweep(64, 0.0, 512, &[8, 256, 512], 90.0).granule.unwrap().agrees);
}

#[test]
fn nothing_is_said_where_nothing_shows() {
    assert_eq!(sweep(64, 0.0, 64, &STRIDES, 0.0).granule, None);
    assert_eq!(sweep(64, 0.0, 64, &STRIDES, 20.0).granule, None, "a third more may be anything");
    assert_eq!(sweep(512, 0.0, 64, &STRIDES, 90.0).granule, None, "only the baseline is free");
    let without =
        compared(manifest(vec![cell(2, &[("state", "a".into())]), cell(2, &[("state", "b".into())])]), "state", "b");
    assert_eq!(summarize(&without, &[]).granule, None);
}
