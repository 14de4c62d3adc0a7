use super::*;
use crate::perf::fake::Fake;
use crate::perf::{Handle, Scope};

fn events(list: &str) -> Vec<Event> {
    Vocabulary::bare().list(list).expect("names of the catalogue")
}

fn names(pass: &Pass) -> Vec<&str> {
    pass.events.iter().map(Event::name).collect()
}

fn settled(fake: &Fake, passes: Vec<Pass>) -> Settled {
    let bare = Vocabulary::bare();
    let cores = Cores { pu: None, kinds: bare.cores() };
    let settled = settle_with(&|| Box::new(fake.clone()), passes, cores, &mut || fake.advance(), &|| true);
    assert_eq!(fake.still_open(), [], "what was opened is closed");
    settled
}

#[test]
fn what_the_kernel_refuses_beside_others_is_split_not_zeroed() {
    let fake = Fake::counting();
    fake.counters(2);
    let all = "task-clock, cycles, instructions, branches, branch-misses, cache-misses";
    let settled = settled(&fake, vec![Pass::of(&events(all))]);
    assert_eq!(settled.unavailable, []);
    let passes: Vec<Vec<&str>> = settled.passes.iter().map(names).collect();
    let expected: [&[&str]; 3] = [
        &["task-clock", "cycles", "instructions"],
        &["task-clock", "branches", "branch-misses"],
        &["task-clock", "cache-misses", "cycles"],
    ];
    assert_eq!(passes, expected);
    assert!(settled.moved.values().all(|&moved| moved), "{:?}", settled.moved);
}

#[test]
fn a_group_that_never_gets_the_pmu_is_halved_until_it_does() {
    // The kernel validates a group against all counters, though somebody holds one for good.
    let fake = Fake::counting();
    fake.schedules(3);
    let settled = settled(&fake, vec![Pass::of(&events("cycles, instructions, branches, cache-misses"))]);
    assert_eq!(settled.unavailable, []);
    let passes: Vec<Vec<&str>> = settled.passes.iter().map(names).collect();
    assert_eq!(passes, [vec!["cycles", "instructions"], vec!["branches", "cache-misses", "cycles"]]);
}

#[test]
fn an_event_that_never_counts_even_alone_is_told() {
    let fake = Fake::counting();
    fake.schedules(0);
    let settled = settled(&fake, vec![Pass::of(&events("context-switches, cycles, instructions"))]);
    let told: Vec<&str> = settled.unavailable.iter().map(|(event, _)| event.name()).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(settled.unavailable.iter().all(|(_, why)| *why == Unavailable::NeverRan { enabled_ns: 1_000_000 }));
    assert_eq!(settled.passes.iter().map(names).collect::<Vec<_>>(), [["context-switches"]]);
}

#[test]
fn an_event_that_opens_and_reads_zero_has_not_moved() {
    let fake = Fake::counting();
    fake.stuck("branch-misses");
    let settled = settled(&fake, vec![Pass::of(&events("cycles, branch-misses"))]);
    assert_eq!(settled.moved, BTreeMap::from([("branch-misses".to_owned(), false), ("cycles".to_owned(), true)]));
}

#[test]
fn what_another_call_counts_is_told_with_the_reason() {
    let fake = Fake::counting();
    fake.script_paranoid(2);
    fake.refuse("context-switches", None, libc::EACCES);
    let settled = settled(&fake, vec![Pass::of(&events("task-clock, context-switches"))]);
    assert_eq!(settled.unavailable, []);
    let told: Vec<(&str, &str)> =
        settled.instead.iter().map(|(name, source)| (name.as_str(), source.as_str())).collect();
    assert!(
        matches!(told[..], [("context-switches", source)] if source.contains("getrusage") && source.contains("is 2")),
        "{told:?}"
    );
}

#[test]
fn no_pmu_leaves_the_software_events_in_one_pass() {
    let fake = Fake::counting();
    for name in ["cycles", "instructions", "branches"] {
        fake.refuse(name, None, libc::ENOENT);
    }
    let two =
        vec![Pass::of(&events("task-clock, cycles, instructions")), Pass::of(&events("task-clock, cycles, branches"))];
    let settled = settled(&fake, two);
    assert_eq!(settled.passes.iter().map(names).collect::<Vec<_>>(), [["task-clock"]]);
    assert_eq!(settled.unavailable.len(), 3, "each once: {:?}", settled.unavailable);
    assert_eq!(
        settle_with(&|| Box::new(fake.clone()), vec![], Cores { pu: None, kinds: &[] }, &mut || (), &|| true),
        Settled::default()
    );
}

#[test]
fn multiplexed_events_lead_groups_of_their_own() {
    let fake = Fake::counting();
    fake.counters(2);
    let pass =
        Pass { multiplex: true, ..Pass::of(&events("cycles, instructions, branches, branch-misses, cache-misses")) };
    let settled = settled(&fake, vec![pass]);
    assert_eq!((settled.passes.len(), settled.unavailable.len()), (1, 0));
    let leaders =
        fake.opened().iter().filter(|(_, opened)| opened.leader.is_none() && opened.scope == Scope::User).count();
    // Those that were tried alone to tell a misfit from a refusal lead nothing that stays.
    assert!(leaders >= 3, "{leaders}");
    assert!(fake.opened().iter().all(|(handle, opened)| opened.leader != Some(*handle) && *handle != Handle(-1)));
}

/// Each event asked for is in a pass or has its reason, never both.
fn nothing_is_lost(asked: &[Pass], settled: &Settled) {
    for event in asked.iter().flat_map(|pass| &pass.events) {
        let counted = settled.passes.iter().any(|pass| pass.events.contains(event));
        let told = settled.unavailable.iter().any(|(other, _)| other == event);
        assert!(counted != told, "{event}: counted {counted}, told {told}; {settled:?}");
    }
}

#[test]
fn every_event_asked_for_is_counted_or_told() {
    let some =
        ["cycles, instructions", "cycles, branches", "task-clock, instructions, cycles", "branches, cache-misses"];
    for fit in 0..4 {
        for missing in ["", "branches", "cycles", "cache-misses"] {
            for (first, second) in (0..some.len()).flat_map(|first| (0..some.len()).map(move |second| (first, second)))
            {
                let asked = [some[first], some[second], some[first]].map(|list| Pass::of(&events(list))).to_vec();
                for by_turns in [false, true] {
                    let fake = Fake::counting();
                    if by_turns {
                        fake.schedules(fit)
                    } else {
                        fake.counters(fit.max(1))
                    }
                    if !missing.is_empty() {
                        fake.refuse(missing, None, libc::ENOENT);
                    }
                    nothing_is_lost(&asked, &settled(&fake, asked.clone()));
                }
            }
        }
    }
}

#[test]
fn passes_that_become_equal_are_one() {
    let fake = Fake::counting();
    for name in ["branches", "cache-misses"] {
        fake.refuse(name, None, libc::ENOENT);
    }
    let asked = ["cycles, instructions, branches", "cycles, instructions, cache-misses", "task-clock"];
    let settled = settled(&fake, asked.map(|list| Pass::of(&events(list))).to_vec());
    assert_eq!(
        settled.passes.iter().map(names).collect::<Vec<_>>(),
        [vec!["cycles", "instructions"], vec!["task-clock"]]
    );
}

#[test]
fn what_passes_costs_no_event_and_what_stays_is_told() {
    let asked = vec![Pass::of(&events("cycles, instructions"))];
    for (times, lost) in [(1, false), (2, false), (100, true)] {
        let fake = Fake::counting();
        fake.fail_reads(times);
        let found = settled(&fake, asked.clone());
        assert_eq!(found.unavailable.len() == 2, lost, "{times} odd reads: {found:?}");
        nothing_is_lost(&asked, &found);
        for errno in [libc::EBUSY, libc::EMFILE, libc::EINTR] {
            let fake = Fake::counting();
            fake.refuse_next(times, errno);
            let found = settled(&fake, asked.clone());
            assert_eq!(found.unavailable.len() == 2, lost, "{times} times errno {errno}: {found:?}");
        }
    }
}

#[test]
fn what_does_not_go_together_though_no_core_counts_it_is_parted_and_ends() {
    // The kernel's own events, with and without the core's beside them.
    for list in ["task-clock, cpu-migrations", "task-clock, cpu-migrations, cycles", "task-clock, page-faults, cs"] {
        let fake = Fake::counting();
        fake.refuse_in_groups("cpu-migrations", libc::EINVAL);
        fake.refuse_in_groups("cs", libc::EINVAL);
        let asked = [Pass::of(&events(list))];
        let settled = settled(&fake, asked.to_vec());
        nothing_is_lost(&asked, &settled);
        assert_eq!(settled.unavailable, [], "{list}");
    }
}

#[test]
fn an_event_that_does_not_go_beside_its_companion_is_tried_without_it() {
    let power9 = Vocabulary::of(crate::catalogue::uarch("power9").expect("one of the catalogue"));
    let event = power9.event("upgrade-to-writable").expect("one of POWER9's L2 events");
    let planned = crate::plan::plan(&[event], &power9, false, false).passes;
    assert!(!planned[0].companions.is_empty());
    let fake = Fake::counting();
    fake.counters(1);
    let cores = Cores { pu: None, kinds: power9.cores() };
    let settled = settle_with(&|| Box::new(fake.clone()), planned, cores, &mut || fake.advance(), &|| true);
    assert!(settled.passes.iter().all(|pass| pass.companions.is_empty()) && settled.unavailable.is_empty());
}

#[test]
fn cycles_are_added_back_where_halving_left_room() {
    let fake = Fake::counting();
    fake.schedules(4);
    let list = "cycles, instructions, branches, branch-misses, cache-misses, cache-references";
    let settled = settled(&fake, vec![Pass::of(&events(list))]);
    assert!(settled.passes.len() > 1 && settled.unavailable.is_empty(), "{settled:?}");
    for pass in &settled.passes {
        assert!(names(pass).contains(&"cycles") || pass.events.len() == 4, "{:?}", names(pass));
    }
}

#[test]
fn a_signal_ends_the_trying_and_nothing_is_lost() {
    let fake = Fake::counting();
    let asked = ["cycles", "instructions", "branches"].map(|list| Pass::of(&events(list)));
    let bare = Vocabulary::bare();
    let cores = Cores { pu: None, kinds: bare.cores() };
    let left = std::cell::Cell::new(1);
    let go_on = || left.replace(left.get().max(1) - 1) > 0;
    let settled = settle_with(&|| Box::new(fake.clone()), asked.to_vec(), cores, &mut || fake.advance(), &go_on);
    assert_eq!((settled.passes.len(), settled.moved.len()), (3, 1));
}
