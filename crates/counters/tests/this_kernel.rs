//! Counting for real, with whatever this kernel and machine permit. Laws only: no test expects a PMU, a privilege or a speed.

use std::collections::BTreeSet;
use std::hint::black_box;

use hitm_counters::{
    Clock, Count, Event, Pass, Snapshot, Source, ThreadEvents, Unavailable, Vocabulary, probe, read_cost,
};

type Counts = Vec<(Event, Result<Count, Unavailable>)>;

/// Counts `names` over `work` on a thread of its own.
fn counted(names: &str, work: impl FnOnce() + Send) -> Counts {
    let pass = Pass::of(&Vocabulary::here().list(names).expect("names of the catalogue"));
    std::thread::scope(|scope| {
        let counting = scope.spawn(|| {
            let mut opened = ThreadEvents::open(&pass, None);
            let (mut before, mut after) = (opened.blank(), opened.blank());
            opened.enable();
            opened.snapshot(&mut before);
            work();
            opened.snapshot(&mut after);
            opened.counts(&before, &after)
        });
        counting.join().expect("no panic")
    })
}

fn value(counts: &Counts, name: &str) -> Option<u64> {
    let (_, count) = counts.iter().find(|(event, _)| event.name() == name)?;
    match count {
        Ok(count) => {
            assert!(count.running_ns > 0 && count.running_ns <= count.enabled_ns, "{name}: {count:?}");
            Some(count.value)
        }
        Err(why) => panic!("{name} opened but gave no count: {why}"),
    }
}

fn spin(rounds: u64) {
    let mut x = black_box(1_u64);
    for _ in 0..rounds {
        x = black_box(x.wrapping_mul(3));
    }
}

#[test]
fn voluntary_switches_are_counted() {
    let sleeps = 20;
    let counts = counted("task-clock,context-switches,cpu-migrations", || {
        for _ in 0..sleeps {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
    });
    // perf_event counts them, else getrusage; neither may read 0, as it would with the kernel left out.
    let switches = value(&counts, "context-switches").expect("perf_event or getrusage knows them");
    // On a slow virtual machine a sleep may be over before the thread has left its PU.
    assert!(switches >= sleeps / 2, "{switches} switches for {sleeps} sleeps");
}

#[test]
fn first_touches_are_page_faults() {
    let pages = 200;
    let counts = counted("page-faults,minor-faults", || {
        let page = 64 * 1024;
        let mut memory: Vec<u8> = Vec::with_capacity(pages * page);
        for index in 0..pages {
            memory.resize((index + 1) * page, 1);
        }
        black_box(&memory);
    });
    // Transparent huge pages may take many pages in one fault, so only that there were some is certain.
    let faults = value(&counts, "page-faults").expect("perf_event or getrusage knows them");
    let minor = value(&counts, "minor-faults").expect("perf_event or getrusage knows them");
    assert!(faults > 0 && minor > 0, "{faults} {minor}");
}

#[test]
fn task_clock_is_within_the_stretch_and_covers_the_work() {
    let clock = Clock::os();
    let mut worked = 0;
    let start = clock.now();
    let counts = counted("context-switches,page-faults,cpu-migrations,task-clock", || {
        let start = clock.now();
        while clock.now() - start < 5_000_000 {
            spin(1_000);
        }
        worked = clock.now() - start;
    });
    let took = clock.now() - start;
    let task = value(&counts, "task-clock").expect("perf_event or the thread's clock knows it");
    assert!(task <= took, "{task} ns of {took} ns");
    // It is a later member of its group, which reads short when members open disabled (0.4 of the time was seen).
    let switches = value(&counts, "context-switches").expect("perf_event or getrusage knows them");
    assert!(switches > 0 || task >= worked / 2, "{task} ns of {worked} ns though it was never off its PU");
}

#[test]
fn hardware_events_count_or_tell_why() {
    let counts = counted("cycles,instructions,branches", || spin(1_000_000));
    if let Some(instructions) = counts.iter().find(|(event, _)| event.name() == "instructions") {
        match &instructions.1 {
            Ok(count) => assert!(count.value >= 1_000_000, "{count:?}"),
            Err(why) => assert!(!why.reason().is_empty() && !why.cure().is_empty()),
        }
    }
    for (event, outcome) in probe(&Vocabulary::here().all()) {
        if let Err(why) = outcome {
            assert!(!why.reason().is_empty() && !why.cure().is_empty(), "{event}");
        }
    }
}

#[test]
fn events_are_counted_or_unavailable_and_none_is_lost() {
    let all = Vocabulary::here().all();
    let opened = ThreadEvents::open(&Pass::of(&all), None);
    let counted: BTreeSet<_> = opened.events().iter().map(Event::name).collect();
    let absent: BTreeSet<_> = opened.unavailable().iter().map(|(event, _)| event.name()).collect();
    assert!(counted.is_disjoint(&absent));
    assert_eq!(counted.len() + absent.len(), all.len());
    for event in opened.events() {
        assert!(opened.source(event).is_some(), "{event}");
    }
}

#[test]
fn before_it_is_enabled_nothing_is_a_number() {
    let mut opened = ThreadEvents::open(&Pass::of(&Vocabulary::here().list("page-faults").unwrap()), None);
    let (mut before, mut after) = (Snapshot::default(), Snapshot::default());
    opened.snapshot(&mut before);
    spin(1_000);
    opened.snapshot(&mut after);
    for (event, count) in opened.counts(&before, &after) {
        let from_perf = matches!(opened.source(&event), Some(Source::Perf(_)));
        assert!(!from_perf || count == Err(Unavailable::NeverRan { enabled_ns: 0 }), "{count:?}");
    }
}

#[test]
fn a_read_costs_something_finite() {
    let mut opened = ThreadEvents::open(&Pass::of(&Vocabulary::here().all()), None);
    opened.enable();
    let cost = read_cost(&mut opened, &Clock::detect());
    assert!(cost.is_finite() && cost > 0.0, "{cost}");
    assert!(read_cost(&mut ThreadEvents::open(&Pass::default(), None), &Clock::os()).is_finite());
}
