//! Trying a run's passes before its first trial, on a thread like those of its workers.

use std::thread;

use hitm_counters::{CoreKind, CountingPlan, Event, Kind, Pass, Settled, Unavailable, Vocabulary, settle};
use hitm_experiment::manifest::EventInfo;
use hitm_machine::pin;
use hitm_topology::Topology;

use crate::events::info;
use crate::stimulus::Stimulus;

/// What became of the events on this machine.
pub(crate) struct Counted {
    /// The events asked for, each with what is known of it.
    pub infos: Vec<EventInfo>,
    /// What trials count together.
    pub passes: Vec<Pass>,
}

/// Tries the passes on a thread of its own, pinned to where the witnesses look; on a hybrid processor on a PU of each kind of core that
/// some of `pus`, those of the workers, are of. When `go_on` says no, the rest is left untried.
pub(crate) fn try_out(
    events: &[Event],
    counting: &CountingPlan,
    topology: &Topology,
    pus: &[u32],
    go_on: &(dyn Fn() -> bool + Sync),
) -> Counted {
    let stimulus = Stimulus::new(topology);
    let settled = match Vocabulary::here().cores() {
        [_] => on_a_thread(counting.passes.clone(), stimulus.pu(), &stimulus, go_on),
        kinds => {
            let used: Vec<(&CoreKind, u32)> =
                kinds.iter().filter_map(|kind| Some((kind, pus.iter().copied().find(|&pu| kind.has(pu))?))).collect();
            each_kind(counting.passes.clone(), &used, &|passes, pu| on_a_thread(passes, Some(pu), &stimulus, go_on))
        }
    };
    let why_not = |event: &Event| {
        let refused = counting.refused.iter().chain(&settled.unavailable).find(|(other, _)| other == event);
        refused.map(|(_, why)| why)
    };
    let info = |event: &Event| {
        let instead = settled.instead.get(event.name()).cloned();
        EventInfo { moved: settled.moved.get(event.name()).copied(), ..info(event, why_not(event), instead) }
    };
    Counted { infos: events.iter().map(info).collect(), passes: settled.passes }
}

fn on_a_thread(passes: Vec<Pass>, pu: Option<u32>, stimulus: &Stimulus, go_on: &(dyn Fn() -> bool + Sync)) -> Settled {
    let untried = Settled { passes: passes.clone(), ..Settled::default() };
    let tried = thread::scope(|scope| {
        let tried = scope.spawn(|| {
            let pu = pu.filter(|&pu| pin::pin_current_thread(pu).is_ok());
            settle(passes, pu, &mut || stimulus.act(), go_on)
        });
        tried.join()
    });
    // A panic there would be a fault of ours; without its word every event is tried in the trials themselves.
    tried.unwrap_or(untried)
}

/// Settles passes on each kind of core in turn. An event is unavailable where no kind that is used counts it; one that some count stays, and
/// is absent on the others with their reason.
fn each_kind(passes: Vec<Pass>, used: &[(&CoreKind, u32)], settle: &dyn Fn(Vec<Pass>, u32) -> Settled) -> Settled {
    let mut all = Settled { passes, ..Settled::default() };
    let has = |kind: &CoreKind, event: &Event| event.kind() != Kind::Hardware || event.code_on(&kind.pmu).is_some();
    for (index, &(kind, pu)) in used.iter().enumerate() {
        let elsewhere = |event: &Event| {
            let others = used.iter().enumerate().filter(|(other, _)| *other != index);
            event.kind() == Kind::Hardware && others.clone().any(|(_, (other, _))| has(other, event))
        };
        let mut parted = Vec::new();
        for pass in std::mem::take(&mut all.passes) {
            let (here, mut aside): (Vec<Event>, Vec<Event>) =
                pass.events.iter().cloned().partition(|event| has(kind, event));
            let one = settle(vec![Pass { events: here, ..pass.clone() }], pu);
            aside.extend(one.unavailable.iter().map(|(event, _)| event.clone()).filter(elsewhere));
            all.unavailable.extend(one.unavailable);
            all.instead.extend(one.instead);
            for (name, moved) in one.moved {
                *all.moved.entry(name).or_default() |= moved;
            }
            let mut passes = one.passes;
            match passes.first_mut() {
                Some(first) => first.events.extend(aside),
                None if aside.is_empty() => {}
                None => passes.push(Pass { events: aside, ..pass }),
            }
            parted.extend(passes);
        }
        all.passes = parted;
    }
    // Refused by every kind that is used and has it.
    let refused = |event: &Event| {
        let kinds = used.iter().filter(|(kind, _)| has(kind, event)).count();
        let times = all.unavailable.iter().filter(|(other, _)| other == event).count();
        event.kind() == Kind::Hardware && kinds > 0 && times >= kinds
    };
    let gone: Vec<Event> =
        all.passes.iter().flat_map(|pass| pass.events.iter().filter(|event| refused(event)).cloned()).collect();
    for pass in &mut all.passes {
        pass.events.retain(|event| !gone.contains(event));
    }
    // What belongs to a kind of core that no worker is on.
    let on_used = |event: &Event| {
        event.kind() != Kind::Hardware || used.iter().any(|(kind, _)| event.code_on(&kind.pmu).is_some())
    };
    for pass in &mut all.passes {
        for event in pass.events.iter().filter(|event| !on_used(event)) {
            let pmu = event.codes().unwrap_or_default().first().map_or(String::new(), |code| code.pmu.clone());
            all.unavailable.push((event.clone(), Unavailable::OtherCores { pmu }));
        }
        pass.events.retain(on_used);
    }
    all.passes.retain(|pass| !pass.events.is_empty());
    let counted = |event: &Event| all.passes.iter().any(|pass| pass.events.contains(event));
    all.unavailable.retain(|(event, _)| !counted(event));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use hitm_counters::catalogue::uarch;

    fn kind(pmu: &str, pus: Vec<u32>) -> CoreKind {
        CoreKind { pmu: pmu.to_owned(), pmu_type: 4, pus: Some(pus), uarch: Err("a test".to_owned()) }
    }

    /// Settling that counts everything and says that it moved.
    fn all(passes: Vec<Pass>, _: u32) -> Settled {
        let moved = passes.iter().flat_map(|pass| &pass.events).map(|event| (event.name().to_owned(), true)).collect();
        Settled { passes, moved, ..Settled::default() }
    }

    fn list(uarch_name: &str, list: &str) -> Vec<Event> {
        Vocabulary::of(uarch(uarch_name).expect("in the catalogue")).list(list).expect("names of it")
    }

    #[test]
    fn events_of_a_kind_of_core_that_no_worker_is_on_are_told_and_the_others_tried_on_theirs() {
        let (performance, efficiency) = (kind("cpu_core", vec![0]), kind("cpu_atom", vec![1]));
        let mut events = list("alder-lake-p", "task-clock, lock-loads");
        events.extend(list("alder-lake-e", "memory-ordering-clears"));
        let passes = vec![Pass::of(&events)];
        let names = |settled: &Settled| {
            settled
                .passes
                .iter()
                .flat_map(|pass| pass.events.iter().map(|event| event.name().to_owned()))
                .collect::<Vec<_>>()
        };
        let both = each_kind(passes.clone(), &[(&performance, 0), (&efficiency, 1)], &all);
        assert!(both.unavailable.is_empty() && names(&both).len() == 3, "{both:?}");
        let one = each_kind(passes, &[(&efficiency, 1)], &all);
        assert_eq!(names(&one), ["task-clock", "memory-ordering-clears"]);
        let [(event, Unavailable::OtherCores { pmu })] = &one.unavailable[..] else { panic!("{one:?}") };
        assert_eq!((event.name(), pmu.as_str()), ("lock-loads", "cpu_core"));
    }
}
