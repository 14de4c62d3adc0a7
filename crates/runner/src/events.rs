//! The events of a run: bound to the machine's names, parted into passes, tried before the first trial, told in the manifest.

use std::thread;

use hitm_counters::{
    CoreKind, CountingPlan, Event, Kind, Pass, Settled, Source, Unavailable, UnknownEvent, Vocabulary, descriptors,
    make_room, plan_for, probe, settle,
};
use hitm_experiment::manifest::{CountingPass, EventInfo, Measure, UnavailableInfo};
use hitm_experiment::plan::Plan;
use hitm_experiment::{Experiment, Place, Problem};
use hitm_machine::pin;
use hitm_topology::Topology;

use crate::stimulus::Stimulus;

/// What an experiment's names of events are bound to.
#[derive(Clone, Copy, Debug)]
pub struct EventNames<'a> {
    /// The names of a machine's events.
    pub vocabulary: &'a Vocabulary,
    /// The passes of a run that goes on, which keeps to them; `None` for one that begins.
    pub passes: Option<&'a [CountingPass]>,
}

impl<'a> From<&'a Vocabulary> for EventNames<'a> {
    fn from(vocabulary: &'a Vocabulary) -> Self {
        EventNames { vocabulary, passes: None }
    }
}

/// The events that an experiment asks for, and how they are counted together.
///
/// # Errors
/// The names that no event has, more passes than repetitions, and passes of a run that goes on which name other events.
pub(crate) fn bind(experiment: &Experiment, names: EventNames<'_>) -> Result<(Vec<Event>, CountingPlan), Vec<Problem>> {
    let place = experiment.place("measure.events");
    let problem = |unknown: UnknownEvent| Problem::new(place.clone(), unknown.to_string(), unknown.cure());
    let asked = experiment.measure.events.iter().map(String::as_str);
    let events =
        names.vocabulary.events(asked).map_err(|unknown| unknown.into_iter().map(problem).collect::<Vec<_>>())?;
    let (counted, same) = counted_once(&events, experiment);
    let mut plan = plan_for(&counted, names.vocabulary, experiment.measure.multiplex);
    if let Some(told) = names.passes {
        plan.passes = read_back(told, &events, experiment.measure.multiplex).map_err(|message| {
            let place = Place { source: "manifest.json".to_owned(), path: "passes".to_owned(), span: None };
            vec![Problem::new(place, message, "take the manifest as the run wrote it, or start a new run")]
        })?;
    }
    fit_repetitions(experiment, &plan.passes).map_err(|problem| vec![problem])?;
    let events = counted.into_iter().chain(same.iter().map(|(event, _)| event.clone())).collect();
    plan.refused.extend(same);
    Ok((events, plan))
}

/// Repetitions that are made at least in each counting pass before a run may stop for its precision.
const LEAST_IN_PASS: u32 = 4;

/// The repetitions that a run makes before it may stop for its precision, where there are as many.
#[must_use]
pub fn least_repetitions(measure: &Measure, passes: &[Pass]) -> u32 {
    let passes = u32::try_from(passes.len().max(1)).unwrap_or(u32::MAX);
    measure.min_repetitions.max(LEAST_IN_PASS.saturating_mul(passes)).min(measure.max_repetitions)
}

/// That each pass has a repetition to be counted in.
///
/// # Errors
/// That some have none.
pub(crate) fn fit_repetitions(experiment: &Experiment, passes: &[Pass]) -> Result<(), Problem> {
    let (passes, most) = (passes.len(), experiment.measure.max_repetitions as usize);
    if passes <= most {
        return Ok(());
    }
    let message =
        format!("these events take {passes} passes, one a repetition, and a cell has at most {most} repetitions");
    let cure = "raise measure.max_repetitions, count fewer events, or let them take turns (measure.multiplex = true)";
    Err(Problem::new(experiment.place("measure.events"), message, cure))
}

/// An event, and why it is not counted.
type NotCounted = (Event, Unavailable);

/// The events that are counted, each code once, and those that stand for the code of another: one experiment goes to many machines, on
/// some of which two names are one count. Of a set those go that are named by themselves.
fn counted_once(events: &[Event], experiment: &Experiment) -> (Vec<Event>, Vec<NotCounted>) {
    let key = |event: &Event| {
        let codes = event.codes().unwrap_or_default().iter();
        codes.map(|code| (code.pmu.clone(), code.pmu_type, code.config, code.config1, code.config2)).collect::<Vec<_>>()
    };
    let named = |event: &Event| experiment.measure.events.iter().any(|name| name.trim() == event.name());
    let (mut kept, mut same): (Vec<Event>, Vec<NotCounted>) = (Vec::with_capacity(events.len()), Vec::new());
    for event in events {
        let code = key(event);
        match kept.iter().position(|other| !code.is_empty() && key(other) == code) {
            None => kept.push(event.clone()),
            Some(at) if !named(&kept[at]) => kept[at] = event.clone(),
            Some(_) if !named(event) => {}
            Some(at) => same.push((event.clone(), Unavailable::SameAs { event: kept[at].name().to_owned() })),
        }
    }
    (kept, same)
}

/// Sees to it that all workers that run at the same time have room for the descriptors of their events.
///
/// # Errors
/// When this process may not have so many.
pub(crate) fn room(experiment: &Experiment, plan: &Plan, counting: &CountingPlan) -> Result<(), Problem> {
    let groups = plan.block(0, experiment.seed);
    let workers = |group: &Vec<usize>| group.iter().map(|&cell| plan.cells[cell].workers).sum::<usize>();
    let most = groups.iter().map(workers).max().unwrap_or(0);
    make_room((most * descriptors(&counting.passes)) as u64).map_err(|few| {
        let each = descriptors(&counting.passes);
        let message = format!("{few}: {most} workers that run at the same time count {each} events each");
        Problem::new(experiment.place("measure.events"), message, few.cure())
    })
}

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

/// Passes as the manifest tells them.
pub(crate) fn told(passes: &[Pass]) -> Vec<CountingPass> {
    let told = |pass: &Pass| CountingPass {
        events: pass.events.iter().map(|event| event.name().to_owned()).collect(),
        companions: pass.companions.iter().map(ToString::to_string).collect(),
    };
    passes.iter().filter(|pass| !pass.events.is_empty()).map(told).collect()
}

/// The passes that a manifest tells, which a run keeps to in all its sessions.
///
/// # Errors
/// What of them is no event of the run or no code, as a clause.
pub(crate) fn read_back(told: &[CountingPass], events: &[Event], multiplex: bool) -> Result<Vec<Pass>, String> {
    let event = |name: &String| {
        let found = events.iter().find(|event| event.name() == name).cloned();
        found.ok_or_else(|| format!("its passes count {name:?}, which the run does not ask for"))
    };
    let code = |text: &String| {
        let event = Vocabulary::here().event(text).ok();
        let code = event.as_ref().and_then(|event| event.codes().ok()?.first().cloned());
        code.ok_or_else(|| format!("its passes open {text:?}, which is no code here"))
    };
    let pass = |told: &CountingPass| {
        Ok(Pass {
            events: told.events.iter().map(event).collect::<Result<_, String>>()?,
            companions: told.companions.iter().map(code).collect::<Result<_, String>>()?,
            multiplex,
        })
    };
    told.iter().map(pass).collect()
}

/// Events, each with whether it can be counted here by itself.
pub fn event_infos(events: &[Event]) -> Vec<EventInfo> {
    let info = |(event, can): (Event, Result<Source, Unavailable>)| match can {
        Ok(source @ Source::Instead { .. }) => info(&event, None, Some(source.to_string())),
        Ok(Source::Perf(_)) => info(&event, None, None),
        Err(why) => info(&event, Some(&why), None),
    };
    probe(events).into_iter().map(info).collect()
}

fn info(event: &Event, why_not: Option<&Unavailable>, instead: Option<String>) -> EventInfo {
    EventInfo {
        name: event.name().to_owned(),
        meaning: event.meaning().to_owned(),
        kind: event.kind().name().to_owned(),
        role: event.role().name().to_owned(),
        unit: event.unit().to_owned(),
        traps: event.traps().to_owned(),
        codes: event.codes().unwrap_or_default().iter().map(ToString::to_string).collect(),
        source: instead.unwrap_or_else(|| event.source().to_owned()),
        moved: None,
        unavailable: why_not.map(|why| UnavailableInfo { reason: why.reason(), cure: why.cure() }),
    }
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
