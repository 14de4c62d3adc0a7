//! How long a plan takes, told before it starts.

use std::time::Duration;

use hitm_experiment::plan::around_ns;
use hitm_experiment::{Place, Problem};
use hitm_runner::{Resolved, least_repetitions};

/// How long a plan takes, before it starts.
pub(crate) struct Estimate {
    cells: usize,
    /// One repetition of every cell.
    pub block: Duration,
    budget: Duration,
    least_repetitions: u32,
    passes: usize,
    max_repetitions: u32,
}

impl Estimate {
    /// From the plan's durations and what a trial costs around them.
    pub(crate) fn of(resolved: &Resolved) -> Self {
        let measure = resolved.measure();
        // Cells of one group run at the same time.
        let groups = resolved.plan.block(0, resolved.experiment.seed);
        let trial = |&cell: &usize| {
            let placement = &resolved.cells[cell].placement;
            (placement.pus.len(), placement.oversubscribed)
        };
        let took =
            groups.iter().map(|group| measure.duration_ns + measure.warm_up_ns + around_ns(group.iter().map(trial)));
        Estimate {
            cells: resolved.cells.len(),
            block: Duration::from_nanos(took.sum()),
            budget: Duration::from_nanos(measure.budget_ns),
            least_repetitions: least_repetitions(measure, &resolved.counting.passes),
            passes: resolved.counting.passes.len(),
            max_repetitions: measure.max_repetitions,
        }
    }

    /// The plan in one sentence.
    pub(crate) fn sentence(&self) -> String {
        let least = self.block * self.least_repetitions;
        if self.block > self.budget {
            return format!(
                "{}, one repetition of all takes about {}, more than the budget of {}; the {} repetitions{} take about {}",
                cells(self.cells),
                time(self.block),
                time(self.budget),
                self.least_repetitions,
                self.why_least(),
                time(least)
            );
        }
        let fit = self.budget.as_secs_f64() / self.block.as_secs_f64().max(1e-9);
        let repetitions = fit.min(f64::from(self.max_repetitions));
        let warning = if least > self.budget {
            let trials = self.cells as u64 * u64::from(self.least_repetitions);
            let reps = self.least_repetitions;
            format!("; the {reps} repetitions{} are {trials} trials and take about {}", self.why_least(), time(least))
        } else {
            String::new()
        };
        format!(
            "{}, one repetition of all takes about {}; the budget of {} is enough for about {repetitions:.0}{warning}",
            cells(self.cells),
            time(self.block),
            time(self.budget)
        )
    }

    /// Why there are so many repetitions at least.
    fn why_least(&self) -> String {
        match self.passes {
            0 | 1 => " asked for at least".to_owned(),
            passes => format!(" that {passes} counting passes take at least"),
        }
    }

    /// What is wrong with a plan of which not even one repetition fits into its budget.
    pub(crate) fn problem(&self) -> Option<Problem> {
        (self.block > self.budget).then(|| {
            Problem::new(
                Place { path: "measure.budget".to_owned(), ..Place::default() },
                format!(
                    "{} cells take about {} for one repetition of each, more than the budget of {}",
                    self.cells,
                    time(self.block),
                    time(self.budget)
                ),
                format!(
                    "give `--budget {}s` for the {} repetitions{}, or vary fewer values (of pairs: \
                     `placement.pairs_of_each=budget`, or `placement.together=true`)",
                    (self.block * self.least_repetitions).as_secs() + 1,
                    self.least_repetitions,
                    self.why_least()
                ),
            )
        })
    }
}

fn cells(count: usize) -> String {
    if count == 1 { "1 cell".to_owned() } else { format!("{count} cells") }
}

/// A time as a person says it.
pub(crate) fn time(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    match seconds {
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s if s < 120.0 => format!("{s:.1} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}
