use super::*;
use crate::catalogue::uarch;

fn names(pass: &Pass) -> Vec<&str> {
    pass.events.iter().map(Event::name).collect()
}

fn planned(on: &str, list: &str, multiplex: bool) -> CountingPlan {
    let vocabulary = Vocabulary::of(uarch(on).expect("one of the catalogue"));
    let events = vocabulary.list(list).unwrap_or_else(|errors| panic!("{errors:?}"));
    plan(&events, &vocabulary, false, multiplex)
}

#[test]
fn power8_counts_its_contention_in_passes_that_fit_with_cycles_and_instructions_in_each() {
    let plan = planned("power8", "context-switches, cycles, instructions, contention, store-transfer", false);
    assert!(plan.passes.len() >= 2, "{plan:?}");
    for pass in &plan.passes {
        for name in ["context-switches", "cycles", "instructions"] {
            assert!(names(pass).contains(&name), "{name} in {:?}", names(pass));
        }
    }
    let [(event, why)] = &plan.refused[..] else { panic!("{:?}", plan.refused) };
    assert!(event.name() == "store-transfer" && why.cure().contains("ll-sc-failures"), "{why}; {}", why.cure());
}

#[test]
fn cycles_and_instructions_are_counted_wherever_there_is_room() {
    // Six interchangeable counters, one of them the watchdog's: nothing has a counter of its own.
    let zen = Vocabulary::of(uarch("zen4").unwrap());
    let plan = plan(&zen.list("cycles, instructions, contention").unwrap(), &zen, true, false);
    assert_eq!(plan.passes.len(), 2, "{plan:?}");
    for pass in &plan.passes {
        let full = pass.events.len() == 5;
        assert!(full || ["cycles", "instructions"].iter().all(|name| names(pass).contains(name)), "{plan:?}");
    }
    assert!(plan.passes.iter().all(|pass| names(pass).contains(&"cycles")), "{plan:?}");
}

#[test]
fn each_event_is_planned_or_refused_on_every_microarchitecture() {
    for uarch in crate::catalogue::uarchs() {
        let vocabulary = Vocabulary::of(uarch);
        let events = vocabulary.all();
        let plan = plan(&events, &vocabulary, true, false);
        for event in &events {
            let planned = plan.passes.iter().filter(|pass| pass.events.contains(event)).count();
            let refused = plan.refused.iter().filter(|(other, _)| other == event).count();
            assert!(
                (planned > 0) != (refused > 0),
                "{}: {event} is planned {planned} times, refused {refused}",
                uarch.name
            );
        }
    }
}

#[test]
fn what_linux_refuses_is_refused_with_the_reason() {
    let power8 = Vocabulary::of(uarch("power8").unwrap());
    let refused = refused_codes(&power8);
    let codes: Vec<u64> = refused.values().map(|(code, _)| code.config).collect();
    for code in [0x536088, 0x53608a, 0x537088, 0x54708c, 0x54708e, 0x53708a] {
        assert!(codes.contains(&code), "{code:#x} of {codes:x?}");
    }
    let plan = planned("power8", "PM_L2_RCST_DISP, cycles", false);
    assert!(matches!(&plan.refused[..], [(event, Unavailable::Refused { .. })] if event.name() == "PM_L2_RCST_DISP"));
}

#[test]
fn on_a_hybrid_processor_each_pass_fits_both_kinds_of_core() {
    let kinds = ["alder-lake-p", "alder-lake-e"].map(|name| uarch(name).expect("in the catalogue"));
    let hybrid = Vocabulary::hybrid(&kinds);
    let list = "cycles, instructions, store-transfer, load-transfer-local, memory-ordering-clears, lock-loads, branches, \
                branch-misses, cache-misses, cache-references, stalls-total, l2-rfo-misses";
    let events = hybrid.list(list).unwrap();
    let plan = plan(&events, &hybrid, true, false);
    for kind in hybrid.cores() {
        let uarch = kind.uarch.as_ref().unwrap();
        for pass in &plan.passes {
            let codes = codes_on(kind, &pass.events);
            assert_eq!(uarch.pmu.rules.check(&uarch.pmu.generic, &codes), [], "{}: {:?}", kind.pmu, names(pass));
        }
    }
    for event in &events {
        assert!(plan.passes.iter().any(|pass| pass.events.contains(event)), "{event}");
    }
    // The performance cores alone count locked loads.
    assert_eq!(hybrid.event("lock-loads").unwrap().codes().unwrap().len(), 1);
    assert_eq!(hybrid.event("store-transfer").unwrap().codes().unwrap().len(), 2);
}

#[test]
fn the_first_that_are_asked_for_are_counted_in_the_first_pass_and_room_left_is_used() {
    let zen = Vocabulary::of(uarch("zen3").unwrap());
    // Five counters beside the watchdog's for six events.
    let events = zen.list("contention, cycles, instructions").unwrap();
    let plan = plan(&events, &zen, true, false);
    let passes: Vec<Vec<&str>> = plan.passes.iter().map(names).collect();
    assert_eq!(passes.len(), 2, "{passes:?}");
    for pass in &passes {
        assert!(pass.len() == 5 && pass.contains(&"cycles") && pass.contains(&"load-transfer-local"), "{passes:?}");
    }
    let planned = planned("power8", "contention", false);
    let together = |one: &str, other: &str| {
        planned.passes.iter().any(|pass| names(pass).contains(&one) && names(pass).contains(&other))
    };
    assert!(together("ll-sc-failures", "ll-sc-loads") && together("load-transfer-local", "load-transfer-far"));
}

#[test]
fn multiplexing_is_one_pass() {
    let plan = planned("power8", "cycles, contention", true);
    assert!(plan.passes.len() == 1 && plan.passes[0].multiplex, "{plan:?}");
}

#[test]
fn a_processor_that_is_not_known_leaves_it_to_the_kernel() {
    let bare = Vocabulary::bare();
    let events = bare.list("cycles, r1, r2, task-clock, store-transfer").unwrap();
    let plan = plan(&events, &bare, true, false);
    assert_eq!(plan.passes.len(), 1);
    assert_eq!(names(&plan.passes[0]), ["task-clock", "cycles", "r1", "r2"]);
    assert!(matches!(&plan.refused[..], [(_, Unavailable::UnknownProcessor { .. })]), "{:?}", plan.refused);
}
