use super::*;
use crate::opening::alone;
use crate::perf::fake::Fake;

fn standard() -> Vec<Event> {
    STANDARD.iter().map(|row| Vocabulary::bare().event(row.name).expect("one of the kernel's")).collect()
}

fn probed(script: impl Fn(&Fake)) -> Vec<(Event, Result<Source, Unavailable>)> {
    standard()
        .into_iter()
        .map(|event| {
            let fake = Fake::new();
            script(&fake);
            let outcome = alone(&|| Box::new(fake.clone()), &event, &Vocabulary::bare());
            assert_eq!(fake.still_open(), [], "a probe closes what it opened");
            (event, outcome)
        })
        .collect()
}

fn hardware() -> impl Iterator<Item = Event> {
    standard().into_iter().filter(|event| event.kind() == Kind::Hardware)
}

#[test]
fn a_machine_that_counts_everything_is_good() {
    let probed = probed(|_| {});
    let all = [pmu(&probed), software(&probed), paranoid(Some(-1), &probed)];
    for finding in all {
        assert_eq!((finding.level, finding.cure.as_str()), (Level::Good, ""), "{finding:?}");
    }
    assert_eq!(nmi_watchdog("0", true, &probed), None);
    assert!(nmi_watchdog("1", true, &probed).is_some_and(|finding| finding.cure.contains("nmi_watchdog=0")));
}

#[test]
fn a_lockup_detector_that_takes_no_counter_is_no_finding() {
    let of = |name| Vocabulary::of(crate::catalogue::uarch(name).expect("one of the catalogue"));
    assert!(
        !takes_a_counter(&of("power8")) && takes_a_counter(&of("skylake-sp")) && takes_a_counter(&Vocabulary::bare())
    );
    assert_eq!(nmi_watchdog("1", false, &probed(|_| {})), None);
}

#[test]
fn what_comes_from_elsewhere_is_told_beside_what_is_absent() {
    let scripted = probed(|fake| {
        fake.script_paranoid(2);
        for name in ["context-switches", "cpu-migrations"] {
            fake.refuse(name, Some(Scope::UserAndKernel), libc::EACCES);
        }
    });
    let finding = software(&scripted);
    assert_eq!(finding.level, Level::Warning);
    assert!(finding.found.starts_with("cpu-migrations: "), "{}", finding.found);
    assert!(
        finding.found.ends_with("; context-switches from getrusage or the thread's CPU clock"),
        "{}",
        finding.found
    );
}

#[test]
fn a_virtual_machine_without_a_pmu_says_so_once() {
    let probed = probed(|fake| hardware().for_each(|event| fake.refuse(event.name(), None, libc::ENOENT)));
    let finding = pmu(&probed);
    assert_eq!(finding.level, Level::Missing);
    assert_eq!(finding.found.matches("ENOENT").count(), 1, "{}", finding.found);
    assert!(finding.cure.contains("hypervisor"), "{}", finding.cure);
    assert_eq!(software(&probed).level, Level::Good);
    assert_eq!(nmi_watchdog("1", true, &probed), None);
}

#[test]
fn one_event_less_is_a_note_that_names_it() {
    let probed = probed(|fake| fake.refuse("ref-cycles", None, libc::EOPNOTSUPP));
    let finding = pmu(&probed);
    assert_eq!(finding.level, Level::Note);
    assert!(finding.found.contains("not ref-cycles: "), "{}", finding.found);
}

#[test]
fn levels_of_paranoia() {
    let unprivileged = probed(|fake| {
        fake.script_paranoid(2);
        for event in standard() {
            fake.refuse(event.name(), Some(Scope::UserAndKernel), libc::EACCES);
        }
    });
    for level in [2, 3, 4] {
        let finding = paranoid(Some(level), &unprivileged);
        assert!(finding.level == Level::Note && finding.effect.contains("user mode alone is counted"), "{finding:?}");
    }
    let finding = paranoid(Some(2), &unprivileged);
    assert!(finding.level == Level::Note && finding.cure.contains("=1"), "{finding:?}");
    let finding = software(&unprivileged);
    assert!(finding.level == Level::Warning && finding.found.starts_with("cpu-migrations"), "{finding:?}");

    for (level, cure) in [(4, "perf_event_paranoid=2"), (2, "seccomp"), (-1, "seccomp")] {
        let nothing = probed(|fake| {
            fake.script_paranoid(level);
            fake.refuse_all(libc::EPERM);
        });
        let finding = paranoid(Some(level), &nothing);
        assert!(finding.level == Level::Warning && finding.cure.contains(cure), "{finding:?}");
        assert_eq!(pmu(&nothing).level, Level::Missing);
    }
    let none = probed(|fake| fake.refuse_all(libc::ENOSYS));
    assert!(paranoid(Some(2), &none).cure.contains("CONFIG_PERF_EVENTS"));
    assert_eq!(paranoid(None, &none).level, Level::Missing);
    let root = paranoid(Some(3), &probed(|_| {}));
    assert!(root.level == Level::Good && root.found.contains("override"), "{root:?}");
}

#[test]
fn the_findings_of_this_machine_are_whole() {
    let found = findings();
    let names: Vec<_> = found.iter().map(|finding| finding.name.as_str()).collect();
    for name in ["pmu", "software events", "perf_event_paranoid", "clock", "core clock"] {
        assert_eq!(names.iter().filter(|other| **other == name).count(), 1, "{names:?}");
    }
    for finding in &found {
        assert!(!finding.found.is_empty() && !finding.effect.is_empty(), "{finding:?}");
        assert!(finding.level < Level::Warning || !finding.cure.is_empty(), "{finding:?}");
    }
}

#[test]
fn contention_events_are_told_where_there_is_a_pmu() {
    let power8 = Vocabulary::of(crate::catalogue::uarch("power8").expect("in the catalogue"));
    let kind = |event: &Event| STANDARD.iter().any(|row| row.name == event.name());
    let opened = |errno: Option<i32>| {
        let events = power8.first().into_iter().filter(|event| !kind(event));
        let outcome = |_: &Event| {
            errno.map_or(Ok(Source::Perf(Scope::User)), |errno| Err(Unavailable::from_errno(errno, false, None)))
        };
        events.map(|event| (event.clone(), outcome(&event))).collect::<Vec<_>>()
    };
    let (some, none) =
        (probed(|_| {}), probed(|fake| hardware().for_each(|event| fake.refuse(event.name(), None, libc::ENOENT))));
    assert_eq!(contention(&opened(None), &power8, &none), None);
    let good = contention(&opened(None), &power8, &some).expect("there is a PMU");
    assert!(good.level == Level::Good && good.found.starts_with("IBM POWER8: load-transfer-local"), "{good:?}");
    let note = contention(&opened(Some(libc::EINVAL)), &power8, &some).expect("there is a PMU");
    assert!(note.level == Level::Note && note.found.contains("none opens; not load-transfer-local"), "{note:?}");
    let bare = Vocabulary::bare();
    let unknown = probe_all(&bare);
    assert!(contention(&unknown, &bare, &some).is_some_and(|finding| finding.found.contains("a test")));
}

fn probe_all(vocabulary: &Vocabulary) -> Vec<(Event, Result<Source, Unavailable>)> {
    let asked = vocabulary.first().into_iter().filter(|event| event.codes().is_err());
    asked.map(|event| (event.clone(), Err(event.codes().unwrap_err().clone()))).collect()
}
