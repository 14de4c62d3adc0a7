//! Sets of codes that Linux is known to take or to refuse, from its arch/powerpc/perf and libpfm4's tables.

use super::*;

/// Instructions and run cycles, beside which every set must fit.
const BASE: [u64; 2] = [0x500fa, 0x600f4];

/// What libpfm4's power8_events.h and Linux's power8-events-list.h have of contention, that Linux opens alone.
const POWER8: [u64; 44] = [
    0x600f4, 0x500fa, 0x1c048, 0x4c046, 0x3c046, 0x2c044, 0x1c046, 0x2c046, 0x1c04a, 0x4c048, 0x3c048, 0x4c04a,
    0x3c040, 0x3c058, 0x1e058, 0x4000a, 0x2c018, 0x2c01c, 0x4c01a, 0x10036, 0x30036, 0x1001c, 0x2c014, 0x2c01a,
    0x4e05c, 0x100f8, 0x20008, 0x1006c, 0x3006c, 0x2006c, 0x4006c, 0x1d148, 0x4c128, 0x2d146, 0x4d126, 0x2d144,
    0x4d124, 0x1e054, 0x200f4, 0x400fa, 0x10138, 0x1d14e, 0x300f2, 0x400f0,
];

/// Its L2 store and victim events, which have a selector.
const POWER8_REFUSED: [u64; 6] = [0x536088, 0x53608a, 0x537088, 0x54708c, 0x54708e, 0x53708a];

const POWER9: [u64; 43] = [
    0x200f4,
    0x400fa,
    0x1c048,
    0x4c046,
    0x3c046,
    0x2c044,
    0x1c046,
    0x2c046,
    0x1c04a,
    0x4c048,
    0x3c048,
    0x4c04a,
    0x3c040,
    0x3c058,
    0x1e058,
    0x46086,
    0x1e054,
    0x2c018,
    0x2c01c,
    0x4c01a,
    0x10036,
    0x30036,
    0x1001c,
    0x1006c,
    0x3006c,
    0x2006c,
    0x4d140,
    0x3515a,
    0x1d14a,
    0x2d14a,
    0x2d144,
    0x1d140,
    0x100f8,
    0x2e014,
    0xc8bc,
    0x1002a,
    0x2d01c,
    0x2c01a,
    0xc8b8,
    0x600f4,
    0x500fa,
    0x3434_0401e0,
    0x343c_0401e0,
];

/// POWER9's L2 events that Linux opens only beside one on PMC4, and that one.
const POWER9_GROUPED: [(u64, u64); 5] =
    [(0x36084, 0x46084), (0x36884, 0x46084), (0x36086, 0x46086), (0x16086, 0x46086), (0x36886, 0x46086)];

const POWER10: [u64; 23] = [
    0x200f4,
    0x400fa,
    0x840_4000_0001_c040,
    0xa40_4000_0001_c040,
    0x8c0_4000_0001_c040,
    0xac0_4000_0001_c040,
    0xc42_4000_0001_c040,
    0xe42_4000_0001_c040,
    0x3c058,
    0x2e014,
    0x1e058,
    0x4e050,
    0x2d01c,
    0x1e05a,
    0x4d01a,
    0x1e054,
    0x2c01c,
    0x4c01a,
    0x30026,
    0x100_0002_6880,
    0x200_0003_6880,
    0x600f4,
    0x500fa,
];

fn fit(version: u32, configs: &[u64]) -> bool {
    power(version).check(&BTreeMap::new(), &raws(configs)).is_empty()
}

#[test]
fn each_event_of_the_tables_opens_alone_and_beside_instructions_and_cycles() {
    for (version, codes) in [(8, &POWER8[..]), (9, &POWER9), (10, &POWER10)] {
        for &code in codes {
            assert!(fit(version, &[code]), "POWER{version} {code:#x}: {:?}", whys(&power(version), &raws(&[code])));
            if !BASE.contains(&code) && ![0x200f4, 0x400fa].contains(&code) {
                assert!(fit(version, &[code, BASE[0], BASE[1]]), "POWER{version} {code:#x} beside the base");
            }
        }
    }
}

#[test]
fn power8_events_with_a_selector_are_refused_with_the_reason() {
    for code in POWER8_REFUSED {
        let passes = passes(&power(8), &raws(&[0x1e058, code]));
        assert_eq!(parts(&passes), [[0]]);
        let [(1, why)] = passes.refused.as_slice() else { panic!("{code:#x}: {passes:?}") };
        assert!(why.contains(&format!("{code:#x}")) && why.contains("selector"), "{why}");
    }
    assert!(fit(8, &[0x836088]), "the bank bit alone is no selector");
}

#[test]
fn power9_l2_events_get_what_they_need_on_pmc4() {
    for (code, companion) in POWER9_GROUPED {
        let why = whys(&power(9), &raws(&[code]));
        let said = format!("{code:#x} needs an event of its group on PMC4 beside it, such as {companion:#x}");
        assert_eq!(why, [said]);
        let passes = passes(&power(9), &raws(&[code, BASE[0], BASE[1]]));
        assert_eq!(parts(&passes), [[0, 1, 2]]);
        let companions: Vec<u64> = passes.passes[0].companions.iter().map(|code| code.config).collect();
        assert_eq!(companions, [companion], "{code:#x}");
        assert!(passes.passes[0].companions[0].native.starts_with("PM_L2_"));
    }
}

#[test]
fn an_asked_event_on_pmc4_serves_and_is_opened_first() {
    let found = passes(&power(9), &raws(&[0x600f4, 0x16086, 0x36086, 0x46086, 0x500fa]));
    assert_eq!(parts(&found), [[0, 3, 1, 2, 4]]);
    assert!(found.passes[0].companions.is_empty());
    // One on PMC4 of another group does not.
    let found = passes(&power(9), &raws(&[0x36884, 0x46086]));
    assert_eq!(found.passes.len(), 2);
    assert_eq!(found.passes.iter().map(|pass| pass.companions.len()).sum::<usize>(), 1);
}

#[test]
fn every_low_byte_has_a_companion_that_linux_takes() {
    for low in 0..=0xff {
        for unit in 6..=9 {
            let code = 0x30000 | unit << 12 | low;
            let found = passes(&power(9), &raws(&[code]));
            let [pass] = found.passes.as_slice() else { panic!("{code:#x}: {found:?}") };
            let companion = pass.companions[0].config;
            assert_eq!((companion & 0xff, companion >> 16), (low, 4), "{code:#x}");
            assert!(fit(9, &[companion, code]), "{companion:#x}, {code:#x}");
        }
    }
}

#[test]
fn known_sets_fit_beside_instructions_and_cycles() {
    let sets: [(u32, &[u64]); 12] = [
        (8, &[0x1c048, 0x2c046, 0x3c058, 0x4c048]),
        (9, &[0x1c048, 0x2c046, 0x3c058, 0x4c048]),
        (8, &[0x1e058, 0x2c044, 0x3c040, 0x4c046]),
        (9, &[0x1e058, 0x2c044, 0x3c040, 0x4c046]),
        (8, &[0x10036, 0x2c018, 0x30036, 0x4000a]),
        (8, &[0x1d148, 0x4c128]),
        (8, &[0x2d146, 0x4d126]),
        (9, &[0x1e058, 0x2e014, 0x3c058, 0x4c048]),
        (9, &[0x1e054, 0x2c018, 0x30036, 0x4c01a]),
        (9, &[0x1002a, 0x2d01c, 0x3c058, 0x4c046]),
        (9, &[0x16086, 0x36086, 0x46086]),
        (9, &[0x1e058, 0xc8bc, 0xc8b8, 0x4c048]),
    ];
    for (version, set) in sets {
        let whole = [set, &BASE].concat();
        assert_eq!(whys(&power(version), &raws(&whole)), [""; 0], "POWER{version} {whole:x?}");
        assert_eq!(passes(&power(version), &raws(&whole)).passes.len(), 1);
    }
}

#[test]
fn known_conflicts_are_told_with_codes_and_counter() {
    let sets: [(u32, &[u64], &str); 8] = [
        (9, &[0x1e054, 0x1e058], "0x1e054 and 0x1e058 both need PMC1"),
        (9, &[0x4c046, 0x4c048], "0x4c046 and 0x4c048 both need PMC4"),
        (8, &[0x4c046, 0x4c048], "0x4c046 and 0x4c048 both need PMC4"),
        (9, &[0x4000a, 0x4c01a], "0x4000a and 0x4c01a both need PMC4"),
        (9, &[0x16086, 0x36884, 0x46086], "0x16086 and 0x36884 are of different groups of L2 and L3 events"),
        (
            9,
            &[0xc8b8, 0x1d148, 0x402_d146],
            "0x1d148 and 0x402d146 choose marked instructions differently (bits 24 to 28)",
        ),
        (8, &[0x1c048, 0x3434_0401e0], "0x1c048 and 0x34340401e0 set the threshold differently (bits 29 and up)"),
        (
            10,
            &[0x100_0002_6880, 0x200_0003_6880],
            "0x10000026880 and 0x20000036880 are of different groups of L2 and L3 events",
        ),
    ];
    for (version, set, said) in sets {
        let whys = whys(&power(version), &raws(set));
        assert!(whys.iter().any(|why| why == said), "POWER{version} {set:x?}: {whys:?}");
        assert!(passes(&power(version), &raws(set)).passes.len() > 1);
    }
    let five = whys(&power(9), &raws(&[0x1e058, 0x2c044, 0x3c040, 0x4c046, 0xc8bc]));
    assert_eq!(five, ["0x1e058, 0x2c044, 0x3c040, 0x4c046 and 0xc8bc are 5 events for PMC1 to PMC4"]);
}

#[test]
fn every_reason_is_given() {
    let whys = whys(&power(9), &raws(&[0x1e058, 0x1c048, 0x16086, 0x70000, 0x2c044, 0x3c040, 0x10_0000_0000_0000]));
    let has = |part: &str| whys.iter().any(|why| why.contains(part));
    assert!(
        has("both need PMC1") && has("needs an event of its group") && has("PMC7") && has("5 events for"),
        "{whys:?}"
    );
    assert!(has("has bits that codes of this processor do not have"), "{whys:?}");
}

#[test]
fn an_event_moves_to_the_code_that_counts_the_same() {
    // POWER8's stall cycles are 0x1e054 and 0x4000a; on POWER9 they are 0x1e054 alone.
    assert!(fit(8, &[0x1e054, 0x1e058]) && fit(8, &[0x4000a, 0x4c01a]));
    assert!(!fit(8, &[0x1e054, 0x1e058, 0x4c01a]) && !fit(8, &[0x1e054, 0x4000a, 0x1e058]));
    for version in [8, 9] {
        assert!(
            fit(version, &[0x200f4, 0x2c044]) && fit(version, &[0x400fa, 0x4c046]) && fit(version, &[0x3e054, 0x3c058])
        );
        assert!(!fit(version, &[0x200f4, 0x600f4, 0x2c044, 0x1e058, 0x3c040, 0x4c046]));
    }
    assert!(!fit(10, &[0x200f4, 0x2c01c]), "POWER10's driver knows no other code");
}

#[test]
fn cycles_and_instructions_of_a_thread_move_to_their_own_counters() {
    let four = raws(&[0x1e058, 0x2c044, 0x3c040, 0x4c046]);
    for version in [8, 9, 10] {
        let codes = [four.clone(), vec![generic(0), generic(1)]].concat();
        assert_eq!(whys(&power(version), &codes), [""; 0]);
        let codes = [codes, vec![raw(0x600f4)]].concat();
        let why = whys(&power(version), &codes);
        assert!(why.len() == 1 && why[0].contains("cycles") && why[0].contains("0x600f4"), "{why:?}");
    }
    // Linux looks for no other code where L2 events and one on PMC4 are together: cycles need a fourth counter here.
    let l2 = raws(&[0x46086, 0x16086, 0x36086]);
    assert!(whys(&power(9), &[l2.clone(), vec![generic(0)]].concat()).is_empty());
    assert!(!whys(&power(9), &[l2.clone(), vec![generic(0), generic(1)]].concat()).is_empty());
    assert!(whys(&power(9), &[l2, raws(&BASE)].concat()).is_empty());
}

#[test]
fn a_generic_event_is_what_the_processor_has_for_it() {
    let own = BTreeMap::from([("cache-misses".to_owned(), 0x3e054), ("branch-instructions".to_owned(), 0x10068)]);
    assert!(power(8).check(&own, &[generic(3), raw(0x3c058)]).is_empty(), "0x400f0 is another code for it");
    let why = power(8).check(&own, &[generic(4), raw(0x1e058)]);
    assert_eq!(why[0].why, "branches and 0x1e058 both need PMC1");
    let why = whys(&power(8), &[generic(3), raw(0x1e058), raw(0x600f4)]);
    assert_eq!(why.len(), 1);
    assert!(why[0].contains("cache-misses") && why[0].contains("is not known"), "{why:?}");
}

#[test]
fn odd_codes_are_refused_with_the_reason() {
    let odd: [(u32, u64, &str); 12] = [
        (8, 0x1_0458, "(0x400)"),
        (8, 0x4_0000_0001_e058, "bits that codes of this processor do not have"),
        (9, 0x10_0000_0001_e058, "(0x10000000000000)"),
        (8, 0x7_0000, "PMC7"),
        (8, 0x5_0000, "PMC5, which counts"),
        (9, 0x6_00fa, "PMC6, which counts"),
        (9, 0x8000_0000_0001_e058, "event-based branches"),
        (9, 0xc01_d148, "reserved way"),
        (10, 0x1001_d148, "reserved way"),
        (9, 0x301_d148, "reserved way"),
        (9, 0xf0_2001_d148, "starts or stops"),
        (8, 0x8000_0001_d148, "cannot be written"),
    ];
    for (version, code, said) in odd {
        let code = if said == "cannot be written" { code | 0x80 << 40 } else { code };
        let passes = passes(&power(version), &raws(&[code]));
        assert!(passes.passes.is_empty());
        assert!(passes.refused[0].1.contains(said), "{:?}", passes.refused);
    }
}
