//! The events of a run: bound to the machine's names, parted into passes, told in the manifest.

use hitm_counters::{
    CountingPlan, Event, Pass, Source, Unavailable, UnknownEvent, Vocabulary, descriptors, make_room, plan_for, probe,
};
use hitm_experiment::manifest::{CountingPass, EventInfo, Measure, UnavailableInfo};
use hitm_experiment::plan::Plan;
use hitm_experiment::{Experiment, Place, Problem};

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

pub(crate) fn info(event: &Event, why_not: Option<&Unavailable>, instead: Option<String>) -> EventInfo {
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
