//! The throughput of a run's cells over their numbers of workers.

use hitm_experiment::{Manifest, Record};

use super::Value;
use crate::metric;
use crate::run::Run;

/// The parameter that numbers of workers are values of.
const WORKERS: &str = "workers";

/// Cells of a run that differ in their number of workers alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What else varies in the run, as these cells have it: `manager=point, rows=1000`; empty where nothing does.
    pub label: String,
    /// The throughput of each trial that counts, at the run's level, op/s. A trial in which nothing ended has none.
    pub values: Vec<Value>,
    /// Trials left out because nothing ended in them.
    pub nothing_ended: usize,
}

/// The series of a run, in the order of its cells.
pub fn series(manifest: &Manifest, records: &[Record]) -> Vec<Series> {
    let run = Run::read(manifest, records);
    let throughput = metric::named(manifest, "throughput");
    let mut all: Vec<Series> = Vec::new();
    for (index, cell) in manifest.cells.iter().enumerate() {
        let others = cell.varied.iter().filter(|name| *name != WORKERS);
        let parts = others.filter_map(|name| Some(format!("{name}={}", cell.parameters.get(name)?)));
        let label = parts.collect::<Vec<_>>().join(", ");
        let place = all.iter().position(|series| series.label == label).unwrap_or_else(|| {
            all.push(Series { label, values: Vec::new(), nothing_ended: 0 });
            all.len() - 1
        });
        let workers = cell.placement.pus.len() as f64;
        for trial in run.counted(index).filter(|trial| run.at_level(trial)) {
            let Some(Ok(throughput)) = throughput.as_ref().map(|metric| run.value(metric, trial)) else { continue };
            match throughput > 0.0 {
                true => {
                    all[place].values.push(Value { workers, repetition: trial.record.repetition, throughput });
                }
                false => all[place].nothing_ended += 1,
            }
        }
    }
    all
}
