//! A run's trials put in order: which count, at which level, and what disturbed them.

use std::collections::HashMap;

use hitm_experiment::compare::{Baseline, baselines};
use hitm_experiment::manifest::ClockInfo;
use hitm_experiment::record::{Purpose, Record, Verification, Witness, WorkerRecord};
use hitm_experiment::{Manifest, Parameters};

use crate::interval;
use crate::level::{self, Levels};
use crate::metric::{Absent, Metric};
use crate::trial::{self, Look, Rates};

/// One trial in its run.
pub(crate) struct Trial<'a> {
    pub record: &'a Record,
    /// See [`trial::overlap`].
    pub overlap: Option<f64>,
    pub rates: Result<Rates, Absent>,
    /// The round trips just before and after it, nanoseconds.
    witnesses: [Option<f64>; 2],
    /// The level that held; `None` where unknown or changing.
    pub level: Option<usize>,
    /// Its flags, as bits, once [`Run::find_flags`] has looked.
    pub found: u64,
    /// Whether it is the best attempt at its repetition and pass.
    pub best: bool,
    /// Whether its value counts: the best attempt, and not wrong.
    pub counted: bool,
}

impl<'a> Trial<'a> {
    fn of(record: &'a Record, clock: &ClockInfo) -> Trial<'a> {
        let overlap = trial::overlap(record);
        Trial {
            record,
            overlap,
            rates: trial::rates_of(record, overlap),
            witnesses: [&record.before, &record.after].map(|witness| level::witness_ns(witness, clock)),
            level: None,
            found: 0,
            best: false,
            counted: false,
        }
    }

    /// Whether its witnesses do not show one and the same level: without levels, whether they are far apart.
    fn level_changed(&self, levels: &Levels) -> bool {
        let [Some(before), Some(after)] = self.witnesses else { return false };
        if levels.is_empty() { level::apart(before, after) } else { self.level.is_none() }
    }
}

/// A run's trials.
pub(crate) struct Run<'a> {
    pub manifest: &'a Manifest,
    /// Those of cells that the manifest has, in the order of the records.
    pub trials: Vec<Trial<'a>>,
    /// Of each cell the timing trials, by repetition and pass.
    pub timing: Vec<Vec<usize>>,
    /// Of each cell the observation trials that count, in the same order.
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
        let known = records.iter().filter(|record| record.cell < cells);
        let mut trials: Vec<Trial> = known.map(|record| Trial::of(record, &manifest.clock)).collect();
        let levels = Levels::of(trials.iter().flat_map(|trial| trial.witnesses).flatten().collect());
        for trial in &mut trials {
            let of = |witness: Option<f64>| witness.and_then(|ns| levels.at(ns));
            let [before, after] = trial.witnesses.map(of);
            trial.level = before.filter(|_| before == after);
        }
        let has = |witness: &Witness| witness.ping_pong.is_some();
        let has_ping_pong = records.iter().any(|record| has(&record.before) || has(&record.after));
        choose(&mut trials);
        leave_out(&mut trials, manifest);
        let parameters: Vec<&Parameters> = manifest.cells.iter().map(|cell| &cell.parameters).collect();
        let mut run = Run {
            manifest,
            timing: vec![Vec::new(); cells],
            observing: vec![Vec::new(); cells],
            levels,
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
        for trials in run.timing.iter_mut().chain(&mut run.observing) {
            trials.sort_by_key(|&i| {
                let record = run.trials[i].record;
                (record.repetition, record.pass, record.attempt, record.trial)
            });
        }
        run.level = run.most_frequent_level();
        run
    }

    /// The witnesses' round trips that are of a level, in the order of the trials, nanoseconds.
    pub fn round_trips(&self, level: usize) -> Vec<f64> {
        let mut in_order: Vec<&Trial> = self.trials.iter().collect();
        in_order.sort_by_key(|trial| trial.record.trial);
        let all = in_order.into_iter().flat_map(|trial| trial.witnesses).flatten();
        all.filter(|ns| self.levels.at(*ns) == Some(level)).collect()
    }

    /// Looks for what disturbed each trial.
    pub fn find_flags(&mut self) {
        let calibration = self.calibration();
        for trial in &mut self.trials {
            let look = Look {
                overlap: trial.overlap,
                whole: trial.rates.is_ok_and(|rates| rates.whole),
                level_changed: trial.level_changed(&self.levels),
                calibration: Some(&calibration),
            };
            trial.found = trial::found(trial.record, self.manifest, &look);
        }
    }

    /// The median of the calibration loop's ticks on each PU.
    fn calibration(&self) -> HashMap<u32, f64> {
        let mut readings: HashMap<u32, Vec<f64>> = HashMap::new();
        for worker in self.trials.iter().flat_map(|trial| &trial.record.workers) {
            let ticks = [worker.calibration_before_ticks, worker.calibration_after_ticks];
            let known = ticks.into_iter().filter(|&ticks| ticks > 0).map(|ticks| ticks as f64);
            readings.entry(worker.pu).or_default().extend(known);
        }
        readings.into_iter().filter_map(|(pu, ticks)| Some((pu, interval::median(ticks)?))).collect()
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

/// Fewer clean trials of a cell than this do not stand alone.
const ENOUGH_CLEAN: usize = 6;

/// Takes out what measured something else than its cell says: of pairs of PUs the trials whose workers were not there, and of other
/// cells those of which nothing was undisturbed, where enough others are.
fn leave_out(trials: &mut [Trial], manifest: &Manifest) {
    let cell = |trial: &Trial| &manifest.cells[trial.record.cell];
    for trial in trials.iter_mut().filter(|trial| cell(trial).parameters.contains_key("pus")) {
        let elsewhere = |worker: &WorkerRecord| {
            let ran_on = [worker.pu_at_start, worker.pu_at_end];
            !worker.pinned || ran_on.into_iter().flatten().any(|pu| pu != worker.pu)
        };
        trial.counted &= !trial.record.workers.iter().any(elsewhere);
    }
    let whole = |trial: &Trial| trial.rates.is_ok_and(|rates| rates.whole);
    let timing = |trial: &Trial| trial.counted && trial.record.purpose == Purpose::Timing;
    let mut clean = vec![0; manifest.cells.len()];
    for trial in trials.iter().filter(|trial| timing(trial) && !whole(trial)) {
        clean[trial.record.cell] += 1;
    }
    for trial in trials.iter_mut().filter(|trial| timing(trial) && whole(trial)) {
        let cell = trial.record.cell;
        trial.counted = manifest.cells[cell].placement.oversubscribed || clean[cell] < ENOUGH_CLEAN;
    }
}

/// Marks of all attempts at one repetition and pass the one that counts: a wrong one only if all are, then the best overlap, of
/// equals the later.
fn choose(trials: &mut [Trial]) {
    let mut best: HashMap<(usize, u32, Purpose, u32), usize> = HashMap::with_capacity(trials.len());
    let right = |trial: &Trial| !matches!(trial.record.verification, Verification::Wrong { .. });
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
        trials[i].counted = right(&trials[i]);
    }
}
