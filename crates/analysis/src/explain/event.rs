//! One event against the time: its correlations, its cost and its share.

use hitm_experiment::manifest::EventInfo;

use super::bound::Bound;
use super::clock::is_clock;
use super::correlate::{Both, over_points};
use super::cost::{Costs, Point};
use super::kind::{is_cycles, is_software, kind, no_cause, part, role};
use super::losses::{Losses, at_level, values};
use super::within::{by_repetition, over_repetitions};
use super::{DIFFERENT, EventExplanation, FEWEST_LOSSES, Standing};
use crate::cell::UNVERIFIED_ZERO;
use crate::interval::median;
use crate::metric::{Metric, Of};
use crate::resample::{Batches, Drawn};
use crate::run::Run;
use crate::summary::{CellSummary, Estimate};
use crate::words::plural;

/// What was counted of an event.
pub(super) struct Counted {
    /// Its rate in each trial of the run; not a number where it has none.
    pub rates: Vec<f64>,
    /// Whether they are scaled estimates.
    scaled: bool,
}

/// Looks at one event.
pub(super) fn look(
    run: &Run,
    losses: &Losses,
    metrics: &[Metric],
    cells: &[CellSummary],
    bound: &Bound,
    info: &EventInfo,
) -> EventExplanation {
    let mut counted = counted(run, metrics, &info.name);
    let (mut standing, mut why) = standing(&counted.rates, cells, info);
    if standing == Standing::Candidate {
        if let Some(clock) = is_cycles(run, info).or_else(|| is_clock(run, losses, metrics, info, &counted.rates)) {
            (standing, why) = (Standing::NoCause, clock);
        }
    }
    if standing == Standing::Beside {
        // What happens so often a second happens more often in a slower operation, whatever slows it.
        counted.rates.iter_mut().zip(&losses.times).for_each(|(rate, time)| *rate /= time);
    }
    let mut found = EventExplanation {
        name: info.name.clone(),
        kind: kind(info).to_owned(),
        role: role(info).to_owned(),
        part: part(info),
        standing,
        why,
        scaled: counted.scaled,
        over_cells: None,
        over_cells_pearson: None,
        over_repetitions: None,
        over_repetitions_pearson: None,
        cost: None,
        cost_cycles: None,
        too_dear: String::new(),
        share: None,
        residual: None,
        comparisons: 0,
    };
    if matches!(standing, Standing::Absent | Standing::UnverifiedZero | Standing::Zero) {
        return found;
    }
    let Both { spearman, pearson } = over_points(&medians(run, losses, &counted.rates));
    (found.over_cells, found.over_cells_pearson) = (spearman, pearson);
    let seed = run.manifest.seed;
    let Both { spearman, pearson } = over_repetitions(run, losses, &counted.rates, seed);
    (found.over_repetitions, found.over_repetitions_pearson) = (spearman, pearson);
    let paired = Paired::of(run, losses, &counted.rates);
    found.comparisons = paired.cells.len();
    if standing == Standing::Candidate {
        paired.cost(seed, &mut found);
        found.too_dear = bound.exceeded(&found);
    }
    found
}

/// An event's rates: as counted, or scaled ones where a cell has no others.
pub(super) fn counted(run: &Run, metrics: &[Metric], name: &str) -> Counted {
    let of = |scaled: bool| {
        let of = Of::Event { name: name.to_owned(), scaled };
        metrics.iter().find(|metric| metric.of == of).map(|metric| values(run, metric))
    };
    let rates = of(false).unwrap_or_else(|| vec![f64::NAN; run.trials.len()]);
    let lacking = (0..run.manifest.cells.len()).any(|cell| !at_level(run, cell).any(|i| rates[i].is_finite()));
    let estimates = if lacking { of(true) } else { None };
    let Some(estimates) = estimates.filter(|estimates| estimates.iter().any(|rate| rate.is_finite())) else {
        return Counted { rates, scaled: false };
    };
    let either = rates.iter().zip(estimates).map(|(rate, estimate)| if rate.is_finite() { *rate } else { estimate });
    Counted { rates: either.collect(), scaled: true }
}

fn standing(rates: &[f64], cells: &[CellSummary], info: &EventInfo) -> (Standing, String) {
    if let Some(unavailable) = &info.unavailable {
        return (Standing::Absent, unavailable.reason.clone());
    }
    let mut known = rates.iter().filter(|rate| rate.is_finite()).peekable();
    if known.peek().is_none() {
        let reason = cells.iter().find_map(|cell| cell.absent.get(&format!("{}_per_op", info.name)));
        return (Standing::Absent, reason.cloned().unwrap_or_else(|| "no trial that counts has it".to_owned()));
    }
    let zero = known.all(|rate| *rate == 0.0);
    match (zero, info.moved, no_cause(info), is_software(info)) {
        (true, Some(true), ..) => {
            (Standing::Zero, "0 counted in every trial, though it was seen to count when it was tried".to_owned())
        }
        (true, ..) => (Standing::UnverifiedZero, UNVERIFIED_ZERO.to_owned()),
        (false, _, Some(why), _) => (Standing::NoCause, why.to_owned()),
        (false, _, None, true) => {
            (Standing::Beside, "software counts it, so it tells of the operating system only".to_owned())
        }
        (false, _, None, false) => (Standing::Candidate, String::new()),
    }
}

/// The cells' medians of an event's rate and of the time, over the trials in which both are known.
fn medians(run: &Run, losses: &Losses, rates: &[f64]) -> Vec<(f64, f64)> {
    let cell = |cell: usize| {
        let has = |i: &usize| rates[*i].is_finite() && losses.times[*i].is_finite();
        let trials: Vec<usize> = at_level(run, cell).filter(has).collect();
        let of = |values: &[f64]| median(trials.iter().map(|&i| values[i]).collect());
        Some((of(rates)?, of(&losses.times)?))
    };
    (0..run.manifest.cells.len()).filter_map(cell).collect()
}

/// What a cell takes and counts more than the one it is held against, by batch of repetitions.
struct Difference {
    time: Drawn,
    events: Drawn,
    cycles: Drawn,
    changed: bool,
}

/// The comparisons in which an event was counted.
struct Paired {
    batches: Batches,
    cells: Vec<Difference>,
    /// The unit of the cycles; empty where there are none.
    cycles: &'static str,
    /// Pairs of trials.
    pairs: usize,
}

impl Paired {
    fn of(run: &Run, losses: &Losses, rates: &[f64]) -> Paired {
        let has = |&&(this, that): &&(usize, usize)| {
            [rates, &losses.times].iter().all(|of| of[this].is_finite() && of[that].is_finite())
        };
        let compared: Vec<(bool, Vec<(usize, usize)>)> = losses
            .comparisons
            .iter()
            .map(|against| (against.changed(), against.pairs.iter().filter(has).copied().collect::<Vec<_>>()))
            .filter(|(_, pairs)| !pairs.is_empty())
            .collect();
        let repetition = |pair: &(usize, usize)| run.trials[pair.0].record.repetition;
        let difference = |of: &[f64], &(this, that): &(usize, usize)| of[this] - of[that];
        let all = || compared.iter().flat_map(|(_, pairs)| pairs);
        let known = |of: &[f64]| all().all(|pair| difference(of, pair).is_finite());
        let (cycles, unit) = match () {
            () if known(&losses.cycles) => (&losses.cycles, "cycles"),
            () if known(&losses.estimated) => (&losses.estimated, "cycles (estimated)"),
            () => (&losses.estimated, ""),
        };
        let mut series = Vec::new();
        for (_, pairs) in &compared {
            let usual = median(pairs.iter().map(|pair| difference(&losses.times, pair)).collect());
            if let Some(usual) = usual.filter(|usual| *usual != 0.0) {
                series.extend(pairs.iter().map(|p| (repetition(p), difference(&losses.times, p) / usual)));
            }
        }
        // Where no time differs nothing can be told of a drift.
        if series.is_empty() {
            series.extend(all().map(|pair| (repetition(pair), 0.0)));
        }
        let batches = Batches::of(&by_repetition(series));
        let drawn = |of: &[f64], pairs: &[(usize, usize)]| {
            let value = |pair: &(usize, usize)| Some((batches.batch(repetition(pair))?, difference(of, pair)));
            Drawn::of(pairs.iter().filter_map(value), batches.number)
        };
        let cell = |(changed, pairs): &(bool, Vec<(usize, usize)>)| Difference {
            time: drawn(&losses.times, pairs),
            events: drawn(rates, pairs),
            cycles: drawn(cycles, pairs),
            changed: *changed,
        };
        let cells: Vec<Difference> =
            compared.iter().map(cell).filter(|cell| !cell.time.is_empty() && !cell.events.is_empty()).collect();
        Paired { cells, cycles: unit, pairs: all().count(), batches }
    }

    /// The comparisons as points when batches count so often.
    fn points(&self, times: &[u32], of: impl Fn(&Difference) -> &Drawn) -> Vec<Point> {
        let point = |cell: &Difference| {
            let (time, events) = (of(cell).median(times)?, cell.events.median(times)?);
            Some(Point { time, events })
        };
        self.cells.iter().filter_map(point).collect()
    }

    /// Works out cost, share and rest.
    fn cost(&self, seed: u64, found: &mut EventExplanation) {
        let work = 3 * self.cells.len() * self.batches.number;
        let [cost, cycles, share, residual] = self.batches.estimates(seed, work, |times| {
            let points = self.points(times, |cell| &cell.time);
            let costs = Costs::of(&points);
            let rest = (!points.is_empty()).then(|| costs.rest(&points).0 / points.len() as f64);
            let in_cycles = match self.cycles {
                "" => None,
                _ => Costs::of(&self.points(times, |cell| &cell.cycles)).cost(),
            };
            [costs.cost(), in_cycles, costs.share(&points), rest]
        });
        let n = self.cells.len();
        let once = vec![1; self.batches.number];
        let with_events = self.cells.iter().filter(|cell| cell.events.median(&once).is_some_and(|e| e != 0.0)).count();
        if with_events >= 2 {
            found.cost = cost.map(|cost| cost.estimate("ns", n));
            found.cost_cycles = cycles.map(|cycles| cycles.estimate(self.cycles, n));
        }
        let changed = self.cells.iter().filter(|cell| cell.changed);
        let rates = different(changed.filter_map(|cell| cell.events.median(&once)).collect());
        if rates < FEWEST_LOSSES {
            found.why = format!(
                "{} with a change of time and a rate of its own, and {FEWEST_LOSSES} are needed",
                plural(rates, "comparison")
            );
            return;
        }
        found.share = share.map(|share| share.estimate("share", n)).filter(Estimate::is_finite);
        found.residual = residual.map(|residual| residual.estimate("ns", n)).filter(Estimate::is_finite);
        if self.pairs > 0 && found.share.is_none() {
            found.why = "no time differs".to_owned();
        }
    }
}

/// How many of some rates are different from each other, by a factor of [`DIFFERENT`] at least.
fn different(mut rates: Vec<f64>) -> usize {
    rates.sort_unstable_by(f64::total_cmp);
    let mut last: Option<f64> = None;
    let mut number = 0;
    for rate in rates {
        let (least, most) =
            last.map_or((0.0, 0.0), |last: f64| (last.abs().min(rate.abs()), last.abs().max(rate.abs())));
        let turned = last.is_some_and(|last| (last < 0.0) != (rate < 0.0));
        if last.is_none() || turned || most > least * DIFFERENT {
            number += 1;
            last = Some(rate);
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use super::different;

    #[test]
    fn rates_that_are_nearly_the_same_are_one() {
        assert_eq!(different(vec![]), 0);
        assert_eq!(different(vec![1.0, 1.05, 1.0]), 1);
        assert_eq!(different(vec![0.0, 0.0, 1.0, 1.02, 1.2]), 3);
        assert_eq!(different(vec![-1.0, 1.0]), 2);
        assert_eq!(different(vec![-2.0, -1.99, -1.0]), 2);
    }
}
