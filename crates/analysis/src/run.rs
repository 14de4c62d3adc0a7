//! A run's trials put in order: which count, at which level, and what disturbed them.

use std::collections::HashMap;

use hitm_experiment::compare::{Baseline, baselines};
use hitm_experiment::record::{Purpose, Record, Verification};
use hitm_experiment::{Manifest, Parameters};

use crate::flag;
use crate::interval;
use crate::level::{self, Levels};
use crate::metric::{Absent, Metric};
use crate::trial::{self, Rates, Surroundings};

/// One trial in its run.
pub(crate) struct Trial<'a> {
    pub record: &'a Record,
    /// See [`trial::overlap`].
    pub overlap: Option<f64>,
    pub rates: Result<Rates, Absent>,
    /// The level that held; `None` where unknown or changing.
    pub level: Option<usize>,
    /// Its flags, as bits.
    pub found: u32,
    /// Whether it is the best attempt at its repetition and pass.
    pub best: bool,
    /// Whether its value counts: the best attempt, and not wrong.
    pub counted: bool,
}

/// A run's trials.
pub(crate) struct Run<'a> {
    pub manifest: &'a Manifest,
    /// Those of cells that the manifest has, in the order of the records.
    pub trials: Vec<Trial<'a>>,
    /// Of each cell the timing trials, by repetition and pass.
    pub timing: Vec<Vec<usize>>,
    /// Of each cell the observation trials that count.
    pub observing: Vec<Vec<usize>>,
    pub levels: Levels,
    /// The level that absolute numbers are quoted at.
    pub level: Option<usize>,
    /// Whether any trial had a ping-pong.
    pub has_ping_pong: bool,
    /// What each cell is compared with.
    pub baselines: Vec<Baseline>,
    /// Records of cells that the manifest does not have.
    pub strays: usize,
}

impl<'a> Run<'a> {
    pub fn read(manifest: &'a Manifest, records: &'a [Record]) -> Run<'a> {
        let cells = manifest.cells.len();
        let (surroundings, has_ping_pong) = surroundings(manifest, records);
        let mut trials: Vec<Trial> = Vec::with_capacity(records.len());
        for record in records.iter().filter(|record| record.cell < cells) {
            trials.push(Trial {
                record,
                overlap: trial::overlap(record),
                rates: trial::rates(record),
                level: surroundings.level(record, &manifest.clock),
                found: trial::found(record, manifest, Some(&surroundings)),
                best: false,
                counted: false,
            });
        }
        choose(&mut trials);
        let parameters: Vec<&Parameters> = manifest.cells.iter().map(|cell| &cell.parameters).collect();
        let mut run = Run {
            manifest,
            timing: vec![Vec::new(); cells],
            observing: vec![Vec::new(); cells],
            levels: surroundings.levels,
            level: None,
            has_ping_pong,
            baselines: baselines(&parameters, &manifest.compare.baseline),
            strays: records.len() - trials.len(),
            trials,
        };
        for (i, trial) in run.trials.iter().enumerate() {
            match trial.record.purpose {
                Purpose::Timing => run.timing[trial.record.cell].push(i),
                Purpose::Observation if trial.counted => run.observing[trial.record.cell].push(i),
                Purpose::Observation => {}
            }
        }
        for timing in &mut run.timing {
            timing.sort_by_key(|&i| {
                let record = run.trials[i].record;
                (record.repetition, record.pass, record.attempt, record.trial)
            });
        }
        run.level = run.most_frequent_level();
        run
    }

    /// The timing trials of a cell that count.
    pub fn counted(&self, cell: usize) -> impl Iterator<Item = &Trial<'a>> {
        self.timing[cell].iter().map(|&i| &self.trials[i]).filter(|trial| trial.counted)
    }

    /// Whether a trial belongs to what is quoted at the run's level: any does where no level is known.
    pub fn at_level(&self, trial: &Trial) -> bool {
        self.level.is_none() || trial.level == self.level
    }

    /// A metric's value in one of the run's trials.
    pub fn value(&self, metric: &Metric, trial: &Trial) -> Result<f64, Absent> {
        metric.value(trial.record, trial.rates, self.manifest)
    }

    /// How many timing trials that count ran at each level, and how many all in all.
    pub fn level_counts(&self) -> (Vec<usize>, usize) {
        let mut counts = vec![0; self.levels.len()];
        let mut all = 0;
        for trial in self.trials.iter().filter(|trial| trial.counted && trial.record.purpose == Purpose::Timing) {
            all += 1;
            if let Some(level) = trial.level {
                counts[level] += 1;
            }
        }
        (counts, all)
    }

    fn most_frequent_level(&self) -> Option<usize> {
        let (counts, _) = self.level_counts();
        // The faster of two levels that hold as many.
        let most = (0..counts.len()).rev().max_by_key(|&level| counts[level])?;
        (counts[most] > 0).then_some(most)
    }
}

fn surroundings(manifest: &Manifest, records: &[Record]) -> (Surroundings, bool) {
    let mut round_trips = Vec::with_capacity(2 * records.len());
    let mut calibration: HashMap<u32, Vec<f64>> = HashMap::new();
    let mut has_ping_pong = false;
    for record in records {
        for witness in [&record.before, &record.after] {
            has_ping_pong |= witness.ping_pong.is_some();
            round_trips.extend(level::witness_ns(witness, &manifest.clock));
        }
        for worker in &record.workers {
            let readings = [worker.calibration_before_ticks, worker.calibration_after_ticks];
            let known = readings.into_iter().filter(|&ticks| ticks > 0).map(|ticks| ticks as f64);
            calibration.entry(worker.pu).or_default().extend(known);
        }
    }
    let calibration = calibration.into_iter().filter_map(|(pu, ticks)| Some((pu, interval::median(ticks)?))).collect();
    (Surroundings { levels: Levels::of(round_trips), calibration }, has_ping_pong)
}

/// Marks of all attempts at one repetition and pass the one that counts: a wrong one only if all are, then the best overlap, of
/// equals the later.
fn choose(trials: &mut [Trial]) {
    let mut best: HashMap<(usize, u32, Purpose, u32), usize> = HashMap::with_capacity(trials.len());
    let wrong = flag::WRONG.bit();
    let right = |trial: &Trial| trial.found & wrong == 0;
    for (i, trial) in trials.iter().enumerate() {
        let record = trial.record;
        let incumbent = best.entry((record.cell, record.repetition, record.purpose, record.pass)).or_insert(i);
        let other = &trials[*incumbent];
        let better = right(trial)
            .cmp(&right(other))
            .then(trial.overlap.unwrap_or(-1.0).total_cmp(&other.overlap.unwrap_or(-1.0)))
            .then((record.attempt, record.trial).cmp(&(other.record.attempt, other.record.trial)));
        if better.is_gt() {
            *incumbent = i;
        }
    }
    for i in best.into_values() {
        trials[i].best = true;
        trials[i].counted = !matches!(trials[i].record.verification, Verification::Wrong { .. });
    }
}
