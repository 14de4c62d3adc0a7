//! Which events this machine opens: each tried by itself, before any are counted together.

use crate::event::{Event, Kind};
use crate::group::{Cores, Pass, ThreadEvents};
use crate::names::{CoreKind, Vocabulary};
use crate::perf::{Linux, Perf, Source, Target};
use crate::plan::{CountingPlan, plan, watchdog_is_on};
use crate::rules;
use crate::unavailable::Unavailable;

/// What opening an event by itself came to.
pub(crate) type Probed = (Event, Result<Source, Unavailable>);

/// Makes the perf layer that events are opened with.
pub(crate) type Layer<'a> = &'a dyn Fn() -> Box<dyn Perf>;

/// Whether each event can be counted on the calling thread, and from where: opened one at a time, with the codes that the PMU's rules
/// want beside it. Where no event of the core opens, not even `cycles`, that is why those have no
/// code either whose processor is not known.
#[must_use]
pub fn probe(events: &[Event]) -> Vec<(Event, Result<Source, Unavailable>)> {
    probe_with(&|| Box::new(Linux), events, Vocabulary::here())
}

pub(crate) fn probe_with(perf: Layer<'_>, events: &[Event], vocabulary: &Vocabulary) -> Vec<Probed> {
    let of_core = |event: &Event| event.kind() == Kind::Hardware;
    let mut probed: Vec<Probed> = events.iter().map(|event| (event.clone(), alone(perf, event, vocabulary))).collect();
    let some_opens = probed.iter().any(|(event, outcome)| of_core(event) && outcome.is_ok());
    let cycles = vocabulary.event("cycles").ok().filter(|_| !some_opens);
    let root = cycles.and_then(|cycles| alone(perf, &cycles, vocabulary).err()).filter(|why| !why.may_pass());
    for (event, outcome) in &mut probed {
        if let (true, Err(Unavailable::UnknownProcessor { .. }), Some(root)) = (of_core(event), &outcome, &root) {
            *outcome = Err(root.clone());
        }
    }
    probed
}

/// Opens an event by itself; on hybrid processors on the kinds of core that have it, until one counts it.
pub(crate) fn alone(perf: Layer<'_>, event: &Event, vocabulary: &Vocabulary) -> Result<Source, Unavailable> {
    let planned = plan(std::slice::from_ref(event), vocabulary, false, false);
    if let Some((_, why)) = planned.refused.into_iter().next() {
        return Err(why);
    }
    let pass = planned.passes.into_iter().next().unwrap_or_else(|| Pass::of(std::slice::from_ref(event)));
    let kinds = vocabulary.cores();
    let having = kinds.iter().filter(|kind| kinds.len() > 1 && event.code_on(&kind.pmu).is_some());
    let mut pus: Vec<Option<u32>> = having.map(|kind| kind.pus.iter().flatten().next().copied()).collect();
    if pus.is_empty() {
        pus.push(None);
    }
    let on = |pu| {
        let opened = ThreadEvents::open_with(perf(), &pass, Cores { pu, kinds }, Target::ThisThread);
        match (opened.source(event), opened.unavailable().first()) {
            (Some(source), _) => Ok(source.clone()),
            (None, Some((_, why))) => Err(why.clone()),
            (None, None) => Err(rules::inconsistent("it neither opened nor was refused".to_owned())),
        }
    };
    pus.iter().skip(1).fold(on(pus[0]), |outcome, &pu| outcome.or_else(|why| on(pu).map_err(|_| why)))
}

/// Parts events into passes for the machine of `vocabulary`. On the machine at hand an event that does not open takes no place in a pass.
/// Of an x86 machine that is not at hand it is supposed that the kernel's lockup detector holds a counter, as it does by default; of others not:
/// Arm's kernels mostly have none, POWER's takes no counter.
#[must_use]
pub fn plan_for(events: &[Event], vocabulary: &Vocabulary, multiplex: bool) -> CountingPlan {
    match vocabulary.is_at_hand() {
        true => plan_opening(&|| Box::new(Linux), events, vocabulary, watchdog_is_on(), multiplex),
        false => plan(events, vocabulary, vocabulary.cores().iter().any(CoreKind::is_x86), multiplex),
    }
}

fn plan_opening(
    perf: Layer<'_>,
    events: &[Event],
    vocabulary: &Vocabulary,
    watchdog: bool,
    multiplex: bool,
) -> CountingPlan {
    let (mut open, mut shut) = (Vec::new(), Vec::new());
    for (event, outcome) in probe_with(perf, events, vocabulary) {
        match outcome {
            // What others hold just now may be free when trials begin.
            Err(why) if !why.may_pass() => shut.push((event, why)),
            _ => open.push(event),
        }
    }
    let mut plan = plan(&open, vocabulary, watchdog, multiplex);
    plan.refused.extend(shut);
    plan.refused.sort_by_key(|(event, _)| events.iter().position(|asked| asked == event));
    plan
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::uarch;
    use crate::perf::fake::Fake;

    fn planned(fake: &Fake, on: &str, list: &str) -> CountingPlan {
        let vocabulary = Vocabulary::of(uarch(on).expect("one of the catalogue"));
        let events = vocabulary.list(list).unwrap_or_else(|errors| panic!("{errors:?}"));
        let plan = plan_opening(&|| Box::new(fake.clone()), &events, &vocabulary, false, false);
        assert_eq!(fake.still_open(), [], "what was opened is closed");
        for event in &events {
            let counted = plan.passes.iter().any(|pass| pass.events.contains(event));
            let refused = plan.refused.iter().filter(|(other, _)| other == event).count();
            assert_eq!(refused, usize::from(!counted), "{event}");
        }
        plan
    }

    #[test]
    fn what_does_not_open_takes_no_place() {
        let list = "task-clock, cycles, instructions, contention";
        let all = planned(&Fake::new(), "skylake-sp", list);
        assert!(all.passes.len() > 1 && all.refused.is_empty(), "{all:?}");
        let fake = Fake::new();
        let skylake = Vocabulary::of(uarch("skylake-sp").expect("one of the catalogue"));
        for event in skylake.list("contention").expect("a set").iter().skip(1) {
            fake.refuse_event(event, None, libc::ENOENT);
        }
        let fewer = planned(&fake, "skylake-sp", list);
        assert_eq!(fewer.passes.len(), 1, "{fewer:?}");
        assert!(fewer.refused.iter().all(|(_, why)| *why == Unavailable::NoPmu), "{:?}", fewer.refused);
    }

    #[test]
    fn without_a_pmu_that_is_the_one_reason_and_what_the_os_counts_stays() {
        let (fake, power8) = (Fake::new(), Vocabulary::of(uarch("power8").expect("one of the catalogue")));
        for event in power8.list("cycles, instructions").expect("names") {
            fake.refuse_event(&event, None, libc::ENOENT);
        }
        let plan = planned(&fake, "power8", "context-switches, cycles, instructions, store-transfer");
        assert_eq!(plan.passes.len(), 1);
        assert_eq!(plan.passes[0].events.iter().map(Event::name).collect::<Vec<_>>(), ["context-switches"]);
        assert_eq!(plan.refused.len(), 3);
        let [(_, cycles), (_, instructions), (_, absent)] = &plan.refused[..] else { panic!("{:?}", plan.refused) };
        assert_eq!((cycles, instructions), (&Unavailable::NoPmu, &Unavailable::NoPmu));
        // What the processor never counts is told so all the same.
        assert!(matches!(absent, Unavailable::NotOnProcessor { .. }), "{absent}");
        // Where the processor is not known, nor are its codes: no PMU is why.
        let bare = Vocabulary::bare();
        let events = bare.list("cycles, store-transfer").expect("names");
        let fake = Fake::new();
        fake.refuse("cycles", None, libc::ENOENT);
        let probed = probe_with(&|| Box::new(fake.clone()), &events, &bare);
        assert!(probed.iter().all(|(_, outcome)| *outcome == Err(Unavailable::NoPmu)), "{probed:?}");
        // Other reasons than that are not hidden behind it.
        fake.refuse("instructions", None, libc::EACCES);
        let probed = probe_with(&|| Box::new(fake.clone()), &bare.list("cycles, instructions").expect("names"), &bare);
        assert!(
            matches!(probed[1].1, Err(Unavailable::Permission { .. } | Unavailable::Confined { .. })),
            "{probed:?}"
        );
    }

    #[test]
    fn what_others_hold_just_now_keeps_its_place() {
        let (fake, zen) = (Fake::new(), Vocabulary::of(uarch("zen4").expect("one of the catalogue")));
        fake.refuse_event(&zen.event("instructions").expect("a name"), None, libc::EBUSY);
        let plan = planned(&fake, "zen4", "cycles, instructions");
        assert!(plan.refused.is_empty() && plan.passes[0].events.len() == 2, "{plan:?}");
    }

    #[test]
    fn a_code_that_needs_another_beside_it_is_opened_with_it() {
        let power9 = Vocabulary::of(uarch("power9").expect("one of the catalogue"));
        let needs = |event: &Event| {
            let plan = plan(std::slice::from_ref(event), &power9, false, false);
            plan.passes.first().is_some_and(|pass| !pass.companions.is_empty())
        };
        let event = power9.all().into_iter().find(needs).expect("a code of the L2's");
        let fake = Fake::new();
        assert!(alone(&|| Box::new(fake.clone()), &event, &power9).is_ok());
        assert!(fake.opened().len() >= 2, "the companion was opened too");
    }
}
