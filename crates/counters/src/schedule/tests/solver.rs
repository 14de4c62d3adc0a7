//! How events are parted.

use std::time::{Duration, Instant};

use super::*;

#[test]
fn nothing_is_no_pass_and_free_events_alone_are_one() {
    for rules in [power(8), power(9), power(10), Rules::Counters { general: 6, fixed: vec![], offcore: vec![] }] {
        assert_eq!(passes(&rules, &[]), Passes::default());
        assert!(rules.check(&BTreeMap::new(), &[]).is_empty());
    }
    assert_eq!(parts(&passes(&power(8), &raws(&[0x600f4, 0x500fa]))), [[0, 1]]);
    assert_eq!(parts(&passes(&power(8), &[software(3), software(4)])), [[0, 1]]);
}

#[test]
fn free_events_are_in_every_pass_where_they_were_asked() {
    let codes = [raws(&[0x1e058, 0x600f4, 0x1c048]), vec![software(4)], raws(&[0x500fa, 0x2c044])].concat();
    let found = passes(&power(8), &codes);
    assert_eq!(found.passes.len(), 2);
    for pass in &found.passes {
        assert!([1, 3, 4].iter().all(|free| pass.events.contains(free)), "{pass:?}");
        assert!(pass.events.is_sorted());
    }
}

#[test]
fn an_alias_or_the_kernels_own_name_is_as_free_as_the_code() {
    for cycles in [generic(0), raw(0x200f4), raw(0x1e), raw(0x600f4)] {
        let codes = [raws(&[0x1e058, 0x1c048, 0x2c044, 0x3c040, 0x4c046]), vec![cycles.clone()]].concat();
        let found = passes(&power(8), &codes);
        assert_eq!(found.passes.len(), 2, "{cycles}");
        assert!(found.passes.iter().all(|pass| pass.events.contains(&5)), "{cycles}: {found:?}");
    }
}

#[test]
fn an_alias_that_linux_cannot_move_keeps_no_pass_from_its_events() {
    // 0x400fa needs PMC4 or a move to PMC5, which Linux does not try beside grouped L2 events.
    let found = passes(&power(9), &raws(&[0x400fa, 0x16086, 0x36086, 0x1e058]));
    assert_eq!(found.refused, []);
    assert_eq!(found.passes.len(), 2, "{found:?}");
    let with = |event: usize| found.passes.iter().filter(|pass| pass.events.contains(&event)).count();
    assert_eq!([with(0), with(1), with(2), with(3)], [1, 1, 1, 1]);
}

#[test]
fn the_same_code_twice_takes_two_counters() {
    let found = passes(&power(8), &raws(&[0x1e058, 0x1e058, 0x600f4]));
    assert_eq!(parts(&found), [[0, 2], [1, 2]]);
    let found = passes(&power(10), &raws(&[0x500fa, 0x500fa, 0x500fa]));
    assert_eq!(found.refused, []);
    assert!(found.passes.iter().all(|pass| pass.events.contains(&0)));
}

#[test]
fn fewest_passes_where_first_fit_takes_more() {
    // In this order first fit takes three: 0xa and 0xb fill the counters that the others need.
    let on = |config: u64, counters: u64| Code { counters: Some(counters), ..raw(config) };
    let rules = Rules::Counters { general: 4, fixed: vec![], offcore: vec![0x1b7] };
    let ask = |config1: u64, counters: u64| Code { config1, ..on(0x1b7, counters) };
    let codes = [on(0xa, 1), on(0xb, 2), ask(1, 1), ask(1, 2), ask(2, 4), ask(2, 8), on(0xc, 4), on(0xd, 8)];
    assert_eq!(passes(&rules, &codes).passes.len(), 2);
}

#[test]
fn companions_are_spared_where_passes_are_not() {
    // Two passes either way; with 0x46086 beside 0x16086 no companion is needed.
    let found = passes(&power(9), &raws(&[0x16086, 0x4c046, 0x46086]));
    assert_eq!(found.passes.len(), 2);
    assert!(found.passes.iter().all(|pass| pass.companions.is_empty()), "{found:?}");
}

#[test]
fn any_number_of_events_is_parted_in_bounded_time() {
    let many = |n: u64| raws(&(0..n).map(|i| (i % 5) << 16 | 0xc000 | (i % 251)).collect::<Vec<_>>());
    for n in [13, 100, 2_000] {
        for rules in [power(9), Rules::Counters { general: 8, fixed: vec![], offcore: vec![] }] {
            let codes = many(n);
            let start = Instant::now();
            let found = passes(&rules, &codes);
            // A bound against blowing up, far from what it takes.
            assert!(start.elapsed() < Duration::from_secs(20), "{n} events took {:?}", start.elapsed());
            let counted: usize = found.passes.iter().map(|pass| pass.events.len()).sum();
            assert_eq!(counted + found.refused.len(), codes.len());
        }
    }
}

#[test]
fn a_table_of_events_takes_as_many_passes_as_its_fullest_counter() {
    let codes: Vec<u64> = (0..40).map(|i| (i % 4 + 1) << 16 | 0xc040 | (i / 4 * 2)).chain([0x600f4, 0x500fa]).collect();
    for version in [8, 9, 10] {
        assert_eq!(passes(&power(version), &raws(&codes)).passes.len(), 10);
    }
    // PMC1 twelve times, the others less.
    let codes: Vec<u64> = codes.into_iter().chain([0x1e058, 0x10036]).collect();
    assert_eq!(passes(&power(9), &raws(&codes)).passes.len(), 12);
}
