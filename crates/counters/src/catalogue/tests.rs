//! The files are sound.

use std::collections::BTreeSet;

use super::data::FILES;
use super::*;

/// Events that every PMU has and the kernel knows by itself: a file needs no row for them.
const KERNELS: [&str; 2] = ["cycles", "instructions"];

fn clause(of: &str, text: &str) {
    assert!(!text.trim().is_empty() && text == text.trim(), "{of}: {text:?}");
    assert!(!text.ends_with('.') && !text.contains(['\n', '"']), "{of}: {text:?}");
}

#[test]
fn every_file_is_read_under_its_own_name() {
    assert_eq!(uarchs().len(), FILES.len());
    for ((file, _), uarch) in FILES.iter().zip(uarchs()) {
        assert_eq!(*file, uarch.name);
        assert!(uarch.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{file}");
        clause(file, &uarch.title);
        clause(file, &uarch.pmu.name);
    }
}

#[test]
fn no_file_is_forgotten() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("catalogue");
    let names = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let found: BTreeSet<String> = names.filter_map(|name| Some(name.strip_suffix(".toml")?.to_owned())).collect();
    let known = FILES.iter().map(|(name, _)| (*name).to_owned()).chain(["logical".to_owned()]);
    assert_eq!(found, known.collect());
}

#[test]
fn logical_events_are_named_once_and_described() {
    let mut names = BTreeSet::new();
    for row in logical() {
        assert!(names.insert(&row.name), "{} twice", row.name);
        assert!(row.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{}", row.name);
        for text in [&row.unit, &row.meaning, &row.traps] {
            clause(&row.name, text);
        }
    }
}

#[test]
fn events_are_named_and_encoded_once_and_described() {
    for uarch in uarchs() {
        let (mut names, mut codes, mut meant) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for event in &uarch.events {
            let of = format!("{}: {}", uarch.name, event.name);
            assert!(names.insert(event.name.to_ascii_lowercase()), "{of} twice");
            assert!(codes.insert((event.config, event.config1)), "{of}: its code twice");
            assert!(event.name.chars().all(|c| c.is_ascii_alphanumeric() || "_.".contains(c)), "{of}");
            assert!(event.config != 0 && event.counters != Some(0), "{of}");
            clause(&of, &event.meaning);
            clause(&of, &event.source);
            if !event.traps.is_empty() {
                clause(&of, &event.traps);
            }
            assert!(event.role().is_some(), "{of}: no role");
            if event.logical.is_empty() {
                continue;
            }
            assert!(logical().iter().any(|row| row.name == event.logical), "{of}: {}", event.logical);
            assert!(meant.insert(&event.logical), "{of}: {} twice", event.logical);
        }
        for row in logical() {
            assert!(!names.contains(&row.name), "{}: {} is a maker's name too", uarch.name, row.name);
        }
    }
}

#[test]
fn every_logical_event_is_there_or_absent_for_a_reason() {
    for uarch in uarchs() {
        for row in logical() {
            let (there, absent) = (uarch.logical(&row.name), uarch.absent.get(&row.name));
            let kernels = KERNELS.contains(&row.name.as_str());
            assert!(kernels || there.is_some() != absent.is_some(), "{}: {}", uarch.name, row.name);
        }
        for (name, absent) in &uarch.absent {
            let of = format!("{}: {name}", uarch.name);
            assert!(logical().iter().any(|row| row.name == *name), "{of}");
            clause(&of, &absent.why);
            assert!(absent.instead.is_empty() || uarch.logical(&absent.instead).is_some(), "{of}: {}", absent.instead);
        }
    }
}

#[test]
fn the_sets_hold_what_is_there() {
    for uarch in uarchs() {
        assert!((3..=8).contains(&uarch.contention.len()), "{}", uarch.name);
        let mut names = BTreeSet::new();
        for name in &uarch.contention {
            assert!(uarch.logical(name).is_some() && names.insert(name), "{}: {name}", uarch.name);
        }
    }
}

#[test]
fn one_way_to_tell_each() {
    for uarch in uarchs() {
        let Detect { cpuid, pvr, midr, .. } = &uarch.detect;
        let ways = [cpuid.is_empty(), pvr.is_empty(), midr.is_empty()];
        assert_eq!(ways.iter().filter(|empty| !**empty).count(), 1, "{}", uarch.name);
        for row in cpuid {
            assert!(!row.models.is_empty() && row.models.iter().all(|[first, last]| first <= last), "{}", uarch.name);
        }
    }
}

#[test]
fn only_kinds_of_one_hybrid_share_a_processor() {
    for (index, uarch) in uarchs().iter().enumerate() {
        for other in &uarchs()[..index] {
            if !uarch.detect.hybrid_pmu.is_empty() && !other.detect.hybrid_pmu.is_empty() {
                assert_ne!(uarch.detect.hybrid_pmu, other.detect.hybrid_pmu);
                continue;
            }
            let of = format!("{} and {}", uarch.name, other.name);
            assert!(!uarch.detect.pvr.iter().any(|pvr| other.detect.pvr.contains(pvr)), "{of}");
            assert!(!uarch.detect.midr.iter().any(|midr| other.detect.midr.contains(midr)), "{of}");
            for (a, b) in uarch.detect.cpuid.iter().flat_map(|a| other.detect.cpuid.iter().map(move |b| (a, b))) {
                let meet = |[a, b]: &[u32; 2], [c, d]: &[u32; 2]| a <= d && c <= b;
                let models = a.models.iter().any(|x| b.models.iter().any(|y| meet(x, y)));
                assert!(!(a.vendor == b.vendor && a.family == b.family && models), "{of}");
            }
        }
    }
}

/// What the sources say, by hand: a row that a generator or an editor has moved shows here.
#[test]
fn reference_codes() {
    for (name, event, config, config1, counters) in [
        ("power8", "ll-sc-failures", 0x1e058, 0, None),
        ("power8", "cycles", 0x600f4, 0, None),
        ("power8", "pm_data_from_l21_mod", 0x4c046, 0, None),
        ("power8", "PM_L2_RC_ST_DONE", 0x0053_7088, 0, None),
        ("power9", "instructions", 0x500fa, 0, None),
        ("power9", "PM_RUN_INST_CMPL_ALT", 0x400fa, 0, None),
        ("power9", "upgrade-to-writable", 0x36086, 0, None),
        ("power10", "load-transfer-local", 0x0840_4000_0001_c040, 0, None),
        ("sapphire-rapids", "store-transfer", 0x12a, 0x0010_003c_0002, Some(0xf)),
        ("sapphire-rapids", "memory-ordering-clears", 0x2c3, 0, Some(0xff)),
        ("ice-lake-sp", "store-transfer", 0x1b7, 0x0010_003c_0002, Some(0xf)),
        ("skylake-sp", "store-transfer", 0x1b7, 0x0010_003c_0002, Some(0xf)),
        ("granite-rapids", "load-transfer-remote", 0x4d3, 0, Some(0xf)),
        ("alder-lake-e", "store-transfer", 0x1b7, 0x0010_003c_0002, Some(0x3f)),
        ("zen2", "upgrade-to-writable", 0x860, 0, None),
        ("zen4", "load-transfer-far", 0x1043, 0, None),
        ("zen5", "lock-loads", 0x1f25, 0, None),
        ("neoverse-n1", "ll-sc-failures", 0x6e, 0, None),
        ("neoverse-v2", "cycles", 0x11, 0, None),
    ] {
        let found = uarch(name).unwrap().event(event).unwrap_or_else(|| panic!("{name}: {event}"));
        assert_eq!((found.config, found.config1, found.counters), (config, config1, counters), "{name}: {event}");
    }
}

/// How many rows each has; fewer means that one was lost.
#[test]
fn counts() {
    let counts: Vec<(&str, usize)> = uarchs().iter().map(|uarch| (uarch.name.as_str(), uarch.events.len())).collect();
    let expected = [
        ("skylake-sp", 15),
        ("ice-lake-sp", 18),
        ("sapphire-rapids", 19),
        ("granite-rapids", 20),
        ("alder-lake-p", 12),
        ("alder-lake-e", 4),
        ("zen2", 5),
        ("zen3", 8),
        ("zen4", 8),
        ("zen5", 5),
        ("power8", 46),
        ("power9", 46),
        ("power10", 23),
        ("neoverse-n1", 18),
        ("neoverse-n2", 18),
        ("neoverse-v1", 18),
        ("neoverse-v2", 19),
    ];
    assert_eq!(counts, expected);
}

#[test]
fn names_are_found_or_near_ones_suggested() {
    assert_eq!(uarch(" POWER8 ").unwrap().name, "power8");
    let error = uarch("saphire-rapids").unwrap_err();
    assert_eq!(error.cure(), "did you mean sapphire-rapids?");
    assert_eq!(error.to_string(), "\"saphire-rapids\" is no microarchitecture of the catalogue");
    assert!(uarch("z80").unwrap_err().cure().starts_with("choose from skylake-sp, "));
    assert!(uarch("").is_err());
    assert_eq!(uarch("power8").unwrap().event(""), None);
}

#[test]
fn codes_are_written_as_text() {
    let event = uarch("power10").unwrap().event("load-transfer-local").unwrap();
    let written = toml::to_string(event).unwrap();
    assert!(written.contains("config = \"0x84040000001c040\""), "{written}");
}
