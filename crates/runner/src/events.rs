//! The events of a run: bound to the machine's names, parted into passes, tried before the first trial, told in the manifest.

use std::thread;

use hitm_counters::{
    CountingPlan, Event, Kind, Pass, Settled, Source, Unavailable, UnknownEvent, Vocabulary, descriptors, make_room,
    plan, probe, settle, watchdog_is_on,
};
use hitm_experiment::manifest::{CountingPass, EventInfo, UnavailableInfo};
use hitm_experiment::plan::Plan;
use hitm_experiment::{Experiment, Problem};
use hitm_machine::pin;
use hitm_topology::Topology;

use crate::stimulus::Stimulus;

/// The events that an experiment asks for, those of a machine with this vocabulary, and how they are counted together.
///
/// # Errors
/// The names that no event has.
pub(crate) fn bind(
    experiment: &Experiment,
    vocabulary: &Vocabulary,
) -> Result<(Vec<Event>, CountingPlan), Vec<Problem>> {
    let place = experiment.place("measure.events");
    let problem = |unknown: UnknownEvent| Problem::new(place.clone(), unknown.to_string(), unknown.cure());
    let names = experiment.measure.events.iter().map(String::as_str);
    let events = vocabulary.events(names).map_err(|unknown| unknown.into_iter().map(problem).collect::<Vec<_>>())?;
    let plan = plan(&events, vocabulary, watchdog_is_on(), experiment.measure.multiplex);
    Ok((events, plan))
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

/// Tries the passes on a thread of its own, pinned to where the witnesses look.
pub(crate) fn try_out(events: &[Event], counting: &CountingPlan, topology: &Topology) -> Counted {
    let stimulus = Stimulus::new(topology);
    let passes = counting.passes.clone();
    let tried = thread::spawn(move || {
        let pu = stimulus.pu().filter(|&pu| pin::pin_current_thread(pu).is_ok());
        settle(passes, pu, &mut || stimulus.act())
    });
    // A panic there would be a fault of ours; without its word every event is tried in the trials themselves.
    let settled = tried.join().unwrap_or_else(|_| Settled { passes: counting.passes.clone(), ..Settled::default() });
    let no_pmu = no_pmu();
    let why_not = |event: &Event| {
        let refused = counting.refused.iter().chain(&settled.unavailable).find(|(other, _)| other == event);
        // Where there is no PMU at all, that is the reason, whatever else is.
        let root = no_pmu.as_ref().filter(|_| event.kind() == Kind::Hardware);
        refused.map(|(_, why)| root.unwrap_or(why))
    };
    let info = |event: &Event| {
        let instead = settled.instead.get(event.name()).cloned();
        EventInfo { moved: settled.moved.get(event.name()).copied(), ..info(event, why_not(event), instead) }
    };
    Counted { infos: events.iter().map(info).collect(), passes: settled.passes }
}

/// Why not even cycles are counted here; `None` where they are.
fn no_pmu() -> Option<Unavailable> {
    let cycles = Vocabulary::here().event("cycles").ok()?;
    probe(&[cycles]).into_iter().find_map(|(_, can)| can.err())
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
pub(crate) fn read_back(told: &[CountingPass], events: &[Event], counting: &CountingPlan) -> Vec<Pass> {
    let companions = || counting.passes.iter().flat_map(|pass| &pass.companions);
    // Passes that were parted anew may have others than those planned.
    let code = |text: &str| Vocabulary::here().event(text).ok()?.codes().ok()?.first().cloned();
    let pass = |told: &CountingPass| Pass {
        events: told
            .events
            .iter()
            .filter_map(|name| events.iter().find(|event| event.name() == name).cloned())
            .collect(),
        companions: told
            .companions
            .iter()
            .filter_map(|text| companions().find(|code| code.to_string() == *text).cloned().or_else(|| code(text)))
            .collect(),
        multiplex: counting.passes.first().is_some_and(|pass| pass.multiplex),
    };
    told.iter().map(pass).collect()
}

/// Events, each with whether it can be counted here by itself.
pub fn event_infos(events: &[Event]) -> Vec<EventInfo> {
    let no_pmu = no_pmu();
    let root = |event: &Event| no_pmu.as_ref().filter(|_| event.kind() == Kind::Hardware);
    let info = |(event, can): (Event, Result<Source, Unavailable>)| match can {
        Ok(source @ Source::Instead { .. }) => info(&event, None, Some(source.to_string())),
        Ok(Source::Perf(_)) => info(&event, None, None),
        Err(why) => info(&event, Some(root(&event).unwrap_or(&why)), None),
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
