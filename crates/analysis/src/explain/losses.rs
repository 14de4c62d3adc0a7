//! What there is to explain: each cell's time against its baseline's, from pairs of trials of one block.

use hitm_experiment::Parameters;
use hitm_experiment::compare::{Baseline, baselines};

use crate::compare::{ENOUGH_PAIRS, FEWEST_PAIRS};
use crate::interval::{CREDIBLE, estimate, median};
use crate::metric::{Metric, Of};
use crate::run::Run;
use crate::summary::Estimate;

/// What the trials of a run took.
pub(super) struct Losses {
    /// Each trial's `time_per_op`, nanoseconds, by its place in [`Run::trials`]; not a number where it has none.
    pub times: Vec<f64>,
    /// Each trial's counted cycles per operation, likewise.
    pub cycles: Vec<f64>,
    /// Each trial's cycles per operation by the core's clock, likewise.
    pub estimated: Vec<f64>,
    /// The cells that have another to be held against.
    pub comparisons: Vec<Against>,
    /// Whether there is no baseline, and cells are held against the same with one worker.
    pub alone: bool,
    /// The cell that all are held against where there is neither.
    pub fastest: Option<usize>,
}

/// A cell and the one it is held against.
pub(super) struct Against {
    /// The place of the cell in the manifest.
    pub cell: usize,
    /// Pairs of trials, by their places in [`Run::trials`], of one block and one transfer level.
    pub pairs: Vec<(usize, usize)>,
    /// What the cell takes more, nanoseconds per operation; `None` without pairs.
    pub loss: Option<Estimate>,
}

impl Against {
    /// Whether its interval leaves no doubt that the time changed.
    pub fn changed(&self) -> bool {
        self.loss.as_ref().is_some_and(|loss| is_known(loss) && (loss.low > 0.0 || loss.high < 0.0))
    }

    /// Whether there are enough pairs to say so.
    pub fn known(&self) -> bool {
        self.loss.as_ref().is_some_and(is_known)
    }
}

/// The cells that have another to be held against, with that.
fn with_baseline(baselines: &[Baseline]) -> Vec<(usize, usize)> {
    let compared = baselines.iter().enumerate().filter_map(|(cell, baseline)| match baseline {
        Baseline::Cell(base) => Some((cell, *base)),
        Baseline::None | Baseline::Itself | Baseline::Ambiguous(..) => None,
    });
    compared.collect()
}

fn is_known(loss: &Estimate) -> bool {
    loss.n >= FEWEST_PAIRS && loss.coverage >= CREDIBLE
}

impl Losses {
    pub fn of(run: &Run, metrics: &[Metric]) -> Losses {
        let values = |of: Of| match metrics.iter().find(|metric| metric.of == of) {
            Some(metric) => values(run, metric),
            None => vec![f64::NAN; run.trials.len()],
        };
        let times = values(Of::Time);
        let mut compared = with_baseline(&run.baselines);
        let mut alone = false;
        if compared.is_empty() {
            let parameters: Vec<&Parameters> = run.manifest.cells.iter().map(|cell| &cell.parameters).collect();
            compared = with_baseline(&baselines(&parameters, &[("workers".to_owned(), 1.into())].into()));
            alone = !compared.is_empty();
        }
        let mut fastest = None;
        if compared.is_empty() {
            let time = |cell: usize| median(at_level(run, cell).map(|i| times[i]).collect());
            let known = (0..run.manifest.cells.len()).filter_map(|cell| Some((cell, time(cell)?)));
            fastest = known.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(cell, _)| cell);
            let others = |base: usize| (0..run.manifest.cells.len()).filter(move |cell| *cell != base);
            compared = fastest.iter().flat_map(|&base| others(base).map(move |cell| (cell, base))).collect();
        }
        let against = |(cell, base): (usize, usize)| {
            let pairs = pairs(run, cell, base);
            let differences: Vec<f64> = pairs.iter().map(|&(this, that)| times[this] - times[that]).collect();
            Against { cell, pairs, loss: estimate(differences, "ns") }
        };
        Losses {
            comparisons: compared.into_iter().map(against).collect(),
            alone,
            fastest,
            cycles: values(Of::Event { name: "cycles".to_owned(), scaled: false }),
            estimated: values(Of::EstimatedCycles),
            times,
        }
    }

    pub fn changed(&self) -> impl Iterator<Item = &Against> {
        self.comparisons.iter().filter(|against| against.changed())
    }

    /// Whether the changes are more time saved than lost.
    pub fn saved(&self) -> bool {
        self.changed().filter_map(|against| against.loss.as_ref()).map(|loss| loss.median).sum::<f64>() < 0.0
    }
}

/// A metric of all trials that count; not a number where there is none.
pub(super) fn values(run: &Run, metric: &Metric) -> Vec<f64> {
    let value = |trial| run.value(metric, trial).unwrap_or(f64::NAN);
    run.trials.iter().map(|trial| if trial.counted { value(trial) } else { f64::NAN }).collect()
}

/// The timing trials of a cell that count, at the run's level, by repetition and pass.
pub(super) fn at_level<'r>(run: &'r Run, cell: usize) -> impl Iterator<Item = usize> + 'r {
    let counts = |i: &usize| run.trials[*i].counted && run.at_level(&run.trials[*i]);
    run.timing[cell].iter().copied().filter(counts)
}

/// Pairs of trials of one repetition and pass at one known level: those at the run's level where they are enough, else all.
fn pairs(run: &Run, cell: usize, base: usize) -> Vec<(usize, usize)> {
    let counted = |cell: usize| run.timing[cell].iter().copied().filter(|&i| run.trials[i].counted);
    let place = |i: usize| (run.trials[i].record.repetition, run.trials[i].record.pass);
    let level = |i: usize| run.trials[i].level;
    let mut bases = counted(base).peekable();
    let mut all = Vec::new();
    for this in counted(cell) {
        while bases.next_if(|&that| place(that) < place(this)).is_some() {}
        let Some(that) = bases.next_if(|&that| place(that) == place(this)) else { continue };
        if !run.has_ping_pong || (level(this).is_some() && level(this) == level(that)) {
            all.push((this, that));
        }
    }
    let here: Vec<(usize, usize)> = all.iter().copied().filter(|&(this, _)| level(this) == run.level).collect();
    if here.len() >= ENOUGH_PAIRS { here } else { all }
}
