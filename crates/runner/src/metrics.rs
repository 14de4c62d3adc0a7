//! The metrics that an experiment names: those that a run of it can have.

use hitm_analysis::metric;
use hitm_counters::{CountingPlan, Event, Kind, Role};
use hitm_experiment::manifest::{FigureKind, FigureSpec, TallyForm};
use hitm_experiment::suggest;
use hitm_experiment::{Experiment, Problem};
use hitm_kernels::{Entry, Registry};

/// The metrics that a run of this experiment can have. Events that were refused are told already.
pub(crate) fn metrics(experiment: &Experiment, registry: &Registry, events: &[Event]) -> Vec<String> {
    let fixed = metric::TABLE.into_iter().map(|metric| metric.name.into_owned());
    let named = experiment.measure.events.iter().map(String::as_str);
    let mut counted: Vec<&str> = named.chain(events.iter().map(Event::name)).collect();
    counted.dedup();
    let rates = events.iter().filter(|event| is_beside(event)).map(|event| format!("{}_per_ms", event.name()));
    let kernels = experiment.kernels.iter().filter_map(|kernel| registry.find(&kernel.name));
    let tallied = kernels
        .flat_map(|kernel| kernel.tallies)
        .flat_map(|tally| metric::of_tally(&tally.info()))
        .map(|metric| metric.name.into_owned());
    fixed.chain(counted.into_iter().map(|event| format!("{event}_per_op"))).chain(rates).chain(tallied).collect()
}

/// Whether it is told as a rate of time too: what software counts, and is not time.
fn is_beside(event: &Event) -> bool {
    matches!(event.kind(), Kind::Software | Kind::Tracepoint) && event.role() != Role::Time
}

/// Whether a kernel tells where its workers' time goes.
fn is_parted(kernel: &Entry) -> bool {
    kernel.tallies.iter().any(|tally| tally.form == TallyForm::Ticks)
}

/// Figures of what no run of this experiment can have.
pub(crate) fn unknown_figures(experiment: &Experiment, registry: &Registry, mut known: Vec<String>) -> Vec<Problem> {
    known.extend(["extra", "ratio"].map(str::to_owned));
    known.extend((!experiment.compare.share_of.is_empty()).then(|| "share".to_owned()));
    let kernels = experiment.kernels.iter().filter_map(|kernel| registry.find(&kernel.name));
    known.extend(kernels.clone().flat_map(|kernel| kernel.observations).map(|name| (*name).to_owned()));
    known.extend(kernels.clone().any(is_parted).then(|| "breakdown".to_owned()));
    let unknown = |y: &str| !y.is_empty() && !known.iter().any(|name| name == y);
    let axes = |(index, figure): (usize, &FigureSpec)| {
        let x = (figure.kind == FigureKind::Scatter).then(|| ("x", figure.x.clone()));
        [("y", figure.y.clone())].into_iter().chain(x).map(move |(axis, name)| (index, axis, name)).collect::<Vec<_>>()
    };
    let drawn = experiment.figures.iter().enumerate().flat_map(axes).filter(|(_, _, name)| unknown(name));
    let problem = |(index, axis, name): (usize, &str, String)| {
        let cure = suggest::cure(&name, known.iter().map(String::as_str));
        if experiment.figures[index].kind == FigureKind::Stack {
            let place = experiment.place(&format!("figure.{index}.kind"));
            let tells = registry.entries().iter().filter(|entry| is_parted(entry)).map(|entry| entry.name);
            let cure = format!("leave the figure out, or take {}", tells.collect::<Vec<_>>().join(" or "));
            return Problem::new(place, "no kernel here tells where its workers' time goes", cure);
        }
        let place = experiment.place(&format!("figure.{index}.{axis}"));
        Problem::new(place, format!("there is no {name:?} to draw"), cure)
    };
    drawn.map(problem).collect()
}

/// The metric that cells are compared by, where it is of an event that is not counted: nothing would be compared.
pub(crate) fn absent_metric(experiment: &Experiment, counting: &CountingPlan) -> Option<Problem> {
    let metric = &experiment.compare.metric;
    let (_, why) = counting.refused.iter().find(|(event, _)| format!("{}_per_op", event.name()) == *metric)?;
    let message = format!("the metric {metric:?} cannot be had here: {}", why.reason());
    Some(Problem::new(
        experiment.place("compare.metric"),
        message,
        format!("{}; or compare by another metric", why.cure()),
    ))
}

pub(crate) fn unknown_metric(experiment: &Experiment, known: &[String]) -> Option<Problem> {
    (!known.contains(&experiment.compare.metric)).then(|| {
        Problem::new(
            experiment.place("compare.metric"),
            format!("there is no metric {:?}", experiment.compare.metric),
            format!("give one of {}", known.join(", ")),
        )
    })
}
