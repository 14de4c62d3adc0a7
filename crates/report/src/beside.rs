//! What the operating system did while a run was measured, as a rate of time: beside the costs, never a cause of transfers.

use hitm_analysis::explain::is_beside;
use hitm_analysis::{Estimate, Summary};
use hitm_experiment::Manifest;

use crate::number::significant;

/// Less often than this a millisecond is seldom: a scheduler that takes a PU away gives it to another for some milliseconds, so that ten times
/// a second are some percent of the time.
const SELDOM: f64 = 0.01;

/// The events that software counted.
pub(crate) struct Beside {
    /// Those that are not negligible in some cell: the heading, and the rate of each cell.
    pub(crate) columns: Vec<(String, Vec<Option<Estimate>>)>,
    /// The others in words; empty where there are none.
    pub(crate) seldom: String,
}

/// Tells the events that software counted, in the order of the manifest. What was not counted is told with what is absent.
pub(crate) fn beside(summary: &Summary, manifest: &Manifest) -> Beside {
    let mut told = Beside { columns: Vec::new(), seldom: String::new() };
    let mut seldom = Vec::new();
    for event in manifest.events.iter().filter(|event| is_beside(event)) {
        let metric = format!("{}_per_ms", event.name);
        let rates = summary.cells.iter().map(|cell| cell.metrics.get(&metric));
        // The heading names the unit.
        let rates: Vec<Option<Estimate>> =
            rates.map(|rate| rate.map(|rate| Estimate { unit: String::new(), ..rate.clone() })).collect();
        let most = rates.iter().flatten().map(|rate| rate.median).reduce(f64::max);
        match most {
            Some(most) if most >= SELDOM => told.columns.push((format!("{} per ms", event.name), rates)),
            Some(0.0) => seldom.push(format!("{} 0", event.name)),
            Some(most) => seldom.push(format!("{} at most {} per ms of a worker", event.name, significant(most, 2))),
            None => {}
        }
    }
    if !seldom.is_empty() {
        told.seldom = format!("{} (medians of the cells)", seldom.join(", "));
    }
    told
}
