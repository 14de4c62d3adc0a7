use super::*;
use crate::perf::Scope;
use crate::perf::Usage;
use crate::perf::fake::Fake;

fn events(names: &str) -> Vec<Event> {
    Vocabulary::bare().list(names).expect("names of the catalogue")
}

fn event(name: &str) -> Event {
    Vocabulary::bare().event(name).expect("a name of the catalogue")
}

fn open(fake: &Fake, names: &str) -> ThreadEvents {
    opened(fake, &Pass::of(&events(names)))
}

fn opened(fake: &Fake, pass: &Pass) -> ThreadEvents {
    let kinds = Vocabulary::bare();
    let cores = Cores { pu: None, kinds: kinds.cores() };
    ThreadEvents::open_with(Box::new(fake.clone()), pass, cores, Target::ThisThread)
}

fn names(events: &[Event]) -> Vec<&str> {
    events.iter().map(Event::name).collect()
}

#[test]
fn all_events_of_a_pass_are_one_group_led_by_the_cores_first() {
    let fake = Fake::new();
    let opened = open(&fake, "task-clock,cycles,context-switches,instructions,cpu-migrations");
    assert_eq!(names(opened.events()), ["task-clock", "cycles", "context-switches", "instructions", "cpu-migrations"]);
    let requests = fake.opened();
    let leader = Some(requests[0].0);
    assert_eq!(requests[0].1.code.config, 0, "cycles");
    let leaders: Vec<_> = requests.iter().map(|(_, request)| request.leader).collect();
    assert_eq!(leaders, [None, leader, leader, leader, leader]);
}

#[test]
fn events_that_take_turns_do_not_stop_the_kernels() {
    let fake = Fake::new();
    fake.counters(1);
    let pass = Pass { multiplex: true, ..Pass::of(&events("task-clock,cycles,context-switches,instructions")) };
    let opened = opened(&fake, &pass);
    assert_eq!(opened.unavailable(), []);
    assert_eq!(opened.groups.iter().map(|group| group.handles.len()).collect::<Vec<_>>(), [1, 1, 2]);
}

#[test]
fn switches_count_the_kernel_and_hardware_counts_user_mode() {
    let fake = Fake::new();
    let opened = open(&fake, "context-switches,cpu-migrations,cycles");
    for (name, scope) in
        [("context-switches", Scope::UserAndKernel), ("cpu-migrations", Scope::UserAndKernel), ("cycles", Scope::User)]
    {
        assert_eq!(opened.source(&event(name)), Some(&Source::Perf(scope)), "{name}");
    }
}

#[test]
fn no_pmu_leaves_the_software_events() {
    let fake = Fake::new();
    fake.refuse("cycles", None, libc::ENOENT);
    fake.refuse("instructions", None, libc::ENOENT);
    let opened = open(&fake, "cycles,task-clock,instructions");
    assert_eq!(names(opened.events()), ["task-clock"]);
    let absent = [(event("cycles"), Unavailable::NoPmu), (event("instructions"), Unavailable::NoPmu)];
    assert_eq!(opened.unavailable(), absent);
}

#[test]
fn a_refused_leader_hands_the_lead_to_the_next() {
    let fake = Fake::new();
    fake.refuse("cycles", None, libc::EBUSY);
    let opened = open(&fake, "cycles,instructions,branches");
    let requests = fake.opened();
    assert_eq!(requests[0].1.leader, None);
    assert_eq!(requests[1].1.leader, Some(requests[0].0));
    assert_eq!(opened.unavailable(), [(event("cycles"), Unavailable::Busy)]);
}

#[test]
fn every_errno_reaches_its_event() {
    for (errno, expected) in [
        (libc::ENOENT, Unavailable::NoPmu),
        (libc::EACCES, Unavailable::Permission { errno: libc::EACCES, paranoid: Some(4), kernel: false }),
        (libc::EPERM, Unavailable::Permission { errno: libc::EPERM, paranoid: Some(4), kernel: false }),
        (libc::ENOSYS, Unavailable::NoSystemCall),
        (libc::EOPNOTSUPP, Unavailable::NotSupported),
        (libc::EINVAL, Unavailable::Invalid),
        (libc::EMFILE, Unavailable::TooManyFiles),
        (libc::EBUSY, Unavailable::Busy),
        (libc::ENOSPC, Unavailable::NoSpace),
        (libc::ENODEV, Unavailable::Device { errno: libc::ENODEV }),
        (libc::ENXIO, Unavailable::Device { errno: libc::ENXIO }),
        (libc::E2BIG, Unavailable::TooBig),
        (libc::ESRCH, Unavailable::NoSuchThread),
        (libc::EFAULT, Unavailable::Other { errno: libc::EFAULT }),
    ] {
        let fake = Fake::new();
        fake.script_paranoid(4);
        fake.refuse_all(errno);
        let opened = open(&fake, "cycles");
        assert!(opened.events().is_empty());
        assert_eq!(opened.unavailable(), [(event("cycles"), expected)]);
    }
}

#[test]
fn at_level_2_user_mode_and_getrusage_stand_in() {
    let fake = Fake::new();
    fake.script_paranoid(2);
    for name in ["task-clock", "context-switches", "cpu-migrations", "page-faults"] {
        fake.refuse(name, Some(Scope::UserAndKernel), libc::EACCES);
    }
    let opened = open(&fake, "task-clock,context-switches,cpu-migrations,page-faults,cycles");
    let refused = Unavailable::Permission { errno: libc::EACCES, paranoid: Some(2), kernel: true };
    assert_eq!(opened.unavailable(), [(event("cpu-migrations"), refused.clone())]);
    assert_eq!(opened.source(&event("task-clock")), Some(&Source::Perf(Scope::User)));
    assert_eq!(opened.source(&event("page-faults")), Some(&Source::Perf(Scope::User)));
    let switches = opened.source(&event("context-switches")).expect("it is counted");
    assert_eq!(switches, &Source::Instead { call: "getrusage(RUSAGE_THREAD)", because: refused });
    assert!(switches.to_string().contains("getrusage") && switches.to_string().contains("perf_event_paranoid is 2"));
}

#[test]
fn a_pmu_without_modes_counts_all_of_them_and_says_so() {
    let fake = Fake::new();
    fake.refuse("cycles", Some(Scope::User), libc::EINVAL);
    let opened = open(&fake, "cycles");
    assert_eq!(opened.source(&event("cycles")), Some(&Source::Perf(Scope::UserAndKernel)));
}

#[test]
fn what_does_not_fit_the_group_is_told_from_what_is_invalid() {
    let fake = Fake::new();
    fake.counters(2);
    fake.refuse("ref-cycles", None, libc::EINVAL);
    let opened = open(&fake, "cycles,instructions,branches,ref-cycles");
    assert_eq!(names(opened.events()), ["cycles", "instructions"]);
    let absent = [(event("branches"), Unavailable::NotTogether), (event("ref-cycles"), Unavailable::Invalid)];
    assert_eq!(opened.unavailable(), absent);
    assert_eq!(fake.still_open().len(), 2, "the trial alone is closed again");
}

#[test]
fn nothing_leaks() {
    let fake = Fake::new();
    fake.counters(2);
    fake.refuse("cache-misses", None, libc::EMFILE);
    let all: Vec<_> = Vocabulary::bare().all().iter().map(|event| event.name().to_owned()).collect();
    let opened = open(&fake, &all.join(","));
    assert!(!fake.still_open().is_empty());
    drop(opened);
    assert_eq!(fake.still_open(), []);
}

#[test]
fn an_event_twice_is_opened_once() {
    let fake = Fake::new();
    let twice = [event("cycles"), event("cpu-cycles")];
    let opened = opened(&fake, &Pass::of(&twice));
    assert_eq!(names(opened.events()), ["cycles"]);
    assert_eq!(fake.opened().len(), 1);
}

#[test]
fn counts_are_differences_in_the_order_asked_for() {
    let fake = Fake::new();
    let mut opened = open(&fake, "instructions,task-clock,cycles");
    let leader = fake.opened()[0].0;
    opened.enable();
    assert_eq!(fake.enabled(), [leader]);
    let (mut before, mut after) = (opened.blank(), opened.blank());
    fake.script_read(leader, &[3, 10, 10, 1_000, 500, 10]);
    opened.snapshot(&mut before);
    fake.script_read(leader, &[3, 110, 60, 4_000, 1_500, 60]);
    opened.snapshot(&mut after);
    let count = |value| Ok(Count { value, enabled_ns: 100, running_ns: 50 });
    let counts = opened.counts(&before, &after);
    assert_eq!(counts[0], (event("instructions"), count(3_000)));
    assert_eq!(counts[1], (event("task-clock"), count(50)));
    assert_eq!(counts[2], (event("cycles"), count(1_000)));
    opened.disable();
    assert_eq!(fake.enabled(), []);
}

#[test]
fn no_cycles_beside_instructions_is_no_zero() {
    let fake = Fake::new();
    let mut opened = open(&fake, "cycles,instructions,branch-misses");
    let leader = fake.opened()[0].0;
    let (mut before, mut after) = (opened.blank(), opened.blank());
    fake.script_read(leader, &[3, 10, 10, 0, 0, 0]);
    opened.snapshot(&mut before);
    fake.script_read(leader, &[3, 20, 20, 0, 668_753, 0]);
    opened.snapshot(&mut after);
    let counts = opened.counts(&before, &after);
    assert!(matches!(counts[0].1, Err(Unavailable::Inconsistent { .. })), "{:?}", counts[0]);
    assert_eq!(counts[1].1, Ok(Count { value: 668_753, enabled_ns: 10, running_ns: 10 }));
}

#[test]
fn an_enable_that_fails_and_an_empty_read_are_absent() {
    let fake = Fake::new();
    let mut opened = open(&fake, "cycles");
    let (mut before, mut after) = (opened.blank(), opened.blank());
    opened.snapshot(&mut before);
    opened.snapshot(&mut after);
    assert!(opened.counts(&before, &after)[0].1.clone().unwrap_err().reason().contains("empty"));
    fake.refuse_enable(libc::ENODEV);
    opened.enable();
    assert_eq!(opened.counts(&before, &after)[0].1, Err(Unavailable::Device { errno: libc::ENODEV }));
}

#[test]
fn what_getrusage_says_is_differenced_too() {
    let fake = Fake::new();
    fake.refuse_all(libc::ENOSYS);
    let mut opened = open(&fake, "context-switches,task-clock,page-faults,major-faults,cpu-migrations");
    assert_eq!(opened.unavailable(), [(event("cpu-migrations"), Unavailable::NoSystemCall)]);
    let (mut before, mut after) = (opened.blank(), opened.blank());
    fake.script_usage(Some(Usage {
        voluntary_switches: 5,
        involuntary_switches: 2,
        minor_faults: 100,
        major_faults: 1,
        cpu_ns: 1_000,
    }));
    opened.snapshot(&mut before);
    fake.script_usage(Some(Usage {
        voluntary_switches: 6,
        involuntary_switches: 4,
        minor_faults: 110,
        major_faults: 2,
        cpu_ns: 4_000,
    }));
    opened.snapshot(&mut after);
    let values: Vec<_> = opened.counts(&before, &after).into_iter().map(|(_, count)| count.unwrap().value).collect();
    assert_eq!(values, [3, 3_000, 11, 1]);
    for (_, count) in opened.counts(&after, &before) {
        assert!(matches!(count, Err(Unavailable::Inconsistent { .. })), "{count:?}");
    }
    for (_, count) in opened.counts(&after, &after) {
        assert_eq!(count, Err(Unavailable::NeverRan { enabled_ns: 0 }));
    }
}

#[test]
fn without_getrusage_nothing_stands_in() {
    let fake = Fake::new();
    fake.refuse_all(libc::ENOSYS);
    fake.script_usage(None);
    let opened = open(&fake, "context-switches,task-clock");
    assert!(opened.events().is_empty());
    assert_eq!(opened.unavailable().len(), 2);
}

#[test]
fn a_snapshot_of_other_events_gives_no_numbers() {
    let fake = Fake::new();
    let opened = open(&fake, "cycles,task-clock");
    let stranger = Snapshot::default();
    for (_, count) in opened.counts(&stranger, &opened.blank()) {
        assert!(count.unwrap_err().reason().contains("other events"));
    }
}

#[test]
fn filling_a_blank_snapshot_again_and_again_keeps_its_memory() {
    let fake = Fake::new();
    fake.refuse("context-switches", None, libc::EACCES);
    let mut opened = open(&fake, "cycles,instructions,task-clock,context-switches");
    let mut snapshot = opened.blank();
    let memory = |snapshot: &Snapshot| {
        let words: Vec<_> = snapshot.groups.iter().map(|group| group.words.as_ptr()).collect();
        (snapshot.groups.as_ptr(), words)
    };
    let before = memory(&snapshot);
    for _ in 0..3 {
        opened.snapshot(&mut snapshot);
        assert_eq!(memory(&snapshot), before);
    }
}

#[test]
fn a_worker_counts_with_the_pmu_of_its_own_kind_of_core() {
    let kinds = ["alder-lake-p", "alder-lake-e"].map(|name| crate::catalogue::uarch(name).expect("in the catalogue"));
    let hybrid = Vocabulary::hybrid(&kinds);
    let pass = Pass::of(&hybrid.list("instructions, store-transfer, lock-loads").unwrap());
    let on = |pu| {
        let fake = Fake::new();
        let cores = Cores { pu: Some(pu), kinds: hybrid.cores() };
        let opened = ThreadEvents::open_with(Box::new(fake.clone()), &pass, cores, Target::ThisThread);
        let codes: Vec<(String, u64)> =
            fake.opened().iter().map(|(_, opened)| (opened.code.pmu.clone(), opened.code.config)).collect();
        (codes, opened.unavailable().to_vec())
    };
    let (performance, absent) = on(0);
    assert!(performance.iter().all(|(pmu, _)| pmu == "cpu_core") && absent.is_empty(), "{performance:?} {absent:?}");
    assert_eq!(performance.len(), 3);
    let (efficiency, absent) = on(1);
    assert!(efficiency.iter().all(|(pmu, _)| pmu == "cpu_atom"), "{efficiency:?}");
    assert!(
        matches!(&absent[..], [(event, Unavailable::OtherCores { .. })] if event.name() == "lock-loads"),
        "{absent:?}"
    );
    assert_ne!(performance[1], efficiency[1], "the codes differ");
}
